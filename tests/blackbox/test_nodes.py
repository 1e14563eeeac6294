#!/usr/bin/env python3
"""POST /v1/nodes:infer and nodes:batchInfer: what a request may say, and how what it may not is refused."""
import gzip
import json

from harness import Daemon, check, equal, finish

ONE, BATCH = "/v1/nodes:infer", "/v1/nodes:batchInfer"
X = {"type": "tensor(float)", "shape": ["N", 3]}


def request(op="Relu", inputs=None, attributes=None, opset=17, outputs=("y",), **node):
    inputs = {"x": X} if inputs is None else inputs
    return {"node": {"opType": op, "inputs": list(inputs), "outputs": list(outputs), "attributes": attributes or {}, **node},
            "opset": opset, "inputs": inputs}


def refused(what, answer, code="invalid_argument", status=400):
    right = answer.status == status and answer.json.get("code") == code and answer.json["message"] != ""
    check("%s: %d %s" % (what, status, code), right, (answer.status, answer.body[:300]))


def check_one(daemon):
    answer = daemon.post_json(ONE, request())
    equal("Relu", answer.json["values"],
          [{"name": "y", "kind": "output", "nodeIndex": 0, "op": "Relu", "type": "tensor(float)", "shape": ["N", 3]}])
    equal("a node's answer", sorted(answer.json), ["constraints", "diagnostics", "symbols", "values"])
    for what, change in {"opsetImports": {"opset": None, "opsetImports": {"": 13}}, "ai.onnx": {
            "opset": None, "opsetImports": {"ai.onnx": 13}}, "no version": {"opset": None}}.items():
        body = {k: v for k, v in {**request(), **change}.items() if v is not None}
        equal("with %s" % what, daemon.post_json(ONE, body).status, 200)
    reshape = request("Reshape", {"x": {"type": "tensor(float)", "shape": [2, "N", 6]},
                                  "s": {"type": "tensor(int64)", "shape": [2], "content": [-1, 3]}})
    equal("content decides", daemon.post_json(ONE, reshape).json["values"][0]["shape"], ["4*N", 3])
    reshape["inputs"]["s"]["content"] = ["N", -1]
    equal("an expression in content", daemon.post_json(ONE, reshape).json["values"][0]["shape"], ["N", 12])
    answer = daemon.post_json(ONE, request(inputs={"x": {"type": "tensor(float)", "shape": [None, "batch-size"]}}))
    equal("an open dimension, and a name with a dash", answer.json["values"][0]["shape"], ["x_0", "batch-size"])
    answer = daemon.post_json(ONE, request(inputs={"x": {"type": "tensor(float)"}}))
    equal("an unknown rank", "shape" in answer.json["values"][0], False)
    sequence = request("SequenceAt", {
        "x": {"type": "seq(tensor(float))", "element": {"type": "tensor(float)", "shape": ["N", 4]}, "length": 2},
        "i": {"type": "tensor(int64)", "shape": [], "content": [1]}})
    equal("a sequence's element", daemon.post_json(ONE, sequence).json["values"][0]["shape"], ["N", 4])
    answer = daemon.post_json(ONE + "?dim=N=5", request())
    equal("dim", answer.json["values"][0]["shape"], [5, 3])
    check("pretty", daemon.post_json(ONE + "?pretty=1", request()).text.count("\n") > 3)
    answer = daemon.post_json(ONE, request(opset=1000))
    equal("an opset newer than is known", [(d["severity"], d["reason"]) for d in answer.json["diagnostics"]],
          [("warning", "NEWER_OPSET")])
    packed = gzip.compress(json.dumps(request()).encode())
    equal("gzip", daemon.post(ONE, packed, "application/json", {"Content-Encoding": "gzip"}).status, 200)
    equal("application/json; charset=utf-8",
          daemon.post(ONE, json.dumps(request()).encode(), "application/json; charset=utf-8").status, 200)


