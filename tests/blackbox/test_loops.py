#!/usr/bin/env python3
"""Loop, Scan and SequenceMap: what every iteration may find, what the last one gives, and iterations that are walked one
by one because they are known to be few."""

from build import Tensor, const, graph, infer, model, op, tensor
from harness import CPU_SECONDS, Daemon, check, equal, finish

TRUE = const("yes", "bool[]", [1])
PASS = op("go_on = Identity(go)")


def loop(body, outputs, carried="", count="m", condition="yes", infos=("i: int64[]", "go: bool[]")):
    """A Loop; `body` is (nodes, names of carried inputs, outputs after the condition)."""
    nodes, inner, given = body
    inside = graph([PASS] + nodes, list(infos) + inner, ["go_on"] + given)
    return op("%s = Loop(%s, %s%s)" % (outputs, count, condition, carried and ", " + carried), body=inside)


def seen_of(daemon, nodes, outputs, inputs=("x: float[N]", "m: int64[]", "c: bool[]"), opset=17, **options):
    return infer(daemon, model(graph([TRUE] + nodes, list(inputs), outputs), opset), **options)


def times(count):
    return const("m", "int64[]", [count])


DOUBLED = ([op("b = Concat(a, a)", axis=0)], ["a"], ["b"])


def told(daemon):
    """The number of the iteration and the condition, which a body may declare as vectors of one."""
    for number, wanted in (("int64[]", "int64[4]"), ("int64[1]", "int64[4,1]"), ("int64[K]", "int64[4,1]"),
                           ("int64", "int64[4]")):
        for condition, truths in (("bool[]", "bool[4]"), ("bool[1]", "bool[4,1]"), ("bool", "bool[4]")):
            body = graph([PASS], ["i: " + number, "go: " + condition], ["go_on", "i", "go"])
            for count in ([times(4)], []):
                seen = seen_of(daemon, count + [op("n, t = Loop(m, yes)", body=body)], ["n", "t"],
                               [] if count else ["m: int64[]"])
                want = [w if count else w.replace("[4", "[max(m,0)") for w in (wanted, truths)]
                equal("a number of %s, a condition of %s%s" % (number, condition, "" if count else ", walked once for all"),
                      [seen["n"], seen["t"]], want)
    vector = const("v", "bool[1]", [1])
    body = graph([PASS], ["i: int64[]", "go: bool"], ["go_on", "go"])
    seen = seen_of(daemon, [times(4), vector, op("t = Loop(m, v)", body=body)], ["t"], [])
    equal("a condition whose rank is not declared is as the node's", seen["t"], "bool[4,1]")


def trip_counts(daemon):
    inputs = ["x: float[N]", "c: bool[]"]
    for count, wanted in ((-1, "N"), (0, "N"), (1, "2*N"), (3, "8*N")):
        seen = seen_of(daemon, [times(count), loop(DOUBLED, "y", "x")], ["y"], inputs)
        equal("%d iterations that double" % count, seen["y"], "float[%s]" % wanted)
    never = [times(3), const("no", "bool[]", [0]), loop(DOUBLED, "y", "x", condition="no")]
    equal("none when the condition is false at first", seen_of(daemon, never, ["y"], inputs)["y"], "float[N]")
    unsure = [times(3), loop(DOUBLED, "y", "x", condition="c")]
    equal("data decides whether there are any", seen_of(daemon, unsure, ["y"], inputs)["y"], "float[?2]")
    equal("data decides how many", seen_of(daemon, [loop(DOUBLED, "y", "x")], ["y"])["y"], "float[?2]")
    equal("too many to be walked", seen_of(daemon, [times(10 ** 9), loop(DOUBLED, "y", "x")], ["y"], inputs)["y"], "float[?2]")
    forever = [loop(DOUBLED, "y", "x", count="", condition="")]
    equal("no end at all", seen_of(daemon, forever, ["y"])["y"], "float[?2]")


