#!/usr/bin/env python3
"""More connections than may be: those past the number are closed and counted, and the daemon serves on. tests/soak does the
same many times over."""
import http.client
import resource
import socket
import time

from harness import Daemon, check, equal, finish
from wire import Raw


def burst(port, count):
    """Opens this many connections at once, and closes them half a second later."""
    connections = []
    for _ in range(count):
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex(("127.0.0.1", port))
        connections.append(connection)
    time.sleep(0.5)
    for connection in connections:
        connection.close()


def is_alive(daemon, seconds=30):
    """Whether a new connection is served: at first there may be no room for it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if daemon.request("GET", "/livez", timeout=5).status == 200:
                return True
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.05)
    return False


def raise_files(count):
    """Whether this many files may be open, here and in the daemon."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard == resource.RLIM_INFINITY or hard > count


def check_bursts():
    for most, count in ((10, 20), (100, 130), (1000, 1100)):
        with Daemon("--connections", str(most)) as daemon:
            for _ in range(3):
                burst(daemon.port, count)
            if not check("%d connections where %d may be: it serves on" % (count, most), is_alive(daemon)):
                daemon.process.kill()
                continue
            check("those past the number are counted", daemon.metric('connections_refused_total{reason="connections"}') > 0)
            end = time.monotonic() + 20
            while b"connections refused" not in daemon.read_log(0.1) and time.monotonic() < end:
                pass
            lines = [line for line in daemon.log.splitlines() if b"connections refused" in line]
            check("and logged, not one by one", 1 <= len(lines) <= 12, lines[:3])


def check_exact():
    """As many as may be are kept, one more is closed, and its place is free again when one of them goes."""
    with Daemon("--connections", "50") as daemon:
        held = [Raw(daemon) for _ in range(50)]
        for raw in held:
            raw.send(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
        equal("as many as may be are served", {raw.answer()[0] for raw in held}, {200})
        closed = 0
        for _ in range(20):
            with Raw(daemon) as more:
                closed += more.is_closed()
        equal("each one more is closed", closed, 20)
        metrics = held[0].send(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").answer()[2]
        check("connections are counted exactly", b"\nshaped_connections 50\n" in metrics)
        check("refused ones too", b'\nshaped_connections_refused_total{reason="connections"} 20\n' in metrics)
        for raw in held:
            raw.close()
        check("and there is room again", is_alive(daemon))


def check_starved():
    """No descriptor for a connection: it waits until there is one."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        with Daemon() as daemon:
            # It has raised its own soft limit to the hard one.
            resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (64, 64))
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            held = [Raw(daemon) for _ in range(100)]
            end = time.monotonic() + 20
            while b"connections not accepted" not in daemon.read_log(0.1) and time.monotonic() < end:
                pass
            check("want of descriptors is logged", b"connections not accepted" in daemon.log, daemon.log[-500:])
            for raw in held:
                raw.close()
            check("and over with them", is_alive(daemon))
            check("and counted", daemon.metric("connections_starved_total") > 0)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def main():
    check_bursts()
    if raise_files(16000):
        with Daemon() as daemon:
            burst(daemon.port, 15000)
            if not check("15,000 connections with all defaults: it serves on", is_alive(daemon)):
                daemon.process.kill()
    check_exact()
    check_starved()
    finish()


if __name__ == "__main__":
    main()
