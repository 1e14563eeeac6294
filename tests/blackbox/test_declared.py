#!/usr/bin/env python3
"""Declared types of values: they fill in, name and contradict, but never replace inferred types."""
from build import const, graph, infer, model, op, tensor
from harness import Daemon, check, equal, finish
from wire import number, text

X = ["x: float[N,3]"]


def told(daemon, nodes, outputs, inputs=X, infos=(), **options):
    return infer(daemon, model(graph(nodes, inputs, outputs, infos)), **options)


def fills_in(daemon):
    for where, outputs, infos in (("an output", ["y: float[4,?,N]"], []), ("value_info", ["y"], ["y: float[4,?,N]"])):
        seen = told(daemon, [op("y = other.Op(x)")], outputs, infos=infos)
        equal("%s tells what is unknown" % where, (seen["y"], seen.reasons), ("float[4,?1,N]", ["UNKNOWN_OPERATOR"]))
        seen = told(daemon, [op("y = other.Op(x)")], outputs, infos=infos, ignore_declared=1)
        equal("%s does not with ignore_declared" % where, seen["y"], "?")
    seen = told(daemon, [op("y = other.Op(x)"), op("z = Relu(y)")], ["z"], infos=["y: float[4,?]"])
    equal("it flows on", seen["z"], "float[4,?1]")
    seen = told(daemon, [op("y = Reshape(x, s)")], ["y: float[2,?]"], X + ["s: int64[?]"])
    equal("a rank that data decides", (seen["y"], seen.reasons), ("float[2,?2]", []))
    seen = told(daemon, [op("y = NonZero(x)")], ["y: int64[2,7]"])
    equal("a size that data decides", (seen["y"], seen.reasons), ("int64[2,7]", []))
    seen = told(daemon, [op("y = NonZero(x)"), op("z = Transpose(y)")], ["z: int64[K,2]", "y"])
    equal("its name, also before it was told", (seen["y"], seen["z"]), ("int64[2,K]", "int64[K,2]"))
    seen = told(daemon, [op("y = NonZero(x)"), op("z = NonZero(x)")], ["y: int64[2,K]", "z: int64[2,K]"])
    equal("one name of two is one size", (seen["y"], seen["z"]), ("int64[2,K]", "int64[2,K]"))
    symbols = {s["name"]: s for s in seen.json["symbols"]}
    equal("and where it arose", [symbols["K"].get(k) for k in ("value", "axis", "op")], ["y", 1, "NonZero"])
    seen = told(daemon, [op("y = NonZero(x)")], ["y: int64[2,unk__5]"])
    equal("a placeholder names nothing", seen["y"], "int64[2,?1]")
    seen = told(daemon, [op("y = NonZero(x)"), op("z = NonZero(w)")], ["y: int64[2,unk__5]", "z: int64[2,unk__5]"],
                X + ["w: float[N,3]"])
    equal("and equals nothing", (seen["y"], seen["z"]), ("int64[2,?1]", "int64[2,?2]"))
    seen = told(daemon, [op("y = Relu(x)")], ["y"], ["x: float[unk__5,unk__5]"])
    equal("but at an input it is a name", seen["y"], "float[unk__5,unk__5]")


def contradicts(daemon):
    for what, declared, found in (("a size", "y: float[N,4]", "float[N,3]"),
                                  ("a rank", "y: float[N,3,1]", "float[N,3]"),
                                  ("an element type", "y: int64[N,3]", "float[N,3]"),
                                  ("a scalar", "y: float[]", "float[N,3]"),
                                  ("a sequence", "y: seq(float[N,3])", "float[N,3]"),
                                  ("an optional", "y: optional(float[N,3])", "float[N,3]"),
                                  ("a map", "y: map(int64, float[])", "float[N,3]"),
                                  ("a sparse tensor", "y: sparse(float[N,3])", "float[N,3]")):
        seen = told(daemon, [op("y = Relu(x)", "n"), op("z = Abs(y)")], [declared, "z"])
        equal("%s declared otherwise: the inferred one is shown and flows on" % what,
              (seen["y"], seen["z"], seen.reasons),
              (found, found, ["DECLARED_CONFLICT"]))
        found = seen.json["diagnostics"][0]
        equal("%s: what and where" % what, [found.get(k) for k in ("severity", "value", "node", "code")],
              ["error", "y", "n", "invalid_argument"])
    seen = told(daemon, [op("y = Relu(x)")], ["y: float[?,4]"], strict=1)
    equal("strict refuses it", seen.status, 400)
    seen = told(daemon, [op("y = Relu(x)")], ["y: float[9,4]"])
    equal("each axis is told, what is equal is a fact", (seen.reasons, seen.constraints),
          (["DECLARED_CONFLICT"], ["N == 9"]))
    seen = told(daemon, [op("y = Concat(x, x)", axis=0)], ["y: float[7,3]"])
    equal("2*N is not 7", (seen["y"], seen.reasons), ("float[2*N,3]", ["DECLARED_CONFLICT"]))