def conditions(daemon):
    count = op("k2 = Add(k, one)"), op("go_on = Less(k2, most)")
    body = graph([count[0], count[1], DOUBLED[0][0]], ["i: int64[]", "go: bool[]", "k", "a"], ["go_on", "k2", "b", "a"])
    one, zero, most = const("one", "int64[]", [1]), const("zero", "int64[]", [0]), const("most", "int64[]", [3])
    seen = seen_of(daemon, [one, zero, most, op("n, y = Loop(, yes, zero, x)", body=graph(
        [count[0], count[1], DOUBLED[0][0]], ["i: int64[]", "go: bool[]", "k", "a"], ["go_on", "k2", "b"]))], ["y"])
    equal("a counter ends the loop", (seen["y"], seen.contents.get("n")), ("float[8*N]", [3]))
    seen = seen_of(daemon, [one, zero, most, op("n, y, s = Loop(, yes, zero, x)", body=body)], ["y"])
    equal("what is stacked may not change its size", seen["y"], "float[8*N]")
    inputs = ["x: float[N]", "most: int64[]"]
    seen = seen_of(daemon, [one, zero, op("n, y = Loop(, yes, zero, x)", body=graph(
        [count[0], count[1], DOUBLED[0][0]], ["i: int64[]", "go: bool[]", "k", "a"], ["go_on", "k2", "b"]))], ["y"], inputs)
    equal("data ends the loop", (seen["y"], seen.contents.get("n")), ("float[?2]", None))
    once = graph([const("go_on", "bool[]", [0]), DOUBLED[0][0]], ["i: int64[]", "go: bool[]", "a"], ["go_on", "b", "a"])
    seen = seen_of(daemon, [op("y, s = Loop(, yes, x)", body=once)], ["y", "s"])
    equal("once", (seen["y"], seen["s"]), ("float[2*N]", "float[1,N]"))
    seen = seen_of(daemon, [times(4), op("y, s = Loop(m, , x)", body=once)], ["y", "s"], ["x: float[N]"])
    equal("a condition that the text says is not looked at", (seen["y"], seen["s"]), ("float[?2]", "float[?3,?4]"))


def stacked(daemon):
    same = ([op("b = Relu(a)")], ["a"], ["b", "b"])
    dims = op("shape = Shape(x)"), op("m = Squeeze(shape)")
    seen = seen_of(daemon, [dims[0], dims[1], loop(same, "y, s", "x")], ["y", "s"], ["x: float[N]"])
    equal("one for each of a symbol", (seen["y"], seen["s"]), ("float[N]", "float[N,N]"))
    squares = ([op("q = Mul(i, i)")], [], ["q"])
    seen = seen_of(daemon, [times(4), loop(squares, "s"), op("z = ConstantOfShape(s)")], ["z"], ["x: float[N]"])
    equal("contents of all iterations", (seen.contents.get("s"), seen["z"]), ([0, 1, 4, 9], "float[0,1,4,9]"))
    cut = ([op("e = Unsqueeze(i, z)"), op("b = Slice(x, z, e)")], [], ["b"])
    seen = seen_of(daemon, [times(3), const("z", "int64[1]", [0]), loop(cut, "s")], ["s"], ["x: float[7]"])
    equal("sizes that change are an error of the model", seen["s"], "float")
    both = ([op("p = NonZero(a)")], ["a"], ["a", "p", "p"])
    seen = seen_of(daemon, [loop(both, "y, s, t", "x", condition="c")], ["s", "t"])
    equal("the same number of iterations", (seen["s"], seen["t"]), ("int64[?2,1,?3]", "int64[?2,1,?4]"))


def empty_bodies(daemon):
    """An iteration without nodes costs something too: else nothing would end those that are walked one by one."""
    counted = op("s = Loop(m, yes)", body=graph([], ["i: int64[]", "go: bool[]"], ["go", "i"]))
    for count, wanted, contents in ((3, "int64[3]", [0, 1, 2]), (10 ** 9, "int64[1000000000]", None)):
        seen = seen_of(daemon, [times(count), counted], ["s"], ["x: float[N]"])
        equal("%d iterations without a node" % count, (seen["s"], seen.contents.get("s")), (wanted, contents))
    forever = op("s = Loop(, yes)", body=graph([], ["i: int64[]", "go: bool[]"], ["go", "i"]))
    equal("no end of them", seen_of(daemon, [forever], ["s"])["s"], "int64[?1]")
    heavy = graph([op("o = Add(i, i)")], [], ["o"], initializers=[tensor("float[1]", [1], "w%d" % k) for k in range(9999)])
    chosen = graph([op("r = If(go)", then_branch=heavy, else_branch=heavy)], ["i: int64[]", "go: bool[]"], ["go", "r"])
    before = daemon.cpu_seconds()
    seen = seen_of(daemon, [times(3000), op("s = Loop(m, yes)", body=chosen)], ["s"], ["x: float[N]"])
    took = daemon.cpu_seconds() - before
    check("nor are initializers free", seen["s"] == "int64[3000]" and took < CPU_SECONDS, (seen["s"], took))


