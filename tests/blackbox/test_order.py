#!/usr/bin/env python3
"""How names and the order of nodes make a graph: sorting, cycles, names that are missing, taken or empty, initializers."""
from build import Seen, const, graph, infer, model, op, tensor
from harness import Daemon, check, equal, finish

X = ["x: float[N,3]", "c: bool[]"]


def unsorted(daemon):
    seen = infer(daemon, model(graph([op("z = Transpose(y)"), op("y = Relu(x)")], X, ["z"])))
    equal("unsorted nodes are sorted", (seen["z"], seen.reasons), ("float[3,N]", ["UNSORTED_NODES"]))
    names = ["n%d" % i for i in range(200)]
    nodes = [op("%s = Relu(%s)" % (b, a)) for a, b in zip(["x"] + names, names)]
    seen = infer(daemon, model(graph(nodes[::-1], X, [names[-1]])))
    equal("200 nodes backwards", (seen[names[-1]], seen.reasons), ("float[N,3]", ["UNSORTED_NODES"]))
    indices = [v["nodeIndex"] for v in seen.json["values"] if v["kind"] != "input"]
    equal("each keeps its place in the model", indices, list(range(199, -1, -1)))
    nodes = [op("a = Relu(x)"), op("d = Relu(late)"), op("e = Relu(d)"), op("b = Abs(a)"), op("late = Abs(x)"),
             op("f = Abs(b)")]
    seen = infer(daemon, model(graph(nodes, X, ["e", "f"])))
    order = [v["name"] for v in seen.json["values"] if v["kind"] != "input"]
    equal("no more is moved than must be", order, ["a", "b", "late", "d", "e", "f"])
    wide = [op("w%d = Relu(v%d)" % (i, i)) for i in range(99)] + [op("v%d = Abs(x)" % (i * 37 % 99)) for i in range(99)]
    seen = infer(daemon, model(graph(wide, X, ["w98"])))
    order = [v["nodeIndex"] for v in seen.json["values"] if v["kind"] != "input"]
    check("each comes as soon as it may", all(order.index(k) == order.index(99 + j) + 1 or k < 99 and order.index(k) > order.index(99 + j)
                                              for j in range(99) for k in [j * 37 % 99]) and len(order) == 198, order)
    taken = [op("y = If(c)", then_branch=graph([op("t = Relu(late)")], [], ["t"]),
                else_branch=graph([op("e = Abs(late)")], [], ["e"])), op("late = Abs(x)")]
    seen = infer(daemon, model(graph(taken, X, ["y"])))
    equal("what a branch takes is made later", (seen["y"], seen.reasons), ("float[N,3]", ["UNSORTED_NODES"]))
    inner = graph([op("t2 = If(c)", then_branch=graph([op("u = Relu(late)")], [], ["u"]),
                      else_branch=graph([], [], ["late"]))], [], ["t2"])
    seen = infer(daemon, model(graph([op("y = If(c)", then_branch=inner, else_branch=inner), op("late = Abs(x)")], X,
                                     ["y"])))
    equal("and what a branch of a branch takes", (seen["y"], seen.reasons), ("float[N,3]", ["UNSORTED_NODES"]))
    same = graph([op("y = Relu(x)")], [], ["y"])
    nodes = [op("z = Relu(y)"), op("y = If(c)", then_branch=same, else_branch=same)]
    seen = infer(daemon, model(graph(nodes, X, ["z"])))
    equal("a branch's own name is no use of an outer one", (seen["z"], seen.reasons),
          ("float[N,3]", ["UNSORTED_NODES"]))
    branch = graph([op("b = Abs(a)"), op("a = Relu(x)")], [], ["b"])
    seen = infer(daemon, model(graph([op("y = If(c)", then_branch=branch, else_branch=branch)], X, ["y"])))
    equal("branches are sorted too", (seen["y"], seen.reasons), ("float[N,3]", ["UNSORTED_NODES"] * 2))
    equal("and the scope is told", [d["scope"] for d in seen.json["diagnostics"]],
          ["If_0/then_branch", "If_0/else_branch"])