def check_attributes(daemon):
    conv = {"x": {"type": "tensor(float)", "shape": ["N", 3, 224, 224]}, "w": {"type": "tensor(float)", "shape": [64, 3, 7, 7]}}
    answer = daemon.post_json(ONE, request("Conv", conv, {"strides": [2, 2], "auto_pad": "SAME_UPPER"}))
    equal("a list and a text", answer.json["values"][0]["shape"], ["N", 64, 112, 112])
    equal("a float written as an integer", daemon.post_json(ONE, request("LeakyRelu", attributes={"alpha": 1})).status, 200)
    constant = {"value": {"tensor": {"type": "tensor(int64)", "shape": [2], "content": [5, -1]}}}
    answer = daemon.post_json(ONE, request("Constant", {}, constant))
    equal("a tensor", answer.json["values"][0].get("content"), [5, -1])
    answer = daemon.post_json(ONE, request("Constant", {}, {"value_float": 0.5}))
    equal("a number", answer.json["values"][0].get("content"), [0.5])
    answer = daemon.post_json(ONE, request("Constant", {}, {"value_floats": [1, 2.5, "NaN", "-Infinity"]}))
    equal("numbers that JSON has not", answer.json["values"][0].get("content"), [1.0, 2.5, "NaN", "-Infinity"])
    equal("an empty list", daemon.post_json(ONE, request("Squeeze", attributes={"axes": []}, opset=11)).status, 200)
    refused("of the wrong type", daemon.post_json(ONE, request("Concat", attributes={"axis": "one"})))
    refused("an object", daemon.post_json(ONE, request("Concat", attributes={"axis": {"a": 1}})))
    refused("null", daemon.post_json(ONE, request("Concat", attributes={"axis": None})))
    optional = {"type": "seq(tensor(float))", "element": {"shape": [2, "N", None]}}
    answer = daemon.post_json(ONE, request("Optional", {}, {"type": optional}))
    equal("a type", answer.json["values"][0]["type"], "optional(seq(tensor(float)))")
    equal("its shape", answer.json["values"][0]["element"]["element"]["shape"][0], 2)
    for what, bad in {"a type that is none": {"type": "tensor(floaty)"},
                      "a type of a map": {"type": "map(int64,tensor(float))"},
                      "a shape of a map": {"type": "map(int64,tensor(float))", "shape": [2]},
                      "an element of a tensor's type": {"type": "tensor(float)", "element": {}},
                      "an element that the type contradicts": {"type": "seq(tensor(float))", "element": {"type": "tensor(int8)"}},
                      "a shape that is no list": {"type": "tensor(float)", "shape": 2},
                      "a size that is none": {"type": "tensor(float)", "shape": [[2]]},
                      "more than a type": {"type": "tensor(float)", "content": []}}.items():
        refused(what, daemon.post_json(ONE, request("Optional", {}, {"type": bad})))
    for elem, wrong in (("int32", 1 << 32), ("int8", -129), ("uint16", -1), ("uint64", -1), ("bool", 2), ("int64", 0.5)):
        tensor = {"type": "tensor(%s)" % elem, "shape": [1], "content": [wrong]}
        refused("a tensor of %s with %s" % (elem, wrong),
                daemon.post_json(ONE, request("Constant", {}, {"value": {"tensor": tensor}})))
    truths = {"value": {"tensor": {"type": "tensor(bool)", "shape": [2], "content": [True, 0]}}}
    equal("a tensor of truths", daemon.post_json(ONE, request("Constant", {}, truths)).json["values"][0].get("content"), [1, 0])
    refused("a tensor without a type", daemon.post_json(ONE, request("Constant", {}, {"value": {"tensor": {"shape": [1]}}})))


def check_given(daemon):
    """Where all doors must settle it alike: tests/unit/test_shape_given.c has the same for C."""
    def first(body):
        answer = daemon.post_json(ONE, body)
        return answer.json["values"][0] if answer.status == 200 else answer.json

    many = request(inputs={"x": {"type": "tensor(int64)", "shape": [5000], "content": [1] * 5000}})
    answer = daemon.post_json(ONE, many).json
    equal("contents past the limit are unknown", (answer["values"][0]["shape"], "content" in answer["values"][0]), ([5000], False))
    equal("and noted", [(d["severity"], d["reason"], d["value"]) for d in answer["diagnostics"]], [("warning", "CONTENT_LIMIT", "x")])
    unnamed = request(inputs={"x": {"type": "tensor(float)", "shape": ["?", "?", "", None]}})
    equal("unnamed sizes differ from each other", first(unnamed)["shape"], ["x_0", "x_1", "x_2", "x_3"])
    sequence = {"type": "seq(tensor(float))", "length": "?"}
    equal("an unnamed length", first(request("Identity", {"x": sequence}))["length"], "x_length")
    names = request("Concat", {"x": {"type": "tensor(float)", "shape": ["2*batch", 1, 1]},
                               "z": {"type": "tensor(float)", "shape": ["2*batch", "size-batch", "size"]}}, {"axis": 1})
    equal("a name of an expression alone is no symbol in another", first(names)["shape"][1], "`size-batch` + 1")
    names["inputs"]["x"]["shape"] = ["batch", 1, 1]
    equal("a name that stands alone is one", first(names)["shape"][1], "size - batch + 1")
    for what, given in {"a shape of a sequence": {"shape": ["N", 3]}, "an element's shape": {"element": {"shape": ["N", 3]}}}.items():
        answer = first(request("Identity", {"x": {"type": "seq(tensor(float))", **given}}))
        equal("%s is that of the tensor within" % what, answer["element"], {"type": "tensor(float)", "shape": ["N", 3]})
    elements = {"type": "seq(tensor(float))", "elements": [{"shape": [2, "N"]}, {"type": "tensor(float)", "shape": [3, "N"]}]}
    index = {"type": "tensor(int64)", "shape": [], "content": [1]}
    equal("elements may differ", first(request("SequenceAt", {"s": elements, "i": index}))["shape"], [3, "N"])
    refused("a length that contradicts the elements", daemon.post_json(ONE, request("Identity", {"x": {**elements, "length": 3}})))
    refused("elements of a tensor", daemon.post_json(ONE, request(inputs={"x": {**elements, "type": "tensor(float)"}})))
    optional = request("Optional", {}, {"type": {"type": "seq(tensor(float))", "shape": [2, "N", "?"]}})
    equal("Optional needs no input", first(optional)["element"]["element"]["shape"], [2, "Optional_1", "Optional_2"])
    words = request("Identity", {"x": {"type": "tensor(float)", "shape": [2], "content": ["NaN", "-Infinity"]}})
    equal("words are numbers of floats", first(words)["content"], ["NaN", "-Infinity"])
    strings = {"value": {"tensor": {"type": "tensor(string)", "shape": [2], "content": ["a", ""]}}}
    equal("tensors hold texts", first(request("Constant", {}, strings))["shape"], [2])


