#!/usr/bin/env python3
"""If, Loop, Scan and SequenceMap: what holds whatever branch is taken and however many iterations there are."""
from build import Type, const, graph, infer, model, op, tensor, type_of
from harness import Daemon, check, equal, finish

X = ["c: bool[]", "x: float[N,3]", "w: float[M,3]", "m: int64[]"]
VERSIONS = {"If": (1, 11, 13, 16, 19, 21, 23, 24, 25), "Loop": (1, 11, 13, 16, 19, 21, 23, 24, 25),
            "Scan": (9, 11, 16, 19, 21, 23, 24, 25)}


def told(daemon, nodes, outputs, inputs=(), opset=17, ir=10, **more):
    return infer(daemon, model(graph(nodes, X + list(inputs), outputs, **more), opset=opset, ir=ir))


def unary(*nodes, takes="x"):
    """A branch of one operator after the other."""
    names = [takes] + ["t%d" % i for i in range(len(nodes))]
    return graph([op("%s = %s(%s)" % (b, kind, a)) for kind, a, b in zip(nodes, names, names[1:])], [], [names[-1]])


# -- If --

def branches(daemon):
    relu, abs_ = unary("Relu"), unary("Abs")
    for what, other, wanted in (("the same shape", unary("Abs"), "float[N,3]"),
                                ("another size", unary("Relu", takes="w"), "float[?1,3]"),
                                ("another rank", graph([op("t = Flatten(v)", axis=0), op("v = Relu(x)")][::-1], [],
                                                       ["t"]), "float[?1,?2]"),
                                ("no axis", graph([op("t = ReduceSum(x)", keepdims=0)], [], ["t"]), "float")):
        seen = told(daemon, [op("y = If(c)", then_branch=relu, else_branch=other)], ["y"])
        equal("branches of %s" % what, (seen["y"], seen.reasons), (wanted, ["RANK_UNDECIDED"] if wanted == "float" else []))
    beyond = graph([const("none", "float[0]", []), op("t = Gather(none, first)")], [], ["t"],
                   initializers=[tensor("int64[]", [0], "first")])
    for condition, severity in ((op("d = Not(c)"), "warning"), (const("d", "bool[]", [True]), "error")):
        seen = told(daemon, [condition, op("y = If(d)", then_branch=beyond, else_branch=relu)], ["y"])
        equal("an index outside, in a branch", [(d["reason"], d["severity"]) for d in seen.json["diagnostics"]][:1],
              [("INDEX_OUT_OF_RANGE", severity)])
    ints = graph([op("t = Cast(x)", to=7)], [], ["t"])
    seen = told(daemon, [op("y = If(c)", "choice", then_branch=relu, else_branch=ints)], ["y"])
    equal("of different types", (seen["y"], seen.reasons), ("?", ["TYPE_MISMATCH"]))
    equal("the node is told", seen.json["diagnostics"][0]["node"], "choice")
    two = [graph([op("p = %s(%s)" % (kind, v)), op("q = Abs(%s)" % v)], [], ["p", "q"])
           for kind, v in (("Relu", "x"), ("Exp", "w"))]
    nodes = [op("y, z = If(c)", then_branch=two[0], else_branch=two[1]), op("s = Add(y, z)")]
    seen = told(daemon, nodes, ["s"])
    equal("what is N or M twice is equal", (seen["y"], seen["z"], seen["s"]),
          ("float[?1,3]", "float[?1,3]", "float[?1,3]"))
    one = graph([], [], ["x"])
    equal("a branch that gives an outer value", told(daemon, [op("y = If(c)", then_branch=one, else_branch=abs_)],
                                                     ["y"])["y"], "float[N,3]")
    seen = told(daemon, [op("y = If(c)", then_branch=relu)], ["y"])
    equal("a branch that is missing", (seen["y"], seen.reasons), ("?", ["MISSING_ATTRIBUTE"]))
    seen = told(daemon, [op("y = If(c)", then_branch=two[0], else_branch=two[1])], ["y"])
    equal("more outputs than the node's", (seen["y"], seen.reasons), ("?", ["BODY_ARITY"]))
    unknown = graph([op("t = other.Op(x)")], [], ["t"])
    for what, kind, wanted in (("one element", "bool[1,1]", []), ("nothing known", "bool", []),
                               ("a symbol's elements", "bool[K]", []), ("two elements", "bool[2]", ["LENGTH_MISMATCH"]),
                               ("no element", "bool[0]", ["LENGTH_MISMATCH"])):
        seen = told(daemon, [op("y = If(k)", then_branch=relu, else_branch=abs_)], ["y"], ["k: " + kind])
        equal("a condition of %s" % what, (seen["y"], seen.reasons), ("?" if wanted else "float[N,3]", wanted))
    equal("a branch of which nothing is known", told(daemon, [op("y = If(c)", then_branch=relu, else_branch=unknown)],
                                                     ["y"])["y"], "?")


