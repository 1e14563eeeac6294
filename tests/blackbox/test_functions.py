#!/usr/bin/env python3
"""Model-local functions: attributes, overloads, omitted inputs, nested and repeated calls, recursion, declared types."""
from build import Ref, const, function, graph, infer, model, op
from harness import Daemon, check, equal, finish

X = ["x: float[N,3]", "c: bool[]"]


def call(daemon, functions, nodes, outputs, inputs=(), **options):
    return infer(daemon, model(graph(nodes, X + list(inputs), outputs), functions=functions), **options)


def simple(daemon):
    twice = function("Twice", "a", "b", [op("t = Transpose(a)"), op("b = Relu(t)")])
    seen = call(daemon, [twice], [op("y = my.Twice(x)", "call"), op("z = my.Twice(y)")], ["z"])
    equal("a function", (seen["y"], seen["z"], seen.reasons), ("float[3,N]", "float[N,3]", []))
    equal("what it makes inside", (seen["call/Twice/t"], seen["Twice_1/Twice/t"]), ("float[3,N]", "float[N,3]"))
    equal("and takes", (seen["call/Twice/a"], seen["Twice_1/Twice/a"]), ("float[N,3]", "float[3,N]"))
    kinds = {v["name"]: v["kind"] for v in seen.json["values"] if v.get("scope") == "call/Twice"}
    equal("their kinds", kinds, {"a": "input", "t": "intermediate", "b": "intermediate"})
    seen = call(daemon, [twice], [op("y = my.Twice(x)", "one"), op("z = my.Twice(x)", "two")], ["y", "z"])
    equal("calls that are alike are reported once", [k for k in seen.values if k.endswith("/t")], ["one/Twice/t"])
    equal("both have their output", (seen["y"], seen["z"]), ("float[3,N]", "float[3,N]"))
    seen = call(daemon, [twice], [op("y = Relu(x)"), op("z = other.Twice(x)")], ["y", "z"])
    equal("another domain's operator is not meant", (seen["z"], seen.reasons), ("?", ["UNKNOWN_OPERATOR"]))
    relu = function("Relu", "a", "b", [op("b = Transpose(a)")])
    seen = call(daemon, [relu], [op("y = Relu(x)"), op("z = my.Relu(x)")], ["y", "z"])
    equal("a function shadows nothing of ONNX's", (seen["y"], seen["z"]), ("float[N,3]", "float[3,N]"))
    faulty = function("Faulty", "a", "b", [op("t = Reshape(a, s)"), op("b = Relu(a)"),
                                           const("s", "int64[1]", [7])][::-1])
    seen = call(daemon, [faulty], [op("y = my.Faulty(k)", "f"), const("k", "float[2]", [1, 2])][::-1], ["y"])
    equal("a fault inside costs no more than its node", (seen["y"], seen.reasons), ("float[2]", ["DIM_MISMATCH"]))
    equal("and tells where", seen.json["diagnostics"][0]["scope"], "f/Faulty")


