#!/usr/bin/env python3
"""InferNode and BatchInferNodes. Every row of tests/cases that protobuf can say is sent as an InferNodeRequest, a hundred to a
batch: the answer must say what the engine's own says in process."""
import glob
import gzip
import json
import os
import subprocess

from harness import CASES, ROOT, Daemon, check, equal, finish
from messages import CODES, ELEMENTS, details, differences, onnx, shaped
from rpc import PROTOCOLS, connect, connect_get
from wire import text

BATCH = 100
FLOATS = {"float": "float_data", "double": "double_data"}
INTEGERS = {"int64": "int64_data", "uint64": "uint64_data", "uint32": "uint64_data", "int32": "int32_data", "int16": "int32_data",
            "int8": "int32_data", "uint16": "int32_data", "uint8": "int32_data", "bool": "int32_data"}


class Unsaid(Exception):
    """These tests have no form in protobuf."""


# -- requests of the JSON API as messages --


def number(value):
    if isinstance(value, str) and value not in ("NaN", "Infinity", "-Infinity"):
        raise Unsaid
    return float(value)


def put_elements(tensor, elem, content):
    if elem in INTEGERS and all(isinstance(c, (int, bool)) for c in content):
        getattr(tensor, INTEGERS[elem]).extend(int(c) for c in content)
    elif elem in FLOATS and all(isinstance(c, (int, float)) or c in ("NaN", "Infinity", "-Infinity") for c in content):
        getattr(tensor, FLOATS[elem]).extend(number(c) for c in content)
    elif elem == "string" and all(isinstance(c, str) for c in content):
        tensor.string_data.extend(c.encode() for c in content)
    else:
        raise Unsaid


def tensor_of(value, name=""):
    if not value["type"].startswith("tensor(") or not all(isinstance(d, int) for d in value["shape"]):
        raise Unsaid
    elem = value["type"][len("tensor("):-1]
    tensor = onnx.TensorProto(name=name, data_type=ELEMENTS.index(elem), dims=value["shape"])
    put_elements(tensor, elem, value["content"])
    return tensor


def put_shape(shape, dims):
    for dim in dims:
        if isinstance(dim, int):
            shape.dim.add(dim_value=dim)
        elif dim is None:
            shape.dim.add()
        else:
            shape.dim.add(dim_param=dim)


def put_type(message, text, value):
    """A TypeProto from a type string, and from what a value says of the shape within."""
    kind, _, inner = (text or "tensor()").partition("(")
    inner = inner[:-1]
    if kind in ("tensor", "sparse_tensor"):
        tensor = getattr(message, kind + "_type")
        tensor.SetInParent()
        if inner:
            tensor.elem_type = ELEMENTS.index(inner)
        if "shape" in value:
            tensor.shape.SetInParent()
            put_shape(tensor.shape, value["shape"])
    elif kind in ("seq", "optional"):
        of = (message.sequence_type if kind == "seq" else message.optional_type).elem_type
        put_type(of, value.get("element", {}).get("type", inner), value.get("element", value))
    elif kind == "map":
        key, _, of = inner.partition(",")
        message.map_type.key_type = ELEMENTS.index(key)
        put_type(message.map_type.value_type, of, {})
    else:
        raise Unsaid


