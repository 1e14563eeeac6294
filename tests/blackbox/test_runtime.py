#!/usr/bin/env python3
"""Answers held against ONNX Runtime: whole models of kinds that people have, at several sizes. Every size is what the
runtime makes, or lies within its bounds; what must hold does at every size that runs, and not where the runtime fails.

The runtime comes through npm once, into build-runtime; without it these tests say that they were left out.
"""
import itertools
import json
import os
import re
import shutil
import subprocess
import tempfile

from build import const, graph, infer, model, op
from expressions import evaluate, names
from harness import ROOT, Daemon, check, finish
from packages import install_packages

SOURCE = os.path.join(ROOT, "tests", "runtime")
INSTALLED = os.path.join(ROOT, "build-runtime")
KINDS = {"float": "float32", "int64": "int64", "bool": "bool"}
RELATIONS = {
    "==": lambda a, b: a == b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b,
    "divides": lambda a, b: b % a == 0, "either": lambda a, b: a == b or 1 in (a, b),
}


def install():
    """The reason why there is no runtime; "" if there is one."""
    return install_packages(SOURCE, INSTALLED, "--ignore-scripts", seconds=600)


# -- models: nodes, inputs, sizes that run, sizes that do not; data of inputs that are not all 0 --

def numbers(name, *elements):
    return const(name, "int64[%d]" % len(elements), list(elements))


def scalar(name, element):
    return const(name, "int64[]", [element])


def zeros(name, *dims):
    count = 1
    for d in dims:
        count *= d
    return const(name, "float[%s]" % ",".join(map(str, dims)), [0.0] * count)


COMMON = [numbers("zero", 0), numbers("one", 1), numbers("two", 2), numbers("most", 2**31 - 1)]


def length(of, axis, name):
    return op("%s = Shape(%s)" % (name, of), start=axis, end=axis + 1)


def merged_decoder():
    branches = {"then_branch": graph([op("t = Concat(past, x)", axis=1)], [], ["t: float"]),
                "else_branch": graph([op("e = Identity(x)")], [], ["e: float"])}
    nodes = [op("y = If(use)", "merged", **branches), op("z = Relu(y)")]
    return nodes, ["x: float[B,S,4]", "past: float[A,P,4]", "use: bool[]"], \
        [{"A": 1, "B": 1, "S": 3, "P": 0}, {"A": 2, "B": 2, "S": 1, "P": 5}, {"A": 3, "B": 3, "S": 7, "P": 2}], \
        [{"A": 2, "B": 1, "S": 3, "P": 1}, {"A": 1, "B": 3, "S": 3, "P": 1}], {"use": [1]}


def decoder_with_past():
    nodes = COMMON + [
        zeros("table", 1, 16, 16), op("k = Concat(past, x)", axis=1), op("kt = Transpose(k)", perm=[0, 2, 1]),
        op("scores = MatMul(x, kt)"), length("past", 1, "p"), length("k", 1, "all"),
        op("rows = Slice(table, p, all, one)"), op("mask = Slice(rows, zero, all, two)"),
        op("masked = Add(scores, mask)", "mask"), op("weights = Softmax(masked)", axis=-1), op("y = MatMul(weights, k)")]
    return nodes, ["x: float[B,S,4]", "past: float[B,P,4]"], \
        [{"B": 1, "S": 3, "P": 0}, {"B": 2, "S": 1, "P": 15}, {"B": 3, "S": 2, "P": 5}], [{"B": 1, "S": 3, "P": 15}], {}


def window_attention():
    nodes = COMMON + [
        numbers("w", 4), numbers("c", 8), length("x", 0, "b"), length("x", 1, "h"), length("x", 2, "v"),
        op("rows = Div(h, w)"), op("columns = Div(v, w)"), op("s = Concat(b, rows, w, columns, w, c)", axis=0),
        op("cut = Reshape(x, s)", "cut"), op("apart = Transpose(cut)", perm=[0, 1, 3, 2, 4, 5]),
        numbers("flat", -1, 16, 8), op("windows = Reshape(apart, flat)"), op("kt = Transpose(windows)", perm=[0, 2, 1]),
        op("scores = MatMul(windows, kt)"), op("seen = MatMul(scores, windows)"),
        op("t = Concat(b, rows, columns, w, w, c)", axis=0), op("again = Reshape(seen, t)"),
        op("back = Transpose(again)", perm=[0, 1, 3, 2, 4, 5]), op("u = Concat(b, h, v, c)", axis=0),
        op("whole = Reshape(back, u)"), op("y = Add(x, whole)")]
    return nodes, ["x: float[B,H,W,8]"], \
        [{"B": 1, "H": 4, "W": 8}, {"B": 2, "H": 12, "W": 4}, {"B": 3, "H": 8, "W": 8}], \
        [{"B": 1, "H": 6, "W": 8}, {"B": 1, "H": 8, "W": 9}], {}