def cycles(daemon):
    seen = infer(daemon, model(graph([op("a = Add(x, b)"), op("b = Relu(a)"), op("y = Relu(x)")], X, ["y", "b"])))
    equal("a cycle costs its own nodes", (seen["a"], seen["b"], seen["y"]), ("?", "?", "float[N,3]"))
    equal("it is told once, and so is the name", seen.reasons, ["CYCLE", "UNKNOWN_INPUT"])
    seen = infer(daemon, model(graph([op("a = Add(x, a)")], X, ["a"])))
    equal("a node that needs itself", (seen["a"], seen.reasons), ("?", ["CYCLE", "UNKNOWN_INPUT"]))
    nodes = [op("after = Relu(b)"), op("a = Add(x, b)"), op("b = Relu(a)"), op("y = Relu(z)"), op("z = Abs(x)")]
    seen = infer(daemon, model(graph(nodes, X, ["y"])))
    equal("what is no part of a cycle is sorted", (seen["y"], seen["after"]), ("float[N,3]", "?"))
    check("both are told", {"CYCLE", "UNSORTED_NODES"} <= set(seen.reasons), seen.reasons)
    body = graph([op("t = Relu(y)")], [], ["t"])
    seen = infer(daemon, model(graph([op("y = If(c)", then_branch=body, else_branch=body)], X, ["y"])))
    equal("a branch that takes what its node makes", seen.reasons[0], "CYCLE")
    equal("strict refuses a cycle",
          infer(daemon, model(graph([op("a = Add(x, a)")], X, ["a"])), strict=1).status, 400)


def missing(daemon):
    seen = infer(daemon, model(graph([op("p = Add(x, gone)", "sum"), op("q = Relu(p)"), op("r = Relu(x)")], X,
                                     ["q", "r"])))
    equal("a missing name costs one node", (seen["p"], seen["q"], seen["r"]), ("?", "?", "float[N,3]"))
    found = seen.json["diagnostics"]
    equal("one error, and nothing of an order", seen.reasons, ["UNKNOWN_INPUT"])
    equal("it tells node, input, name and code", [found[0].get(k) for k in ("node", "input", "value", "code")],
          ["sum", 1, "gone", "out_of_range"])
    seen = infer(daemon, model(graph([op("y = Relu(x)")], X, ["y", "gone"])))
    equal("an output that nothing makes", (seen["y"], seen.reasons), ("float[N,3]", ["UNKNOWN_OUTPUT"]))
    branch = graph([op("t = Relu(x)")], [], ["other"])
    seen = infer(daemon, model(graph([op("y = If(c)", then_branch=branch, else_branch=branch)], X, ["y"])))
    equal("an output of a branch that nothing makes", (seen["y"], seen.reasons), ("?", ["UNKNOWN_OUTPUT"] * 2))
    branch = graph([op("inside = Relu(x)")], [], ["inside"])
    nodes = [op("y = If(c)", then_branch=branch, else_branch=branch), op("z = Relu(inside)")]
    seen = infer(daemon, model(graph(nodes, X, ["z"])))
    equal("what a branch makes is not seen outside", (seen["z"], seen.reasons), ("?", ["UNKNOWN_INPUT"]))


def taken(daemon):
    for what, main in {
            "two nodes": graph([op("y = Relu(x)"), op("y = Transpose(x)")], X, ["y"]),
            "an input and a node": graph([op("y = Relu(x)"), op("x = Transpose(y)")], X, ["y"]),
            "an initializer and a node": graph([op("y = Relu(x)"), op("w = Transpose(y)")], X, ["y"],
                                               initializers=[tensor("float[1]", [1], "w")]),
            "two initializers": graph([op("y = Relu(x)")], X, ["y"], initializers=[tensor("float[1]", [1], "w")] * 2),
            "one node's outputs": graph([op("y = Relu(x)"), op("s, s = Split(y)", axis=1, num_outputs=2)], X, ["y"]),
            "two inputs": graph([op("y = Relu(x)")], X + ["x: float[9]"], ["y"])}.items():
        seen = infer(daemon, model(main, opset=18))
        equal("a name of %s: the first counts" % what, (seen["y"], seen.reasons), ("float[N,3]", ["DUPLICATE_NAME"]))
    nodes = [op("y = Relu(x)", "x"), op("z = Relu(y)", "y"), op("u = Relu(z)", "y")]
    seen = infer(daemon, model(graph(nodes, X, ["u"])))
    equal("names of nodes are no names of values", (seen["u"], seen.reasons), ("float[N,3]", []))
    branch = graph([op("x = Transpose(x)"), op("t = Relu(x)")], [], ["t"])
    seen = infer(daemon, model(graph([op("y = If(c)", then_branch=branch, else_branch=branch), op("z = Abs(x)")], X,
                                     ["y", "z"])))
    equal("a branch that defines an outer name anew", (seen["y"], seen["z"]), ("float[3,N]", "float[N,3]"))


def empty(daemon):
    scaled = [op("y = Clip(x, , high)"), const("high", "float[]", [6])]
    seen = infer(daemon, model(graph(scaled[::-1], X, ["y"])))
    equal("an empty name leaves an input out", (seen["y"], seen.reasons), ("float[N,3]", []))
    seen = infer(daemon, model(graph([op("y = Clip(x, , )")], X, ["y"])))
    equal("and empty ones may come last", (seen["y"], seen.reasons), ("float[N,3]", []))
    seen = infer(daemon, model(graph([op(", i = TopK(x, k)"), const("k", "int64[1]", [2])], X, ["i"])))
    equal("an output left out", (seen["i"], seen.reasons, len(seen.values)), ("int64[N,2]", ["UNSORTED_NODES"], 4))
    seen = infer(daemon, model(graph([op("y = Relu()"), op("z = Relu(x)")], X, ["z"])))
    equal("what needs an input", (seen["y"], seen["z"], seen.reasons), ("?", "float[N,3]", ["MISSING_INPUT"]))
    seen = infer(daemon, model(graph([op("y = Relu(x)"), op("unused = Abs(x)")], X + ["more: int64[2]"], ["y"])))
    equal("what nobody uses is told all the same", (seen["unused"], seen["more"]), ("float[N,3]", "int64[2]"))