def attribute_of(name, value, kind):
    """`kind` is the attribute's type in the registry; "" where it has none."""
    attribute = onnx.AttributeProto(name=name)
    values = value if isinstance(value, list) else [value]
    if isinstance(value, dict) and "tensor" in value:
        attribute.type = onnx.AttributeProto.TENSOR
        attribute.t.CopyFrom(tensor_of(value["tensor"]))
    elif isinstance(value, dict) or not all(isinstance(v, (int, float, str)) for v in values):
        raise Unsaid
    elif values and all(isinstance(v, str) for v in values) and not kind.startswith("float"):
        attribute.type = onnx.AttributeProto.STRINGS if isinstance(value, list) else onnx.AttributeProto.STRING
        attribute.strings.extend(v.encode() for v in values if isinstance(value, list))
        attribute.s = b"" if isinstance(value, list) else value.encode()
    elif kind.startswith("float") or any(isinstance(v, (float, str)) for v in values):
        attribute.type = onnx.AttributeProto.FLOATS if isinstance(value, list) else onnx.AttributeProto.FLOAT
        attribute.floats.extend(number(v) for v in values if isinstance(value, list))
        attribute.f = 0 if isinstance(value, list) else number(value)
    elif kind.startswith("string"):
        raise Unsaid
    else:
        attribute.type = onnx.AttributeProto.INTS if isinstance(value, list) else onnx.AttributeProto.INT
        attribute.ints.extend(v for v in values if isinstance(value, list))
        attribute.i = 0 if isinstance(value, list) else int(value)
    return attribute


def message_of(request, kinds, check_types):
    """An InferNodeRequest. `kinds` are the types of the operator's attributes."""
    node = request["node"]
    message = shaped.InferNodeRequest(options=shaped.InferOptions(check_types=check_types, operators=request.get("operators")))
    message.node.MergeFrom(onnx.NodeProto(op_type=node["opType"], domain=node.get("domain", ""), name=node.get("name", ""),
                                          input=node.get("inputs", []), output=node.get("outputs", [])))
    for name, value in node.get("attributes", {}).items():
        message.node.attribute.append(attribute_of(name, value, kinds.get(name, "")))
    if "opset" in request:
        message.opset_imports.add(domain=node.get("domain", ""), version=request["opset"])
    for domain, version in request.get("opsetImports", {}).items():
        message.opset_imports.add(domain=domain, version=version)
    for name, value in request.get("inputs", {}).items():
        if not set(value) <= {"type", "shape", "content", "element"}:
            raise Unsaid
        info = message.inputs.add(name=name)
        if "type" in value or "shape" in value:
            put_type(info.type, value.get("type"), value)
        if "content" in value:
            message.contents.append(tensor_of(value, name))
    return message


# -- cases --


def cases():
    files = sorted(glob.glob(os.path.join(ROOT, "tests", "cases", "*.cases")))
    with subprocess.Popen([CASES, "--json", *files], stdout=subprocess.PIPE) as runner:
        for line in runner.stdout:
            case = json.loads(line) if line.startswith(b"{") else {"ok": False}
            if case["ok"]:
                yield case


def attribute_kinds(daemon):
    """(domain, operator, version) -> the types of its attributes."""
    found = {}
    for opset in range(1, 40):
        page = connect(daemon, "ListOperators", shaped.ListOperatorsRequest(opset=opset, page_size=1000), shaped.ListOperatorsResponse)
        for op in page.message.operators:
            found[op.domain, op.name, opset] = {a.name: a.type for a in op.attributes}
    return found


def kinds_of(kinds, request):
    domain = request["node"].get("domain", "")
    opset = request.get("opset", request.get("opsetImports", {}).get(domain, 1))
    return kinds.get((domain, request["node"]["opType"], opset), {})


def wrong(answer, result):
    """What a result says otherwise than the answer of the JSON API; "" when nothing."""
    if "code" not in answer:
        return differences(answer, result.response) if result.HasField("response") else "error: %s" % result.error
    if not result.HasField("error"):
        return "an answer, where the error %s was wanted" % answer
    found = (CODES[result.error.code], result.error.message)
    reasons = [d.reason for d in result.diagnostics]
    wanted = [d["reason"] for d in answer["details"]]
    return "" if found == (answer["code"], answer["message"]) and reasons == wanted else "%s %s" % (found, reasons)


