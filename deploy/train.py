#!/usr/bin/env python3
"""What a build counts its branches with: train.py FOLDER, for deploy/profiled.sh.

The program answers the models that the build made in every format, and a daemon answers them and nodes, one by one and in
batches, over connections that stay open. What none of this reaches is compiled as it is without a profile.
"""
import http.client
import json
import pathlib
import re
import signal
import subprocess
import sys

MODEL_RUNS, NODE_RUNS, BATCH_RUNS = 25, 400, 10
PROTO = "application/x-protobuf"


def tensor(shape, element="float", **more):
    return {"type": "tensor(%s)" % element, "shape": shape, **more}


def node(op, inputs, **attributes):
    names = ["x%d" % i for i in range(len(inputs))]
    return {"node": {"opType": op, "inputs": names, "outputs": ["y"], "attributes": attributes}, "opset": 17,
            "inputs": dict(zip(names, inputs))}


NODES = [
    node("Add", [tensor(["N", 1, 64]), tensor([3, 64])]),
    node("Relu", [tensor(["N", "C", "H", "W"])]),
    node("MatMul", [tensor(["N", "S", 64]), tensor([64, 256])]),
    node("Conv", [tensor(["N", 3, 224, 224]), tensor([64, 3, 7, 7])], strides=[2, 2], pads=[3, 3, 3, 3]),
    node("Concat", [tensor(["N", "A"]), tensor(["N", "B"])], axis=1),
    node("Reshape", [tensor(["N", "S", 64]), tensor([4], "int64", content=[0, -1, 8, 8])]),
    node("Transpose", [tensor(["N", "S", 8, 8])], perm=[0, 2, 1, 3]),
    node("Gather", [tensor([1000, 64]), tensor(["N", "S"], "int64")]),
    node("Gemm", [tensor(["N", 64]), tensor([64, 10]), tensor([10])]),
    node("Softmax", [tensor(["N", 10])], axis=-1),
]


def infer_files(program, models):
    for model in models:
        for form in ("json", "proto", "patch", "table"):
            for _ in range(MODEL_RUNS):
                subprocess.run([program, "infer", "--format", form, model], stdout=subprocess.DEVNULL, check=True)


def ask(connection, path, body, content_type, accept="application/json"):
    connection.request("POST", path, body, {"Content-Type": content_type, "Accept": accept})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise RuntimeError("%s: %d %s" % (path, answer.status, text[:300]))


def ask_daemon(port, models):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for model in models:
        body = model.read_bytes()
        for accept in ("application/json", PROTO):
            for _ in range(MODEL_RUNS):
                ask(connection, "/v1/models:infer", body, "application/octet-stream", accept)
    for one in NODES:
        body = json.dumps(one)
        for _ in range(NODE_RUNS):
            ask(connection, "/v1/nodes:infer", body, "application/json")
    batch = json.dumps({"requests": NODES * 10})
    for _ in range(BATCH_RUNS):
        ask(connection, "/v1/nodes:batchInfer", batch, "application/json")
        ask(connection, "/shaped.v1.ShapeInference/ListOperators", "{}", "application/json")
    connection.close()


def main():
    folder = pathlib.Path(sys.argv[1])
    program, models = folder / "service" / "shaped", sorted((folder / "tests" / "models").glob("*.onnx"))
    infer_files(program, models)
    with subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True) as daemon:
        port = re.search(r"address=\S*:(\d+)", daemon.stderr.readline())[1]
        ask_daemon(int(port), models)
        daemon.send_signal(signal.SIGTERM)  # the counts are written when it ends
        daemon.stderr.read()
    if daemon.returncode != 0:
        sys.exit("the daemon ended with status %d" % daemon.returncode)


if __name__ == "__main__":
    main()
