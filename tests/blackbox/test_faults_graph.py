#!/usr/bin/env python3
"""Hostile graphs: cycles, names that clash or are missing, subgraphs and functions that do not fit, and sizes at their
ends. faults.py says what a row is."""
from faults import F_IMPORT, Client, check_table, function, graph, op
from harness import Daemon, finish
from wire import Reference, Subgraph, attribute, integers, model, node, number, tensor, tensor_type, text, value_info

BIG = 1 << 62
LAST, FIRST = (1 << 63) - 1, -(1 << 63)
X = value_info("x", ["N", 3])
X2 = value_info("x", [2, 3])
B = value_info("b", [], 9)
M = value_info("m", [], 7)
RELU = node("Relu", ["x"], ["y"], "relu")
SEQ = text(1, "q") + text(2, text(4, text(1, tensor_type(["N", 2]))))
OPT = text(1, "o") + text(2, text(9, text(1, tensor_type(["N", 2]))))
MAP = text(1, "p") + text(2, text(5, number(1, 7) + text(2, tensor_type(["N"]))))


def one(kind, inputs=("x",), infos=(X,), contents=(), outputs=("y",), **attributes):
    """A model of one node; contents are initializers."""
    return model([op(kind, list(inputs), list(outputs), "n", **attributes)], list(infos), [o for o in outputs if o],
                 list(contents))


def called(nodes, functions):
    return model(nodes, [X], ["y"]) + text(8, F_IMPORT) + b"".join(functions)