def check_cases(daemon):
    kinds, sent, left_out, batch = attribute_kinds(daemon), 0, 0, []
    for case in [*cases(), None]:
        if case:
            try:
                batch.append((case, message_of(case["request"], kinds_of(kinds, case["request"]), case["checkTypes"])))
            except Unsaid:
                left_out += 1
        if batch and (not case or len(batch) == BATCH):
            request = shaped.BatchInferNodesRequest(requests=[message for _, message in batch])
            found = connect(daemon, "BatchInferNodes", request, shaped.BatchInferNodesResponse)
            if check("a batch of %d" % len(batch), found.code == "ok" and len(found.message.results) == len(batch), found):
                for (one, _), result in zip(batch, found.message.results):
                    text = wrong(one["answer"], result)
                    check(one["case"], not text, text)
            sent, batch = sent + len(batch), []
    check("protobuf can say nearly all of them", sent > 8 * left_out, "%d sent, %d left out" % (sent, left_out))


# -- single requests --


def relu(**more):
    request = shaped.InferNodeRequest(**more)
    request.node.MergeFrom(onnx.NodeProto(op_type="Relu", input=["x"], output=["y"]))
    put_type(request.inputs.add(name="x").type, "tensor(float)", {"shape": ["N", 3]})
    return request


def with_attributes(*names):
    request = relu()
    for name in names:
        request.node.attribute.add(name=name, type=onnx.AttributeProto.INT, i=1)
    return request


def check_single(daemon):
    calls = [(name, call, is_json) for name, call in {**PROTOCOLS, "Connect GET": connect_get}.items() for is_json in (False, True)]
    for name, call, is_json in calls:
        what = "%s %s" % (name, "JSON" if is_json else "proto")
        found = call(daemon, "InferNode", relu(), shaped.InferNodeResponse, is_json=is_json)
        shape = found.message.values[-1].type.tensor_type.shape.dim if found.message else [None, None]
        equal("%s: a node" % what, (found.code, shape[0] and shape[0].dim_param, shape[1] and shape[1].dim_value), ("ok", "N", 3))
        binding = shaped.InferOptions(dims=[shaped.Binding(name="N", value=4)])
        found = call(daemon, "InferNode", relu(options=binding), shaped.InferNodeResponse, is_json=is_json)
        equal("%s: with a number for a symbol" % what, found.message.values[-1].type.tensor_type.shape.dim[0].dim_value, 4)
        faulty = relu()
        faulty.node.input.append("x")
        found = call(daemon, "InferNode", faulty, shaped.InferNodeResponse, is_json=is_json)
        equal("%s: a node that cannot be inferred" % what, (found.code, [kind for kind, _ in found.details]),
              ("invalid_argument", ["google.rpc.ErrorInfo", "shaped.v1.Diagnostic"]))
        shapes = relu(options=shaped.InferOptions(shapes=[shaped.InputShape(input="x", shape=onnx.TensorShapeProto())]))
        found = call(daemon, "InferNode", shapes, shaped.InferNodeResponse, is_json=is_json)
        equal("%s: the field at fault" % what, found.code == "invalid_argument" and
              details.BadRequest.FromString(found.details[0][1]).field_violations[0].field, "options.shapes")
        for kind, request in {"no node": shaped.InferNodeRequest(), "no operator": shaped.InferNodeRequest(node=onnx.NodeProto()),
                              "an attribute twice": with_attributes("a", "a"), "an attribute without a name": with_attributes("")}.items():
            equal("%s: %s" % (what, kind), call(daemon, "InferNode", request, shaped.InferNodeResponse, is_json=is_json).code,
                  "invalid_argument")


