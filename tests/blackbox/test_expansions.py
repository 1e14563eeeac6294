#!/usr/bin/env python3
"""Operators whose texts say what they are made of: the rule of each gives what its expansion gives, a function of the
model that the graph walk goes through."""
from build import const, function, graph, infer, model, op
from harness import Daemon, check, equal, finish

IMPORTS = {"": 24, "com.microsoft": 1, "my": 1}
OLD = {"": 8, "my": 1}  # of the experimental operators


def numbers(name, *elements):
    return const(name, "int64[%d]" % len(elements), list(elements))


def number(name, element):
    return const(name, "float[]", [element])


M = "com.microsoft."
EXPANSIONS = (  # operator, its inputs, outputs and attributes, the nodes that it stands for, types of the inputs
    (M + "BiasAdd", "x, b, s", "y", {}, [op("t = Add(x, b)"), op("y = Add(t, s)")],
     ["x: float[N,S,8]", "b: float[8]", "s: float[N,S,8]"]),
    (M + "BiasGelu", "x, b", "y", {}, [op("t = Add(x, b)"), op("y = Gelu(t)")], ["x: float[N,S,8]", "b: float[8]"]),
    (M + "BiasSplitGelu", "x, b", "y", {},
     [op("t = Add(x, b)"), op("l, r = Split(t)", axis=2, num_outputs=2), op("g = Gelu(r)"), op("y = Mul(l, g)")],
     ["x: float[N,S,8]", "b: float[8]"]),
    (M + "CDist", "a, b", "y", {"metric": "euclidean"},
     [numbers("one", 1), numbers("zero", 0), numbers("two", 2), op("u = Unsqueeze(a, one)"), op("v = Unsqueeze(b, zero)"),
      op("d = Sub(u, v)"), op("s = ReduceSumSquare(d, two)", keepdims=0), op("y = Sqrt(s)")],
     ["a: float[M,4]", "b: float[K,4]"]),
    (M + "ExpandDims", "x, a", "y", {}, [op("c = Cast(a)", to=7), op("y = Unsqueeze(x, c)")],
     ["x: float[N,3]", "a: int32[1] = 1"]),
    (M + "FastGelu", "x, b", "y", {}, [op("t = Add(x, b)"), op("y = Gelu(t)", approximate="tanh")],
     ["x: float[N,S,8]", "b: float[8]"]),
    (M + "FusedMatMul", "a, b", "y", {"transA": 1, "alpha": 0.5},
     [op("t = Transpose(a)", perm=[0, 2, 1]), op("m = MatMul(t, b)"), number("s", 0.5), op("y = Mul(m, s)")],
     ["a: float[B,K,M]", "b: float[B,K,N]"]),
    (M + "FusedGemm", "a, b, c", "y", {"transB": 1, "activation": "Relu"},
     [op("t = Gemm(a, b, c)", transB=1), op("y = Relu(t)")], ["a: float[M,4]", "b: float[N,4]", "c: float[N]"]),
    (M + "GatedAdd", "x, z, g", "y", {}, [op("t = Mul(z, g)"), op("y = Add(x, t)")],
     ["x: float[N,S,8]", "z: float[N,S,8]", "g: float[N,S,1]"]),
    (M + "GatedRMSNorm", "x, s, g", "y", {},
     [op("n = RMSNormalization(x, s)"), op("w = Swish(g)"), op("y = Mul(n, w)")],
     ["x: float[N,S,8]", "s: float[8]", "g: float[N,S,8]"]),
    (M + "LinearAttentionGate", "a, d, s, b", "decay, beta", {},
     [op("t = Add(a, d)"), op("p = Softplus(t)"), op("decay = Mul(s, p)"), op("beta = Sigmoid(b)")],
     ["a: float[B,T,4]", "d: float[4]", "s: float[4]", "b: float[B,T,4]"]),
    (M + "QuickGelu", "x", "y", {"alpha": 1.5},
     [number("a", 1.5), op("t = Mul(a, x)"), op("g = Sigmoid(t)"), op("y = Mul(x, g)")], ["x: float[N,S]"]),
    (M + "SkipLayerNormalization", "x, s, g, b", "y", {},
     [op("t = Add(x, s)"), op("y = LayerNormalization(t, g, b)", axis=-1)],
     ["x: float[N,S,8]", "s: float[1,S,8]", "g: float[8]", "b: float[8]"]),
    (M + "SkipSimplifiedLayerNormalization", "x, s, g", "y", {},
     [op("t = Add(x, s)"), op("y = RMSNormalization(t, g)", axis=-1)],
     ["x: float[N,S,8]", "s: float[N,S,8]", "g: float[8]"]),
    (M + "TorchEmbedding", "w, i", "y", {}, [op("y = Gather(w, i)")], ["w: float[V,768]", "i: int64[B,S]"]),
    (M + "TransposeMatMul", "a, b", "y", {"transB": 1},
     [op("t = Transpose(b)", perm=[0, 2, 1]), op("y = MatMul(a, t)")], ["a: float[B,M,K]", "b: float[B,N,K]"]),
    (M + "Trilu", "x", "y", {"upper": 0}, [op("y = Trilu(x)", upper=0)], ["x: float[B,N,M]"]),
    (M + "UnfoldTensor", "x", "y", {"dim": 1, "size": 1, "step": 1},
     [numbers("last", 2), op("y = Unsqueeze(x, last)")], ["x: float[N,8]"]),
    ("Celu", "x", "y", {"alpha": 2.0},
     [number("a", 2.0), number("z", 0.0), number("o", 1.0), op("d = Div(x, a)"), op("e = Exp(d)"), op("f = Sub(e, o)"),
      op("g = Mul(a, f)"), op("h = Min(z, g)"), op("i = Max(z, x)"), op("y = Add(i, h)")], ["x: float[N,3]"]),
    ("Gelu", "x", "y", {},
     [number("h", 0.5), number("o", 1.0), number("r", 1.4142135), op("d = Div(x, r)"), op("e = Erf(d)"), op("f = Add(o, e)"),
      op("g = Mul(x, f)"), op("y = Mul(h, g)")], ["x: float[N,3]"]),
    ("GroupNormalization", "x, s, b", "y", {"num_groups": 2},
     [op("d = Shape(x)"), numbers("g", 0, 2, -1), op("r = Reshape(x, g)"), numbers("at", 2), op("m = ReduceMean(r, at)"),
      op("c = Sub(r, m)"), op("f = Reshape(c, d)"), numbers("v", 1, -1, 1, 1), op("t = Reshape(s, v)"),
      op("u = Reshape(b, v)"), op("p = Mul(f, t)"), op("y = Add(p, u)")],
     ["x: float[N,8,H,W]", "s: float[8]", "b: float[8]"]),
    ("HardSwish", "x", "y", {}, [op("s = HardSigmoid(x)", alpha=0.16666667, beta=0.5), op("y = Mul(x, s)")],
     ["x: float[N,3]"]),
    ("LogSoftmax", "x", "y", {"axis": 1}, [op("s = Softmax(x)", axis=1), op("y = Log(s)")], ["x: float[N,C,3]"]),
    ("MeanVarianceNormalization", "x", "y", {},
     [numbers("at", 0, 2, 3), op("m = ReduceMean(x, at)"), op("c = Sub(x, m)"), op("s = Mul(c, c)"),
      op("v = ReduceMean(s, at)"), op("d = Sqrt(v)"), op("y = Div(c, d)")], ["x: float[N,C,H,W]"]),
    ("Mish", "x", "y", {}, [op("s = Softplus(x)"), op("t = Tanh(s)"), op("y = Mul(x, t)")], ["x: float[N,3]"]),
    ("ReduceL2", "x, a", "y", {"keepdims": 0}, [op("s = ReduceSumSquare(x, a)", keepdims=0), op("y = Sqrt(s)")],
     ["x: float[N,C,3]", "a: int64[1] = 1"]),
    ("ReduceLogSumExp", "x, a", "y", {}, [op("e = Exp(x)"), op("s = ReduceSum(e, a)"), op("y = Log(s)")],
     ["x: float[N,C,3]", "a: int64[1] = -1"]),
    ("Softmax", "x", "y", {"axis": -1},
     [numbers("last", -1), op("m = ReduceMax(x, last)"), op("c = Sub(x, m)"), op("e = Exp(c)"), op("s = ReduceSum(e, last)"),
      op("y = Div(e, s)")], ["x: float[N,C,3]"]),
    ("Swish", "x", "y", {}, [op("s = Sigmoid(x)"), op("y = Mul(x, s)")], ["x: float[N,3]"]),
)
EXPERIMENTAL = (  # as ONNX says that they are to be replaced (docs/ManagingExperimentalOps.md)
    ("Affine", "x", "y", {"alpha": 2.0, "beta": 1.0},
     [number("a", 2.0), number("b", 1.0), op("t = Mul(x, a)"), op("y = Add(t, b)")], ["x: float[N,3]"]),
    ("Crop", "x", "y", {"border": [1, 2, 3, 4]}, [op("y = Slice(x)", axes=[2, 3], starts=[2, 1], ends=[-4, -3])],
     ["x: float[N,3,16,32]"]),
    ("ImageScaler", "x", "y", {"scale": 2.0},
     [number("s", 2.0), const("b", "float[3]", [1.0, 2.0, 3.0]), op("u = Unsqueeze(b)", axes=[0, 2, 3]),
      op("t = Mul(x, s)"), op("y = Add(t, u)")], ["x: float[N,3,H,W]"]),
    ("ParametricSoftplus", "x", "y", {"alpha": 2.0, "beta": 1.0},
     [number("a", 2.0), number("b", 1.0), op("t = Mul(b, x)"), op("u = Softplus(t)"), op("y = Mul(a, u)")],
     ["x: float[N,3]"]),
    ("Scale", "x", "y", {"scale": 2.0}, [number("s", 2.0), op("y = Mul(x, s)")], ["x: float[N,3]"]),
    ("ScaledTanh", "x", "y", {"alpha": 2.0, "beta": 1.0},
     [number("a", 2.0), number("b", 1.0), op("t = Mul(x, b)"), op("u = Tanh(t)"), op("y = Mul(u, a)")],
     ["x: float[N,3]"]),
)


