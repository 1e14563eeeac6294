#!/usr/bin/env python3
"""SIGTERM while 64 clients post models: each connection that was accepted gets an answer to what it sent, those that come
later are refused, the daemon ends with status 0. Then the ways in which an end is not a quiet one. tests/run.sh runs this
with the thread sanitizer too. SHAPED_CLIENT_MODELS names more models to post, files separated by colons."""
import os
import signal
import socket
import threading
import time

from harness import PATIENCE_SECONDS, Daemon, check, equal, finish, model, wait_for
from wire import Raw, chain, post_head

CLIENTS = 64
INFER = "/v1/models:infer"


class Client(threading.Thread):
    """Posts models over new and kept connections until it is refused."""

    def __init__(self, daemon, number, body):
        super().__init__()
        self.target, self.number, self.body = daemon, number, body
        self.answered, self.wrong = 0, []
        self.draining = threading.Event()

    def run(self):
        while not (self.draining.is_set() and self.number % 4 == 0):
            try:
                raw = Raw(self.target, timeout=PATIENCE_SECONDS)
            except OSError:
                return  # refused: the port is closed
            with raw:
                if not self.converse(raw):
                    return

    def converse(self, raw):
        """Some requests over one connection. False: the end has come."""
        for _ in range(5):
            try:
                raw.send(post_head(INFER, "Content-Length: %d" % len(self.body)) + self.body)
                status, fields, body = raw.answer()
            except OSError as error:
                status, fields, body = 0, {}, repr(error)
            if status == 200 and body.rstrip().endswith(b"}"):
                self.answered += 1
            elif status == 0 and self.answered and self.draining.is_set():
                return False  # an idle connection was closed as the request was on its way
            else:
                self.wrong.append((status, body[:200]))
                return False
            if fields.get("connection") == "close":
                return True
        return True


def posted():
    """What clients post: small and large, made up and real."""
    bodies = [chain(2), chain(1500), model("resnet50"), model("encoder")]
    for path in filter(None, os.environ.get("SHAPED_CLIENT_MODELS", "").split(":")):
        with open(path, "rb") as f:
            bodies.append(f.read())
    return bodies


def check_clients():
    with Daemon("--queue", "1000") as daemon:
        bodies = posted()
        clients = [Client(daemon, number, bodies[number % len(bodies)]) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        while any(c.answered < 3 for c in clients if c.is_alive()):
            daemon.read_log(0.05)
        uploads = [Raw(daemon, timeout=PATIENCE_SECONDS) for _ in range(8)]
        for upload in uploads:
            upload.send(post_head(INFER, "Transfer-Encoding: chunked", "Expect: 100-continue")).await_continue()
            upload.send(b"%x\r\n" % len(bodies[1]) + bodies[1][:1000])
        for client in clients:
            client.draining.set()
        daemon.process.send_signal(signal.SIGTERM)
        await_drain(daemon)
        for upload in uploads:
            upload.send(bodies[1][1000:] + b"\r\n0\r\n\r\n")
        equal("uploads in flight are answered", [u.answer()[0] for u in uploads], [200] * len(uploads))
        equal("the daemon ends with status 0", daemon.await_end(), 0)
        for client in clients:
            client.join(PATIENCE_SECONDS)
        check("%d answers, every one right" % sum(c.answered for c in clients), not [c.wrong for c in clients if c.wrong],
              [c.wrong for c in clients if c.wrong][:5])
        check("every client was served", all(c.answered >= 3 for c in clients))
        try:
            socket.create_connection(("127.0.0.1", daemon.port), timeout=5).close()
            refused = False
        except OSError:
            refused = True
        check("later ones are refused", refused)
        for upload in uploads:
            upload.close()


def begin_upload(daemon, upload, data, length=1000):
    """Sends a part of a body, and returns once the daemon has begun to read it."""
    upload.send(post_head(INFER, "Content-Length: %d" % length) + data)
    wait_for(lambda: daemon.metric("requests_in_flight") == 1)


def await_drain(daemon):
    """Returns once the daemon has heard a signal."""
    wait_for(lambda: b"draining" in daemon.read_log())


def check_readiness():
    with Daemon() as daemon, Raw(daemon) as upload, Raw(daemon) as probe:
        body = chain(3)
        begin_upload(daemon, upload, body[:10], len(body))
        probe.send(b"GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
        equal("ready before", probe.answer()[0], 200)
        daemon.process.send_signal(signal.SIGTERM)
        await_drain(daemon)
        status, fields = 200, {}
        while status == 200:  # it logs before it drains
            status, fields, _ = probe.send(b"GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n").answer()
        equal("not ready while it drains", (status, fields.get("retry-after"), fields.get("connection")), (503, "1", "close"))
        equal("the upload goes on", upload.send(body[10:]).answer()[0], 200)
        equal("status 0", daemon.await_end(), 0)


def check_hard_ends():
    with Daemon("--drain-s", "1") as daemon, Raw(daemon) as upload:
        begin_upload(daemon, upload, b"x")
        begun = time.monotonic()
        daemon.process.send_signal(signal.SIGINT)
        equal("an upload that never ends: status 1 after drain-s", daemon.await_end(), 1)
        check("and it is told", b"ended with requests in flight" in daemon.log, daemon.log)
        check("and not before", time.monotonic() - begun > 0.9)
    with Daemon("--drain-s", "600", "--body-s", "600") as daemon, Raw(daemon) as upload:
        begin_upload(daemon, upload, b"x")
        daemon.process.send_signal(signal.SIGTERM)
        await_drain(daemon)
        daemon.process.send_signal(signal.SIGTERM)
        equal("a second signal ends the drain: status 1", daemon.await_end(), 1)
    with Daemon("--drain-s", "600", "--idle-s", "600") as daemon:
        idle = [Raw(daemon) for _ in range(20)]
        equal("idle connections are not waited for: status 0", daemon.stop(), 0)
        for raw in idle:
            raw.close()


def main():
    check_clients()
    check_readiness()
    check_hard_ends()
    finish()


if __name__ == "__main__":
    main()