def kinds(daemon):
    seqs = [graph([op("t = SequenceConstruct(x, x)")], [], ["t"]), graph([op("t = SequenceConstruct(w)")], [], ["t"])]
    seen = told(daemon, [op("y = If(c)", then_branch=seqs[0], else_branch=seqs[1])], ["y"])
    equal("sequences of other sizes and lengths", seen["y"], "seq(float[?1,3])")
    seen = told(daemon, [op("y = If(c)", then_branch=seqs[0], else_branch=seqs[0])], ["y"])
    equal("the same sequence", seen["y"], "seq(float[N,3])*2")
    nothing = graph([op("t = Optional()", type=Type(type_of("float[?,3]")))], [], ["t"])
    some = graph([op("t = Optional(x)")], [], ["t"])
    nodes = [op("y = If(c)", then_branch=some, else_branch=nothing), op("h = OptionalHasElement(y)"),
             op("e = OptionalGetElement(y)")]
    seen = told(daemon, nodes, ["h", "e"])
    equal("an optional that may be empty", (seen["e"], "h" in seen.contents), ("float[N,3]", False))
    seen = told(daemon, [op("y = If(c)", then_branch=some, else_branch=unary("Relu"))], ["y"])
    equal("an optional or a tensor", (seen["y"], seen.reasons), ("?", ["TYPE_MISMATCH"]))


def constant_condition(daemon):
    relu, flip = unary("Relu"), unary("Transpose")
    for value, wanted in ((1, "float[N,3]"), (0, "float[3,N]")):
        for what, more in (("a constant", {}), ("an initializer", {"initializers": [tensor("bool[]", [value], "k")]})):
            nodes = [op("y = If(k)", then_branch=relu, else_branch=flip)]
            seen = told(daemon, nodes if more else [const("k", "bool[]", [value])] + nodes, ["y"], **more)
            equal("%s of %d takes its branch" % (what, value), seen["y"], wanted)
    made = [op("s = Shape(x)"), const("i", "int64[]", [1]), op("g = Gather(s, i)"), const("three", "int64[]", [3]),
            op("k = Equal(g, three)")]
    seen = told(daemon, made + [op("y = If(k)", then_branch=flip, else_branch=relu)], ["y"])
    equal("a condition that shapes decide", seen["y"], "float[3,N]")
    squeeze = graph([const("a", "int64[1]", [1]), op("t = Squeeze(x, a)")], [], ["t"])
    one = [op("k = Equal(g, one)"), const("one", "int64[]", [1])][::-1]
    seen = told(daemon, made[:3] + one + [op("y = If(k)", then_branch=squeeze, else_branch=relu)], ["y"])
    equal("what is wrong in a branch that is not taken is no error", (seen["y"], seen.json["summary"]["errors"]),
          ("float[N,3]", 0))
    equal("it is told all the same", [d["severity"] for d in seen.json["diagnostics"]], ["info"])
    equal("what must hold there must not hold", told(daemon, [const("k", "bool[]", [0]), op(
        "y = If(k)", then_branch=graph([op("t = MatMul(x, w)")], [], ["t"]), else_branch=relu)], ["y"]).constraints, [])
    nodes = made[:3] + one + [op("y = If(k)", then_branch=squeeze, else_branch=relu)]
    equal("and strict lets it be", infer(daemon, model(graph(nodes, X, ["y"])), strict=1).status, 200)
    seen = told(daemon, made + [op("y = If(k)", then_branch=squeeze, else_branch=relu)], ["y"])
    equal("in the one that is taken it is", (seen["y"], seen.json["summary"]["errors"]), ("float[N]", 1))