def both(daemon, called, inputs, outputs, attributes, nodes, types, imports):
    """What the operator gives, and what its expansion does; and what is complained of."""
    declared, made = [], []
    for written in types:
        kind, _, element = written.partition(" = ")
        if element:  # a constant of one element
            name, _, of = kind.partition(": ")
            made.append(const(name, of, [int(element)]))
        else:
            declared.append(kind)
    names = [o.strip() for o in outputs.split(",")]
    calls = [op("%s = %s(%s)" % (outputs, called, inputs), **attributes),
             op("%s = my.Expanded(%s)" % (", ".join("x_" + o for o in names), inputs))]
    expanded = function("Expanded", inputs, outputs, nodes, opset=imports)
    seen = infer(daemon, model(graph(made + calls, declared, []), imports, [expanded]))
    return [seen[o] for o in names], [seen["x_" + o] for o in names], seen.reasons


def main():
    with Daemon() as daemon:
        for rows, imports in ((EXPANSIONS, IMPORTS), (EXPERIMENTAL, OLD)):
            for called, inputs, outputs, attributes, nodes, types in rows:
                rule, walked, reasons = both(daemon, called, inputs, outputs, attributes, nodes, types, imports)
                equal("%s: the rule gives what its expansion gives" % called, rule, walked)
                check("%s: all of it is known" % called, all("[" in one and "?" not in one for one in rule), rule)
                equal("%s: without complaint" % called, reasons, [])
    finish()


if __name__ == "__main__":
    main()