def faults(daemon):
    longer = ([op("b = Concat(a, x)", axis=0), op("d = MatMul(w, b)")], ["a"], ["b"])
    inputs = ["x: float[2]", "w: float[3,6]"]
    seen = seen_of(daemon, [times(1), loop(longer, "y", "x")], ["y"], inputs)
    equal("a fault in the first iteration", seen.reasons, ["DIM_MISMATCH"])
    seen = seen_of(daemon, [times(3), loop(longer, "y", "x")], ["y"], ["x: float[2]", "w: float[3,4]"])
    equal("a fault in the second one", (seen["y"], seen.reasons), ("float[8]", ["DIM_MISMATCH"]))
    seen = seen_of(daemon, [loop(longer, "y", "x")], ["y"], inputs + ["m: int64[]"])
    equal("none where it is not known that there is one", (seen["y"], seen.reasons), ("float[2*max(m,0)+2]", []))
    always = ([op("b = Concat(a, x)", axis=0), op("d = MatMul(w, x)")], ["a"], ["b"])
    seen = seen_of(daemon, [times(3), loop(always, "y", "x")], ["y"], inputs)
    equal("one in each is told once", seen.reasons, ["DIM_MISMATCH"])


def none_at_all(daemon):
    """Nothing is wrong, and nothing must hold, in a body that is known never to run."""
    never = [op("d = MatMul(w, u)"), op("e = Concat(v, x)", axis=1), op("b = Relu(a)")]
    inputs, no = ["x: float[N,2]", "w: float[3,6]", "u: float[5,1]", "v: float[M,1]"], const("no", "bool[]", [0])
    for what, nodes in (("no iteration", [times(0), loop((never, ["a"], ["b"]), "y", "x")]),
                        ("a false condition", [no, times(3), loop((never, ["a"], ["b"]), "y", "x", condition="no")])):
        seen = seen_of(daemon, nodes, ["y"], inputs)
        equal(what, (seen["y"], seen.reasons, seen.constraints), ("float[N,2]", ["DIM_MISMATCH"], []))
        equal("%s: the severity" % what, seen.json["diagnostics"][0]["severity"], "info")
    seen = seen_of(daemon, [loop((never, ["a"], ["b"]), "y", "x")], ["y"], inputs + ["m: int64[]"])
    equal("perhaps some", seen.json["diagnostics"][0]["severity"], "error")
    body = graph(never, ["a", "t"], ["b"])
    seen = seen_of(daemon, [op("y = Scan(x, z)", body=body, num_scan_inputs=1)], ["y"], inputs + ["z: float[0]"])
    equal("a Scan of nothing", (seen["y"], seen.json["diagnostics"][0]["severity"]), ("float[N,2]", "info"))
    nodes = [op("s = SequenceEmpty()"), op("q = SequenceMap(s)", body=graph(never, ["a"], ["b"]))]
    seen = seen_of(daemon, nodes, ["q"], inputs)
    equal("a SequenceMap of nothing", [d["severity"] for d in seen.json["diagnostics"]], ["info"])


