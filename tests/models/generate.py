#!/usr/bin/env python3
"""Writes the models of this folder as protobuf text, and beside each what its values must be.

The graphs are complete and as exporters write them; the weights are external data in a file that does not exist, since
shapes need no weights. What every value must be (NAME.expected.txt: name, type, shape, contents) is told by who builds
the model, layer by layer, and not by the engine that is tested with it.

    generate.py FOLDER        writes FOLDER/NAME.textproto and FOLDER/NAME.expected.txt of every model
"""
import os
import struct
import sys

FLOAT, INT64 = 1, 7
TYPE_NAMES = {FLOAT: "tensor(float)", INT64: "tensor(int64)"}


def quoted(data):
    """Bytes or text as a protobuf text literal."""
    if isinstance(data, str):
        data = data.encode()
    plain = {ord('"'): '\\"', ord("\\"): "\\\\"}
    return '"' + "".join(plain.get(b, chr(b) if 32 <= b < 127 else "\\%03o" % b) for b in data) + '"'


def dim(d):
    return "dim { dim_value: %d }" % d if isinstance(d, int) else "dim { dim_param: %s }" % quoted(d)


class Model:
    """A graph under construction. Shapes are lists of integers and Python expressions over the input's symbols."""

    def __init__(self, name, opset):
        self.name, self.opset, self.offset = name, opset, 0
        self.lines, self.tail, self.expected = [], [], []

    def value_info(self, field, name, elem, shape):
        self.tail.append("  %s { name: %s type { tensor_type { elem_type: %d shape { %s } } } }" % (
            field, quoted(name), elem, " ".join(map(dim, shape))))

    def expect(self, name, elem, shape, content=None):
        text = "%s\t%s\t[%s]" % (name, TYPE_NAMES[elem], ", ".join(map(str, shape)))
        self.expected.append(text + ("\t[%s]" % ", ".join(map(str, content)) if content is not None else ""))

    def input(self, name, elem, shape):
        self.value_info("input", name, elem, shape)
        self.expect(name, elem, shape)
        return name

    def output(self, name, elem, shape):
        self.value_info("output", name, elem, shape)

    def weight(self, name, shape):
        size = 4
        for d in shape:
            size *= d
        entries = (("location", self.name + ".weights"), ("offset", self.offset), ("length", size))
        external = " ".join("external_data { key: %s value: %s }" % (quoted(k), quoted(str(v))) for k, v in entries)
        self.offset += size
        self.lines.append("  initializer { %s data_type: %d name: %s %s data_location: 1 }" % (
            " ".join("dims: %d" % d for d in shape), FLOAT, quoted(name), external))
        return name

    def node(self, op, inputs, output, elem, shape, content=None, **attributes):
        """Appends a node whose one output is of the given shape; its name is the output's without the exporter's suffix."""
        parts = ["input: " + quoted(i) for i in inputs] + ["output: " + quoted(output)]
        parts += ["name: " + quoted(output.replace("_output_0", "")), "op_type: " + quoted(op)]
        for name, value in sorted(attributes.items()):
            if isinstance(value, int):
                body = "i: %d type: 2" % value
            elif isinstance(value, float):
                body = "f: %r type: 1" % value
            elif isinstance(value, list):
                body = " ".join("ints: %d" % v for v in value) + " type: 7"
            else:
                body = "t { %s } type: 4" % value[0]
            parts.append("attribute { name: %s %s }" % (quoted(name), body))
        self.lines.append("  node { %s }" % " ".join(parts))
        self.expect(output, elem, shape, content)
        return output

    def constant(self, name, elem, values, scalar=False):
        raw = b"".join(struct.pack("<q" if elem == INT64 else "<f", v) for v in values)
        dims = "" if scalar else "dims: %d " % len(values)
        tensor = ("%sdata_type: %d raw_data: %s" % (dims, elem, quoted(raw)),)
        shape = [] if scalar else [len(values)]
        return self.node("Constant", [], name, elem, shape, values if elem == INT64 else None, value=tensor)

    def write(self, folder):
        head = ["# Written by generate.py.", "ir_version: 8", 'producer_name: "pytorch"', 'producer_version: "2.1.0"',
                "opset_import { version: %d }" % self.opset, "graph {", "  name: " + quoted(self.name)]
        with open(os.path.join(folder, self.name + ".textproto"), "w", encoding="utf-8") as f:
            f.write("\n".join(head + self.lines + self.tail + ["}"]) + "\n")
        with open(os.path.join(folder, self.name + ".expected.txt"), "w", encoding="utf-8") as f:
            f.write("\n".join(self.expected) + "\n")


