"""Random nodes of the operators that ONNX Runtime adds and can run on a processor: for each a function that makes one
of random sizes and attributes. Most of them run; what the runtime refuses says nothing.

    gelu(r) -> Node("y = com.microsoft.Gelu(x)", [Input("x", "float", [2, 3])], {})
"""
from typing import NamedTuple

M = "com.microsoft."


class Input(NamedTuple):
    """Its elements are repeated as often as there is room; a constant is part of the model."""

    name: str
    kind: str
    dims: list
    data: tuple = (1,)
    constant: bool = False


class Node(NamedTuple):
    call: str
    inputs: list
    attributes: dict


NODES = {}


def node(make):
    """Adds the node of a function, which has the operator's name."""
    NODES[make.__name__] = make
    return make


def size(r, most=5):
    return r.choice([1] + list(range(1, most + 1)) * 3 + ([0] if r.random() < 0.1 else []))


def some(r, most=5):
    return r.randint(1, most)


def shape(r, least=0, most=4, largest=5):
    return [size(r, largest) for _ in range(r.randint(least, most))]


def maybe(r, *inputs):
    """They, or nothing in their place."""
    return list(inputs) if r.random() < 0.5 else []


def place(r, rank):
    return r.randint(-rank, rank - 1)


def call(name, inputs, outputs="y", **attributes):
    """Inputs are Input or None, which leaves a place empty; attributes that are None are left out."""
    while inputs and inputs[-1] is None:
        inputs = inputs[:-1]
    words = ", ".join(i.name if i else "" for i in inputs)
    given = {}
    for one in inputs:
        if one:
            given[one.name] = one
    return Node("%s = %s(%s)" % (outputs, name, words), list(given.values()),
                {key: value for key, value in attributes.items() if value is not None})


def floats(name, dims, data=(0.5, 1.0, -0.25)):
    return Input(name, "float", dims, data)


def quantized(name, kind, dims=(), data=(1, 2, 3)):
    return Input(name, kind, list(dims), data)


def scale(name, dims=()):
    return Input(name, "float", list(dims), (0.5,))


def elementwise(name, most=1, **attributes):
    def make(r):
        return call(name, [floats("x", shape(r))] * some(r, most), **{k: v(r) for k, v in attributes.items()})
    make.__name__ = name.rpartition(".")[2]
    return node(make)


for _name in ("Gelu", "QuickGelu", "SampleOp"):
    elementwise(M + _name)
for _name in ("Affine", "ParametricSoftplus", "ScaledTanh"):
    elementwise(_name, alpha=lambda r: 0.5, beta=lambda r: 1.0)
elementwise("Scale", scale=lambda r: 0.5)


# -- norms, biases, embeddings --

@node
def BiasGelu(r):
    x = shape(r, 1)
    return call(M + "BiasGelu", [floats("x", x), floats("b", x[-1:])])


@node
def FastGelu(r):
    x = shape(r, 1)
    return call(M + "FastGelu", [floats("x", x)] + maybe(r, floats("b", x[-1:])))


def skip_norm(r, name, beta):
    x = [size(r), size(r), some(r)][r.randint(0, 1):]
    skip = r.choice([x, x, x[1:] if len(x) == 3 else x, [1] + x[1:] if len(x) == 3 else x])
    vectors = [floats("v%d" % k, x[-1:]) for k in range(1 + r.randint(0, 1 + beta))]
    return call(M + name, [floats("x", x), floats("s", skip)] + vectors, r.choice(["y", "y, , , sum"]), epsilon=0.1)


@node
def SkipLayerNormalization(r):
    return skip_norm(r, "SkipLayerNormalization", 1)


@node
def SkipSimplifiedLayerNormalization(r):
    return skip_norm(r, "SkipSimplifiedLayerNormalization", 0)


@node
def EmbedLayerNormalization(r):
    b, s, h = some(r), some(r), some(r)
    ids = [Input("ids", "int32", [b, s], (0,)), Input("segments", "int32", [b, s], (0,))]
    tables = [floats("words", [some(r), h]), floats("places", [s + some(r), h]), floats("kinds", [some(r), h])]
    rest = [floats("g", [h]), floats("e", [h])] + maybe(r, Input("mask", "int32", [b, s]))
    return call(M + "EmbedLayerNormalization", ids + tables + rest, r.choice(["y, m", "y, m, s_"]))


