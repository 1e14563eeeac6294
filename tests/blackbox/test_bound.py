#!/usr/bin/env python3
"""A size that the caller binds is as good as the number written into the model: every model that the other tests send,
and every one of tests/models, is answered both ways."""
import os

from build import Seen, const, graph, infer, model, op
from harness import MODELS, Daemon, check, equal, finish
from suites import collect
from wire import number, parts, text

NUMBERS = (0, 1, 4)
SOME_NUMBERS = 5  # large models are answered at one

# Of onnx.proto: fields on the way to a dimension's name, by message.
VALUE_INFO = {2: "type"}
MESSAGES = {
    "model": {7: "graph"},
    "graph": {1: "node", 11: "info", 12: "info", 13: "info"},
    "node": {5: "attribute"},
    "attribute": {6: "graph", 11: "graph"},
    "info": {2: "type"},
    "type": {1: "tensor", 4: "inner", 5: "map", 8: "tensor", 9: "inner"},
    "inner": {1: "type"},
    "map": {2: "type"},
    "tensor": {2: "shape"},
    "shape": {1: "dimension"},
}


def rewrite(data, kind, on_name):
    """The message with every dimension that has a name replaced by on_name(name, dimension)."""
    out = b""
    for field, value, raw in parts(data):
        inner = MESSAGES[kind].get(field)
        if inner == "dimension":
            names = [v for f, v, _ in parts(value) if f == 2]
            raw = text(field, on_name(names[0].decode("utf-8", "replace"), value) if names else value)
        elif inner and isinstance(value, bytes):
            raw = text(field, rewrite(value, inner, on_name))
        out += raw
    return out


def names_of(data):
    names = []
    rewrite(data, "model", lambda name, d: names.append(name) or d)
    return names


def is_plain(name):
    return name.replace("_", "a").isalnum() and not name[0].isdigit()


def shown(seen):
    """What an answer says: names that were made up go by their order."""
    notes = [(d["severity"], d["reason"], d.get("node"), d.get("scope")) for d in seen.json["diagnostics"]]
    return {"values": sorted(seen.values.items()), "contents": sorted(seen.contents.items()), "notes": notes,
            "constraints": len(seen.constraints)}


def difference(a, b):
    for key in a:
        if a[key] != b[key]:
            return "%s: %s" % (key, [pair for pair in zip(a[key], b[key]) if pair[0] != pair[1]][:1]
                               if isinstance(a[key], list) else (a[key], b[key]))
    return None


def compare(daemon, what, data, numbers, options):
    """The first difference between binding all names and writing them; None."""
    if daemon.infer(data, **options).status != 200:
        return
    listed = sorted(set(names_of(data)))
    names = [n for n in listed if is_plain(n)]
    if not names or len(names) != len(listed) or any(n.startswith("unk__") for n in names):
        return  # a name of more words may be an expression of others
    for n in numbers:
        sizes = {name: n + i for i, name in enumerate(names)}
        written = rewrite(data, "model", lambda name, d: number(1, sizes[name]) if name in sizes else d)
        given = daemon.infer(data, dim=["%s=%d" % s for s in sizes.items()], **options)
        plain = daemon.infer(written, **options)
        if given.status != plain.status:
            check("%s at %d" % (what, n), False, (given.status, plain.status, given.body[:300], plain.body[:300]))
        elif given.status == 200:
            fault = difference(shown(Seen(data, given)), shown(Seen(written, plain)))
            check("%s at %d" % (what, n), not fault, fault)