def names(daemon):
    seen = told(daemon, [op("y = Relu(x)")], ["y: float[M,3]"], X + ["w: float[M]"])
    equal("two names for one size are both the model's", seen.constraints, ["N == M"])
    seen = told(daemon, [op("y = Relu(x)")], ["y: float[batch,3]"])
    equal("one that only an output has is another name for it", (seen["y"], seen.constraints, seen.reasons),
          ("float[N,3]", [], []))
    equal("and stands beside it", told_beside(seen), {"y": ["batch", 3]})
    seen = told(daemon, [op("y = Concat(x, x)", axis=0)], ["y: float[twice,3]"])
    equal("an expression and a name", (seen["y"], seen.constraints, told_beside(seen)),
          ("float[2*N,3]", [], {"y": ["twice", 3]}))
    seen = told(daemon, [op("y = Relu(x)")], ["y: float[?,-1]"])
    equal("an open and a negative size say nothing", (seen["y"], seen.reasons), ("float[N,3]", []))
    seen = told(daemon, [op("y = Relu(x)")], ["y"], ["x: float[-1,?,-7]"])
    equal("at an input they are sizes of its own", (seen["y"], seen.reasons), ("float[?1,?2,?3]", []))
    equal("named after it", seen.json["values"][0]["shape"], ["x_0", "x_1", "x_2"])
    seen = told(daemon, [op("y = Add(x, w)")], ["y"], ["x: float[?,3]", "w: float[x_0,3]"])
    shapes = [v["shape"][0] for v in seen.json["values"]]
    check("and never after another one", shapes[0] != shapes[1] and shapes[1] == "x_0", shapes)
    seen = told(daemon, [op("y = Relu(x)")], ["y"], ["x: float[batch size,p2o.Dim.0]"])
    equal("any text is a name", seen.json["values"][1]["shape"], ["batch size", "p2o.Dim.0"])
    seen = told(daemon, [op("y = Concat(x, x)", axis=1)], ["y"], ["x: float[batch size,p2o.Dim.0]"])
    equal("within an expression in backquotes", seen.json["values"][1]["shape"], ["batch size", "2*`p2o.Dim.0`"])


def told_beside(seen):
    """The shapes that stand beside the inferred ones, by value."""
    return {v["name"]: v["declared"] for v in seen.json["values"] if "declared" in v}


def beside(daemon):
    """A declared type that differs, or says less, is reported and shown as declared."""
    for declared, shown in (("y: float[N,3]", None), ("y: float[rows,3]", ["rows", 3]), ("y: float[?,3]", [None, 3]),
                            ("y: float", None), ("y: float[N,4]", ["N", 4]), ("y: float[N,3,1]", ["N", 3, 1]),
                            ("y: float[unk__7,?]", ["unk__7", None]), ("y: float[2*N,3]", ["2*N", 3])):
        seen = told(daemon, [op("y = Relu(x)")], [declared])
        equal("%s beside float[N,3]" % declared, (seen["y"], told_beside(seen).get("y")), ("float[N,3]", shown))
        seen = told(daemon, [op("y = Relu(x)")], [declared], ignore_declared=1)
        equal("%s is not told when it is ignored" % declared, told_beside(seen), {})
    seen = told(daemon, [op("y = NonZero(x)")], ["y: int64[2,K]"])
    equal("a name that was taken stands nowhere beside", (seen["y"], told_beside(seen)), ("int64[2,K]", {}))
    seen = told(daemon, [], ["x: float[M,3]"])
    equal("an output that is an input", (seen["x"], told_beside(seen)), ("float[N,3]", {"x": ["M", 3]}))