def halved(size):
    """What a window of 2p+1 with padding p and stride 2 leaves."""
    return "((%s) - 1)//2 + 1" % size


def conv(m, path, x, channels_in, channels, kernel, stride, size):
    """Convolution (padded so that only the stride matters) and batch normalization, as they stand before folding."""
    scope = "/" + path.replace(".", "/")
    weight = m.weight(path + ".weight", [channels, channels_in, kernel, kernel])
    out = [halved(s) if stride == 2 else s for s in size]
    pad = (kernel - 1) // 2
    x = m.node("Conv", [x, weight], scope + "/Conv_output_0", FLOAT, ["N", channels] + out, dilations=[1, 1], group=1,
               kernel_shape=[kernel, kernel], pads=[pad] * 4, strides=[stride, stride])
    norm = path.replace("conv", "bn") if "conv" in path else path[:-1] + "1"
    stats = [m.weight("%s.%s" % (norm, s), [channels]) for s in ("weight", "bias", "running_mean", "running_var")]
    x = m.node("BatchNormalization", [x] + stats, "/%s/BatchNormalization_output_0" % norm.replace(".", "/"), FLOAT,
               ["N", channels] + out, epsilon=1e-5, momentum=0.9)
    return x, out


def bottleneck(m, path, x, channels_in, width, stride, size):
    scope = "/" + path.replace(".", "/")
    identity = x
    shape_in = size
    x, _ = conv(m, path + ".conv1", x, channels_in, width, 1, 1, size)
    x = m.node("Relu", [x], scope + "/relu/Relu_output_0", FLOAT, ["N", width] + size)
    x, size = conv(m, path + ".conv2", x, width, width, 3, stride, size)
    x = m.node("Relu", [x], scope + "/relu_1/Relu_output_0", FLOAT, ["N", width] + size)
    x, _ = conv(m, path + ".conv3", x, width, 4 * width, 1, 1, size)
    if channels_in != 4 * width or stride != 1:
        identity, _ = conv(m, path + ".downsample.0", identity, channels_in, 4 * width, 1, stride, shape_in)
    x = m.node("Add", [x, identity], scope + "/Add_output_0", FLOAT, ["N", 4 * width] + size)
    return m.node("Relu", [x], scope + "/relu_2/Relu_output_0", FLOAT, ["N", 4 * width] + size), size


def resnet50():
    """ResNet-50 (He et al., Deep Residual Learning for Image Recognition), batch, height and width symbolic."""
    m = Model("resnet50", 17)
    x = m.input("input", FLOAT, ["N", 3, "H", "W"])
    x, size = conv(m, "conv1", x, 3, 64, 7, 2, ["H", "W"])
    x = m.node("Relu", [x], "/relu/Relu_output_0", FLOAT, ["N", 64] + size)
    size = [halved(s) for s in size]
    x = m.node("MaxPool", [x], "/maxpool/MaxPool_output_0", FLOAT, ["N", 64] + size, ceil_mode=0, kernel_shape=[3, 3],
               pads=[1, 1, 1, 1], strides=[2, 2])
    channels = 64
    for stage, (blocks, width) in enumerate(((3, 64), (4, 128), (6, 256), (3, 512))):
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            x, size = bottleneck(m, "layer%d.%d" % (stage + 1, block), x, channels, width, stride, size)
            channels = 4 * width
    x = m.node("GlobalAveragePool", [x], "/avgpool/GlobalAveragePool_output_0", FLOAT, ["N", channels, 1, 1])
    x = m.node("Flatten", [x], "/Flatten_output_0", FLOAT, ["N", channels], axis=1)
    weights = [m.weight("fc.weight", [1000, channels]), m.weight("fc.bias", [1000])]
    m.node("Gemm", [x] + weights, "output", FLOAT, ["N", 1000], alpha=1.0, beta=1.0, transB=1)
    m.output("output", FLOAT, ["N", 1000])
    return m


HIDDEN, HEADS, INNER, LAYERS, VOCABULARY, POSITIONS = 768, 12, 3072, 6, 30522, 512
HEAD = HIDDEN // HEADS
TOKENS = ["batch", "sequence"]


def linear(m, scope, path, x, shape, width_in, width):
    weight = m.weight("onnx::MatMul_" + path, [width_in, width])
    x = m.node("MatMul", [x, weight], scope + "/MatMul_output_0", FLOAT, shape + [width])
    return m.node("Add", [m.weight(path + ".bias", [width]), x], scope + "/Add_output_0", FLOAT, shape + [width])