@node
def GatedAdd(r):
    x = shape(r, 1)
    return call(M + "GatedAdd", [floats("x", x), floats("y_", x), floats("g", x[:-1] + [1])])


@node
def GatedRMSNorm(r):
    c = some(r)
    x = shape(r, 0, 3) + [c * some(r, 3)]
    return call(M + "GatedRMSNorm", [floats("x", x), floats("c", [c]), floats("g", x)])


@node
def LinearAttentionGate(r):
    b, t, h = size(r), size(r), some(r)
    rate = maybe(r, floats("b", [b, t, h]))
    return call(M + "LinearAttentionGate", [floats("a", [b, t, h]), floats("d", [h]), floats("s", [h])] + rate,
                "y, z" if rate else "y")


@node
def EngramGate(r):
    b, t, m, h = size(r), size(r), some(r), some(r)
    more = maybe(r, floats("n", [m, h]))
    return call(M + "EngramGate", [floats("k", [b, t, m, h]), floats("q", [b, t, m, h]), floats("v", [b, t, h]),
                                   floats("ks", [m, h]), floats("qs", [m, h])] + more, "y, z" if more else "y")


@node
def RotaryEmbedding(r):
    b, s, heads, half = some(r), some(r), some(r, 3), some(r, 3)
    x = r.choice([[b, s, heads * 2 * half], [b, heads, s, 2 * half]])
    ids = r.choice([[1], [b, s]])
    caches = [floats(name, [s + some(r), half]) for name in ("c", "n")]
    return call(M + "RotaryEmbedding", [floats("x", x), Input("p", "int64", ids, (0,))] + caches,
                interleaved=r.randint(0, 1))


# -- attention --

@node
def MultiHeadAttention(r):
    b, s, k, heads, width = some(r), some(r), some(r), some(r, 3), some(r, 3)
    hidden, past = heads * width, r.random() < 0.3
    inputs = [floats("q", [b, s, hidden]), floats("k", [b, k, hidden]), floats("v", [b, k, hidden])]
    inputs += [floats("bias", [3 * hidden]) if r.random() < 0.3 else None, None, None]
    if past:
        inputs += [floats(name, [b, heads, some(r) if name == "pk" else 0, width]) for name in ("pk", "pv")]
        inputs[-1] = floats("pv", inputs[-2].dims)
    return call(M + "MultiHeadAttention", inputs, "y, a, c" if past or r.random() < 0.3 else "y", num_heads=heads)


@node
def Attention(r):
    b, s, heads, width, seen = some(r), some(r), some(r, 3), some(r, 3), some(r)
    hidden = heads * width
    inputs = [floats("x", [b, s, seen]), floats("w", [seen, 3 * hidden]), floats("b", [3 * hidden])]
    past = r.random() < 0.4
    inputs += [r.choice([None, Input("m", "int32", [b])])]
    if past:
        inputs = inputs[:3] + [None, floats("p", [2, b, heads, some(r), width])]
    return call(M + "Attention", inputs, "y, z" if past or r.random() < 0.3 else "y", num_heads=heads,
                unidirectional=r.randint(0, 1))


@node
def QAttention(r):
    b, s, heads, width, seen = some(r), some(r), some(r, 3), some(r, 3), some(r)
    hidden = heads * width
    return call(M + "QAttention", [
        quantized("x", "uint8", [b, s, seen]), quantized("w", "int8", [seen, 3 * hidden]), floats("b", [3 * hidden]),
        scale("xs"), scale("ws"), r.choice([None, Input("m", "int32", [b])]), quantized("xz", "uint8"),
        quantized("wz", "int8", (), (0,))], num_heads=heads)


@node
def GroupQueryAttention(r):
    b, s, groups, width = some(r, 3), some(r), some(r, 2), 8 * some(r, 2)
    heads = groups * some(r, 2)
    past = r.choice([0, 0, s + some(r)])
    caches = [floats(name, [b, groups, past, width]) for name in ("pk", "pv")] if past else [None, None]
    return call(M + "GroupQueryAttention", [
        floats("q", [b, s, heads * width]), floats("k", [b, s, groups * width]), floats("v", [b, s, groups * width]),
        *caches, Input("lengths", "int32", [b], (s - 1,)), Input("total", "int32", [], (s,))],
        "y, a, c", num_heads=heads, kv_num_heads=groups)


