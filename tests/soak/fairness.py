#!/usr/bin/env python3
"""What one client's load costs another: small nodes and uploads beside eight clients' models of 100,000 nodes, and a polite
client's model beside 64 greedy connections. All figures are of one run, so that they are ratios.
Argument: seconds of each measurement (20)."""
import gzip
import http.client
import json
import multiprocessing
import os
import re
import socket
import sys
import threading
import time

from harness import Daemon, check, finish
from wire import chain, noise, post_head

INFER = "/v1/models:infer"
LOAD_NODES, POLITE_NODES, UPLOAD_BYTES = 100000, 10000, 64 << 20
MOST, MOST_GZIP = 20, 3  # times
NODE = json.dumps({"node": {"opType": "Relu", "inputs": ["x"], "outputs": ["y"]}, "opset": 14,
                   "inputs": {"x": {"type": "tensor(float)", "shape": ["N", 3]}}})


def exchange(port, request, done):
    """Sends a request again and again, each time that the answer to the last one is there."""
    buffer = bytearray(1 << 20)
    while True:
        with socket.create_connection(("127.0.0.1", port)) as to:
            left = 1
            while left:
                to.sendall(request)
                head = to.recv(65536)
                match = re.search(rb"Content-Length: (\d+)\r\n(?:.*?\r\n)?\r\n", head, re.S | re.I)
                if not match:
                    break
                left = int(match[1]) - (len(head) - match.end())
                while left > 0 and (size := to.recv_into(buffer)):
                    left -= size
                if left or b" 200 " not in head[:20]:
                    break
                done.value += 1
                left = 1


def press(port, request, count, done):
    threads = [threading.Thread(target=exchange, args=(port, request, done)) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Load:
    """Connections that press the daemon, for a `with` block."""

    def __init__(self, daemon, connections, processes=2):
        body = chain(LOAD_NODES)
        request = post_head(INFER, "Content-Length: %d" % len(body)) + body
        self.done = multiprocessing.Value("l", 0)
        self.processes = [multiprocessing.Process(target=press, args=(daemon.port, request, connections // processes, self.done))
                          for _ in range(processes)]

    def __enter__(self):
        for process in self.processes:
            process.start()
        end = time.monotonic() + 60
        while self.done.value < 8 and time.monotonic() < end:
            time.sleep(0.1)
        self.begun, self.before = time.monotonic(), self.done.value
        return self

    def __exit__(self, kind, value, trace):
        rate = (self.done.value - self.before) / (time.monotonic() - self.begun)
        print("# load: %.1f models of %d nodes a second" % (rate, LOAD_NODES), flush=True)
        for process in self.processes:
            process.kill()
            process.join()


def times(daemon, seconds, request, least):
    """Sorted durations of requests, one after the other over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=600)
    took, end = [], time.monotonic() + seconds
    while len(took) < least or time.monotonic() < end:
        begun = time.monotonic()
        connection.request(*request)
        answer = connection.getresponse()
        answer.read()
        took.append(time.monotonic() - begun)
        if answer.status != 200:
            check("%s is answered" % request[1], False, answer.status)
        daemon.read_log()
    connection.close()
    return sorted(took)


def at(took, part):
    return took[min(int(len(took) * part), len(took) - 1)]


def told(what, took):
    print("# %-44s p50 %8.2f ms  p99 %8.2f ms  max %8.2f ms  n %d" % (
        what, at(took, 0.5) * 1000, at(took, 0.99) * 1000, took[-1] * 1000, len(took)), flush=True)
    return took


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20
    print("# load average %.1f" % os.getloadavg()[0])
    # Random bytes are stored as they are, so that an upload costs what its way costs; of 16 values the decoding costs most.
    weights, few = noise(UPLOAD_BYTES), noise(UPLOAD_BYTES, 16)
    node = ("POST", "/v1/nodes:infer", NODE, {"Content-Type": "application/json"})
    raw = ("POST", INFER, weights)
    packed = ("POST", INFER, gzip.compress(weights, 1), {"Content-Encoding": "gzip"})
    coded = ("POST", INFER, gzip.compress(few, 1), {"Content-Encoding": "gzip"})
    polite = ("POST", INFER, chain(POLITE_NODES))
    with Daemon("--log-requests=false") as daemon:
        idle_node = told("a node, idle", times(daemon, seconds, node, 1000))
        idle_polite = told("10,000 nodes, idle", times(daemon, seconds / 4, polite, 20))
        told("64 MiB, idle", times(daemon, 1, raw, 5))
        told("64 MiB in gzip, idle", times(daemon, 1, packed, 5))
        idle_coded = told("64 MiB of 16 values in gzip, idle", times(daemon, 1, coded, 5))
        with Load(daemon, 8):
            busy_node = told("a node beside 8 of 100,000 nodes", times(daemon, seconds, node, 1000))
            busy_raw = told("64 MiB beside them", times(daemon, seconds / 4, raw, 5))
            busy_packed = told("64 MiB in gzip beside them", times(daemon, seconds / 4, packed, 5))
            busy_coded = told("64 MiB of 16 values in gzip beside them", times(daemon, seconds / 4, coded, 5))
        with Load(daemon, 64):
            busy_polite = told("10,000 nodes beside 64 of 100,000 nodes", times(daemon, seconds, polite, 20))
    for what, left, right, most in (("a small node, p99", at(busy_node, 0.99), at(idle_node, 0.99), MOST),
                                    ("64 MiB in gzip for 64 MiB, medians", at(busy_packed, 0.5), at(busy_raw, 0.5), MOST_GZIP),
                                    ("64 MiB of 16 values in gzip, median", at(busy_coded, 0.5), at(idle_coded, 0.5), MOST_GZIP),
                                    ("a polite client, median", at(busy_polite, 0.5), at(idle_polite, 0.5), MOST),
                                    ("a polite client, p99", at(busy_polite, 0.99), at(idle_polite, 0.99), MOST)):
        check("%s: %.1f times, at most %d" % (what, left / right, most), left <= most * right)
    finish()


if __name__ == "__main__":
    main()