def attributes(daemon):
    cut = function("Cut", "a", "b", [op("b = Unsqueeze(a, axes)"),
                                     op("axes = Constant()", value_ints=Ref("at", 7))][::-1],
                   attributes=["at"])
    seen = call(daemon, [cut], [op("y = my.Cut(x)", at=[0]), op("z = my.Cut(x)", at=[1, 3])], ["y", "z"])
    equal("an attribute of the call", (seen["y"], seen["z"], seen.reasons), ("float[1,N,3]", "float[N,1,3,1]", []))
    joined = function("Joined", "a", "b", [op("b = Concat(a, a)", axis=Ref("axis"))], defaults={"axis": 1})
    seen = call(daemon, [joined], [op("y = my.Joined(x)"), op("z = my.Joined(x)", axis=0)], ["y", "z"])
    equal("a default, and what is given in its place", (seen["y"], seen["z"], seen.reasons),
          ("float[N,6]", "float[2*N,3]", []))
    flat = function("Flat", "a", "b", [op("b = Flatten(a)", axis=Ref("axis"))], attributes=["axis"])
    seen = call(daemon, [flat], [op("y = my.Flat(x)")], ["y"])
    equal("without either, the operator's default", (seen["y"], seen.reasons), ("float[N,3]", []))
    needed = function("Needed", "a", "b", [op("b = Concat(a, a)", axis=Ref("axis"))], attributes=["axis"])
    seen = call(daemon, [needed], [op("y = my.Needed(x)")], ["y"])
    equal("which there may be none of", (seen["y"], seen.reasons), ("?", ["MISSING_ATTRIBUTE"]))
    outer = function("Outer", "a", "b", [op("b = my.Joined(a)", axis=Ref("way"))], attributes=["way"])
    seen = call(daemon, [joined, outer], [op("y = my.Outer(x)", way=0), op("z = my.Outer(x)")], ["y", "z"])
    equal("handed on; left out, the inner default holds", (seen["y"], seen["z"]), ("float[2*N,3]", "float[N,6]"))
    branch = graph([op("t = Concat(a, a)", axis=Ref("axis"))], [], ["t"])
    chosen = function("Chosen", "a, k", "b", [op("b = If(k)", then_branch=branch, else_branch=branch)],
                      attributes=["axis"])
    seen = call(daemon, [chosen], [op("y = my.Chosen(x, c)", axis=-1)], ["y"])
    equal("a reference in a branch within a function", (seen["y"], seen.reasons), ("float[N,6]", []))
    equal("and its scope", seen["Chosen_0/Chosen/If_0/then_branch/t"], "float[N,6]")


def overloads(daemon):
    one = function("F", "a", "b", [op("b = Transpose(a)")])
    two = function("F", "a", "b", [op("b = Cast(a)", to=7)], overload="ints")
    nodes = [op("y = my.F(x)"), op("z = my.F(x)", overload="ints"), op("u = my.F(x)", overload="none")]
    seen = call(daemon, [one, two], nodes, ["y", "z", "u"])
    equal("overloads are functions of their own", (seen["y"], seen["z"], seen["u"]), ("float[3,N]", "int64[N,3]", "?"))
    equal("one that is not there", seen.reasons, ["UNKNOWN_OPERATOR"])


