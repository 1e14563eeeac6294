#!/usr/bin/env python3
"""What must hold of every model, held over random ones: the shapes are those of the model with numbers in it, it runs
where its constraints hold and nowhere else, and order, names and declarations do not matter."""
import http.client
import json
import random

from expressions import evaluate
from harness import Answer, Daemon, check, finish
from random_graphs import NAMES, Maker
from test_again import difference, values_of

SEED = 20261201
GRAPHS = 2000
NODES = (3, 14)
TRIED = 5  # sizes beside those that a model is made for
OTHER_SIZES = (0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 12)


class Asker:
    """One connection for all."""

    def __init__(self, daemon):
        self.connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=60)

    def infer(self, data, query=""):
        self.connection.request("POST", "/v1/models:infer" + query, data,
                                {"Content-Type": "application/octet-stream"})
        return Answer(self.connection.getresponse())


def holds(row, sizes):
    """Whether a constraint does; None when that is not for the sizes to say."""
    left, right = evaluate(row["left"], sizes), evaluate(row["right"], sizes)
    if left is None or right is None:
        return None
    if row["relation"] == "divides":
        return left != 0 and right % left == 0
    if row["relation"] == "either":
        return left == right or 1 in (left, right)
    return {"==": left == right, "<=": left <= right, ">=": left >= right}[row["relation"]]


def errors(answer, inner=False):
    """What is wrong in the main graph; or within bodies as well, some of which may never run. Elements of a sequence
    that do not go together are a warning, for the specification's types let them pass."""
    return [d for d in answer.json["diagnostics"] if (inner or not d.get("scope")) and
            (d["severity"] == "error" or (d["severity"] == "warning" and d["op"] == "ConcatFromSequence"))]


def shapes_at(answer, sizes):
    """Of values of the main graph, dimensions that the sizes decide as numbers; None for others."""
    found = {}
    for v in answer.json["values"]:
        if not v.get("scope") and "shape" in v:
            found[v["name"]] = [evaluate(d, sizes) for d in v["shape"]]
        elif not v.get("scope") and "element" not in v:
            found[v["name"]] = None
    return found


def contradiction(symbolic, concrete):
    """The first value whose dimensions cannot be those of the model with numbers."""
    for name, shape in concrete.items():
        said = symbolic.get(name)
        if said is None or shape is None:
            continue
        if len(said) != len(shape) or any(None not in (a, b) and a != b for a, b in zip(said, shape)):
            return "%s: %s, with numbers %s" % (name, said, shape)
    return None


def at_sizes(asker, maker, first, sizes, at_home):
    """What does not go together at these sizes; None."""
    concrete = asker.infer(maker.build(sizes))
    faults = errors(concrete)
    rows = first.json["constraints"]
    broken = [r for r in rows if holds(r, sizes) is False]
    if at_home and (faults or broken):
        return "at its own sizes: %s" % (faults + broken)
    if any(holds(r, sizes) is not True for r in first.json.get("assumptions", ())):
        return None
    if maker.zero_differs and 0 in sizes.values():
        return None
    certain = [r for r in broken if not r.get("scope")]
    if certain and not errors(concrete, True):
        return "runs although not %s" % certain[0]
    if not broken and faults and all(holds(r, sizes) is not None for r in rows):
        return "no constraint forbids: %s" % faults[0]
    if broken or errors(concrete, True):  # what a faulty body makes is no measure
        return None
    given = ["%s=%d" % item for item in sizes.items() if any(item[0] in dims for _, dims in maker.inputs)]
    bound = asker.infer(maker.build(), "?" + "&".join("dim=" + g for g in given))
    fault = difference(values_of(concrete, True), values_of(bound, True))
    if fault:
        return "written, and given as dim=: " + fault
    shapes = shapes_at(concrete, {})
    if at_home and given:
        column = asker.infer(maker.build(), "?bind=" + ",".join(given))
        given = {v["name"]: v["bound"][0] for v in column.json["values"] if "scope" not in v and "element" not in v}
        fault = difference(shapes, {name: given.get(name) for name in shapes})
        if fault:
            return "written, and given as bind=: " + fault
        fault = contradiction({n: s for n, s in maker.tensors.items()}, shapes)
        if fault:
            return "the generator: " + fault
    return contradiction(shapes_at(first, sizes), shapes)