def branches(daemon):
    """If two branches prove different sizes or ranks, and data decides, a declaration cannot choose one."""
    inputs = ["x: float[batch,seq,4]", "past: float[batch,past_len,4]", "c: bool[]"]
    grow = graph([op("t = Concat(past, x)", axis=1)], [], ["t"])
    keep = graph([op("u = Identity(x)")], [], ["u"])
    nodes = [op("y = If(c)", "n", then_branch=grow, else_branch=keep), op("z = Relu(y)")]
    for claim, constraints in (("past_len + 1", ["If_1 == past_len + 1"]), ("seq", ["If_1 == seq"]),
                               ("7", ["If_1 == 7"]), ("total", []), ("?", [])):
        seen = told(daemon, nodes, ["y: float[batch,%s,4]" % claim, "z"], inputs)
        name = "total" if claim == "total" else "?1"
        equal("%s of sizes that the branches prove" % claim, (seen["y"], seen["z"], seen.constraints, seen.reasons),
              ("float[batch,%s,4]" % name,) * 2 + (constraints, []))
    seen = told(daemon, nodes, ["z: float[batch,past_len + 1,4]"], inputs)
    equal("nor of what is made of them", seen["z"], "float[batch,?1,4]")
    flat = graph([op("u = Reshape(x, s)")], [], ["u"], initializers=[tensor("int64[2]", [-1, 4], "s")])
    nodes = [op("y = If(c)", "n", then_branch=grow, else_branch=flat), op("z = Relu(y)")]
    for declared in ("y: float[batch,m,4]", "z: float[batch,m,4]", "y: float[m,4]"):
        seen = told(daemon, nodes, [declared, "y", "z"][:3], inputs)
        equal("%s where the branches prove two ranks" % declared, (seen["y"], seen["z"], seen.reasons),
              ("float", "float", ["RANK_UNDECIDED"]))
    body = graph([op("co = Identity(ci)"), op("vo = Unsqueeze(v, axis)")], ["i: int64[]", "ci: bool[]", "v: float"],
                 ["co", "vo"], initializers=[tensor("int64[1]", [0], "axis")])
    seen = told(daemon, [op("y = Loop(m, c, x)", "n", body=body)], ["y: float[1,batch,seq,4]"],
                inputs + ["m: int64[]"])
    equal("a Loop that adds axes", seen["y"], "float")
    body = graph([op("co = Identity(ci)"), op("vo = Concat(v, v)", axis=0)], ["i: int64[]", "ci: bool[]", "v: float"],
                 ["co", "vo"])
    seen = told(daemon, [op("y = Loop(m, c, x)", "n", body=body)], ["y: float[2*batch,seq,4]"],
                inputs + ["m: int64[]"])
    equal("a Loop that grows", seen["y"], "float[?2,seq,4]")


def several(daemon):
    """A name that is declared of several sizes is none's, whatever comes first."""
    half = [op("y = Relu(x)"), op("z = MaxPool(x)", kernel_shape=[2], strides=[2], ceil_mode=1)]
    inputs = ["x: float[1,C,N]"]
    for outputs in (["y: float[1,C,X]", "z: float[1,C,X]"], ["z: float[1,C,X]", "y: float[1,C,X]"]):
        for nodes in (half, half[::-1]):
            seen = told(daemon, nodes, outputs, inputs)
            equal("two sizes of one name", (seen["y"], seen["z"], seen.constraints, seen.reasons),
                  ("float[1,C,N]", "float[1,C,(N+1)//2]", ["N >= 1"], ["DECLARED_NAME"]))
    nodes = [op("y = NonZero(x)"), op("z = Transpose(y)"), op("u = Relu(x)")]
    for order in (nodes, nodes[::-1]):
        seen = told(daemon, order, ["z: int64[K,2]", "u: float[K,3]"])
        equal("a size that data decides and one that is proven", (seen["z"], seen["u"]), ("int64[?1,2]", "float[N,3]"))
        check("one diagnostic tells both", [r for r in seen.reasons if r != "UNSORTED_NODES"] == ["DECLARED_NAME"],
              seen.reasons)
    seen = told(daemon, [op("y = Relu(x)"), op("z = Concat(x, x)", axis=0)], ["y: float[A,3]", "z: float[2*A,3]"])
    equal("an expression of such a name is no condition", (seen["z"], seen.constraints, seen.reasons),
          ("float[2*N,3]", [], []))


