#!/usr/bin/env python3
"""Whether four times the model costs four times as much: for models that grow in one way each, the instructions that `shaped
infer` takes and the memory that bench says the result takes of the arena (what the process grows by is whole blocks), at a
size and at four times that size. Run by hand, for it takes valgrind and some minutes; ends with 1 when some kind grows faster
than it may.

    scale.py SHAPED BENCH [KIND...]
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "blackbox"))
from build import const, function, graph, model, op, tensor  # noqa: E402

MOST = 4.6  # times as much at four times the size
ROW = "%-12s %6s %9s %11s %11s %6s %9s %9s %6s"


def chain(kinds, count, begin="x"):
    """A node after the other, of the kinds in turn: each text has {} where the value before it goes."""
    return [op("y%d = %s" % (i, kinds[i % len(kinds)].format("y%d" % (i - 1) if i else begin))) for i in range(count)]


def nodes(count):
    return model(graph(chain(["Relu({})"], count), ["x: float[N,3]"], ["y0"]))


def symbols(count):
    return model(graph([op("y%d = Relu(x%d)" % (i, i)) for i in range(count)], ["x%d: float[S%d,3]" % (i, i) for i in range(count)], ["y0"]))


def equalities(count):
    return model(graph([op("y%d = MatMul(x%d, x%d)" % (i, i, i + 1)) for i in range(count - 1)],
                       ["x%d: float[R%d,C%d]" % (i, i, i) for i in range(count)], ["y0"]))


def sums(count):
    """Twenty sums of as many sizes, each in another order."""
    names = ["x%d" % i for i in range(count)]
    return model(graph([op("y%d = Concat(%s)" % (i, ", ".join(names[i:] + names[:i])), axis=0) for i in range(20)],
                       ["x%d: float[S%d,3]" % (i, i) for i in range(count)], ["y0"]))


def sequences(count):
    """A sequence that grows by an element whose size alternates."""
    added = [op("s0 = SequenceEmpty()")] + [op("s%d = SequenceInsert(s%d, x%d)" % (i + 1, i, i % 2)) for i in range(count)]
    return model(graph(added, ["x0: float[N,3]", "x1: float[M,3]"], ["s%d" % count]))


def contents(count):
    """Elements that are known go through every node."""
    known = [tensor("int64[2048]", range(2048), "k"), tensor("int64[1]", [3], "three")]
    return model(graph(chain(["Add({}, three)"], count, "k"), ["x: float[N]"], ["y0"], initializers=known))


def symbolic_contents(count):
    added = [op("s = Shape(x)")] + chain(["Add({}, s)"], count, "s")
    return model(graph(added, ["x: float[%s]" % ",".join("D%d" % d for d in range(32))], ["y0"]))


def windows(count):
    pools = [op("y%d = MaxPool(%s)" % (i, "y%d" % (i - 1) if i else "x"), kernel_shape=[3, 3], pads=[1, 1, 1, 1]) for i in range(count)]
    return model(graph(pools, ["x: float[N,3,H,W]"], ["y0"]))


def unknown(count):
    """Values of which nothing is known, each of the one before."""
    return model(graph(chain(["Nobody({})"], count), ["x: float[N,3]"], ["y0"]))


def lost(count):
    """A node with as many inputs as outputs, which it leaves without a rank."""
    names = ", ".join("y%d" % i for i in range(count))
    return model(graph([op("%s = Nobody(%s)" % (names, ", ".join("x%d" % i for i in range(count)))), op("z = Relu(y0)")],
                       ["x%d: float[2]" % i for i in range(count)], ["z"]))


def initializers(count):
    return model(graph([op("y = Relu(x)")], ["x: float[N]"], ["y"],
                       initializers=[tensor("float[4]", [0, 1, 2, 3], "w%d" % i) for i in range(count)]))


def iterations(count):
    """A Loop that is walked as often as its constant count says; what it carries grows."""
    body = graph([op("k = Identity(c)"), op("b = Concat(a, x)", axis=0)], ["i: int64[]", "c: bool[]", "a: float"], ["k", "b"])
    return model(graph([const("m", "int64[]", [count]), op("y = Loop(m, , x)", body=body)], ["x: float[N,3]"], ["y"]))


def branches(count):
    """Ifs beside each other."""
    then, other = graph([op("t = Relu(x)")], [], ["t"]), graph([op("e = Concat(x, x)", axis=0)], [], ["e"])
    return model(graph([op("y%d = If(c)" % i, then_branch=then, else_branch=other) for i in range(count)],
                       ["x: float[N,3]", "c: bool[]"], ["y0"]))


def loops(count):
    """Loops within each other, each of which changes what it carries."""
    inner, made = [op("q0 = Concat(a0, a0)", axis=0)], "q0"
    for i in range(count):
        body = graph([op("k%d = Identity(c%d)" % (i, i))] + inner, ["i%d: int64[]" % i, "c%d: bool[]" % i, "a%d: float" % i], ["k%d" % i, made])
        inner, made = [op("q%d = Loop(m, , %s)" % (i + 1, "a%d" % (i + 1) if i + 1 < count else "x"), body=body)], "q%d" % (i + 1)
    return model(graph(inner, ["x: float[N,3]", "m: int64[]"], [made]))


def functions(count):
    """Functions that call each other twice, each time with another size."""
    made = [function("F0", "a", "b", [op("b = Concat(a, a)", axis=0)])]
    made += [function("F%d" % i, "a", "b", [op("t = my.F%d(a)" % (i - 1)), op("b = my.F%d(t)" % (i - 1))]) for i in range(1, count)]
    return model(graph([op("y = my.F%d(x)" % (count - 1))], ["x: float[N,3]"], ["y"]), functions=made)


# The size from which four times as much is asked. Loops and functions are bounded by their models' bytes from there on.
KINDS = {nodes: 4000, symbols: 2000, equalities: 1000, sums: 200, sequences: 500, contents: 50, symbolic_contents: 100, windows: 1000, unknown: 500, lost: 300,
         initializers: 5000, iterations: 100, branches: 500, loops: 15, functions: 16}


def measure(shaped, bench, data):
    """Instructions, and bytes of memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as out:
            out.write(data)
        counted = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", shaped, "infer", "--format", "json", path],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
        grown = subprocess.run([bench, "0", path], stdout=subprocess.PIPE, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", counted.stderr)[1]), int(grown.stdout.split("\t")[11])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    shaped, bench = sys.argv[1:3]
    begin, held = measure(shaped, bench, nodes(1))
    bad = 0
    print(ROW % ("kind", "size", "bytes", "instr.", "4 times", "ratio", "KiB", "4 times", "ratio"))
    for kind, size in KINDS.items():
        if sys.argv[3:] and kind.__name__ not in sys.argv[3:]:
            continue
        data = kind(size)
        few, few_bytes = measure(shaped, bench, data)
        many, many_bytes = measure(shaped, bench, kind(4 * size))
        work, memory = (many - begin) / (few - begin), (many_bytes - held) / max(few_bytes - held, 1)
        bad += work > MOST or memory > MOST
        print(ROW % (kind.__name__, size, len(data), few - begin, many - begin, "%.2f" % work, (few_bytes - held) // 1024,
                     (many_bytes - held) // 1024, "%.2f" % memory), flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