def check_spellings(daemon):
    snake = {"node": {"op_type": "Relu", "inputs": ["x"], "outputs": ["y"]}, "opset_imports": {"ai.onnx": 17}, "inputs": {"x": X}}
    equal("names of fields in snake_case", daemon.post_json(ONE, snake).json, daemon.post_json(ONE, request()).json)
    for what, body, text in (
        ("both spellings", {**request(), "node": {"opType": "Relu", "op_type": "Relu"}}, "'opType' and 'op_type' are one member"),
        ("one domain twice", {"node": {"opType": "Relu"}, "opsetImports": {"": 13, "ai.onnx": 14}}, "are one domain"),
        ("an unknown member", {**request(), "opzet": 1}, "unknown member 'opzet'; did you mean 'opset'?"),
        ("an unknown member that is like none", {**request(), "x": 1}, "unknown member 'x'; the members are node, opset, opsetImports, inputs"),
        ("an input that the node does not name", {**request(), "inputs": {"x": X, "q": X}},
         "input q: the node does not name it; its inputs are 'x'"),
        ("a type without tensor()", request(inputs={"x": {"type": "float"}}), "did you mean 'tensor(float)'?"),
        ("a misspelt type", request(inputs={"x": {"type": "tensor(flaot)"}}), "did you mean 'tensor(float)'?"),
        ("a misspelt type in a sequence", request(inputs={"x": {"type": "sq(Tensr(doble))"}}), "unknown type 'sq(Tensr(doble))'; did you mean 'seq(tensor(double))'?"),
        ("a misspelt type of a map", request(inputs={"x": {"type": "map(int64, tensor(float32))"}}), "did you mean 'map(int64, tensor(float))'?"),
        ("a type like no other", request(inputs={"x": {"type": "tensor(x)"}}), "types are written as"),
        ("sizes that are reals", request(inputs={"x": {"shape": [1.0, 2.0]}}),
         "input x: axis 0 must be an integer, a string or null, got 1.0"),
        ("a type that is a number", request(inputs={"x": {"type": 1}}), "input x: type must be a string such as"),
        ("inputs that are a text", {**request(), "inputs": "x"}, "inputs: expected an object, got 'x'"),
    ):
        answer = daemon.post_json(ONE, body)
        check("%s: %s" % (what, text), answer.status == 400 and text in answer.json["message"], answer.text)
    answer = daemon.post(ONE, b'{"node": {"opType": "Relu",\n "inputs": [x]}}', "application/json")
    check("line and column", "line 2, column 13: expected a value, got 'x'" in answer.json["message"], answer.text)


