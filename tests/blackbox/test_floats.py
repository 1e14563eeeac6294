#!/usr/bin/env python3
"""Sizes on their way through floats and back, as exporters compute them: exact where floats are, else unknown."""
from build import const, graph, infer, model, op, tensor
from harness import Daemon, check, equal, finish

FLOATS = {"float": 1, "float16": 10, "double": 11}
SIZES = [op("s = Shape(x)"), const("i0", "int64[1]", [0]), const("i1", "int64[1]", [1]), op("n = Gather(s, i0)"),
         op("m = Gather(s, i1)")]


def through(daemon, *steps, through_type="float", back=True, opset=17, **constants):
    """What `r` is after the steps, which start from f and g: N and M as floats. A constant is a float[1]."""
    kind = FLOATS[through_type]
    nodes = SIZES + [op("f = Cast(n)", to=kind), op("g = Cast(m)", to=kind)]
    nodes += [op("%s = Cast(%s_)" % (k, k), to=kind) for k in constants] if through_type == "float16" else []
    nodes += [op(s) if isinstance(s, str) else s for s in steps] + ([op("z = Cast(r)",
                                                                        to=7)] if back else [op("z = Identity(r)")])
    suffix = "_" if through_type == "float16" else ""
    stored = "double" if through_type == "double" else "float"
    weights = [tensor("%s[1]" % stored, [v], k + suffix) for k, v in constants.items()]
    nodes += [op("y = Expand(one, z)")] if back else []
    data = model(graph(nodes, ["x: float[N,M]"], ["z"], initializers=weights + [tensor("float[1]", [1], "one")]),
                 opset=opset)
    seen = infer(daemon, data)
    if seen.reasons:
        return seen.reasons
    return seen["y"][6:-1] if back else seen.contents.get("z")


def exact(daemon):
    for what, steps, constants, wanted in (
            ("there and back", ["r = Identity(f)"], {}, "N"),
            ("half, rounded down", ["h = Mul(f, k)", "r = Floor(h)"], {"k": 0.5}, "N//2"),
            ("the factor first", ["h = Mul(k, f)", "r = Floor(h)"], {"k": 0.5}, "N//2"),
            ("half, rounded up", ["h = Mul(f, k)", "r = Ceil(h)"], {"k": 0.5}, "(N+1)//2"),
            ("half, cut off", ["r = Mul(f, k)"], {"k": 0.5}, "N//2"),
            ("divided by two", ["h = Div(f, k)", "r = Floor(h)"], {"k": 2.0}, "N//2"),
            ("divided by a half", ["r = Div(f, k)"], {"k": 0.5}, "2*N"),
            ("halved and doubled", ["h = Mul(f, k)", "r = Mul(h, l)"], {"k": 0.5, "l": 2.0}, "N"),
            ("quartered and doubled", ["h = Mul(f, k)", "d = Mul(h, l)", "r = Floor(d)"], {"k": 0.25, "l": 2.0},
             "N//2"),
            ("three halves", ["h = Mul(f, k)", "r = Floor(h)"], {"k": 1.5}, "3*N//2"),
            ("times nothing", ["r = Mul(f, k)"], {"k": 0.0}, "0"),
            ("a half more", ["h = Add(f, k)", "r = Floor(h)"], {"k": 0.5}, "N"),
            ("halved, and one more", ["h = Mul(f, k)", "p = Add(h, l)", "r = Floor(p)"], {"k": 0.5, "l": 1.0},
             "N//2+1"),
            ("a third, rounded down", ["h = Div(f, k)", "r = Floor(h)"], {"k": 3.0}, "N//3"),
            ("a third, rounded up", ["h = Div(f, k)", "r = Ceil(h)"], {"k": 3.0}, "(N+2)//3"),
            ("a third, cut off", ["r = Div(f, k)"], {"k": 3.0}, "N//3"),
            ("a half of a third", ["h = Mul(f, l)", "t = Div(h, k)", "r = Floor(t)"], {"k": 3.0, "l": 0.5}, "N//6"),
            ("by one and a half", ["h = Div(f, k)", "r = Floor(h)"], {"k": 1.5}, "2*N//3"),
            ("two sizes", ["r = Add(f, g)"], {}, "N+M"),
            ("two halves", ["a = Mul(f, k)", "b = Mul(g, k)", "p = Add(a, b)", "r = Floor(p)"], {"k": 0.5}, "(N+M)//2"),
            ("twice over itself", ["d = Mul(f, k)", "r = Div(d, f)"], {"k": 2.0}, "2"),
            ("three of three", ["t = Mul(f, k)", "r = Div(t, k)"], {"k": 3.0}, "N"),
            ("a power", ["p = Pow(f, k)", "r = Floor(p)"], {"k": 1.0}, "N"),
            ("the greater of a size and a half, where there are elements", ["r = Max(f, k)"], {"k": 0.5}, "N"),
            ("the greater of two", ["r = Max(f, k)"], {"k": 4.0}, "max(N,4)"),
            ("the lesser of halves", ["h = Mul(f, k)", "l = Min(h, t)", "r = Floor(l)"], {"k": 0.5, "t": 8.0},
             "min(N,16)//2"),
            ("a whole size, rounded", ["r = Round(f)"], {}, "N")):
        got = through(daemon, *steps, **constants)
        equal(what, got, wanted)