def insides(daemon):
    inner = graph([op("d = Concat(u, u)", axis=0), op("r = If(c)", "in", then_branch=unary("Relu", takes="d"),
                                                       else_branch=unary("Abs", takes="u"))], [], ["r"])
    nodes = [op("u = Transpose(x)"), op("y = If(c)", "out", then_branch=inner, else_branch=unary("Relu", takes="u"))]
    seen = told(daemon, nodes, ["y"])
    equal("a branch in a branch sees both around it", seen["out/then_branch/in/then_branch/t0"], "float[6,N]")
    equal("joined twice", (seen["out/then_branch/r"], seen["y"]), ("float[?1,N]", "float[?2,N]"))
    seen = told(daemon, [op("y = If(c)", then_branch=unary("Relu"), else_branch=unary("Abs"))], ["y"])
    equal("scopes without a name", sorted(k for k in seen.values if "/" in k),
          ["If_0/else_branch/t0", "If_0/then_branch/t0"])
    agree = graph([op("t = MatMul(x, o)"), op("o = Reshape(w, k)"), const("k", "int64[2]", [3, -1])][::-1], [], ["t"])
    equal("a branch computes", told(daemon, [op("y = If(c)", then_branch=agree, else_branch=agree)], ["y"])["y"],
          "float[N,M]")
    fact = graph([op("t = MatMul(z, w)")], [], ["t"])
    nodes = [op("z = other.Op(x)"), op("y = If(c)", then_branch=fact, else_branch=unary("Relu")), op("s = Add(z, w)")]
    seen = told(daemon, nodes, ["s"], infos=["z: float[?,?]"])
    equal("a fact of a branch is none outside", seen["z"], "float[?1,?2]")
    seen = told(daemon, [const("k", "bool[]", [1]), nodes[0],
                         op("y = If(k)", then_branch=fact, else_branch=unary("Relu"))], ["y"],
                infos=["z: float[?,?]"])
    equal("but that of the one that is taken", seen["z"], "float[?1,M]")
    info = graph([op("t = other.Op(x)")], [], ["t"], infos=["t: float[N,7]"])
    seen = told(daemon, [op("y = If(c)", then_branch=info, else_branch=info)], ["y"])
    equal("a branch's value_info", seen["y"], "float[N,7]")
    out = graph([op("t = other.Op(x)")], [], ["t: float[N,7]"])
    equal("of its outputs' declared types not the shape",
          told(daemon, [op("y = If(c)", then_branch=out, else_branch=out)], ["y"])["y"], "float")
    weights = graph([op("t = MatMul(x, v)")], [], ["t"], initializers=[tensor("float[3,2]", [0] * 6, "v")])
    equal("a branch's own weights", told(daemon, [op("y = If(c)", then_branch=weights, else_branch=weights)],
                                         ["y"])["y"], "float[N,2]")
    shapes = [graph([const("t", "int64[2]", [a, 3])], [], ["t"]) for a in (4, 5)]
    nodes = [op("s = If(c)", then_branch=shapes[0], else_branch=shapes[1]), op("y = Expand(x1, s)"),
             const("x1", "float[1]", [1])]
    equal("contents that agree in part", told(daemon, nodes[::-1][:1] + nodes[:2], ["y"])["y"], "float[?1,3]")


def depth(daemon):
    def nested(levels):
        inner = unary("Relu")
        for _ in range(levels - 1):
            inner = graph([op("t0 = If(k)", then_branch=inner, else_branch=graph([], [], ["x"]))], [], ["t0"])
        return [const("k", "bool[]", [1]), op("y = If(k)", then_branch=inner, else_branch=graph([], [], ["x"]))]
    equal("as deep as the limit", told(daemon, nested(40), ["y"])["y"], "float[N,3]")
    with Daemon("--graph-depth", "5") as shallow:
        equal("within graph-depth", told(shallow, nested(5), ["y"])["y"], "float[N,3]")
        seen = told(shallow, nested(6), ["y"])
        equal("past it", (seen["y"], seen.reasons), ("?", ["GRAPH_DEPTH"]))
        late = [nested(9)[1], nested(9)[0]]
        seen = told(shallow, late, ["y"])
        check("and unsorted", "GRAPH_DEPTH" in seen.reasons, seen.reasons)


# -- Loop --

def body(nodes, carried, scanned=(), goes_on="co = Identity(ci)", **more):
    """`carried`: (input, output) names."""
    return graph(([op(goes_on)] if goes_on else []) + nodes, ["it: int64[]", "ci: bool[]"] + [a for a, _ in carried],
                 ["co"] + [b for _, b in carried] + list(scanned), **more)


