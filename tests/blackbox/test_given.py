#!/usr/bin/env python3
"""Contents of inputs that a caller gives, and symbols for those that nobody gives."""
import base64
import json

from build import const, graph, infer, model, op
from harness import Daemon, check, equal, finish

SIZED = model(graph([op("y = Resize(x, , , size)"), op("z = Resize(w, , , size)"), op("s = Add(y, z)")],
                    ["x: float[N,3]", "w: float[N,3]", "size: int64[2]"], ["s"]))

def shape(seen, name):
    return next(v.get("shape") for v in seen.json["values"] if v["name"] == name)


def refused(daemon, what, data, word, **options):
    answer = daemon.infer(data, **options)
    check("%s: 400" % what, answer.status == 400 and answer.json["code"] == "invalid_argument" and word in answer.text,
          (answer.status, answer.text[:300]))


def given(daemon):
    equal("two sizes", infer(daemon, SIZED, value="size:5,7")["s"], "float[5,7]")
    equal("with brackets and blanks", infer(daemon, SIZED, value="size: [ 5 , 7 ]")["s"], "float[5,7]")
    seen = infer(daemon, SIZED, value="size:5,7")
    equal("the input shows its contents", seen.contents.get("size"), [5, 7])
    for what, value, word in (("too few", "size:5", "1 elements"), ("too many", "size:5,6,7", "3 elements"),
                              ("no integer", "size:5,7.5", "element 1"), ("nothing", "size:", "0 elements"),
                              ("past 64 bits", "size:5,9223372036854775808", "element 1"),
                              ("no input", "sizes:5,7", "no input sizes"), ("no colon", "5,7", "INPUT"),
                              ("an empty element", "size:5,", "element 1")):
        refused(daemon, what, SIZED, word, value=value)
    floats = model(graph([op("y = Resize(x, , k)")], ["x: float[N,3]", "k: float[2]"], ["y"]))
    equal("floats", infer(daemon, floats, value="k:2.0,1.5")["y"], "float[2*N,4]")
    choice = model(graph([op("y = If(c)", then_branch=graph([op("t = Identity(x)")], [], ["t"]),
                             else_branch=graph([op("u = Transpose(x)")], [], ["u"]))],
                         ["x: float[N,3]", "c: bool[]"], ["y"]))
    equal("true", infer(daemon, choice, value="c:true")["y"], "float[N,3]")
    equal("false", infer(daemon, choice, value="c:0")["y"], "float[3,N]")
    refused(daemon, "neither", choice, "element 0", value="c:2")
    words = model(graph([op("y = Identity(x)")], ["x: string[2]"], ["y"]))
    refused(daemon, "a text", words, "tensor of numbers", value="x:1,2")


def counted(daemon):
    """A size that is left open is what the count makes it, wherever it stands."""
    data = model(graph([op("y = Expand(x, size)"), op("z = Relu(w)")],
                       ["size: int64[R]", "x: float[1]", "w: float[R,2]"], ["y", "z"]))
    seen = infer(daemon, data, value="size:4,5,6")
    equal("an open length", (seen["size"], seen["y"], seen["z"]), ("int64[3]", "float[4,5,6]", "float[3,2]"))
    square = model(graph([op("y = Reshape(x, t)"), const("t", "int64[1]", [-1])], ["x: int64[A,B]"], ["y"]))
    refused(daemon, "two open sizes", square, "shape=x", value="x:1,2,3,4")
    equal("with its shape", infer(daemon, square, value="x:1,2,3,4", shape="x:2,2")["y"], "int64[4]")
    refused(daemon, "a size that is bound otherwise", data, "3 elements", value="size:4,5,6", dim="R=2")


def symbols(daemon):
    """Elements of a short integer input are symbols, so that shapes computed from them agree."""
    seen = infer(daemon, SIZED)
    equal("two Resizes to one input", shape(seen, "s"), ["size[0]", "size[1]"])
    equal("an element is an input's", [s for s in seen.json["symbols"] if s["name"].startswith("size[") and "op" in s], [])
    equal("what it must be", seen.constraints, ["size[0] >= 0", "size[1] >= 0"])
    equal("one that is bound", shape(infer(daemon, SIZED, dim=["size[0]=4"]), "s"), [4, "size[1]"])
    trips = model(graph([op("y = Loop(m, , x)", body=graph([op("co = Identity(ci)"), op("so = Relu(s)")],
                                                              ["i: int64[]", "ci: bool[]", "s: float"], ["co", "so", "so"]))],
                        ["m: int64[]", "x: float[2]"], ["y"]))
    equal("a scalar is called as the input", [s["name"] for s in infer(daemon, trips).json["symbols"]][:1], ["m"])
    wanted = model(graph([op("y = Reshape(x, t)")], ["x: float[4,6]", "t: int64[2]"], ["y"]))
    equal("what may be 0 or -1 is no size yet", infer(daemon, wanted)["y"], "float[?1,?2]")
    equal("and is when it is given", infer(daemon, wanted, value="t:-1,8")["y"], "float[3,8]")
    split = model(graph([op("a, b = Split(x, t)", axis=0)], ["x: float[0]", "t: int64[2]"], ["a", "b"]))
    equal("parts of nothing", infer(daemon, split)["a"], "float[0]")
    named = model(graph([op("y = Expand(x, n)"), op("z = Relu(w)")], ["n: int64[1]", "x: float[1]", "w: float[`n[0]`]"],
                        ["y", "z"]))
    check("names stay unique", infer(daemon, named).json["values"][0]["content"] == ["n[0]"],
          infer(daemon, named).json["values"][0])