@node
def LinearAttention(r):
    b, t, groups, key, value = some(r), some(r), some(r, 2), some(r, 3), some(r, 3)
    q = groups * r.choice([1, 2])
    state = r.choice([None, floats("p", [b, groups, key, value])])
    decay = floats("d", [b, t, groups * r.choice([1, key])])
    return call(M + "LinearAttention", [
        floats("q", [b, t, q * key]), floats("k", [b, t, groups * key]), floats("v", [b, t, groups * value]), state, decay,
        floats("e", [b, t, r.choice([1, groups])])], "y, z", q_num_heads=q, kv_num_heads=groups)


@node
def CausalConvWithState(r):
    b, c, length, kernel, dilation = some(r), some(r), some(r), some(r, 4), some(r, 3)
    state = [b, c, (kernel - 1) * dilation]
    return call(M + "CausalConvWithState", [
        floats("x", [b, c, length]), floats("w", [c, 1, kernel]), r.choice([None, floats("b", [c])]),
        r.choice([None, floats("p", state)])], "y, z", dilation=dilation)


# -- products --

@node
def FusedMatMul(r):
    batch, m, k, n = shape(r, 0, 2), some(r), some(r), some(r)
    a, b = r.randint(0, 1), r.randint(0, 1)
    return call(M + "FusedMatMul", [floats("a", batch + ([k, m] if a else [m, k])),
                                    floats("b", r.choice([batch, []]) + ([n, k] if b else [k, n]))], transA=a, transB=b)


@node
def TransposeMatMul(r):
    made = FusedMatMul(r)
    return made._replace(call=made.call.replace("Fused", "Transpose"))


@node
def FusedGemm(r):
    m, k, n, a, b = some(r), some(r), some(r), r.randint(0, 1), r.randint(0, 1)
    c = r.choice([[n], [m, n], [1], [m, 1]])
    return call(M + "FusedGemm", [floats("a", [k, m] if a else [m, k]), floats("b", [n, k] if b else [k, n])] +
                maybe(r, floats("c", c)), transA=a, transB=b, activation="Relu")


@node
def DynamicQuantizeMatMul(r):
    a, k, n = shape(r, 1, 3), some(r), some(r)
    return call(M + "DynamicQuantizeMatMul", [floats("a", a + [k]), quantized("b", "uint8", [k, n]), scale("s")] +
                maybe(r, quantized("z", "uint8"), floats("bias", [n])))


@node
def MatMulIntegerToFloat(r):
    a, k, n = shape(r, 1, 3), some(r), some(r)
    return call(M + "MatMulIntegerToFloat", [quantized("a", "uint8", a + [k]), quantized("b", "int8", [k, n]), scale("s"),
                                             scale("t")] + maybe(r, quantized("z", "uint8"), quantized("y_", "int8")))


@node
def MatMulInteger16(r):
    m, k, n = some(r), some(r), some(r)
    return call(M + "MatMulInteger16", [quantized("a", "int16", [m, k]), quantized("b", "int16", [k, n])])


@node
def MatMulNBits(r):
    a, blocks, n = shape(r, 1, 2), some(r, 3), some(r)
    k = 16 * blocks - r.choice([0, 3])
    return call(M + "MatMulNBits", [floats("a", a + [k]), Input("b", "uint8", [n, blocks, 8], (1,), True),
                                    Input("s", "float", [n * blocks], (0.5,), True)], K=k, N=n, bits=4, block_size=16)


@node
def CDist(r):
    n = some(r)
    return call(M + "CDist", [floats("a", [some(r), n]), floats("b", [some(r), n])],
                metric=r.choice(["euclidean", "sqeuclidean"]))


@node
def Inverse(r):
    n = some(r, 3)
    eye = tuple(float(k % (n + 1) == 0) for k in range(n * n))
    return call(M + "Inverse", [floats("x", shape(r, 0, 2, 3) + [n, n], eye)])


@node
def MoE(r):
    tokens, hidden, inter, experts = some(r), some(r), some(r), r.randint(2, 4)
    x = r.choice([[tokens, hidden], [1, tokens, hidden]])
    return call(M + "MoE", [floats("x", x), floats("p", [tokens, experts]), floats("w", [experts, inter, hidden]), None,
                            floats("v", [experts, hidden, inter])], k=r.randint(1, 2), activation_type="relu")


# -- quantized --

