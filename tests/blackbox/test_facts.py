#!/usr/bin/env python3
"""What one node says of a size holds for later ones, unless that node may not run; and what inputs must say."""
from build import ELEMENTS, const, graph, infer, model, op
from harness import Daemon, equal, finish

INPUTS = ["x: float[B,C,L]", "w: float[C,1,K]", "c: bool[]"]

# The last K - 1 elements along axis 2, as the state of a causal convolution.
TAIL = [const("one", "int64[1]", [1]), const("axis", "int64[1]", [2]), op("k = Shape(w)", start=2, end=3),
        op("less = Sub(k, one)"), op("end = Shape(x)", start=2, end=3), op("start = Sub(end, less)"),
        op("tail = Slice(x, start, end, axis)")]


def sizes(daemon):
    convolution = op("y = Conv(x, w)", kernel_shape=[])
    seen = infer(daemon, model(graph([convolution] + TAIL, INPUTS, ["tail"])))
    equal("a kernel that fits tells where a slice begins", seen["tail"], "float[B,C,K-1]")
    seen = infer(daemon, model(graph(TAIL, INPUTS, ["tail"])))
    equal("without it that is open", seen["tail"], "float[B,C,?1]")
    branches = {"then_branch": graph([convolution], [], ["y"]), "else_branch": graph([op("z = Relu(x)")], [], ["z"])}
    seen = infer(daemon, model(graph([op("v = If(c)", **branches)] + TAIL, INPUTS, ["tail"])))
    equal("and so it is when only one branch has it", seen["tail"], "float[B,C,?2]")


def elements(daemon):
    """Without the element that is smaller than the others they have one size; with it they still have not."""
    split = [const("two", "int64[]", [2]), op("s = SplitToSequence(v, two)", axis=0), op("t = SequenceErase(s)"),
             op("y = ConcatFromSequence(t)", axis=0, new_axis=1)]
    seen = infer(daemon, model(graph(split, ["v: float[N,3]"], ["y: float[M,2,3]"])))
    equal("those that are left", (seen["t"], seen["y"]), ("seq(float[2,3])*(N+1)//2-1", "float[(N+1)//2-1,2,3]"))
    equal("all of them", seen["s"], "seq(float[?1,3])*(N+1)//2")


def written_twice(daemon):
    """The same operator of the same inputs and attributes gives the same sizes."""
    mask = ["m: bool[N]", "x: float[N,C]", "s: float[K]"]
    both = [op("a = NonZero(m)"), op("b = NonZero(m)")]
    seen = infer(daemon, model(graph(both + [op("y = Concat(a, b)", axis=1)], mask, ["y"])))
    equal("one mask", (seen["a"], seen["b"], seen["y"]), ("int64[1,?1]", "int64[1,?1]", "int64[1,2*?1]"))
    seen = infer(daemon, model(graph([op("a = NonZero(m)"), op("b = NonZero(s)")], mask, ["b"])))
    equal("two values", (seen["a"], seen["b"]), ("int64[1,?1]", "int64[1,?2]"))
    seen = infer(daemon, model(graph([op("a = Compress(x, m)", axis=0), op("b = Compress(x, m)", axis=0),
                                      op("d = Compress(x, m)", axis=1)], mask, ["b"])))
    equal("other attributes", (seen["a"], seen["b"], seen["d"]), ("float[?1,C]", "float[?1,C]", "float[N,?2]"))
    found = {"then_branch": graph([op("t = NonZero(m)")], [], ["t"]),
             "else_branch": graph([op("u = NonZero(m)")], [], ["u"])}
    seen = infer(daemon, model(graph([op("z = If(c)", **found)], mask + ["c: bool[]"], ["z"])))
    equal("branches know nothing of each other", seen["z"], "int64[1,?3]")


def element_types(daemon):
    undefined = dict(ELEMENTS)
    ELEMENTS["undefined"] = 0
    for kind in ("undefined[N]", "seq(undefined[N])"):
        seen = infer(daemon, model(graph([op("y = Identity(x)")], ["x: " + kind], ["y"])))
        equal("%s is no type of an input" % kind, seen.reasons, ["ELEMENT_TYPE"])
    equal("strict refuses it", infer(daemon, model(graph([], ["x: undefined"], [])), strict=1).status, 400)
    ELEMENTS.clear()
    ELEMENTS.update(undefined)


