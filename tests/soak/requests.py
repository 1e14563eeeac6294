#!/usr/bin/env python3
"""Sends many requests, good and bad, from several connections to one daemon, and watches its memory and its answers.

    requests.py COUNT
"""
import http.client
import json
import random
import sys
import threading
import time

from harness import Daemon, check, finish, model

THREADS = 8
GROWTH = 1.25  # how much the daemon's memory may grow after the first tenth
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

    def work(self, seed):
        pick = random.Random(seed)
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=60)
        for _ in range(self.count // THREADS):
            method, path, body, right = next_request(pick, self.models)
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


def memory_kib(process):
    with open("/proc/%d/status" % process.pid, encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS:"))


def main():
    count = int(sys.argv[1])
    with Daemon() as daemon:
        load = Load(daemon, count)
        threads = [threading.Thread(target=load.work, args=(seed,)) for seed in range(THREADS)]
        for thread in threads:
            thread.start()
        warm = None
        shown = time.monotonic()
        while any(thread.is_alive() for thread in threads) and daemon.process.poll() is None:
            time.sleep(0.2)
            daemon.read_log()
            daemon.log = daemon.log[-100000:]
            if warm is None and load.done > count / 10:
                warm = memory_kib(daemon.process)
            if time.monotonic() - shown > 30:
                shown = time.monotonic()
                print("# %d of %d, %d KiB" % (load.done, count, memory_kib(daemon.process)), flush=True)
        if check("the daemon lives", daemon.process.poll() is None):
            after = memory_kib(daemon.process)
            check("memory stays: %s KiB after a tenth, %d KiB at the end" % (warm, after),
                  warm is None or after <= warm * GROWTH)
        check("every answer is a right one", not load.wrong, "%d wrong, first: %s" % (len(load.wrong), load.wrong[:5]))
    finish()


if __name__ == "__main__":
    main()