def binary(name):
    def make(r):
        a = shape(r, 1)
        b = [r.choice([d, 1]) for d in a][r.randint(0, len(a) - 1):]
        return call(M + name, [quantized("a", "uint8", a), scale("as"), quantized("az", "uint8"), quantized("b", "uint8", b),
                               scale("bs"), quantized("bz", "uint8"), scale("cs"), quantized("cz", "uint8")])
    make.__name__ = name
    return node(make)


binary("QLinearAdd")
binary("QLinearMul")


def unary(name, **attributes):
    def make(r):
        x = shape(r, 1)
        return call(M + name, [quantized("x", "uint8", x), scale("xs"), quantized("xz", "uint8"), scale("ys"),
                               quantized("yz", "uint8")], **attributes)
    make.__name__ = name
    return node(make)


unary("QLinearSigmoid")
unary("QLinearLeakyRelu", alpha=0.1)
unary("QLinearSoftmax", opset=13, axis=-1)


@node
def QLinearWhere(r):
    a = shape(r, 1)
    b = [r.choice([d, 1]) for d in a]
    return call(M + "QLinearWhere", [
        Input("c", "bool", [r.choice([d, 1]) for d in a]), quantized("a", "uint8", a), scale("as"), quantized("az", "uint8"),
        quantized("b", "uint8", b), scale("bs"), quantized("bz", "uint8"), scale("zs"), quantized("zz", "uint8")])


@node
def QLinearConcat(r):
    x, axis, inputs = shape(r, 1), 0, []
    for k in range(some(r, 3)):
        one = list(x)
        one[axis] = some(r)
        inputs += [quantized("x%d" % k, "uint8", one), Input("s%d" % k, "float", [], (0.5,), True),
                   Input("z%d" % k, "uint8", [], (1,), True)]
    return call(M + "QLinearConcat", [Input("s", "float", [], (0.5,), True), Input("z", "uint8", [], (1,), True)] + inputs,
                axis=axis)


@node
def QGemm(r):
    m, k, n, a, b = some(r), some(r), some(r), r.randint(0, 1), r.randint(0, 1)
    return call(M + "QGemm", [quantized("a", "uint8", [k, m] if a else [m, k]), scale("as"), quantized("az", "uint8"),
                              quantized("b", "int8", [n, k] if b else [k, n]), scale("bs"), quantized("bz", "int8")],
                transA=a, transB=b)


@node
def DequantizeLinear(r):
    return call(M + "DequantizeLinear", [quantized("x", "uint8", shape(r)), scale("s"), quantized("z", "uint8")])


@node
def QuantizeLinear(r):
    return call(M + "QuantizeLinear", [floats("x", shape(r)), scale("s"), quantized("z", "int8")])


@node
def DynamicQuantizeLSTM(r):
    t, b, seen, hidden = some(r), some(r), some(r), some(r)
    weights = [quantized("w", "uint8", [1, seen, 4 * hidden]), quantized("r", "uint8", [1, hidden, 4 * hidden])]
    scales = [scale("ws", [1]), quantized("wz", "uint8", [1]), scale("rs", [1]), quantized("rz", "uint8", [1])]
    return call(M + "DynamicQuantizeLSTM", [floats("x", [t, b, seen])] + [w._replace(constant=True) for w in weights] +
                [None] * 5 + [s._replace(constant=True) for s in scales], "y, h, c", hidden_size=hidden)


# -- windows --

def window(r, spatial, kernel):
    return {"strides": [some(r, 3) for _ in range(spatial)], "pads": [r.randint(0, min(kernel) - 1) for _ in range(2 * spatial)]}


