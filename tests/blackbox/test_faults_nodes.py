#!/usr/bin/env python3
"""Hostile requests for one node. A row is (name, body as text or what becomes JSON, the code or "ok", what the message
says); after each a good request has its answer."""
import json

from faults import STATUS, Client
from harness import CPU_SECONDS, Daemon, check, finish

ONE, BATCH = "/v1/nodes:infer", "/v1/nodes:batchInfer"
LAST, FIRST = (1 << 63) - 1, -(1 << 63)
X = {"type": "tensor(float)", "shape": ["N", 3]}
GOOD = {"node": {"opType": "Relu", "inputs": ["x"], "outputs": ["y"]}, "inputs": {"x": X}}


def node(kind="Relu", inputs=("x",), outputs=("y",), given=None, **attributes):
    given = {"x": X} if given is None else given
    return {"node": {"opType": kind, "inputs": list(inputs), "outputs": list(outputs), "attributes": attributes},
            "inputs": given}


def shaped(*shape):
    return node(given={"x": {"type": "tensor(float)", "shape": list(shape)}})


ROWS = [
    ("nothing", "", "invalid_argument", "line"),
    ("a bracket", "{", "invalid_argument", "line"),
    ("100,000 brackets", "[" * 100000, "invalid_argument", ""),
    ("100,000 objects", '{"node":' * 100000, "invalid_argument", ""),
    ("two members of one name", '{"node": {}, "node": {}}', "invalid_argument", "twice"),
    ("an escaped NUL", '{"node": {"opType": "Re\\u0000lu"}}', "invalid_argument", ""),
    ("half a surrogate", '{"node": {"opType": "\\ud800"}}', "invalid_argument", ""),
    ("bytes that are no UTF-8", b'{"node": {"opType": "\xff"}}', "invalid_argument", ""),
    ("an integer past 64 bits", '{"node": {"opType": "Relu"}, "opset": 9223372036854775808}', "invalid_argument", "integer"),
    ("a number past doubles", '{"node": {"opType": "Relu"}, "opset": 1e400}', "invalid_argument", ""),
    ("NaN", '{"node": {"opType": "Relu"}, "opset": NaN}', "invalid_argument", ""),
    ("opset -1", {**GOOD, "opset": -1}, "invalid_argument", "version"),
    ("opset 2^63 - 1", {**GOOD, "opset": LAST}, "ok", ""),
    ("a version that is a text", {**GOOD, "opsetImports": {"": "x"}}, "invalid_argument", "opset of domain ai.onnx"),
    ("100,000 imports", {**GOOD, "opsetImports": {"d%d" % i: 1 for i in range(100000)}}, "ok", ""),
    ("no operator", node(""), "invalid_argument", "operator"),
    ("an operator of 70,000 bytes", node("R" * 70000), "resource_exhausted", "name_bytes"),
    ("an input of 70,000 bytes", node(inputs=["x" * 70000]), "resource_exhausted", "name_bytes"),
    ("an input that is not given", node(inputs=["x", "zz"]), "out_of_range", "zz"),
    ("an input that the node does not name", node(inputs=["zz"]), "invalid_argument", "input x: the node does not name it"),
    ("100,000 inputs", node("Concat", ["x"] * 100000, axis=0), "ok", ""),
    ("100,000 outputs", node("Split", ["x"], ["y%d" % i for i in range(100000)], num_outputs=100000), "ok", ""),
    ("100,000 attributes", node("Softmax", **{"a%d" % i: i for i in range(100000)}), "invalid_argument", "a0"),
    ("an attribute of nothing", node("Softmax", axis=None), "invalid_argument", "axis"),
    ("an attribute of everything", node("Softmax", axis={"tensor": {"type": "tensor(x)"}}), "invalid_argument", "axis"),
    ("a tensor of a size below 0", node("ConstantOfShape", value={"tensor": {"type": "tensor(float)", "shape": [-1],
                                                                             "content": []}}), "invalid_argument", ""),
    ("a size of 2^63 - 1", shaped(LAST, LAST), "ok", ""),
    ("a size of -1", shaped(-1), "invalid_argument", "axis 0"),
    ("a size of 1.5", shaped(1.5), "invalid_argument", ""),
    ("a size of true", shaped(True), "invalid_argument", ""),
    ("a size that is a list", shaped([1]), "invalid_argument", ""),
    ("rank 65", shaped(*[1] * 65), "resource_exhausted", "rank"),
    ("5,000 parentheses", shaped("(" * 5000 + "N" + ")" * 5000), "ok", ""),
    ("a dimension of quotes", shaped("\"\\\n\x01`", "`"), "ok", ""),
    ("sequences 17 deep", node(given={"x": {"type": "seq(" * 17 + "tensor(float)" + ")" * 17}}), "invalid_argument", "type"),
    ("a type of 60,000 brackets", node(given={"x": {"type": "seq(" * 15000}}), "invalid_argument", "type"),
    ("elements 1,000 deep", '{"node": {"opType": "Identity", "inputs": ["x"], "outputs": ["y"]}, "inputs": {"x": '
     + '{"type": "seq(tensor(float))", "element": ' * 1000 + "{}" + "}" * 1002, "invalid_argument", ""),
    ("4,097 elements", node(given={"x": {"type": "tensor(int64)", "shape": [4097], "content": [0] * 4097}}),
     "ok", ""),
    ("more elements than the shape says", node(given={"x": {"type": "tensor(int64)", "shape": [1], "content": [0, 1]}}),
     "invalid_argument", "content"),
    ("elements of 2^40 x 2^40", node(given={"x": {"type": "tensor(int64)", "shape": [1 << 40, 1 << 40], "content": []}}),
     "invalid_argument", "content"),
    ("Reshape to the ends of 64 bits", node("Reshape", ["x", "s"], given={
        "x": X, "s": {"type": "tensor(int64)", "shape": [2], "content": [FIRST, LAST]}}), "invalid_argument", ""),
    ("Loop without a body", node("Loop", ["", "", "x"]), "invalid_argument", "body"),
    ("If with a number for a branch", node("If", ["x"], then_branch=1, else_branch=1), "invalid_argument", "branch"),
]


def check_row(client, row):
    name, body, wanted, says = row
    data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    before = client.daemon.cpu_seconds()
    status, answer = client.post(ONE, data, "application/json")
    took = client.daemon.cpu_seconds() - before
    told = json.loads(answer) if status else {}
    right = status == 200 if wanted == "ok" else (status == STATUS[wanted] and told.get("code") == wanted
                                                  and says in told.get("message", ""))
    pieces = client.post(ONE, data, "application/json", chunk=4093)
    good = client.post(ONE, json.dumps(GOOD).encode(), "application/json")[0]
    check("%s: %s %s" % (name, wanted, says), right and took < CPU_SECONDS and pieces == (status, answer) and good == 200,
          "%d after %.1f s: %s; in pieces %d; a good one %d" % (status, took, answer[:500], pieces[0], good))


def main():
    with Daemon() as daemon:
        client = Client(daemon)
        for row in ROWS:
            check_row(client, row)
        requests = [row[1] for row in ROWS if isinstance(row[1], dict) and len(json.dumps(row[1])) < 100000]
        status, body = client.post(BATCH, json.dumps({"requests": requests}).encode(), "application/json")
        check("all of them in a batch", status == 200 and len(json.loads(body)["results"]) == len(requests), body[:300])
        client.close()
    finish()


if __name__ == "__main__":
    main()
