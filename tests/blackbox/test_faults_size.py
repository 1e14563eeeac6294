#!/usr/bin/env python3
"""Models that are small to send and large to work on: what multiplies, repeats and nests, within bounds of time and
memory. faults.py says what a row is."""
from faults import F_IMPORT, Client, check_table, function, graph, op, peak_kib
from harness import Daemon, check, finish
from wire import Reference, Subgraph, attribute, integers, model, node, number, text, value_info

X = value_info("x", ["N", 3])
B = value_info("b", [], 9)
M = value_info("m", [], 7)
PEAK_KIB = 1200000  # with the address sanitizer, which doubles and keeps what is freed


def chain_of(kind, count, infos, more=(), initializers=(), **attributes):
    return model([op(kind, ["x%d" % i, *(more or ["x%d" % i])], ["x%d" % (i + 1)], **attributes) for i in range(count)],
                 infos, ["x%d" % count], initializers)


def many(kind, inputs, outputs, infos=(X,), **attributes):
    return model([op(kind, inputs, outputs, "n", **attributes)], list(infos), outputs[:1])


def doubling(count, leaf, **attributes):
    """Functions that each call the one before twice."""
    functions = [function("f0", ["x"], ["y"], leaf)]
    for i in range(1, count):
        functions.append(function("f%d" % i, ["x"], ["y"], [op("f%d" % (i - 1), ["x"], ["a"], domain="f", **attributes),
                                                            op("f%d" % (i - 1), ["a"], ["y"], domain="f", **attributes)]))
    given = {k: 1 for k in attributes}
    return (model([op("f%d" % (count - 1), ["x"], ["y"], domain="f", **given)], [X], ["y"]) + text(8, F_IMPORT)
            + b"".join(functions))


def loops(depth):
    """Loops in loops whose carried values grow, each on its own."""
    def body(level):
        nodes = [op("Concat", ["v%d" % level] * 2, ["o%d" % level], axis=0),
                 node("Identity", ["c%d" % level], ["k%d" % level])]
        if level < depth:
            nodes.append(op("Loop", ["m", "", "x"], ["w%d" % level], "l", body=body(level + 1)))
        return Subgraph(graph(nodes, [value_info("i%d" % level, [], 7), value_info("c%d" % level, [], 9),
                                      value_info("v%d" % level, ["A", "B"])], ["k%d" % level, "o%d" % level]))
    return model([op("Loop", ["m", "", "x"], ["y"], "l", body=body(0))], [X, M], ["y"])


def long_paths(depth, nodes):
    """Nodes in branches in branches of long names."""
    inner = graph([node("Relu", ["x"], ["v%d" % i]) for i in range(nodes)], [], ["v0"])
    other = Subgraph(graph([node("Relu", ["x"], ["e"])], [], ["e"]))
    for level in range(depth):
        inner = graph([op("If", ["b"], ["w%d" % level], "n" * 60000, then_branch=Subgraph(inner), else_branch=other)], [],
                      ["w%d" % level])
    return number(1, 8) + text(8, number(2, 17)) + text(7, inner + text(11, X) + text(11, B))


def sequences(elements, nodes):
    return model([op("SequenceConstruct", ["x%d" % (i % 2) for i in range(elements)], ["q0"])]
                 + [op("SequenceInsert", ["q0", "x0"], ["q%d" % (i + 1)]) for i in range(nodes)],
                 [value_info("x0", ["N"] * 60), value_info("x1", ["M"] * 60)], ["q0"])


def imports(count, nodes):
    data = number(1, 8) + b"".join(text(8, text(1, "d%d" % i) + number(2, 1)) for i in range(count))
    return data + text(8, text(1, "last") + number(2, 1)) + text(7, graph(
        [op("Any", ["x%d" % i], ["x%d" % (i + 1)], domain="last") for i in range(nodes)], [value_info("x0", ["N"])], ["x1"]))


TERMS = "+".join("a%d*b%d" % (i, i) for i in range(900))
TERM_NAMES = [value_info("n%d" % j, [c + str(i) for i in range(j, 900, 30) for c in "ab"]) for j in range(30)]
CONTENT = integers("c", range(4096))

