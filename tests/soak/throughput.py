#!/usr/bin/env python3
"""Requests a second against a libmicrohttpd program that does nothing with the same bodies (tests/bench/hello.c), both
with 2 I/O threads, on one machine in one run: the ratio says what our own work costs.

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


def rate(seconds, lua, port, path):
    said = subprocess.run(["wrk", "-t2", "-c32", "-d%gs" % seconds, "-s", lua, "http://127.0.0.1:%d%s" % (port, path)],
                          stdout=subprocess.PIPE, check=True).stdout.decode()
    check("no request fails", "Non-2xx" not in said and "Socket errors" not in said, said)
    return float(re.search(r"Requests/sec: *([0-9.]+)", said)[1])


def run_row(seconds, folder, ports, daemon, row):
    name, path, body = row
    kind = JSON_TYPE if body and body[:1] == b"{" else BYTES_TYPE
    answer = daemon.get(path) if body is None else daemon.post(path, body, kind)
    lua = script(folder, name, body)
    rates = {}
    with Hello(len(answer.body)) as hello:
        for _ in range(ROUNDS):
            for who, port in {"hello": hello.port, **ports}.items():
                rates.setdefault(who, []).append(rate(seconds, lua, port, path))
    middle = {who: statistics.median(found) for who, found in rates.items()}
    to_hello = statistics.median(a / b for a, b in zip(rates["shaped"], rates["hello"]))
    print("#  %-9s %s; to hello %.2f" % (name, ", ".join("%s %.0f/s" % pair for pair in middle.items()), to_hello), flush=True)
    if name in LEAST:
        check("%s: at least %g of hello" % (name, LEAST[name]), to_hello >= LEAST[name], to_hello)
    if "base" in rates:
        to_base = statistics.median(a / b for a, b in zip(rates["shaped"], rates["base"]))
        print("#  %-9s %.2f times the base" % (name, to_base), flush=True)
        check("%s: at least %g of the base" % (name, GROWTH.get(name, 0.95)), to_base >= GROWTH.get(name, 0.95), to_base)


def main():
    seconds = float(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder, serve(SHAPED) as daemon:
        ports = {"shaped": daemon.port}
        if not BASE:
            for row in ROWS:
                run_row(seconds, folder, ports, daemon, row)
        else:
            with serve(BASE) as base:
                ports["base"] = base.port
                for row in ROWS:
                    run_row(seconds, folder, ports, daemon, row)
    finish()


if __name__ == "__main__":
    main()