def loops(daemon):
    same = body([op("vo = Relu(v)"), op("so = Transpose(v)")], [("v", "vo")], ["so"])
    for what, first, trips in (("trip count and condition", "m, c", "?1"), ("a trip count", "m, ", "max(m,0)"),
                               ("a condition", ", c", "?1"), ("neither", ", ", "?1")):
        seen = told(daemon, [op("f, s = Loop(%s, x)" % first, "l", body=same)], ["f", "s"])
        equal("a loop with %s" % what, (seen["f"], seen["s"], seen.reasons),
              ("float[N,3]", "float[%s,3,N]" % trips, []))
    equal("what it finds and makes inside", [seen["l/body/" + k] for k in ("it", "ci", "v", "so")],
          ["int64[]", "bool[]", "float[N,3]", "float[3,N]"])
    always = body([op("vo = Relu(v)"), op("so = Transpose(v)")], [("v", "vo")], ["so"], None,
                  initializers=[tensor("bool[]", [1], "co")])
    for trips, wanted in ((5, "float[5,3,N]"), (0, "float[0,3,N]"), (-3, "float[0,3,N]"),
                          (100000, "float[100000,3,N]")):
        seen = told(daemon, [const("k", "int64[]", [trips]), const("yes", "bool[]", [1]),
                             op("f, s = Loop(k, yes, x)", body=always)], ["s"])
        equal("%d iterations" % trips, (seen["s"], seen["f"]), (wanted, "float[N,3]"))
    counted = [op("d = Shape(x)"), const("i", "int64[]", [0]), op("k = Gather(d, i)"), const("yes", "bool[]", [1])]
    seen = told(daemon, counted + [op("f, s = Loop(k, yes, x)", body=always)], ["s"])
    equal("as many as a size says", seen["s"], "float[N,3,N]")
    seen = told(daemon, counted + [op("f, s = Loop(k, yes, x)", body=same)], ["s"])
    equal("a condition that stays what it is", seen["s"], "float[N,3,N]")
    seen = told(daemon, counted[:3] + [op("f, s = Loop(k, c, x)", body=same)], ["s"])
    equal("a condition that may be false at once", seen["s"], "float[?1,3,N]")
    never = [const("no", "bool[]", [0]), op("f, s = Loop(m, no, x)",
                                            body=body([op("vo = Concat(v, v)", axis=0), op("so = Relu(v)")],
                                                                            [("v", "vo")], ["so"]))]
    seen = told(daemon, never, ["f", "s"])
    equal("a condition that is false at once", (seen["f"], seen["s"]), ("float[N,3]", "float[0,?2,3]"))


def carried_values(daemon):
    def final(nodes, pairs, inputs, wanted, what, scanned=(), more=()):
        names = ["f%d" % i for i in range(len(pairs) + len(scanned))]
        loop = op("%s = Loop(m, c, %s)" % (", ".join(names), inputs), body=body(nodes, pairs, scanned))
        seen = told(daemon, list(more) + [loop], names)
        equal(what, ([seen[n] for n in names], seen.reasons), (wanted, []))
    final([op("vo = Concat(v, x)", axis=0)], [("v", "vo")], "x", ["float[N*?2+N,3]"], "a size that grows")
    final([op("vo = Concat(v, x)", axis=0), op("so = Relu(v)")], [("v", "vo")], "x", ["float[N*?2+N,3]", "float[?2,?3,3]"],
          "a size that grows, stacked: an error were it not the same each time", ["so"])
    final([op("z = NonZero(v)"), op("t = Cast(z)", to=1), op("vo = Transpose(t)")], [("v", "vo")], "x",
          ["float[?4,?5]"],
          "a size that data decides")
    final([op("vo = Unsqueeze(v, a)")], [("v", "vo")], "x", ["float"], "a rank that grows",
          more=[const("a", "int64[1]", [0])])
    final([op("vo = Transpose(v)")], [("v", "vo")], "x", ["float[?3,?4]"], "sizes that change places")
    final([op("vo = Identity(u)"), op("uo = Relu(v)")], [("v", "vo"), ("u", "uo")], "x, w",
          ["float[?3,3]", "float[?4,3]"],
          "values that change places")
    final([op("bo = Identity(a)"), op("co2 = Identity(b)"), op("ao = Relu(a)")],
          [("a", "ao"), ("b", "bo"), ("d", "co2")],
          "w, x, x", ["float[M,3]", "float[?3,3]", "float[?4,3]"], "a chain of values")
    final([const("one", "int64[]", [1]), op("vo = Add(v, one)")], [("v", "vo")], "k", ["int64[]"],
          "contents that change",
          more=[const("k", "int64[]", [7])])
    kept = [const("k", "int64[2]", [3, -1]), op("f, g = Loop(m, c, k, x)", body=body(
        [op("vo = Identity(v)"), op("uo = Reshape(u, v)")], [("v", "vo"), ("u", "uo")]))]
    seen = told(daemon, kept, ["f", "g"])
    equal("contents that stay", (seen.contents.get("f"), seen["Loop_1/body/uo"]), ([3, -1], "float[3,?1*?2//3]"))
    seqs = [op("e = SequenceEmpty()"), op("f = Loop(m, c, e)",
                                          body=body([op("vo = SequenceInsert(v, x)")], [("v", "vo")]))]
    equal("a list that is filled", told(daemon, seqs, ["f"])["f"], "seq(float[N,3])*?2")
    ints = body([op("vo = Cast(v)", to=7)], [("v", "vo")])
    seen = told(daemon, [op("f = Loop(m, c, x)", body=ints)], ["f"])
    equal("a type that changes", (seen["f"], seen.reasons), ("?", ["TYPE_MISMATCH"]))
    made = body([op("vo = Optional(x)")], [("v", "vo")])
    seen = told(daemon, [op("e = Optional()", type=Type(type_of("float"))), op("f = Loop(m, c, e)", body=made)], ["f"])
    equal("an optional that is filled", (seen["f"], seen.reasons), ("optional(float[N,3])", []))