NAMES = [
    ("a node that takes its own output", model([node("Add", ["x", "y"], ["y"], "self")], [X], ["y"]), "CYCLE", "self"),
    ("two nodes in a circle", model([node("Add", ["x", "b"], ["a"], "one"), node("Relu", ["a"], ["b"])], [X], ["b"]),
     "CYCLE", "one"),
    ("a long circle", model([node("Relu", ["c%d" % ((i + 1) % 5000)], ["c%d" % i]) for i in range(5000)], [X], ["c0"]),
     "CYCLE", "5000"),
    ("a circle through a subgraph", model([op("If", ["b"], ["w"], "if", then_branch=Subgraph(graph(
        [node("Relu", ["v"], ["t"])], [], ["t"])), else_branch=Subgraph(graph([node("Relu", ["x"], ["e"])], [], ["e"]))),
        node("Relu", ["w"], ["v"])], [X, B], ["v"]), "CYCLE", ""),
    ("nothing defines an input", model([node("Relu", ["zz"], ["y"], "n")], [X], ["y"]), "UNKNOWN_INPUT", "zz"),
    ("nothing defines an output", model([RELU], [X], ["y", "zz"]), "UNKNOWN_OUTPUT", "zz"),
    ("an input twice", model([RELU], [X, X], ["y"]), "DUPLICATE_NAME", "x"),
    ("an output twice", model([RELU, RELU], [X], ["y"]), "DUPLICATE_NAME", "y"),
    ("one node with an output twice", model([node("Split", ["x"], ["y", "y"])], [X], ["y"]), "DUPLICATE_NAME", "y"),
    ("an initializer twice", model([RELU], [X], ["y"], [integers("c", [1])] * 2), "DUPLICATE_NAME", "c"),
    ("a node's output as an initializer", model([RELU], [X], ["y"], [integers("y", [1])]), "DUPLICATE_NAME", "y"),
    ("an attribute twice", model([op("Softmax", ["x"], ["y"], axis=1) + attribute("axis", 7)], [X], ["y"]),
     "DUPLICATE_NAME", "axis"),
    ("a domain imported twice", model([RELU], [X], ["y"]) + text(8, number(2, 12)), "DUPLICATE_OPSET_IMPORT", "12"),
    ("a function twice", called([op("f", ["x"], ["y"], domain="f")], [function("f", ["x"], ["y"], [RELU])] * 2),
     "DUPLICATE_NAME", "f"),
    ("no opset for the domain", model([op("Scaler", ["x"], ["y"], domain="ai.onnx.ml")], [X], ["y"]),
     "MISSING_OPSET_IMPORT", "ai.onnx.ml"),
    ("opset 0", model([RELU], [X], ["y"], opset=0), "MISSING_OPSET_IMPORT", "Relu"),
    ("a function that calls itself", called([op("f", ["x"], ["y"], domain="f")],
                                            [function("f", ["x"], ["y"], [op("f", ["x"], ["y"], domain="f")])]),
     "RECURSIVE_FUNCTION", "f"),
    ("functions that call each other", called([op("f", ["x"], ["y"], domain="f")], [
        function("f", ["x"], ["y"], [op("g", ["x"], ["y"], domain="f")]),
        function("g", ["x"], ["y"], [op("f", ["x"], ["y"], domain="f")])]), "RECURSIVE_FUNCTION", "f"),
    ("a function that calls itself in a branch", called([op("f", ["x"], ["y"], domain="f")], [function(
        "f", ["x"], ["y"], [op("If", ["x"], ["y"], then_branch=Subgraph(graph([op("f", ["x"], ["z"], domain="f")], [], ["z"])),
                               else_branch=Subgraph(graph([node("Relu", ["x"], ["z"])], [], ["z"])))])]),
     "RECURSIVE_FUNCTION", "f"),
    ("a function's output that nothing defines", called([op("f", ["x"], ["y"], domain="f")],
                                                        [function("f", ["x"], ["zz"], [RELU])]), "UNKNOWN_OUTPUT", "zz"),
    ("a function's inputs of one name", called([op("f", ["x", "x"], ["y"], domain="f")],
                                               [function("f", ["a", "a"], ["y"], [node("Relu", ["a"], ["y"])])]),
     "DUPLICATE_NAME", "a"),
    ("more inputs than the function takes", called([op("f", ["x"] * 3, ["y"], domain="f")],
                                                   [function("f", ["x"], ["y"], [RELU])]), "INPUT_COUNT", ""),
    ("more outputs than the function gives", called([op("f", ["x"], ["y", "z"], domain="f")],
                                                    [function("f", ["x"], ["y"], [RELU])]), "OUTPUT_COUNT", ""),
    ("an attribute that refers to itself", called([op("f", ["x"], ["y"], domain="f")], [function(
        "f", ["x"], ["y"], [op("Softmax", ["x"], ["y"], axis=Reference("axis"))],
        text(11, text(1, "axis") + text(21, "axis") + number(20, 2)))]), "any"),
    ("a reference outside functions", model([op("Softmax", ["x"], ["y"], axis=Reference("a"))], [X], ["y"]), "any"),
]

BODY = Subgraph(graph([node("Identity", ["c"], ["d"]), node("Concat", ["v", "v"], ["w"]) + text(5, text(1, "axis") + number(
    3, 0) + number(20, 2))], [value_info("i", [], 7), value_info("c", [], 9), value_info("v", ["K", 3])], ["d", "w"]))
