"""Models written as text, for tests of what stands around operators: subgraphs, functions, declared types.

    graph([op("y = Relu(x)"), op("z = my.Scale(y)", alpha=2.0)], ["x: float[N,3]"], ["z"])

Types are float[N,3], float[] (a scalar), float (rank unknown), seq(...), optional(...), map(int64, ...), sparse(...); a
dimension ? is left open, and so is the element type of ?[N,3].
"""
import re
import struct

from wire import number, text, varint

ELEMENTS = {"float": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "string": 8, "bool": 9,
            "float16": 10, "double": 11, "uint32": 12}
FORMATS = {"float": "<f", "int32": "<i", "int64": "<q", "bool": "<?", "double": "<d", "uint8": "<B", "int8": "<b",
           "int16": "<h"}


def split(listed):
    """At commas outside of parentheses and brackets."""
    parts, depth, begun = [], 0, 0
    for at, c in enumerate(listed):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(listed[begun:at].strip())
            begun = at + 1
    return parts + [listed[begun:].strip()] if listed.strip() else []


def signed(field, value):
    return number(field, value & (1 << 64) - 1)


def dimension(word):
    if word == "?":
        return b""
    return signed(1, int(word)) if re.fullmatch(r"-?\d+", word) else text(2, word)


def tensor_like(field, written):
    name, bracket, dims = written.partition("[")
    body = number(1, ELEMENTS[name]) if name != "?" else b""
    if bracket:
        body += text(2, b"".join(text(1, dimension(d)) for d in split(dims[:-1])))
    return text(field, body)


def type_of(written):
    """A TypeProto."""
    kind, parenthesis, inner = written.partition("(")
    if kind not in ("seq", "optional", "map", "sparse"):
        return tensor_like(1, written)
    inner = inner[:-1]
    if kind == "sparse":
        return tensor_like(8, inner)
    if kind == "map":
        key, of = split(inner)
        return text(5, number(1, ELEMENTS[key]) + text(2, type_of(of)))
    return text(4 if kind == "seq" else 9, text(1, type_of(inner)))


def value(written):
    """A ValueInfoProto from "x: float[N]", or from only a name."""
    name, colon, kind = written.partition(": ")
    return text(1, name) + (text(2, type_of(kind)) if colon else b"")


def tensor(written, elements, name=""):
    """A TensorProto: tensor("int64[2]", [1, 2])."""
    kind, _, dims = written.partition("[")
    data = b"".join(struct.pack(FORMATS[kind], e) for e in elements)
    return b"".join(number(1, int(d)) for d in split(dims[:-1])) + number(2,
                                                                          ELEMENTS[kind]) + text(8, name) + text(9, data)


class Graph(bytes):
    """The attribute of a node, or the model's main one."""


class Tensor(bytes):
    pass


class Type(bytes):
    pass


class Ref:
    """A reference to an attribute of the function around the node; `kind` is that of AttributeProto.type."""

    def __init__(self, name, kind=2):
        self.name, self.kind = name, kind


def attribute(name, given):
    """An AttributeProto; its type is that of the Python value."""
    if isinstance(given, Ref):
        return text(1, name) + text(21, given.name) + number(20, given.kind)
    if isinstance(given, Graph):
        body, kind = text(6, given), 5
    elif isinstance(given, Tensor):
        body, kind = text(5, given), 4
    elif isinstance(given, Type):
        body, kind = text(14, given), 13
    elif isinstance(given, int):
        body, kind = signed(3, int(given)), 2
    elif isinstance(given, float):
        body, kind = varint(2 << 3 | 5) + struct.pack("<f", given), 1
    elif isinstance(given, str):
        body, kind = text(4, given), 3
    else:
        body, kind = b"".join(signed(8, i) for i in given), 7
    return text(1, name) + body + number(20, kind)


def op(written, name="", overload="", **attributes):
    """A NodeProto from "y, z = domain.Op(a, , b)"; an empty word leaves the place empty."""
    outputs, called, inputs = re.fullmatch(r"(.*?)\s*=\s*([\w.]+)\((.*)\)", written).groups()
    domain, _, kind = called.rpartition(".")
    body = b"".join(text(1, i) for i in split(inputs)) + b"".join(text(2, o) for o in split(outputs))
    body += text(3, name) + text(4, kind) + text(7, domain) + text(8, overload)
    return body + b"".join(text(5, attribute(n, v)) for n, v in attributes.items())


