"""Random models that run at the sizes they were made for: a few named sizes have a number each, and every node is one
that runs when its inputs have those numbers. What it takes to run at other sizes is for the engine to find."""
import re

from build import Tensor, function, graph, model, op, tensor

NAMES = ("A", "B", "C", "D")
SIZES = (1, 2, 2, 3, 4, 4, 5, 6, 8)
MOST_ELEMENTS = 4096  # of a tensor at the sizes of the model; vectors of sizes stay short too
MOST_RANK = 5
SHORT = 6
FAR = 10 ** 6  # beyond any size


class Body:
    """A graph within a node."""

    def __init__(self, nodes, outputs, inputs=()):
        self.nodes, self.outputs, self.inputs = nodes, outputs, inputs


def product(sizes):
    found = 1
    for size in sizes:
        found *= size
    return found


def broadcast(a, b):
    """The shape of both together; None where they do not go together."""
    rank = max(len(a), len(b))
    a, b = [1] * (rank - len(a)) + list(a), [1] * (rank - len(b)) + list(b)
    if any(x != y and 1 not in (x, y) for x, y in zip(a, b)):
        return None
    return [y if x == 1 else x for x, y in zip(a, b)]


class Maker:
    """Tensors of floats with their shapes, vectors of integers with their elements, sequences of tensors of floats, all
    at the sizes of the model."""

    def __init__(self, rng, nodes):
        self.rng, self.nodes, self.count = rng, [], 0
        self.sizes = {name: rng.choice(SIZES) for name in NAMES}
        self.inputs, self.tensors, self.vectors, self.sequences = [], {}, {}, {}
        self.functions = []  # what each makes of its input: a list of operators, and of its shape
        # Whether a size of 0 is not like others: an element of 0 copies a size in a Reshape, and -1 stands for anything
        # beside it.
        self.zero_differs = False
        for _ in range(rng.randint(1, 3)):
            self.input()
        self.grow(nodes)

    # -- parts --

    def name(self):
        self.count += 1
        return "v%d" % self.count

    def input(self):
        dims = [self.rng.choice(NAMES + NAMES + (1, 2, 3, 4, 6)) for _ in range(self.rng.randint(1, 4))]
        name = self.name()
        self.inputs.append((name, dims))
        self.tensors[name] = [self.sizes.get(d, d) for d in dims]

    def integers(self, values):
        """The name of a constant vector."""
        name = self.name()
        self.nodes.append(("%s = Constant()" % name, {"value_ints": list(values)} if values else
                           {"value": Tensor(tensor("int64[0]", []))}))
        return name

    def weights(self, shape):
        name = self.name()
        size = self.integers(shape)
        self.nodes.append(("%s = ConstantOfShape(%s)" % (name, size), {}))
        return name

    def add(self, written, shape, kind=None, **attributes):
        """A node of one output; `written` is what stands right of the equals sign."""
        name = self.name()
        self.nodes.append(("%s = %s" % (name, written), attributes))
        (self.tensors if kind is None else kind)[name] = list(shape)
        return name

    def tensor(self, least=0, most=MOST_RANK):
        found = [n for n, s in self.tensors.items() if least <= len(s) <= most]
        return self.rng.choice(found) if found else None

    def pair(self, fits):
        """Two tensors whose shapes fit, of those that were drawn."""
        names = list(self.tensors)
        for _ in range(12):
            a, b = self.rng.choice(names), self.rng.choice(names)
            if fits(self.tensors[a], self.tensors[b]):
                return a, b
        return None

    def vector(self, fits=lambda elements: True):
        found = [n for n, e in self.vectors.items() if fits(e)]
        return self.rng.choice(found) if found else None

    def move(self):
        """From here on nodes run at other sizes, most of which differ from those of the nodes so far."""
        for name in NAMES:
            if self.rng.random() < 0.8:
                self.sizes[name] = self.rng.choice(SIZES)
        self.tensors = {name: [self.sizes.get(d, d) for d in dims] for name, dims in self.inputs}
        self.vectors, self.sequences = {}, {}

    def grow(self, nodes):
        while len(self.nodes) < nodes:
            self.rng.choice(MAKERS)(self)

    # -- a model of it --

    def build(self, sizes=None, rename=lambda name: name, order=None, infos=(), unnamed=False):
        """With numbers for the named sizes; every name through `rename`; nodes in another order."""
        def shown(dim):
            if sizes is not None and dim in sizes:
                return str(sizes[dim])
            return "?" if unnamed and isinstance(dim, str) else rename(dim) if isinstance(dim, str) else str(dim)

        def attribute(given):
            return inner(given.nodes, given.inputs, given.outputs) if isinstance(given, Body) else given

        def renamed(written):
            return re.sub(r"\bv\d+\b", lambda m: rename(m.group()), written)

        def inner(nodes, inputs, outputs, infos=()):
            made = [op(renamed(w), **{k: attribute(v) for k, v in a.items()}) for w, a in nodes]
            return graph(made, [renamed(i) for i in inputs], [renamed(o) for o in outputs], infos)

        inputs = ["%s: float[%s]" % (n, ",".join(shown(d) for d in dims)) for n, dims in self.inputs]
        nodes = [self.nodes[i] for i in order] if order else self.nodes
        last = [nodes[-1][0].partition(" = ")[0].split(", ")[0]]
        functions = [function("F%d" % i, "a", "b", [op(w, **a) for w, a in made]) for i, (made, _) in enumerate(self.functions)]
        return model(inner(nodes, inputs + ["choice: bool[]", "at: int64[]"], last, infos), opset=17, functions=functions)

    def other_order(self):
        """The nodes in another order that is topological."""
        made = {}
        for i, (written, _) in enumerate(self.nodes):
            for name in written.partition(" = ")[0].split(", "):
                made[name] = i
        wants = [{made[n] for n in re.findall(r"\bv\d+\b", written.partition(" = ")[2] + self.inside(attributes))
                  if n in made} for written, attributes in self.nodes]
        left, order = set(range(len(self.nodes))), []
        while left:
            ready = [i for i in sorted(left) if not wants[i] & left]
            order.append(self.rng.choice(ready))
            left.remove(order[-1])
        return order

    def inside(self, attributes):
        """All that the nodes of bodies take."""
        bodies = [a for a in attributes.values() if isinstance(a, Body)]
        return " ".join(w.partition(" = ")[2] + self.inside(a) for b in bodies for w, a in b.nodes) + " " + " ".join(
            o for b in bodies for o in b.outputs)