def inexact(daemon):
    for what, steps, constants in (
            ("a third", ["h = Mul(f, k)", "r = Floor(h)"], {"k": 1 / 3}),
            ("three times a third", ["h = Div(f, k)", "t = Mul(h, k)", "r = Floor(t)"], {"k": 3.0}),
            ("a third and a half", ["h = Div(f, k)", "t = Add(h, l)", "r = Floor(t)"], {"k": 3.0, "l": 0.5}),
            ("a third of a third", ["h = Div(f, k)", "t = Div(h, k)", "r = Floor(t)"], {"k": 3.0}),
            ("a third, rounded to even", ["h = Div(f, k)", "r = Round(h)"], {"k": 3.0}),
            ("the greater of thirds", ["h = Div(f, k)", "t = Max(h, k)", "r = Floor(t)"], {"k": 3.0}),
            ("a factor of many bits", ["h = Mul(f, k)", "r = Floor(h)"], {"k": 20.3}),
            ("a summand of many bits", ["h = Add(f, k)", "r = Floor(h)"], {"k": 0.1}),
            ("half, rounded to even", ["h = Mul(f, k)", "r = Round(h)"], {"k": 0.5}),
            ("one size by another", ["h = Div(f, g)", "r = Floor(h)"], {}),
            ("a product of sizes", ["r = Mul(f, g)"], {}),
            ("a square", ["r = Pow(f, k)"], {"k": 2.0}),
            ("by nothing", ["r = Div(f, k)"], {"k": 0.0}),
            ("a tiny factor", ["h = Mul(f, k)", "r = Ceil(h)"], {"k": 2.0 ** -30}),
            ("a huge one", ["r = Mul(f, k)"], {"k": 2.0 ** 70}),
            ("an infinite one", ["r = Mul(f, k)"], {"k": float("inf")}),
            ("no number", ["r = Mul(f, k)"], {"k": float("nan")})):
        check("%s is not known" % what, through(daemon, *steps, **constants).startswith("?"),
              through(daemon, *steps, **constants))
    equal("float16 holds no size beyond 2048", through(daemon, "r = Identity(f)", through_type="float16"), "?1")
    equal("a double does", through(daemon, "h = Mul(f, k)", "r = Floor(h)", through_type="double", k=0.5), "N//2")


def numbers(daemon):
    """Floats without a symbol, as a float32 has them."""
    def of(steps, **constants):
        return through(daemon, *steps, back=False, **constants)
    single = 2.0 ** -24
    for what, steps, constants, wanted in (
            ("a sum", ["r = Add(k, l)"], {"k": 1.5, "l": 2.25}, [3.75]),
            ("a sum that rounds to even", ["r = Add(k, l)"], {"k": 1.0, "l": single}, [1.0]),
            ("a difference", ["r = Sub(k, l)"], {"k": 1.5, "l": 2.0}, [-0.5]),
            ("a product", ["r = Mul(k, l)"], {"k": 1.5, "l": -3.0}, [-4.5]),
            ("a product past all floats", ["r = Mul(k, l)"], {"k": 3e38, "l": 10.0}, ["Infinity"]),
            ("a quotient", ["r = Div(k, l)"], {"k": 1.0, "l": 4.0}, [0.25]),
            ("by nothing", ["r = Div(k, l)"], {"k": 1.0, "l": 0.0}, None),
            ("rounded down", ["r = Floor(k)"], {"k": -1.5}, [-2.0]),
            ("rounded up", ["r = Ceil(k)"], {"k": -1.5}, [-1.0]),
            ("rounded to even", ["r = Round(k)"], {"k": 2.5}, [2.0]),
            ("the greater", ["r = Max(k, l)"], {"k": -1.0, "l": 2.0}, [2.0]),
            ("the lesser", ["r = Min(k, l)"], {"k": -1.0, "l": 2.0}, [-1.0]),
            ("a power", ["r = Pow(k, l)"], {"k": 3.0, "l": 4.0}, [81.0]),
            ("a power of nothing", ["r = Pow(k, l)"], {"k": 3.0, "l": 0.0}, [1.0]),
            ("a root", ["r = Pow(k, l)"], {"k": 2.0, "l": 0.5}, None),
            ("a remainder as of C", [op("r = Mod(k, l)", fmod=1)], {"k": -5.5, "l": 2.0}, [-1.5]),
            ("a remainder of nothing", [op("r = Mod(k, l)", fmod=1)], {"k": 1.0, "l": 0.0}, None),
            ("cut off", [op("r = Cast(k)", to=7)], {"k": -2.75}, [-2]),
            ("cut off past all integers", [op("r = Cast(k)", to=7)], {"k": 1e30}, None),
            ("a negative one as unsigned", [op("r = Cast(k)", to=2)], {"k": -1.0}, None),
            ("as truth", [op("r = Cast(k)", to=9)], {"k": 0.25}, [1]),
            ("nothing as truth", [op("r = Cast(k)", to=9)], {"k": -0.0}, [0])):
        equal("%s: %s" % (what, constants), of(steps, **constants), wanted)