def elements(daemon):
    """Rules that count elements, and joins, which look at whole types."""
    count = [op("s = Size(x)"), const("zero", "int64[1]", [0]), const("axis", "int64[1]", [0]),
             op("u = Unsqueeze(s, axis)"), op("t = Concat(u, zero)", axis=0), op("y = Reshape(w, t)")]
    seen = infer(daemon, model(graph(count, ["x: float[M]", "w: float[2,M]"], ["y"])), dim="M=0")
    equal("a Reshape to the number of elements and a copied size", seen["y"], "float[2,0]")
    seen = infer(daemon, model(graph([op("y = NonZero(x)")], ["x: float[M]"], ["y"])), dim="M=0")
    equal("NonZero of nothing", seen["y"], "int64[1,0]")
    add = graph([op("co = Identity(ci)"), op("so = Add(s, y)")], ["i: int64[]", "ci: bool[]", "s: float"], ["co", "so"])
    inputs = ["s0: float[N,5]", "y: float[4,5]", "m: int64[]", "c: bool[]"]
    loop = [op("z = Loop(m, c, s0)", body=add)]
    equal("a Loop", infer(daemon, model(graph(loop, inputs, ["z"])), dim="N=4")["z"], "float[4,5]")
    branches = {"then_branch": graph([op("t = Relu(s0)")], [], ["t"]),
                "else_branch": graph([op("u = Relu(y)")], [], ["u"])}
    choice = [op("z = If(c)", **branches)]
    equal("an If", infer(daemon, model(graph(choice, inputs, ["z"])), dim="N=4")["z"], "float[4,5]")
    joined = [op("q = SequenceConstruct(s0, y)"), op("z = SequenceAt(q, m)")]
    equal("a sequence", infer(daemon, model(graph(joined, inputs, ["z"])), dim="N=4")["z"], "float[4,5]")
    seen = infer(daemon, model(graph([op("y = Relu(x)")], ["x: float[?,3]"], ["y"])), dim="x_0=5")
    equal("an unnamed size by the name that the answer gives it", seen["y"], "float[5,3]")
    seen = infer(daemon, model(graph([op("y = NonZero(x)")], ["x: float[N,3]"], ["y"])), dim="NonZero_1=5")
    equal("and one that data decides", seen["y"], "int64[2,5]")


def proven(daemon):
    """Sizes that a node proves equal are one to later joins, whatever they are called."""
    inputs = ["x: float[?,5]", "y: float[N,5]", "w: float[3,N]", "c: bool[]", "i: int64[]"]
    fact = op("p = MatMul(w, x)")
    branches = {"then_branch": graph([op("t = Relu(x)")], [], ["t"]),
                "else_branch": graph([op("u = Relu(y)")], [], ["u"])}
    seen = infer(daemon, model(graph([fact, op("z = If(c)", **branches)], inputs, ["z"])))
    check("an If", seen["z"] in ("float[?1,5]", "float[N,5]") and "If_" not in str(seen.json["symbols"]), seen["z"])
    seen = infer(daemon, model(graph([fact, op("z = Add(x, y)")], inputs, ["z"])))
    check("a broadcast", "broadcast" not in seen["z"], seen["z"])
    seen = infer(daemon, model(graph([fact, op("q = SequenceConstruct(x, y)"), op("z = SequenceAt(q, i)")], inputs,
                                     ["z"])))
    check("a sequence", "SequenceAt" not in str(seen.json["symbols"]), seen.json["symbols"])
    seven, nine = const("k", "float[7,1]", [0] * 7), const("l", "float[9,1]", [0] * 9)
    seen = infer(daemon, model(graph([seven, nine, op("a = MatMul(x, k)", "first"), op("b = MatMul(x, l)", "second")],
                                     ["x: float[N,K]"], ["a", "b"])))
    equal("two numbers for one size", (seen["a"], seen.reasons), ("float[N,1]", ["DIM_MISMATCH"]))
    told = seen.json["diagnostics"][0]
    check("and who says so", "first" in told["hint"] and told["node"] == "second", told)


def main():
    models = collect()
    with Daemon() as daemon:
        elements(daemon)
        proven(daemon)
        for suite, data, options in models:
            compare(daemon, "a model of %s" % suite, data, NUMBERS, options)
        for name in sorted(os.listdir(MODELS)):
            with open(os.path.join(MODELS, name), "rb") as file:
                compare(daemon, name, file.read(), (SOME_NUMBERS,), {})
    finish()


if __name__ == "__main__":
    main()