# -- what a node may be: each adds one, with what it takes, or none where nothing fits --

def unary(m):
    a = m.tensor()
    m.add("%s(%s)" % (m.rng.choice(("Relu", "Sigmoid", "Identity")), a), m.tensors[a])


def binary(m):
    found = m.pair(lambda a, b: broadcast(a, b) is not None and product(broadcast(a, b)) <= MOST_ELEMENTS)
    if found:
        m.add("%s(%s, %s)" % (m.rng.choice(("Add", "Mul")), *found), broadcast(*(m.tensors[n] for n in found)))


def matmul(m):
    found = m.pair(lambda a, b: len(a) >= 2 and len(b) == 2 and a[-1] == b[0])
    if found:
        a, b = found
        m.add("MatMul(%s, %s)" % found, m.tensors[a][:-1] + m.tensors[b][1:])


def project(m):
    a = m.tensor(2)
    if a and product(m.tensors[a]) <= MOST_ELEMENTS // 4:
        m.add("MatMul(%s, %s)" % (a, m.weights([m.tensors[a][-1], 3])), m.tensors[a][:-1] + [3])


def concat(m):
    found = m.pair(lambda a, b: len(a) == len(b) and len(a) and sum(x != y for x, y in zip(a, b)) <= 1 and
                   product(a) + product(b) <= MOST_ELEMENTS)
    if found:
        a, b = (m.tensors[n] for n in found)
        differ = [d for d in range(len(a)) if a[d] != b[d]]
        axis = differ[0] if differ else m.rng.randrange(len(a))
        m.add("Concat(%s, %s)" % found, a[:axis] + [a[axis] + b[axis]] + a[axis + 1:], axis=axis)


def slices(m):
    a = m.tensor(1)
    if not a:
        return
    shape = list(m.tensors[a])
    axis = m.rng.randrange(len(shape))
    start, end, step = m.rng.randint(-3, 3), m.rng.choice((-2, -1, 1, 2, 3, 5, 100)), m.rng.choice((1, 1, 1, 2, 3, -1))
    if step < 0:
        start, end = m.rng.choice((-1, 3, 100)), m.rng.choice((0, 1, -FAR))
    count = len(range(shape[axis])[start:(None if end == -FAR else end):step])
    if count:
        shape[axis] = count
        m.add("Slice(%s, %s, %s, %s, %s)" % (a, *(m.integers([v]) for v in (start, end, axis, step))), shape)


