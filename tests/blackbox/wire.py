"""Small models without the onnx package, and HTTP by hand for what http.client would not send."""
import os
import socket
import struct


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    """Negative numbers as protobuf writes them, in 64 bits."""
    return varint(field << 3) + varint(value & (1 << 64) - 1)


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def tensor_type(shape, elem=1):
    dims = b"".join(text(1, number(1, d) if isinstance(d, int) else text(2, d)) for d in shape)
    return text(1, number(1, elem) + text(2, dims))


def value_info(name, shape, elem=1):
    return text(1, name) + text(2, tensor_type(shape, elem))


def node(op, inputs, outputs, name=""):
    return (b"".join(text(1, i) for i in inputs) + b"".join(text(2, o) for o in outputs) + (text(3, name) if name else b"")
            + text(4, op))


def tensor(name, shape, data, elem=1):
    return b"".join(number(1, d) for d in shape) + number(2, elem) + text(8, name) + text(9, data)


def integers(name, values, shape=None):
    """An int64 initializer."""
    shape = [len(values)] if shape is None else shape
    return tensor(name, shape, struct.pack("<%dq" % len(values), *values), 7)


class Subgraph(bytes):
    """The bytes of a GraphProto, for attribute()."""


class Reference(str):
    """The name of a function's attribute, for attribute()."""


def attribute(name, value):
    """An attribute of a node, its type after the value's."""
    if isinstance(value, Subgraph):
        data = text(6, value) + number(20, 5)
    elif isinstance(value, Reference):
        data = text(21, value) + number(20, 2)
    elif isinstance(value, int):
        data = number(3, value) + number(20, 2)
    elif isinstance(value, float):
        data = varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    elif isinstance(value, list):
        data = b"".join(number(8, v) for v in value) + number(20, 7)
    else:
        data = text(4, value) + number(20, 3)
    return text(5, text(1, name) + data)


def model(nodes, inputs, outputs, initializers=(), opset=17):
    """Inputs are value_infos, outputs names."""
    graph = b"".join(text(1, n) for n in nodes) + text(2, "g")
    graph += b"".join(text(5, t) for t in initializers)
    graph += b"".join(text(11, v) for v in inputs) + b"".join(text(12, text(1, o)) for o in outputs)
    return number(1, 8) + text(2, "test") + text(7, graph) + text(8, number(2, opset))


def chain(count):
    """Relu after Relu."""
    nodes = [node("Relu", ["x%d" % i], ["x%d" % (i + 1)]) for i in range(count)]
    return model(nodes, [value_info("x0", ["N", 3])], ["x%d" % count])


def named(count):
    """A model of this many nodes, with names of 10 KB each, which are kept and listed in the answer."""
    nodes = [node("Relu", ["x%d" % i], ["x%d" % (i + 1)], "n" * 9950) for i in range(count)]
    return model(nodes, [value_info("x0", ["N", 3])], ["x%d" % count])


def add(left, right):
    return model([node("Add", ["a", "b"], ["c"], "sum")], [value_info("a", left), value_info("b", right)], ["c"])


def weights(count):
    """A MatMul with this many floats of weights."""
    data = struct.pack("<f", 1.0) * count
    return model([node("MatMul", ["x", "w"], ["y"])], [value_info("x", ["N", count])], ["y"],
                 [tensor("w", [count, 1], data)])


def noise(size, values=256):
    """A MatMul with `size` bytes of weights of `values` different values; with all 256 they can hardly be compressed."""
    data = os.urandom(size).translate(bytes(i % values for i in range(256)))
    return model([node("MatMul", ["x", "w"], ["y"])], [value_info("x", ["N", size // 4])], ["y"],
                 [tensor("w", [size // 4, 1], data)])


class Raw:
    """A connection over which any bytes go."""

    def __init__(self, daemon, timeout=20):
        self.socket = socket.create_connection(("127.0.0.1", daemon.port), timeout=timeout)
        self.received = b""

    def send(self, data):
        self.socket.sendall(data)
        return self

    def answer(self):
        """Status, header fields (names in lower case) and body of the next answer; status 0 when there is none."""
        while b"\r\n\r\n" not in self.received:
            if not self.more():
                return 0, {}, b""
        head, self.received = self.received.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        fields = {n.lower(): v.strip() for n, v in (line.split(":", 1) for line in lines[1:])}
        status = int(lines[0].split()[1])
        if status == 100:
            return self.answer()
        length = int(fields.get("content-length", 0))
        while len(self.received) < length and self.more():
            pass
        body, self.received = self.received[:length], self.received[length:]
        return status, fields, body

    def await_continue(self):
        """Returns once the daemon has taken the head of a request and asks for its body (100)."""
        while b"\r\n\r\n" not in self.received and self.more():
            pass
        interim, _, self.received = self.received.partition(b"\r\n\r\n")
        return interim.startswith(b"HTTP/1.1 100")

    def is_closed(self):
        """Whether the other side ends the connection."""
        try:
            while self.more():
                pass
        except TimeoutError:
            return False
        return True

    def more(self):
        """Takes what has come; false at the end."""
        try:
            piece = self.socket.recv(65536)
        except ConnectionError:
            return False
        self.received += piece
        return bool(piece)

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()


def post_head(path, *fields):
    return ("POST %s HTTP/1.1\r\nHost: x\r\n%s\r\n" % (path, "".join(f + "\r\n" for f in fields))).encode()


def parts(data):
    """The fields of a message: (number, integer or bytes, all its bytes)."""
    at = 0
    while at < len(data):
        begun = at
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        else:
            length, at = read_varint(data, at) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], at)
            value, at = data[at:at + length], at + length
        yield key >> 3, value, data[begun:at]


def fields(data):
    """The fields of a message: (number, integer or bytes)."""
    return [(field, value) for field, value, _ in parts(data)]


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at