def size_of(m, scope, x, rank_shape, axis, index):
    """x.size(axis) as it is traced: Shape, Gather, and Unsqueeze so that Concat takes it."""
    tag = "" if index == 0 else "_%d" % index
    shape = m.node("Shape", [x], "%s/Shape%s_output_0" % (scope, tag), INT64, [len(rank_shape)], rank_shape)
    which = m.constant("%s/Constant_a%d_output_0" % (scope, index), INT64, [axis], scalar=True)
    size = m.node("Gather", [shape, which], "%s/Gather%s_output_0" % (scope, tag), INT64, [], [rank_shape[axis]], axis=0)
    axes = m.constant("%s/Constant_b%d_output_0" % (scope, index), INT64, [0])
    return m.node("Unsqueeze", [size, axes], "%s/Unsqueeze%s_output_0" % (scope, tag), INT64, [1], [rank_shape[axis]])


def reshaped(m, scope, x, shape, tail):
    """x.view(x.size(0), x.size(1), *tail): what the shape holds must follow batch and sequence through four operators."""
    parts = [size_of(m, scope, x, shape, axis, axis) for axis in (0, 1)]
    parts += [m.constant("%s/Constant_c%d_output_0" % (scope, i), INT64, [t]) for i, t in enumerate(tail)]
    target = m.node("Concat", parts, scope + "/Concat_output_0", INT64, [len(parts)], TOKENS + tail, axis=0)
    return m.node("Reshape", [x, target], scope + "/Reshape_output_0", FLOAT, TOKENS + tail, allowzero=0)


def heads(m, scope, path, x, perm):
    x = linear(m, scope, path, x, TOKENS, HIDDEN, HIDDEN)
    x = reshaped(m, scope, x, TOKENS + [HIDDEN], [HEADS, HEAD])
    split = TOKENS + [HEADS, HEAD]
    return m.node("Transpose", [x], scope + "/Transpose_output_0", FLOAT, [split[p] for p in perm], perm=perm)


def layer_norm(m, scope, path, x):
    weights = [m.weight(path + ".weight", [HIDDEN]), m.weight(path + ".bias", [HIDDEN])]
    return m.node("LayerNormalization", [x] + weights, scope + "/LayerNormalization_output_0", FLOAT,
                  TOKENS + [HIDDEN], axis=-1, epsilon=1e-12)


def attention(m, scope, path, x, mask):
    query = heads(m, scope + "/query", path + ".query", x, [0, 2, 1, 3])
    key = heads(m, scope + "/key", path + ".key", x, [0, 2, 3, 1])
    value = heads(m, scope + "/value", path + ".value", x, [0, 2, 1, 3])
    square = ["batch", HEADS, "sequence", "sequence"]
    scores = m.node("MatMul", [query, key], scope + "/MatMul_output_0", FLOAT, square)
    root = m.constant(scope + "/Constant_output_0", FLOAT, [HEAD ** 0.5], scalar=True)
    scores = m.node("Div", [scores, root], scope + "/Div_output_0", FLOAT, square)
    scores = m.node("Add", [scores, mask], scope + "/Add_output_0", FLOAT, square)
    weights = m.node("Softmax", [scores], scope + "/Softmax_output_0", FLOAT, square, axis=-1)
    mixed = m.node("MatMul", [weights, value], scope + "/MatMul_1_output_0", FLOAT, ["batch", HEADS, "sequence", HEAD])
    mixed = m.node("Transpose", [mixed], scope + "/Transpose_output_0", FLOAT, TOKENS + [HEADS, HEAD], perm=[0, 2, 1, 3])
    mixed = reshaped(m, scope + "/merge", mixed, TOKENS + [HEADS, HEAD], [HIDDEN])
    return linear(m, scope + "/output", path + ".output", mixed, TOKENS, HIDDEN, HIDDEN)


def gelu(m, scope, x):
    shape = TOKENS + [INNER]
    root = m.constant(scope + "/Constant_output_0", FLOAT, [2 ** 0.5], scalar=True)
    one = m.constant(scope + "/Constant_1_output_0", FLOAT, [1.0], scalar=True)
    half = m.constant(scope + "/Constant_2_output_0", FLOAT, [0.5], scalar=True)
    y = m.node("Div", [x, root], scope + "/Div_output_0", FLOAT, shape)
    y = m.node("Erf", [y], scope + "/Erf_output_0", FLOAT, shape)
    y = m.node("Add", [y, one], scope + "/Add_output_0", FLOAT, shape)
    y = m.node("Mul", [x, y], scope + "/Mul_output_0", FLOAT, shape)
    return m.node("Mul", [y, half], scope + "/Mul_1_output_0", FLOAT, shape)