def detector():
    nodes = COMMON + [
        scalar("each", 3), op("found = NonMaxSuppression(boxes, scores, each)"), op("box = Slice(found, two, most, one)"),
        op("flat = Squeeze(box, one)"), op("all = Reshape(boxes, four)"), numbers("four", -1, 4),
        op("picked = Gather(all, flat)", axis=0), op("n = Shape(picked)", start=0, end=1), op("k = Min(n, two)"),
        op("best = Slice(picked, zero, k, zero)")]
    return nodes, ["boxes: float[B,K,4]", "scores: float[A,2,M]"], \
        [{"A": 1, "B": 1, "K": 2, "M": 2}, {"A": 2, "B": 2, "K": 5, "M": 5}, {"A": 3, "B": 3, "K": 1, "M": 1}], \
        [{"A": 2, "B": 1, "K": 2, "M": 2}, {"A": 2, "B": 2, "K": 5, "M": 4}], \
        {"scores": [0.9, 0.1, 0.5], "boxes": [0, 0, 1, 1]}


def bidirectional():
    nodes = [zeros("w", 2, 16, 3), zeros("r", 2, 16, 4),
             op("all, last, cell = LSTM(x, w, r)", direction="bidirectional", hidden_size=4),
             op("t = Transpose(all)", perm=[0, 2, 1, 3]), numbers("join", 0, 0, -1), op("y = Reshape(t, join)"),
             op("z = Gather(y, i)", axis=0), scalar("i", 1)]
    return nodes, ["x: float[T,B,3]"], [{"T": 2, "B": 1}, {"T": 5, "B": 4}, {"T": 9, "B": 2}], [{"T": 1, "B": 2}], {}


def beam_search():
    body = graph([numbers("unit", 1), numbers("fill", 7), op("go = Identity(c)"), op("n = Shape(ids)", start=0, end=1),
                  op("s = Concat(n, unit)", axis=0), op("next = Expand(fill, s)"), op("grown = Concat(ids, next)", axis=1),
                  op("score = Cast(next)", to=1)],
                 ["i: int64[]", "c: bool[]", "ids: int64"], ["go: bool", "grown: int64", "score: float"])
    nodes = [scalar("steps", 5), const("yes", "bool[]", [1]), op("done, scores = Loop(steps, yes, start)", "search", body=body),
             op("y = Add(scores, bias)"), op("n = Shape(done)"), op("r = Cast(done)", to=1)]
    return nodes, ["start: int64[B,L]", "bias: float[A,1]"], \
        [{"A": 1, "B": 1, "L": 1}, {"A": 1, "B": 4, "L": 3}, {"A": 2, "B": 2, "L": 6}], \
        [{"A": 3, "B": 2, "L": 1}, {"A": 2, "B": 3, "L": 4}], {}


def stopped_loop():
    body = graph([const("step", "float[]", [1.0]), op("sum = Add(acc, step)"), op("go = Less(sum, most)"),
                  op("part = Add(row, sum)"), op("kept = Concat(list, part)", axis=0)],
                 ["i: int64[]", "c: bool[]", "acc: float[]", "list: float"], ["go: bool", "sum: float", "kept: float"])
    nodes = [scalar("steps", 10), const("yes", "bool[]", [1]), const("begin", "float[]", [0.0]),
             op("last, list = Loop(steps, yes, begin, x)", "stop", body=body), op("y = Relu(list)")]
    return nodes, ["x: float[N,V]", "row: float[1,W]", "most: float[]"], \
        [{"N": 0, "V": 1, "W": 1}, {"N": 2, "V": 3, "W": 3}, {"N": 7, "V": 2, "W": 2}], \
        [{"N": 2, "V": 3, "W": 1}, {"N": 2, "V": 2, "W": 3}], {"most": [3.0]}


