#!/usr/bin/env python3
"""What must not matter does not: the order of nodes, whether a model was annotated by an answer, and declarations that
are not to count. And a symbol stands where its row says. Held over every model that the other tests send."""
import json
import random
import re

from build import graph, infer, model, op
from harness import Daemon, check, equal, finish
from suites import collect
from wire import parts, text

SEED = 20261201


def values_of(answer, main_only=False):
    """By scope and name, in any order; names that were made up go by their number in that order, those that stand alone
    before others. What is within a node without a name is named after its place, and is left out with `main_only`."""
    values = {(v.get("scope", ""), v["name"]): json.dumps([v.get(k) for k in ("type", "shape", "content", "length")])
              for v in answer.json["values"] if "element" not in v and not (main_only and "scope" in v)}
    made_up = sorted((s["name"] for s in answer.json["symbols"] if "op" in s), key=len, reverse=True)
    numbers = {}
    for pattern in (r'"%s"', r"(?<!\w)%s(?!\w)"):
        for key in sorted(values):
            for name in made_up:
                if re.search(pattern % re.escape(name), values[key]):
                    place = "?%d" % numbers.setdefault(name, len(numbers) + 1)
                    values[key] = re.sub(r"(?<!\w)%s(?!\w)" % re.escape(name), lambda _, place=place: place, values[key])
    return {key: re.sub(r"\?\d+(?: \+ \?\d+)+", lambda m: " + ".join(sorted(m.group().split(" + "))), told)
            for key, told in values.items()}


def is_sound(answer):
    """Not one of faults, whose telling may depend on where they are met first."""
    return answer.status == 200 and all(d["severity"] == "info" or d["reason"] == "DECLARED_NAME"
                                        for d in answer.json["diagnostics"])


def difference(a, b):
    if a == b:
        return None
    keys = [k for k in list(a) + list(b) if a.get(k) != b.get(k)]
    return "%s: %s and %s" % (keys[0], a.get(keys[0]), b.get(keys[0]))


# -- annotated --

def annotated_again(daemon, suite, data, first):
    if any("element" in v for v in first.json["values"]):
        return  # a declaration cannot tell each element's sizes
    patch = daemon.post("/v1/models:infer?format=patch", data).body
    second = daemon.infer(data + patch)
    fault = difference(values_of(first), values_of(second)) if second.status == 200 else second.body[:300]
    check("a model of %s, annotated" % suite, not fault, fault)


# -- nodes in another order --

def shuffled(data, rng):
    """The model with the nodes of its main graph in another topological order; None if there is no other."""
    out, changed = b"", False
    for field, value, raw in parts(data):
        if field == 7:
            nodes = [r for f, _, r in parts(value) if f == 1]
            made = [{v.decode() for f, v, _ in parts(next(parts(n))[1]) if f == 2} for n in nodes]
            takes = [taken(next(parts(n))[1]) for n in nodes]
            order, placed, left = [], set(), set(range(len(nodes)))
            every = set().union(*made) if made else set()
            while left:
                ready = [i for i in sorted(left) if not (takes[i] & every) - placed]
                if not ready:
                    return None
                chosen = rng.choice(ready)
                order.append(chosen)
                placed |= made[chosen]
                left.remove(chosen)
            changed = order != sorted(order)
            raw = text(7, b"".join(nodes[i] for i in order) + b"".join(r for f, _, r in parts(value) if f != 1))
        out += raw
    return out if changed else None


def taken(node):
    """Names that a node, or a graph within it, names at all."""
    names = {v.decode("utf-8", "replace") for f, v, _ in parts(node) if f == 1}
    for field, value, _ in parts(node):
        if field == 5:
            for f, v, _ in parts(value):
                if f == 6:
                    for inner, n, _ in parts(v):
                        if inner == 1:
                            names |= taken(n)
                        if inner == 12:
                            names |= {w.decode("utf-8", "replace") for k, w, _ in parts(n) if k == 1}
    return names


def in_other_order(daemon, suite, data, first, rng):
    other = shuffled(data, rng)
    if not other:
        return
    second = daemon.infer(other)
    fault = difference(values_of(first, True), values_of(second, True))
    check("a model of %s, its nodes in another order" % suite, not fault, fault)


# -- where symbols stand --

def stand_where_they_say(suite, first):
    shapes = {}
    for v in first.json["values"]:
        inner = v
        while "element" in inner:
            inner = inner["element"]
        shapes[(v.get("scope", ""), v["name"])] = inner.get("shape", [])
    for row in first.json["symbols"]:
        place = (row.get("scope", ""), row["value"]) if "value" in row else None
        if "axis" in row and (len(shapes.get(place, [])) <= row["axis"] or shapes[place][row["axis"]] != row["name"]):
            return check("symbols of a model of %s stand where they say" % suite, False, (row, shapes.get(place)))
    return check("symbols of a model of %s stand where they say" % suite, True)


def small(daemon):
    pool = [op("a = Slice(x, zero, one, axis)"), op("b = MaxPool(x)", kernel_shape=[2])]
    constants = [op("zero = Constant()", value_ints=[0]), op("one = Constant()", value_ints=[1]),
                 op("axis = Constant()", value_ints=[2])]
    for nodes in (pool, pool[::-1]):
        seen = infer(daemon, model(graph(constants + nodes, ["x: float[B,C,D]"], ["a", "b"])))
        equal("what a pool needs holds for the node before it", seen["a"], "float[B,C,1]")
    seen = infer(daemon, model(graph([op("a = Relu(x)")], ["x: float[?,3]"], ["a"], ["a: float[x_0,3]", "u: float[x_0]"])),
                 ignore_declared=1)
    equal("a name that is declared and ignored takes no name away", seen.json["values"][0]["shape"], ["x_0", 3])


def main():
    models, rng = collect(), random.Random(SEED)
    with Daemon() as daemon:
        small(daemon)
        for suite, data, options in models:
            first = daemon.infer(data)
            if options or first.status != 200:
                continue
            stand_where_they_say(suite, first)
            if is_sound(first):
                annotated_again(daemon, suite, data, first)
                in_other_order(daemon, suite, data, first, rng)
    finish()


if __name__ == "__main__":
    main()