def numerals(daemon):
    x = graph([op("y = Concat(x, x)", axis=0)], [], ["y"])
    for name in ("2", "0", "1", "007", "3 - 1", "2*3"):
        seen = infer(daemon, model(x + text(11, text(1, "x") + text(2, text(1, number(1, 1) + text(2, text(1, text(
            2, name))))))))
        equal("a size's name that reads as a number: %s" % name,
              [v["shape"] for v in seen.json["values"]], [[name], ["2*`%s`" % name]])


def expressions(daemon):
    seen = told(daemon, [op("z = Transpose(b)")], ["z"],
                ["a: float[past_seq,seq]", "b: float[past_seq + seq,seq + past_seq]"])
    equal("an expression of names that stand alone", seen["z"], "float[past_seq+seq,past_seq+seq]")
    for written, wanted in (("2*s0", "2*s0"), ("s0//2", "s0//2"), ("Max(1, s0)", "max(s0,1)"),
                            ("s0*s1 - s0", "s0*s1-s0"), ("(s0 + 1)*2", "2*s0+2"),
                            ("s0 + s0", "2*s0"), ("floor(s0/2)", "s0//2"), ("s0 % 4", "s0%4"),
                            ("Min(s0, 8)", "min(s0,8)"), ("-s0 + s1", "s1-s0")):
        seen = told(daemon, [op("y = Relu(x)")], ["y"], ["x: float[%s]" % written, "q: float[s0,s1]"],
                    assume="none")
        equal("%s is an expression" % written, seen["y"], "float[%s]" % wanted)
    for written in ("batch-size", "s0+other", "2*other", "Max(1, other)", "s0 s1", "s0//", "height/2", "s0/2", "(s0",
                    "1.5*s0", "f(s0)"):
        seen = told(daemon, [op("y = Concat(x, x)", axis=0)], ["y"],
                    ["x: float[%s]" % written, "q: float[s0,s1,batch]"])
        equal("%s is a name as it stands" % written, seen.json["values"][0]["shape"], [written])
        equal("%s in an expression" % written, seen.json["values"][-1]["shape"], ["2*`%s`" % written])
    seen = told(daemon, [op("y = Relu(x)")], ["y"], ["x: float[3 - 5]", "q: float[s0]"])
    check("numbers below 0 are no size", isinstance(seen.json["values"][0]["shape"][0], str), seen.json["values"][0])
    seen = told(daemon, [op("y = Concat(a, b)", axis=0)], ["y: float[past + seq]"], ["a: float[past]", "b: float[seq]"])
    equal("an output declared by an expression", (seen["y"], seen.constraints, seen.reasons),
          ("float[past+seq]", [], []))
    seen = told(daemon, [op("y = Concat(a, b)", axis=0)], ["y: float[total]"],
                ["a: float[past]", "b: float[seq]", "c: float[total]"])
    equal("or by another name", (seen["y"], seen.constraints), ("float[past+seq]", ["past + seq == total"]))


def spelling(daemon):
    """How a size is written does not hang on what was declared before it."""
    nodes = [op("h = MaxPool(x)", kernel_shape=[1], strides=[2]), op("y = Conv(h, w)"), const("w", "float[1,1,2]", [0, 0])]
    for outputs in (["y"], ["h: float[1,1,B]", "y"]):
        seen = told(daemon, nodes, outputs, ["x: float[1,1,B]"])
        equal("a claim about half a size, %d outputs" % len(outputs), (seen["y"], "B >= 3" in seen.constraints),
              ("float[1,1,(B+1)//2-1]", True))


