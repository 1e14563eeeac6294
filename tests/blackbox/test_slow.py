#!/usr/bin/env python3
"""Clients that send nothing, or that send or read byte by byte, are cut off; others are served, and no memory is lost."""
import re
import socket
import threading
import time

from harness import PATIENCE_SECONDS, Daemon, check, equal, finish, wait_for
from wire import Raw, chain, named, post_head

INFER = "/v1/models:infer"
SIZED = post_head(INFER, "Content-Length: 1000000")
CHUNKED = post_head(INFER, "Transfer-Encoding: chunked")
# What comes first, and what then comes byte by byte.
DRIPS = {
    "a request line": (b"", b"GET /" + b"x" * 1000), "a name": (b"GET /livez HTTP/1.1\r\nHost: x\r\n", b"x" * 1000),
    "fields": (b"GET /livez HTTP/1.1\r\nHost: x\r\n", b"X: y\r\n" * 1000), "empty lines": (b"", b"\r\n" * 1000),
    "a body": (SIZED, b"\0" * 1000), "the size of a chunk": (CHUNKED, b"0" * 1000),
    "an extension of a chunk": (CHUNKED + b"5;", b"e" * 1000), "chunks": (CHUNKED, b"1\r\n\0\r\n" * 1000),
    "a trailer": (CHUNKED + b"0\r\n", b"X: y\r\n" * 1000), "a body refused": (post_head("/nope", "Content-Length: 1000000"), b"x" * 1000),
}


def drip(daemon, first, rest, cut_off, what):
    """Sends bytes until the connection is cut off, at most until patience ends."""
    with Raw(daemon, timeout=1) as raw:
        try:
            raw.send(first)
            for i in range(5 * PATIENCE_SECONDS):
                raw.send(rest[i:i + 1])
                time.sleep(0.2)
        except OSError:
            cut_off.add(what)


def count_cut_off(daemon):
    """Of connections in their head, and of requests for their pace."""
    return (daemon.metric('connections_cut_off_total{by="header_s"}') + daemon.metric('requests_cut_off_total{by="body_s"}')
            + daemon.metric('requests_cut_off_total{by="upload_rate"}'))


def check_senders():
    with Daemon("--header-s", "1", "--body-s", "2", "--idle-s", "1") as daemon:
        for what, data in {"says nothing": b"", "sends half a head": b"GET /livez HT",
                           "sends half a body": post_head(INFER, "Content-Length: 1000") + chain(1)[:20]}.items():
            with Raw(daemon, timeout=PATIENCE_SECONDS) as raw:
                if data:
                    raw.send(data)
                check("a client that %s is cut off" % what, raw.is_closed())
        before, cut_off = count_cut_off(daemon), set()
        threads = [threading.Thread(target=drip, args=(daemon, *data, cut_off, what)) for what, data in DRIPS.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for what in DRIPS:
            check("a client that drips %s is cut off" % what, what in cut_off)
        check("and counted, once each", wait_for(lambda: count_cut_off(daemon) == before + len(DRIPS)), (before, count_cut_off(daemon)))
        equal("and others are served", daemon.post(INFER, chain(1)).status, 200)


def check_pauses():
    """A reader that pauses for longer than idle_s, but reads enough in each answer_s, gets the whole answer."""
    body = named(1000)
    with Daemon("--answer-s", "20", "--idle-s", "1") as daemon, socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)  # before it connects: no more waits in its buffer
        reader.settimeout(60)
        reader.connect(("127.0.0.1", daemon.port))
        reader.sendall(post_head(INFER, "Content-Length: %d" % len(body)) + body)
        received = b""
        for _ in range(4):
            time.sleep(2.5)
            for _ in range(8):
                received += reader.recv(65536)
        while not received.endswith(b"]}\n") and not received.endswith(b"}}\n"):
            piece = reader.recv(1 << 20)
            if not piece:
                break
            received += piece
        head, _, answer = received.partition(b"\r\n\r\n")
        length = re.search(rb"Content-Length: (\d+)", head)
        equal("a client that pauses gets the whole answer", len(answer), int(length[1]) if length else None)


def check_readers():
    body = named(1000)
    with Daemon("--answer-s", "5", "--idle-s", "600") as daemon:
        with Raw(daemon) as steady:
            steady.send(post_head(INFER, "Content-Length: %d" % len(body)) + body)
            begun = time.monotonic()
            while len(steady.received) < 8 << 20 and time.monotonic() - begun < 8:
                for _ in range(8):
                    steady.more()
                time.sleep(0.5)
            status, _, answer = steady.answer()
            check("a client that reads slowly gets the whole answer", status == 200 and answer.endswith(b"}\n"), (status, len(answer)))
            check("for longer than answer-s", time.monotonic() - begun > 5)
        idle = daemon.metric("memory_bytes")
        with Raw(daemon) as raw:
            raw.send(post_head(INFER, "Content-Length: %d" % len(body)) + body)
            got = 0

            def is_cut_off():
                nonlocal got
                got += len(raw.socket.recv(1))
                return daemon.metric('requests_cut_off_total{by="answer_s"}') == 1

            check("a client that reads byte by byte is cut off", wait_for(is_cut_off))
            raw.is_closed()
            check("before the end of the answer", len(raw.received) + got < len(body), len(raw.received))
        check("nothing is left of it",
              wait_for(lambda: daemon.metric("requests_in_flight") == 0 and daemon.metric("memory_bytes") <= idle + (1 << 20)))
        check("and it is logged", wait_for(lambda: b" status=200 " in daemon.read_log() and b"cut_off_by=" in daemon.log), daemon.log[-1000:])
        equal("others are served", daemon.post(INFER, chain(1)).status, 200)


def main():
    check_senders()
    check_pauses()
    check_readers()
    finish()


if __name__ == "__main__":
    main()
