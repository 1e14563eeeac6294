#!/usr/bin/env python3
"""Conditions for a model to run, assumptions, and bounds of sizes that depend on data."""
from build import const, graph, infer, model, op
from harness import Daemon, check, equal, finish


def numbers(name, *elements):
    return const(name, "int64[%d]" % len(elements), list(elements))


def answer(daemon, nodes, inputs, outputs, **options):
    return infer(daemon, model(graph(nodes, inputs, outputs)), **options)


def rows(seen, which="assumptions"):
    return ["%s %s %s" % (r["left"], r["relation"], r["right"]) for r in seen.json.get(which, [])]


# The first `seq` rows of a table of 512, added to what is `seq` long, as exporters write learned positions.
POSITIONS = [numbers("zero", 0), numbers("one", 1), op("s = Shape(x)", start=1, end=2),
             op("p = Slice(table, zero, s, zero)", "cut"), op("y = Add(x, p)", "embed")]


def conditions(daemon):
    inputs = ["x: float[batch,seq,8]", "table: float[512,8]"]
    seen = answer(daemon, POSITIONS, inputs, ["y"])
    equal("sizes are written under what must hold", (seen["p"], seen["y"], seen.constraints),
          ("float[seq,8]", "float[batch,seq,8]", ["seq <= 512"]))
    equal("a condition says whose it is", seen.json["constraints"][0],
          {"left": "seq", "relation": "<=", "right": "512", "node": "embed", "nodeIndex": 4, "op": "Add", "value": "p"})
    nodes = [op("y = Conv(x, v)"), op("z = Conv(x, w)"), op("u = MaxPool(x)", kernel_shape=[2])]
    inputs = ["x: float[1,1,L]", "v: float[1,1,3]", "w: float[1,1,9]"]
    for order in (nodes, nodes[::-1]):
        seen = answer(daemon, order, inputs, ["y", "z", "u"])
        equal("of several bounds the closest is told", seen.constraints, ["L >= 9"])
    pads = [op("a = Conv(x, y)"), op("b = Conv(x, y)", pads=[0, 2]), op("c = Conv(x, y)", pads=[0, 1])]
    for order in (pads, pads[::-1]):
        seen = answer(daemon, order, ["x: float[1,1,N]", "y: float[1,1,M]"], ["a", "b", "c"])
        equal("and so it is of bounds by another size", seen.constraints, ["M <= N + 1"])
    seen = answer(daemon, [op("y = Conv(x, v)"), op("z = Gather(y, i)", axis=2), const("i", "int64[]", [4])],
                  ["x: float[1,1,L]", "v: float[1,1,3]"], ["z"])
    equal("through what lies between", seen.constraints, ["L >= 7"])
    seen = answer(daemon, [op("h = MaxPool(x)", kernel_shape=[2], strides=[2]), op("d = ConvTranspose(h, w)", strides=[2]),
                           op("y = Add(x, d)", "skip")], ["x: float[1,1,L]", "w: float[1,1,2]"], ["y"])
    equal("a skip connection that wants multiples", (seen["y"], seen.constraints),
          ("float[1,1,L]", ["L >= 2", "2 divides L"]))
    seen = answer(daemon, [numbers("k", 3), op("v, i = TopK(x, k)"), op("y = Slice(v, k, k)")], ["x: float[2]"], ["y"])
    equal("what cannot hold is an error", seen.reasons, ["ATTRIBUTE_VALUE"])


