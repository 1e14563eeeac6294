#!/usr/bin/env python3
"""Sizes with which a model runs, listed as ranges, agree with trying each size."""
import base64
import itertools
import json

from build import const, function, graph, model, op
from harness import Daemon, check, equal, finish
from harness import model as whole

TRIED = 140  # by the engine's errors, one by one


def told(daemon, data, **options):
    answer = daemon.infer(data, include="sizes", **options)
    return {s["symbol"]: s for s in answer.json["sizes"]}


def numbers(name, *elements):
    return const(name, "int64[%d]" % len(elements), list(elements))


def members(size, most):
    return sorted(v for r in size["ranges"] for v in range(r["from"], min(r.get("to", most), most) + 1, r["step"]))


def tried(daemon, data, symbol):
    return [v for v in range(TRIED + 1) if not daemon.infer(data, dim="%s=%d" % (symbol, v)).json["summary"]["errors"]]


def net(nodes, inputs, outputs, **more):
    return model(graph(nodes, inputs, outputs, **more))


def halves(times):
    """A U-Net in small: halved some times, and doubled as often with what was halved before added."""
    nodes, names = [], ["x"]
    for i in range(times):
        nodes.append(op("d%d = Conv(%s, w)" % (i, names[-1]), strides=[2, 2], pads=[1, 1, 1, 1]))
        names.append("d%d" % i)
    up = names.pop()
    for i, name in enumerate(reversed(names[1:])):
        nodes += [op("r%d = Resize(%s, , scales)" % (i, up)), op("u%d = Add(r%d, %s)" % (i, i, name))]
        up = "u%d" % i
    return net(nodes + [const("scales", "float[4]", [1, 1, 2, 2])], ["x: float[1,4,H,64]", "w: float[4,4,3,3]"], [up])


def forms(daemon):
    """Each form of a condition, with what it leaves."""
    for what, data, symbol, wanted in (
            ("nothing", net([op("y = Relu(x)")], ["x: float[N]"], ["y"]), "N", [{"from": 0, "step": 1}]),
            ("at least", net([op("y = MaxPool(x)", kernel_shape=[3])], ["x: float[1,1,N]"], ["y"]), "N", [{"from": 3, "step": 1}]),
            ("equal", net([op("y = MatMul(x, w)")], ["x: float[2,N]", "w: float[5,3]"], ["y"]), "N",
             [{"from": 5, "to": 5, "step": 1}]),
            ("broadcast", net([op("y = Add(x, w)")], ["x: float[N]", "w: float[5]"], ["y"]), "N",
             [{"from": 1, "to": 1, "step": 1}, {"from": 5, "to": 5, "step": 1}]),
            ("divides", net([op("y = Reshape(x, s)"), const("s", "int64[2]", [-1, 6])], ["x: float[N]"], ["y"]), "N",
             [{"from": 0, "step": 6}])):
        found = told(daemon, data)[symbol]
        equal(what, (sorted(found["ranges"], key=lambda r: r["from"]), found.get("complete"), "tied" in found),
              (wanted, True, False))
    seen = told(daemon, net([op("y = Concat(a, b)", axis=1)], ["a: float[N,2]", "b: float[M,3]"], ["y"]))
    equal("what hangs on another size", [seen[s].get("tied") for s in "NM"], [True, True])
    inner = net([op("y = If(c)", then_branch=graph([op("t = Add(x, w)")], [], ["t"]),
                    else_branch=graph([op("u = Add(x, v)")], [], ["u"]))],
                ["c: bool[]", "x: float[N]", "w: float[5]", "v: float[7]"], ["y"])
    equal("what holds in a branch alone proves nothing", "complete" in told(daemon, inner)["N"], False)
    pool = function("Pool", "x", "y", [op("y = MaxPool(x)", kernel_shape=[3])])
    found = told(daemon, model(graph([op("z = my.Pool(x)")], ["x: float[1,1,N]"], ["z"]), functions=[pool]))["N"]
    equal("what holds in a function", (found["ranges"], found.get("complete")), ([{"from": 3, "step": 1}], True))
    for what, nodes, inputs in (("an operator that nobody knows", [op("z = other.Op(x)"), op("y = Relu(x)")], []),
                                ("a rank that is not known", [op("y = Add(x, w)")], ["w: float"])):
        for declared in ([], ["z: float[N]"]):
            data = net(nodes, ["x: float[N]"] + inputs, ["y"], infos=declared)
            equal("%s proves nothing" % what, "complete" in told(daemon, data)["N"], False)
    far = net([op("y = Slice(x, s, e)"), op("z = Add(y, w)"), const("s", "int64[1]", [0]), const("e", "int64[1]", [3000])],
              ["x: float[N]", "w: float[3000]"], ["z"])
    seen = told(daemon, far)["N"]
    check("what lies beyond what is tried is told or said to be open",
          "complete" in seen and members(seen, 4000)[-1:] == [4000] or seen.get("tried") == 1023, seen)


