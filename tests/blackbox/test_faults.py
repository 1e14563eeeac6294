#!/usr/bin/env python3
"""Hostile bytes: what no encoder writes, integers at their ends, nesting, names. faults.py says what a row is."""
from faults import F_IMPORT, Client, check_table, function, graph, op
from harness import Daemon, check, finish
from wire import Subgraph, chain, integers, model, node, number, tensor, tensor_type, text, value_info, varint

X = value_info("x", ["N", 3])
RELU = node("Relu", ["x"], ["y"], "relu")
HEAD = number(1, 8) + text(8, number(2, 17))
SMALL = model([RELU], [X], ["y"], [integers("c", [1, 2])])
ENDS = (0, 1, -1, 1 << 31, -(1 << 31), 1 << 32, (1 << 63) - 1, -(1 << 63), (1 << 64) - 1)


def with_graph(data):
    return HEAD + text(7, data)


def input_of(kind):
    """A model whose input has the TypeProto."""
    return with_graph(graph([RELU], [text(1, "x") + text(2, kind)], ["y"]))


def constant(data):
    """A model with the TensorProto for an initializer that a node takes."""
    return with_graph(graph([node("Identity", ["w"], ["y"])], [], ["y"], [data]))


def nested(opening, count, inner=b""):
    for _ in range(count):
        inner = opening(inner)
    return inner


WIRE = [
    ("no bytes", b"", "invalid_argument", "not a model"),
    ("an empty graph", with_graph(b""), "ok"),
    ("a graph alone", text(7, b""), "ok"),
    ("no graph", HEAD, "invalid_argument", "graph"),
    ("empty messages everywhere", HEAD + text(7, b"".join(text(n, b"") for n in (1, 5, 11, 12, 13, 15))) + text(25, b""),
     "any"),
    ("a node with empty messages", with_graph(text(1, text(5, b"") + text(5, text(5, b"") + text(6, b"")))), "any"),
    ("field number 0", b"\x00\x01" + SMALL, "invalid_argument", "byte 0"),
    ("a group", varint(7 << 3 | 3) + varint(7 << 3 | 4) + SMALL, "invalid_argument", "ModelProto at byte 0"),
    ("the end of a group", varint(7 << 3 | 4) + SMALL, "invalid_argument", "ModelProto at byte 0"),
    ("wire type 6", varint(1 << 3 | 6) + SMALL, "invalid_argument", "ModelProto at byte 0"),
    ("wire type 7", varint(1 << 3 | 7) + SMALL, "invalid_argument", "ModelProto at byte 0"),
    ("a tag of 6 bytes", b"\x88\x80\x80\x80\x80\x00\x01" + SMALL, "invalid_argument", "byte 0"),
    ("a varint of 10 bytes", b"\x08" + b"\xff" * 9 + b"\x01" + SMALL[2:], "ok"),
    ("a varint past 64 bits", b"\x08" + b"\xff" * 9 + b"\x02" + SMALL[2:], "invalid_argument", "ModelProto at byte 0"),
    ("a varint of 11 bytes", b"\x08" + b"\xff" * 10 + b"\x01" + SMALL[2:], "invalid_argument", "ModelProto at byte 0"),
    ("a varint with zeros to spare", b"\x08\x88\x80\x80\x80\x80\x00" + SMALL[2:], "ok"),
    ("a length with zeros to spare", HEAD + b"\x3a\x80\x80\x80\x00", "ok"),
    ("a length past the end", HEAD + b"\x3a\x05", "invalid_argument", "GraphProto"),
    ("a length of 2^63", HEAD + b"\x3a" + varint(1 << 63), "invalid_argument", "ends"),
    ("a length of 2^64 - 1", HEAD + b"\x12" + varint((1 << 64) - 1), "invalid_argument", ""),
    ("a field longer than its message", HEAD + text(7, b"\x0a\x7f"), "invalid_argument", "GraphProto.node"),
    ("bytes of text", b"this is no model at all, whatever it may look like", "invalid_argument", ""),
    ("two graphs", SMALL + text(7, graph([node("Relu", ["y"], ["z"])], [], ["z"])), "ok"),
    ("the same model twice", SMALL + SMALL, "DUPLICATE_NAME", "y"),
    ("floats with half an element", constant(number(1, 1) + number(2, 1) + text(4, b"\0\0\0") + text(8, "w")),
     "invalid_argument", "TensorProto.float_data"),
    ("doubles with half an element", constant(number(1, 1) + number(2, 11) + text(10, b"\0" * 9) + text(8, "w")),
     "invalid_argument", "TensorProto.double_data"),
    ("packed integers that end early", constant(number(1, 1) + number(2, 7) + text(7, b"\xff") + text(8, "w")),
     "invalid_argument", "TensorProto.int64_data"),
    ("packed dims that end early", constant(text(1, b"\x80") + number(2, 1) + text(8, "w")), "invalid_argument",
     "TensorProto.dims"),
]

