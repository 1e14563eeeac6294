"""Models as quantisers write them, made without running them: scales and zero points are made up and quantised weights are
zeros, for what counts is which operators stand where.

    quantised(data, "static", types)   8-bit tensors between the nodes: QuantizeLinear and DequantizeLinear around each
    quantised(data, "dynamic", types)  DynamicQuantizeLinear before MatMulInteger, ConvInteger and QAttention, DynamicQuantizeLSTM
    quantised(data, "weights", types)  MatMulNBits, GatherBlockQuantized, and 8-bit weights behind DequantizeLinear

`types` has the type of each value, as answers print it."""
import struct

from rewrite import FLOAT, INT8, INT32, INT64, UINT8, Graph, Initializer, Model, made, zeros
from wire import tensor, text

MICROSOFT = "com.microsoft"
WAYS = ("static", "dynamic", "weights")
BLOCK = 32
WEIGHTED = {"Conv", "ConvTranspose", "MatMul", "Gemm"}  # the second input is a weight, the third one a bias
STATIC = WEIGHTED | {
    "Add", "Mul", "Sub", "Div", "AveragePool", "GlobalAveragePool", "MaxPool", "Concat", "Reshape", "Transpose", "Softmax",
    "Sigmoid", "LeakyRelu", "Relu", "Clip", "Resize", "Split", "Where", "ReduceMean", "Squeeze", "Unsqueeze", "Flatten", "Pad",
    "Slice", "Tanh", "Gather",
}


def scales(name, dims):
    count = 1
    for d in dims:
        count *= d
    return tensor(name, dims, struct.pack("<f", 0.02) * count, FLOAT)


class Target:
    """A graph that is written anew, node by node; what it adds to the main graph's initializers is shared by all graphs."""

    def __init__(self, graph, model, types, outer=None):
        self.graph, self.types, self.model = graph, types, model
        self.added = outer.added if outer else {}
        self.numbers = outer.numbers if outer else [0]
        self.numbers[0] += 1
        self.dequantised = set(outer.dequantised) if outer else set()  # values that went through 8 bits
        self.suffix = "_%d" % self.numbers[0] if outer else ""

    def is_float(self, name):
        held = self.graph.initializer(name)
        return held.element == FLOAT if held else self.types.get(name) == "tensor(float)"

    def weight(self, n, place, ranks):
        """The initializer of floats that a node has as this input, if its rank is among these."""
        held = self.graph.initializer(n.inputs[place]) if len(n.inputs) > place else None
        return held if held and held.element == FLOAT and len(held.dims) in ranks else None

    def put(self, data):
        self.graph.lines.append(data)

    def once(self, name, write):
        """The name of what `write` adds to this graph under a name, once."""
        name += self.suffix
        if name not in self.graph.done:
            self.graph.done.add(name)
            write(name)
        return name

    def bring(self, data):
        """The name of an initializer, which is added to the main graph once."""
        name = Initializer(data).name
        self.added[name] = data
        return name

    def scale(self, dims=()):
        return self.bring(scales("made_scale_%s" % "_".join(map(str, dims)), dims))

    def zero(self, element, dims=()):
        return self.bring(zeros("made_zero_%d_%s" % (element, "_".join(map(str, dims))), dims, element))


# -- static: each float between quantised nodes goes through 8 bits --

def quantizers(target):
    """Of com.microsoft before version 13 of ai.onnx, which has scales for each channel."""
    return "" if target.model.opsets.get("", 1) >= 13 else MICROSOFT


def through(target, value, to):
    """Quantises a value and back."""
    pair, domain = [target.scale(), target.zero(UINT8)], quantizers(target)
    target.put(made("QuantizeLinear", [value] + pair, [to + "_8"], domain))
    target.put(made("DequantizeLinear", [to + "_8"] + pair, [to], domain))


def eight_bit(target, name, axis):
    """A weight of 8 bits with a scale for each index of an axis, dequantised."""
    def write(to):
        dims = target.graph.initializer(name).dims
        target.bring(zeros(to + "_8", dims, INT8))
        along = [dims[axis]]
        target.put(made("DequantizeLinear", [to + "_8", target.scale(along), target.zero(INT8, along)], [to], quantizers(target), axis=axis))
    return target.once(name + "_dequantised", write)


def thirty_two_bit(target, name):
    def write(to):
        target.bring(zeros(to + "_32", target.graph.initializer(name).dims, INT32))
        target.put(made("DequantizeLinear", [to + "_32", target.scale()], [to], quantizers(target)))
    return target.once(name + "_dequantised", write)