def left_out(daemon):
    limited = function("Limited", "a, low, high", "b", [op("b = Clip(a, low, high)")])
    nodes = [op("y = my.Limited(x, , h)"), op("z = my.Limited(x)"), op("u = my.Limited(x, , , )")]
    seen = call(daemon, [limited], nodes, ["y", "z", "u"], ["h: float[]"])
    equal("inputs left out", (seen["y"], seen["z"], seen["u"], seen.reasons), ("float[N,3]",) * 3 + ([],))
    equal("there is no such value", seen["Limited_0/Limited/low"], "absent")
    part = function("Part", "a, s, e, axes", "b", [op("b = Slice(a, s, e, axes)")])
    known = [const("s", "int64[1]", [1]), const("e", "int64[1]", [2]), const("k", "int64[1]", [1])]
    seen = call(daemon, [part], known + [op("y = my.Part(x, s, e)"), op("z = my.Part(x, s, e, k)")], ["y", "z"])
    equal("an operator inside sees it left out", (seen["y"], seen["z"]), ("float[min(N-1,1),3]", "float[N,1]"))
    asks = function("Asks", "a, p", "b", [op("b = OptionalHasElement(p)"), op("t = Relu(a)")],
                    opset={"": 18, "my": 1})
    seen = call(daemon, [asks], [op("y = my.Asks(x)"), op("z = my.Asks(x, x)")], ["y", "z"])
    equal("as does one that asks for it", (seen.contents.get("y"), seen.contents.get("z")), ([0], [1]))
    sums = function("Sums", "a, q", "b", [op("b = Add(a, q)")])
    seen = call(daemon, [sums], [op("y = my.Sums(x)")], ["y"])
    equal("and one that needs it", (seen["y"], seen.reasons), ("?", ["MISSING_INPUT"]))
    nested = function("Nested", "a, q", "b", [op("b = my.Limited(a, q, q)")])
    seen = call(daemon, [limited, nested], [op("y = my.Nested(x)")], ["y"])
    equal("left out of a call within a call", (seen["y"], seen.reasons), ("float[N,3]", []))
    two = function("Two", "a", "b, d", [op("b = Relu(a)"), op("d = Transpose(a)")])
    seen = call(daemon, [two], [op("y = my.Two(x)"), op(", z = my.Two(x)")], ["y", "z"])
    equal("outputs left out", (seen["y"], seen["z"], seen.reasons), ("float[N,3]", "float[3,N]", ["OUTPUT_COUNT"]))
    seen = call(daemon, [two], [op("y, = my.Two(x)")], ["y"])
    equal("an output without a name", (seen["y"], seen.reasons), ("float[N,3]", []))
    for what, node, reason in (("inputs", "y = my.Two(x, x)", "INPUT_COUNT"),
                               ("outputs", "y, z, u = my.Two(x)", "OUTPUT_COUNT")):
        seen = call(daemon, [two], [op(node)], ["y"])
        equal("too many %s" % what, (seen["y"], seen.reasons), ("?", [reason]))
    hole = function("Hole", "a", "b", [op("t = Relu(a)")])
    seen = call(daemon, [hole], [op("y = my.Hole(x)")], ["y"])
    equal("an output that the body does not make", (seen["y"], seen.reasons), ("?", ["UNKNOWN_OUTPUT"]))
    same = function("Same", "a, a", "b", [op("b = Relu(a)")])
    seen = call(daemon, [same], [op("y = my.Same(x, c)")], ["y"])
    equal("an input's name twice", (seen["y"], seen.reasons), ("float[N,3]", ["DUPLICATE_NAME"]))
    through = function("Through", "a", "a", [])
    equal("an output that is an input", call(daemon, [through], [op("y = my.Through(x)")], ["y"])["y"], "float[N,3]")


def scopes(daemon):
    leaky = function("Leaky", "a", "b", [op("b = Add(a, x)")])
    seen = call(daemon, [leaky], [op("y = my.Leaky(x)")], ["y"])
    equal("a body does not see the caller's values", (seen["y"], seen.reasons), ("?", ["UNKNOWN_INPUT"]))
    old = function("Old", "a", "b", [op("b = Unsqueeze(a)", axes=[0])], opset={"": 11})
    seen = call(daemon, [old], [op("y = my.Old(x)"), op("z = Unsqueeze(x)", axes=[0])], ["y", "z"])
    equal("a function has operator sets of its own", (seen["y"], seen["z"]), ("float[1,N,3]", "?"))
    alias = function("Alias", "a", "b", [op("b = Transpose(a)")], opset={"ai.onnx": 17})
    equal("ai.onnx is the domain of that name", call(daemon, [alias], [op("y = my.Alias(x)")], ["y"])["y"],
          "float[3,N]")
    unsorted = function("Unsorted", "a", "b", [op("b = Relu(t)"), op("t = Transpose(a)")])
    seen = call(daemon, [unsorted], [op("y = my.Unsorted(x)")], ["y"])
    equal("a body that is unsorted", (seen["y"], seen.reasons), ("float[3,N]", ["UNSORTED_NODES"]))


