#!/usr/bin/env python3
"""The memory of all requests together: many uploads at once, bodies, answers and decoders, each within its own limits."""
import http.client
import re
import subprocess
import threading

from harness import Answer, Daemon, check, equal, finish, wait_for
from wire import chain, named, noise

INFER, BATCH = "/v1/models:infer", "/v1/nodes:batchInfer"
MIB = 1 << 20
CLIENTS = 64
# A freed block is not kept from use for as long as usual, so that a sanitizer's figures are of the daemon.
FRUGAL = {"ASAN_OPTIONS": "quarantine_size_mb=1:thread_local_quarantine_size_kb=64:abort_on_error=1"}


def resident(daemon, name="VmHWM"):
    with open("/proc/%d/status" % daemon.process.pid, encoding="utf-8") as f:
        return int(re.search(name + r":\s+(\d+) kB", f.read())[1]) * 1024


class Crowd:
    """Clients that wait for each other in the middle of what they do."""

    def __init__(self, count):
        self.count, self.come, self.arrived = count, threading.Condition(), set()

    def arrive(self):
        with self.come:
            self.arrived.add(threading.get_ident())
            self.come.notify_all()

    def gather(self):
        """Returns once all have come as far, or have ended."""
        self.arrive()
        with self.come:
            self.come.wait_for(lambda: len(self.arrived) == self.count)


def all_at_once(daemon, send, count=CLIENTS):
    """The results of `send(daemon, crowd)` for `count` clients at once."""
    answers, crowd = [], Crowd(count)

    def run():
        try:
            answers.append(send(daemon, crowd))
        except Exception as error:  # a connection that ended without an answer, too
            answers.append(repr(error))
        crowd.arrive()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            daemon.read_log()
            thread.join(0.1)
    return answers


def is_busy(answer):
    return (answer.status == 503 and 1 <= int(answer.headers["Retry-After"]) <= 60 and answer.json["code"] == "unavailable"
            and "memory_bytes" in answer.json["message"])


def check_crowd(what, budget, send, is_whole, flags=()):
    with Daemon("--memory-bytes=%d" % budget, *flags, environment=FRUGAL) as daemon:
        before = resident(daemon)
        answers = all_at_once(daemon, send)
        strange = [a if isinstance(a, str) else (a.status, a.body[:200]) for a in answers
                   if isinstance(a, str) or not (is_busy(a) or is_whole(a))]
        equal("%s: every client has an answer, whole or 503" % what, strange, [])
        busy = sum(1 for a in answers if not isinstance(a, str) and is_busy(a))
        check("%s: there is not memory for all (%d refused)" % (what, busy), 0 < busy)
        grown = resident(daemon) - before
        # Beside the budget: connections, what a thread holds of freed memory, and a sanitizer's shadow.
        check("%s: all take %d MiB with a budget of %d" % (what, grown // MIB, budget // MIB), grown < 1.25 * budget + 64 * MIB)
        check("refusals are counted", daemon.metric("memory_full_total") >= busy)
        equal("afterwards it is served", is_whole(all_at_once(daemon, send, 1)[0]), True)
        wait_until_free(daemon, budget)


def wait_until_free(daemon, budget):
    wait_for(lambda: daemon.metric("memory_bytes") < budget // 2)
    left = daemon.metric("memory_bytes")
    check("and its memory is given back (%d MiB are kept)" % (left // MIB), 0 <= left < budget)


def upload(daemon, body, path=INFER, content_type="application/octet-stream", before_reading=None, **fields):
    """An answer that is read only after `before_reading()` returned."""
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=300)
    try:
        connection.request("POST", path, body, {"Content-Type": content_type, **fields})
        response = connection.getresponse()
        if before_reading:
            before_reading()
        return Answer(response)
    finally:
        connection.close()


def is_inferred(answer, count):
    return answer.status == 200 and len(answer.json["values"]) == count + 1


def halting(data, crowd):
    """In two pieces, the second one when all have sent the first."""
    yield data[:len(data) // 2]
    crowd.gather()
    yield data[len(data) // 2:]


def check_alone():
    """A request that needs more memory than there is in total must not be tried again."""
    with Daemon("--memory-bytes=32M") as daemon:
        answer = daemon.post(INFER, named(5000))
        check("more than all that there is: 413", answer.status == 413 and answer.json["code"] == "resource_exhausted"
              and "memory_bytes" in answer.json["message"], (answer.status, answer.body[:300]))
        equal("and a small one is served", daemon.post(INFER, chain(2)).status, 200)
    with Daemon("--memory-bytes=1") as daemon:
        for what, answer in {"a model": daemon.post(INFER, chain(2)),
                             "a node": daemon.post_json("/v1/nodes:infer", {"node": {"opType": "Relu"}})}.items():
            check("no memory at all: 503 for %s" % what, is_busy(answer), (answer.status, answer.body[:300]))
        for path in ("/livez", "/metrics", "/v1/operators/Relu", "/"):
            equal("%s without memory" % path, daemon.get(path).status, 200)
        equal("and what there is not", daemon.get("/nope").json["code"], "unimplemented")


def main():
    body = named(5000)
    check_crowd("models", 256 * MIB, lambda daemon, _: upload(daemon, body), lambda a: is_inferred(a, 5000))
    check_crowd("answers that nobody reads", 192 * MIB, lambda daemon, crowd: upload(daemon, body[:], before_reading=crowd.gather),
                lambda a: is_inferred(a, 5000))
    listed = b'{"requests":[' + b",".join([b"[]"] * 1300000) + b"]}"
    check_crowd("JSON", 256 * MIB, lambda daemon, _: upload(daemon, listed, BATCH, "application/json"),
                lambda a: a.status == 413 and "batch_requests" in a.json["message"], ["--workers=%d" % CLIENTS])
    # A window of 8 MiB for each frame, whose end does not come before all are there.
    packed = subprocess.run(["zstd", "-q", "-c", "-1", "--long=23"], input=noise(12000000), stdout=subprocess.PIPE, check=True).stdout
    check_crowd("windows of zstd", 64 * MIB, lambda daemon, crowd: upload(daemon, halting(packed, crowd), **{"Content-Encoding": "zstd"}),
                lambda a: is_inferred(a, 1))
    check_alone()
    finish()


if __name__ == "__main__":
    main()
