#!/usr/bin/env python3
"""Sends many requests, good and bad, from several connections to one daemon; then a hundredth as many uploads that are reset
in their middle, and a five hundredth as many large models. Its memory, descriptors and threads must stay level, each answer
right, and SIGTERM ends it well.

    requests.py COUNT
"""
import http.client
import json
import os
import random
import socket
import struct
import sys
import threading
import time

from harness import Daemon, check, equal, finish, model, wait_for
from wire import Raw, chain, post_head

THREADS = 8
GROWTH = 1.25  # how much the daemon's memory may grow once it has seen all kinds of requests
NODE = {"node": {"opType": "Conv", "inputs": ["x", "w"], "outputs": ["y"], "attributes": {"strides": [2, 2]}}, "opset": 17,
        "inputs": {"x": {"type": "tensor(float)", "shape": ["N", 3, 224, 224]},
                   "w": {"type": "tensor(float)", "shape": [64, 3, 7, 7]}}}


def broken(data, pick):
    """A few bytes changed, or the end cut off."""
    data = bytearray(data)
    for _ in range(pick.randrange(1, 6)):
        data[pick.randrange(len(data))] = pick.randrange(256)
    return bytes(data[:pick.randrange(1, len(data))] if pick.random() < 0.3 else data)


def next_request(pick, models):
    """Method, path, body, and the statuses that are right."""
    kind = pick.random()
    if kind < 0.5:
        return "POST", "/v1/nodes:infer", json.dumps(NODE), {200}
    if kind < 0.6:
        return "POST", "/v1/nodes:infer", json.dumps(NODE)[:pick.randrange(1, 200)], {400}
    if kind < 0.75:
        return "POST", "/v1/models:infer", pick.choice(models), {200}
    if kind < 0.95:
        return "POST", "/v1/models:infer", broken(pick.choice(models), pick), {200, 400, 429, 413}
    return "GET", pick.choice(["/livez", "/metrics", "/v1/operators?pageSize=20", "/version"]), None, {200}


class Load:
    def __init__(self, daemon, count):
        self.daemon, self.count, self.done, self.wrong = daemon, count, 0, []
        self.lock = threading.Lock()
        self.models = [model("resnet50"), model("encoder")]

    def next(self, pick):
        return next_request(pick, self.models)

    def work(self, seed):
        pick = random.Random(seed)
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=60)
        for _ in range(self.count // THREADS):
            method, path, body, right = self.next(pick)
            try:
                kind = "application/json" if "nodes" in path else "application/octet-stream"
                connection.request(method, path, body, {"Content-Type": kind} if body is not None else {})
                answer = connection.getresponse()
                text = answer.read()
                fault = None if answer.status in right or answer.status == 503 else (path, answer.status, text[:200])
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                fault = (path, repr(error))
            with self.lock:
                self.done += 1
                if fault:
                    self.wrong.append(fault)


    def at_once(self, watch):
        """All of it, on threads of its own; `watch()` is called meanwhile."""
        threads = [threading.Thread(target=self.work, args=(seed,)) for seed in range(THREADS)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads) and self.daemon.process.poll() is None:
            time.sleep(0.2)
            watch()


class Resets(Load):
    """Uploads that end in their middle, some of them compressed or in chunks, by a reset or a close."""

    def work(self, seed):
        pick = random.Random(seed)
        for _ in range(self.count // THREADS):
            fields = pick.choice((["Content-Length: %d" % len(self.models[0])], ["Transfer-Encoding: chunked"],
                                  ["Content-Length: 100000", "Content-Encoding: gzip"],
                                  ["Content-Length: 100000", "Content-Encoding: zstd"]))
            try:
                with Raw(self.daemon, timeout=60) as raw:
                    raw.send(post_head("/v1/models:infer", *fields) + self.models[0][:pick.randrange(100000)])
                    if pick.random() < 0.9:
                        raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            except OSError:
                pass  # the daemon may have refused it before it was reset
            with self.lock:
                self.done += 1


class Models(Load):
    """Large models, one after the other over each connection."""

    def __init__(self, daemon, count):
        super().__init__(daemon, count)
        self.models = [chain(100000)]

    def next(self, pick):
        return "POST", "/v1/models:infer", self.models[0], {200}


def fewest(folder):
    """Entries that stay: a connection that was just closed may be there for a moment."""
    found = []
    for _ in range(20):
        found.append(len(os.listdir(folder)))
        time.sleep(0.05)
    return min(found)


def level_of(daemon):
    """Memory in KiB, descriptors and threads, once the daemon has nothing to do and has given back what it kept."""
    wait_for(lambda: daemon.metric("requests_in_flight") == 0 and daemon.metric("connections") == 1)
    for _ in range(600):
        if not daemon.metric("memory_bytes"):
            break
        time.sleep(0.2)
    folder = "/proc/%d/" % daemon.process.pid
    with open(folder + "status", encoding="ascii") as f:
        memory = next(int(line.split()[1]) for line in f if line.startswith("VmRSS:"))
    return memory, fewest(folder + "fd"), fewest(folder + "task")


def run(what, load):
    """All of a load, and where the daemon stands afterwards."""
    shown = time.monotonic()

    def watch():
        nonlocal shown
        load.daemon.read_log()
        load.daemon.log = load.daemon.log[-100000:]
        if time.monotonic() - shown > 30:
            shown = time.monotonic()
            print("# %d of %d %s" % (load.done, load.count, what), flush=True)

    load.at_once(watch)
    if not check("the daemon lives after %d %s" % (load.count, what), load.daemon.process.poll() is None):
        finish()
    check("every answer is a right one", not load.wrong, "%d wrong, first: %s" % (len(load.wrong), load.wrong[:5]))
    memory, files, threads = level_of(load.daemon)
    print("# after %d %s: %d KiB, %d descriptors, %d threads" % (load.count, what, memory, files, threads), flush=True)
    return memory, files, threads


def main():
    count = int(sys.argv[1])
    with Daemon() as daemon:
        # The first of each kind bring it where it stays.
        run("large models", Models(daemon, max(count // 5000, THREADS)))
        run("resets", Resets(daemon, max(count // 1000, THREADS)))
        before = run("requests", Load(daemon, count // 10))
        for what, load in (("requests", Load(daemon, count)), ("resets", Resets(daemon, count // 100)),
                           ("large models", Models(daemon, count // 500))):
            after = run(what, load)
            check("memory is level: %d KiB before, %d after" % (before[0], after[0]), after[0] <= before[0] * GROWTH)
            equal("descriptors and threads are", after[1:], before[1:])
        equal("SIGTERM ends it well", daemon.stop(), 0)
    finish()


if __name__ == "__main__":
    main()