EMPTY = Subgraph(b"")
SUBGRAPHS = [
    ("If without branches", one("If", ["b"], [B]), "MISSING_ATTRIBUTE", "_branch"),
    ("If with empty branches", one("If", ["b"], [B], then_branch=EMPTY, else_branch=EMPTY), "BODY_ARITY", "then_branch"),
    ("If with a number for a branch", one("If", ["b"], [B], then_branch=1, else_branch=EMPTY), "ATTRIBUTE_TYPE",
     "then_branch"),
    ("Loop without a body", one("Loop", ["m", "", "x"], [M, X]), "MISSING_ATTRIBUTE", "body"),
    ("Loop with an empty body", one("Loop", ["m", "", "x"], [M, X], body=EMPTY), "BODY_ARITY", "body"),
    ("Loop of 2^63 - 1 iterations", one("Loop", ["k", "", "x"], [X], [integers("k", [LAST], [])], body=BODY), "ok"),
    ("Loop of -1 iterations", one("Loop", ["k", "", "x"], [X], [integers("k", [-1], [])], body=BODY), "ok"),
    ("Loop of 10 doublings of 2^62", one("Loop", ["k", "", "x"], [value_info("x", [BIG, 3])],
                                         [integers("k", [10], [])], body=BODY), "any"),
    ("Scan without a body", one("Scan", num_scan_inputs=1), "MISSING_ATTRIBUTE", "body"),
    ("Scan with an empty body", one("Scan", body=EMPTY, num_scan_inputs=1), "BODY_ARITY", "body"),
    ("Scan of 2^63 - 1 inputs", one("Scan", body=BODY, num_scan_inputs=LAST), "BODY_ARITY", "num_scan_inputs"),
    ("Scan along axis -2^63", one("Scan", body=Subgraph(graph([node("Relu", ["s"], ["t"])], [value_info("s", [3])], ["t"])),
                                  num_scan_inputs=1, scan_input_axes=[FIRST]), "AXIS_OUT_OF_RANGE", ""),
    ("SequenceMap without a body", one("SequenceMap", ["q"], [SEQ]), "MISSING_ATTRIBUTE", "body"),
    ("SequenceMap with an empty body", one("SequenceMap", ["q"], [SEQ], body=EMPTY), "BODY_ARITY", "body"),
    ("SequenceMap of a tensor", one("SequenceMap", body=Subgraph(graph([node("Relu", ["s"], ["t"])], [value_info("s", [3])],
                                                                      ["t"]))), "any"),
    ("Relu of a sequence", one("Relu", ["q"], [SEQ]), "TYPE_MISMATCH", "q"),
    ("Relu of an optional", one("Relu", ["o"], [OPT]), "any"),
    ("Relu of a map", one("Relu", ["p"], [MAP]), "TYPE_MISMATCH", "p"),
    ("SequenceAt of a tensor", one("SequenceAt", ["x", "m"], [X, M]), "TYPE_MISMATCH", "x"),
    ("SequenceInsert of a sequence", one("SequenceInsert", ["q", "q"], [SEQ]), "TYPE_MISMATCH", "q"),
    ("SequenceAt past the end", model([op("SequenceConstruct", ["x"], ["q"]), op("SequenceAt", ["q", "k"], ["y"])], [X],
                                      ["y"], [integers("k", [LAST], [])]), "INDEX_OUT_OF_RANGE", ""),
    ("OptionalGetElement of nothing", one("OptionalGetElement", [], []), "MISSING_INPUT", ""),
    ("ConcatFromSequence of a map", one("ConcatFromSequence", ["p"], [MAP], axis=0), "TYPE_MISMATCH", "p"),
]