def encoder_layer(m, index, x, mask):
    scope, path = "/encoder/layer.%d" % index, "encoder.layer.%d" % index
    shape = TOKENS + [HIDDEN]
    y = attention(m, scope + "/attention", path + ".attention", x, mask)
    x = m.node("Add", [y, x], scope + "/attention/residual/Add_output_0", FLOAT, shape)
    x = layer_norm(m, scope + "/attention", path + ".attention.norm", x)
    y = linear(m, scope + "/intermediate", path + ".intermediate", x, TOKENS, HIDDEN, INNER)
    y = gelu(m, scope + "/gelu", y)
    y = linear(m, scope + "/output", path + ".output", y, TOKENS, INNER, HIDDEN)
    x = m.node("Add", [y, x], scope + "/output/residual/Add_output_0", FLOAT, shape)
    return layer_norm(m, scope + "/output", path + ".output.norm", x)


def embeddings(m, ids):
    """Words and positions 0 ... sequence-1, which Range makes from the size of the input."""
    scope, shape = "/embeddings", TOKENS + [HIDDEN]
    words = m.node("Gather", [m.weight("embeddings.words", [VOCABULARY, HIDDEN]), ids], scope + "/Gather_output_0", FLOAT,
                   shape)
    sizes = m.node("Shape", [ids], scope + "/Shape_output_0", INT64, [2], TOKENS)
    one = m.constant(scope + "/Constant_output_0", INT64, [1], scalar=True)
    length = m.node("Gather", [sizes, one], scope + "/Gather_1_output_0", INT64, [], ["sequence"], axis=0)
    zero = m.constant(scope + "/Constant_1_output_0", INT64, [0], scalar=True)
    positions = m.node("Range", [zero, length, one], scope + "/Range_output_0", INT64, ["sequence"])
    axes = m.constant(scope + "/Constant_2_output_0", INT64, [0])
    positions = m.node("Unsqueeze", [positions, axes], scope + "/Unsqueeze_output_0", INT64, [1, "sequence"])
    places = m.node("Gather", [m.weight("embeddings.positions", [POSITIONS, HIDDEN]), positions],
                    scope + "/Gather_2_output_0", FLOAT, [1, "sequence", HIDDEN])
    x = m.node("Add", [words, places], scope + "/Add_output_0", FLOAT, shape)
    return layer_norm(m, scope, "embeddings.norm", x)


def extended_mask(m, mask):
    """(1 - mask[:, None, None, :]) * lowest, added to the scores of every head and position."""
    one = m.constant("/Constant_output_0", INT64, [1])
    two = m.constant("/Constant_1_output_0", INT64, [2])
    mask = m.node("Unsqueeze", [mask, one], "/Unsqueeze_output_0", INT64, ["batch", 1, "sequence"])
    mask = m.node("Unsqueeze", [mask, two], "/Unsqueeze_1_output_0", INT64, ["batch", 1, 1, "sequence"])
    mask = m.node("Cast", [mask], "/Cast_output_0", FLOAT, ["batch", 1, 1, "sequence"], to=FLOAT)
    ones = m.constant("/Constant_2_output_0", FLOAT, [1.0], scalar=True)
    lowest = m.constant("/Constant_3_output_0", FLOAT, [-3.4028234663852886e38], scalar=True)
    mask = m.node("Sub", [ones, mask], "/Sub_output_0", FLOAT, ["batch", 1, 1, "sequence"])
    return m.node("Mul", [mask, lowest], "/Mul_output_0", FLOAT, ["batch", 1, 1, "sequence"])