def check_refused(daemon):
    for what, body in {
        "no JSON": b"{", "nothing": b"", "a list": b"[]", "a text": b'"x"', "a member twice": b'{"node":{},"node":{}}',
        "an integer too large": b'{"opset":99999999999999999999}', "a NUL": b'{"node":{"opType":"\\u0000"}}',
        "bad UTF-8": b'{"node":{"opType":"\xff"}}', "100,000 brackets": b"[" * 100000, "more behind it": b"{} {}",
    }.items():
        refused(what, daemon.post(ONE, body, "application/json"))
    good = request()
    for what, change in {
        "an unknown member": {"nope": 1}, "no node": {"node": None}, "a node that is a list": {"node": []},
        "no opType": {"node": {"inputs": ["x"]}}, "an unknown member of node": {"node": {**good["node"], "optype": "x"}},
        "inputs that is a list": {"inputs": []}, "opset 0": {"opset": 0}, "opset 1.5": {"opset": 1.5},
        "opset and opsetImports": {"opsetImports": {"": 1}}, "an input that is a text": {"inputs": {"x": "float"}},
        "an unknown member of an input": {"inputs": {"x": {**X, "dims": []}}},
        "an unknown type": {"inputs": {"x": {"type": "float"}}}, "a negative size": {"inputs": {"x": {**X, "shape": [-1]}}},
        "a negative size as text": {"inputs": {"x": {**X, "shape": ["3 - 88"]}}},
        "a size that is a fraction": {"inputs": {"x": {**X, "shape": [1.5]}}},
        "content that does not fit": {"inputs": {"x": {**X, "shape": [2], "content": [1]}}},
        "content past its type": {"inputs": {"x": {"type": "tensor(int8)", "shape": [1], "content": [128]}}},
        "content below 0 of an unsigned type": {"inputs": {"x": {"type": "tensor(uint64)", "shape": [1], "content": [-1]}}},
        "a truth of 2": {"inputs": {"x": {"type": "tensor(bool)", "shape": [1], "content": [2]}}},
        "a truth for a float": {"inputs": {"x": {**X, "shape": [1], "content": [True]}}},
        "content of unknown size": {"inputs": {"x": {**X, "content": [1]}}},
        "content that is an object": {"inputs": {"x": {**X, "shape": [1], "content": [{}]}}},
        "an element of a tensor": {"inputs": {"x": {**X, "element": {}}}},
        "a length of a tensor": {"inputs": {"x": {**X, "length": 1}}},
        "an element of another type": {"inputs": {"x": {"type": "seq(tensor(float))", "element": {"type": "tensor(int64)"}}}},
        "names that are numbers": {"node": {**good["node"], "inputs": [1]}},
    }.items():
        body = {k: v for k, v in {**good, **change}.items() if v is not None}
        refused(what, daemon.post_json(ONE, body))
    missing = {**good, "inputs": {}}
    refused("an input that is missing", daemon.post_json(ONE, missing), "out_of_range")
    refused("shape=x:1", daemon.post_json(ONE + "?shape=x:1", good))
    refused("an unknown option", daemon.post_json(ONE + "?nope=1", good))
    refused("application/octet-stream", daemon.post(ONE, b"{}"), status=415)
    refused("text/plain", daemon.post(ONE, b"{}", "text/plain"), status=415)
    refused("more than node_request_bytes", daemon.post(ONE, b" " * 4194305, "application/json"), "resource_exhausted", 413)
    refused("rank 65", daemon.post_json(ONE, request(inputs={"x": {**X, "shape": [1] * 65}})), "resource_exhausted", 413)
    faulty = request("Add", {"a": {**X, "shape": [2]}, "b": {**X, "shape": [3]}})
    answer = daemon.post_json(ONE, faulty)
    refused("a node that cannot be inferred", answer)
    equal("and why", [d["reason"] for d in answer.json["details"]], ["DIM_MISMATCH"])


def check_batch(daemon):
    answer = daemon.post_json(BATCH, {"requests": []})
    equal("an empty batch", (answer.status, answer.json), (200, {"results": []}))
    mixed = [request(), {"node": {}}, request("Add", {"a": {**X, "shape": [2]}, "b": {**X, "shape": [3]}}), [], request()]
    answer = daemon.post_json(BATCH, {"requests": mixed})
    results = answer.json["results"]
    equal("each has its own result", ["error" if "error" in r else r["values"][0]["shape"] for r in results],
          [["N", 3], "error", "error", "error", ["N", 3]])
    equal("an error of a batch", sorted(results[1]["error"]), ["code", "details", "message"])
    equal("a result is that of a single request", results[0], daemon.post_json(ONE, mixed[0]).json)
    answer = daemon.post_json(BATCH, {"requests": [request()] * 1000})
    equal("1,000 of them", (answer.status, len(answer.json["results"])), (200, 1000))
    refused("1,001 of them", daemon.post_json(BATCH, {"requests": [request()] * 1001}), "resource_exhausted", 413)
    for what, body in {"a list": [], "no requests": {}, "more than requests": {"requests": [], "x": 1},
                       "requests that is an object": {"requests": {}}}.items():
        refused("a batch that is %s" % what, daemon.post_json(BATCH, body))


def main():
    with Daemon() as daemon:
        check_one(daemon)
        check_attributes(daemon)
        check_given(daemon)
        check_spellings(daemon)
        check_refused(daemon)
        check_batch(daemon)
        proto = daemon.post(ONE, b"", "application/x-protobuf")
        check("application/x-protobuf is known", proto.status != 415, proto.text)
    finish()


if __name__ == "__main__":
    main()