def multiples(daemon):
    """Sizes are written under what must divide them, whatever comes first."""
    weights = [const("w2", "float[1,1,2]", [0, 0])]
    down = [op("h = MaxPool(x)", kernel_shape=[2], strides=[2]), op("g = MaxPool(h)", kernel_shape=[2], strides=[2])]
    back = [op("gu = ConvTranspose(g, w2)", strides=[2]), op("z = Add(h, gu)"),
            op("zu = ConvTranspose(z, w2)", strides=[2]), op("y = Add(x, zu)")]
    seen = answer(daemon, weights + down + back, ["x: float[1,1,L]"], ["y"])
    equal("two levels of a U-Net", ([seen[v] for v in ("g", "gu", "zu", "y")], seen.constraints),
          (["float[1,1,L//4]", "float[1,1,L//2]", "float[1,1,L]", "float[1,1,L]"], ["L >= 4", "4 divides L"]))
    claimed = answer(daemon, weights + down[:1] + [op("u = ConvTranspose(h, w2)", strides=[2])], ["x: float[1,1,L]"],
                     ["u: float[1,1,L]"])
    equal("not under what is only declared", (claimed["u"], claimed.constraints),
          ("float[1,1,2*(L//2)]", ["L >= 2", "2 divides L"]))
    halves = [numbers("s", 4, 12), op("a, b = Split(x)", axis=0), op("y = Reshape(b, s)")]
    seen = answer(daemon, halves, ["x: float[L,12]"], ["y"])
    equal("a multiple that is one number", seen.constraints, ["L == 8"])
    inputs = ["x: float[N,H,3]", "p: float[1,1,H]"]
    windows = [numbers("s", 0, -1, 32, 3), op("t = Reshape(x, s)"), numbers("b", 0, -1, 3), op("y = Reshape(t, b)")]
    halves = [op("q = MaxPool(p)", kernel_shape=[2], strides=[2]), const("k", "float[1,1,8]", [0] * 8),
              op("r = Conv(p, k)", strides=[8], pads=[0, 7])]
    for nodes in (windows + halves, halves + windows):
        seen = answer(daemon, nodes, inputs, ["y", "q", "r"])
        equal("windows", ([seen[v] for v in "tyqr"], [c for c in seen.constraints if ">=" not in c]),
              (["float[N,H//32,32,3]", "float[N,H,3]", "float[1,1,H//2]", "float[1,1,H//8]"], ["32 divides H"]))
    some = {"then_branch": graph(windows, [], ["y"]), "else_branch": graph([op("u = Relu(x)")], [], ["u"])}
    seen = answer(daemon, [op("v = If(c)", **some), numbers("a", -1, 2), op("f = Reshape(p, a)"),
                           op("m = Conv(p, k)", strides=[32], pads=[0, 31]), const("k", "float[1,1,32]", [0] * 32)],
                  inputs + ["c: bool[]"], ["v", "m"])
    equal("not under what holds in a branch alone", seen["m"], "float[1,1,(H+31)//32]")
    one = [numbers("s", -1, 4), op("t = Reshape(x, s)", "four")]
    odd = [const("e", "float[1]", [0]), op("j = Concat(x, e)", axis=0), numbers("d", -1, 2), op("m = Reshape(j, d)", "two")]
    seen = answer(daemon, one + odd, ["x: float[H]"], ["t", "m"])
    equal("what they exclude is an error", [(d["node"], d["hint"]) for d in seen.json["diagnostics"]],
          [("two", "node 1 (four, Reshape) takes H to be a multiple of 4")])
    seen = answer(daemon, odd + one, ["x: float[H]"], ["t", "m"])
    equal("in either order", [(d["node"], d["message"]) for d in seen.json["diagnostics"]],
          [("four", "H must be a multiple of 4, but H + 1 must be a multiple of 2 for node 3 (two, Reshape)")])
    both = [op("m = Reshape(x, d)"), numbers("d", -1, 6), op("n = Reshape(x, f)"), numbers("f", -1, 4)]
    seen = answer(daemon, both, ["x: float[H]"], ["m", "n"])
    equal("no divisor hides another", seen.constraints, ["6 divides H", "4 divides H"])