def bodies(daemon):
    outer = body([op("t = Add(v, q)"), op("vo = Relu(t)")], [("v", "vo")])
    seen = told(daemon, [op("q = Abs(w)"), op("f = Loop(m, c, x)", "l", body=outer)], ["f"])
    equal("a body sees values around it", seen["l/body/t"][:5], "float")
    for what, given, reasons in (("too few inputs",
                                  graph([op("co = Identity(ci)")], ["it: int64[]", "ci: bool[]"], ["co"]),
                                  ["BODY_ARITY"]),
                                 ("too few outputs",
                                  graph([op("co = Identity(ci)")], ["it: int64[]", "ci: bool[]", "v: float"], ["co"]),
                                  ["BODY_ARITY"])):
        seen = told(daemon, [op("f = Loop(m, c, x)", body=given)], ["f"])
        equal("a body with %s" % what, (seen["f"], seen.reasons), ("?", reasons))
    seen = told(daemon, [op("f, g, h = Loop(m, c, x)", body=body([op("vo = Relu(v)")], [("v", "vo")]))], ["f"])
    equal("more outputs than the body's", seen.reasons, ["BODY_ARITY"])
    once = body([op("vo = Relu(v)"), op("so = SequenceConstruct(v)")], [("v", "vo")], ["so"])
    for called in ("two, c", "m, none"):
        seen = told(daemon, [op("f = Loop(%s, x)" % called, body=body([op("vo = Relu(v)")], [("v", "vo")]))], ["f"],
                    ["two: int64[2]", "none: bool[0]"])
        equal("a loop with (%s)" % called, (seen["f"], seen.reasons), ("?", ["LENGTH_MISMATCH"]))
    seen = told(daemon, [op("f, s = Loop(m, c, x)", body=once)], ["f", "s"])
    equal("only tensors are stacked", (seen["f"], seen["s"], seen.reasons), ("float[N,3]", "?", ["TYPE_MISMATCH"]))
    seen = told(daemon, [op("f = Loop(m, c, x)")], ["f"])
    equal("no body", seen.reasons, ["MISSING_ATTRIBUTE"])
    fault = body([op("vo = Relu(v)"), op("so = Gemm(v, k)"), const("k", "float[5,2]", [0] * 10)][::-1], [("v", "vo")],
                 ["so"])
    seen = told(daemon, [op("f, s = Loop(m, c, x)", "l", body=fault)], ["f", "s"])
    equal("a fault in a body costs its own values", (seen["f"], seen["s"], seen.reasons),
          ("float[N,3]", "float[?1,N,2]", ["DIM_MISMATCH"]))
    equal("and is told once, with the scope", [d["scope"] for d in seen.json["diagnostics"]], ["l/body"])
    fact = body([op("vo = Relu(v)"), op("so = MatMul(z, v)")], [("v", "vo")], ["so"])
    seen = told(daemon, [op("z = other.Op(x)"), op("f, s = Loop(m, c, x)", body=fact)], ["s"], infos=["z: float[?,?]"])
    equal("a fact of a body is none outside", seen["z"], "float[?1,?2]")
    inner = body([op("uo = Concat(u, u)", axis=0)], [("u", "uo")], goes_on="co = Identity(ci)")
    nested = body([op("vo = Loop(m, c, v)", "in", body=inner)], [("v", "vo")])
    seen = told(daemon, [op("f = Loop(m, c, x)", "out", body=nested)], ["f"])
    equal("a loop in a loop", (seen["f"], seen["out/body/in/body/uo"]), ("float[?4,3]", "float[2*?2,3]"))
    twice = graph([op("co = Identity(ci)"), op("vo = Relu(v)")], ["it: int64[]", "ci: bool[]", "v: float", "v: float"],
                  ["co", "vo", "vo"])
    seen = told(daemon, [op("f, g = Loop(m, c, x, w)", body=twice)], ["f", "g"])
    equal("a body's input given twice", (seen["f"], seen.reasons), ("float[N,3]", ["DUPLICATE_NAME"]))
    opened = graph([op("co = Identity(ci)"), op("vo = Relu(v)")], ["it: int64[]", "ci: bool[]", "v: float[?,3]"],
                   ["co", "vo"])
    seen = told(daemon, [op("q = other.Op(x)"), op("f = Loop(m, c, q)", "l", body=opened)], ["f"])
    equal("what a body declares of what is unknown", (seen["l/body/v"], seen["l/body/vo"]),
          ("float[?1,3]", "float[?1,3]"))
    # Before IR version 4 a subgraph's initializers stood among its inputs, after the actual ones (IR.md).
    old = graph([op("co = Identity(ci)"), op("vo = Reshape(v, k)")],
                ["it: int64[]", "ci: bool[]", "v: float", "k: int64[2]"],
                ["co", "vo"], initializers=[tensor("int64[2]", [1, -1], "k")])
    seen = told(daemon, [op("f = Loop(m, c, x)", "l", body=old)], ["f"], opset=8, ir=3)
    equal("IR 3: initializers among a body's inputs", (seen["l/body/vo"], seen.reasons), ("float[1,?1*?2]", []))