def truth(daemon):
    """Ranges against trying: every size that runs is in them, and no other."""
    for times in (1, 2, 3, 4):
        data = halves(times)
        seen = told(daemon, data)["H"]
        equal("halved %d times" % times, (members(seen, TRIED), seen.get("complete")), (tried(daemon, data, "H"), True))
    split = net([op("a, b, c = Split(x)", axis=0), op("y = Add(a, k)")], ["x: float[N,2]", "k: float[1,2]"], ["y"])
    seen = told(daemon, split)["N"]
    equal("split into three", members(seen, TRIED), tried(daemon, split, "N"))


TIES = (  # nodes, inputs, conditions, the first combinations
    ("one given by another", [op("a = Concat(x, x)", axis=0), op("y = MatMul(w, a)")], ["x: float[H,3]", "w: float[5,W]"],
     ["W == 2*H"], [[1, 2], [2, 4], [3, 6]]),
    ("one given by two", [op("a = Concat(x, w)", axis=0), op("y = MatMul(a, b)")], ["x: float[N]", "w: float[M]", "b: float[K,2]"],
     ["K == N + M"], [[1, 1, 2], [1, 2, 3], [2, 1, 3], [2, 2, 4]]),
    ("and that by a third", [op("a = Concat(x, x)", axis=0), op("b = MatMul(a, w)"), op("c = Concat(w, w)", axis=0), op("y = MatMul(c, v)")],
     ["x: float[A]", "w: float[B,C]", "v: float[C,D]"], ["B == 2*A"], [[1, 2], [2, 4]]),
    ("a product", [op("y = Reshape(x, s)"), const("s", "int64[2]", [3, 4])][::-1], ["x: float[N,M]"], ["N*M == 12"],
     [[3, 4], [4, 3], [2, 6], [6, 2], [1, 12], [12, 1]]),
    ("a multiple", [op("y = Reshape(x, s)"), const("s", "int64[2]", [-1, 64])][::-1], ["x: float[H,W]"], ["64 divides H*W"],
     [[8, 8], [4, 16], [8, 16], [12, 16], [16, 4]]),
    ("a broadcast", [op("y = Add(x, w)")], ["x: float[N]", "w: float[M]"], ["N either M"], [[1, 1], [1, 2], [2, 1], [2, 2], [1, 3]]),
    ("with what holds for each alone", [op("a = MaxPool(x)", kernel_shape=[3]), op("b = Concat(x, x)", axis=2), op("y = Concat(b, w)", axis=1)],
     ["x: float[1,1,N]", "w: float[1,2,M]"], ["M == 2*N"], [[3, 6], [4, 8]]),
)


def ties(daemon):
    for what, nodes, inputs, conditions, first in TIES:
        tied = daemon.infer(net(nodes, inputs, ["y"]), include="sizes").json["tiedSizes"]
        equal(what, [["%(left)s %(relation)s %(right)s" % c for c in t["conditions"]] for t in tied], [conditions])
        found = [list(c["dims"].values()) for c in tied[0]["combinations"]]
        equal(what + ": combinations", (found[:len(first)], tied[0].get("complete"), [list(c["dims"]) for c in tied[0]["combinations"][:1]]),
              (first, True, [tied[0]["symbols"]]))
    window = [numbers("four", 4), numbers("flat", -1, 16), op("b = Shape(x)", start=0, end=1), op("h = Shape(x)", start=1, end=2),
              op("v = Shape(x)", start=2, end=3), op("r = Div(h, four)"), op("c = Div(v, four)"),
              op("s = Concat(b, r, four, c, four)", axis=0), op("a = Reshape(x, s)"), op("y = Reshape(a, flat)")]
    tied = daemon.infer(net(window, ["x: float[B,H,W]"], ["y"]), include="sizes").json["tiedSizes"]
    equal("a common factor ties nothing", [t["symbols"] for t in tied], [["H", "W"]])
    equal("windows", [list(c["dims"].values()) for c in tied[0]["combinations"][:5]], [[4, 4], [4, 8], [8, 4], [8, 8], [4, 12]])
    names = ["N%d" % i for i in range(12)]
    same = net([op("y = Concat(%s)" % ", ".join("x" + n for n in names), axis=0)], ["x%s: float[2,%s]" % (n, n) for n in names], ["y"])
    tied = daemon.infer(same, include="sizes").json["tiedSizes"]
    equal("many that are one", (tied[0]["symbols"], list(tied[0]["combinations"][1]["dims"].values())), (names, [2] * 12))
    free = net([op("a%d = Add(x%s, x%s)" % (i, m, n)) for i, (m, n) in enumerate(zip(names, names[1:]))], ["x%s: float[%s]" % (n, n) for n in names], ["a0"])
    tied = daemon.infer(free, include="sizes").json["tiedSizes"]
    equal("more than can be tried", (len(tied[0]["conditions"]), tied[0]["combinations"], "tried" in tied[0]), (11, [], False))
    inner = op("z = If(c)", then_branch=graph([op("t = Add(x, w)")], [], ["t"]), else_branch=graph([op("e = Identity(x)")], [], ["e"]))
    half = net([op("y = Concat(x, v)", axis=1), inner], ["c: bool[]", "x: float[N,3]", "w: float[M,3]", "v: float[K,4]"], ["y", "z"])
    tied = daemon.infer(half, include="sizes").json["tiedSizes"]
    equal("what holds in a branch alone is not tried", [(t["symbols"], "complete" in t) for t in tied], [(["N", "K"], False)])
    equal("nothing is tied", "tiedSizes" in daemon.infer(halves(2), include="sizes").json, False)