def recursion(daemon):
    myself = function("Myself", "a", "b", [op("t = my.Myself(a)"), op("b = Relu(a)")])
    seen = call(daemon, [myself], [op("y = my.Myself(x)")], ["y"])
    equal("a function that calls itself", (seen["y"], seen.reasons), ("float[N,3]", ["RECURSIVE_FUNCTION"]))
    ping = function("Ping", "a", "b", [op("b = my.Pong(a)")])
    pong = function("Pong", "a", "b", [op("b = my.Ping(a)")])
    seen = call(daemon, [ping, pong], [op("y = my.Ping(x)"), op("z = Relu(x)")], ["y", "z"])
    equal("two that call each other", (seen["y"], seen["z"], seen.reasons), ("?", "float[N,3]", ["RECURSIVE_FUNCTION"]))
    inside = graph([op("t = my.Hidden(a, k)")], [], ["t"])
    hidden = function("Hidden", "a, k", "b", [op("b = If(k)", then_branch=inside, else_branch=inside)])
    seen = call(daemon, [hidden], [op("y = my.Hidden(x, c)")], ["y"])
    check("one that does in a branch", set(seen.reasons) == {"RECURSIVE_FUNCTION"}, seen.reasons)
    chain = [function("F0", "a", "b", [op("b = Relu(a)")])]
    chain += [function("F%d" % i, "a", "b", [op("b = my.F%d(a)" % (i - 1))]) for i in range(1, 100)]
    seen = call(daemon, chain, [op("y = my.F99(x)"), op("z = my.F50(x)")], ["y", "z"])
    equal("nested deeper than the limit", (seen["y"], seen["z"], seen.reasons), ("?", "float[N,3]", ["GRAPH_DEPTH"]))
    seen = infer(daemon, doubling("float[N,3]", op("b = Relu(a)"), 100))
    check("even where each calls the next one twice", seen["y"] == "?" and "GRAPH_DEPTH" in seen.reasons,
          seen.answer.body[:300])


def doubling(kind, last, count=60, **attributes):
    """F60 calls F59 twice, and so on."""
    chain = [function("F0", "a", "b", [last], attributes=["axis"])]
    handed = {"axis": Ref("axis")} if attributes else {}
    chain += [function("F%d" % i, "a", "b", [op("t = my.F%d(a)" % (i - 1), **handed),
                                             op("b = my.F%d(t)" % (i - 1), **handed)],
                       attributes=["axis"]) for i in range(1, count + 1)]
    return model(graph([op("y = my.F%d(x)" % count, **attributes)], ["x: " + kind], ["y"]), functions=chain)


