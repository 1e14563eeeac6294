#!/usr/bin/env python3
"""Waiting for workers: pieces of compressed uploads, clients that have gone, limits on time."""
import gzip
import socket
import subprocess
import threading
import time

from harness import Daemon, check, equal, finish, wait_for
from test_load import heavy
from test_upload import chunked
from wire import Raw, chain, named, noise, post_head

INFER = "/v1/models:infer"
PATIENCE = 120  # seconds until a test gives up to wait for an event


def await_metric(daemon, name, least):
    end = time.monotonic() + PATIENCE
    while daemon.metric(name) < least and time.monotonic() < end:
        time.sleep(0.05)
    return daemon.metric(name)


def send(daemon, data, *fields):
    """A connection over which a whole request went."""
    raw = Raw(daemon, timeout=PATIENCE)
    return raw.send(post_head(INFER, "Content-Length: %d" % len(data), *fields) + data)


def check_pieces():
    with Daemon("--workers", "1", "--queue", "1") as daemon:
        packed = gzip.compress(noise(60000))
        with Raw(daemon, timeout=PATIENCE) as raw:
            raw.send(post_head(INFER, "Transfer-Encoding: chunked", "Content-Encoding: gzip") + chunked(packed, 1))
            equal("gzip in chunks of 1", raw.answer()[0], 200)
        equal("they are gathered before a worker takes them", daemon.metric("pieces_total"), 1)
        bomb = subprocess.run(["zstd", "-q", "-c"], input=bytes(100000), stdout=subprocess.PIPE, check=True).stdout
        with send(daemon, bomb, "Content-Encoding: zstd") as raw:
            equal("%d bytes of zstd" % len(bomb), raw.answer()[0], 400)
        equal("zstd goes to a worker from its first byte", daemon.metric("pieces_total"), 2)
        small = gzip.compress(chain(3))
        with send(daemon, small, "Content-Encoding: gzip") as raw:
            equal("a little gzip", raw.answer()[0], 200)
        equal("does not", daemon.metric("pieces_total"), 2)
        with send(daemon, chain(150000) + heavy(8, 3000)) as running:  # messages that are concatenated merge
            await_metric(daemon, 'inferred_total{by="worker"}', 1)
            with send(daemon, chain(150000)) as waiting:
                await_metric(daemon, "queue_depth", 1)
                with send(daemon, chain(150000)) as raw:
                    equal("the queue is full", raw.answer()[0], 503)
                with send(daemon, gzip.compress(noise(3000000), 1), "Content-Encoding: gzip") as raw:
                    equal("which does not refuse an upload that has begun", raw.answer()[0], 200)
                running.close()
                equal("the waiting client is served", waiting.answer()[0], 200)


def check_gone():
    with Daemon("--workers", "1") as daemon:
        count, nodes = 20, 100000
        body = chain(nodes)
        for _ in range(count):
            send(daemon, body).close()
        canceled = await_metric(daemon, "canceled_total", count // 2)
        check("requests of clients that have gone are dropped: %d of %d" % (canceled, count), canceled >= count // 2)
        equal("a client that stays is served", daemon.infer(chain(10000)).status, 200)
        done = daemon.metric("nodes_total")
        check("and few nodes are inferred for clients that have gone: %d" % done, done <= count * nodes // 2)
    with Daemon("--engine-ms", "600000") as daemon:
        slow = send(daemon, heavy(8, 3000))
        await_metric(daemon, 'inferred_total{by="worker"}', 1)
        slow.close()
        equal("an inference that runs is ended", await_metric(daemon, "canceled_total", 1), 1)
        daemon.stop()
        check("and logged as 499", b"status=499" in daemon.log and b"code=canceled" in daemon.log, daemon.log)


def check_time():
    with Daemon("--workers", "1", "--queue-s", "1", "--engine-ms", "600000") as daemon:
        running = [send(daemon, heavy(8, 3000)) for _ in range(3)]  # one each for the worker and the thread for short jobs
        answers = []

        def await_answer(raw):
            answers.append(raw.answer())

        threads = [threading.Thread(target=await_answer, args=(raw,)) for raw in running]
        for thread in threads:
            thread.start()
        end = time.monotonic() + PATIENCE
        while not answers and time.monotonic() < end:
            time.sleep(0.05)
        status, fields, body = answers[0] if answers else (0, {}, b"")
        check("what waits longer than queue_s is 503", status == 503 and b"queue_s" in body, (status, body))
        check("with a time to try again", 1 <= int(fields.get("retry-after", 0)) <= 60, fields)
        equal("and counted", daemon.metric('requests_refused_total{reason="expired"}'), 1)
        for raw in running:
            raw.socket.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()
    with Daemon("--request-s", "1") as daemon:
        body = chain(100)
        with Raw(daemon) as raw:
            raw.send(post_head(INFER, "Content-Length: %d" % len(body)) + body[:100])
            time.sleep(1.1)
            status, _, text = raw.send(body[100:]).answer()
        check("an upload that takes longer than request_s is 504", status == 504 and b"request_s" in text, (status, text))
        with send(daemon, heavy(8, 3000)) as raw:
            status, _, text = raw.answer()
        check("so is an inference", status == 504 and b"request_s" in text, (status, text))


def check_idle():
    with Daemon() as daemon:
        equal("a large model", daemon.infer(chain(100000)).status, 200)
        kept, end = daemon.metric("memory_bytes"), time.monotonic() + PATIENCE
        while daemon.metric("memory_bytes") and time.monotonic() < end:
            time.sleep(0.2)
        check("what was kept of it (%d bytes) is given back when the daemon is idle" % kept,
              kept > 1 << 20 and not daemon.metric("memory_bytes"), daemon.metric("memory_bytes"))
        equal("and it serves on", daemon.infer(chain(100000)).status, 200)
    body = named(1000)
    with Daemon() as daemon:
        with send(daemon, body) as reader:  # who takes the answer when the daemon has long been idle
            await_metric(daemon, "memory_kept_bytes", 1)
            wait_for(lambda: not daemon.metric("memory_kept_bytes"))
            equal("a large answer is taken late", reader.answer()[0], 200)
        end = time.monotonic() + PATIENCE
        while daemon.metric("memory_bytes") and time.monotonic() < end:
            time.sleep(0.2)
        equal("and what was kept of it is given back", daemon.metric("memory_bytes"), 0)


def main():
    check_idle()
    check_pieces()
    check_gone()
    check_time()
    finish()


if __name__ == "__main__":
    main()