def scopes(daemon):
    branches = {"then_branch": graph([op("t = Squeeze(x, a)"), numbers("a", 0)], [], ["t"]),
                "else_branch": graph([op("u = Conv(x3, w)")], [], ["u"])}
    seen = answer(daemon, [op("y = If(c)", "choice", **branches)],
                  ["x: float[N,5]", "x3: float[1,1,L]", "w: float[1,1,3]", "c: bool[]"], ["y"])
    found = [(r["left"], r["relation"], r["right"], r["scope"]) for r in seen.json["constraints"]]
    equal("a branch's conditions are its own", found,
          [("N", "==", "1", "choice/then_branch"), ("L", ">=", "3", "choice/else_branch")])
    text = daemon.post("/v1/models:infer?format=text", model(graph(
        [op("y = If(c)", "choice", **branches)], ["x: float[N,5]", "x3: float[1,1,L]", "w: float[1,1,3]", "c: bool[]"],
        ["y"]))).body.decode()
    check("in the table too", "must hold: N == 1  (Squeeze 0 in choice/then_branch)" in text, text)


def tail(length):
    """x without all but its last `length` elements along axis 1."""
    return [numbers("zero", 0), numbers("one", 1), numbers("all", 2**31 - 1), op("s = Shape(%s)" % length, start=1, end=2),
            op("from = Sub(zero, s)"), op("y = Slice(x, from, all, one)", "cut")]


def assumptions(daemon):
    inputs = ["x: float[N,L]", "q: float[N,seq]"]
    seen = answer(daemon, tail("q"), inputs, ["y"])
    equal("the last seq", (seen["y"], rows(seen), seen.constraints), ("float[N,min(L,seq)]", ["seq >= 1"], []))
    equal("with who wants it", {k: seen.json["assumptions"][0][k] for k in ("node", "nodeIndex", "op", "value")},
          {"node": "cut", "nodeIndex": 5, "op": "Slice", "value": "y"})
    seen = answer(daemon, tail("q"), inputs, ["y"], assume="none")
    equal("not if nothing is to be taken for granted", (seen["y"], "assumptions" in seen.json), ("float[N,?1]", False))
    behind = [numbers("one", 1), numbers("all", 2**31 - 1), op("y = Slice(x, one, all, one)", "rest")]
    seen = answer(daemon, behind, inputs, ["y"])
    equal("all but the first", (seen["y"], rows(seen)), ("float[N,L-1]", ["L >= 1"]))
    equal("which may be none", answer(daemon, behind, inputs, ["y"], assume="none")["y"], "float[N,max(L-1,0)]")
    seen = answer(daemon, behind + [op("z = Gather(x, i)", axis=1), const("i", "int64[]", [0])], inputs, ["y", "z"])
    equal("what must hold need not be taken for granted", (seen["y"], rows(seen), seen.constraints),
          ("float[N,L-1]", [], ["L >= 1"]))
    first = [numbers("zero", 0), numbers("one", 1), op("y = Slice(past, zero, one, one)")]
    inputs = ["past: float[N,P]", "x: float[N,L]"]
    seen = answer(daemon, first, inputs, ["y"])
    equal("the first", (seen["y"], rows(seen)), ("float[N,1]", ["P >= 1"]))
    grown = first + [op("k = Concat(past, x)", axis=1)]
    seen = answer(daemon, grown, inputs, ["y", "k"])
    equal("a cache that grows begins empty", (seen["y"], seen["k"], rows(seen)),
          ("float[N,min(P,1)]", "float[N,P+L]", []))
    bias = [op("k = Concat(past, x)", axis=1), op("s = Shape(x)", start=1, end=2), op("back = Neg(s)"), numbers("one", 1),
            numbers("all", 2**31 - 1), op("y = Slice(k, back, all, one)", "cut")]
    seen = answer(daemon, bias, inputs, ["y"])
    equal("what is added to a cache is not empty", (seen["y"], rows(seen)), ("float[N,L]", ["L >= 1"]))
    equal("assume has two words", answer(daemon, first, inputs, ["y"], assume="some").status, 400)