def channel_axis(n, dims):
    if n.op == "Gemm":
        return 0 if n.integer("transB", 0) else 1
    return {"Conv": 0, "ConvTranspose": 1, "MatMul": len(dims) - 1}[n.op]


def quantised_input(target, n, i, name):
    held = target.graph.initializer(name)
    if name in target.dequantised or not name or not target.is_float(name):
        return name
    if n.op in WEIGHTED and held and i == 1 and len(held.dims) >= 2:
        return eight_bit(target, name, channel_axis(n, held.dims))
    if n.op in WEIGHTED and held and i == 2:
        return thirty_two_bit(target, name)
    return target.once(name + "_dequantised", lambda to: through(target, name, to))


def static(target, n):
    if n.op not in STATIC or not target.is_float(n.outputs[0]):
        target.put(n.written())
        return
    first = 1 if n.op == "Resize" else len(n.inputs)  # its scales stay as they are
    inputs = [quantised_input(target, n, i, name) if i < first else name for i, name in enumerate(n.inputs)]
    target.put(n.written(inputs, [o + "_wide" if o else "" for o in n.outputs]))
    for output in filter(None, n.outputs):
        through(target, output + "_wide", output)
        target.dequantised.add(output)


# -- dynamic: activations are quantised as they come --

def dynamically(target, name):
    def write(to):
        target.put(made("DynamicQuantizeLinear", [name], [to, to + "_scale", to + "_zero"]))
    return target.once(name + "_quantised", write)


def integer_product(target, n, operator, bias):
    """Of the quantised first input and the weight, scaled back; `bias`, if not None, is added."""
    held, to = target.graph.initializer(n.inputs[1]), n.outputs[0]
    weight = target.bring(zeros(held.name + "_8" + target.suffix, held.dims, INT8 if operator == "MatMulInteger" else UINT8))
    quantised_ = dynamically(target, n.inputs[0])
    zero = target.zero(INT8 if operator == "MatMulInteger" else UINT8)
    kept = n.kept("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides") if operator == "ConvInteger" else b""
    target.put(made(operator, [quantised_, weight, quantised_ + "_zero", zero], [to + "_32"], more=kept))
    target.put(made("Cast", [to + "_32"], [to + "_cast"], to=FLOAT))
    target.put(made("Mul", [quantised_ + "_scale", target.scale()], [to + "_by"]))
    target.put(made("Mul", [to + "_cast", to + "_by"], [to if bias is None else to + "_product"]))
    if bias is not None:
        target.put(made("Add", [to + "_product", bias], [to]))


def spread_bias(target, n, rank):
    """The bias of a convolution as something that is added to its output."""
    bias = n.inputs[2]
    shape = tensor("made_shape_%d" % rank, [rank], struct.pack("<%dq" % rank, 1, -1, *[1] * (rank - 2)), INT64)
    return target.once(bias + "_spread", lambda to: target.put(made("Reshape", [bias, target.bring(shape)], [to])))