HUGE = value_info("x", [BIG, BIG])
SIZES = [
    ("Flatten past int64", one("Flatten", infos=[HUGE], axis=0), "DIM_OVERFLOW", ""),
    ("Reshape past int64", one("Reshape", ["x", "s"], [HUGE], [integers("s", [-1])]), "DIM_OVERFLOW", ""),
    ("Reshape to 2^62 x 2^62", one("Reshape", ["x", "s"], [X2], [integers("s", [BIG, BIG])]), "any"),
    ("Reshape to -2^63", one("Reshape", ["x", "s"], [X2], [integers("s", [FIRST, 1])]), "any"),
    ("Reshape by two -1", one("Reshape", ["x", "s"], [X2], [integers("s", [-1, -1])]), "any"),
    ("Size past int64", one("Size", infos=[HUGE]), "any"),
    ("Concat past int64", one("Concat", ["x"] * 3, [HUGE], axis=0), "DIM_OVERFLOW", ""),
    ("Tile to 2^63 - 1", one("Tile", ["x", "r"], [value_info("x", [7, 1])], [integers("r", [LAST // 7, LAST])]), "ok"),
    ("Tile past int64", one("Tile", ["x", "r"], [X2], [integers("r", [LAST, LAST])]), "DIM_OVERFLOW", ""),
    ("Tile by -1", one("Tile", ["x", "r"], [X2], [integers("r", [-1, 2])]), "any"),
    ("Expand to 2^40", one("Expand", ["x", "s"], [value_info("x", [1])], [integers("s", [1 << 40])]), "ok"),
    ("ConstantOfShape of 2^40", one("ConstantOfShape", ["s"], [], [integers("s", [1 << 40])]), "ok"),
    ("ConstantOfShape of -1", one("ConstantOfShape", ["s"], [], [integers("s", [-1])]), "NEGATIVE_SIZE", "-1"),
    ("ConstantOfShape of rank 65", one("ConstantOfShape", ["s"], [], [integers("s", [1] * 65)]), "RANK_LIMIT", "65"),
    ("ConstantOfShape of rank 2^40", one("ConstantOfShape", ["x"], [value_info("x", [1 << 40], 7)]), "any"),
    ("Range of 2^40", one("Range", ["a", "l", "d"], [], [integers("a", [0], []), integers("l", [1 << 40], []),
                                                         integers("d", [1], [])]), "ok"),
    ("Range of 2^64", one("Range", ["a", "l", "d"], [], [integers("a", [FIRST], []), integers("l", [LAST], []),
                                                         integers("d", [1], [])]), "any"),
    ("Range by 0", one("Range", ["a", "l", "d"], [], [integers("a", [0], []), integers("l", [1], []),
                                                      integers("d", [0], [])]), "any"),
    ("Range by -2^63", one("Range", ["a", "l", "d"], [], [integers("a", [LAST], []), integers("l", [FIRST], []),
                                                          integers("d", [FIRST], [])]), "ok"),
    ("Pad past int64", one("Pad", ["x", "p"], [X2], [integers("p", [LAST, 0, LAST, 0])]), "DIM_OVERFLOW", ""),
    ("Pad below zero", one("Pad", ["x", "p"], [X2], [integers("p", [-2, 0, -1, 0])]), "NEGATIVE_SIZE", "-1"),
    ("Pad by -2^63", one("Pad", ["x", "p"], [X2], [integers("p", [FIRST, 0, FIRST, 0])]), "any"),
    ("Slice at the ends of int64", one("Slice", ["x", "a", "e", "n", "t"], [X2], [
        integers("a", [LAST, FIRST]), integers("e", [FIRST, LAST]), integers("n", [0, 1]), integers("t", [FIRST, LAST])]),
     "ok"),
    ("Slice by 0", one("Slice", ["x", "a", "e", "n", "t"], [X2], [integers("a", [0]), integers("e", [1]), integers("n", [0]),
                                                                 integers("t", [0])]), "any"),
    ("Gather at 2^63 - 1", one("Gather", ["k", "i"], [], [integers("k", [1, 2]), integers("i", [LAST])]), "any"),
    ("OneHot of 2^63 - 1", one("OneHot", ["x", "k", "v"], [X2], [integers("k", [LAST], []), integers("v", [0, 1])]), "ok"),
    ("TopK of -1", one("TopK", ["x", "k"], [X2], [integers("k", [-1])], ("y", "z")), "any"),
    ("Resize to 2^62", one("Resize", ["x", "", "", "s"], [X2], [integers("s", [BIG, BIG])]), "ok"),
    ("Resize by infinity", one("Resize", ["x", "", "s"], [X2], [tensor("s", [2], b"\0\0\x80\x7f" * 2)]), "any"),
    ("Resize by NaN", one("Resize", ["x", "", "s"], [X2], [tensor("s", [2], b"\0\0\xc0\x7f" * 2)]), "any"),
    ("Upsample by 1e38", model([op("Upsample", ["x", "s"], ["y"])], [X2], ["y"],
                               [tensor("s", [2], b"\x99\x76\x96\x7e" * 2)], opset=9), "any"),
    ("Split into 0", one("Split", infos=[X2], outputs=[]), "OUTPUT_COUNT", ""),
    ("DepthToSpace by 2^62", one("DepthToSpace", infos=[value_info("x", [1, 4, 2, 2])], blocksize=BIG), "any"),
    ("SpaceToDepth by 0", one("SpaceToDepth", infos=[value_info("x", [1, 4, 2, 2])], blocksize=0), "any"),
    ("strides of 0", one("Conv", ["x", "w"], [value_info("x", [1, 3, 8, 8]), value_info("w", [4, 3, 3, 3])],
                         strides=[0, 0]), "ATTRIBUTE_VALUE", "strides"),
    ("dilations of 2^63 - 1", one("Conv", ["x", "w"], [value_info("x", [1, 3, 8, 8]), value_info("w", [4, 3, 3, 3])],
                                  dilations=[LAST, LAST]), "any"),
    ("pads of 2^63 - 1", one("Conv", ["x", "w"], [value_info("x", [1, 3, 8, 8]), value_info("w", [4, 3, 3, 3])],
                             pads=[LAST] * 4), "DIM_OVERFLOW", ""),
    ("a kernel of 0", one("MaxPool", infos=[value_info("x", [1, 3, 8, 8])], kernel_shape=[0, 0]), "ATTRIBUTE_VALUE",
     "kernel_shape"),
    ("a group of 0", one("Conv", ["x", "w"], [value_info("x", [1, 3, 8, 8]), value_info("w", [4, 3, 3, 3])], group=0),
     "ATTRIBUTE_VALUE", "group"),
    ("a group of -2^63", one("Conv", ["x", "w"], [value_info("x", [1, 3, 8, 8]), value_info("w", [4, 3, 3, 3])],
                             group=FIRST), "ATTRIBUTE_VALUE", "group"),
    ("ConvTranspose past int64", one("ConvTranspose", ["x", "w"], [value_info("x", [1, 3, BIG, 8]),
                                                                   value_info("w", [3, 4, 3, 3])], strides=[4, 1]),
     "DIM_OVERFLOW", ""),
    ("ConvTranspose's padding of 2^63 - 1", one("ConvTranspose", ["x", "w"], [
        value_info("x", [1, 3, 8, 8]), value_info("w", [3, 4, 3, 3])], output_padding=[LAST, LAST]),
     "ATTRIBUTE_VALUE", ""),
    ("and less than its dilation", one("ConvTranspose", ["x", "w"], [
        value_info("x", [1, 3, 8, 8]), value_info("w", [3, 4, 1, 1])], output_padding=[LAST - 1] * 2,
        dilations=[LAST] * 2), "DIM_OVERFLOW", ""),
    ("Gemm of 2^62", one("Gemm", ["x", "x"], [HUGE]), "ok"),
    ("a Kronecker of sizes", one("Einsum", ["x", "x"], [HUGE], equation="ij,kl->ijkl"), "ok"),
    ("an equation of NULs", one("Einsum", equation="ij\0->i"), "any"),
    ("an ellipsis of dots", one("Einsum", equation="." * 5000), "EQUATION_INVALID", ""),
    ("Cast to 2^63 - 1", one("Cast", to=LAST), "any"),
    ("Transpose by rubbish", one("Transpose", perm=[FIRST, LAST]), "any"),
    ("Transpose by one axis twice", one("Transpose", perm=[0, 0]), "any"),
    ("Squeeze of 100 axes", one("Squeeze", ["x", "s"], [X2], [integers("s", range(100))]), "AXIS_OUT_OF_RANGE", ""),
    ("Unsqueeze of 4,096 axes", one("Unsqueeze", ["x", "s"], [X2], [integers("s", range(4096))]), "any"),
]


def main():
    with Daemon() as daemon:
        client = Client(daemon)
        for table in (NAMES, SUBGRAPHS, SIZES):
            check_table(client, table)
        client.close()
    finish()


if __name__ == "__main__":
    main()