def other_sizes(rng, home):
    sizes = dict(home)
    for name in rng.sample(NAMES, rng.choice((1, 1, 2, 4))):
        sizes[name] = rng.choice(OTHER_SIZES)
    if rng.random() < 0.3:
        sizes[rng.choice(NAMES)] = sizes[rng.choice(NAMES)]
    return sizes


def stale(rng, maker):
    """Declarations of some values that say something else, or nothing."""
    chosen = rng.sample(sorted(maker.tensors), min(4, len(maker.tensors)))
    given = {n for n, _ in maker.inputs}
    dims = ("stale", "A", "7", "?", "B")
    return ["%s: float[%s]" % (n, ",".join(rng.choice(dims) for _ in maker.tensors[n])) for n in chosen if n not in given]


def differ(maker, first, second):
    """Where two answers do. A size may be written in several ways, after what was known when it was made first: then it
    is its value that counts."""
    fault = difference(values_of(first, True), values_of(second, True))
    return fault and contradiction(shapes_at(first, maker.sizes), shapes_at(second, maker.sizes))


def does_not_matter(asker, rng, maker, first):
    """What changed although it should not have; None."""
    plain = values_of(first, True)
    fault = differ(maker, first, asker.infer(maker.build(order=maker.other_order())))
    if fault:
        return "in another order, %s" % fault
    # Names that sort alike, so that few operands change places; those that are sorted by the length of their text may.
    other = asker.infer(maker.build(rename=lambda n: n + "_x"))
    back = {(s, n[:-2] if n.startswith("v") else n): t for (s, n), t in values_of(other, True).items()}
    fault = difference(plain, {k: t.replace("_x", "") for k, t in back.items()})
    made = shapes_at(other, {n + "_x": size for n, size in maker.sizes.items()})
    if fault and contradiction(shapes_at(first, maker.sizes), {n[:-2] if n.startswith("v") else n: s for n, s in made.items()}):
        return "with other names, %s" % fault
    made_up = {s["name"] for s in first.json["symbols"] if "op" in s}
    declared = asker.infer(maker.build(infos=stale(rng, maker)))
    known = {k: t for k, t in plain.items() if "?" not in t and not any(n in t for n in made_up) and "null" not in
             json.dumps(json.loads(t)[1])}
    after = values_of(declared, True)
    fault = difference(known, {k: after.get(k) for k in known})
    return fault and "with stale declarations, %s" % fault


def examine(asker, seed):
    """The fault of one random model; None."""
    rng = random.Random(seed)
    maker = Maker(rng, rng.randint(*NODES))
    first = asker.infer(maker.build())
    if first.status != 200 or errors(first):
        return maker, "symbolic: %s" % (first.body[:500] if first.status != 200 else errors(first))
    fault = at_sizes(asker, maker, first, maker.sizes, True)
    for _ in range(TRIED):
        sizes = other_sizes(rng, maker.sizes)
        wrong = None if fault else at_sizes(asker, maker, first, sizes, False)
        fault = wrong and "%s: %s" % (sizes, wrong) or fault
    return maker, fault or does_not_matter(asker, rng, maker, first)


def examine_all(first, count):
    with Daemon(drop_log=True) as daemon:
        asker = Asker(daemon)
        for seed in range(first, first + count):
            maker, fault = examine(asker, seed)
            listed = fault and "\n".join(map(str, maker.inputs + maker.nodes))
            check("random model %d" % seed, not fault, fault and "%s\n%s" % (fault, listed))


def main():
    examine_all(SEED, GRAPHS)
    finish()


if __name__ == "__main__":
    main()