def encoder():
    """A transformer encoder of six layers (Vaswani et al., Attention Is All You Need), batch and sequence symbolic."""
    m = Model("encoder", 17)
    ids = m.input("input_ids", INT64, TOKENS)
    mask = extended_mask(m, m.input("attention_mask", INT64, TOKENS))
    x = embeddings(m, ids)
    for index in range(LAYERS):
        x = encoder_layer(m, index, x, mask)
    m.node("Identity", [x], "last_hidden_state", FLOAT, TOKENS + [HIDDEN])
    first = m.constant("/pooler/Constant_output_0", INT64, [0], scalar=True)
    x = m.node("Gather", [x, first], "/pooler/Gather_output_0", FLOAT, ["batch", HIDDEN], axis=1)
    weights = [m.weight("pooler.dense.weight", [HIDDEN, HIDDEN]), m.weight("pooler.dense.bias", [HIDDEN])]
    x = m.node("Gemm", [x] + weights, "/pooler/dense/Gemm_output_0", FLOAT, ["batch", HIDDEN], alpha=1.0, beta=1.0, transB=1)
    m.node("Tanh", [x], "pooler_output", FLOAT, ["batch", HIDDEN])
    m.output("last_hidden_state", FLOAT, TOKENS + [HIDDEN])
    m.output("pooler_output", FLOAT, ["batch", HIDDEN])
    return m


SIDE, SHIFT, CHANNELS, WINDOW_HEADS, BLOCKS = 7, 3, 96, 3, 4
GRID = ["batch", "7*rows", "7*columns", CHANNELS]
FIELD = ["batch*rows*columns", SIDE * SIDE, CHANNELS]
INT64_MOST = (1 << 63) - 1


class Scope:
    """Nodes under one path, numbered by their operators as the exporter does it."""

    def __init__(self, m, path):
        self.m, self.path, self.count = m, path, {}

    def tagged(self, op):
        number = self.count[op] = self.count.get(op, -1) + 1
        return "%s/%s%s_output_0" % (self.path, op, "_%d" % number if number else "")

    def node(self, op, inputs, shape, elem=FLOAT, content=None, **attributes):
        return self.m.node(op, inputs, self.tagged(op), elem, shape, content, **attributes)

    def constant(self, elem, values, scalar=False):
        return self.m.constant(self.tagged("Constant"), elem, values, scalar)

    def size(self, x, shape, axis, divisor=1):
        """x.shape[axis] // divisor as a list of one."""
        got = self.node("Shape", [x], [len(shape)], INT64, shape)
        got = self.node("Gather", [got, self.constant(INT64, [axis], scalar=True)], [], INT64, [shape[axis]], axis=0)
        if divisor > 1:
            got = self.node("Div", [got, self.constant(INT64, [divisor], scalar=True)], [], INT64,
                            ["(%s)//%d" % (shape[axis], divisor)])
        return self.node("Unsqueeze", [got, self.constant(INT64, [0])], [1], INT64,
                         ["(%s)//%d" % (shape[axis], divisor)])

    def view(self, x, parts, contents, shape):
        """Reshapes to parts, each a value or a number, whose contents are known."""
        values = [part if isinstance(part, str) else self.constant(INT64, [part]) for part in parts]
        target = self.node("Concat", values, [len(parts)], INT64, contents, axis=0)
        return self.node("Reshape", [x, target], shape, allowzero=0)

    def linear(self, path, x, shape, width_in, width):
        x = self.node("MatMul", [x, self.m.weight("onnx::MatMul_" + path, [width_in, width])], shape + [width])
        return self.node("Add", [self.m.weight(path + ".bias", [width]), x], shape + [width])

    def norm(self, path, x):
        weights = [self.m.weight("%s.%s" % (path, w), [CHANNELS]) for w in ("weight", "bias")]
        return self.node("LayerNormalization", [x] + weights, GRID, axis=-1, epsilon=1e-5)

    def roll(self, x, by):
        """Rolls rows and columns: what begins at `by` comes first, and what stood before it behind."""
        for axis in (1, 2):
            size = GRID[axis]
            parts = []
            for begin, end in ((by, INT64_MOST), (0, by)):
                left = "%s - %d" % (size, by) if by > 0 else "%d" % -by
                length = left if end == INT64_MOST else "%d" % by if by > 0 else "%s - %d" % (size, -by)
                bounds = [self.constant(INT64, [v]) for v in (begin, end, axis, 1)]
                inputs = [x, bounds[0], bounds[1], bounds[2], bounds[3]]
                parts.append(self.node("Slice", inputs, GRID[:axis] + [length] + GRID[axis + 1:]))
            x = self.node("Concat", parts, GRID, axis=axis)
        return x


