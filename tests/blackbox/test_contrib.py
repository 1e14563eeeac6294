#!/usr/bin/env python3
"""The operators that runtimes add: GET /v1/operators against tests/operators/contrib.facts, each as its document says,
and those whose attributes are graphs, which no case can hold."""
import os

from build import const, function, graph, infer, model, op
from harness import ROOT, Daemon, check, equal, finish

FACTS = os.path.join(ROOT, "tests", "operators", "contrib.facts")


def bounds(text):
    """`2..7` and, without a maximum, `2..-`."""
    least, most = text.split("..")
    return int(least), None if most == "-" else int(most)


def facts():
    """(domain, operator) -> (version, inputs, outputs, required attributes)."""
    found = {}
    with open(FACTS, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            domain, name, version, inputs, outputs, *required = words
            key = ("" if domain == "ai.onnx" else domain, name)
            check("contrib.facts:%d: %s.%s stands once" % (number, domain, name), key not in found)
            found[key] = (int(version), bounds(inputs), bounds(outputs), sorted(required))
    return found


def said(operator):
    """The same of one operator of the listing."""
    return (operator["since"], (operator["minInputs"], operator.get("maxInputs")),
            (operator["minOutputs"], operator.get("maxOutputs")),
            sorted(a["name"] for a in operator.get("attributes", []) if a["required"]))


def listing(daemon, domain):
    found, token = {}, ""
    while token is not None:
        answer = daemon.get("/v1/operators?pageSize=1000&domain=%s&pageToken=%s" % (domain, token)).json
        found.update({(o["domain"], o["name"]): o for o in answer["operators"]})
        token = answer.get("nextPageToken")
    return found


DECODER = graph([op("logits = Identity(ids)")], ["ids: int32[B,S]"], ["logits: int32[B,S]"])
SEARCHED = (  # call, inputs beside the sizes that are constants, attributes, what the outputs are
    ("s, p, q = com.microsoft.BeamSearch(ids, most, , beams, returns)", ["ids: int32[B,7]"], {},
     {"s": "int32[B,3,20]", "p": "?[B,3]", "q": "?[13,B,4,?1]"}),
    ("s, p, q = com.microsoft.BeamSearch(ids, most, least, beams, returns, penalty, , mask)",
     ["ids: int32[B,S]", "penalty: float[1]", "mask: int32[50257]"], {"model_type": 1},
     {"s": "int32[B,3,20]", "p": "float[B,3]", "q": "float[?1,B,4,50257]"}),
    ("s = com.microsoft.BeamSearch(ids, length, , beams, count)",
     ["ids: int32[B,S]", "length: int32[1]", "count: int32[1]"], {}, {"s": "int32[B,?1,?2]"}),
    ("s, , , k, n = com.microsoft.WhisperBeamSearch(ids, most, , beams, returns, penalty, , , , , , , heads)",
     ["ids: float[B,80,3000]", "penalty: float16[1]", "heads: int32[H,2]"], {"vocab_size": 51865},
     {"s": "int32[B,3,20]", "k": "float[B,3,H,?1,?2]", "n": "float16[B]"}),
    ("s = com.microsoft.GreedySearch(ids, most)", ["ids: int32[B,S]"], {}, {"s": "int32[B,20]"}),
    ("s, l = com.microsoft.Sampling(ids, most)", ["ids: int32[0,1]"], {"vocab_size": 9},
     {"s": "int32[0,20]", "l": "float[0,9]"}),
)
REFUSED = (
    ("s = com.microsoft.GreedySearch(ids, most)", ["ids: int32[B,S,1]"], "RANK_MISMATCH"),
    ("s = com.microsoft.GreedySearch(ids, two)", ["ids: int32[B,S]", "two: int32[2]"], "LENGTH_MISMATCH"),
    ("s = com.microsoft.GreedySearch(ids, less)", ["ids: int32[B,S]"], "NEGATIVE_SIZE"),
    ("s, , q = com.microsoft.BeamSearch(ids, most, , beams, returns)", ["ids: int32[B,21]"], "NEGATIVE_SIZE"),
    ("s = com.microsoft.BeamSearch(ids, most, , beams, returns, , , , , mask)", ["ids: int32[2,5]", "mask: int32[2,6]"],
     "DIM_MISMATCH"),
)


def search(daemon, call, inputs, attributes):
    """One node that generates text; sizes of one element are constants."""
    node = op(call, decoder=DECODER, eos_token_id=0, pad_token_id=0, **attributes)
    sizes = [const(name, "int32[1]", [value]) for name, value in (("most", 20), ("least", 1), ("beams", 4),
                                                                  ("returns", 3), ("less", -1))]
    return infer(daemon, model(graph(sizes + [node], inputs, []), {"": 17, "com.microsoft": 1}))


def check_search(daemon):
    for call, inputs, attributes, wanted in SEARCHED:
        seen = search(daemon, call, inputs, attributes)
        equal("%s of %s" % (call, inputs[0]), {name: seen[name] for name in wanted}, wanted)
        equal("without complaint", seen.reasons, [])
    for call, inputs, reason in REFUSED:
        seen = search(daemon, call, inputs, {})
        check("%s of %s: %s" % (call, inputs, reason), reason in seen.reasons, seen.answer.text[:600])


UNKNOWN = (  # a call, versions that are imported, severity, hint
    ("y = Rellu(x)", {"": 17}, "error", "did you mean Relu?"),
    ("y = FastGelu(x)", {"": 17}, "error", "domain com.microsoft has FastGelu"),
    ("y = Rellu(x)", {"": 1000}, "warning", "did you mean Relu?"),
    ("y = com.microsoft.FastGellu(x)", {"": 17, "com.microsoft": 1}, "error", "did you mean FastGelu?"),
    ("y = TRT.EficientNMS_TRT(x)", {"": 17, "TRT": 1}, "warning", "did you mean EfficientNMS_TRT?"),
    ("y = trt.plugins.EficientNMS_TRT(x)", {"": 17, "trt.plugins": 1}, "warning", "did you mean EfficientNMS_TRT?"),
    ("y = my.own.Relu(x)", {"": 17, "my.own": 1}, "warning", "domain ai.onnx has Relu"),
    ("y = my.own.Thing(x)", {"": 17, "my.own": 1}, "warning", None),
)


def check_unknown(daemon):
    """An operator that a fully known domain lacks is an error; in another domain it may exist, and its declared types hold."""
    for call, imports, severity, hint in UNKNOWN:
        seen = infer(daemon, model(graph([op(call), op("z = Neg(y)")], ["x: float[N,3]"], [], ["y: float[N,4]"]), imports))
        found = [(d["severity"], d["reason"], d.get("hint")) for d in seen.json["diagnostics"]
                 if d["reason"] != "NEWER_OPSET"]
        equal("%s of %s" % (call, imports), found[:1], [(severity, "UNKNOWN_OPERATOR", hint)])
        equal("%s: what is declared flows on" % call, seen["z"], "float[N,4]")


HALF = function("Half", "x", "y", [op("y = my.own.Thing(x)")], opset={"": 17, "my.own": 1})
COUNTED = (  # nodes of a graph, functions, the operators that are not known: (domain, operator, nodes, values)
    ([op("a = Relu(x)")], [], []),
    ([op("a = my.own.Thing(x)"), op("b = Neg(a)"), op("c = com.microsoft.Nothing(b)"), op("d = Add(c, b)"),
      op("e, , f = my.own.Thing(d)"), op("g = Neg(x)")], [],
     [("my.own", "Thing", 2, 6), ("com.microsoft", "Nothing", 1, 4)]),
    ([op("a = my.own.Thing(x)"), op("y = Neg(a)"), op("b = Neg(y)")], [], [("my.own", "Thing", 1, 3)]),  # y is declared
    ([op("a = If(when)", then_branch=graph([op("p = my.own.Thing(x)"), op("q = Neg(p)")], [], ["q: float"]),
         else_branch=graph([op("r = Neg(x)")], [], ["r: float"])), op("b = Neg(a)")], [], [("my.own", "Thing", 1, 4)]),
    ([op("a = my.own.Thing(x)"),
      op("b = Loop(n, when, a)", body=graph([op("u = Identity(t)"), op("w = Neg(v)")],
                                         ["i: int64[]", "t: bool[]", "v: float"], ["u", "w"]))],
     [], [("my.own", "Thing", 1, 4)]),
    ([op("a = my.Half(x)"), op("b = Neg(a)")], [HALF], [("my.own", "Thing", 1, 3)]),
    ([op("a%d = my.own.Thing%d(x)" % (k, k)) for k in range(70)], [], [("my.own", "Thing%d" % k, 1, 1) for k in range(64)]),
)


def check_counted(daemon):
    """The summary counts what hangs on operators that are not known."""
    for nodes, functions, wanted in COUNTED:
        made = model(graph(nodes, ["x: float[N,3]", "when: bool[]", "n: int64[]"], [], ["y: float[N,4]"]),
                     {"": 17, "my": 1, "my.own": 1, "com.microsoft": 1}, functions)
        summary = infer(daemon, made).json["summary"]
        found = [(o["domain"], o["op"], o["nodes"], o["values"]) for o in summary.get("unknownOperators", [])]
        equal("values that hang on %s" % [o[:2] for o in wanted[:3]], found, wanted)
        answer = daemon.post("/v1/models:infer", made, headers={"Accept": "application/x-protobuf"})
        check("in a message", (b"Thing" in answer.body) == bool(wanted))
        text = daemon.post("/v1/models:infer", made, headers={"Accept": "text/plain"}).text
        check("as a table", all("%d values hang on the unknown %s.%s (%d nodes)" % (values, domain, name, count) in text
                                for domain, name, count, values in wanted), text)


def main():
    known = facts()
    with Daemon() as daemon:
        check_search(daemon)
        check_unknown(daemon)
        check_counted(daemon)
        for domain in sorted({domain for domain, _ in known}):
            listed = listing(daemon, domain)
            wanted = {key for key in known if key[0] == domain}
            if domain:  # of ai.onnx the facts hold only what ONNX itself does not have
                equal("%s: the operators with facts are those listed" % domain, sorted(listed), sorted(wanted))
            for key in sorted(wanted & set(listed)):
                equal("%s: version, inputs, outputs, required attributes" % key[1], said(listed[key]), known[key])
            check("%s: all are listed" % (domain or "ai.onnx"), wanted <= set(listed), sorted(wanted - set(listed)))
    finish()


if __name__ == "__main__":
    main()