def symbol(seen, op_type):
    found = [s for s in seen.json["symbols"] if s.get("op") == op_type]
    return (found[0].get("min"), found[0].get("max")) if found else None


def bounds(daemon):
    seen = answer(daemon, [op("y = NonZero(x)")], ["x: bool[N,4]"], ["y"])
    equal("NonZero", symbol(seen, "NonZero"), (0, "4*N"))
    joined = {"then_branch": graph([op("t = Concat(past, x)", axis=0)], [], ["t"]), "else_branch": graph([op("e = Relu(x)")], [], ["e"])}
    seen = answer(daemon, [op("y = If(c)", **joined)], ["x: float[L]", "past: float[P]", "c: bool[]"], ["y"])
    equal("one of two branches", symbol(seen, "If"), (0, "L + P"))
    pair = [op("q = SequenceConstruct(x, y)"), op("z = SequenceAt(q, i)")]
    seen = answer(daemon, pair, ["x: float[2,4]", "y: float[6,4]", "i: int64[]"], ["z"])
    equal("one of two elements", symbol(seen, "SequenceAt") or symbol(seen, "SequenceConstruct"), (2, 6))
    for what, split, found in (("a size", const("s", "int64[]", [4]), (0, 4)), ("sizes", numbers("s", 2, 3), (2, 3)),
                               ("what nobody knows", op("s = Identity(open)"), (0, "N"))):
        seen = answer(daemon, [split, op("q = SplitToSequence(x, s)"), op("z = SequenceAt(q, i)")],
                      ["x: float[%s,4]" % ("5" if found[0] else "N"), "i: int64[]", "open: int64[L]"], ["z"])
        equal("parts by %s" % what, symbol(seen, "SplitToSequence"), found)
    body = graph([op("go = Identity(c)"), op("next = Concat(s, w)", axis=0)], ["i: int64[]", "c: bool[]", "s: float"], ["go: bool", "next: float"])
    for what, nodes, least, most in (("a number of times", [const("m", "int64[]", [4])], 7, "4*K + 7"),
                                     ("as often as a size says", [op("n = Shape(v)"), op("m = Squeeze(n)")], 7, "K*T + 7")):
        seen = answer(daemon, nodes + [const("yes", "bool[]", [1]), op("y = Loop(m, yes, x)", body=body)],
                      ["x: float[7]", "w: float[K]", "v: float[T]"], ["y"])
        equal("what grows %s" % what, symbol(seen, "Loop"), (least, most))
    seen = answer(daemon, [op("y = Compress(x, c)", axis=0)], ["x: float[N,4]", "c: bool[C]"], ["y"])
    equal("Compress", symbol(seen, "Compress"), (0, "min(N, C)"))
    seen = answer(daemon, [op("k = Cast(q)", to=7), op("v, i = TopK(x, k)")], ["x: float[N,M]", "q: float[1]"],
                  ["v"])
    equal("TopK", symbol(seen, "TopK")[1], "M")
    seen = answer(daemon, [op("y = Unique(x)")], ["x: float[N]"], ["y"])
    equal("Unique", symbol(seen, "Unique"), (0, "N"))
    seen = answer(daemon, [op("y = Slice(x, b, e)")], ["x: float[N]", "b: int64[1]", "e: int64[1]"], ["y"])
    equal("Slice", symbol(seen, "Slice"), (0, "N"))
    seen = answer(daemon, [const("zero", "int64[]", [0]), op("n = Size(x)"), op("y = Range(zero, n, by)")],
                  ["x: float[N]", "by: int64[]"], ["y"])
    equal("Range by an unknown step", symbol(seen, "Range"), (0, "N"))
    for scale, most in ((2.6, "13*N//5"), (0.12341, "N"), (2.34573, "3*N")):
        seen = answer(daemon, [const("by", "float[1]", [scale]), op("y = Resize(x, , by)")], ["x: float[N]"], ["y"])
        equal("Resize by %s" % scale, symbol(seen, "Resize"), (0, most))
    text = daemon.post("/v1/models:infer?format=text", model(graph([op("y = NonZero(x)", "find"), op("z = Unique(w)")], [
        "x: bool[N,4]", "w: float[7]"], ["y", "z"]))).text
    check("the table tells them", "\n\nNonZero_1 is 0 to 4*N  (find)\nUnique_1 is 0 to 7  (Unique)\n\n" in text, text)
    boxes = ["b: float[B,K,4]", "s: float[B,C,K]"]
    seen = answer(daemon, [const("m", "int64[]", [5]), op("y = NonMaxSuppression(b, s, m)")], boxes, ["y"])
    equal("NonMaxSuppression", symbol(seen, "NonMaxSuppression"), (0, "B*C*min(K, 5)"))
    seen = answer(daemon, [const("m", "int64[]", [5]), op("y = NonMaxSuppression(b, s, m)"),
                           op("z, i = TopK(b, k)", axis=1), numbers("k", 300), op("p = NonZero(q)"), op("r = Relu(q)")],
                  boxes + ["q: float[7]"], ["y", "z", "p"])
    equal("numbers", [s["max"] for s in seen.json["symbols"] if s.get("op") == "NonZero"], [7])
    seen = answer(daemon, [op("y = NonZero(x)"), op("z = Transpose(y)"), op("s = Slice(z, zero, most)"),
                           numbers("zero", 0), numbers("most", 100)], ["x: bool[4,5]"], ["s"])
    equal("what is bounded is cut nowhere", seen["s"], "int64[?1,2]")


