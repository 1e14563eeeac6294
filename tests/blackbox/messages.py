"""The service's messages for black-box tests, as any client gets them: what protoc makes of proto/*.proto for Python.

Debian's python3-protobuf reads them, whichever python3 runs the test. `shaped`, `onnx`, `status`, `details` and `health` are
the generated modules; as_json() says an answer in the words of the JSON API, so that the two can be compared.
"""
import glob
import importlib
import os
import subprocess
import sys
import tempfile

from harness import ROOT

PROTO = os.path.join(ROOT, "proto")
DEBIAN = "/usr/lib/python3/dist-packages"
# ONNX's numbers of element types (onnx.proto, TensorProto.DataType).
ELEMENTS = ["", "float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "double", "uint32",
            "uint64", "complex64", "complex128", "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
            "uint4", "int4", "float4e2m1", "float8e8m0", "uint2", "int2"]
CODES = ["ok", "canceled", "unknown", "invalid_argument", "deadline_exceeded", "not_found", "already_exists", "permission_denied",
         "resource_exhausted", "failed_precondition", "aborted", "out_of_range", "unimplemented", "internal", "unavailable",
         "data_loss", "unauthenticated"]


def proto_files():
    """Relative to PROTO; the well-known type is the library's own."""
    found = [os.path.relpath(f, PROTO) for f in glob.glob(os.path.join(PROTO, "**", "*.proto"), recursive=True)]
    return sorted(f for f in found if not f.startswith("google/protobuf/"))


def _load():
    folder = tempfile.TemporaryDirectory()
    subprocess.run(["protoc", "-I", PROTO, "--python_out", folder.name, *proto_files()], check=True)
    sys.path[:0] = [folder.name]
    if DEBIAN not in sys.path:
        sys.path.append(DEBIAN)
    names = ("shaped_pb2", "onnx_pb2", "google.rpc.status_pb2", "google.rpc.error_details_pb2", "health_pb2", "reflection_v1_pb2",
             "reflection_v1alpha_pb2")
    return [importlib.import_module(name) for name in names], folder


(shaped, onnx, status, details, health, reflection, reflection_alpha), _folder = _load()


def decode(kind, data):
    """What `protoc --decode` prints."""
    done = subprocess.run(["protoc", "-I", PROTO, "--decode", kind, "shaped.proto"], input=data, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode()


# -- answers in the words of the JSON API --


def size(dim):
    """A number, a text, or None where the dimension says nothing."""
    kind = dim.WhichOneof("value")
    return getattr(dim, kind) if kind else None


def number(text):
    """An element or a length: what JSON has as a number is one again."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return text if text in ("NaN", "Infinity", "-Infinity") else float(text)
    except ValueError:
        return text


def type_name(message):
    """ONNX's type string; "" where an element type is missing."""
    kind = message.WhichOneof("value")
    if kind in ("tensor_type", "sparse_tensor_type"):
        elem = ELEMENTS[getattr(message, kind).elem_type]
        return elem and "%s(%s)" % (kind[:-len("_type")], elem)
    if kind in ("sequence_type", "optional_type"):
        of = type_name(getattr(message, kind).elem_type)
        return of and "%s(%s)" % ("seq" if kind == "sequence_type" else "optional", of)
    if kind == "map_type":
        of = type_name(message.map_type.value_type)
        return of and "map(%s,%s)" % (ELEMENTS[message.map_type.key_type], of)
    return ""


def put_type(value, message):
    """The members that tell a type, level by level."""
    if type_name(message):
        value["type"] = type_name(message)
    kind = message.WhichOneof("value")
    if kind in ("tensor_type", "sparse_tensor_type") and getattr(message, kind).HasField("shape"):
        value["shape"] = [size(d) for d in getattr(message, kind).shape.dim]
    if kind in ("sequence_type", "optional_type") and getattr(message, kind).elem_type.WhichOneof("value"):
        value["element"] = put_type({}, getattr(message, kind).elem_type)
    return value


def camel(name):
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def plain(message, leave_out=()):
    """The fields that are present, except messages."""
    return {camel(f.name): list(v) if f.label == f.LABEL_REPEATED else v
            for f, v in message.ListFields() if f.message_type is None and f.name not in leave_out}


def as_symbol(message):
    return {k: number(v) if k in ("min", "max") else v for k, v in plain(message).items()}


def as_value(message):
    value = plain(message, ("content", "length"))
    value["kind"] = shaped.Kind.Name(message.kind).lower()
    put_type(value, message.type)
    if message.content or ("type" in value and 0 in value.get("shape", [])):
        value["content"] = [number(text) for text in message.content]
    if message.HasField("length"):
        value["length"] = number(message.length)
    if message.HasField("declared"):
        value["declared"] = [size(d) for d in message.declared.dim]
    return value


def as_diagnostic(message):
    found = {"scope": "", **plain(message)}
    return {**found, "severity": shaped.Severity.Name(message.severity).lower(), "code": CODES[message.code]}


def as_json(answer):
    """An InferModelResponse or InferNodeResponse as the JSON API says it."""
    found = {"values": [as_value(v) for v in answer.values], "symbols": [as_symbol(s) for s in answer.symbols],
             "constraints": [plain(c) for c in answer.constraints],
             "diagnostics": [as_diagnostic(d) for d in answer.diagnostics]}
    if answer.dynamic_sizes:
        found["dynamicSizes"] = [{k: number(v) for k, v in plain(d).items()} for d in answer.dynamic_sizes]
    if isinstance(answer, shaped.InferModelResponse):
        opsets = {o.domain: o.version for o in answer.model.opset_imports}
        found["model"] = {**plain(answer.model), "opsetImports": opsets}
        found["summary"] = plain(answer.summary)
        if answer.summary.causes:
            found["summary"]["causes"] = [plain(c) for c in answer.summary.causes]
        if answer.summary.unknown_operators:
            found["summary"]["unknownOperators"] = [plain(o) for o in answer.summary.unknown_operators]
        if answer.assumptions:
            found["assumptions"] = [plain(c) for c in answer.assumptions]
    return found


def without_empty_contents(values):
    """JSON tells known contents of no elements from unknown ones, where a size of 0 says as much in protobuf."""
    return [{k: v for k, v in value.items() if k != "content" or v} for value in values]


def differences(json_answer, answer):
    """Of the JSON answer and the protobuf one; "" when they say the same."""
    ours, found = dict(json_answer), as_json(answer)
    for each in (ours, found):
        each["values"] = without_empty_contents(each["values"])
    lines = ["%s: JSON %s, protobuf %s" % (k, ours.get(k), found.get(k)) for k in sorted({*ours, *found})
             if k != "values" and ours.get(k) != found.get(k)]
    if len(ours["values"]) != len(found["values"]):
        lines.append("%d values, %d in protobuf" % (len(ours["values"]), len(found["values"])))
    lines += ["JSON %s, protobuf %s" % pair for pair in zip(ours["values"], found["values"]) if pair[0] != pair[1]]
    return "\n".join(lines[:5])