NAMES = [
    ("a NUL in %s" % what, data(b"a\0b"), "invalid_argument", says)
    for what, data, says in (
        ("an input's name", lambda n: model([RELU], [text(1, n) + text(2, tensor_type([1]))], ["y"]), "ValueInfoProto.name"),
        ("a dimension", lambda n: model([RELU], [value_info("x", [n])], ["y"]), "dim_param"),
        ("an operator", lambda n: model([node(n, ["x"], ["y"])], [X], ["y"]), "NodeProto.op_type"),
        ("a node's input", lambda n: model([node("Relu", [n], ["y"])], [X], ["y"]), "NodeProto.input"),
        ("a node's output", lambda n: model([node("Relu", ["x"], [n])], [X], ["y"]), "NodeProto.output"),
        ("an initializer", lambda n: constant(tensor(n, [1], b"\0" * 4)), "TensorProto.name"),
        ("a domain", lambda n: SMALL + text(8, text(1, n)), "OperatorSetIdProto.domain"),
        ("a function", lambda n: SMALL + text(25, text(1, n)), "FunctionProto.name"),
        ("an attribute", lambda n: model([RELU + text(5, text(1, n))], [X], ["y"]), "AttributeProto.name"))
] + [
    ("a byte that is no UTF-8", model([node("Relu", ["x"], [b"\xff"])], [X], ["y"]), "invalid_argument", "NodeProto.output"),
    ("a surrogate", model([node("Relu", ["x"], [b"\xed\xa0\x80"])], [X], ["y"]), "invalid_argument", "NodeProto.output"),
    ("an over-long slash", model([node("Relu", ["x"], [b"\xc0\xaf"])], [X], ["y"]), "invalid_argument", "NodeProto.output"),
    ("half a character", model([node("Relu", ["x"], [b"a\xe2\x82"])], [X], ["y"]), "invalid_argument", "NodeProto.output"),
    ("a name of 65,536 bytes", model([node("Relu", ["x"], ["y" * 65536])], [X], ["y" * 65536]), "ok"),
    ("a name of one byte more", model([node("Relu", ["x"], ["y" * 65537])], [X], ["y"]), "resource_exhausted", "name_bytes"),
    ("a name of a megabyte", model([node("Relu", ["x"], ["y"], "n" * (1 << 20))], [X], ["y"]), "resource_exhausted",
     "name_bytes"),
    ("an operator without a name", model([node("", ["x"], ["y"])], [X], ["y"]), "UNKNOWN_OPERATOR", ""),
    ("nodes without outputs", model([node("Relu", ["x"], []), node("Relu", ["x"], [""])], [X], []), "OUTPUT_COUNT", "Relu"),
    ("an input without a name", model([RELU], [X, text(2, tensor_type([1]))], ["y"]), "any"),
] + [
    ("%r in every name" % c, model([op("Add", [c + "x", c + "z"], [c + "y"], c + "n"), op("Re" + c, [c + "y"], [c + "w"])],
                                   [value_info(c + "x", [c + "N", 2]), value_info(c + "z", [c + "M", 3])], [c + "y"]),
     "DIM_MISMATCH", c + "n")
    for c in ("\"", "\\", "\n", "\x01", "\x7f", "\u2028", "\U0001f600", "</script>", "%s%n", "`", "*", "{}[]")
]


def integer_rows():
    """Every integer field that the engine reads, at its ends."""
    fields = {
        "ir_version": lambda v: SMALL + number(1, v),
        "model_version": lambda v: SMALL + number(5, v),
        "opset version": lambda v: number(1, 8) + text(8, number(2, v)) + text(7, graph([RELU], [X], ["y"])),
        "elem_type": lambda v: input_of(text(1, number(1, v) + text(2, text(1, number(1, 2))))),
        "sparse elem_type": lambda v: input_of(text(8, number(1, v))),
        "key_type": lambda v: input_of(text(5, number(1, v) + text(2, tensor_type([1])))),
        "dim_value": lambda v: model([RELU], [value_info("x", [v, 2])], ["y"]),
        "data_type": lambda v: constant(number(1, 1) + number(2, v) + text(8, "w") + text(9, b"\0" * 8)),
        "dims of an initializer": lambda v: constant(number(1, v) + number(2, 1) + text(8, "w") + text(9, b"\0" * 4)),
        "dims, two of them": lambda v: constant(number(1, v) * 2 + number(2, 1) + text(8, "w")),
        "data_location": lambda v: constant(tensor("w", [1], b"\0" * 4) + number(14, v)),
        "an attribute's type": lambda v: model([RELU + text(5, text(1, "axis") + number(20, v))], [X], ["y"]),
        "dims of a sparse tensor": lambda v: with_graph(graph([], [], []) + text(15, text(1, tensor("w", [1], b"\0" * 4))
                                                                             + number(3, v))),
        "indices of a sparse tensor": lambda v: with_graph(
            text(15, text(1, tensor("w", [1], b"\0" * 4)) + text(2, integers("", [max(-(1 << 63), min(v, (1 << 63) - 1))]))
                 + number(3, 4))),
    }
    for name, data in fields.items():
        for end in ENDS:
            yield ("%s of %d" % (name, end), data(end), "any")


