#!/usr/bin/env python3
"""Attributes as models have them: without a type, of another one, tensors that are none, sparse ones, long lists."""
import struct

from build import const, graph, infer, model, op, tensor
from harness import CPU_SECONDS, Daemon, check, equal, finish
from wire import number, text, varint

X = ["x: float[N,3]"]


def told(daemon, written, *attributes, opset=17, ir=8, inputs=X):
    """What y is when the node has these AttributeProtos."""
    node = op(written) + b"".join(text(5, a) for a in attributes)
    seen = infer(daemon, model(graph([node], inputs, ["y"]), opset=opset, ir=ir))
    return seen["y"], seen.reasons, seen.contents.get("y")


def untyped(daemon):
    """IR versions before 2 had no AttributeProto.type: the field that is filled tells."""
    for what, fields, wanted in (("an integer", number(3, 1), ("float[N,6]", [])),
                                 ("a float", varint(2 << 3 | 5) + struct.pack("<f", 1.0), ("?", ["ATTRIBUTE_TYPE"])),
                                 ("a text", text(4, "1"), ("?", ["ATTRIBUTE_TYPE"])),
                                 ("a list", text(8, varint(1)), ("?", ["ATTRIBUTE_TYPE"])),
                                 ("both an integer and a float",
                                  number(3, 1) + varint(2 << 3 | 5) + struct.pack("<f", 1.0), ("float[N,6]", []))):
        equal("no type, but %s" % what, told(daemon, "y = Concat(x, x)", text(1, "axis") + fields, opset=4, ir=1)[:2],
              wanted)
    equal("no type and no value is 0", told(daemon, "y = Concat(x, x)", text(1, "axis"), opset=4, ir=1)[0],
          "float[2*N,3]")
    equal("an empty list", told(daemon, "y = Squeeze(x)", text(1, "axes"), opset=11,
                                inputs=["x: float[1,3]"])[0] in ("float[3]", "float[1,3]"), True)
    permutation = text(1, "perm") + text(8, varint(1) + varint(0))
    equal("a list without a type", told(daemon, "y = Transpose(x)", permutation, opset=1, ir=1)[:2], ("float[3,N]", []))
    equal("a list that is not packed", told(daemon, "y = Transpose(x)",
                                            text(1, "perm") + number(8, 1) + number(8, 0) + number(20, 7))[:2],
          ("float[3,N]", []))
    equal("the type is believed", told(daemon, "y = Concat(x, x)", text(1, "axis") + number(3, 1) + number(20, 1))[:2],
          ("?", ["ATTRIBUTE_TYPE"]))
    equal("a type that there is none of", told(daemon, "y = Concat(x, x)",
                                               text(1, "axis") + number(3, 1) + number(20, 99))[:2],
          ("?", ["ATTRIBUTE_TYPE"]))
    equal("an attribute without a name", told(daemon, "y = Relu(x)", number(3, 1) + number(20, 2))[:2],
          ("?", ["UNKNOWN_ATTRIBUTE"]))
    both = [text(1, "axis") + number(3, axis) + number(20, 2) for axis in (1, 0)]
    check("an attribute given twice", told(daemon, "y = Concat(x, x)", *both)[0] in ("float[N,6]", "?"))