def check_contents(daemon):
    reshape = shaped.InferNodeRequest()
    reshape.node.MergeFrom(onnx.NodeProto(op_type="Reshape", input=["x", "s"], output=["y"]))
    put_type(reshape.inputs.add(name="x").type, "tensor(float)", {"shape": ["N", 6]})
    reshape.contents.append(onnx.TensorProto(name="s", data_type=7, dims=[3], int64_data=[-1, 2, 3]))
    found = connect(daemon, "InferNode", reshape, shaped.InferNodeResponse)
    equal("contents without a type", [d.dim_value for d in found.message.values[-1].type.tensor_type.shape.dim], [0, 2, 3])
    for what, change in {"of another type": dict(data_type=1), "of other sizes": dict(dims=[4]), "without a name": dict(name="")}.items():
        other = shaped.InferNodeRequest()
        other.CopyFrom(reshape)
        put_type(other.inputs.add(name="s").type, "tensor(int64)", {"shape": [3]})
        tensor = other.contents[0]
        if "dims" in change:
            del tensor.dims[:]
            tensor.dims.extend(change["dims"])
        else:
            tensor.MergeFrom(onnx.TensorProto(**change))
        equal("contents " + what, connect(daemon, "InferNode", other, shaped.InferNodeResponse).code, "invalid_argument")
    deep = onnx.TypeProto()
    for _ in range(150):
        deep = onnx.TypeProto(sequence_type=onnx.TypeProto.Sequence(elem_type=deep))
    nested = relu()
    nested.inputs[0].type.CopyFrom(deep)
    check("types that nest too deep are refused", connect(daemon, "InferNode", nested, shaped.InferNodeResponse).code in
          ("invalid_argument", "resource_exhausted"))


def check_many(daemon):
    """What stands many times in a request is refused before it is held against itself."""
    twice = relu()
    twice.inputs.add(name="x")
    equal("an input twice", connect(daemon, "InferNode", twice, shaped.InferNodeResponse).code, "invalid_argument")
    for what, field in {"opset_imports": 2, "inputs": 3, "contents": 4, "attributes": None}.items():
        request = text(1, text(5, b"") * 500000) if field is None else text(field, b"") * 1000000
        found = connect(daemon, "InferNode", relu().SerializeToString() + request, shaped.InferNodeResponse)
        check("a million %s are refused" % what, found.code in ("invalid_argument", "resource_exhausted"), found)


def check_batches(daemon):
    unnamed = relu(options=shaped.InferOptions(dims=[shaped.Binding(value=1)]))
    found = connect(daemon, "BatchInferNodes", shaped.BatchInferNodesRequest(requests=[unnamed]), shaped.BatchInferNodesResponse)
    check("the field at fault is named in the message", "options.dims[0].name" in found.message.results[0].error.message, found)
    both = shaped.BatchInferNodesRequest(requests=[relu(), shaped.InferNodeRequest(), relu()])
    for name, call in PROTOCOLS.items():
        for is_json in (False, True):
            found = call(daemon, "BatchInferNodes", both, shaped.BatchInferNodesResponse, is_json=is_json)
            equal("%s %s: each has a result or an error" % (name, "JSON" if is_json else "proto"),
                  [r.HasField("response") for r in found.message.results], [True, False, True])
    many = shaped.BatchInferNodesRequest(requests=[shaped.InferNodeRequest()] * 1001)
    equal("more than the limit", connect(daemon, "BatchInferNodes", many, shaped.BatchInferNodesResponse).code, "resource_exhausted")
    equal("none", len(connect(daemon, "BatchInferNodes", b"", shaped.BatchInferNodesResponse).message.results), 0)