def cut_and_joined(daemon):
    """A tensor that is split into a sequence and joined again on the same axis keeps its size, for any number of chunks."""
    for sizes, name in (("x: float[N,?,3]", "a size without a name"), ("x: float[N,M,3]", "a named one")):
        split = [const("two", "int64[]", [2]), op("q = SplitToSequence(x, two)", axis=0),
                 op("e = SplitToSequence(x)", axis=0), op("y = ConcatFromSequence(q)", axis=0),
                 op("z = ConcatFromSequence(e)", axis=0), op("w = ConcatFromSequence(e)", axis=1),
                 op("v = SequenceAt(e, at)"), op("i = Identity(q)"), op("u = ConcatFromSequence(i)", axis=0)]
        seen = infer(daemon, model(graph(split, [sizes, "at: int64[]"], ["y"])))
        middle = "?1" if "?" in sizes else "M"
        equal("%s beside" % name, [seen[v] for v in "yzuwv"],
              ["float[N,%s,3]" % middle] * 3 + ["float[1,N*%s,3]" % middle, "float[1,%s,3]" % middle])


def told_when(daemon):
    """That a size is a number counts for all nodes, whichever comes first."""
    one, weights = const("one", "int64[1]", [1]), const("w", "float[4,1]", [0] * 4)
    sizes, fact = [op("s = Shape(x)"), op("a = Max(s, one)")], [op("p = MatMul(x, w)")]
    for nodes in (sizes + fact, fact + sizes):
        seen = infer(daemon, model(graph([one, weights] + nodes, ["x: float[N,K]"], ["a"])))
        equal("a size that a MatMul fixes", seen.contents["a"], ["max(N, 1)", "K"])


def kept(daemon):
    """What does not hang on the sizes that are at fault is told: element types, ranks and other sizes, here and further
    on."""
    nodes = [op("y = MatMul(x, w)"), op("z = Cast(y)", to=7)]
    seen = infer(daemon, model(graph(nodes, ["x: float[2,4]", "w: float[5,7]"], ["y", "z"])))
    equal("element types", (seen["y"], seen["z"], seen.reasons), ("float[2,7]", "int64[2,7]", ["DIM_MISMATCH"]))
    for written, inputs, wanted in (
            ("MatMul(x, w)", ["x: float[B,N,4]", "w: float[5,M]"], "float[B,N,M]"),
            ("Add(x, w)", ["x: float[N,4]", "w: float[M,N,5]"], "float[M,N,?1]"),
            ("Concat(x, w)", ["x: float[N,4]", "w: float[M,5]"], "float[?1,?2]"),
            ("Conv(x, w)", ["x: float[N,3,H,W]", "w: float[8,4,3,3]"], "float[N,8,?1,?2]"),
            ("Gather(x, three)", ["x: float[3,N]"], "float[1,N]"), ("TopK(x, three)", ["x: float[N,2]"], "float[N,3]"),
            ("Einsum(x, w)", ["x: float[N,4]", "w: float[5,M]"], "float[N,M]")):
        more = {"Concat": {"axis": 0}, "Einsum": {"equation": "ij,jk->ik"}}.get(written.partition("(")[0], {})
        nodes = [const("three", "int64[1]", [3]), op("y%s = %s" % (", i" if "TopK" in written else "", written), **more)]
        seen = infer(daemon, model(graph(nodes, inputs, ["y"])))
        equal("of %s what does not hang on its fault" % written, (seen["y"], seen.json["summary"]["errors"]), (wanted, 1))


def main():
    with Daemon() as daemon:
        kept(daemon)
        sizes(daemon)
        cut_and_joined(daemon)
        told_when(daemon)
        elements(daemon)
        written_twice(daemon)
        element_types(daemon)
    finish()


if __name__ == "__main__":
    main()
