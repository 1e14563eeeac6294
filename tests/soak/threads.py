#!/usr/bin/env python3
"""64 clients at once of every protocol, good, bad and gone, until SIGTERM: every thread of the daemon meets every other. With the
thread sanitizer; tests/blackbox/test_drain_mixed.py is its smaller form. threads.py SECONDS"""
import gzip
import json
import sys

from http2_frames import END_HEADERS, Connection, headers, request
from messages import shaped
from rpc import connect, grpc_calls, grpc_web
from test_drain_mixed import MODELS, Clients, serve_until_drained
from harness import finish
from wire import Raw, post_head

NODE = {"node": {"opType": "Relu", "inputs": ["x"], "outputs": ["y"]}, "opset": 14, "inputs": {"x": {"type": "tensor(float)", "shape": ["N", 3]}}}


def every(act):
    """A kind of client that does one thing over and over."""
    def kind(clients, choice):
        while not clients.is_over.is_set():
            try:
                clients.count(act(clients.daemon, choice))
            except (OSError, ValueError, KeyError, TypeError):
                clients.is_over.wait(0.05)  # it has ended, or was cut off in the middle
    return kind


@every
def nodes(daemon, choice):
    count = choice.choice([0, 1, 3, 300])
    path, body = ("/v1/nodes:batchInfer", {"requests": [NODE] * count}) if count else ("/v1/nodes:infer", NODE)
    accept = {"Accept": "application/x-protobuf"} if choice.random() < 0.3 else {}
    return "nodes %d" % daemon.post(path, json.dumps(body).encode(), "application/json", accept).status


@every
def probes(daemon, choice):
    path = choice.choice(["/livez", "/readyz", "/metrics", "/v1/operators?pageSize=5", "/nothing"])
    return "probes %d" % daemon.get(path).status


@every
def calls(daemon, choice):
    call, message = choice.choice([connect, grpc_web]), shaped.InferModelRequest(model=choice.choice(MODELS))
    found = call(daemon, "InferModel", message, shaped.InferModelResponse, is_json=choice.random() < 0.5, compress=choice.random() < 0.5)
    return "calls " + found.code


@every
def leavers(daemon, choice):
    """Uploads that end in the middle, by HTTP/1.1 and HTTP/2."""
    data = gzip.compress(choice.choice(MODELS), 1)
    if choice.random() < 0.5:
        with Raw(daemon) as raw:
            raw.send(post_head("/v1/models:infer", "Content-Encoding: gzip", "Content-Length: %d" % len(data)) + data[:choice.randrange(len(data))])
        return "left"
    with Connection(daemon) as connection:
        connection.send(*[headers(request("/v1/models:infer", "POST"), stream, END_HEADERS) for stream in (1, 3, 5)],
                        headers(request("/readyz"), 7))
        connection.read()
    return "left"


def main():
    kinds = [Clients.by_http1] * 12 + [nodes] * 12 + [calls] * 12 + [probes] * 6 + [leavers] * 6
    kinds += ([Clients.by_grpc] if grpc_calls else [calls]) * 16
    serve_until_drained(kinds, float(sys.argv[1]), "HTTP/1.1 200", "nodes 200", "calls ok", "probes 200", "left", *(["gRPC"] if grpc_calls else []))
    finish()


if __name__ == "__main__":
    main()