def wrong_types():
    """Each field of each message in the wrong wire type: as if the field were not known."""
    for message, open_ in {"model": lambda d: SMALL + d, "graph": with_graph, "node": lambda d: with_graph(text(1, d)),
                           "attribute": lambda d: with_graph(text(1, node("Relu", ["x"], ["y"]) + text(5, d))),
                           "tensor": lambda d: with_graph(text(5, d)), "value_info": lambda d: with_graph(text(11, d)),
                           "type": lambda d: input_of(d), "function": lambda d: SMALL + text(25, d)}.items():
        all_fields = b""
        for field in range(1, 33):
            all_fields += number(field, 1) + varint(field << 3 | 5) + b"\1\2\3\4" + varint(field << 3 | 1) + b"\1" * 8
        yield ("integers in every field of a %s" % message, open_(all_fields), "any")


TENSORS = [
    ("raw_data of the wrong length", constant(tensor("w", [2], b"\0" * 7)), "TENSOR_INVALID", "w: raw_data has 7 bytes"),
    ("a vector of 2^40 without data", constant(number(1, 1 << 40) + number(2, 1) + text(8, "w")), "ok"),
    ("a product of dims past int64", constant(number(1, 1 << 40) * 2 + number(2, 1) + text(8, "w")), "TENSOR_INVALID", "w"),
    ("a negative size", constant(number(1, -2) + number(2, 1) + text(8, "w")), "TENSOR_INVALID", "-2"),
    ("rank 65", constant(number(1, 1) * 65 + number(2, 1) + text(8, "w")), "TENSOR_INVALID", "65"),
    ("rank 10,000", constant(number(1, 1) * 10000 + number(2, 1) + text(8, "w")), "TENSOR_INVALID", "10000"),
    ("an unknown data_type", constant(number(1, 1) + number(2, 99) + text(8, "w")), "TENSOR_INVALID", "99"),
    ("data in two places", constant(tensor("w", [1], b"\0" * 4) + varint(4 << 3 | 5) + b"\0" * 4), "TENSOR_INVALID", "w"),
    ("data in the wrong field", constant(number(1, 1) + number(2, 1) + number(7, 1) + text(8, "w")), "TENSOR_INVALID", "w"),
    ("4,097 elements", constant(integers("w", range(4097))), "ok"),
    ("odd external data", constant(number(1, 3) + number(2, 1) + text(8, "w") + number(14, 1) + text(13, b"")
                                   + text(13, text(1, "location") + text(2, "../../etc/passwd"))
                                   + text(13, text(1, "offset") + text(2, "-1")) + text(13, text(1, "length") + text(2, "x"))),
     "ok"),
    ("a sparse tensor of nothing", with_graph(text(15, b"")), "any"),
    ("rank 64 input", model([RELU], [value_info("x", [2] * 64)], ["y"]), "any"),
    ("rank 65 input", model([RELU], [value_info("x", [2] * 65)], ["y"]), "RANK_LIMIT", "x"),
]