def check_rest(daemon):
    """REST's routes with messages of protobuf."""
    proto = "application/x-protobuf"
    answer = daemon.post("/v1/nodes:infer", relu().SerializeToString(), proto)
    equal("REST: a node", (answer.status, answer.headers["Content-Type"]), (200, proto))
    equal("REST: as by RPC", shaped.InferNodeResponse.FromString(answer.body),
          connect(daemon, "InferNode", relu(), shaped.InferNodeResponse).message)
    batch = shaped.BatchInferNodesRequest(requests=[relu(), shaped.InferNodeRequest()])
    for what, body, headers in (("a batch", batch.SerializeToString(), {}),
                                ("a compressed one", gzip.compress(batch.SerializeToString()), {"Content-Encoding": "gzip"})):
        answer = daemon.post("/v1/nodes:batchInfer", body, proto, headers)
        results = shaped.BatchInferNodesResponse.FromString(answer.body).results if answer.status == 200 else []
        equal("REST: %s" % what, [r.HasField("response") for r in results], [True, False])
    answer = daemon.post("/v1/nodes:infer", b"\xff", proto)
    equal("REST: bytes that are no message", (answer.status, answer.json["code"]), (400, "invalid_argument"))
    answer = daemon.post("/v1/nodes:infer?strict=1", relu().SerializeToString(), proto)
    equal("REST: options in the query", answer.status, 400)
    answer = daemon.post("/v1/nodes:infer", bytes(5 << 20), proto)
    equal("REST: too large", (answer.status, answer.json["code"]), (413, "resource_exhausted"))
    answer = daemon.post("/v1/nodes:infer", b"{}", "application/json")
    equal("REST: JSON goes where it went", answer.json["code"], "invalid_argument")


def check_accept(daemon):
    """REST's routes with JSON, answered in protobuf where the client accepts that most."""
    path, batch_path, kind, proto = "/v1/nodes:infer", "/v1/nodes:batchInfer", "application/json", "application/x-protobuf"
    node = {"node": {"opType": "Relu", "inputs": ["x"], "outputs": ["y"]}, "opset": 14,
            "inputs": {"x": {"type": "tensor(float)", "shape": ["N", 3]}}}
    faulty = {**node, "inputs": {}}
    plain = daemon.post(path, json.dumps(node).encode(), kind)
    for accept, wanted in (("application/x-protobuf", proto), ("application/json;q=0.5, application/x-protobuf", proto),
                           ("application/*", kind), ("*/*", kind), ("text/plain", kind), ("application/x-protobuf;q=0.1, */*", kind)):
        answer = daemon.post(path, json.dumps(node).encode(), kind, {"Accept": accept})
        equal("Accept: %s" % accept, (answer.status, answer.headers["Content-Type"]), (200, wanted))
        if wanted == proto:
            found = differences(plain.json, shaped.InferNodeResponse.FromString(answer.body))
            check("a node: the message says what the JSON says", not found, found)
    answer = daemon.post(path, json.dumps(faulty).encode(), kind, {"Accept": proto})
    equal("an error is JSON", (answer.status, answer.headers["Content-Type"], answer.json["code"]), (400, kind, "out_of_range"))
    for count in (1, 200):  # one after another, and shared among workers
        body = json.dumps({"requests": [node, faulty] * count}).encode()
        answer = daemon.post(batch_path, body, kind, {"Accept": proto})
        results, plain = shaped.BatchInferNodesResponse.FromString(answer.body).results, daemon.post(batch_path, body, kind).json["results"]
        equal("a batch of %d: each has a response or an error" % (2 * count), [r.HasField("response") for r in results], [True, False] * count)
        check("the responses say what the JSON says", not any(differences(p, r.response) for p, r in zip(plain[::2], results[::2])))
        equal("the errors too", {(CODES[r.error.code], r.error.message) for r in results[1::2]},
              {(p["error"]["code"], p["error"]["message"]) for p in plain[1::2]})
    with Daemon("--answer-bytes", "100") as small:
        answer = small.post(batch_path, json.dumps({"requests": [node] * 10}).encode(), kind, {"Accept": proto})
        results = shaped.BatchInferNodesResponse.FromString(answer.body).results
        equal("past a limit each says so", CODES[results[-1].error.code], "resource_exhausted")


def main():
    with Daemon() as daemon:
        check_single(daemon)
        check_contents(daemon)
        check_many(daemon)
        check_batches(daemon)
        check_rest(daemon)
        check_accept(daemon)
        check_cases(daemon)
    finish()


if __name__ == "__main__":
    main()