def compared(daemon):
    def truth(step, **constants):
        return through(daemon, step, back=False, **constants)
    for step, constants, wanted in (
            ("r = Equal(k, l)", {"k": 1.0, "l": 1.0}, [1]), ("r = Less(k, l)", {"k": 1.0, "l": 1.0}, [0]),
            ("r = Greater(k, l)", {"k": 2.0, "l": 1.0}, [1]), ("r = Equal(f, f)", {}, [1]),
            ("r = Equal(f, g)", {}, None),
            ("r = Less(f, k)", {"k": 0.0}, [0]), ("r = Less(f, k)", {"k": 5.0}, None),
            ("r = Greater(f, k)", {"k": -1.0}, [1]),
            ("r = Equal(f, k)", {"k": -0.5}, [0]), ("r = Less(k, l)", {"k": float("nan"), "l": 1.0}, [0])):
        equal("%s with %s" % (step, constants), truth(step, **constants), wanted)


def integers(daemon):
    def of(step, *more, kind="int64", **constants):
        weights = [tensor("%s[1]" % kind, [v], k) for k, v in constants.items()]
        nodes = SIZES + [op(s) if isinstance(s, str) else s for s in (*more, step)]
        return infer(daemon, model(graph(nodes, ["x: float[N,M]"], ["r"], initializers=weights))).contents.get("r")
    most = 2 ** 63 - 1
    for what, got, wanted in (
            ("a sum past 64 bits", of("r = Add(k, l)", k=most, l=1), None),
            ("a product past 64 bits", of("r = Mul(k, l)", k=most, l=2), None),
            ("a sum past 32 bits", of("r = Add(k, l)", kind="int32", k=2 ** 31 - 1, l=1), None),
            ("a quotient towards nothing", of("r = Div(k, l)", k=-7, l=2), [-3]),
            ("by nothing", of("r = Div(k, l)", k=1, l=0), None),
            ("the least by -1", of("r = Div(k, l)", k=-most - 1, l=-1), None),
            ("a remainder", of("r = Mod(k, l)", k=-7, l=3), [2]),
            ("a remainder as of C", of(op("r = Mod(k, l)", fmod=1), k=-7, l=3), [-1]),
            ("a remainder by -1", of(op("r = Mod(k, l)", fmod=1), k=-7, l=-1), [0]),
            ("a remainder by nothing", of("r = Mod(k, l)", k=1, l=0), None),
            ("a size's remainder", of("r = Mod(n, k)", k=4), ["N%4"]),
            ("as of C", of(op("r = Mod(n, k)", fmod=1), k=4), ["N%4"]),
            ("of what may be negative, as of C", of(op("r = Mod(d, k)", fmod=1), "d = Sub(n, m)", k=4), None),
            ("a size by two", of("r = Div(n, k)", k=2), ["N//2"]),
            ("less one, by two", of("r = Div(d, k)", "d = Sub(n, l)", k=2, l=1), ["max(N - 1, 0)//2"]),
            ("a size by what may be negative", of("r = Div(n, d)", "d = Sub(m, k)", k=1), None),
            ("a multiple by its size", of("r = Div(d, n)", "d = Mul(n, k)", k=3), [3]),
            ("a power", of("r = Pow(k, l)", k=3, l=4), [81]),
            ("a negative power", of("r = Pow(k, l)", k=3, l=-1), None),
            ("the greater of sizes", of("r = Max(n, m)"), ["max(N, M)"])):
        equal(what, got, wanted)
    least = infer(daemon, model(graph(SIZES + [op("d = Sub(n, k)"), op("r = Cast(d)", to=2)], ["x: float[N,M]"], ["r"],
                                      initializers=[tensor("int64[1]", [1], "k")])))
    equal("what may be negative is not known as unsigned", "r" in least.contents, False)


def main():
    with Daemon() as daemon:
        for part in (exact, inexact, numbers, compared, integers):
            part(daemon)
    finish()


if __name__ == "__main__":
    main()
