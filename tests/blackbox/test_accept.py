#!/usr/bin/env python3
"""What each route answers, for each type of request and each Accept: one table, and answers of one form are the same whatever asked."""
import json

from build import graph, model, op
from harness import Daemon, check, equal, finish
from messages import onnx, shaped

JSON, PROTO, TEXT, PATCH, BYTES = ("application/json", "application/x-protobuf", "text/plain; charset=utf-8", "application/vnd.onnx.patch",
                                   "application/octet-stream")
ONE, BATCH, MODEL = "/v1/nodes:infer", "/v1/nodes:batchInfer", "/v1/models:infer"
# Accept, and the types of the answer: to a node in JSON, to one in protobuf, to a model.
ROWS = [
    (None, JSON, PROTO, JSON),
    ("*/*", JSON, PROTO, JSON),
    ("application/*", JSON, PROTO, JSON),
    ("text/html", JSON, PROTO, JSON),
    ("application/json", JSON, JSON, JSON),
    ("Application/JSON; charset=utf-8", JSON, JSON, JSON),
    ("application/x-protobuf", PROTO, PROTO, PROTO),
    ("application/json, */*", JSON, PROTO, JSON),
    ("application/json, */*;q=0.8", JSON, JSON, JSON),
    ("application/json, application/x-protobuf", JSON, PROTO, JSON),
    ("application/json;q=0.5, application/x-protobuf", PROTO, PROTO, PROTO),
    ("application/json, application/x-protobuf;q=0.5", JSON, JSON, JSON),
    ("application/x-protobuf;q=0.1, */*", JSON, JSON, JSON),
    ("application/json;q=0, */*", PROTO, PROTO, TEXT),
    ("text/plain", JSON, PROTO, TEXT),
    ("text/*", JSON, PROTO, TEXT),
    ("application/vnd.onnx.patch", JSON, PROTO, PATCH),
    ("application/vnd.onnx.patch, application/x-protobuf;q=0.9", PROTO, PROTO, PATCH),
]
NODE = {"node": {"opType": "Relu", "inputs": ["x"], "outputs": ["y"]}, "opset": 14,
        "inputs": {"x": {"type": "tensor(float)", "shape": ["N", 3]}}}
FAULTY = {**NODE, "inputs": {}}


def message(node):
    found = shaped.InferNodeRequest(node=onnx.NodeProto(op_type="Relu", input=["x"], output=["y"]),
                                    opset_imports=[onnx.OperatorSetIdProto(version=14)])
    if node["inputs"]:
        tensor = found.inputs.add(name="x").type.tensor_type
        tensor.elem_type = 1
        tensor.shape.dim.add(dim_param="N")
        tensor.shape.dim.add(dim_value=3)
    return found


def requests():
    """Route, type, body, and the column of the table."""
    many = [NODE, FAULTY] * 3
    batch = shaped.BatchInferNodesRequest(requests=[message(node) for node in many]).SerializeToString()
    relu = model(graph([op("y = Relu(x)")], ["x: float[N, 3]"], ["y"]))
    yield ONE, JSON, json.dumps(NODE).encode(), 1
    yield ONE, PROTO, message(NODE).SerializeToString(), 2
    yield BATCH, JSON, json.dumps({"requests": many}).encode(), 1
    yield BATCH, PROTO, batch, 2
    for kind in BYTES, PROTO, "application/onnx", None:
        yield MODEL, kind, relu, 3


def post(daemon, route, kind, body, accept):
    return daemon.request("POST", route, body, {**({"Content-Type": kind} if kind else {}), **({"Accept": accept} if accept else {})})


def table(daemon):
    answers = {}
    for route, kind, body, column in requests():
        for row in ROWS:
            what = "%s, %s, Accept: %s" % (route, kind, row[0])
            answer = post(daemon, route, kind, body, row[0])
            equal(what, (answer.status, answer.headers["Content-Type"]), (200, row[column]))
            equal("%s: as ever" % what, answer.body, answers.setdefault((route, row[column]), answer.body))
    results = json.loads(answers[BATCH, JSON])["results"]
    check("of a batch each has a result or an error", [sorted(r) == ["error"] for r in results] == [False, True] * 3, results)
    check("a result is the answer to the node alone", results[0] == json.loads(answers[ONE, JSON]), results[0])


def refused(daemon):
    for route, kind in (ONE, BYTES), (BATCH, BYTES), (ONE, "text/plain"), (BATCH, None), (ONE, None), (MODEL, JSON), (MODEL, "text/plain"):
        for accept in None, JSON, PROTO:
            answer = post(daemon, route, kind, b"{}", accept)
            equal("%s of type %s, Accept: %s, is refused in JSON" % (route, kind, accept), (answer.status, answer.headers["Content-Type"]),
                  (415, JSON))
    for kind, body in (JSON, json.dumps(FAULTY).encode()), (PROTO, message(FAULTY).SerializeToString()):
        for accept in None, JSON, PROTO:
            answer = post(daemon, ONE, kind, body, accept)
            equal("an error of %s, Accept: %s, is JSON" % (kind, accept), (answer.status, answer.headers["Content-Type"], answer.json["code"]),
                  (400, JSON, "out_of_range"))


def large(daemon):
    """Batches that are shared among workers, and end in the middle."""
    batch = shaped.BatchInferNodesRequest(requests=[message(NODE), message(FAULTY)] * 300).SerializeToString()
    as_json = {"requests": [NODE, FAULTY] * 300}
    equal("a large batch of messages is answered in JSON as one of JSON is", post(daemon, BATCH, PROTO, batch, JSON).json,
          post(daemon, BATCH, JSON, json.dumps(as_json).encode(), JSON).json)
    with Daemon("--answer-bytes", "600") as small:
        results = post(small, BATCH, PROTO, batch, JSON).json["results"]
        equal("past a limit each says so", (len(results), results[-2]["error"]["code"]), (600, "resource_exhausted"))


def main():
    with Daemon() as daemon:
        table(daemon)
        refused(daemon)
        large(daemon)
    finish()


main()