def repeated(daemon):
    for what, data, wanted in (("", doubling("float[N,3]", op("b = Relu(a)")), "float[N,3]"),
                               (" with attributes handed on",
                                doubling("float[N,3]", op("b = Softmax(a)", axis=Ref("axis")), axis=1),
                                "float[N,3]"),
                               (" of sequences", doubling("seq(float[N])", op("b = Identity(a)")), "seq(float[N])")):
        seen = infer(daemon, data)  # one after the other, the calls would go past every limit
        check("2^60 calls%s" % what, seen["y"] == wanted, (seen["y"], seen.answer.body[:300]))
        check("and few values%s" % what, 60 <= len(seen.values) < 400, len(seen.values))
    found = function("Found", "a", "b", [op("b = NonZero(a)")])
    nodes = [op("y = my.Found(x)"), op("z = my.Found(x)"), op("s = Concat(y, z)", axis=1), op("u = Add(y, y)")]
    seen = call(daemon, [found], nodes, ["s", "u"])
    equal("what data decides is new in each call", (seen["y"], seen["z"], seen["s"]),
          ("int64[2,?1]", "int64[2,?2]", "int64[2,?1+?2]"))
    check("told once all the same", len([k for k in seen.values if k.startswith("Found_")]) == 2, seen.values)
    pair = function("Pair", "a", "b, d", [op("b = NonZero(a)"), op("d = Transpose(b)")])
    nodes = [op("y, yt = my.Pair(x)"), op("z, zt = my.Pair(x)"), op("s = Add(z, zt)"), op("m = MatMul(z, zt)")]
    seen = call(daemon, [pair], nodes, ["y", "zt", "m"])
    equal("equal within one call", (seen["yt"], seen["z"], seen["zt"]), ("int64[?1,2]", "int64[2,?2]", "int64[?2,2]"))
    both = [op("y = my.Doubled(x)", "one"), op("z = my.Doubled(x)", "two")]
    doubled = function("Doubled", "a", "d", [op("b = NonZero(a)"), op("d = Concat(b, b)", axis=1)])
    for order in (both, both[::-1]):
        seen = call(daemon, [doubled], order, ["y", "z"])
        rows = {s["name"]: (s["op"], s["min"], s["max"]) for s in seen.json["symbols"] if "op" in s}
        equal("what is new is called alike, and has the same bounds, whichever call is first", rows,
              {"NonZero_1": ("NonZero", 0, "3*N"), "NonZero_2": ("NonZero", 0, "3*N")})
        equal("and what it is made into is known", sorted([seen["y"], seen["z"]]), ["int64[2,2*?1]", "int64[2,2*?2]"])
    nodes = both + [op("u = Concat(y, k)", axis=0), const("k", "int64[1,6]", [0] * 6), op("v = my.Doubled(x)")]
    seen = call(daemon, [doubled], nodes, ["u", "v"])
    equal("what is learned of one call holds for no other", (seen["u"], seen["v"]), ("int64[3,6]", "int64[2,2*?2]"))
    known = function("Known", "a", "b, d", [op("b = NonZero(a)"), op("d = Shape(b)")])
    nodes = [op("y, ys = my.Known(x)"), op("z, zs = my.Known(x)"), const("one", "float[1]", [1]),
             op("r = Expand(one, zs)")]
    seen = call(daemon, [known], nodes, ["r"])
    equal("contents are renewed along", (seen["y"], seen["z"], seen["r"]),
          ("int64[2,?1]", "int64[2,?2]", "float[2,?2]"))
    shaped = function("Shaped", "a, s", "b", [op("b = Reshape(a, s)")])
    nodes = [const("s", "int64[1]", [-1]), const("t", "int64[2]", [3, -1]), op("y = my.Shaped(x, s)"),
             op("z = my.Shaped(x, t)")]
    seen = call(daemon, [shaped], nodes, ["y", "z"])
    equal("other contents, another result", (seen["y"], seen["z"]), ("float[3*N]", "float[3,N]"))
    body = graph([op("co = Identity(ci)"), op("so = my.Faulty(v)"), op("vo = Concat(v, v)", axis=0)],
                 ["it: int64[]", "ci: bool[]", "v: float[N,3]"], ["co", "vo", "so"])
    faulty = function("Faulty", "a", "b", [op("b = Gemm(a, k)"), const("k", "float[2,2]", [1] * 4)][::-1])
    seen = call(daemon, [faulty], [op("f, s = Loop(m, c, x)", "L", body=body)], ["f", "s"], ["m: int64[]"])
    check("faults of a call in a body that is walked again are told", seen.reasons == ["DIM_MISMATCH"], seen.reasons)
    check("and its values", "L/body/Faulty_1/Faulty/k" in seen.values, list(seen.values))


def never_taken(daemon):
    faulty = function("Faulty", "a", "b", [const("k", "float[2,2]", [1] * 4), op("t = Gemm(a, k)"), op("b = Relu(a)")])
    dead = graph([op("t = my.Faulty(x)")], [], ["t"])
    nodes = [const("no", "bool[]", [0]), op("y = If(no)", then_branch=dead, else_branch=graph([], [], ["x"])),
             op("z = my.Faulty(x)")]
    seen = call(daemon, [faulty], nodes, ["z"])
    equal("a fault is told where it counts", [d["severity"] for d in seen.json["diagnostics"]], ["info", "error"])
    chain = [function("F0", "a, k", "b", [op("b = Relu(a)")])]
    for i in range(1, 40):
        inside = graph([op("t = my.F%d(a, k)" % (i - 1))], [], ["t"])
        chain.append(function("F%d" % i, "a, k", "b", [op("b = If(k)", then_branch=inside, else_branch=inside)]))
    seen = call(daemon, chain, [const("no", "bool[]", [0]), op("y = my.F30(x, no)")], ["y"])
    check("calls in both branches stay linear", seen["y"] == "float[N,3]" and len(seen.values) < 1000,
          (seen["y"], len(seen.values)))


