#!/usr/bin/env python3
"""Addresses at which the daemon listens, signals, and its end: at once, or as a lame duck."""
import os
import re
import signal
import socket
import subprocess
import tempfile
import time

from harness import SHAPED, Daemon, check, equal, finish, run
from wire import Raw, chain, post_head

GET = b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"


class Serving:
    """A daemon with a command of our own; `ready` is its line of that name."""

    def __init__(self, *command, fds=()):
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, pass_fds=fds)

    def __enter__(self):
        os.set_blocking(self.process.stderr.fileno(), False)
        self.log, end = b"", time.monotonic() + 30
        while b"msg=ready" not in self.log and time.monotonic() < end:
            self.log += self.process.stderr.read() or b""
            time.sleep(0.02)
        found = re.search(rb'address="?([^" ]*)', self.log)
        self.addresses = found[1].decode().split(",") if found else []
        return self

    def __exit__(self, kind, value, trace):
        self.process.terminate()
        equal("it ends well", self.process.wait(60), 0)


def is_served(family, address):
    with socket.socket(family) as s:
        s.settimeout(20)
        try:
            s.connect(address)
            s.sendall(GET)
            return s.recv(4096).startswith(b"HTTP/1.1 200")
        except OSError:
            return False


def can_bind(family, address):
    """Whether this machine has addresses of that kind."""
    try:
        with socket.socket(family) as s:
            s.bind(address)
            return True
    except OSError:
        return False


def handed_over(listening, count=1):
    script = "exec 3<&%d; LISTEN_FDS=%d LISTEN_PID=$$ exec %s serve" % (listening, count, SHAPED)
    return ("/bin/bash", "-c", script)


def check_handed_over():
    with socket.socket() as bound, socket.socket(type=socket.SOCK_DGRAM) as datagram, open("/dev/null", "rb") as null:
        bound.bind(("127.0.0.1", 0))
        datagram.bind(("127.0.0.1", 0))
        for what, fd in {"a socket that does not listen": bound.fileno(), "a datagram socket": datagram.fileno(),
                         "a file": null.fileno()}.items():
            done = subprocess.run(handed_over(fd), pass_fds=[fd], stderr=subprocess.PIPE, timeout=30)
            check("LISTEN_FDS with %s: 1, with the reason" % what,
                  done.returncode == 1 and b"not a stream socket that listens" in done.stderr, (done.returncode, done.stderr))
        done = subprocess.run(handed_over(null.fileno(), 17), pass_fds=[null.fileno()], stderr=subprocess.PIPE, timeout=30)
        equal("LISTEN_FDS past what is taken", done.returncode, 1)