def const(name, written, elements):
    return op("%s = Constant()" % name, value=Tensor(tensor(written, elements)))


def graph(nodes, inputs=(), outputs=(), infos=(), initializers=(), sparse=()):
    body = b"".join(text(1, n) for n in nodes) + text(2, "g") + b"".join(text(5, t) for t in initializers)
    body += b"".join(text(15, t) for t in sparse) + b"".join(text(11, value(v)) for v in inputs)
    return Graph(body + b"".join(text(12, value(v)) for v in outputs) + b"".join(text(13, value(v)) for v in infos))


def opsets(versions):
    return [text(1, domain) + number(2, version) for domain, version in versions.items()]


def function(name, inputs, outputs, nodes, domain="my", overload="", attributes=(), defaults=None, infos=(),
             opset=None):
    """A FunctionProto; `inputs` and `outputs` as in "a, b", `attributes` without a default, `defaults` with one."""
    body = text(1, name) + b"".join(text(4, i) for i in split(inputs)) + b"".join(text(5, o) for o in split(outputs))
    body += b"".join(text(6, a) for a in attributes) + b"".join(text(7, n) for n in nodes)
    body += b"".join(text(9, o) for o in opsets(opset or {"": 17, "my": 1})) + text(10, domain)
    body += b"".join(text(11, attribute(n, v)) for n, v in (defaults or {}).items())
    return body + b"".join(text(12, value(v)) for v in infos) + (text(13, overload) if overload else b"")


def model(main, opset=17, functions=(), ir=10):
    """A ModelProto; `opset` is the version of ONNX's own domain, or all that is imported."""
    imported = opset if isinstance(opset, dict) else {"": opset, "my": 1}
    body = number(1, ir) + text(7, main) + b"".join(text(8, o) for o in opsets(imported))
    return body + b"".join(text(25, f) for f in functions)


# -- what is answered, in the same notation --

class Seen:
    """An answer, read for comparing: symbols that the model does not name are ?1, ?2 ... in order of appearance."""

    def __init__(self, data, answer):
        self.answer, self.status = answer, answer.status
        self.json = answer.json if answer.status == 200 else {}
        made_up = [s["name"] for s in self.json.get("symbols", []) if s["name"].encode() not in data]
        self._made_up = sorted(made_up, key=len, reverse=True)
        self._numbers = {}
        self.values = {}
        for v in self.json.get("values", []):
            key = (v["scope"] + "/" if v.get("scope") else "") + v["name"]
            self.values.setdefault(key, self._shown(v))
        self.contents = {v["name"]: v["content"] for v in self.json.get("values", []) if "content" in v}

    def _dimension(self, d):
        if isinstance(d, int):
            return str(d)
        for name in self._made_up:
            pattern = r"(?<!\w)%s(?!\w)" % re.escape(name)
            if re.search(pattern, d):
                place = "?%d" % self._numbers.setdefault(name, len(self._numbers) + 1)
                d = re.sub(pattern, lambda _: place, d)
        return d.replace(" ", "")

    def _shown(self, v):
        kind = v.get("type")
        if kind is None:
            return "?" if "shape" not in v else "?" + self._shape(v["shape"])
        if kind.startswith("tensor("):
            return kind[7:-1] + (self._shape(v["shape"]) if "shape" in v else "")
        shown = kind
        if "element" in v:
            shown = "%s(%s)" % (kind.partition("(")[0], self._shown(v["element"]))
        return shown + ("*%s" % self._dimension(v["length"]) if "length" in v else "")

    def _shape(self, shape):
        return "[%s]" % ",".join(self._dimension(d) for d in shape)

    def __getitem__(self, key):
        return self.values.get(key, "absent")

    @property
    def reasons(self):
        """Of errors and warnings, in order."""
        return [d["reason"] for d in self.json.get("diagnostics", [])]

    @property
    def constraints(self):
        return ["%s %s %s" % (c["left"], c["relation"], c["right"]) for c in self.json.get("constraints", [])]


def infer(daemon, data, **options):
    return Seen(data, daemon.infer(data, **options))
