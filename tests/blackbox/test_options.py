#!/usr/bin/env python3
"""Every option of models:infer, and which answer is given for which Accept and format."""
import json

import build
from harness import Daemon, check, equal, finish
from wire import add, chain, model, node, tensor, text, value_info

INFER = "/v1/models:infer"
# Declares an intermediate value otherwise than it is, and an output by another name for its size.
FAULTY = add([2, 3], [4, 5])


def shapes(answer):
    return {v["name"]: v.get("shape") for v in answer.json["values"]} if answer.status == 200 else answer.body


def refused(what, answer, *words):
    right = answer.status == 400 and answer.json["code"] == "invalid_argument" and all(w in answer.text for w in words)
    check("%s: 400" % what, right, (answer.status, answer.body[:300]))


def check_truth(daemon):
    for option in ("strict", "check_types", "ignore_declared", "pretty"):
        for value in ("true", "false", "1", "0"):
            equal("%s=%s" % (option, value), daemon.infer(chain(2), **{option: value}).status, 200)
        equal("%s alone" % option, daemon.post("%s?%s" % (INFER, option), chain(2)).status, 200)
        for value in ("yes", "TRUE", "2", "", " 1"):
            refused("%s=%r" % (option, value), daemon.infer(chain(2), **{option: value}), option)
    for name in ("nonsense", "Strict", "dims", "stric", "strict ", "format2", ""):
        refused("an unknown option %r" % name, daemon.infer(chain(2), **{name: "1"}))
    refused("the option that was meant", daemon.infer(chain(2), strikt="1"), "did you mean 'strict'?")
    refused("the inputs that there are", daemon.infer(chain(2), shape="nowhere:1"), "its inputs are x")


def check_repeated(daemon):
    """What has one value may not be given another one: which of the two counts, a proxy may see otherwise."""
    for query in ("format=json&format=text", "format=json&format=json", "strict=true&strict=false", "values=all&values=outputs",
                  "pretty&pretty"):
        refused(query, daemon.post("%s?%s" % (INFER, query), chain(2)), query.split("=")[0].split("&")[0] + " may be given only once")
    equal("lists may be repeated", daemon.post(INFER + "?dim=N=4&shape=x0:N,3", chain(2)).status, 200)


def check_strict(daemon):
    answer = daemon.infer(FAULTY)
    reasons = [d["reason"] for d in answer.json["diagnostics"]]
    check("a faulty node: 200 and a diagnostic", answer.status == 200 and reasons == ["DIM_MISMATCH"], answer.text[:500])
    first = answer.json["diagnostics"][0]
    equal("a diagnostic says which node", [first[k] for k in ("severity", "code", "node", "nodeIndex", "op")],
          ["error", "invalid_argument", "sum", 0, "Add"])
    check("and names both numbers", "2" in first["message"] and "4" in first["message"], first["message"])
    answer = daemon.infer(FAULTY, strict="true")
    check("strict: 400, and the diagnostics as details",
          answer.status == 400 and answer.json["code"] == "invalid_argument" and answer.json["details"] == [first],
          answer.text[:500])
    equal("strict: a good model", daemon.infer(chain(2), strict="1").status, 200)


def check_types(daemon):
    texts = model([node("Relu", ["x"], ["y"])], [value_info("x", [2], 8)], ["y"])
    equal("element types are not looked at", [d["reason"] for d in daemon.infer(texts).json["diagnostics"]
                                             if d["severity"] == "error"], [])
    equal("check_types", [d["reason"] for d in daemon.infer(texts, check_types=1).json["diagnostics"]], ["TYPE_MISMATCH"])


def check_dims(daemon):
    equal("without dim", shapes(daemon.infer(chain(1))), {"x0": ["N", 3], "x1": ["N", 3]})
    equal("dim=N=7", shapes(daemon.infer(chain(1), dim="N=7")), {"x0": [7, 3], "x1": [7, 3]})
    equal("dim=N=0", shapes(daemon.infer(chain(1), dim="N=0")), {"x0": [0, 3], "x1": [0, 3]})
    odd = model([node("Relu", ["x"], ["y"])], [value_info("x", ["a=b", "c d"])], ["y"])
    equal("dim splits at the last =", shapes(daemon.infer(odd, dim=["a=b=4", "c d=5"]))["y"], [4, 5])
    large = 2 ** 53 + 1
    equal("integers are exact", shapes(daemon.infer(chain(1), dim="N=%d" % large))["x1"], [large, 3])
    for value in ("N", "N=", "=3", "N=-1", "N=x", "N=1.5", "N=99999999999999999999", "", "N=0x10"):
        refused("dim=%r" % value, daemon.infer(chain(1), dim=value), "dim")


