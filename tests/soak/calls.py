#!/usr/bin/env python3
"""Small InferNode calls a second on one connection: by gRPC, one at a time and 32 at once, against Connect over HTTP/1.1. h2load
sends all of them, in turns. On a machine that does other things as well the best round counts; the processor time of a call, of
the daemon and of the client, is printed beside it.

    calls.py CALLS       in each round. Needs h2load
"""
import os
import re
import resource
import subprocess
import sys
import tempfile

from harness import Daemon, check, finish
from messages import onnx, shaped
from rpc import SERVICE, connect, envelope, grpc_calls
from throughput import work_seconds

ROUNDS = 15
# Name, more of h2load's arguments, content type, whether the message has an envelope, least ratio to the first.
ROWS = [
    ("Connect, HTTP/1.1", ("--h1",), "application/proto", False, 1),
    ("Connect, HTTP/2", ("-m", "1"), "application/proto", False, 0),
    ("gRPC", ("-m", "1"), "application/grpc", True, 1),
    ("gRPC, 32 streams", ("-m", "32"), "application/grpc", True, 3),
]


def value(name, *shape):
    info = onnx.ValueInfoProto(name=name)
    info.type.tensor_type.elem_type = 1
    for dim in shape:
        info.type.tensor_type.shape.dim.add(**{"dim_param" if isinstance(dim, str) else "dim_value": dim})
    return info


def request():
    """The node of throughput.py."""
    node = onnx.NodeProto(op_type="Conv", input=["x", "w"], output=["y"])
    node.attribute.add(name="strides", type=7, ints=[2, 2])
    node.attribute.add(name="auto_pad", type=3, s=b"SAME_UPPER")
    return shaped.InferNodeRequest(node=node, opset_imports=[onnx.OperatorSetIdProto(version=17)],
                                   inputs=[value("x", "N", 3, 224, 224), value("w", 64, 3, 7, 7)])


def load(calls, port, path, arguments, kind):
    """Calls a second."""
    said = subprocess.run(["h2load", "-t1", "-c1", "-n%d" % calls, "-d", path, "-H", "content-type: " + kind, "-H",
                           "te: trailers", *arguments, "http://127.0.0.1:%d%sInferNode" % (port, SERVICE)],
                          stdout=subprocess.PIPE, check=True).stdout.decode()
    counts = re.search(r"requests: (\d+) total, .* (\d+) succeeded, (\d+) failed, (\d+) errored", said)
    others = re.search(r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", said)
    check("no call fails", counts and counts[2] == others[1] == str(calls), said)
    return float(re.search(r"finished in .*, ([0-9.]+) req/s", said)[1])


def client_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    calls = int(sys.argv[1])
    message = request()
    rates, times = {}, {}
    with tempfile.TemporaryDirectory() as folder, Daemon("--io-threads", "2", "--workers", "2", drop_log=True) as daemon:
        answer = connect(daemon, "InferNode", message, shaped.InferNodeResponse).message
        check("the answer has the output", answer and answer.values[-1].name == "y", answer)
        if grpc_calls:
            check("by gRPC it is the same",
                  grpc_calls.unary(daemon, "InferNode", message, shaped.InferNodeResponse)[1] == answer)
        for _ in range(ROUNDS):
            for name, arguments, kind, is_framed, _ in ROWS:
                path = os.path.join(folder, "message")
                with open(path, "wb") as f:
                    f.write(envelope(message.SerializeToString()) if is_framed else message.SerializeToString())
                before = work_seconds(daemon.process.pid), client_seconds()
                found = load(calls, daemon.port, path, arguments, kind)
                rates.setdefault(name, []).append(found)
                after = work_seconds(daemon.process.pid), client_seconds()
                times.setdefault(name, []).append([(end - begin) / calls * 1e6 for begin, end in zip(before, after)])
    first = rates[ROWS[0][0]]
    for name, _, _, _, least in ROWS:
        ratio = max(rates[name]) / max(first)
        print("#  %-18s %8.0f/s (%.2f of the first)  %6.1f us a call, and %.1f of the client" % (
            name, max(rates[name]), ratio, *map(min, zip(*times[name]))), flush=True)
        check("%s: at least %g times the first" % (name, least), ratio >= least, ratio)
    finish()


if __name__ == "__main__":
    main()