def constants(daemon):
    def value(body, name="value", kind=4, field=5):
        return told(daemon, "y = Constant()", text(1, name) + text(field, body) + number(20, kind))
    equal("a tensor", value(tensor("int64[2]", [7, 8])), ("int64[2]", [], [7, 8]))
    raw = number(2, 7) + text(9, struct.pack("<q", 5))
    for what, body, reasons in (("too few bytes", number(1, 3) + raw, ["TENSOR_INVALID"]),
                                ("too many", raw + text(9, b"\0" * 24), ["TENSOR_INVALID"]),
                                ("a negative size", number(1, (1 << 64) - 2) + raw, ["TENSOR_INVALID"]),
                                ("an element type that there is none of", number(2, 77) + text(9, b"\0"),
                                 ["TENSOR_INVALID"]),
                                ("no element type", text(9, b"\0"), ["TENSOR_INVALID"]),
                                ("more axes than the limit", b"".join(number(1, 1) for _ in range(65)) + raw,
                                 ["TENSOR_INVALID"]),
                                ("sizes past 64 bits", number(1, 1 << 40) * 2 + raw, ["TENSOR_INVALID"])):
        equal("a tensor of %s" % what, value(body)[1], reasons)
    equal("no tensor in it", told(daemon, "y = Constant()", text(1, "value") + number(20, 4))[1], ["TENSOR_INVALID"])
    long = text(1, "value_ints") + text(8, b"\x01" * 5000) + number(20, 7)
    equal("a list past the limit on contents", told(daemon, "y = Constant()", long), ("int64[5000]", [], None))
    long = text(1, "value_ints") + text(8, b"\x01" * 4096) + number(20, 7)
    equal("and one at it", told(daemon, "y = Constant()", long)[2], [1] * 4096)

    def sparse(values, dims):
        return value(text(1, values) + text(2, tensor("int64[1]", [0])) + b"".join(number(3,
                                                                                          d & (1 << 64) - 1) for d in dims),
                     "sparse_value", 11, 22)
    equal("a sparse one", sparse(tensor("float[1]", [1]), [3, 4])[:2], ("float[3,4]", []))
    equal("a sparse one of a negative size", sparse(tensor("float[1]", [1]), [3, -4])[:2], ("?", ["NEGATIVE_SIZE"]))
    equal("of too many axes", sparse(tensor("float[1]", [1]), [1] * 65)[0], "float")
    equal("of faulty values", sparse(number(2, 77), [3])[:2], ("?", ["TENSOR_INVALID"]))
    equal("of no values", value(number(3, 2), "sparse_value", 11, 22)[:2], ("?", ["TENSOR_INVALID"]))


def imports(daemon):
    relu = graph([op("y = Relu(x)"), op("z = ai.onnx.ml.Scaler(x)"), op("u = other.Op(x)")], X, ["y"])
    seen = infer(daemon, model(relu, opset={"": 17}))
    equal("a domain that is not imported", (seen["y"], seen.reasons),
          ("float[N,3]", ["MISSING_OPSET_IMPORT", "UNKNOWN_OPERATOR"]))
    seen = infer(daemon, model(graph([op("y = com.microsoft.FastGelu(x)")], X, ["y"]), opset={"": 17}))
    equal("nor one that has but one version", (seen["y"], seen.reasons, seen.json["diagnostics"][0]["severity"]),
          ("float[N,3]", ["MISSING_OPSET_IMPORT"], "warning"))
    seen = infer(daemon, model(graph([op("y = Relu(x)"), op("z = ai.onnx.Abs(x)")], X, ["y", "z"]),
                               opset={"ai.onnx": 17}))
    equal("ai.onnx is the domain without a name", (seen["y"], seen["z"], seen.reasons),
          ("float[N,3]", "float[N,3]", []))
    seen = infer(daemon, model(graph([op("y = Relu(x)")], X, ["y"]), opset={"": 0, "ai.onnx": 17}))
    equal("of two imports one that names no version", (seen["y"], seen.reasons), ("float[N,3]", ["DUPLICATE_OPSET_IMPORT"]))
    seen = infer(daemon, model(graph([op("y = Relu(x)")], X, ["y"]), opset={}, ir=1))
    equal("no import at all is version 1", (seen["y"], seen.reasons), ("float[N,3]", []))
    seen = infer(daemon, model(graph([op("y = Relu(x)")], X, ["y"]), opset=1000))
    equal("a version newer than is known", (seen["y"], seen.reasons), ("float[N,3]", ["NEWER_OPSET"]))
    seen = infer(daemon, model(graph([op("y = Gelu(x)")], X, ["y"]), opset=17))
    equal("an operator of a later version", seen.reasons, ["OPERATOR_VERSION"])


