#!/usr/bin/env python3
"""Conditions that each can hold, and that no sizes fulfil together: an error that names two of their nodes. Over random
models nothing is refused that runs at some size, and little goes unnoticed that runs at none."""
import random

from build import const, function, graph, infer, model, op
from expressions import names
from harness import Daemon, check, equal, finish
from random_graphs import NAMES, SIZES, Maker
from test_random import Asker, errors, holds

SEED = 20261202
GRAPHS = 600
NODES = (4, 14)
LARGEST = 64  # of the sizes that are tried for all conditions at once,
TRIES = 20000  # and how often one may be tried


# -- kinds --

def weights(name, *dims):
    count = 1
    for d in dims:
        count *= d
    return const(name, "float[%s]" % ",".join(map(str, dims)), [0.0] * count)


def reshape(name, *sizes):
    return [const("s" + name, "int64[%d]" % len(sizes), sizes), op("%s = Reshape(x, s%s)" % (name, name), name)]


def times(name, rows):
    return [weights("w" + name, rows, 2), op("%s = MatMul(x, w%s)" % (name, name), name)]


def part(name, whole, rows):
    """A product of rows with the rest after pooling."""
    return [op("h%s = MaxPool(x)" % name, kernel_shape=[whole], strides=[whole]), weights("w" + name, rows, 2),
            op("%s = MatMul(h%s, w%s)" % (name, name, name), name)]


PLUS = [weights("five", 5), op("p = Add(x, five)", "p")]
POOL = [op("t = Transpose(x)", perm=[0, 2, 1]), op("q = MaxPool(t)", "q", kernel_shape=[6])]


def kinds(daemon):
    for what, first, second, dims, message, constraints in (
            ("a divisor and a number", reshape("p", -1, 4), times("q", 7), "2,K",
             "K must be 7, but K must be a multiple of 2 for node 1 (p, Reshape)", ["2 divides K", "K == 7"]),
            ("a number and a divisor", times("p", 7), reshape("q", -1, 4), "2,K",
             "x [2, K]: expected a size that is a multiple of 4, got 2*K", ["K == 7"]),
            ("a broadcast and a number", PLUS, times("q", 7), "2,K",
             "K must be 7, but K must be 1 or 5 for node 1 (p, Add)", ["K == 5", "K == 7"]),
            ("a product and a number", reshape("p", 3, 4), times("q", 7), "M,K",
             "K must be 7, but M*K must be 12 for node 1 (p, Reshape)", ["M*K == 12", "K == 7"]),
            ("a half and a number", part("p", 2, 3), times("q", 9), "1,1,K",
             "K must be 9, but K//2 must be 3 for node 2 (p, MatMul)", ["K//2 == 3", "K == 9"]),
            ("a half and a third", part("p", 2, 3), part("q", 3, 1), "1,1,K",
             "K//3 must be 1, but K//2 must be 3 for node 2 (p, MatMul)", ["K >= 3", "K//2 == 3", "K//3 == 1"]),
            ("two products", reshape("p", 4, 8), reshape("q", 2, 4), "M,K",
             "M*K must be 8, but M*K must be 32 for node 1 (p, Reshape)", ["M*K == 32", "M*K == 8"]),
            ("a product and a divisor", reshape("p", 2, 4), reshape("q", -1, 3), "K,K,M",
             "K*K*M must be a multiple of 3, but K*K*M must be 8 for node 1 (p, Reshape)",
             ["K*K*M == 8", "3 divides K*K*M"]),
            ("a product and a window", reshape("p", 80), POOL, "M,K,K",
             "K must be at least 6, but M*K*K must be 80 for node 1 (p, Reshape)", ["M*K*K == 80", "K >= 6"]),
            ("a half and a number that it is of", part("p", 2, 3), times("q", 7), "1,1,K", None, ["K == 7"]),
            ("a product and a divisor that go together", reshape("p", 2, 6), reshape("q", -1, 3), "K,K,M", None,
             ["K*K*M == 12", "3 divides K*K*M"])):
        seen = infer(daemon, model(graph(first + second, ["x: float[%s]" % dims], ["p", "q"])))
        found = [(d["severity"], d["reason"], d.get("node"), d["message"]) for d in seen.json["diagnostics"]]
        equal(what, (found, seen.constraints), ([("error", "DIM_MISMATCH", "q", message)] if message else [], constraints))
        if message and "but" not in message:
            equal("and the other node of " + what, seen.json["diagnostics"][0]["hint"], "node 1 (p, MatMul) takes K to be 7")
    kernel = [weights("k", 1, 1, 6), op("q = Conv(x, k)", "q")]
    longer = [op("p = Conv(x, y)", "p"), weights("e", 1, 1, 2), op("l = Concat(x, e)", axis=2), op("q = Conv(y, l)", "q")]
    joined = [op("j = Concat(x, y)", axis=2), weights("w", 5, 2), op("p = MatMul(j, w)", "p")]
    for what, nodes, message in (
            ("a sum and a part of it", joined + kernel,
             "N must be at least 6, but N + M must be 5 for node 2 (p, MatMul)"),
            ("two sizes of which each must be longer", longer,
             "M must be at least N + 2, but M must be at most N + 1 for node 0 (p, Conv)"),
            ("two sizes of which one must be longer", longer[:1] + [op("q = Conv(y, x)", "q")], None)):
        seen = infer(daemon, model(graph(nodes, ["x: float[1,1,N]", "y: float[1,1,M]"], ["p", "q"])))
        equal(what, [(d["node"], d["message"]) for d in seen.json["diagnostics"]], [("q", message)] if message else [])
    seen = infer(daemon, model(graph(
        [op("a = Add(p, q)"), weights("w", 1, 2), op("t = MatMul(q, w)"), const("s", "int64[1]", [12]),
         op("u = Reshape(r, s)"), weights("four", 4), op("b = Add(r, four)")],
        ["p: float[B]", "q: float[D]", "r: float[B,M]"], ["a", "t", "u", "b"])))
    equal("what broadcasts with 1 may be anything", seen.reasons, [])
    half = function("Half", "x", "p", part("p", 2, 3))
    seen = infer(daemon, model(graph([op("p = my.Half(x)", "call")] + times("q", 9), ["x: float[1,1,K]"], ["p", "q"]),
                               functions=[half]))
    equal("what a function wants is wanted in any case", [(d["node"], d["message"]) for d in seen.json["diagnostics"]],
          [("q", "K must be 9, but K//2 must be 3 for node 2 (p, MatMul) in call/Half")])
    seen = infer(daemon, model(graph([const("k", "int64[1]", [3]), op("u, i = TopK(x, k)"), op("n = NonZero(x)", "n"),
                                      weights("w", 7, 2), op("y = MatMul(n, w)", "y")], ["x: float[N]"], ["y"])))
    equal("what data decides is not known to be impossible", (seen.reasons, seen.constraints), ([], ["N >= 3"]))
    seen = infer(daemon, model(graph([op("y = If(c)", then_branch=graph(times("t", 7), [], ["t"]),
                                         else_branch=graph(times("u", 9), [], ["u"]))],
                                     ["x: float[2,K]", "c: bool[]"], ["y"])))
    equal("what branches want, of which one runs, is no contradiction", seen.reasons, [])