def other_kinds(daemon):
    for declared in ("seq(float[N,3])", "optional(float[N,3])", "optional(seq(float[N]))", "seq(seq(int64[]))"):
        seen = told(daemon, [op("y = Identity(q)"), op("z = other.Op(q)")], ["y: " + declared, "z: " + declared],
                    ["q: " + declared])
        equal("%s in and out" % declared, (seen["q"], seen["y"], seen["z"]), (declared,) * 3)
    seen = told(daemon, [op("y = other.Op(q)")], ["y: map(int64, float[])"], ["q: map(string, float[])"])
    equal("maps", (seen.json["values"][0]["type"], seen.json["values"][1]["type"]),
          ("map(string,tensor(float))", "map(int64,tensor(float))"))
    seen = told(daemon, [op("y = other.Op(q)")], ["y: sparse(float[N,3])"], ["q: sparse(float[N,3])"])
    equal("sparse tensors", [(v["type"], v["shape"]) for v in seen.json["values"]],
          [("sparse_tensor(float)", ["N", 3])] * 2)
    seen = told(daemon, [op("y = SequenceConstruct(x, w)")], ["y: seq(float[K,3])"], X + ["w: float[M,3]"])
    equal("elements of a sequence are told, too", (seen["y"], seen.reasons), ("seq(float[K,3])*2", []))
    seen = told(daemon, [op("y = SequenceConstruct(x, x)")], ["y: seq(int64[N,3])"])
    equal("an element's type that contradicts", (seen["y"], seen.reasons), ("seq(float[N,3])*2", ["DECLARED_CONFLICT"]))
    seen = told(daemon, [op("y = SequenceConstruct(x, x)")], ["y: seq(float[N,4])"])
    equal("an element's size that does", (seen["y"], seen.reasons), ("seq(float[N,3])*2", ["DECLARED_CONFLICT"]))
    seen = told(daemon, [const("k", "int64[]", [0])], ["k"], infos=["y: float"])
    equal("value_info of what is not there", (seen["k"], seen.reasons), ("int64[]", []))
    seen = told(daemon, [op("y = Relu(x)")], ["y"], ["x"])
    equal("an input without a type", (seen["x"], seen["y"], seen.reasons), ("?", "?", ["ELEMENT_TYPE"]))


def inner(daemon):
    branch = graph([op("t = NonZero(x)"), op("u = other.Op(x)")], [], ["t", "u"], ["t: int64[2,K]", "u: float[K,N,?]"])
    seen = told(daemon, [op("y, z = If(c)", "n", then_branch=branch, else_branch=branch)], ["y", "z"],
                X + ["c: bool[]"])
    equal("value_info of a branch", (seen["n/then_branch/t"], seen["n/then_branch/u"], seen["y"]),
          ("int64[2,K]", "float[K,N,?1]", "int64[2,K]"))
    wrong = graph([op("t = Relu(x)")], [], ["t"], ["t: float[N,4]"])
    seen = told(daemon, [op("y = If(c)", "n", then_branch=wrong, else_branch=wrong)], ["y"], X + ["c: bool[]"])
    equal("one that contradicts", (seen["y"], [d["scope"] for d in seen.json["diagnostics"]]),
          ("float[N,3]", ["n/then_branch", "n/else_branch"]))
    body = graph([op("co = Identity(ci)"), op("t = NonZero(x)"), op("vo = Cast(t)", to=1)],
                 ["i: int64[]", "ci: bool[]", "v: float[?,?]"],
                 ["co", "vo", "t"], ["t: int64[2,K]"])
    seen = told(daemon, [op("f, s = Loop(m, c, x)", "l", body=body)], ["s"], X + ["c: bool[]", "m: int64[]"])
    equal("a name within a body is one iteration's", (seen["l/body/t"], seen["s"]), ("int64[2,K]", "int64[?5,2,?6]"))


def main():
    with Daemon() as daemon:
        for part in (fills_in, contradicts, names, beside, branches, several, numerals, expressions, spelling, other_kinds, inner):
            part(daemon)
    finish()


if __name__ == "__main__":
    main()