def compound_bounds(daemon):
    """Of sizes that depend on data and are more than a symbol."""
    nodes = [op("z = NonZero(x)"), op("t = Transpose(z)"), op("c = Concat(t, t, w)", axis=0), op("d = Concat(c, c)", axis=1),
             op("r = Concat(t, q)", axis=0), op("p = Slice(t, a, b)"), op("o = Concat(p, q, w)", axis=0),
             op("a2 = Slice(q, a, b)"), op("n = Concat(a2, w)", axis=0)]
    inputs = ["x: bool[N,4]", "w: int64[3,2]", "q: int64[K,2]", "a: int64[1]", "b: int64[1]"]
    data = model(graph(nodes, inputs, ["d", "r", "o"]))
    wanted = [("2*NonZero_1 + 3", 3, "8*N + 3"), ("K + NonZero_1", "K", "4*N + K"),
              ("K + Slice_1 + 3", "K + 3", "4*N + K + 3"), ("Slice_2 + 3", 3, "K + 3")]
    seen = infer(daemon, data)
    equal("sums", [(d["size"], d["min"], d["max"]) for d in seen.json["dynamicSizes"]], wanted)
    bound = infer(daemon, data, dim="N=2")
    equal("with a number", [d["max"] for d in bound.json["dynamicSizes"]], [19, "K + 8", "K + 11", "K + 3"])
    text = daemon.post("/v1/models:infer?format=text", data).text
    check("the table tells them after those of symbols", "Slice_2 is 0 to K  (Slice)\n2*NonZero_1 + 3 is 3 to 8*N + 3\n" in text,
          text)
    seen = infer(daemon, model(graph([op("k = Cast(f)", to=7), op("z = ConstantOfShape(k)"), op("y = Concat(z, w)", axis=0)],
                                     ["f: float[1]", "w: float[3]"], ["y"])))
    equal("one from below", seen.json["dynamicSizes"], [{"size": "ConstantOfShape_1 + 3", "min": 3}])
    equal("none where all is known of", "dynamicSizes" in infer(daemon, model(graph([op("y = NonZero(x)")], inputs[:1],
                                                                                   ["y"]))).json, False)


def main():
    with Daemon() as daemon:
        conditions(daemon)
        multiples(daemon)
        scopes(daemon)
        assumptions(daemon)
        bounds(daemon)
        compound_bounds(daemon)
    finish()


if __name__ == "__main__":
    main()