@node
def FusedConv(r):
    spatial, groups = r.randint(1, 2), some(r, 2)
    kernel = [some(r, 3) for _ in range(spatial)]
    c, m = groups * some(r, 3), groups * some(r, 3)
    x = [some(r), c] + [some(r, 9) + 2 for _ in range(spatial)]
    return call(M + "FusedConv", [floats("x", x), floats("w", [m, c // groups] + kernel)] + maybe(r, floats("b", [m])),
                group=groups, activation="Relu", **window(r, spatial, kernel))


@node
def QLinearConv(r):
    last, groups = r.randint(0, 1), 1
    kernel, c, m = [some(r, 3), some(r, 3)], some(r, 4), some(r, 4)
    image = [some(r, 9) + 2, some(r, 9) + 2]
    x = [some(r)] + (image + [c] if last else [c] + image)
    return call(M + "QLinearConv", [
        quantized("x", "uint8", x), scale("xs"), quantized("xz", "uint8"), Input("w", "uint8", [m, c] + kernel, (1,), True),
        scale("ws"), Input("wz", "uint8", [], (1,), True), scale("ys"), quantized("yz", "uint8")], channels_last=last,
        group=groups, **window(r, 2, kernel))


@node
def QLinearAveragePool(r):
    last, kernel, c = r.randint(0, 1), [some(r, 3), some(r, 3)], some(r)
    image = [some(r, 9) + 2, some(r, 9) + 2]
    x = [some(r)] + (image + [c] if last else [c] + image)
    return call(M + "QLinearAveragePool", [quantized("x", "uint8", x), scale("xs"), quantized("xz", "uint8"), scale("ys"),
                                           quantized("yz", "uint8")], channels_last=last, kernel_shape=kernel,
                ceil_mode=r.randint(0, 1), **window(r, 2, kernel))


@node
def QLinearGlobalAveragePool(r):
    x = [some(r) for _ in range(4)]
    return call(M + "QLinearGlobalAveragePool", [quantized("x", "uint8", x), scale("xs"), quantized("xz", "uint8"),
                                                 scale("ys"), quantized("yz", "uint8")], channels_last=r.randint(0, 1))


@node
def NhwcMaxPool(r):
    kernel = [some(r, 3), some(r, 3)]
    return call(M + "NhwcMaxPool", [quantized("x", "uint8", [some(r), some(r, 9) + 2, some(r, 9) + 2, some(r)])],
                kernel_shape=kernel, ceil_mode=r.randint(0, 1), **window(r, 2, kernel))


@node
def MaxpoolWithMask(r):
    kernel, x = [some(r, 3), some(r, 3)], [some(r), some(r), some(r, 9) + 2, some(r, 9) + 2]
    return call(M + "MaxpoolWithMask", [floats("x", x), Input("m", "int32", x)], kernel_shape=kernel, **window(r, 2, kernel))


@node
def GridSample(r):
    n = some(r)
    return call(M + "GridSample", [floats("x", [n, some(r), some(r), some(r)]), floats("g", [n, some(r), some(r), 2])])


@node
def CropAndResize(r):
    rois = some(r)
    return call(M + "CropAndResize", [
        floats("x", [some(r), some(r), some(r), some(r)]), floats("r", [rois, 4], (0.0, 0.0, 1.0, 1.0)),
        Input("i", "int32", [rois], (0,)), Input("c", "int32", [2], (some(r), some(r)), True)])


@node
def Crop(r):
    border = [r.randint(0, 2) for _ in range(4)]
    scaled = r.choice([None, [some(r, 3), some(r, 3)]])
    return call("Crop", [floats("x", [some(r), some(r), 5 + some(r), 5 + some(r)])], border=border, scale=scaled)


# -- parts of tensors --

@node
def Pad(r):
    x = shape(r, 1, 3)
    pads = tuple(r.randint(0, 3) for _ in range(2 * len(x)))
    dims = r.choice([[2 * len(x)], [1, 2 * len(x)]])
    return call(M + "Pad", [floats("x", x), Input("p", "int64", dims, pads, True)])


@node
def Trilu(r):
    return call(M + "Trilu", [floats("x", shape(r, 2))] + maybe(r, Input("k", "int64", [], (1,))), upper=r.randint(0, 1))


@node
def Unique(r):
    return call(M + "Unique", [floats("x", [size(r, 9)], (1.0, 2.0, 1.0))], "y, i, c")


@node
def GatherND(r):
    x = [some(r) for _ in range(r.randint(1, 3))]
    return call(M + "GatherND", [floats("x", x), Input("i", r.choice(["int32", "int64"]),
                                                       shape(r, 0, 2) + [r.randint(1, len(x))], (0,))])


@node
def GatherBlockQuantized(r):
    rows, blocks = some(r), some(r, 3)
    return call(M + "GatherBlockQuantized", [
        Input("d", "uint8", [rows, 8 * blocks], (1,), True), Input("i", "int64", shape(r, 0, 2), (0,)),
        Input("s", "float", [rows, blocks], (0.5,), True)], bits=4, block_size=16, gather_axis=0, quantize_axis=1)


@node
def DynamicSlice(r):
    x = shape(r, 1, 3)
    axes = r.sample(range(len(x)), r.randint(1, len(x)))
    starts, ends = [tuple(r.randint(-6, 6) for _ in axes) for _ in range(2)]
    lists = [Input(name, "int64", [len(axes)], data, True) for name, data in (("s", starts), ("e", ends), ("a", tuple(axes)))]
    return call("DynamicSlice", [floats("x", x)] + lists)


@node
def Range(r):
    kind = r.choice(["int64", "int32", "int16", "float", "double"])
    numbers = [r.randint(-9, 9), r.randint(-9, 9)] + r.choice([[], [r.choice([-2, -1, 1, 2, 3])]])
    return call(M + "Range", [Input("n%d" % k, kind, r.choice([[], [1]]), (value,), True) for k, value in enumerate(numbers)])


@node
def ExpandDims(r):
    x = shape(r)
    return call(M + "ExpandDims", [floats("x", x), Input("a", "int32", r.choice([[], [1]]), (place(r, len(x) + 1),), True)])


@node
def UnfoldTensor(r):
    x = [2 + some(r, 7) for _ in range(r.randint(1, 3))]
    return call(M + "UnfoldTensor", [floats("x", x)], size=some(r, 4), dim=r.choice([None, place(r, len(x))]),
                step=r.choice([None, some(r, 3)]))


@node
def DynamicTimeWarping(r):
    return call(M + "DynamicTimeWarping", [floats("x", r.choice([[], [1]]) + [some(r, 9), some(r, 9)], (1.0, 5.0, 2.0))])


# -- texts and tokens --

@node
def Tokenizer(r):
    texts = Input("x", "string", shape(r, 1, 2), ("a b c", "d", "e f"))
    return call(M + "Tokenizer", [texts], mark=r.randint(0, 1), mincharnum=1, pad_value="#", tokenexp="[a-z]+")


@node
def MurmurHash3(r):
    kind = r.choice(["int32", "uint32", "int64", "float", "double", "string"])
    return call(M + "MurmurHash3", [Input("x", kind, shape(r), ("a",) if kind == "string" else (1,))],
                positive=r.choice([None, 0, 1]))


@node
def NGramRepeatBlock(r):
    b = some(r)
    return call(M + "NGramRepeatBlock", [Input("i", "int64", [b, some(r)], (0,)), floats("s", [b, some(r)])],
                ngram_size=some(r, 3))


@node
def NGramHashMapping(r):
    b, s, grams, heads = some(r), some(r), 1 + some(r, 3), some(r, 3)
    every = (grams - 1) * heads
    return call(M + "NGramHashMapping", [
        Input("i", "int64", [b, s]), Input("m", "int64", [grams]), Input("v", "int64", [every], (3,)),
        r.choice([None, Input("p", "int64", [b, grams - 1])])], "y, z", max_ngram_size=grams, n_head_per_ngram=heads, pad_id=0)


@node
def BifurcationDetector(r):
    return call(M + "BifurcationDetector", [
        Input("s", "int64", [4 + some(r)], (1, 2, 3)), Input("c", "int64", [some(r)], (1, 2)), Input("i", "int64", [], (0,)),
        r.choice([None, Input("p", "int64", [5 + some(r)], (1, 2, 3))])], "y, z", max_ngram_size=3, min_ngram_size=1)


@node
def WordConvEmbedding(r):
    filters, window_, width = some(r), some(r, 3), some(r)
    return call(M + "WordConvEmbedding", [
        Input("s", "int32", [some(r), window_ + some(r)], (1,)), floats("w", [filters, 1, window_, width]),
        floats("b", [filters]), floats("c", [5, width])], embedding_size=r.choice([None, filters]))


@node
def AttnLSTM(r):
    t, b, seen, hidden, depth, steps, attention = some(r), some(r), some(r), some(r), some(r), some(r), some(r)
    return call(M + "AttnLSTM", [
        floats("x", [t, b, seen]), floats("w", [1, 4 * hidden, seen + depth]), floats("r", [1, 4 * hidden, hidden]), None, None,
        None, None, None, floats("qw", [1, hidden, attention]), floats("mw", [1, depth, attention]), floats("v", [1, attention]),
        floats("m", [b, steps, depth])], "y, h, c", hidden_size=hidden)
