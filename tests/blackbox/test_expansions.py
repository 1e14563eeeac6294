#!/usr/bin/env python3
"""Operators whose texts say what they are made of: the rule of each gives what its expansion gives, a function of the
model that the graph walk goes through. So it is for the models of ONNX's own suite that stand there expanded as well."""
import os
import re

from build import const, function, graph, infer, model, op
from harness import Daemon, check, equal, finish

IMPORTS = {"": 28, "com.microsoft": 1, "ai.onnx.preview": 1, "my": 1}
OLD = {"": 8, "my": 1}  # of the experimental operators


def numbers(name, *elements):
    return const(name, "int64[%d]" % len(elements), list(elements))


def number(name, element):
    return const(name, "float[]", [element])


M = "com.microsoft."
WINDOW = [const("none", "int64[]", [0]), const("one", "int64[]", [1]), op("r = Range(none, n, one)"), op("f = Cast(r)", to=1),
          op("y = Cos(f)")]
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
    (M + "DivGrad", "g, a, b", "da, db", {},
     [op("sa = Shape(a)"), op("sb = Shape(b)"), op("ra, rb = com.microsoft.BroadcastGradientArgs(sa, sb)"),
      op("d = Div(g, b)"), op("e = com.microsoft.ReduceSumTraining(d, ra)", noop_with_empty_axes=1),
      op("da = Reshape(e, sa)"), op("m = Mul(g, d)"), op("h = com.microsoft.ReduceSumTraining(m, rb)", noop_with_empty_axes=1),
      op("db = Reshape(h, sb)")], ["g: float[N,S,8]", "a: float[N,1,8]", "b: float[S,8]"]),
    (M + "DropoutGrad", "g, m", "y", {}, [number("z", 0.0), op("y = Where(m, g, z)")], ["g: float[N,8]", "m: bool[N,8]"]),
    (M + "ExpandDims", "x, a", "y", {}, [op("c = Cast(a)", to=7), op("y = Unsqueeze(x, c)")],
     ["x: float[N,3]", "a: int32[1] = 1"]),
    (M + "FastGelu", "x, b", "y", {}, [op("t = Add(x, b)"), op("y = Gelu(t)", approximate="tanh")],
     ["x: float[N,S,8]", "b: float[8]"]),
    (M + "FastGeluGrad", "g, x", "y", {}, [op("t = Tanh(x)"), op("y = Mul(g, t)")], ["g: float[N,8]", "x: float[N,8]"]),
    (M + "FusedGemm", "a, b, c", "y", {"transB": 1, "activation": "Relu"},
     [op("t = Gemm(a, b, c)", transB=1), op("y = Relu(t)")], ["a: float[M,4]", "b: float[N,4]", "c: float[N]"]),
    (M + "FusedMatMul", "a, b", "y", {"transA": 1, "alpha": 0.5},
     [op("t = Transpose(a)", perm=[0, 2, 1]), op("m = MatMul(t, b)"), number("s", 0.5), op("y = Mul(m, s)")],
     ["a: float[B,K,M]", "b: float[B,K,N]"]),
    (M + "GatedAdd", "x, z, g", "y", {}, [op("t = Mul(z, g)"), op("y = Add(x, t)")],
     ["x: float[N,S,8]", "z: float[N,S,8]", "g: float[N,S,1]"]),
    (M + "GatedRMSNorm", "x, s, g", "y", {},
     [op("n = RMSNormalization(x, s)"), op("w = Swish(g)"), op("y = Mul(n, w)")],
     ["x: float[N,S,8]", "s: float[8]", "g: float[N,S,8]"]),
    (M + "Gelu", "x", "y", {}, [op("y = Gelu(x)")], ["x: float[N,8]"]),
    (M + "GeluGrad", "g, x", "y", {}, [op("e = Erf(x)"), op("y = Mul(g, e)")], ["g: float[N,8]", "x: float[N,8]"]),
    (M + "LayerNormalizationGrad", "g, x, s, m, i", "dx, ds, db", {},
     [op("c = Sub(x, m)"), op("n = Mul(c, i)"), op("w = Mul(g, s)"), op("dx = Mul(w, n)"), op("f = Flatten(g)", axis=-1),
      numbers("rows", 0), op("t = Shape(s)"), op("d = ReduceSum(f, rows)"), op("db = Reshape(d, t)"), op("o = Mul(g, n)"),
      op("h = Flatten(o)", axis=-1), op("k = ReduceSum(h, rows)"), op("ds = Reshape(k, t)")],
     ["g: float[N,S,8]", "x: float[N,S,8]", "s: float[8]", "m: float[N,S,1]", "i: float[N,S,1]"]),
    (M + "LinearAttentionGate", "a, d, s, b", "decay, beta", {},
     [op("t = Add(a, d)"), op("p = Softplus(t)"), op("decay = Mul(s, p)"), op("beta = Sigmoid(b)")],
     ["a: float[B,T,4]", "d: float[4]", "s: float[4]", "b: float[B,T,4]"]),
    (M + "NegativeLogLikelihoodLossInternal2", "x, t", "y", {},
     [numbers("one", 1), op("e = Unsqueeze(t, one)"), op("g = GatherElements(x, e)", axis=1), op("n = Neg(g)"),
      op("y = ReduceMean(n)", keepdims=0)], ["x: float[N,C,D]", "t: int64[N,D]"]),
    (M + "QuickGelu", "x", "y", {"alpha": 1.5},
     [number("a", 1.5), op("t = Mul(a, x)"), op("g = Sigmoid(t)"), op("y = Mul(x, g)")], ["x: float[N,S]"]),
    (M + "SigmoidGrad", "g, y", "x", {}, [number("o", 1.0), op("d = Sub(o, y)"), op("e = Mul(y, d)"), op("x = Mul(g, e)")],
     ["g: float[N,8]", "y: float[N,8]"]),
    (M + "SkipLayerNormalization", "x, s, g, b", "y", {},
     [op("t = Add(x, s)"), op("y = LayerNormalization(t, g, b)", axis=-1)],
     ["x: float[N,S,8]", "s: float[1,S,8]", "g: float[8]", "b: float[8]"]),
    (M + "SkipSimplifiedLayerNormalization", "x, s, g", "y", {},
     [op("t = Add(x, s)"), op("y = RMSNormalization(t, g)", axis=-1)],
     ["x: float[N,S,8]", "s: float[N,S,8]", "g: float[8]"]),
    (M + "SoftmaxCrossEntropyLossInternal", "x, t", "y, p", {"reduction": "sum"},
     [op("p = LogSoftmax(x)", axis=1), op("y = NegativeLogLikelihoodLoss(p, t)", reduction="sum")],
     ["x: float[N,C,D]", "t: int64[N,D]"]),
    (M + "SoftmaxCrossEntropyLossInternalGrad", "g, p, t", "x", {},
     [op("b = Shape(t)"), op("d = Expand(g, b)"), numbers("one", 1), op("e = Unsqueeze(d, one)"), numbers("three", 0, 0, -1),
      op("f = Reshape(e, three)"), op("s = Shape(p)"), op("h = Reshape(p, three)"), op("q = Exp(h)"), op("m = Mul(f, q)"),
      op("x = Reshape(m, s)")], ["g: float[]", "p: float[N,C,D]", "t: int64[N,D]"]),
    (M + "SoftmaxGrad_13", "g, y", "x", {"axis": 1},
     [numbers("at", 1), op("a = Mul(y, g)"), op("b = ReduceSum(a, at)"), op("c = Sub(g, b)"), op("x = Mul(y, c)")],
     ["g: float[N,C,8]", "y: float[N,C,8]"]),
    (M + "TanhGrad", "g, y", "x", {}, [number("o", 1.0), op("s = Mul(y, y)"), op("d = Sub(o, s)"), op("x = Mul(g, d)")],
     ["g: float[N,8]", "y: float[N,8]"]),
    (M + "TorchEmbedding", "w, i", "y", {}, [op("y = Gather(w, i)")], ["w: float[V,768]", "i: int64[B,S]"]),
    (M + "TransposeMatMul", "a, b", "y", {"transB": 1},
     [op("t = Transpose(b)", perm=[0, 2, 1]), op("y = MatMul(a, t)")], ["a: float[B,M,K]", "b: float[B,N,K]"]),
    (M + "Trilu", "x", "y", {"upper": 0}, [op("y = Trilu(x)", upper=0)], ["x: float[B,N,M]"]),
    (M + "UnfoldTensor", "x", "y", {"dim": 1, "size": 1, "step": 1},
     [numbers("last", 2), op("y = Unsqueeze(x, last)")], ["x: float[N,8]"]),
    ("AffineGrid", "t, s", "y", {},
     [numbers("first", 0), numbers("plane", 2, 3), numbers("two", 2), numbers("three", 3), op("n = Gather(s, first)"),
      op("hw = Gather(s, plane)"), op("c = ReduceProd(hw)"), op("at = Concat(n, c, three)", axis=0),
      op("g = ConstantOfShape(at)"), op("r = Transpose(t)", perm=[0, 2, 1]), op("m = MatMul(g, r)"),
      op("d = Concat(n, hw, two)", axis=0), op("y = Reshape(m, d)")],
     ["t: float[2,2,3]", "s: int64[4] = 2,3,16,32"]),
    ("ai.onnx.preview.FlexAttention", "q, k, v", "y", {},
     [op("r = Transpose(k)", perm=[0, 1, 3, 2]), op("w = MatMul(q, r)"), op("p = Softmax(w)", axis=-1),
      op("y = MatMul(p, v)")], ["q: float[B,8,S,16]", "k: float[B,8,T,16]", "v: float[B,8,T,32]"]),
    ("Attention", "q, k, v", "y", {},
     [op("r = Transpose(k)", perm=[0, 1, 3, 2]), op("w = MatMul(q, r)"), op("p = Softmax(w)", axis=-1),
      op("y = MatMul(p, v)")], ["q: float[B,8,S,16]", "k: float[B,8,T,16]", "v: float[B,8,T,32]"]),
    ("Bernoulli", "x", "y", {"dtype": 9},
     [op("u = RandomUniformLike(x)"), op("l = Less(u, x)"), op("y = Cast(l)", to=9)], ["x: float[N,3]"]),
    ("BlackmanWindow", "n", "y", {"periodic": 0}, WINDOW, ["n: int64[] = 10"]),
    ("CastLike", "x, t", "y", {}, [op("y = Cast(x)", to=6)], ["x: float[N,3]", "t: int32[7]"]),
    ("CausalConvWithState", "x, w, b, p", "y, q", {},
     [op("d = Concat(p, x)", axis=2), op("y = Conv(d, w, b)", group=8), numbers("from", -3), numbers("to", 1 << 40),
      numbers("last", 2), op("q = Slice(d, from, to, last)")],
     ["x: float[B,8,T]", "w: float[8,1,4]", "b: float[8]", "p: float[B,8,3]"]),
    ("Celu", "x", "y", {"alpha": 2.0},
     [number("a", 2.0), number("z", 0.0), number("o", 1.0), op("d = Div(x, a)"), op("e = Exp(d)"), op("f = Sub(e, o)"),
      op("g = Mul(a, f)"), op("h = Min(z, g)"), op("i = Max(z, x)"), op("y = Add(i, h)")], ["x: float[N,3]"]),
    ("CenterCropPad", "x, s", "y", {"axes": [0, 1]},
     [numbers("from", 5), numbers("to", 15), numbers("at", 0), op("c = Slice(x, from, to, at)"),
      numbers("p", 0, 1, 0, 0, 1, 0), op("y = Pad(c, p)")], ["x: float[20,10,C]", "s: int64[2] = 10,12"]),
    ("Clip", "x, l, h", "y", {}, [op("t = Max(x, l)"), op("y = Min(t, h)")], ["x: float[N,3]", "l: float[]", "h: float[]"]),
    ("DynamicQuantizeLinear", "x", "y, s, z", {},
     [op("h = ReduceMax(x)", keepdims=0), op("l = ReduceMin(x)", keepdims=0), op("d = Sub(h, l)"), number("q", 255.0),
      op("s = Div(d, q)"), op("i = Div(l, s)"), op("r = Round(i)"), op("z = Cast(r)", to=2),
      op("y = QuantizeLinear(x, s, z)")], ["x: float[N,3]"]),
    ("Elu", "x", "y", {"alpha": 0.5},
     [number("z", 0.0), number("a", 0.5), number("o", 1.0), op("l = Less(x, z)"), op("e = Exp(x)"), op("d = Sub(e, o)"),
      op("m = Mul(a, d)"), op("y = Where(l, m, x)")], ["x: float[N,3]"]),
    ("Gelu", "x", "y", {},
     [number("h", 0.5), number("o", 1.0), number("r", 1.4142135), op("d = Div(x, r)"), op("e = Erf(d)"), op("f = Add(o, e)"),
      op("g = Mul(x, f)"), op("y = Mul(h, g)")], ["x: float[N,3]"]),
    ("GreaterOrEqual", "a, b", "y", {}, [op("g = Greater(a, b)"), op("e = Equal(a, b)"), op("y = Or(g, e)")],
     ["a: float[N,1]", "b: float[M]"]),
    ("GroupNormalization", "x, s, b", "y", {"num_groups": 2},
     [op("d = Shape(x)"), numbers("g", 0, 2, -1), op("r = Reshape(x, g)"), numbers("at", 2), op("m = ReduceMean(r, at)"),
      op("c = Sub(r, m)"), op("f = Reshape(c, d)"), numbers("v", 1, -1, 1, 1), op("t = Reshape(s, v)"),
      op("u = Reshape(b, v)"), op("p = Mul(f, t)"), op("y = Add(p, u)")],
     ["x: float[N,8,H,W]", "s: float[8]", "b: float[8]"]),
    ("HammingWindow", "n", "y", {"output_datatype": 11}, WINDOW[:-1] + [op("y = Cast(f)", to=11)], ["n: int64[] = 10"]),
    ("HannWindow", "n", "y", {}, WINDOW, ["n: int64[] = 0"]),
    ("HardSigmoid", "x", "y", {},
     [number("a", 0.2), number("b", 0.5), number("z", 0.0), number("o", 1.0), op("m = Mul(x, a)"), op("s = Add(m, b)"),
      op("l = Min(s, o)"), op("y = Max(l, z)")], ["x: float[N,3]"]),
    ("HardSwish", "x", "y", {}, [op("s = HardSigmoid(x)", alpha=0.16666667, beta=0.5), op("y = Mul(x, s)")],
     ["x: float[N,3]"]),
    ("LayerNormalization", "x, g, b", "y, m, i", {"axis": -1},
     [numbers("last", -1), op("m = ReduceMean(x, last)"), op("c = Sub(x, m)"), op("q = Mul(c, c)"),
      op("v = ReduceMean(q, last)"), op("d = Sqrt(v)"), op("i = Reciprocal(d)"), op("n = Mul(c, i)"), op("t = Mul(n, g)"),
      op("y = Add(t, b)")], ["x: float[N,S,8]", "g: float[8]", "b: float[8]"]),
    ("LeakyRelu", "x", "y", {"alpha": 0.1},
     [number("a", 0.1), number("z", 0.0), op("l = Less(x, z)"), op("m = Mul(a, x)"), op("y = Where(l, m, x)")],
     ["x: float[N,3]"]),
    ("LessOrEqual", "a, b", "y", {}, [op("l = Less(a, b)"), op("e = Equal(a, b)"), op("y = Or(l, e)")],
     ["a: float[N,1]", "b: float[M]"]),
    ("LinearAttention", "q, k, v, p", "y, s", {"q_num_heads": 4, "kv_num_heads": 4, "update_rule": "linear"},
     [numbers("heads", 0, 0, 4, -1), op("f = Reshape(k, heads)"), op("g = Reshape(v, heads)"), op("h = Reshape(q, heads)"),
      op("a = Transpose(f)", perm=[0, 2, 3, 1]), op("b = Transpose(g)", perm=[0, 2, 1, 3]), op("m = MatMul(a, b)"),
      op("s = Add(p, m)"), op("c = Transpose(h)", perm=[0, 2, 1, 3]), op("r = MatMul(c, s)"),
      op("t = Transpose(r)", perm=[0, 2, 1, 3]), numbers("flat", 0, 0, -1), op("y = Reshape(t, flat)")],
     ["q: float[B,T,64]", "k: float[B,T,64]", "v: float[B,T,32]", "p: float[B,4,16,8]"]),
    ("LogSoftmax", "x", "y", {"axis": 1}, [op("s = Softmax(x)", axis=1), op("y = Log(s)")], ["x: float[N,C,3]"]),
    ("MeanVarianceNormalization", "x", "y", {},
     [numbers("at", 0, 2, 3), op("m = ReduceMean(x, at)"), op("c = Sub(x, m)"), op("s = Mul(c, c)"),
      op("v = ReduceMean(s, at)"), op("d = Sqrt(v)"), op("y = Div(c, d)")], ["x: float[N,C,H,W]"]),
    ("Mish", "x", "y", {}, [op("s = Softplus(x)"), op("t = Tanh(s)"), op("y = Mul(x, t)")], ["x: float[N,3]"]),
    ("NegativeLogLikelihoodLoss", "x, t", "y", {"reduction": "none"},
     [numbers("one", 1), op("e = Unsqueeze(t, one)"), op("g = GatherElements(x, e)", axis=1), op("n = Neg(g)"),
      op("y = Squeeze(n, one)")], ["x: float[N,C,D]", "t: int64[N,D]"]),
    ("PRelu", "x, s", "y", {}, [number("z", 0.0), op("l = Less(x, z)"), op("m = Mul(s, x)"), op("y = Where(l, m, x)")],
     ["x: float[N,C,4]", "s: float[C,1]"]),
    ("Range", "s, l, d", "y", {},
     [op("a = Sub(l, s)"), op("b = Cast(a)", to=1), op("c = Cast(d)", to=1), op("q = Div(b, c)"), op("e = Ceil(q)"),
      op("r = Relu(e)"), op("k = Cast(r)", to=7), op("last, y = Loop(k, , s)", body=graph(
          [op("more = Identity(go)"), op("next = Add(now, d)"), op("one = Identity(now)")],
          ["i: int64[]", "go: bool[]", "now: int64[]"], ["more", "next", "one"]))],
     ["s: int64[] = 2", "l: int64[] = 12", "d: int64[] = 3"]),
    ("ReduceL1", "x, a", "y", {"keepdims": 0}, [op("b = Abs(x)"), op("y = ReduceSum(b, a)", keepdims=0)],
     ["x: float[N,C,3]", "a: int64[1] = 1"]),
    ("ReduceL2", "x, a", "y", {"keepdims": 0}, [op("s = ReduceSumSquare(x, a)", keepdims=0), op("y = Sqrt(s)")],
     ["x: float[N,C,3]", "a: int64[1] = 1"]),
    ("ReduceLogSum", "x, a", "y", {}, [op("s = ReduceSum(x, a)"), op("y = Log(s)")],
     ["x: float[N,C,3]", "a: int64[2] = 0,-1"]),
    ("ReduceLogSumExp", "x, a", "y", {}, [op("e = Exp(x)"), op("s = ReduceSum(e, a)"), op("y = Log(s)")],
     ["x: float[N,C,3]", "a: int64[1] = -1"]),
    ("ReduceSumSquare", "x, a", "y", {"keepdims": 0}, [op("s = Mul(x, x)"), op("y = ReduceSum(s, a)", keepdims=0)],
     ["x: float[N,C,3]", "a: int64[1] = 2"]),
    ("Relu", "x", "y", {}, [number("z", 0.0), op("y = Max(x, z)")], ["x: float[N,3]"]),
    ("RMSNormalization", "x, g", "y", {"axis": 1},
     [numbers("at", 1, 2), op("q = Mul(x, x)"), op("v = ReduceMean(q, at)"), op("d = Sqrt(v)"), op("n = Div(x, d)"),
      op("y = Mul(n, g)")], ["x: float[N,S,8]", "g: float[S,8]"]),
    ("RotaryEmbedding", "x, c, s", "y", {},
     [numbers("one", 1), op("a = Unsqueeze(c, one)"), op("b = Unsqueeze(s, one)"),
      op("l, r = Split(x)", axis=-1, num_outputs=2), op("d = Mul(l, a)"), op("e = Mul(r, b)"), op("f = Sub(d, e)"),
      op("g = Mul(l, b)"), op("h = Mul(r, a)"), op("i = Add(g, h)"), op("y = Concat(f, i)", axis=-1)],
     ["x: float[B,8,S,16]", "c: float[B,S,8]", "s: float[B,S,8]"]),
    ("Selu", "x", "y", {},
     [number("z", 0.0), number("a", 1.67), number("k", 1.05), op("l = Less(x, z)"), op("e = Exp(x)"), op("m = Mul(a, e)"),
      op("d = Sub(m, a)"), op("w = Where(l, d, x)"), op("y = Mul(k, w)")], ["x: float[N,3]"]),
    ("SequenceMap", "q, t", "y", {"body": graph([op("z = Add(e, u)")], ["e: float[N,3]", "u: float[1,3]"], ["z: float[N,3]"])},
     [const("zero", "int64[]", [0]), const("one", "int64[]", [1]), op("e = SequenceAt(q, zero)"),
      op("f = SequenceAt(q, one)"), op("g = Add(e, t)"), op("h = Add(f, t)"), op("y = SequenceConstruct(g, h)")],
     ["a: float[N,3]", "b: float[N,3]", "t: float[1,3]", "q = SequenceConstruct(a, b)"]),
    ("Shrink", "x", "y", {"lambd": 0.5, "bias": 0.5},
     [number("k", 0.5), number("m", -0.5), number("z", 0.0), op("l = Less(x, m)"), op("a = Add(x, k)"), op("b = Sub(x, k)"),
      op("g = Less(k, x)"), op("c = Where(g, b, z)"), op("y = Where(l, a, c)")], ["x: float[N,3]"]),
    ("Softmax", "x", "y", {"axis": -1},
     [numbers("last", -1), op("m = ReduceMax(x, last)"), op("c = Sub(x, m)"), op("e = Exp(c)"), op("s = ReduceSum(e, last)"),
      op("y = Div(e, s)")], ["x: float[N,C,3]"]),
    ("SoftmaxCrossEntropyLoss", "x, t, w", "y, p", {"reduction": "none"},
     [op("p = LogSoftmax(x)", axis=1), op("y = NegativeLogLikelihoodLoss(p, t, w)", reduction="none")],
     ["x: float[N,C,D]", "t: int64[N,D]", "w: float[C]"]),
    ("Softplus", "x", "y", {}, [number("o", 1.0), op("e = Exp(x)"), op("s = Add(e, o)"), op("y = Log(s)")],
     ["x: float[N,3]"]),
    ("Softsign", "x", "y", {}, [number("o", 1.0), op("b = Abs(x)"), op("s = Add(b, o)"), op("y = Div(x, s)")],
     ["x: float[N,3]"]),
    ("SwiGLU", "a, b", "y", {"alpha": 1.5}, [op("s = Swish(a)", alpha=1.5), op("y = Mul(s, b)")],
     ["a: float[N,3]", "b: float[N,3]"]),
    ("Swish", "x", "y", {}, [op("s = Sigmoid(x)"), op("y = Mul(x, s)")], ["x: float[N,3]"]),
    ("ThresholdedRelu", "x", "y", {"alpha": 0.5},
     [number("a", 0.5), number("z", 0.0), op("l = Less(a, x)"), op("y = Where(l, x, z)")], ["x: float[N,3]"]),
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
        kind, _, elements = written.partition(" = ")
        name, _, of = kind.partition(": ")
        if "(" in elements:
            made.append(op(written))
        elif elements:
            made.append(const(name, of, [int(e) for e in elements.split(",")]))
        else:
            declared.append(kind)
    names = [o.strip() for o in outputs.split(",")]
    calls = [op("%s = %s(%s)" % (outputs, called, inputs), **attributes),
             op("%s = my.Expanded(%s)" % (", ".join("x_" + o for o in names), inputs))]
    expanded = function("Expanded", inputs, outputs, nodes, opset=imports)
    seen = infer(daemon, model(graph(made + calls, declared, []), imports, [expanded]))
    return [seen[o] for o in names], [seen["x_" + o] for o in names], seen.reasons