def window_attention(s, path, x):
    """Attention among the places of each window."""
    head = CHANNELS // WINDOW_HEADS
    x = s.linear(path + ".qkv", x, FIELD[:2], CHANNELS, 3 * CHANNELS)
    count, places = (s.size(x, FIELD[:2] + [3 * CHANNELS], axis) for axis in (0, 1))
    split = FIELD[:2] + [3, WINDOW_HEADS, head]
    x = s.view(x, [count, places, 3, WINDOW_HEADS, head], split, split)
    many = [FIELD[0], WINDOW_HEADS, FIELD[1], head]
    x = s.node("Transpose", [x], [3] + many, perm=[2, 0, 3, 1, 4])
    query, key, value = (s.node("Gather", [x, s.constant(INT64, [i], scalar=True)], many, axis=0) for i in range(3))
    query = s.node("Mul", [query, s.constant(FLOAT, [head ** -0.5], scalar=True)], many)
    key = s.node("Transpose", [key], [many[0], many[1], head, many[2]], perm=[0, 1, 3, 2])
    square = many[:3] + [many[2]]
    scores = s.node("MatMul", [query, key], square)
    scores = s.node("Add", [scores, s.m.weight(path + ".bias_table", [1, WINDOW_HEADS, SIDE * SIDE, SIDE * SIDE])], square)
    scores = s.node("Softmax", [scores], square, axis=-1)
    x = s.node("MatMul", [scores, value], many)
    x = s.node("Transpose", [x], [many[0], many[2], many[1], head], perm=[0, 2, 1, 3])
    x = s.view(x, [count, places, CHANNELS], FIELD, FIELD)
    return s.linear(path + ".proj", x, FIELD[:2], CHANNELS, CHANNELS)


def windows_block(m, index, x, scale):
    path = "blocks.%d" % index
    s = Scope(m, "/blocks/%d" % index)
    shifted = index % 2 == 1
    identity = x
    x = s.norm(path + ".norm1", x)
    if shifted:
        x = s.roll(x, SHIFT)
    batch, rows, columns = s.size(x, GRID, 0), s.size(x, GRID, 1, SIDE), s.size(x, GRID, 2, SIDE)
    apart, together = ["batch", "rows", SIDE, "columns", SIDE, CHANNELS], ["batch", "rows", "columns", SIDE, SIDE, CHANNELS]
    x = s.view(x, [batch, rows, SIDE, columns, SIDE, CHANNELS], apart, apart)
    x = s.node("Transpose", [x], together, perm=[0, 1, 3, 2, 4, 5])
    x = s.node("Mul", [x, scale], together)
    x = s.view(x, [-1, SIDE * SIDE, CHANNELS], [-1] + FIELD[1:], FIELD)
    x = window_attention(s, path + ".attn", x)
    x = s.view(x, [-1, rows, columns, SIDE, SIDE, CHANNELS], [-1] + together[1:], together)
    x = s.node("Transpose", [x], apart, perm=[0, 1, 3, 2, 4, 5])
    height, width = s.size(identity, GRID, 1), s.size(identity, GRID, 2)
    x = s.view(x, [-1, height, width, CHANNELS], [-1] + GRID[1:], GRID)
    if shifted:
        x = s.roll(x, -SHIFT)
    x = identity = s.node("Add", [identity, x], GRID)
    x = s.norm(path + ".norm2", x)
    x = s.linear(path + ".mlp.fc1", x, GRID[:3], CHANNELS, 4 * CHANNELS)
    x = gelu_of(s, x, GRID[:3] + [4 * CHANNELS])
    x = s.linear(path + ".mlp.fc2", x, GRID[:3], 4 * CHANNELS, CHANNELS)
    return s.node("Add", [identity, x], GRID)


def gelu_of(s, x, shape):
    y = s.node("Div", [x, s.constant(FLOAT, [2 ** 0.5], scalar=True)], shape)
    y = s.node("Erf", [y], shape)
    y = s.node("Add", [y, s.constant(FLOAT, [1.0], scalar=True)], shape)
    y = s.node("Mul", [x, y], shape)
    return s.node("Mul", [y, s.constant(FLOAT, [0.5], scalar=True)], shape)


def windows():
    """Attention in windows that every other block shifts (Liu et al., Swin Transformer), on a grid of any whole number of
    windows."""
    m = Model("windows", 17)
    scale = m.input("scale", FLOAT, ["rows", "columns", 1, 1, 1])
    x = m.input("features", FLOAT, GRID)
    for index in range(BLOCKS):
        x = windows_block(m, index, x, scale)
    m.node("Identity", [x], "output", FLOAT, GRID)
    m.output("output", FLOAT, GRID)
    return m


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for model in (resnet50(), encoder(), windows()):
        model.write(sys.argv[1])


if __name__ == "__main__":
    main()