# -- Scan --

def scanned(nodes, inputs, outputs):
    return graph(nodes, inputs, outputs)


def scans(daemon):
    inputs = ["s: float[H]", "a: float[T,B,H]", "b: float[B,T,H]", "u: float"]
    step = graph([op("so = Add(si, ai)"), op("o = Abs(ai)")], ["si", "ai"], ["so", "o"])

    def scan(called, wanted, what, reasons=(), given=step, opset=17, **attributes):
        outputs = called.partition(" = ")[0].split(", ")
        seen = told(daemon, [op(called, "n", body=given, **attributes)], [o for o in outputs if o], inputs, opset)
        equal(what, ([seen[o] for o in outputs if o], seen.reasons), (wanted, list(reasons)))
        return seen
    plain = graph([op("so = Relu(si)"), op("o = Abs(ai)")], ["si", "ai"], ["so", "o"])
    seen = scan("f, y = Scan(s, a)", ["float[H]", "float[T,B,H]"], "a scan", given=plain, num_scan_inputs=1)
    equal("what an iteration finds", (seen["n/body/si"], seen["n/body/ai"]), ("float[H]", "float[B,H]"))
    scan("f, y = Scan(s, b)", ["float[H]", "float[T,B,H]"], "along another axis", given=plain, num_scan_inputs=1,
         scan_input_axes=[1])
    scan("f, y = Scan(s, b)", ["float[H]", "float[B,T,H]"], "along another axis, and out again", given=plain,
         num_scan_inputs=1,
         scan_input_axes=[1], scan_output_axes=[1])
    scan("f, y = Scan(s, b)", ["float[H]", "float[B,H,T]"], "axes from the back", given=plain, num_scan_inputs=1,
         scan_input_axes=[-2], scan_output_axes=[-1])
    scan("f, y = Scan(s, a)", ["float[H]", "float[T,B,H]"], "directions change no shape", given=plain,
         num_scan_inputs=1,
         scan_input_directions=[1], scan_output_directions=[1])
    both = graph([op("so = Relu(si)"), op("o = Add(ai, bi)")], ["si", "ai", "bi"], ["so", "o"])
    scan("f, y = Scan(s, a, b)", ["float[H]", "float[T,B,H]"], "two inputs", given=both, num_scan_inputs=2,
         scan_input_axes=[0, 1])
    shape = graph([op("next = Shape(each)"), op("o = Identity(each)")], ["state", "each"], ["next", "o"])
    seen = told(daemon, [op("y, z = Scan(i, a)", body=shape, num_scan_inputs=1)], ["y", "z"], inputs + ["i: int64[3]"])
    equal("of state whose size changes no elements are known", (seen["y"], seen.contents.get("y")), ("int64[?2]", None))
    known = ["p: float[4,2]", "q: float[5,2]"]
    pair = graph([op("o = Add(pi, qi)")], ["pi", "qi"], ["o"])
    seen = told(daemon, [op("y = Scan(p, q)", body=pair, num_scan_inputs=2)], ["y"], known)
    equal("two of different lengths", (seen["y"], seen.reasons), ("?", ["DIM_MISMATCH"]))
    seen = told(daemon, [op("y = Scan(p, a)", body=pair, num_scan_inputs=2)], ["y"], known + inputs)
    equal("a number is known better than a name", seen["y"][:8], "float[4,")
    scan("f, y = Scan(s, u)", ["float[H]", "float"], "an input of unknown rank", given=plain, num_scan_inputs=1)
    scan("y = Scan(a)", ["float[T,B,H]"], "no state", given=graph([op("o = Relu(ai)")], ["ai"], ["o"]),
         num_scan_inputs=1)
    for axes, what in (([3], "past the rank"), ([-4], "before it")):
        scan("f, y = Scan(s, a)", ["?", "?"], "an axis %s" % what, ["AXIS_OUT_OF_RANGE"], given=plain,
             num_scan_inputs=1, scan_input_axes=axes)
    for what, lists, reason in (("too many axes", {"scan_input_axes": [0, 0]}, "ATTRIBUTE_LENGTH"),
                                ("too many directions", {"scan_output_directions": [0, 1]}, "ATTRIBUTE_LENGTH"),
                                ("a direction that is neither", {"scan_input_directions": [2]}, "ATTRIBUTE_VALUE")):
        scan("f, y = Scan(s, a)", ["?", "?"], what, [reason], given=plain, num_scan_inputs=1, **lists)
    scan("f, y = Scan(s, b)", ["float[H]", "float[T,B,H]"], "axes from the back in version 9", given=plain, opset=9,
         num_scan_inputs=1,
         scan_input_axes=[-2])
    scan("f, y = Scan(s, a)", ["?", "?"], "more scanned inputs than there are", ["BODY_ARITY"], given=plain,
         num_scan_inputs=3)
    scan("f, y = Scan(s, a)", ["?", "?"], "none", ["BODY_ARITY"], given=plain, num_scan_inputs=0)
    scan("f, y = Scan(s, a, a)", ["?", "?"], "more than the body takes", ["BODY_ARITY"], given=plain, num_scan_inputs=1)
    seen = told(daemon, [op("y = Scan(z)", body=graph([op("o = Relu(ai)")], ["ai"], ["o"]), num_scan_inputs=1)], ["y"],
                ["z: float[]"])
    equal("a scalar has no axis to scan", (seen["y"], seen.reasons), ("?", ["RANK_MISMATCH"]))