SUITE = "/usr/share/libonnx-testdata/data/node"  # of the package libonnx-testdata
GIVEN = {"blackmanwindow": "10", "hammingwindow": "10", "hannwindow": "10"}  # what decides the size, which must not be negative


def shown(answer):
    """Types and shapes of the outputs, whatever those symbols are called that the engine made up, and errors."""
    return ({v["name"]: (v.get("type"), re.sub(r"\b(Loop|Range)_", "_", str(v.get("shape"))), v.get("element"))
             for v in answer["values"] if v["kind"] == "output"},
            [d["reason"] for d in answer["diagnostics"] if d["severity"] == "error"])


def options(answer):
    """Shapes for the inputs: each size but 0 and 1 is a symbol, equal ones the same."""
    inputs = {v["name"]: v["shape"] for v in answer["values"] if v["kind"] == "input" and v.get("shape")}
    return ["%s:%s" % (name, ",".join(str(d) if d in (0, 1) else "s%s" % d for d in dims)) for name, dims in inputs.items()]


def check_suite(daemon):
    names = [name[:-9] for name in sorted(os.listdir(SUITE)) if name.endswith("_expanded")]
    check("there are expanded models", len(names) > 100, len(names))
    for name in names:
        value = GIVEN.get(name.split("_")[1])
        asked, shape = {"ignore_declared": 1, **({"value": "x:" + value} if value else {})}, None
        for what in ("as they are", "with symbols"):
            models = [open(os.path.join(SUITE, folder, "model.onnx"), "rb").read() for folder in (name, name + "_expanded")]
            rule, walked = [daemon.infer(data, **asked).json for data in models]
            equal("%s, %s: the rule gives what the expanded model gives" % (name, what), shown(rule), shown(walked))
            shape = options(rule)
            if "sequence" in name or not shape:  # its inputs have other names
                break
            asked["shape"] = shape


def main():
    with Daemon() as daemon:
        for rows, imports in ((EXPANSIONS, IMPORTS), (EXPERIMENTAL, OLD)):
            for called, inputs, outputs, attributes, nodes, types in rows:
                rule, walked, reasons = both(daemon, called, inputs, outputs, attributes, nodes, types, imports)
                equal("%s: the rule gives what its expansion gives" % called, rule, walked)
                check("%s: all of it is known" % called, all("[" in one and "?" not in one for one in rule), rule)
                equal("%s: without complaint" % called, reasons, [])
        if os.path.isdir(SUITE):
            check_suite(daemon)
    finish()


if __name__ == "__main__":
    main()