def check_names():
    for name in ("localhost", ""):
        found = socket.getaddrinfo(name or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        wanted = {info[4][0] for info in found if can_bind(info[0], info[4])}
        with Serving(SHAPED, "serve", "--listen", name + ":0") as daemon:
            hosts = {address.rpartition(":")[0].strip("[]") for address in daemon.addresses}
            equal("'%s': it listens at every address" % name, hosts, wanted)
            equal("with one port", len({address.rpartition(":")[2] for address in daemon.addresses}), 1)
            for address in daemon.addresses:
                host, _, port = address.rpartition(":")
                family = socket.AF_INET6 if host[0] == "[" else socket.AF_INET
                check("%s is served" % address, is_served(family, (host.strip("[]"), int(port))))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = subprocess.run([SHAPED, "serve", "--listen", "localhost:%d" % taken.getsockname()[1]], stderr=subprocess.PIPE,
                              timeout=30)
        check("one address that is taken: 1", done.returncode == 1 and b"in use" in done.stderr, done.stderr)


def check_path():
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/socket"
        with Serving(SHAPED, "serve", "--listen", "unix:" + path, "--idle-s", "1") as daemon:
            equal("the ready line names the path", daemon.addresses, ["unix:" + path])
            check("it is served", is_served(socket.AF_UNIX, path))
            done = subprocess.run([SHAPED, "serve", "--listen", "unix:" + path], stderr=subprocess.PIPE, timeout=30)
            check("a path that is served is not taken away: 1", done.returncode == 1 and b"in use" in done.stderr, done.stderr)
            check("it is served still", is_served(socket.AF_UNIX, path))
            equal("its health, by its address", run("health", "--url", "unix:" + path)[0], 0)
            done = subprocess.run([SHAPED, "health"], env={**os.environ, "SHAPED_LISTEN": "unix:" + path}, stdout=subprocess.PIPE)
            equal("and by where it listens", done.returncode, 0)
        check("its path is gone afterwards", not os.path.exists(path))
        status, _, err = run("health", "--url", "unix:" + path)
        check("then it is not well, and the path is named", status == 1 and path.encode() in err, (status, err))
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(path)
        with Serving(SHAPED, "serve", "--listen", "unix:" + path):
            check("a path that was left behind is taken", is_served(socket.AF_UNIX, path))
    for path in ("", "x" * 200):
        done = subprocess.run([SHAPED, "serve", "--listen", "unix:" + path], stderr=subprocess.PIPE, timeout=30)
        equal("a path of %d bytes" % len(path), done.returncode, 1)


def check_closed_descriptors():
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/socket"
        script = "exec %s serve --listen unix:%s <&- >&- 2>&-" % (SHAPED, path)
        process = subprocess.Popen(["/bin/bash", "-c", script])
        end = time.monotonic() + 30
        while not (os.path.exists(path) and is_served(socket.AF_UNIX, path)) and time.monotonic() < end:
            time.sleep(0.05)
        targets = {os.readlink("/proc/%d/fd/%d" % (process.pid, fd)) for fd in range(3)}
        equal("closed descriptors are opened on /dev/null", targets, {"/dev/null"})
        process.terminate()
        equal("and it ends well", process.wait(60), 0)


def check_signals():
    with Daemon() as daemon:
        for sig in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
            daemon.process.send_signal(sig)
            equal("%s does no harm" % sig.name, daemon.get("/livez").status, 200)
        for _ in range(2):
            daemon.process.send_signal(signal.SIGTERM)
            time.sleep(0.05)
        equal("two SIGTERMs end an idle daemon well", daemon.process.wait(60), 0)


def await_log(daemon, text):
    end = time.monotonic() + 60
    while text not in daemon.read_log(0.05) and time.monotonic() < end:
        pass


def check_lame_duck():
    body = chain(3)
    with Daemon("--lame-duck-s", "600") as daemon, Raw(daemon) as kept:
        equal("ready before", kept.send(GET.replace(b"livez", b"readyz")).answer()[0], 200)
        daemon.process.send_signal(signal.SIGTERM)
        await_log(daemon, b"not ready any more")
        status, fields, _ = kept.send(GET).answer()
        equal("a kept connection ends with its reply", (status, fields.get("connection")), (200, "close"))
        for what, data, wanted in (("/readyz", GET.replace(b"livez", b"readyz"), 503), ("/livez", GET, 200),
                                   ("a model", post_head("/v1/models:infer", "Content-Length: %d" % len(body)) + body, 200)):
            with Raw(daemon) as raw:
                status, fields, _ = raw.send(data).answer()
                equal("a lame duck still takes %s" % what, (status, fields.get("connection")), (wanted, "close"))
        daemon.process.send_signal(signal.SIGTERM)
        equal("a second signal ends it", daemon.process.wait(60), 0)
    with Daemon("--lame-duck-s", "1") as daemon:
        daemon.process.send_signal(signal.SIGTERM)
        equal("it drains when the time is over", daemon.process.wait(60), 0)
        await_log(daemon, b"ended")
        check("after it was a lame duck", daemon.log.find(b"not ready any more") < daemon.log.find(b"draining"), daemon.log)


def main():
    check_handed_over()
    check_names()
    check_path()
    check_closed_descriptors()
    check_signals()
    check_lame_duck()
    finish()


if __name__ == "__main__":
    main()
