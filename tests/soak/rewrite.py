"""Models that are read and written anew without the onnx package: nodes, initializers and subgraphs; the rest is kept byte by
byte."""
from wire import attribute, fields, node, number, parts, read_varint, tensor, text

FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7
WIDTHS = {FLOAT: 4, UINT8: 1, INT8: 1, 4: 2, 5: 2, INT32: 4, INT64: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8, 16: 2}
DATA_FIELDS = {4, 5, 6, 7, 9, 10, 11}  # of a TensorProto


def made(op, inputs, outputs, domain="", more=b"", **attributes):
    """A node; `more` is fields of a NodeProto."""
    return node(op, inputs, outputs, outputs[0] + "_made") + text(7, domain) + more + b"".join(
        attribute(name, value) for name, value in attributes.items())


def zeros(name, dims, element):
    count = 1
    for d in dims:
        count *= d
    return tensor(name, dims, bytes(count * WIDTHS[element]), element)


def unpacked(data):
    values, at = [], 0
    while at < len(data):
        value, at = read_varint(data, at)
        values.append(value)
    return values


class Node:
    def __init__(self, data):
        self.data = data
        listed = fields(data)
        self.inputs = [v.decode() for f, v in listed if f == 1]
        self.outputs = [v.decode() for f, v in listed if f == 2]
        self.name, self.op, self.domain = (b"".join(v for f, v in listed if f == field).decode() for field in (3, 4, 7))
        if self.domain == "ai.onnx":
            self.domain = ""
        self.attributes = {dict(fields(v))[1].decode(): v for f, v in listed if f == 5}

    def written(self, inputs=None, outputs=None, attributes=None):
        """The node with what is given instead of its own."""
        inputs, outputs = inputs or self.inputs, outputs or self.outputs
        rest = b"".join(whole for field, _, whole in parts(self.data) if field not in (1, 2, 5))
        listed = (attributes or self.attributes).values()
        return b"".join(text(1, i) for i in inputs) + b"".join(text(2, o) for o in outputs) + rest + b"".join(
            text(5, a) for a in listed)

    def integer(self, name, default):
        return dict(fields(self.attributes[name])).get(3, 0) if name in self.attributes else default

    def kept(self, *names):
        """The fields of a NodeProto for those of its attributes."""
        return b"".join(text(5, self.attributes[name]) for name in names if name in self.attributes)

    def subgraphs(self):
        """By name of attribute."""
        found = {name: dict(fields(a)).get(6) for name, a in self.attributes.items()}
        return {name: data for name, data in found.items() if data is not None}

    def with_subgraphs(self, subgraphs):
        """Its attributes with these subgraphs instead."""
        return {name: a if name not in subgraphs else
                b"".join(whole for field, _, whole in parts(a) if field != 6) + text(6, subgraphs[name])
                for name, a in self.attributes.items()}


class Initializer:
    def __init__(self, data):
        self.data, listed = data, fields(data)
        self.dims = []
        for f, v in listed:
            if f == 1:
                self.dims += [v] if isinstance(v, int) else unpacked(v)
        known = dict(listed)
        self.element, self.name = known.get(2, 0), known.get(8, b"").decode()
        self.is_absent = known.get(14) == 1 or not DATA_FIELDS & set(known)

    def present(self):
        """Zeros where its data lies in another file, or nowhere."""
        return zeros(self.name, self.dims, self.element) if self.is_absent and self.element in WIDTHS else self.data


class Graph:
    def __init__(self, data, parent=None):
        listed = list(parts(data))
        self.parent = parent
        self.nodes = [Node(value) for field, value, _ in listed if field == 1]
        self.initializers = {i.name: i for i in (Initializer(value) for field, value, _ in listed if field == 5)}
        # From IR version 4 on an input of the same name would make a weight one that changes.
        self.rest = [whole for field, value, whole in listed if field not in (1, 5) and
                     not (field == 11 and dict(fields(value))[1].decode() in self.initializers)]
        self.outputs = [dict(fields(value))[1].decode() for field, value, _ in listed if field == 12]
        self.lines, self.done = [], set()  # nodes as they are written, and names that are used up

    def initializer(self, name):
        """Of this graph or one around it; None where there is none."""
        return self.initializers.get(name) or (self.parent.initializer(name) if self.parent else None)

    def written(self, more=b""):
        return (b"".join(text(1, line) for line in self.lines) +
                b"".join(text(5, i.present()) for i in self.initializers.values()) + b"".join(self.rest) + more)


class Model:
    def __init__(self, data):
        self.rest, graph, self.opsets, self.version = [], b"", {}, 3
        for field, value, whole in parts(data):
            if field == 7:
                graph += value
            elif field == 1:
                self.version = value
            else:
                self.rest.append(whole)
            if field == 8:
                imported = dict(fields(value))
                self.opsets[imported.get(1, b"").decode()] = imported.get(2, 1)
        self.main = Graph(graph)

    def written(self, graph):
        """The model with this main graph, which may have operators of com.microsoft."""
        microsoft = b"" if "com.microsoft" in self.opsets else text(8, text(1, "com.microsoft") + number(2, 1))
        return number(1, max(self.version, 4)) + b"".join(self.rest) + microsoft + text(7, graph)


def scope_of(around, index, written, attribute_name):
    """The scope of a subgraph of the node at this index, as answers print it."""
    return "%s%s/%s" % (around + "/" if around else "", written.name or "%s_%d" % (written.op, index), attribute_name)


def with_weights(data):
    """The model with zeros for weights that it lacks, or that lie in other files."""
    model = Model(data)
    model.main.lines = [n.data for n in model.main.nodes]
    return model.written(model.main.written())