def over_rpc(daemon):
    """The same in the messages of the service: a tensor has its shape too."""
    def ask(data, tensors):
        request = {"model": base64.b64encode(data).decode(), "options": {"inputValues": tensors}}
        return daemon.post("/shaped.v1.ShapeInference/InferModel", json.dumps(request).encode(),
                           headers={"Content-Type": "application/json"})

    def dims(answer, name):
        found = next(v for v in answer.json["values"] if v["name"] == name)
        return [d["dimValue"] for d in found["type"]["tensorType"]["shape"]["dim"]]

    answer = ask(SIZED, [{"name": "size", "dims": ["2"], "dataType": 7, "int64Data": ["5", "7"]}])
    equal("a tensor", dims(answer, "s"), ["5", "7"])
    open_shape = model(graph([op("y = Reshape(x, t)"), const("t", "int64[1]", [-1])], ["x: int32[A,B]"], ["y"]))
    answer = ask(open_shape, [{"name": "x", "dims": ["2", "3"], "dataType": 6, "int32Data": [1, 2, 3, 4, 5, 6]}])
    equal("with its shape", dims(answer, "y"), ["6"])
    for what, tensors in (("no name", [{"dims": ["2"], "dataType": 7, "int64Data": ["5", "7"]}]),
                          ("no such input", [{"name": "no", "dims": ["1"], "dataType": 7, "int64Data": ["5"]}]),
                          ("too few elements", [{"name": "size", "dims": ["2"], "dataType": 7, "int64Data": ["5"]}]),
                          ("texts", [{"name": "size", "dims": ["1"], "dataType": 8, "stringData": ["YQ=="]}])):
        answer = ask(SIZED, tensors)
        check("%s: 400" % what, answer.status == 400 and answer.json["code"] == "invalid_argument", answer.text[:300])


def columns(daemon):
    """Shapes for sets of sizes beside the symbolic ones: what the model is when they are bound."""
    data = model(graph([op("y = Concat(x, w)", axis=1), op("q = SequenceConstruct(y, y)"), op("z = Add(x, v)"),
                        op("n = NonZero(x)"), op("u = my.Unheard(x)")],
                       ["x: float[N,M]", "w: float[N,3]", "v: float[4,M]"], ["y", "z", "q"]))
    answer = daemon.infer(data, bind=["N=4,M=2", "N=5", "M=0"])
    values = {v["name"]: v for v in answer.json["values"]}
    equal("the symbolic one stays", values["y"]["shape"], ["N", "M + 3"])
    equal("a column each", values["y"]["bound"], [[4, 5], [5, "M + 3"], ["N", 3]])
    equal("of a sequence its element's", values["q"]["bound"][0], [4, 5])
    equal("what data decides", values["n"]["bound"][0], [2, "NonZero_1"])
    equal("nothing", values["u"]["bound"], [None, None, None])
    equal("each with its sizes", [b["dims"] for b in answer.json["bindings"]], [{"N": 4, "M": 2}, {"N": 5}, {"M": 0}])
    equal("and its faults", [b["errors"] for b in answer.json["bindings"]], [0, 1, 0])
    equal("word for word", [d["reason"] for d in answer.json["bindings"][1]["diagnostics"] if d["severity"] == "error"],
          ["DIM_MISMATCH"])
    equal("none of which is the model's", answer.json["summary"]["errors"], 0)
    plain = daemon.infer(data).json
    equal("without them nothing is said", ["bindings" in plain] + ["bound" in v for v in plain["values"]],
          [False] * (1 + len(plain["values"])))
    for n, m in ((1, 0), (4, 1), (4, 7)):
        alone = {v["name"]: v.get("shape") for v in daemon.infer(data, dim=["N=%d" % n, "M=%d" % m]).json["values"]}
        beside = {v["name"]: v["bound"][0] for v in daemon.infer(data, bind="N=%d,M=%d" % (n, m)).json["values"]}
        equal("as with dim= at %d and %d" % (n, m), {k: v for k, v in beside.items() if k != "q"},
              {k: v for k, v in alone.items() if k != "q"})
    equal("beside what is bound already",
          [v["bound"] for v in daemon.infer(data, dim="N=4", bind="M=2", values="outputs").json["values"]][0], [[4, 5]])
    lines = daemon.infer(data, bind=["N=4,M=2", "N=5"], format="text").text.split("\n")
    head = lines[0]
    check("columns of the table", all(line[head.index("N=4,M=2"):].startswith("[4, 5]") and
                                      line[head.index("N=5"):].startswith("[5, M + 3]")
                                      for line in lines if line.startswith("y ")), lines[:6])
    check("and the faults below", any(line.startswith("with N=5: 1 errors") for line in lines), lines)
    for what, value, word in (("a symbol that is not there", "K=1", "K"), ("no number", "N=", "bind"), ("nothing", "", "bind"),
                              ("half of it", "N=1,M", "bind")):
        refused(daemon, what, data, word, bind=value)
    refused(daemon, "too many", data, "at most 16", bind=["N=%d" % i for i in range(17)])


def main():
    with Daemon() as daemon:
        columns(daemon)
        over_rpc(daemon)
        given(daemon)
        counted(daemon)
        symbols(daemon)
    finish()


if __name__ == "__main__":
    main()