def exhausted(daemon):
    """Each of 2^60 calls has another number to add to: what counts is the type in the end."""
    counts = [function("F0", "a", "b", [const("one", "int64[1]", [1]), op("b = Add(a, one)")])]
    counts += [function("F%d" % i, "a", "b", [op("t = my.F%d(a)" % (i - 1)),
                                              op("b = my.F%d(t)" % (i - 1))]) for i in range(1, 61)]
    nodes = [const("x0", "int64[1]", [1]), op("y = my.F60(x0)"), op("z = my.F3(x0)")]
    seen = call(daemon, counts, nodes, ["y", "z"], values="outputs")
    equal("2^60 calls, each with other contents", (seen["y"], seen.reasons), ("int64", ["CALL_LIMIT"]))
    grows = [function("F0", "a", "b", [op("b = Concat(a, a)", axis=0)])]
    grows += [function("F%d" % i, "a", "b", [op("t = my.F%d(a)" % (i - 1)), op("b = my.F%d(t)" % (i - 1))]) for i in range(1, 61)]
    seen = call(daemon, grows, [op("y = my.F60(x)")], ["y"])
    told = [d["message"] for d in seen.json["diagnostics"] if d["reason"] == "CALL_LIMIT"]
    scopes = sum(len(v.get("scope", "")) for v in seen.json["values"])
    check("2^60 calls that grow sizes are listed up to a limit", len(told) == 1 and "function_bytes" in told[0] and scopes < 6e6,
          (told, scopes))
    seen = call(daemon, counts, nodes[:1] + nodes[2:], ["z"])
    equal("2^3 calls are followed", seen.contents.get("z"), [9])


def declared(daemon):
    infos = ["b: float[K,?,4]", "t: float[1,2]"]
    custom = function("Custom", "a", "b", [op("t = other.Op(a)"), op("b = other.Op(t)")], infos=infos)
    nodes = [op("y = my.Custom(x)"), op("z = my.Custom(w)")]
    seen = call(daemon, [custom], nodes, ["y", "z"], ["w: float[K]"])
    equal("value_info tells what is unknown", seen["Custom_0/Custom/t"], "float[1,2]")
    equal("its names are each call's own", (seen["y"], seen["z"]), ("float[?1,?2,4]", "float[?3,?4,4]"))
    seen = call(daemon, [custom], nodes, ["y"], ["w: float[K]"], ignore_declared=1)
    equal("unless it is ignored", seen["y"], "?")
    wrong = function("Wrong", "a", "b", [op("b = Relu(a)")], infos=["b: float[?,4]"])
    seen = call(daemon, [wrong], [op("y = my.Wrong(x)")], ["y"])
    equal("and what contradicts it is told", (seen["y"], seen.reasons), ("float[N,3]", ["DECLARED_CONFLICT"]))


def referred(daemon):
    """A graph that a function hands on as an attribute may refer to attributes of that function: those of the one that it
    is handed to are others."""
    inner = function("Inner", "c, x", "y", [op("y = If(c)", then_branch=Ref("body", 5), else_branch=Ref("body", 5))],
                     attributes=["body"])
    flat = graph([op("t = Flatten(x)", axis=Ref("k"))], [], ["t"])
    outer = function("Outer", "c, x", "y", [op("y = my.Inner(c, x)", body=flat)], attributes=["k"])
    seen = call(daemon, [inner, outer], [op("y = my.Outer(c, x)", k=2), op("z = my.Outer(c, x)", k=0)], ["y", "z"])
    equal("no default takes their place", (seen["y"], seen["z"]), ("?", "?"))
    seen = call(daemon, [], [op("y = Flatten(x)", axis=Ref("k"))], ["y"])
    equal("outside of functions there are none", (seen["y"], seen.reasons), ("?", ["MISSING_ATTRIBUTE"]))


def main():
    with Daemon("--engine-ms", "600000") as daemon:
        for part in (simple, attributes, overloads, left_out, scopes, recursion, repeated, never_taken, exhausted,
                     declared, referred):
            part(daemon)
    finish()


if __name__ == "__main__":
    main()