def check_shapes(daemon):
    data = chain(1)
    for value, wanted in {"x0:1,3": [1, 3], "x0:": [], "x0:M": ["M"], "x0: 5 , K ": [5, "K"], "x0:1,3,N,224": [1, 3, "N", 224],
                          "x0:0": [0]}.items():
        equal("shape=%s" % value, shapes(daemon.infer(data, shape=value)), {"x0": wanted, "x1": wanted})
    odd = model([node("Relu", ["a:0"], ["y"])], [value_info("a:0", ["N"])], ["y"])
    equal("shape splits at the last :", shapes(daemon.infer(odd, shape="a:0:4,5"))["y"], [4, 5])
    equal("shape of two inputs", shapes(daemon.infer(add(["N"], ["N"]), shape=["a:2", "b:2"]))["c"], [2])
    equal("shape and dim", shapes(daemon.infer(data, shape="x0:K,4", dim="K=9"))["x1"], [9, 4])
    for value, wanted in {"x0:8x3x224x224": [8, 3, 224, 224], "x0:[8,3,K]": [8, 3, "K"], "x0:[ 8 , 3 ]": [8, 3], "x0:[]": [],
                          "x0:?x3x-1": ["x0_0", 3, "x0_2"], "x0:?,?,3": ["x0_0", "x0_1", 3], "x0:,-1": ["x0_0", "x0_1"],
                          "x0:1,": [1, "x0_1"], "x0:Nx3": ["Nx3"], "x0:N,batch-size,p2o.Dim.0": ["N", "batch-size", "p2o.Dim.0"],
                          "x0:2*h,h + 1": ["2*h", "h + 1"], "x0:N + N": ["2*N"]}.items():
        equal("shape=%s" % value, shapes(daemon.infer(data, shape=value)), {"x0": wanted, "x1": wanted})
    pool = build.model(build.graph([build.op("y = MaxPool(x)", kernel_shape=[2, 2], strides=[2, 2])],
                                   ["x: float[N,3,H,W]"], ["y"]))
    equal("an expression of new names", shapes(daemon.infer(pool, shape="x:N,3,32*h,32*w"))["y"],
          ["N", 3, "16*h", "16*w"])
    opaque = model([node("Relu", ["x"], ["y"])], [value_info("x", ["a + b", "c d"])], ["y"])
    equal("a name of the model's is that, whatever it looks like",
          shapes(daemon.infer(opaque, shape="x:a + b,c d,2*`c d`", dim="a + b=5"))["y"], [5, "c d", "2*`c d`"])
    for value in ("x0", ":1", "x0:-2", "x0:N-4-N", "x0:[8,3", "x0:8,3]", "x0:2x3,4", "x0:8x", "x0:8xNx3", "x0:N M", "x0:(N",
                  "x0:99999999999999999999", "x0:N=4", ""):
        refused("shape=%r" % value, daemon.infer(data, shape=value), "shape")
    refused("shape of what is no input", daemon.infer(data, shape="x1:3"), "x1")
    refused("shape of nothing", daemon.infer(data, shape="nope:3"), "nope")


def check_values(daemon):
    body = model([node("Relu", ["x"], ["h"]), node("Unheard", ["h"], ["u"]), node("Add", ["h", "w"], ["y"])],
                 [value_info("x", ["N", 1])], ["y"], [tensor("w", [1], b"\0\0\0\0")])
    for value, wanted in {"inferred": ["x", "h", "u", "y"], "outputs": ["y"], "unknown": ["u"],
                          "all": ["w", "x", "h", "u", "y"]}.items():
        answer = daemon.infer(body, values=value)
        equal("values=%s" % value, sorted(v["name"] for v in answer.json["values"]), sorted(wanted))
    equal("the default is inferred", daemon.infer(body).json["values"], daemon.infer(body, values="inferred").json["values"])
    kinds = {v["name"]: v["kind"] for v in daemon.infer(body, values="all").json["values"]}
    equal("kinds", kinds, {"w": "initializer", "x": "input", "h": "intermediate", "u": "intermediate", "y": "output"})
    refused("values=some", daemon.infer(body, values="some"), "values")