def transpose(m):
    a = m.tensor(2)
    if a:
        order = list(range(len(m.tensors[a])))
        m.rng.shuffle(order)
        m.add("Transpose(%s)" % a, [m.tensors[a][d] for d in order], perm=order)


def reshape(m):
    a = m.tensor(1)
    if not a or 0 in m.tensors[a]:
        return
    shape, rest = m.tensors[a], product(m.tensors[a])
    target = []
    for d in range(m.rng.randint(0, 2)):
        fits = [k for k in (1, 2, 3, 4, shape[-1]) if rest % k == 0]
        kept = d < len(shape) and rest % shape[d] == 0 and m.rng.random() < 0.5
        target.append(0 if kept else m.rng.choice(fits))
        rest //= shape[d] if kept else target[-1]
    numbers = [t or shape[d] for d, t in enumerate(target)]
    open_size = m.rng.random() < 0.8
    m.zero_differs = m.zero_differs or open_size
    m.add("Reshape(%s, %s)" % (a, m.integers(target + [-1 if open_size else rest])), numbers + [rest])


def reshape_by_sizes(m):
    a = m.tensor(1)
    if not a:
        return
    fitting = [n for n, e in m.vectors.items() if product(e) == product(m.tensors[a]) and min(e, default=1) > 0]
    if fitting:
        v = m.rng.choice(fitting)
        m.zero_differs = True
        m.add("Reshape(%s, %s)" % (a, v), m.vectors[v])


def unsqueeze(m):
    a = m.tensor(0, MOST_RANK - 1)
    if a:
        axis = m.rng.randint(0, len(m.tensors[a]))
        m.add("Unsqueeze(%s, %s)" % (a, m.integers([axis])), m.tensors[a][:axis] + [1] + m.tensors[a][axis:])


def squeeze(m):
    a = m.tensor(1)
    ones = [d for d, size in enumerate(m.tensors[a]) if size == 1] if a else []
    if ones:
        axis = m.rng.choice(ones)
        m.add("Squeeze(%s, %s)" % (a, m.integers([axis])), m.tensors[a][:axis] + m.tensors[a][axis + 1:])


def gather(m):
    a = m.tensor(1)
    if not a:
        return
    shape = m.tensors[a]
    axis = m.rng.randrange(len(shape))
    if shape[axis]:
        indices = [m.rng.randrange(-shape[axis], shape[axis]) for _ in range(m.rng.randint(1, 3))]
        m.add("Gather(%s, %s)" % (a, m.integers(indices)), shape[:axis] + [len(indices)] + shape[axis + 1:], axis=axis)


def split(m):
    a = m.tensor(1)
    even = [d for d, size in enumerate(m.tensors[a]) if size and size % 2 == 0] if a else []
    if not even:
        return
    axis = m.rng.choice(even)
    shape, first, second = list(m.tensors[a]), m.name(), m.name()
    if m.rng.random() < 0.5:
        part = m.rng.randint(0, shape[axis])
        sizes = ", " + m.integers([part, shape[axis] - part])
    else:
        part, sizes = shape[axis] // 2, ""
    m.nodes.append(("%s, %s = Split(%s%s)" % (first, second, a, sizes), {"axis": axis}))
    for name, size in ((first, part), (second, shape[axis] - part)):
        m.tensors[name] = shape[:axis] + [size] + shape[axis + 1:]


def pad(m):
    a = m.tensor(1)
    if a and product(m.tensors[a]) <= MOST_ELEMENTS // 8:
        axis, shape = m.rng.randrange(len(m.tensors[a])), list(m.tensors[a])
        pads = [0] * (2 * len(shape))
        pads[axis], pads[len(shape) + axis] = m.rng.randint(0, 2), m.rng.randint(0, 1)
        shape[axis] += pads[axis] + pads[len(shape) + axis]
        m.add("Pad(%s, %s)" % (a, m.integers(pads)), shape)


def reduce(m):
    a = m.tensor(1)
    if a:
        axis, keep = m.rng.randrange(len(m.tensors[a])), m.rng.randint(0, 1)
        shape = m.tensors[a][:axis] + [1] * keep + m.tensors[a][axis + 1:]
        m.add("ReduceSum(%s, %s)" % (a, m.integers([axis])), shape, keepdims=keep)