def scan():
    body = graph([op("next = Add(state, each)"), op("seen = Concat(state, each)", axis=1)],
                 ["state: float", "each: float"], ["next: float", "seen: float"])
    nodes = [op("last, all = Scan(init, x)", "steps", body=body, num_scan_inputs=1), op("y = Relu(all)"), op("z = Relu(last)")]
    return nodes, ["init: float[A,3]", "x: float[T,B,3]"], \
        [{"A": 1, "B": 1, "T": 2}, {"A": 3, "B": 3, "T": 5}, {"A": 2, "B": 2, "T": 1}], \
        [{"A": 1, "B": 3, "T": 2}, {"A": 4, "B": 3, "T": 1}], {}


def u_net():
    nodes = [zeros("w1", 4, 3, 3, 3), zeros("w2", 4, 4, 3, 3), zeros("up", 4, 4, 2, 2), zeros("w3", 2, 8, 3, 3),
             op("a = Conv(x, w1)", pads=[1, 1, 1, 1]), op("p = MaxPool(a)", kernel_shape=[2, 2], strides=[2, 2]),
             op("b = Conv(p, w2)", pads=[1, 1, 1, 1]), op("u = ConvTranspose(b, up)", strides=[2, 2]),
             op("skip = Concat(a, u)", "skip", axis=1), op("y = Conv(skip, w3)", pads=[1, 1, 1, 1])]
    return nodes, ["x: float[N,3,H,W]"], \
        [{"N": 1, "H": 2, "W": 4}, {"N": 2, "H": 8, "W": 6}, {"N": 1, "H": 10, "W": 10}], \
        [{"N": 1, "H": 5, "W": 4}, {"N": 1, "H": 4, "W": 7}, {"N": 1, "H": 1, "W": 4}, {"N": 1, "H": 2, "W": 1}], {}


def u_net_of_any_size():
    """What was halved is resized to what it was, and so odd sizes run: there are no conditions."""
    nodes = [zeros("w1", 4, 3, 3, 3), zeros("w2", 4, 4, 3, 3), zeros("w3", 2, 8, 3, 3),
             op("a = Conv(x, w1)", pads=[1, 1, 1, 1]), op("b = Conv(a, w2)", pads=[1, 1, 1, 1], strides=[2, 2]), op("lead = Shape(b)", start=0, end=2), op("size = Shape(a)", start=2, end=4),
             op("s = Concat(lead, size)", axis=0), op("u = Resize(b, , , s)"), op("skip = Concat(a, u)", axis=1),
             op("y = Conv(skip, w3)", pads=[1, 1, 1, 1])]
    return nodes, ["x: float[N,3,H,W]"], \
        [{"N": 1, "H": 5, "W": 7}, {"N": 2, "H": 2, "W": 3}, {"N": 1, "H": 9, "W": 4}], \
        [], {}


def growing_loop():
    """As often as a size says, a tensor grows by another, and a sequence by a row of it."""
    body = graph([op("go = Identity(c)"), op("longer = Concat(list, w)", axis=0), op("row = Gather(v, i)", axis=0),
                  op("more = SequenceInsert(rows, row)")],
                 ["i: int64[]", "c: bool[]", "list: float", "rows: seq(float)"], ["go: bool", "longer: float", "more: seq(float)"])
    nodes = [op("n = Shape(v)", start=0, end=1), op("trips = Squeeze(n)"), const("yes", "bool[]", [1]), op("none = SequenceEmpty()"),
             op("list, rows = Loop(trips, yes, x, none)", "grow", body=body), op("y = Relu(list)"),
             op("z = ConcatFromSequence(rows)", axis=0, new_axis=1), op("flat = ConcatFromSequence(rows)", axis=0)]
    return nodes, ["x: float[N,A]", "w: float[K,B]", "v: float[T,M]"], \
        [{"N": 1, "A": 2, "K": 3, "B": 2, "T": 4, "M": 5}, {"N": 3, "A": 1, "K": 1, "B": 1, "T": 1, "M": 2},
         {"N": 2, "A": 3, "K": 2, "B": 3, "T": 7, "M": 1}], \
        [{"N": 1, "A": 2, "K": 3, "B": 3, "T": 4, "M": 5}, {"N": 1, "A": 2, "K": 3, "B": 2, "T": 0, "M": 5},
         {"N": 2, "A": 2, "K": 1, "B": 4, "T": 1, "M": 1}], {}