def initializers(daemon):
    shape = tensor("int64[2]", [3, -1], "shape")
    for ir in (3, 4, 10):
        both = graph([op("y = Reshape(x, shape)")], ["x: float[2,6]", "shape: int64[2]"], ["y"], initializers=[shape])
        equal("IR %d: a default of an input" % ir, infer(daemon, model(both, ir=ir, opset=8))["y"], "float[3,4]")
    alone = graph([op("y = Reshape(x, shape)")], ["x: float[2,6]"], ["y"], initializers=[shape])
    seen = infer(daemon, model(alone), values="all")
    kinds = {v["name"]: v["kind"] for v in seen.json["values"]}
    equal("a constant", (seen["y"], seen["shape"], kinds["shape"]), ("float[3,4]", "int64[2]", "initializer"))
    seen = infer(daemon, model(both), values="all")
    equal("a default is an input", {v["name"]: v["kind"] for v in seen.json["values"]}["shape"], "input")
    for what, declared in {"another rank": "w: float[2,2]", "another size": "w: float[3]",
                           "another type": "w: int64[2]"}.items():
        seen = infer(daemon, model(graph([op("y = Relu(w)")], [declared], ["y"],
                                         initializers=[tensor("float[2]", [1, 2], "w")])))
        equal("a default of %s than declared" % what, seen.reasons, ["DECLARED_CONFLICT"])
    seen = infer(daemon, model(graph([op("y = Relu(w)")], ["w: float[?]"], ["y"],
                                     initializers=[tensor("float[2]", [1, 2], "w")])))
    equal("a default tells open sizes", (seen["y"], seen.reasons), ("float[2]", []))
    wrong = tensor("float[3]", [1, 2], "w")
    seen = infer(daemon, model(graph([op("y = Relu(w)")], [], ["y"], initializers=[wrong])))
    equal("too few bytes", (seen["y"], seen.reasons), ("float[3]", ["TENSOR_INVALID"]))


def sparse(name):
    """[3, 4] with two elements."""
    from wire import number, text
    values, indices = tensor("float[2]", [1, 2], name), tensor("int64[2]", [0, 5])
    return text(1, values) + text(2, indices) + number(3, 3) + number(3, 4)


def sparse_initializers(daemon):
    seen = infer(daemon, model(graph([op("y = Relu(w)")], [], ["y"], sparse=[sparse("w")])))
    equal("a sparse initializer is used as a tensor", (seen["y"], seen.reasons), ("float[3,4]", []))
    seen = infer(daemon, model(graph([op("y = Relu(w)")], ["w: float[3,4]"], ["y"], sparse=[sparse("w")])))
    equal("and may be the default of an input", (seen["y"], seen.reasons), ("float[3,4]", []))


def straight(daemon):
    main = graph([], ["x: float[N,3]"], ["x: float[N,3]"], initializers=[tensor("float[2]", [1, 2], "w")])
    seen = infer(daemon, model(main))
    equal("an output that is an input", (seen.values, seen.reasons), ({"x": "float[N,3]"}, []))
    seen = infer(daemon, model(graph([], ["x: float[4]"], ["x: float[3]"])))
    equal("declared otherwise", (seen["x"], seen.reasons), ("float[4]", ["DECLARED_CONFLICT"]))
    seen = infer(daemon, model(graph([], [], ["w: float[3]"], initializers=[tensor("float[2]", [1, 2], "w")])))
    equal("an output that is an initializer, declared otherwise", seen.reasons, ["DECLARED_CONFLICT"])
    seen = infer(daemon, model(graph([], ["x: float[N]"], ["x: float[M]"])))
    equal("declared by another name", (seen["x"], seen.constraints, seen.reasons), ("float[N]", [], []))
    data = model(graph([], ["x: float[4]"], ["x: float[3]"]))
    equal("not with ignore_declared", Seen(data, daemon.infer(data, ignore_declared=1)).reasons, [])
    equal("a graph of nothing", infer(daemon, model(graph([]))).json.get("values"), [])


def main():
    with Daemon() as daemon:
        for part in (unsorted, cycles, missing, taken, empty, initializers, sparse_initializers, straight):
            part(daemon)
    finish()


if __name__ == "__main__":
    main()