def dynamic_lstm(target, n):
    inputs = n.inputs + [""] * (8 - len(n.inputs))
    for i in (1, 2):
        directions, gates, size = target.graph.initializer(inputs[i]).dims
        inputs[i] = target.bring(zeros(inputs[i] + "_8" + target.suffix, [directions, size, gates], INT8))
    directions = [target.graph.initializer(n.inputs[1]).dims[0]]
    pair = [target.scale(directions), target.zero(INT8, directions)]
    kept = n.kept("activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "input_forget")
    target.put(made("DynamicQuantizeLSTM", inputs + pair + pair, n.outputs, MICROSOFT, more=kept))


def quantised_attention(target, n):
    inputs = n.inputs + [""] * (7 - len(n.inputs))
    held, quantised_ = target.graph.initializer(inputs[1]), dynamically(target, inputs[0])
    weight = target.bring(zeros(held.name + "_8" + target.suffix, held.dims, INT8))
    target.put(made("QAttention", [quantised_, weight, inputs[2], quantised_ + "_scale", target.scale(), inputs[3],
                                   quantised_ + "_zero", target.zero(INT8), inputs[4]], n.outputs, MICROSOFT,
                    more=n.kept("num_heads", "unidirectional", "mask_filter_value", "do_rotary")))


def quantised_embedding(target, n):
    inputs = n.inputs + [""] * (8 - len(n.inputs))
    tables = [target.bring(zeros(i + "_8" + target.suffix, target.graph.initializer(i).dims, UINT8)) if i else "" for i in inputs[2:7]]
    scale, zero = [[one if i else "" for i in inputs[2:7]] for one in (target.scale(), target.zero(UINT8))]
    target.put(made("QEmbedLayerNormalization", inputs[:2] + tables + inputs[7:8] + scale + zero,
                    (n.outputs + [n.outputs[0] + "_mask"])[:2], MICROSOFT,
                    more=n.kept("epsilon")))


def dynamic_fused(target, n):
    """What an optimiser made: com.microsoft has some of it with quantised weights."""
    inputs = n.inputs + [""] * (9 - len(n.inputs))
    if n.op == "Attention" and target.weight(n, 1, (2,)) and inputs[2] and not any(inputs[5:]) and "qkv_hidden_sizes" not in n.attributes:
        quantised_attention(target, n)
    elif n.op == "EmbedLayerNormalization" and not inputs[8] and len(n.outputs) < 3 and all(
            not i or target.weight(n, 2 + at, (1, 2)) for at, i in enumerate(inputs[2:7])):
        quantised_embedding(target, n)
    else:
        target.put(n.written())


def dynamic(target, n):
    if n.domain:
        dynamic_fused(target, n)
        return
    matrix, kernel = target.weight(n, 1, (2,)), target.weight(n, 1, (3, 4, 5))
    bias = n.inputs[2] if len(n.inputs) > 2 and n.inputs[2] else None
    if n.op == "MatMul" and matrix:
        integer_product(target, n, "MatMulInteger", None)
    elif n.op == "Gemm" and matrix and not n.integer("transA", 0) and not n.integer("transB", 0):
        integer_product(target, n, "MatMulInteger", bias)
    elif n.op == "Conv" and kernel:
        integer_product(target, n, "ConvInteger", bias and spread_bias(target, n, len(kernel.dims)))
    elif n.op == "LSTM" and kernel and target.weight(n, 2, (3,)) and not n.integer("layout", 0):
        dynamic_lstm(target, n)
    else:
        target.put(n.written())


# -- weights: only these are small --

def blocks(size):
    return (size + BLOCK - 1) // BLOCK


def four_bit_product(target, n, held):
    k, columns = held.dims
    name = held.name + target.suffix
    weight = target.bring(zeros(name + "_4", [columns, blocks(k), BLOCK // 2], UINT8))
    by = target.bring(scales(name + "_scales", [columns, blocks(k)]))
    target.put(made("MatMulNBits", [n.inputs[0], weight, by], n.outputs, MICROSOFT, K=k, N=columns, bits=4, block_size=BLOCK))


def four_bit_gather(target, n, held):
    rows, size = held.dims
    name = held.name + target.suffix
    data = target.bring(zeros(name + "_4", [rows, (size + 1) // 2], UINT8))
    by = target.bring(scales(name + "_scales", [rows, blocks(size)]))
    target.put(made("GatherBlockQuantized", [data, n.inputs[1], by], n.outputs, MICROSOFT, bits=4, block_size=BLOCK,
                   gather_axis=0, quantize_axis=1))


def weights(target, n):
    matrix, weight, table = target.weight(n, 1, (2,)), target.weight(n, 1, (2, 3, 4, 5)), target.weight(n, 0, (2,))
    if n.op == "MatMul" and matrix:
        four_bit_product(target, n, matrix)
    elif n.op == "Gather" and table and n.integer("axis", 0) == 0:
        four_bit_gather(target, n, table)
    elif n.op in WEIGHTED and weight:
        small = eight_bit(target, n.inputs[1], channel_axis(n, weight.dims))
        target.put(n.written([small if i == 1 else name for i, name in enumerate(n.inputs)]))
    else:
        target.put(n.written())


def rewritten(target, rule):
    """Writes a graph, its subgraphs first."""
    for n in target.graph.nodes:
        subgraphs = n.subgraphs()
        if subgraphs:
            inner = {name: Target(Graph(data, target.graph), target.model, target.types, target) for name, data in subgraphs.items()}
            for one in inner.values():
                rewritten(one, rule)
            target.put(n.written(attributes=n.with_subgraphs({name: one.graph.written() for name, one in inner.items()})))
        elif n.outputs and (not n.domain or (rule == dynamic and n.domain == MICROSOFT)):
            rule(target, n)
        else:
            target.put(n.written())


def quantised(data, way, types):
    """The quantised model, and whether it is another one."""
    model = Model(data)
    target = Target(model.main, model, types)
    rewritten(target, {"static": static, "dynamic": dynamic, "weights": weights}[way])
    return model.written(model.main.written(b"".join(text(5, i) for i in target.added.values()))), bool(target.added)