def chains(daemon):
    """Carried values that become each other, each pass one more: none may keep what it had at first."""
    for n in (2, 5, 12):
        names = ["v%d" % i for i in range(n)]
        nodes = [op("w0 = Add(v0, one)")] + [op("w%d = Identity(v%d)" % (i, i - 1)) for i in range(1, n)]
        body = (nodes, names, ["w%d" % i for i in range(n)])
        outputs = ["o%d" % i for i in range(n)]
        around = [const("one", "int64[1]", [1]), loop(body, ", ".join(outputs), ", ".join(["one"] * n)),
                  op("y = ConstantOfShape(%s)" % outputs[-1])]
        wanted = "float[?1]" if n < 6 else "float"  # past the passes that are made, not even the rank is known
        equal("a chain of %d" % n, seen_of(daemon, around, ["y"])["y"], wanted)
        seen = seen_of(daemon, [times(n + 1)] + around, ["y"], ["x: float[N]"])
        equal("a chain of %d, walked" % n, seen["y"], "float[3]")
    swap = ([op("c2 = Identity(a)"), op("a2 = Identity(b)"), op("b2 = Relu(c2)")], ["a", "b"], ["a2", "b2"])
    inputs = ["x: float[N]", "w: float[M]", "m: int64[]"]
    seen = seen_of(daemon, [loop(swap, "y, z", "x, w")], ["y", "z"], inputs)
    equal("two that change places", (seen["y"], seen["z"]), ("float[?3]", "float[?4]"))
    seen = seen_of(daemon, [times(3), loop(swap, "y, z", "x, w")], ["y", "z"], inputs[:2])
    equal("three times", (seen["y"], seen["z"]), ("float[M]", "float[N]"))


def sequences(daemon):
    empty = op("s0 = SequenceEmpty()")
    grown = ([op("t = SequenceInsert(s, x)")], ["s"], ["t"])
    seen = seen_of(daemon, [empty, loop(grown, "q", "s0"), op("y = SequenceAt(q, m)")], ["q", "y"])
    equal("an empty sequence that grows", (seen["q"], seen["y"]), ("seq(float[N])*m", "float[N]"))
    seen = seen_of(daemon, [times(2), empty, loop(grown, "q", "s0")], ["q"], ["x: float[N]"])
    equal("by two", seen["q"], "seq(float[N])*2")
    other = [op("s1 = SequenceConstruct(x)")]
    flat = ([op("r = Shape(a)"), op("b = Reshape(a, rows)"), op("t = SequenceInsert(s, b)")], ["s", "a"], ["t", "b"])
    seen = seen_of(daemon, other + [const("rows", "int64[2]", [1, -1]), loop(flat, "q, z", "s1, x")], ["q"])
    equal("ranks that differ", seen["q"], "seq(float)*max(m,0)+1")
    mapped = op("o = SequenceMap(q)", body=graph([op("b = Slice(a, lo, hi)")], ["a"], ["b"]))
    bounds = const("lo", "int64[1]", [0]), const("hi", "int64[1]", [4])
    seen = seen_of(daemon, [*bounds, op("q = SequenceConstruct(x, w)"), mapped, op("e = SequenceAt(o, zero)"),
                            const("zero", "int64[]", [0])], ["o", "e"], ["x: float[3]", "w: float[9]"])
    equal("each element of a SequenceMap", (seen["o"].partition("[")[0], seen["e"]), ("seq(float", "float[3]"))
    seen = seen_of(daemon, [*bounds, op("q = SequenceConstruct(x, w)"), mapped], ["o"], ["x: float[8]", "w: float[9]"])
    equal("alike though the elements differ", seen["o"], "seq(float[4])*2")


def growing(daemon):
    """What each iteration adds is the same: as often as there are iterations, however many."""
    count = [op("all = Shape(n)"), const("axis", "int64[1]", [0]), op("m = Squeeze(all, axis)")]
    longer = ([op("b = Concat(a, w)", axis=0)], ["a"], ["b"])
    inputs = ["x: float[A]", "w: float[B]", "n: float[N]"]
    equal("by a symbol", seen_of(daemon, count + [loop(longer, "y", "x")], ["y"], inputs)["y"], "float[B*N+A]")
    equal("many times", seen_of(daemon, [times(10 ** 6), loop(longer, "y", "x")], ["y"], inputs)["y"],
          "float[A+1000000*B]")
    listed = [op("s0 = SequenceEmpty()"), loop(([op("t = SequenceInsert(s, w)")], ["s"], ["t"]), "q", "s0"),
              op("y = ConcatFromSequence(q)", axis=0), op("z = ConcatFromSequence(q)", axis=0, new_axis=1)]
    seen = seen_of(daemon, count + listed, ["q", "y", "z"], inputs)
    equal("a sequence, joined and stacked", [seen[v] for v in "qyz"], ["seq(float[B])*N", "float[B*N]", "float[N,B]"])
    equal("which needs one of them", seen.constraints, ["N >= 1"])
    doubled = [op("b = Concat(a, a)", axis=0)], ["a"], ["b"]
    equal("not what grows by what it is", seen_of(daemon, count + [loop(doubled, "y", "x")], ["y"], inputs)["y"],
          "float[?2]")
    two = ([op("b = Concat(a, c)", axis=0), op("d = Concat(c, w)", axis=0)], ["a", "c"], ["b", "d"])
    equal("nor by what grows", seen_of(daemon, count + [loop(two, "y, z", "x, w")], ["y"], inputs)["y"], "float[?3]")
    short = ([op("b = Slice(a, one, end)")], ["a"], ["b"])
    cut = [const("one", "int64[1]", [1]), const("end", "int64[1]", [2 ** 60]), loop(short, "y", "x")]
    equal("nor what is cut, and may be nothing", seen_of(daemon, count + cut, ["y"], inputs)["y"], "float[?2]")