def scans_of_8(daemon):
    inputs = ["h: float[B,H]", "a: float[B,T,H]", "n: int64[B]"]
    step = graph([op("so = Relu(si)"), op("o = Abs(ai)")], ["si", "ai"], ["so", "o"])
    for what, lens in (("without lengths", ""), ("with lengths", "n")):
        seen = told(daemon, [op("f, y = Scan(%s, h, a)" % lens, "n", body=step, num_scan_inputs=1)], ["f", "y"],
                    inputs, opset=8, ir=3)
        equal("version 8 %s" % what, (seen["f"], seen["y"], seen.reasons), ("float[B,H]", "float[B,T,H]", []))
        equal("no batch within", (seen["n/body/si"], seen["n/body/ai"]), ("float[H]", "float[H]"))
    wrong = ["h: float[2,H]", "a: float[3,T,H]"]
    seen = told(daemon, [op("f, y = Scan(, h, a)", body=step, num_scan_inputs=1)], ["f", "y"], wrong, opset=8, ir=3)
    equal("batches that differ", seen.reasons, ["DIM_MISMATCH"])
    seen = told(daemon, [op("f, y = Scan(, h, a)", body=step, num_scan_inputs=1)], ["f", "y"],
                ["h: float[B,H]", "a: float[B]"], opset=8, ir=3)
    equal("no axis to scan", seen.reasons, ["RANK_MISMATCH"])


def hides(daemon):
    body = graph([op("co = Identity(ci)"), op("so = Relu(x)")], ["i: int64[]", "ci: bool[]", "x: float"], ["co", "so"])
    seen = told(daemon, [op("y = Loop(m, c, x)", "l", body=body)], ["y"])
    equal("an input of a body that hides another value", [(d["reason"], d["severity"], d["value"], d["scope"])
                                                          for d in seen.json["diagnostics"]],
          [("NAME_SHADOWED", "info", "x", "l/body")])


# -- sequences and optionals of what has a shape and no element type --

UNTYPED = ["ELEMENT_TYPE"]


def open_elements(daemon):
    """No request for a node can say so, but a model can leave an element type out."""
    nodes = [op("y = SequenceAt(q, i)"), op("z = ConcatFromSequence(q)", axis=0)]
    seen = told(daemon, nodes, ["y", "z"], ["q: seq(?[2,N])", "i: int64[]"])
    equal("an element of a sequence of any type", (seen["y"], seen["z"], seen.reasons), ("?[2,N]", "?[?1,N]", UNTYPED))
    made = [op("q = SequenceConstruct(u, u, u)"), op("e = SequenceErase(q)"), op("l = SequenceLength(e)")]
    seen = told(daemon, made + nodes, ["y", "z", "l"], ["u: ?[2,N]", "i: int64[]"])
    equal("of a sequence that was made of it", (seen["y"], seen["z"], seen.contents["l"], seen.reasons),
          ("?[2,N]", "?[6,N]", [2], UNTYPED))
    seen = told(daemon, [op("q = SplitToSequence(u)", axis=0), op("y = SequenceAt(q, i)")], ["y"], ["u: ?[3,N]", "i: int64[]"])
    equal("of one that it was split to", (seen["y"], seen.reasons), ("?[1,N]", UNTYPED))
    seen = told(daemon, [op("q = OptionalGetElement(o)"), op("y = SequenceAt(q, i)")], ["y"],
                ["o: optional(seq(?[2,N]))", "i: int64[]"])
    equal("of one in an optional", (seen["y"], seen.reasons), ("?[2,N]", UNTYPED))
    seen = told(daemon, [op("r = SequenceInsert(q, f)"), op("y = SequenceAt(r, i)")], ["y"],
                ["q: seq(?[2,N])", "f: float[2,N]", "i: int64[]"])
    equal("of one that a float tensor was put into, whose type all have", (seen["y"], seen.reasons), ("float[2,N]", UNTYPED))


