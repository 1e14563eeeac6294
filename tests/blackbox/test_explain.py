#!/usr/bin/env python3
"""Why values are not known: from a value back to the first place where something was lost, and what would decide it."""
from build import const, graph, model, op, tensor
from harness import Daemon, check, equal, finish
from wire import number, text

PICK = {"then_branch": graph([op("t = Squeeze(x, axis)")], [], ["t"], initializers=[tensor("int64[1]", [0], "axis")]),
        "else_branch": graph([op("u = Identity(x)")], [], ["u"])}
NODES = [op("s = Shape(x)"), const("i", "int64[]", [0]), op("n = Gather(s, i)"), const("one", "int64[]", [1]),
         op("c = Equal(n, one)"), op("m = If(c)", "pick", **PICK), op("r = Relu(m)"), op("y = Abs(r)"), op("z = NonZero(x)"),
         op("w = Transpose(z)"), op("a = Reshape(x, k)"), op("b = Relu(a)"), op("e = Relu(open)"), op("h = Relu(bare)")]
DATA = model(graph(NODES, ["x: float[M,3]", "k: int64[2]", "open: float", "bare"], ["y"]))


def told(answer, value):
    found = next(e for e in answer.json["explanations"] if e["value"] == value)
    return [step["value"] for step in found["chain"]], found["chain"][-1]["text"] if found["chain"] else "", found.get("decide")


def chains(daemon):
    answer = daemon.infer(DATA, explain=["y", "w", "b", "e", "h", "x"])
    equal("a rank that a condition decides", told(answer, "y"), (["y", "r", "m", "m", "c"], "is whether M == 1", "dim=M=1"))
    equal("which is so", [v.get("shape") for v in daemon.infer(DATA, dim="M=1").json["values"] if v["name"] == "y"], [[3]])
    equal("a size that data decide", told(answer, "w"), (["w", "z"], "is computed from data", None))
    equal("elements of an input", told(answer, "b"), (["b", "a", "k", "b"], "has Reshape_2 on axis 1, which data decides",
                                                      "value=k:..."))
    equal("which is so too", [v["shape"] for v in daemon.infer(DATA, value="k:-1,2").json["values"] if v["name"] == "b"],
          [["3*(M//2)", 2]])
    equal("an input without a shape", told(answer, "e"), (["e", "open"], "is an input without a shape", "shape=open:..."))
    equal("and without a type", told(answer, "h"), (["h", "bare"], "is an input without a type", None))
    equal("what is known needs no reason", told(answer, "x"), ([], "", None))
    step = answer.json["explanations"][0]["chain"][2]
    equal("a step says where", [step[k] for k in ("node", "nodeIndex", "op")], ["pick", 5, "If"])
    check("in the diagnostic's words", "rank 1" in step["text"] and "rank 2" in step["text"], step)
    without = daemon.infer(DATA).json
    for what, summary in (("", answer.json["summary"]), (" without explain too", without["summary"])):
        equal("causes, the costliest first, and what each costs" + what, [(c["value"], c["values"]) for c in summary["causes"]],
              [("m", 3), ("open", 2), ("bare", 2), ("z", 2), ("a", 2)])
    equal("without explain nothing else is said", "explanations" in without, False)
    data = model(graph([op("z = NonZero(x)")], ["x: float[M]"], ["z"]))
    equal("nor are causes where every rank is known", "causes" in daemon.infer(data).json["summary"], False)
    data = model(graph([op("b%d = Reshape(x, k%d)" % (i, i)) for i in range(40)] + [op("c = Relu(b39)"), op("d = Relu(c)")],
                       ["x: float"] + ["k%d: int64" % i for i in range(40)], ["d"]))
    causes = daemon.infer(data).json["summary"]["causes"]
    equal("the costliest of many", (causes[0]["value"], causes[0]["values"], len(causes)), ("x", 43, 16))
    data = model(graph([op("b0 = Reshape(x, k)")] + [op("b%d = Relu(b%d)" % (i + 1, i)) for i in range(1500)], ["x: float[4]", "k: int64"], ["b1500"]))
    causes = daemon.infer(data).json["summary"]["causes"]
    equal("one of a long chain", [(c["value"], c["values"]) for c in causes], [("k", 1502)])
    lines = daemon.infer(DATA, explain="y", format="text").text.split("\n")
    check("in the table", "why y:" in lines and "  decided by dim=M=1" in lines, lines[-12:])


def places(daemon):
    inner = op("f = If(q)", "outer", then_branch=graph([op("v = NonZero(x)"), op("t = Cast(v)", to=1)], [], ["t"]),
               else_branch=graph([op("u = Identity(x)")], [], ["u"]))
    data = model(graph([inner], ["x: float[M,3]", "q: bool[]"], ["f"]))
    answer = daemon.infer(data, explain=["outer/then_branch/t", "f"])
    equal("a value of a branch", told(answer, "t")[0], ["t", "v"])
    shadowed = graph([op("x = Identity(k)"), op("v = Reshape(x, n)"), op("t = Relu(v)")], [], ["t"])
    nodes = [op("y = If(q)", "pick", then_branch=shadowed, else_branch=shadowed)]
    causes = daemon.infer(model(graph(nodes, ["x: float", "k: float[2]", "n: int64[L]", "q: bool[]"], ["y"]))).json["summary"]["causes"]
    equal("a name is that of the innermost scope", [(c["value"], c.get("scope")) for c in causes][:3],
          [("v", "pick/then_branch"), ("v", "pick/else_branch"), ("x", None)])
    equal("with its scope", answer.json["explanations"][0]["scope"], "outer/then_branch")
    check("one that joins", "value=q:..." == answer.json["explanations"][1]["decide"], answer.json["explanations"][1])
    for name in ("nothing", "outer/then_branch/nothing", "/", ""):
        answer = daemon.infer(data, explain=name)
        check("no value %r: 400" % name, answer.status == 400 and "explain" in answer.text, answer.text[:200])
    external = number(1, 2) + number(2, 7) + text(8, "k") + number(14, 1) + text(13, text(1, "location") + text(2, "k.bin"))
    data = model(graph([op("y = Reshape(x, k)")], ["x: float[M,3]"], ["y"]) + text(5, external))
    equal("external data", told(daemon.infer(data, explain="y"), "y")[:2],
          (["y", "y", "k", "y"], "has Reshape_2 on axis 1, which data decides"))
    cycle = model(graph([op("a = Relu(b)"), op("b = Relu(a)")], [], ["a"]))
    equal("a cycle ends", daemon.infer(cycle, explain=["a", "b"]).status, 200)


def main():
    with Daemon() as daemon:
        chains(daemon)
        places(daemon)
    finish()


if __name__ == "__main__":
    main()