def counted(daemon):
    """A condition on only the iteration number ends the loop at a known iteration."""
    nodes = [const("three", "int64[]", [3]), op("on = Less(i, three)"), op("a = Relu(x)"), op("f = Cast(i)", to=1)]
    for count, what in (("m", "fewer than there could be"), ("", "of any number")):
        body = graph(nodes, ["i: int64[]", "go: bool[]"], ["on", "a", "f"])
        around = [times(10), op("y, z = Loop(%s, yes)" % count, body=body), op("k = Cast(z)", to=7)]
        seen = seen_of(daemon, around, ["y", "k"], ["x: float[N]"])
        equal(what, (seen["y"], seen.contents["k"]), ("float[4,N]", [0, 1, 2, 3]))


def last_ones(daemon):
    """A carried value after the loop is described for the last iteration only."""
    body = graph([PASS, op("b = Concat(a, a)", axis=0)], ["i: int64[]", "go: bool[]", "a"], ["go_on", "b"])
    inputs = ["x: float[N]", "m: int64[]", "w: float[3,5]"]
    seen = seen_of(daemon, [op("y = Loop(m, yes, x)", "l", body=body), op("z = MatMul(w, y)")], ["z"], inputs)
    equal("the last size", (seen["y"], seen["l/body/a"], seen["l/body/b"]), ("float[5]", "float[?1]", "float[2*?1]"))


def scans(daemon):
    add = graph([op("b = Add(a, e)")], ["a", "e"], ["b", "b"])
    inputs = ["s: float[A,B]", "x: float[T,A2,B2]"]
    seen = infer(daemon, model(graph([op("y, z = Scan(s, x)", body=add, num_scan_inputs=1)], inputs, ["y", "z"])))
    equal("state keeps its shape", seen["y"], "float[A,B]")
    equal("and is stacked", seen["z"], "float[T,broadcast(A,A2),broadcast(B,B2)]")
    seen = infer(daemon, model(graph([op("y, z = Scan(s, x)", body=add, num_scan_inputs=1)],
                                     ["s: float[1]", "x: float[T,4]"], ["y", "z"])))
    equal("state that does not keep it", (seen["y"], seen["z"]), ("float[?2]", "float[T,4]"))


def bounded(daemon):
    """Nested loops share one bound on iterations that are walked one by one."""
    body = DOUBLED
    for depth in range(4):
        nodes = [op("k%d = Constant()" % depth, value=Tensor(tensor("int64[]", [200]))),
                 loop((body[0], body[1], body[2]), "r%d" % depth, "u%d" % depth, count="k%d" % depth)]
        body = (nodes, ["u%d" % depth], ["r%d" % depth])
    seen = seen_of(daemon, [times(200), loop(body, "y", "x")], ["y"], ["x: float[N]"])
    equal("200 iterations, five levels", (seen.status, seen["y"]), (200, "float[?10]"))


def main():
    with Daemon() as daemon:
        for test in (told, trip_counts, conditions, stacked, empty_bodies, faults, none_at_all, chains, sequences,
                     growing, counted, last_ones, scans, bounded):
            test(daemon)
        check("the daemon still runs", daemon.request("GET", "/livez").status == 200)
    finish()


if __name__ == "__main__":
    main()