def relative_positions():
    """The bias is that of all positions, of which the last S rows are taken, as T5 does with past."""
    nodes = COMMON + [
        op("k = Concat(past, x)", axis=1), op("kt = Transpose(k)", perm=[0, 2, 1]), op("scores = MatMul(x, kt)"),
        op("all = Shape(k)", start=1, end=2), op("n = Squeeze(all, zero)"), scalar("from", 0), scalar("by", 1),
        op("at = Range(from, n, by)"), op("row = Unsqueeze(at, zero)"), op("column = Unsqueeze(at, one)"),
        op("apart = Sub(row, column)"), op("far = Cast(apart)", to=1), op("bias = Unsqueeze(far, zero)"),
        length("x", 1, "s"), op("back = Neg(s)"), op("cut = Slice(bias, back, most, one)", "cut"),
        op("biased = Add(scores, cut)"), op("y = MatMul(biased, k)")]
    return nodes, ["x: float[B,S,4]", "past: float[A,P,4]"], \
        [{"A": 1, "B": 1, "S": 3, "P": 0}, {"A": 2, "B": 2, "S": 1, "P": 15}, {"A": 3, "B": 3, "S": 2, "P": 5}], \
        [{"A": 1, "B": 2, "S": 3, "P": 1}, {"A": 3, "B": 2, "S": 1, "P": 4}], {}


# Branches that are taken and bodies that run, by model: what must hold in them does.
RUN = {"merged_decoder": "merged/then_branch", "beam_search": "search/body", "stopped_loop": "stop/body", "growing_loop": "grow/body", "scan": "steps/body"}

MADE = (merged_decoder, decoder_with_past, window_attention, detector, bidirectional, beam_search, stopped_loop, scan, u_net,
        u_net_of_any_size, growing_loop, relative_positions)


# -- what is made and what is said --

def feeds(inputs, sizes, data):
    given = {}
    for written in inputs:
        name, kind, dims = re.fullmatch(r"(\w+): (\w+)\[(.*)\]", written).groups()
        shape = [sizes.get(d) if d in sizes else int(d) for d in dims.split(",") if d]
        given[name] = {"type": KINDS[kind], "dims": shape, "data": data.get(name, [0])}
    return given


def with_all_values(nodes, inputs, seen):
    """The model with every tensor of its main graph as an output."""
    listed = ["%s: %s" % (v["name"], v["type"][7:-1]) for v in seen.json["values"]
              if not v.get("scope") and v["kind"] != "input" and v.get("type", "").startswith("tensor(")]
    return model(graph(nodes, inputs, listed))


def size_fault(said, made, sizes, symbols):
    if said == made:
        return None
    unknown = names(str(said)) - set(sizes)
    if not unknown:
        found = evaluate(said, sizes)
        return None if found == made else "%s, which is %s" % (said, found)
    row = symbols.get(said)
    if row is None:
        return None  # made of sizes that data decides
    least, most = row.get("min"), row.get("max")
    if "op" not in row:
        return "%s does not say who made it" % said
    bound = None if most is None or names(str(most)) - set(sizes) else evaluate(most, sizes)
    if made < evaluate(least, sizes) or (bound is not None and made > bound):
        return "%s in [%s, %s]" % (said, least, most)
    return None


def faults(seen, made, sizes):
    symbols = {s["name"]: s for s in seen.json["symbols"]}
    for v in seen.json["values"]:
        if v.get("scope") or v["name"] not in made:
            continue
        shape = made[v["name"]]
        if len(v.get("shape", [])) != len(shape):
            return "%s: rank of %s, made %s" % (v["name"], v.get("shape"), shape)
        for said, size in zip(v["shape"], shape):
            fault = size_fault(said, size, sizes, symbols)
            if fault:
                return "%s: %s, made %s" % (v["name"], fault, shape)
    return None


def conditions(name, seen, sizes):
    """Each condition, and whether it holds; one of sizes that data decides is not looked at."""
    for c in seen.json["constraints"]:
        if c.get("scope") not in (None, RUN.get(name)) or (names(c["left"]) | names(c["right"])) - set(sizes):
            continue
        left, right = evaluate(c["left"], sizes), evaluate(c["right"], sizes)
        yield "%s %s %s" % (c["left"], c["relation"], c["right"]), RELATIONS[c["relation"]](left, right)