def window(m):
    a = m.tensor(3, 4)
    if not a or min(m.tensors[a][2:]) < 2:
        return
    shape, stride = m.tensors[a], m.rng.randint(1, 2)
    out = [(size - 2) // stride + 1 for size in shape[2:]]
    attributes = {"kernel_shape": [2] * len(out), "strides": [stride] * len(out)}
    if m.rng.random() < 0.5:
        m.add("MaxPool(%s)" % a, shape[:2] + out, **attributes)
    elif shape[1]:
        m.add("Conv(%s, %s)" % (a, m.weights([3, shape[1]] + [2] * len(out))), shape[:1] + [3] + out, **attributes)


def flatten(m):
    a = m.tensor()
    axis = m.rng.randint(0, len(m.tensors[a]))
    m.add("Flatten(%s)" % a, [product(m.tensors[a][:axis]), product(m.tensors[a][axis:])], axis=axis)


def top_k(m):
    a = m.tensor(1)
    if not a or not m.tensors[a][-1]:
        return
    k, name = m.rng.randint(1, m.tensors[a][-1]), m.name()
    m.nodes.append(("%s, %s = TopK(%s, %s)" % (name, m.name(), a, m.integers([k])), {}))
    m.tensors[name] = m.tensors[a][:-1] + [k]


def resize(m):
    a = m.tensor(3, 4)
    if a and product(m.tensors[a]) <= MOST_ELEMENTS // 16:
        scales = m.add("Constant()", [], {}, value=Tensor(
            tensor("float[%d]" % len(m.tensors[a]), [1, 1] + [2] * (len(m.tensors[a]) - 2))))
        m.add("Resize(%s, , %s)" % (a, scales), m.tensors[a][:2] + [2 * size for size in m.tensors[a][2:]])


def space(m):
    a = m.tensor(4, 4)
    if a and m.tensors[a][1] and m.tensors[a][1] % 4 == 0:
        n, c, h, w = m.tensors[a]
        m.add("DepthToSpace(%s)" % a, [n, c // 4, 2 * h, 2 * w], blocksize=2)


# -- arithmetic of sizes --

def shape_of(m):
    a = m.tensor(1)
    if a:
        m.add("Shape(%s)" % a, m.tensors[a], m.vectors)


def pick(m):
    v = m.vector(lambda e: len(e) > 0)
    if v:
        elements = m.vectors[v]
        indices = [m.rng.randrange(-len(elements), len(elements)) for _ in range(m.rng.randint(1, 2))]
        m.add("Gather(%s, %s)" % (v, m.integers(indices)), [elements[i] for i in indices], m.vectors)


def join(m):
    v, w = m.vector(), m.vector()
    if not v:
        return
    if m.rng.random() < 0.5:
        number = m.rng.choice((1, 2, 3))
        m.add("Concat(%s, %s)" % (v, m.integers([number])), m.vectors[v] + [number], m.vectors, axis=0)
    elif len(m.vectors[v]) + len(m.vectors[w]) <= SHORT:
        m.add("Concat(%s, %s)" % (v, w), m.vectors[v] + m.vectors[w], m.vectors, axis=0)


OPERATIONS = {"Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b,
              "Div": lambda a, b: int(a / b), "Max": max, "Min": min, "Mod": lambda a, b: a % b}


def compute(m):
    v = m.vector(lambda e: len(e) > 0)
    kind = m.rng.choice(list(OPERATIONS))
    if not v:
        return
    elements, number = m.vectors[v], m.rng.choice((1, 2, 3, 4))
    w = m.vector(lambda e: len(e) == len(elements))
    if m.rng.random() < 0.5 and kind not in ("Div", "Mod"):
        made = [OPERATIONS[kind](a, b) for a, b in zip(elements, m.vectors[w])]
        other = w
    else:
        made, other = [OPERATIONS[kind](a, number) for a in elements], m.integers([number])
    if max(map(abs, made)) < MOST_ELEMENTS:
        m.add("%s(%s, %s)" % (kind, v, other), made, m.vectors)


def count(m):
    v = m.vector()
    if v:
        m.add("ReduceProd(%s)" % v, [product(m.vectors[v])], m.vectors, keepdims=1)


def filled(m):
    v = m.vector(lambda e: len(e) <= MOST_RANK and min(e, default=0) >= 0 and product(e) <= MOST_ELEMENTS)
    if v:
        m.add("ConstantOfShape(%s)" % v, m.vectors[v])


def expand(m):
    a = m.tensor()
    v = m.vector(lambda e: len(e) <= MOST_RANK and min(e, default=0) >= 0 and broadcast(e, m.tensors[a]) is not None and
                 product(broadcast(e, m.tensors[a])) <= MOST_ELEMENTS)
    if v:
        m.add("Expand(%s, %s)" % (a, v), broadcast(m.vectors[v], m.tensors[a]))


def tile(m):
    a = m.tensor(1)
    v = m.vector(lambda e: len(e) == len(m.tensors[a]) and min(e) >= 0 and
                 product(e) * product(m.tensors[a]) <= MOST_ELEMENTS) if a else None
    if v:
        m.add("Tile(%s, %s)" % (a, v), [r * size for r, size in zip(m.vectors[v], m.tensors[a])])


# -- sequences and bodies --

def sequence(m):
    found = m.pair(lambda a, b: len(a) == len(b))
    if found:
        m.add("SequenceConstruct(%s, %s)" % found, [m.tensors[n] for n in found], m.sequences)


def parts(m):
    a = m.tensor(1)
    if a and m.tensors[a][0]:
        shape = m.tensors[a]
        m.add("SplitToSequence(%s)" % a, [[1] + shape[1:] for _ in range(shape[0])], m.sequences, axis=0)


def element(m):
    if m.sequences:
        q = m.rng.choice(list(m.sequences))
        at = m.rng.randrange(len(m.sequences[q]))
        place = m.add("Constant()", [], {}, value_int=at)
        m.add("SequenceAt(%s, %s)" % (q, place), m.sequences[q][at])


def joined(m):
    fitting = [q for q, e in m.sequences.items()
               if len(e[0]) and all(len(s) == len(e[0]) and s[1:] == e[0][1:] for s in e)]
    if fitting:
        q = m.rng.choice(fitting)
        shapes = m.sequences[q]
        m.add("ConcatFromSequence(%s)" % q, [sum(s[0] for s in shapes)] + shapes[0][1:], axis=0)


def choose(m):
    """Both branches give one shape at the sizes of the model."""
    found = m.pair(lambda a, b: a == b)
    if found:
        t, e = m.name(), m.name()
        m.add("If(choice)", m.tensors[found[0]], then_branch=Body([("%s = Relu(%s)" % (t, found[0]), {})], [t]),
              else_branch=Body([("%s = Identity(%s)" % (e, found[1]), {})], [e]))


def loop(m):
    """Carries a tensor that gets another one added, and stacks it; or one that grows."""
    found = m.pair(lambda a, b: len(a) and len(a) == len(b) and broadcast(a, b) == a and product(a) <= 256)
    if not found:
        return
    grows = m.tensors[found[0]][1:] == m.tensors[found[1]][1:] and m.rng.random() < 0.5
    counts = m.vector(lambda e: len(e) > 0 and 1 <= e[-1] <= 4)
    if counts and m.rng.random() < 0.5:
        trips = m.vectors[counts][-1]
        times = m.add("Gather(%s, %s)" % (counts, m.add("Constant()", [], {}, value_int=-1)), [], {})
    else:
        trips = m.rng.randint(1, 3)
        times = m.add("Constant()", [], {}, value_int=trips)
    yes = m.add("Constant()", [], {}, value=Tensor(tensor("bool[]", [True])))
    i, go, s, go_on, after, each, last, stack = (m.name() for _ in range(8))
    change = ("%s = Concat(%s, %s)" % (after, s, found[1]), {"axis": 0}) if grows else (
        "%s = Add(%s, %s)" % (after, s, found[1]), {})
    body = Body([("%s = Identity(%s)" % (go_on, go), {}), change, ("%s = Identity(%s)" % (each, found[1]), {})],
                [go_on, after, each], ["%s: int64[]" % i, "%s: bool[]" % go, "%s: float" % s])
    m.nodes.append(("%s, %s = Loop(%s, %s, %s)" % (last, stack, times, yes, found[0]), {"body": body}))
    a, b = (m.tensors[n] for n in found)
    m.tensors[last] = [a[0] + trips * b[0]] + a[1:] if grows else a
    if len(b) < MOST_RANK:
        m.tensors[stack] = [trips] + b


def scan(m):
    """Adds up the slices of a tensor, and stacks what it makes of each."""
    a = m.tensor(1, MOST_RANK)
    if not a:
        return
    shape = m.tensors[a]
    start = m.add("ReduceMax(%s)" % a, shape[1:], axes=[0], keepdims=0) if shape[0] else m.weights(shape[1:])
    m.tensors[start] = shape[1:]
    s, each, after, seen, last, stack = (m.name() for _ in range(6))
    body = Body([("%s = Add(%s, %s)" % (after, s, each), {}), ("%s = Relu(%s)" % (seen, each), {})], [after, seen],
                ["%s: float" % s, "%s: float" % each])
    m.nodes.append(("%s, %s = Scan(%s, %s)" % (last, stack, start, a), {"body": body, "num_scan_inputs": 1}))
    m.tensors[last], m.tensors[stack] = shape[1:], shape


def optional(m):
    a = m.tensor()
    m.add("OptionalGetElement(%s)" % m.add("Optional(%s)" % a, [], {}), m.tensors[a])


def conv_transpose(m):
    a = m.tensor(3, 4)
    if not a or not m.tensors[a][1] or not all(m.tensors[a]) or product(m.tensors[a]) > MOST_ELEMENTS // 16:
        return
    shape, stride = m.tensors[a], m.rng.randint(1, 3)
    w = m.weights([shape[1], 2] + [2] * len(shape[2:]))
    m.add("ConvTranspose(%s, %s)" % (a, w), shape[:1] + [2] + [(size - 1) * stride + 2 for size in shape[2:]],
          strides=[stride] * len(shape[2:]))


def padded_window(m):
    a = m.tensor(3, 4)
    if not a or not all(m.tensors[a]):
        return
    shape, stride = m.tensors[a], m.rng.randint(1, 3)
    n, same = len(shape[2:]), m.rng.random() < 0.3
    where = {"auto_pad": "SAME_UPPER"} if same else {"pads": [1] * 2 * n}
    out = [-(-size // stride) if same else (size - 1) // stride + 1 for size in shape[2:]]
    m.add("%s(%s)" % (m.rng.choice(("MaxPool", "AveragePool")), a), shape[:2] + out, kernel_shape=[3] * n, strides=[stride] * n, **where)


def resize_otherwise(m):
    a = m.tensor(3, 4)
    if not a or not all(s > 1 for s in m.tensors[a][2:]) or product(m.tensors[a]) > MOST_ELEMENTS // 4:
        return
    shape, (scale, new) = m.tensors[a], m.rng.choice(((0.5, lambda s: s // 2), (1.5, lambda s: s * 3 // 2), (0.25, lambda s: s // 4)))
    if not all(new(s) for s in shape[2:]):
        return
    scales = m.add("Constant()", [], {}, value=Tensor(tensor("float[%d]" % len(shape), [1, 1] + [scale] * len(shape[2:]))))
    m.add("Resize(%s, , %s)" % (a, scales), shape[:2] + [new(s) for s in shape[2:]])


# Bodies of functions: what they do to a tensor, and to its shape.
BODIES = (
    ([("t = Relu(a)", {}), ("b = Transpose(t)", {})], lambda shape: shape[::-1]),
    ([("b = Concat(a, a)", {"axis": 0})], lambda shape: [2 * shape[0]] + shape[1:]),
    ([("s = Shape(a)", {}), ("t = ConstantOfShape(s)", {}), ("b = Add(t, a)", {})], lambda shape: shape),
    ([("b = Flatten(a)", {})], lambda shape: [shape[0], product(shape[1:])]),
    ([("t = NonZero(a)", {}), ("b = Mul(a, a)", {})], lambda shape: shape),
)


def call(m):
    """Calls of a function that is there, or of a new one."""
    a = m.tensor(1)
    if not a or 2 * product(m.tensors[a]) > MOST_ELEMENTS:
        return
    if not m.functions or m.rng.random() < 0.5:
        m.functions.append(m.rng.choice(BODIES))
    which = m.rng.randrange(len(m.functions))
    for name in (a, m.tensor(1)):
        if 2 * product(m.tensors[name]) <= MOST_ELEMENTS:
            m.add("my.F%d(%s)" % (which, name), m.functions[which][1](m.tensors[name]))


MAKERS = (unary, binary, binary, binary, matmul, project, concat, concat, slices, slices, transpose, reshape, reshape,
          reshape_by_sizes, unsqueeze, squeeze, gather, split, pad, reduce, window, flatten, top_k, resize, space,
          shape_of, shape_of, shape_of, pick, pick, join, join, compute, compute, compute, count, filled, expand, tile,
          sequence, parts, element, joined, choose, loop, scan, optional, conv_transpose, padded_window, resize_otherwise, call,
          call)
