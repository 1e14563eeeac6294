#!/usr/bin/env python3
"""Small InferNode calls by gRPC against those by Connect over HTTP/1.1. Ratios of the best of several rounds:
  - calls a second, one after the other on one connection, by clients that do the same for either protocol (prepared.py);
  - calls that the daemon's processor time allows, when 16 clients of either kind have one call each in flight (h2load). The
    client's own time stays out of it: h2load needs more for a frame of HTTP/2 than for a line of HTTP/1.1, as is printed;
  - calls a second on one connection, 32 at once by gRPC against one after the other by Connect (h2load);
  - calls a second, one after the other, of Python's own clients: grpcio and http.client.

    calls.py CALLS       in each round. Needs h2load
"""
import glob
import http.client
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

import prepared
from harness import Daemon, check, equal, finish
from messages import onnx, shaped
from rpc import SERVICE, connect, envelope, grpc_calls

ROUNDS = 8
CONNECT, GRPC = "application/proto", "application/grpc"
# Name, h2load's arguments, content type.
ROWS = [
    ("Connect, 16 clients", ("--h1", "-c16"), CONNECT),
    ("gRPC, 16 clients", ("-m1", "-c16"), GRPC),
    ("Connect, 1 client", ("--h1", "-c1"), CONNECT),
    ("gRPC, 1 client", ("-m1", "-c1"), GRPC),
    ("gRPC, 32 streams", ("-m32", "-c1"), GRPC),
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
    """Seconds a call."""
    said = subprocess.run(["h2load", "-t1", "-n%d" % calls, "-d", path, "-H", "content-type: " + kind, "-H", "te: trailers", *arguments,
                           "http://127.0.0.1:%d%sInferNode" % (port, SERVICE)], stdout=subprocess.PIPE, check=True).stdout.decode()
    counts = re.search(r"requests: (\d+) total, .* (\d+) succeeded, (\d+) failed, (\d+) errored", said)
    others = re.search(r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", said)
    check("no call fails", counts and counts[2] == others[1] == str(calls), said)
    return 1 / float(re.search(r"finished in .*, ([0-9.]+) req/s", said)[1])


def worked(pid):
    """Seconds of processor time that the threads of a process have had."""
    found = 0
    for path in glob.glob("/proc/%d/task/*/schedstat" % pid):
        with open(path, encoding="ascii") as f:
            found += int(f.read().split()[0])
    return found / 1e9


def worked_by_children():
    """The same of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def by_h2load(daemon, calls, folder, message):
    """By row, the least seconds that a call took, and of the daemon's processor time."""
    took, work, own = {}, {}, {}
    for kind in CONNECT, GRPC:
        with open(os.path.join(folder, kind.replace("/", "-")), "wb") as f:
            f.write(envelope(message) if kind == GRPC else message)
    for _ in range(ROUNDS):
        for name, arguments, kind in ROWS:
            before, own_before = worked(daemon.process.pid), worked_by_children()
            seconds = load(calls, daemon.port, os.path.join(folder, kind.replace("/", "-")), arguments, kind)
            took[name] = min(seconds, took.get(name, 1))
            work[name] = min((worked(daemon.process.pid) - before) / calls, work.get(name, 1))
            own[name] = min((worked_by_children() - own_before) / calls, own.get(name, 1))
    for name, _, _ in ROWS:
        print("#  %-20s %8.0f/s  %6.2f us of the daemon, %6.2f us of h2load"
              % (name, 1 / took[name], work[name] * 1e6, own[name] * 1e6), flush=True)
    return took, work


def by_prepared(daemon, calls, message):
    """How many times as many calls a second gRPC allows as Connect."""
    took = {}
    for _ in range(ROUNDS):
        body, seconds = prepared.by_connect(daemon, SERVICE + "InferNode", CONNECT, message, calls)
        took[CONNECT] = min(seconds, took.get(CONNECT, 1))
        enveloped, seconds = prepared.by_grpc(daemon, SERVICE + "InferNode", GRPC, envelope(message), calls)
        took[GRPC] = min(seconds, took.get(GRPC, 1))
    equal("either answers the same", enveloped, envelope(body))
    print("#  prepared bytes: Connect %.0f/s, gRPC %.0f/s" % (1 / took[CONNECT], 1 / took[GRPC]), flush=True)
    return took[CONNECT] / took[GRPC]


def timed(calls, act):
    begun = time.perf_counter()
    for _ in range(calls):
        act()
    return (time.perf_counter() - begun) / calls


def by_python(daemon, calls, message):
    """How many times as many calls a second grpcio does as http.client."""
    plain = http.client.HTTPConnection("127.0.0.1", daemon.port)
    head = {"Content-Type": CONNECT, "Connect-Protocol-Version": "1"}

    def by_connect():
        plain.request("POST", SERVICE + "InferNode", message, head)
        return plain.getresponse().read()

    with grpc_calls.channel(daemon) as opened:
        stub = opened.unary_unary(SERVICE + "InferNode")
        check("by gRPC the answer is the same", stub(message) == by_connect())
        rounds = [(timed(calls, by_connect), timed(calls, lambda: stub(message))) for _ in range(ROUNDS)]
    plain.close()
    connect_took, grpc_took = map(min, zip(*rounds))
    print("#  Python: http.client %.0f/s, grpcio %.0f/s" % (1 / connect_took, 1 / grpc_took), flush=True)
    return connect_took / grpc_took


def ratio(what, found, least):
    print("#  %s: %.2f" % (what, found), flush=True)
    check("%s: at least %g" % (what, least), found >= least, found)


def main():
    calls, message = int(sys.argv[1]), request()
    with tempfile.TemporaryDirectory() as folder, Daemon("--io-threads", "2", "--workers", "2", drop_log=True) as daemon:
        answer = connect(daemon, "InferNode", message, shaped.InferNodeResponse).message
        check("the answer has the output", answer and answer.values[-1].name == "y", answer)
        ratio("gRPC to Connect, calls a second", by_prepared(daemon, calls, message.SerializeToString()), 1)
        took, work = by_h2load(daemon, calls, folder, message.SerializeToString())
        ratio("gRPC to Connect, of the daemon's time", work["Connect, 16 clients"] / work["gRPC, 16 clients"], 1)
        ratio("gRPC of 32 streams to Connect, calls a second", took["Connect, 1 client"] / took["gRPC, 32 streams"], 3)
        if grpc_calls:
            ratio("grpcio to http.client, calls a second", by_python(daemon, calls // 20, message.SerializeToString()), 1)
    finish()


if __name__ == "__main__":
    main()