def broken(name, seen, sizes):
    """The conditions that do not hold."""
    return [c for c, holds in conditions(name, seen, sizes) if not holds]


def unexplained(daemon, data, seen):
    """Symbols that data decides without bounds, and values of them without a reason."""
    made_up = {s["name"] for s in seen.json["symbols"] if "op" in s}
    missing = [s["name"] for s in seen.json["symbols"] if "op" in s and not {"min", "max"} <= set(s)]
    wanted = [v["scope"] + "/" + v["name"] if v.get("scope") else v["name"]
              for v in seen.json["values"] if made_up & set().union(*(names(str(d)) for d in v.get("shape", [])))]
    told = daemon.infer(data, explain=wanted).json.get("explanations", [])
    return missing + [e["value"] for e in told if not e["chain"]] + ["none told"] * (len(told) != len(wanted))


def tied_runs(seen, sizes):
    """The first combinations of sizes that are said to run together, and some below them that are not. Other sizes stay,
    and none of them is 0, for the runtime does not look at what an empty tensor is joined with."""
    for tied in seen.json.get("tiedSizes", ()):
        told = [tuple(c["dims"].values()) for c in tied["combinations"]]
        most = min(tied["tried"], 6)
        others = [c for c in itertools.product(range(1, most), repeat=len(tied["symbols"])) if c not in told]
        for works, listed in ((True, told[:4] + told[-1:]), (False, others[:3] + others[-3:])):
            for combination in listed if tied.get("complete") else ():
                yield works, {**sizes, **dict(zip(tied["symbols"], combination))}


def main():
    why = install()
    if why:
        check("left out: ONNX Runtime, for %s" % why, True)
        finish()
        return
    with Daemon() as daemon, tempfile.TemporaryDirectory(dir=INSTALLED) as folder:
        shutil.copy(os.path.join(SOURCE, "run.js"), INSTALLED)
        runs = []
        for make in MADE:
            nodes, inputs, good, bad, data = make()
            whole = model(graph(nodes, inputs, []))
            seen = infer(daemon, whole, include="sizes")
            missing = unexplained(daemon, whole, seen)
            check("%s: what data decides has bounds and a reason" % make.__name__, not missing, missing)
            path = os.path.join(folder, make.__name__ + ".onnx")
            with open(path, "wb") as file:
                file.write(with_all_values(nodes, inputs, seen))
            check("%s has no fault" % make.__name__, not [d for d in seen.json["diagnostics"] if d["severity"] == "error"],
                  seen.json["diagnostics"])
            kept = {c for sizes in good for c, _ in conditions(make.__name__, seen, sizes)}
            kept -= {c for sizes in bad for c in broken(make.__name__, seen, sizes)}
            check("%s: every condition is broken by sizes that do not run" % make.__name__, not kept, kept)
            runs += [(make.__name__, seen, sizes, works, {"model": path, "feeds": feeds(inputs, sizes, data)})
                     for works, sizes in [(True, s) for s in good] + [(False, s) for s in bad] + list(tied_runs(seen, good[1]))]
        done = subprocess.run(["node", "run.js"], cwd=INSTALLED, input="\n".join(json.dumps(r[4]) for r in runs).encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
        outcomes = [json.loads(line) for line in done.stdout.decode().splitlines()]
        check("the runtime answers every run", len(outcomes) == len(runs), done.stderr.decode(errors="replace")[-500:])
        for (name, seen, sizes, works, _), outcome in zip(runs, outcomes):
            what = "%s at %s" % (name, " ".join("%s=%d" % item for item in sizes.items()))
            if works:
                check(what + " runs", "shapes" in outcome, outcome.get("error"))
                fault = faults(seen, outcome.get("shapes", {}), sizes)
                check(what + ": sizes", not fault, fault)
                check(what + ": what must hold does", not broken(name, seen, sizes), broken(name, seen, sizes))
            else:
                check(what + " does not run", "error" in outcome, outcome)
                check(what + ": by a condition", broken(name, seen, sizes), seen.json["constraints"])
    finish()


if __name__ == "__main__":
    main()