# -- SequenceMap --

def maps(daemon):
    double = graph([op("o = Concat(i, i)", axis=0)], ["i"], ["o"])
    nodes = [op("s = SequenceConstruct(x, w)"), op("y = SequenceMap(s)", "n", body=double)]
    seen = told(daemon, nodes + [op("e = SequenceAt(y, k)"), const("k", "int64[]", [1])][::-1], ["y", "e"])
    equal("a map keeps the length and each element's shape", (seen["y"][-2:], seen["e"], seen.reasons),
          ("*2", "float[2*M,3]", []))
    seen = told(daemon, [op("y = SequenceMap(q)", "n", body=double)], ["y"], ["q: seq(float[N,3])"])
    equal("a sequence of unknown length", (seen["y"], seen["n/body/i"]), ("seq(float[2*N,3])", "float[N,3]"))
    plus = graph([op("o = Add(i, j)")], ["i", "j"], ["o"])
    seen = told(daemon, [op("y = SequenceMap(q, x)", body=plus)], ["y"], ["q: seq(float[N,3])"])
    equal("a tensor goes to every element", seen["y"], "seq(float[N,3])")
    seen = told(daemon, [op("y = SequenceMap(q, q)", body=plus)], ["y"], ["q: seq(float[N,3])"])
    equal("a second sequence is walked along", seen["y"], "seq(float[N,3])")
    two = graph([op("o = Relu(i)"), op("p = Shape(i)")], ["i"], ["o", "p"])
    seen = told(daemon, [op("y, z = SequenceMap(q)", body=two)], ["y", "z"], ["q: seq(float[N,3])"])
    equal("two outputs", (seen["y"], seen["z"]), ("seq(float[N,3])", "seq(int64[2])"))
    found = graph([op("o = NonZero(i)")], ["i"], ["o"])
    nodes = [op("y = SequenceMap(q)", body=found), op("d = SequenceAt(y, m)"), op("e = SequenceAt(y, l)")]
    seen = told(daemon, nodes, ["d", "e"], ["q: seq(float[N,3])", "l: int64[]"])
    equal("elements of sizes that data decides differ", (seen["d"], seen["e"]), ("int64[2,?3]", "int64[2,?4]"))
    seen = told(daemon, [op("y = SequenceMap(x)", body=double)], ["y"])
    check("a tensor is no sequence", "TYPE_MISMATCH" in seen.reasons, (seen.reasons, seen["y"]))
    seen = told(daemon, [op("y = SequenceMap(q)", body=graph([], ["i"], ["q"]))], ["y"], ["q: seq(float[N,3])"])
    equal("of sequences there are no sequences", (seen["y"], seen.reasons), ("?", ["TYPE_MISMATCH"]))
    seen = told(daemon, [op("y, z = SequenceMap(q)", body=double)], ["y"], ["q: seq(float[N,3])"])
    equal("another number of outputs", seen.reasons, ["BODY_ARITY"])


def versions(daemon):
    relu = unary("Relu")
    for since in VERSIONS["If"]:
        seen = told(daemon, [op("y = If(c)", then_branch=relu, else_branch=unary("Abs"))], ["y"], opset=since)
        equal("If of version %d" % since, (seen["y"], seen.reasons), ("float[N,3]", []))
    for since in VERSIONS["Loop"]:
        seen = told(daemon, [op("f, s = Loop(m, c, x)",
                                body=body([op("vo = Relu(v)"), op("so = Abs(v)")], [("v", "vo")], ["so"]))],
                    ["f", "s"], opset=since)
        equal("Loop of version %d" % since, (seen["f"], seen["s"], seen.reasons), ("float[N,3]", "float[?1,N,3]", []))
    for since in VERSIONS["Scan"]:
        seen = told(daemon, [op("y = Scan(x)", body=graph([op("o = Relu(i)")], ["i"], ["o"]), num_scan_inputs=1)],
                    ["y"], opset=since)
        equal("Scan of version %d" % since, (seen["y"], seen.reasons), ("float[N,3]", []))
    bare = body([op("so = Identity(it)")], [], ["so"])
    for since, reasons in ((10, ["MISSING_INPUT"]), (11, [])):
        equal("a Loop that carries nothing, in version %d" % since,
              told(daemon, [op("s = Loop(m, c)", body=bare)], ["s"], opset=since).reasons, reasons)


def main():
    with Daemon() as daemon:
        for part in (branches, kinds, constant_condition, insides, depth, loops, carried_values, bodies, hides, scans,
                     scans_of_8, open_elements, maps, versions):
            part(daemon)
    finish()


if __name__ == "__main__":
    main()