def nesting_rows():
    one = text(1, "x")
    seq = lambda inner: text(4, text(1, inner))
    opt = lambda inner: text(9, text(1, inner))
    for count in (15, 16, 17, 60, 97):
        yield ("%d sequences of optionals" % count, with_graph(graph(
            [node("Identity", ["x"], ["y"])],
            [one + text(2, nested(lambda i: seq(opt(i)), count // 2, tensor_type([1])))], ["y"])), "any")
    yield ("sequences past message_depth", with_graph(graph([], [one + text(2, nested(seq, 100, tensor_type([1])))])),
           "resource_exhausted", "message_depth")

    def branches(inner):
        branch = Subgraph(inner)
        return graph([op("If", ["b"], ["w"], "if", then_branch=branch, else_branch=branch)], [], ["w"])
    deep = graph([node("Relu", ["x"], ["w"])], [], ["w"])
    bool_in = text(11, value_info("b", [], 9)) + text(11, X)

    def chained(inner):
        return graph([op("If", ["b"], ["w"], "if", then_branch=Subgraph(inner), else_branch=Subgraph(deep))], [], ["w"])
    yield ("If in both branches, 2^12 of them", with_graph(nested(branches, 12, deep) + bool_in), "ok")
    yield ("63 branches deep", with_graph(nested(chained, 63, deep) + bool_in), "ok")
    yield ("66 branches deep", with_graph(nested(chained, 66, deep) + bool_in), "resource_exhausted", "message_depth")
    calls = lambda count: model([op("f%d" % count, ["x"], ["y"], domain="f")], [X], ["y"]) + text(8, F_IMPORT) + b"".join(
        function("f%d" % i, ["x"], ["y"], [op("f%d" % (i - 1), ["x"], ["y"], domain="f") if i else RELU])
        for i in range(count + 1))
    yield ("64 calls deep", calls(63), "ok")
    yield ("65 calls deep", calls(64), "GRAPH_DEPTH", "graph_depth")
    yield ("1,000 calls deep", calls(999), "GRAPH_DEPTH", "graph_depth")
    for depth in (62, 63, 64, 65, 1000, 20000):
        yield ("%d parentheses around a dimension" % depth,
               model([RELU], [X, value_info("z", ["(" * depth + "N + 1" + ")" * depth])], ["y"]), "ok")
    yield ("max in max, 70 deep", model([RELU], [X, value_info("z", ["max(N, " * 70 + "N" + ")" * 70])], ["y"]), "ok")
    yield ("a dimension of 20,000 signs", model([RELU], [X, value_info("z", ["-" * 20000 + "N"])], ["y"]), "ok")
    yield ("a power of powers", model([RELU], [X, value_info("z", ["((((N**16)**16)**16)**16)"])], ["y"]), "ok")
    yield ("a sum of 16,000 terms", model([RELU], [X, value_info("z", ["+".join(["N"] * 16000)])], ["y"]), "ok")
    yield ("a division by zero", model([RELU], [X, value_info("z", ["N//0", "N%0", "N/(N-N)"])], ["y"]), "any")


def check_truncated(client):
    """A model cut off at every byte: no answer but a model or an error that says where."""
    faults = []
    for end in range(len(SMALL)):
        status, body = client.post("/v1/models:infer", SMALL[:end])
        if status not in (200, 400) or (status == 400 and b'"invalid_argument"' not in body):
            faults.append((end, status, body[:200]))
    check("a model cut off at every byte", not faults, faults[:5])


def check_flipped(client):
    """Every byte of a model replaced by some others."""
    faults = []
    for at in range(len(SMALL)):
        for value in (0, 0x7F, 0x80, 0xFF, SMALL[at] ^ 1, SMALL[at] ^ 8):
            status, body = client.post("/v1/models:infer", SMALL[:at] + bytes([value]) + SMALL[at + 1:])
            if status not in (200, 400, 413):
                faults.append((at, value, status, body[:200]))
    check("a model with every byte replaced", not faults, faults[:5])


OPTIONS = [
    ("a binding of 2^62", chain(1), "ok", "", [("dim", "N=4611686018427387904")]),
    ("a binding past 64 bits", chain(1), "invalid_argument", "dim", [("dim", "N=99999999999999999999")]),
    ("a negative binding", chain(1), "invalid_argument", "dim", [("dim", "N=-1")]),
    ("a binding of nothing", chain(1), "invalid_argument", "dim", [("dim", "=")]),
    ("a shape of nothing", chain(1), "invalid_argument", "shape", [("shape", ":")]),
    ("a shape of rank 65", chain(1), "resource_exhausted", "rank", [("shape", "x0:" + ",".join(["1"] * 65))]),
    ("a shape of nested parentheses", chain(1), "invalid_argument", "axis 0 of x0", [("shape", "x0:" + "(" * 5000 + "N" + ")" * 5000)]),
    ("a shape of commas", chain(1), "resource_exhausted", "rank", [("shape", "x0:" + "," * 5000)]),
    ("a shape for no input", chain(1), "invalid_argument", "no input zz", [("shape", "zz:1")]),
    ("300 shapes of one input", chain(1), "any", "", [("shape", "x0:%d,3" % i) for i in range(300)]),
    ("300 bindings", chain(1), "ok", "", [("dim", "N=%d" % i) for i in range(300)]),
    ("300 bindings of no size", chain(1), "invalid_argument", "N0", [("dim", "N%d=%d" % (i, i)) for i in range(300)]),
]


def main():
    with Daemon() as daemon:
        client = Client(daemon)
        for table in (WIRE, NAMES, TENSORS, nesting_rows(), wrong_types(), integer_rows(), OPTIONS):
            check_table(client, table)
        check_truncated(client)
        check_flipped(client)
        client.close()
    finish()


if __name__ == "__main__":
    main()