def ties_and_truth(daemon):
    """Combinations against trying each."""
    data = net([op("a = Concat(x, w)", axis=0), op("y = Add(a, b)"), op("s = Add(b, c)")],
               ["x: float[N]", "w: float[M]", "b: float[K]", "c: float[3]"], ["y"])
    tied = daemon.infer(data, include="sizes").json["tiedSizes"][0]
    told = [tuple(c["dims"].values()) for c in tied["combinations"]]
    runs = sorted((c for c in itertools.product(range(1, tied["tried"] + 1), repeat=3)
                   if not daemon.infer(data, dim=["%s=%d" % pair for pair in zip(tied["symbols"], c)]).json["summary"]["errors"]),
                  key=lambda c: (max(c), c))
    equal("combinations are those without errors", told, runs[:16])


def forms_of_answers(daemon):
    data = halves(2)
    equal("without include nothing is said", "sizes" in daemon.infer(data).json, False)
    lines = daemon.infer(data, include="sizes", format="text").text.split("\n")
    equal("a line in the table", [line for line in lines if " runs at " in line], ["H runs at 0, 4, ...; 3, 7, ...; 1 to 2"])
    lines = daemon.infer(net(*TIES[0][1:3], ["y"]), include="sizes", format="text").text.split("\n")
    equal("and one of what is tied", [line[:50] for line in lines if "run together" in line],
          ["H, W run together at H=1,W=2; H=2,W=4; H=3,W=6; H="])
    equal("which says how", [line[-36:] for line in lines if "run together" in line], ["W=32 where W == 2*H (tried up to 16)"[-36:]])
    answer = daemon.infer(data, include="size")
    check("another part: 400", answer.status == 400 and "include" in answer.text, answer.text)
    seen = told(daemon, data, dim="H=8")
    equal("what is bound is no question", list(seen), [])
    resnet = told(daemon, whole("resnet50"))
    check("a whole model", resnet["N"]["complete"] and resnet["H"]["ranges"], resnet)


def over_rpc(daemon):
    """Sizes on request, in the messages of the service."""
    data = net([op("n = NonZero(x)"), op("y = MaxPool(x)", kernel_shape=[3])], ["x: float[1,1,N]"], ["n", "y"])
    wide = net(*TIES[0][1:3], ["y"])
    answer = daemon.post("/shaped.v1.ShapeInference/InferModel", json.dumps(
        {"model": base64.b64encode(wide).decode(), "options": {"sizes": True}}).encode(), headers={"Content-Type": "application/json"}).json
    tied = answer["tiedSizes"][0]
    equal("what is tied", (tied["symbols"], [(c["left"], c["right"]) for c in tied["conditions"]], tied["combinations"][0]["dims"], tied["tried"]),
          (["H", "W"], [("W", "2*H")], [{"name": "H", "value": "1"}, {"name": "W", "value": "2"}], "16"))
    request = {"model": base64.b64encode(data).decode(),
               "options": {"sizes": True, "explain": ["n"], "bindings": [{"dims": [{"name": "N", "value": "5"}]}]}}
    answer = daemon.post("/shaped.v1.ShapeInference/InferModel", json.dumps(request).encode(),
                         headers={"Content-Type": "application/json"}).json
    equal("sizes", answer["sizes"], [{"symbol": "N", "ranges": [{"from": "3", "step": "1"}], "complete": True}])
    equal("an explanation", [(s["value"], s["op"]) for s in answer["explanations"][0]["chain"]], [("n", "NonZero")] * 2)
    equal("its cause", [(c["value"], c["values"]) for c in answer["summary"]["causes"]], [("n", "1")])
    equal("sizes that are bound", (answer["bindings"][0]["dims"], answer["bindings"][0]["errors"]),
          ([{"name": "N", "value": "5"}], "0"))
    bound = next(v for v in answer["values"] if v["name"] == "y")["bound"]
    equal("and what they lead to", [d["dimValue"] for d in bound[0]["tensorType"]["shape"]["dim"]], ["1", "1", "3"])


def main():
    with Daemon() as daemon:
        forms(daemon)
        truth(daemon)
        ties(daemon)
        ties_and_truth(daemon)
        forms_of_answers(daemon)
        over_rpc(daemon)
    finish()


if __name__ == "__main__":
    main()