def check_declared(daemon):
    body = model([node("Relu", ["x0"], ["x1"]), node("Relu", ["x1"], ["x2"])], [value_info("x0", ["N", 3])], [])
    for name in ("rows", "tensor.3"):
        output = value_info("x1", [name, 3])
        declared = body + text(7, text(12, output))  # concatenated messages merge: the graph gets an output
        answer = daemon.infer(declared)
        equal("a name that only a declaration has is no condition: %s" % name, answer.json["constraints"], [])
        equal("what is inferred is shown: %s" % name, shapes(answer)["x1"], ["N", 3])
        equal("what flows on is what was inferred", shapes(answer)["x2"], ["N", 3])
        answer = daemon.infer(declared, ignore_declared=1)
        equal("ignore_declared", (answer.json["constraints"], shapes(answer)["x1"]), ([], ["N", 3]))


def check_pretty(daemon):
    plain, pretty = daemon.infer(chain(2)), daemon.infer(chain(2), pretty="true")
    check("pretty is the same, with lines", plain.json == pretty.json and plain.text.count("\n") <= 1
          and pretty.text.count("\n") > 10 and '\n  "values": [\n' in pretty.text, pretty.text[:300])


def check_formats(daemon):
    data = chain(1)
    for accept, wanted in {
        None: "application/json", "*/*": "application/json", "application/json": "application/json",
        "text/plain": "text/plain; charset=utf-8", "text/*": "text/plain; charset=utf-8",
        "application/*": "application/json", "image/png": "application/json", "": "application/json",
        "text/plain;q=0.5, application/json;q=0.4": "text/plain; charset=utf-8",
        "text/plain;q=0.4, application/json;q=0.5": "application/json", "text/plain;q=0, */*": "application/json",
        "text/html,application/xhtml+xml,*/*;q=0.8": "application/json", "TEXT/PLAIN": "text/plain; charset=utf-8",
        "text/plain, */*;q=0.1": "text/plain; charset=utf-8", ",,;;q=,": "application/json",
    }.items():
        answer = daemon.post(INFER, data, headers={"Accept": accept} if accept is not None else {})
        equal("Accept: %s" % accept, (answer.status, answer.headers["Content-Type"]), (200, wanted))
    answer = daemon.post(INFER + "?format=text", data, headers={"Accept": "application/json"})
    equal("format goes before Accept", answer.headers["Content-Type"], "text/plain; charset=utf-8")
    check("a table names values, types and shapes", all(w in answer.text for w in ("x1", "Relu", "tensor(float)", "[N, 3]")),
          answer.text)
    lines = [line for line in answer.text.split("\n") if line.startswith("x")]
    equal("its columns are aligned", len({line.index("tensor") for line in lines}), 1)
    equal("format=json", daemon.infer(data, format="json").headers["Content-Type"], "application/json")
    answer = daemon.infer(data, format="xml")
    refused("format=xml", answer, "format")
    for name in answer.json["message"].partition("must be ")[2].replace(" or ", ", ").split(", "):
        equal("format=%s, as that says" % name, daemon.infer(data, format=name).status, 200)
    answer = daemon.infer(b"no model", format="text")
    equal("errors are JSON whatever is asked for", answer.headers["Content-Type"], "application/json")
    nasty = model([node("Relu", ["x"], ["\x1b[31m\n\"\\é"])], [value_info("x", [1])], ["\x1b[31m\n\"\\é"])
    answer = daemon.infer(nasty)
    check("names are escaped in JSON", "\x1b[31m\n\"\\é" in [v["name"] for v in answer.json["values"]], answer.text[:500])
    check("and shown in the table", "\x1b" not in daemon.infer(nasty, format="text").text)


def check_answer(daemon):
    answer = daemon.infer(add(["N", 3], [3]))
    text = json.loads(answer.body, object_pairs_hook=lambda pairs: pairs)
    equal("the order of an answer", [k for k, _ in text],
          ["model", "values", "symbols", "constraints", "diagnostics", "summary"])
    equal("the order of model", [k for k, _ in text[0][1]],
          ["irVersion", "producerName", "graphName", "opsetImports", "functions", "nodes", "initializers", "bytes",
           "bytesSkipped"])
    equal("the order of a value", [k for k, _ in text[1][1][-1]], ["name", "kind", "node", "nodeIndex", "op", "type", "shape"])
    equal("the order of summary", [k for k, _ in text[5][1]],
          ["values", "exact", "symbolic", "dynamic", "unknown", "errors", "warnings"])
    equal("a symbol", answer.json["symbols"], [{"name": "N", "value": "a", "axis": 0, "min": 0}])


def main():
    with Daemon() as daemon:
        check_truth(daemon)
        check_repeated(daemon)
        check_strict(daemon)
        check_types(daemon)
        check_dims(daemon)
        check_shapes(daemon)
        check_values(daemon)
        check_declared(daemon)
        check_pretty(daemon)
        check_formats(daemon)
        check_answer(daemon)
    finish()


if __name__ == "__main__":
    main()
