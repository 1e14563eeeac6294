#!/usr/bin/env python3
"""Clients that leave in the middle of a request or between two are noticed at once, whatever the time limits say, and no
drain waits or fails for them. A client that closed only its sending half still gets its answer."""
import re
import socket
import threading
import time

from harness import PATIENCE_SECONDS, Daemon, check, equal, finish, wait_for
from prometheus import metrics
from wire import Raw, chain, post_head

INFER = "/v1/models:infer"
PATIENT = ("--header-s", "600", "--idle-s", "600", "--body-s", "600", "--drain-s", "600")
# What is sent before the end.
PARTS = {
    "nothing": b"", "half a head": b"GET /livez HT", "a head": b"GET /livez HTTP/1.1\r\nHost: x\r\n",
    "half a body": post_head(INFER, "Content-Length: 1000") + chain(1)[:20],
    "half a chunk": post_head(INFER, "Transfer-Encoding: chunked") + b"100\r\nabc",
    "half a compressed body": post_head(INFER, "Content-Length: 100000", "Content-Encoding: gzip") + b"\x1f\x8b\x08" + b"\0" * 60,
    "a whole request": b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n",
}


def await_alone(daemon, seconds=PATIENCE_SECONDS):
    """The numbers of open connections and of requests in flight, once they are [1, 0], or when patience ends."""
    end = time.monotonic() + seconds
    while True:
        text = daemon.get("/metrics").text
        left = [int(re.search("^shaped_%s (.*)$" % name, text, re.M)[1]) for name in ("connections", "requests_in_flight")]
        if left == [1, 0] or time.monotonic() > end:
            return left
        time.sleep(0.05)


def leave(daemon, data, how):
    connection = socket.create_connection(("127.0.0.1", daemon.port), timeout=20)
    connection.sendall(data)
    if how == "closes":
        connection.close()
    else:
        connection.shutdown(socket.SHUT_WR)
    return connection


def check_left():
    with Daemon(*PATIENT) as daemon:
        for how in ("closes", "ends its side"):
            for what, data in PARTS.items():
                left = [leave(daemon, data, how) for _ in range(50)]
                equal("a client that sends %s and %s is let go" % (what, how), await_alone(daemon), [1, 0])
                for connection in left:
                    connection.close()
        numbers = metrics(daemon)
        equal("each in the middle of a body is counted", numbers['shaped_requests_cut_off_total{by="client"}'], 2 * 3 * 50)
        equal("and none as slow", [k for k, v in numbers.items() if "_cut_off_total" in k and "client" not in k and v], [])


def check_drain():
    with Daemon(*PATIENT) as daemon:
        for _ in range(100):
            leave(daemon, PARTS["half a body"], "closes")
        equal("a drain does not fail for those who left", daemon.stop(timeout=120), 0)
        check("nor does the log report requests in flight", b"ended with requests in flight" not in daemon.log, daemon.log[-500:])


def check_half_closed():
    """The request is whole, and its client waits for the answer."""
    with Daemon(*PATIENT) as daemon:
        body = chain(20)
        for _ in range(50):
            with Raw(daemon) as raw:
                raw.send(post_head(INFER, "Content-Length: %d" % len(body)) + body)
                raw.socket.shutdown(socket.SHUT_WR)
                status = raw.answer()[0]
                if status != 200:
                    break
        equal("a client that ends its side after a request gets its answer", status, 200)


def check_rate():
    head = post_head(INFER, "Content-Length: 10000000")
    for rate, is_cut in (("1000000", True), ("1000", False)):
        # Where the machine is busy, a pause of one second would be one of --body-s.
        with Daemon("--body-s", "5", "--upload-rate", rate) as daemon, Raw(daemon) as raw:
            raw.send(head)
            sent = 0
            try:
                for _ in range(60 if is_cut else 16):
                    raw.send(b"\0" * 20000)
                    sent += 1
                    time.sleep(0.5)
            except OSError:
                pass
            if is_cut:
                check("an upload below --upload-rate is cut off", sent < 60)
                check("and counted", wait_for(lambda: daemon.metric('requests_cut_off_total{by="upload_rate"}') == 1))
            else:
                equal("one above it is not", (sent, daemon.metric('requests_cut_off_total{by="upload_rate"}')), (16, 0))


def check_slow_compressed():
    """Waiting for a worker does not extend the time of an upload."""
    with Daemon("--body-s", "1") as daemon, Raw(daemon) as raw:
        cut = threading.Event()

        def drip():
            try:
                raw.send(post_head(INFER, "Content-Length: 10000000", "Content-Encoding: zstd") + b"\x28\xb5\x2f\xfd\x00\x58")
                raw.send((b"\x02\x80\x00" + b"x") * 2000)  # RLE blocks of 4096 bytes
                for _ in range(100):
                    raw.send(b"\x02\x80\x00x")
                    time.sleep(0.2)
            except OSError:
                cut.set()

        thread = threading.Thread(target=drip)
        thread.start()
        thread.join()
        check("a client that drips a compressed body is cut off", cut.is_set())


def main():
    check_left()
    check_drain()
    check_half_closed()
    check_rate()
    check_slow_compressed()
    finish()


if __name__ == "__main__":
    main()
