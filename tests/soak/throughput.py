#!/usr/bin/env python3
"""Requests a second against a libmicrohttpd program that does nothing with the same bodies (tests/bench/hello.c), both
with 2 I/O threads, on one machine in one run: the ratio says what our own work costs. On a machine that does other things
as well, the processor time of a request says more than requests a second: it is printed beside them.

    throughput.py SECONDS       of each of the rounds; BASE may name an older daemon to compare with. Needs wrk
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

from harness import SHAPED, Daemon, check, finish, model

ROUNDS = 5
HELLO = os.environ.get("HELLO", os.path.join(os.path.dirname(SHAPED), "..", "tests", "bench", "hello"))
BASE = os.environ.get("BASE")
LEAST = {"node": 0.75}  # ratio to hello
GROWTH = {"batch": 3.0}  # ratio to BASE
NODE = {"node": {"opType": "Conv", "inputs": ["x", "w"], "outputs": ["y"], "attributes": {"strides": [2, 2], "auto_pad": "SAME_UPPER"}},
        "opset": 17, "inputs": {"x": {"type": "tensor(float)", "shape": ["N", 3, 224, 224]},
                                "w": {"type": "tensor(float)", "shape": [64, 3, 7, 7]}}}
# Name, path, body.
ROWS = [
    ("livez", "/livez", None),
    ("node", "/v1/nodes:infer", json.dumps(NODE).encode()),
    ("batch", "/v1/nodes:batchInfer", json.dumps({"requests": [NODE] * 100}).encode()),
    ("encoder", "/v1/models:infer", model("encoder")),
    ("resnet50", "/v1/models:infer", model("resnet50")),
]
JSON_TYPE, BYTES_TYPE = "application/json", "application/octet-stream"


class Hello:
    def __init__(self, size):
        self.process = subprocess.Popen([HELLO, "2", str(size)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


def serve(program):
    """A daemon that logs each request, as it does by default."""
    return Daemon("--io-threads", "2", "--workers", "2", program=program, drop_log=True)


def script(folder, name, body):
    """wrk's description of a request."""
    lines = []
    if body is not None:
        with open(os.path.join(folder, name), "wb") as f:
            f.write(body)
        kind = JSON_TYPE if body[:1] == b"{" else BYTES_TYPE
        lines = ['wrk.method = "POST"', 'wrk.headers["Content-Type"] = "%s"' % kind,
                 'wrk.body = io.open("%s", "rb"):read("*a")' % f.name]
    path = os.path.join(folder, name + ".lua")
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")
    return path


def work_seconds(pid):
    """Processor time that a process has taken."""
    with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as f:
        return sum(int(field) for field in f.read().rpartition(")")[2].split()[11:13]) / os.sysconf("SC_CLK_TCK")


def rate(seconds, lua, port, path):
    """Requests a second, and how many there were."""
    said = subprocess.run(["wrk", "-t2", "-c32", "-d%gs" % seconds, "-s", lua, "http://127.0.0.1:%d%s" % (port, path)],
                          stdout=subprocess.PIPE, check=True).stdout.decode()
    check("no request fails", "Non-2xx" not in said and "Socket errors" not in said, said)
    return float(re.search(r"Requests/sec: *([0-9.]+)", said)[1]), int(re.search(r"(\d+) requests in", said)[1])


def middle_ratio(rates, other):
    return statistics.median(a / b for a, b in zip(rates["shaped"], rates[other]))


def run_row(seconds, folder, servers, daemon, row):
    name, path, body = row
    kind = JSON_TYPE if body and body[:1] == b"{" else BYTES_TYPE
    answer = daemon.get(path) if body is None else daemon.post(path, body, kind)
    lua = script(folder, name, body)
    rates, times = {}, {}
    with Hello(len(answer.body)) as hello:
        for _ in range(ROUNDS):
            for who, server in {"hello": hello, **servers}.items():
                before = work_seconds(server.process.pid)
                found, count = rate(seconds, lua, server.port, path)
                rates.setdefault(who, []).append(found)
                times.setdefault(who, []).append((work_seconds(server.process.pid) - before) / count * 1e6)
    for who, found in rates.items():
        print("#  %-8s %-6s %8.0f/s (%.2f of it)  %8.1f us a request" % (
            name, who, statistics.median(found), middle_ratio(rates, who), statistics.median(times[who])), flush=True)
    if name in LEAST:
        ratio = middle_ratio(rates, "hello")
        check("%s: at least %g of hello" % (name, LEAST[name]), ratio >= LEAST[name], ratio)
    if "base" in rates:
        ratio = middle_ratio(rates, "base")
        check("%s: at least %g of the base" % (name, GROWTH.get(name, 0.95)), ratio >= GROWTH.get(name, 0.95), ratio)


def main():
    seconds = float(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder, serve(SHAPED) as daemon:
        servers = {"shaped": daemon}
        if not BASE:
            for row in ROWS:
                run_row(seconds, folder, servers, daemon, row)
        else:
            with serve(BASE) as base:
                servers["base"] = base
                for row in ROWS:
                    run_row(seconds, folder, servers, daemon, row)
    finish()


if __name__ == "__main__":
    main()