COUNTS = [
    ("1,000,000 tiny nodes", number(1, 8) + text(8, number(2, 17)) + text(7, b"\x0a\x00" * 1000000), "UNKNOWN_OPERATOR"),
    ("100,000 inputs to Concat", many("Concat", ["x"] * 100000, ["y"], axis=0), "ok"),
    ("100,000 inputs to Max", many("Max", ["x"] * 100000, ["y"]), "ok"),
    ("100,000 inputs to Relu", many("Relu", ["x"] * 100000, ["y"]), "INPUT_COUNT", "Relu"),
    ("100,000 inputs that nothing defines", many("Concat", ["u%d" % i for i in range(100000)], ["y"], axis=0),
     "UNKNOWN_INPUT", "u0"),
    ("200,000 parts of a Split", many("Split", ["x"], ["y%d" % i for i in range(200000)], num_outputs=200000), "any"),
    ("100,000 outputs of an If", many("If", ["b"], ["y%d" % i for i in range(100000)], [B]), "MISSING_ATTRIBUTE", ""),
    ("100,000 outputs of a Relu", many("Relu", ["x"], ["y%d" % i for i in range(100000)]), "OUTPUT_COUNT", ""),
    ("100,000 attributes", many("Softmax", ["x"], ["y"], **{"a%d" % i: 1 for i in range(100000)}), "UNKNOWN_ATTRIBUTE", "a0"),
    ("100,000 axes", many("Squeeze", ["x"], ["y"], axes=list(range(100000))), "any"),
    ("100,000 elements of a sequence", many("SequenceConstruct", ["x"] * 100000, ["y"]), "ok"),
    ("an equation of a megabyte", many("Einsum", ["x", "x"], ["y"], equation="," * 1000000 + "->a"), "RANK_MISMATCH", ""),
    ("an equation of 50,000 terms", many("Einsum", ["x"] * 50000, ["y"], equation=",".join(["ab"] * 50000) + "->a"), "ok"),
    ("an equation of blanks", many("Einsum", ["x", "x"], ["y"], equation=" " * 1000000 + "ab,bc->ac"), "any"),
    ("100,000 imports", imports(100000, 5000), "UNKNOWN_OPERATOR", "Any"),
    ("100,000 functions", model([node("Relu", ["x"], ["y"])], [X], ["y"]) + b"".join(
        text(25, text(1, "f%d" % i) + text(10, "f")) for i in range(100000)), "ok"),
    ("20,000 references to 20,000 attributes", model([op("f", ["x"], ["y"], domain="f",
                                                         **{"r%d" % i: 1 for i in range(20000)})], [X], ["y"])
     + text(8, F_IMPORT) + function("f", ["x"], ["y"], [node("Relu", ["x"], ["y"]) + b"".join(
         attribute("a%d" % i, Reference("r%d" % i)) for i in range(20000))]), "UNKNOWN_ATTRIBUTE"),
    ("50,000 nodes from last to first", model([node("Relu", ["x%d" % i], ["x%d" % (i + 1)]) for i in range(49999, -1, -1)],
                                              [value_info("x0", ["N"])], ["x50000"]), "UNSORTED_NODES"),
    ("a mode of 4 MB for every element", model([op("Pad", ["c", "p"], ["y"], mode="w" * 4000000)], [], ["y"],
                                               [integers("c", range(16)), integers("p", [2000, 2000])]), "any"),
    ("100,000 attributes before a mode", model([op("Pad", ["c", "p"], ["y"], **{"a%d" % i: 1 for i in range(100000)})], [],
                                               ["y"], [integers("c", range(16)), integers("p", [2000, 2000])]), "any"),
]

GROWTH = [
    ("doublings of a size", chain_of("Concat", 200, [value_info("x0", ["N", "M"])], axis=0), "any"),
    ("squares of a size", model([node("Shape", ["x"], ["s0"])] + [node("Mul", ["s%d" % i] * 2, ["s%d" % (i + 1)])
                                                                 for i in range(200)]
                                + [node("ConstantOfShape", ["s200"], ["y"])], [value_info("x", ["N", "M"])], ["y"]), "any"),
    ("products of sums", model([n for i in range(40) for n in (
        op("Shape", ["x%d" % i], ["s%d" % i]), op("ReduceSum", ["s%d" % i], ["r%d" % i], keepdims=1),
        op("Mul", ["r%d" % i, "p%d" % (i - 1) if i else "r0"], ["p%d" % i]))] + [op("ConstantOfShape", ["p39"], ["y"])],
                               [value_info("x%d" % i, ["a%d" % i, "b%d" % i]) for i in range(40)], ["y"]), "any"),
    ("broadcasts of 3,000 symbols", model([node("Max", ["x%d" % i for i in range(3000)], ["y"])],
                                          [value_info("x%d" % i, ["n%d" % i]) for i in range(3000)], ["y"]), "any"),
    ("functions that double", doubling(60, [node("Relu", ["x"], ["y"])]), "ok"),
    ("functions that double with an attribute", doubling(60, [op("Softmax", ["x"], ["y"], axis=Reference("axis"))],
                                                         axis=Reference("axis")), "ok"),
    ("loops in loops", loops(40), "LOOP_LIMIT", "l"),
    ("contents of 4,096 elements, 50 times", chain_of("Add", 50, [], ["c"], [CONTENT, integers("x0", range(4096))]), "ok"),
    ("sequences of 2,000 elements that differ", sequences(2000, 20), "any"),
    ("900 terms, 64 axes, 8 nodes", chain_of("Relu", 8, [*TERM_NAMES, value_info("x0", [TERMS + "+%d" % i
                                                                                         for i in range(64)])], [""]), "any"),
]

SMALL_ANSWERS = ("--answer-bytes", "20000000", "--nodes", "30000", "--function-bytes", "100000000")
BOUNDED = [
    ("a name of 64 KiB in 1,000 values", chain_of("Relu", 1000, [value_info("x0", ["n" * 65000])], [""]), "resource_exhausted",
     "answer_bytes"),
    ("paths of long names", long_paths(50, 100), "resource_exhausted", "answer_bytes"),
    ("900 terms, 64 axes, 300 nodes", chain_of("Relu", 300, [*TERM_NAMES, value_info("x0", [TERMS + "+%d" % i
                                                                                           for i in range(64)])], [""]),
     "resource_exhausted", "answer_bytes"),
    ("more nodes than the limit", number(1, 8) + text(8, number(2, 17)) + text(7, b"\x0a\x00" * 30001),
     "resource_exhausted", "nodes"),
    ("functions that double, with data of their own", doubling(40, [node("NonZero", ["x"], ["y"])]),
     "resource_exhausted", "nodes"),
]


def main():
    with Daemon() as daemon:
        client = Client(daemon)
        check_table(client, COUNTS, all_ways=False)
        check_table(client, GROWTH)
        client.close()
        peak = peak_kib(daemon)
        check("memory stays within %d KiB" % PEAK_KIB, peak < PEAK_KIB, peak)
    with Daemon(*SMALL_ANSWERS) as daemon:
        client = Client(daemon)
        check_table(client, BOUNDED, all_ways=False)
        client.close()
    finish()


if __name__ == "__main__":
    main()
