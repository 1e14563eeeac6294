#!/usr/bin/env python3
"""Clients of HTTP/1.1 and gRPC at once, some of which cancel or do not wait, until SIGTERM: every thread of the daemon meets every
other. tests/run.sh runs it with the thread sanitizer."""
import gzip
import random
import threading
import time

from build import graph, op
from build import model as build
from harness import Daemon, check, equal, finish
from messages import shaped
from rpc import grpc_calls

SECONDS = 5


def chain(length):
    return build(graph([op("x%d = Relu(x%d)" % (i + 1, i)) for i in range(length)], ["x0: float[N,3]"], ["x%d" % length]), 17)


MODELS = [chain(3), chain(500), chain(8000)]


class Clients:
    """Threads that each run a kind of client, a method that takes a choice, until is_over is set."""

    def __init__(self, daemon, kinds):
        self.daemon, self.is_over, self.answered = daemon, threading.Event(), {}
        self.threads = [threading.Thread(target=kind, args=(self, random.Random(i))) for i, kind in enumerate(kinds)]

    def count(self, what):
        self.answered[what] = self.answered.get(what, 0) + 1

    def by_http1(self, choice):
        while not self.is_over.is_set():
            data = choice.choice(MODELS)
            packed = choice.random() < 0.3
            try:
                answer = self.daemon.post("/v1/models:infer", gzip.compress(data, 1) if packed else data,
                                          headers={"Content-Encoding": "gzip"} if packed else {})
                self.count("HTTP/1.1 %d" % answer.status)
            except OSError:
                self.is_over.wait(0.05)  # it has ended

    def by_grpc(self, choice):
        with grpc_calls.channel(self.daemon) as opened:
            infer = grpc_calls.stub(opened, "InferModel", shaped.InferModelResponse)
            while not self.is_over.is_set():
                what = choice.choice(["plain", "plain", "gzip", "canceled", "late"])
                call = infer.future(shaped.InferModelRequest(model=choice.choice(MODELS)), timeout=0.005 if what == "late" else None,
                                    compression=grpc_calls.grpc.Compression.Gzip if what == "gzip" else None)
                try:
                    if what == "canceled":
                        time.sleep(0.002)
                        call.cancel()
                    elif call.result():
                        self.count("gRPC")
                except grpc_calls.grpc.RpcError:
                    self.is_over.wait(0.01)


def serve_until_drained(kinds, seconds, *wanted):
    """Serves a client of each of the kinds for so long, then drains; requests of each name in `wanted` must be answered."""
    with Daemon("--drain-s", "600") as daemon:
        clients = Clients(daemon, kinds)
        for thread in clients.threads:
            thread.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end or not clients.answered:
            daemon.read_log(0.1)
        equal("the daemon ends well", daemon.stop(timeout=600), 0)
        clients.is_over.set()
        for thread in clients.threads:
            thread.join()
        check("requests of every kind were answered", all(clients.answered.get(name) for name in wanted), clients.answered)
        check("no thread has raced another", b"ThreadSanitizer" not in daemon.log, daemon.log[-4000:].decode(errors="replace"))


def main():
    if not grpc_calls:
        check("left out: gRPC, for python3-grpcio is not installed", True)
    serve_until_drained([Clients.by_http1] * 4 + ([Clients.by_grpc] * 8 if grpc_calls else []), SECONDS, "HTTP/1.1 200",
                        *(["gRPC"] if grpc_calls else []))
    finish()


if __name__ == "__main__":
    main()
