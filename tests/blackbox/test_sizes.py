#!/usr/bin/env python3
"""Sizes with which a model runs, listed as ranges, agree with trying each size."""
import base64
import json

from build import const, function, graph, model, op
from harness import Daemon, check, equal, finish
from harness import model as whole

TRIED = 140  # by the engine's errors, one by one


def told(daemon, data, **options):
    answer = daemon.infer(data, include="sizes", **options)
    return {s["symbol"]: s for s in answer.json["sizes"]}


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


def forms_of_answers(daemon):
    data = halves(2)
    equal("without include nothing is said", "sizes" in daemon.infer(data).json, False)
    lines = daemon.infer(data, include="sizes", format="text").text.split("\n")
    equal("a line in the table", [line for line in lines if " runs at " in line], ["H runs at 0, 4, ...; 3, 7, ...; 1 to 2"])
    answer = daemon.infer(data, include="size")
    check("another part: 400", answer.status == 400 and "include" in answer.text, answer.text)
    seen = told(daemon, data, dim="H=8")
    equal("what is bound is no question", list(seen), [])
    resnet = told(daemon, whole("resnet50"))
    check("a whole model", resnet["N"]["complete"] and resnet["H"]["ranges"], resnet)


def over_rpc(daemon):
    """Sizes on request, in the messages of the service."""
    data = net([op("n = NonZero(x)"), op("y = MaxPool(x)", kernel_shape=[3])], ["x: float[1,1,N]"], ["n", "y"])
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
        forms_of_answers(daemon)
        over_rpc(daemon)
    finish()


if __name__ == "__main__":
    main()