def many(daemon):
    """What a node has too much of must not be gone through for every element of its output."""
    numbers = const("d", "int64[4096]", range(4096))
    for what, node in (("attributes", op("y = Mod(d, d)", **{"__a%d" % i: 1 for i in range(100000)})),
                       ("inputs", op("y = Max(%s)" % ", ".join(["d"] * 100000)))):
        before = daemon.cpu_seconds()
        seen = infer(daemon, model(graph([numbers, node], X, ["y"])))
        took = daemon.cpu_seconds() - before
        equal("a node of many %s" % what, seen["y"], "int64[4096]")
        check("with little work", took < CPU_SECONDS, "%.1f s" % took)


# What a value that the row does not allow is called: node, version, severity, sentence, and what y is all the same.
NOT_ALLOWED = (
    (op("y = MaxPool(i)", kernel_shape=[3, 3], auto_pad="SAME_UPER"), 17, "error",
     "auto_pad must be one of NOTSET, SAME_UPPER, SAME_LOWER, VALID, got 'SAME_UPER'; did you mean SAME_UPPER?", "?"),
    (op("y = MaxPool(i)", kernel_shape=[3, 3], strides=[1, 0]), 17, "error", "strides[1] must be at least 1, got 0", "?"),
    (op("y = BitShift(u, u)", direction="left"), 17, "error",
     "direction must be LEFT or RIGHT, got 'left'; did you mean LEFT?", "?"),
    (op("y = LpNormalization(x)", p=3), 17, "error", "p must be in [1, 2], got 3", "?"),
    (op("y = Cast(x)", to=99), 17, "error", "to must be the number of an element type, got 99", "?"),
    (op("y = TfIdfVectorizer(u)", max_gram_length=1, max_skip_count=0, min_gram_length=1, mode="TF", ngram_counts=[0],
        ngram_indexes=[]), 17, "error", "ngram_indexes must have at least 1 element, got 0", "?"),
    (op("y = Upsample(i)", height_scale=0.5, width_scale=2.0), 1, "error", "height_scale must be at least 1, got 0.5", "?"),
    (op("y = Pad(x, p)", mode="mirror"), 17, "warning", "mode must be one of constant, reflect, edge, got 'mirror'",
     "float[N+2,3]"),
    (op("y = Pad(x, p)", mode="wrap"), 18, "warning", "mode must be one of constant, reflect, edge, got 'wrap'",
     "float[N+2,3]"),
    (op("y = Pad(x, p)", mode="m" * 100), 17, "warning",
     "mode must be one of constant, reflect, edge, got '%s...'" % ("m" * 40), "float[N+2,3]"),
)


def allowed(daemon):
    inputs = ["x: float[N,3]", "i: float[N,3,8,8]", "u: int32[N,3]"]
    pads = const("p", "int64[4]", [1, 0, 1, 0])
    for node, opset, severity, sentence, wanted in NOT_ALLOWED:
        seen = infer(daemon, model(graph([pads, node], inputs, ["y"]), opset=opset))
        said = [(d["severity"], d["message"].partition(": ")[2] or d["message"]) for d in seen.json["diagnostics"]]
        equal("%s: %s" % (severity, sentence), (said, seen["y"].split("[")[0] if wanted == "?" else seen["y"]),
              ([(severity, sentence)], wanted))
    for node, opset in ((op("y = Pad(x, p)", mode="wrap"), 19), (op("y = MaxPool(i)", kernel_shape=[3, 3], auto_pad=""), 17)):
        equal("allowed in version %d" % opset, infer(daemon, model(graph([pads, node], inputs, ["y"]), opset=opset)).reasons,
              [])
    node = op("y = Cast(x)", to=16)
    for check_types, wanted in ((False, []), (True, ["ATTRIBUTE_VALUE"])):
        equal("an element type that the version does not have, check_types=%s" % check_types,
              infer(daemon, model(graph([node], inputs, ["y"]), opset=9), check_types=str(check_types).lower()).reasons, wanted)


def main():
    with Daemon() as daemon:
        for part in (untyped, constants, imports, allowed, many):
            part(daemon)
    finish()


if __name__ == "__main__":
    main()