# -- random models --

def satisfied(rows, homes):
    """Whether there are sizes for all conditions; None where that is not found out."""
    wants = [(r, names(r["left"]) | names(r["right"])) for r in rows if not r.get("scope")]
    order = sorted(set().union(*(n for _, n in wants))) if wants else []
    tries = [TRIES]
    if set(order) - set(NAMES):
        return None

    def fits(sizes):
        if len(sizes) == len(order):
            return True
        name = order[len(sizes)]
        asked = [r for r, n in wants if name in n and n <= set(order[:len(sizes) + 1])]
        for value in sorted({h[name] for h in homes}) + list(range(LARGEST + 1)):
            tries[0] -= 1
            if tries[0] < 0:
                return None
            more = {**sizes, name: value}
            if all(holds(r, more) is not False for r in asked):
                found = fits(more)
                if found is not False:
                    return found
        return False

    return fits({})


def at_random(daemon):
    """Nodes that run at some sizes, with nodes that run at others."""
    asker, refused, unnoticed = Asker(daemon), 0, []
    for seed in range(SEED, SEED + GRAPHS):
        rng = random.Random(seed)
        maker = Maker(rng, rng.randint(*NODES))
        homes = [dict(maker.sizes)]
        maker.move()
        maker.grow(len(maker.nodes) + rng.randint(*NODES))
        homes.append(dict(maker.sizes))
        seen = asker.infer(maker.build())
        faults = errors(seen)
        refused += bool(faults)
        if not faults and satisfied(seen.json["constraints"], homes) is False:
            unnoticed.append(seed)
        tried = homes + [{n: rng.choice(SIZES) for n in NAMES} for _ in range(4)] if faults else []
        runs = [sizes for sizes in tried if not errors(asker.infer(maker.build(sizes)))]
        check("random model %d is not refused where it runs" % seed, not runs,
              (runs, faults[:1], "\n".join(map(str, maker.inputs + maker.nodes))) if runs else "")
    check("most that runs at no size is refused", refused > 10 and len(unnoticed) * 10 <= refused, (refused, unnoticed))


def main():
    with Daemon(drop_log=True) as daemon:
        kinds(daemon)
        at_random(daemon)
    finish()


if __name__ == "__main__":
    main()
