"""The models of a folder as they are and quantised in each of three ways, and what ONNX Runtime's optimiser makes of each at
every level: every value that the runtime makes is held against the answer, with symbols and with the sizes and scalars
that ran. None must be wrong, and of each file 97 of 100 values must be known exactly where the sizes are.

Weights that a file lacks are zeros. What the runtime cannot optimise or run (inputs of a kind that this does not feed) is said
and left out. Sizes are tried from a list; two that run are enough. A table of all files follows the checks.

    optimised.py FOLDER [plain]        "plain": without the quantised versions"""
import itertools
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

from build import infer
from expressions import evaluate, names
from harness import Daemon, check, finish
from expose import ABSENT, Exposed
from quantise import WAYS, quantised
from rewrite import Model, with_weights
from test_runtime import INSTALLED, SOURCE, broken, install

LEVELS = ("disabled", "basic", "extended", "all")
TRIED = (64, 96, 1, 2, 76, 128, 512, 576, 1280, 1760, 12400, 16000)
IMAGES = (64, 96, 48, 192, 1)
ENOUGH = 2
LEAST = 0.97
KINDS = {"float": "float32", "double": "float64", "int64": "int64", "int32": "int32", "bool": "bool", "uint8": "uint8",
         "int8": "int8", "float16": "float16", "int16": "int16", "uint16": "uint16", "uint32": "uint32", "uint64": "uint64",
         "string": "string"}
MOST = 1 << 26  # elements of an input that is fed
SMALL = 64  # elements of an input that are told
INTEGRAL = ("int64", "int32")
INTEGERS = ((16000, 1), (0, 0), (1, 1))  # of scalars, one of which may be a sample rate, and of other tensors
COLUMNS = ("values", "exact", "by symbols", "dynamic", "unknown", "wrong", "hidden")


class Script:
    """A script of tests/runtime that answers line by line; it starts anew after it died."""

    def __init__(self, name):
        self.name, self.process = name, None
        shutil.copy(os.path.join(SOURCE, name), INSTALLED)

    def ask(self, **line):
        if self.process is None:
            self.process = subprocess.Popen(["node", self.name], cwd=INSTALLED, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL)
        self.process.stdin.write(json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            self.end()
            return {"error": "the runtime died"}
        return json.loads(answer)

    def end(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
        self.process = None


class Bench:
    """What every file is examined with, and the rows so far."""

    def __init__(self, daemon, folder):
        self.daemon, self.folder, self.rows, self.operators, self.files = daemon, folder, [], {}, 0
        self.runner, self.optimiser = Script("run.js"), Script("optimise.js")

    def path(self):
        """Of a file that was not there before, for the runtime keeps a model by its path."""
        self.files += 1
        return os.path.join(self.folder, "%d.onnx" % self.files)

    def end(self):
        self.runner.end()
        self.optimiser.end()


def by_scope(seen):
    return {(v.get("scope", ""), v["name"]): v for v in seen.json.get("values", [])}


def feeds(seen, number, scalar, element):
    """Of all inputs, with `number` for the symbols of images and for those of a last axis, else 1; None where an input
    cannot be fed. Scalar integers are `scalar`, other integers `element`."""
    sizes, given, symbols = {}, {}, {s["name"] for s in seen.json["symbols"]}
    for v in seen.json["values"]:
        if v["kind"] != "input" or v.get("scope"):
            continue
        kind = KINDS.get(v.get("type", "")[7:-1])
        if kind is None or "shape" not in v:
            return None, None
        for axis, d in enumerate(v["shape"]):
            if isinstance(d, str):
                last, image = axis == len(v["shape"]) - 1, axis > 0 and len(v["shape"]) == 4
                for name in [d] if d in symbols else sorted(names(d)):
                    sizes.setdefault(name, number if last or image else 1)
        dims = [evaluate(d, sizes, sizes) for d in v["shape"]]
        if math.prod(dims) > MOST:
            return None, None
        data = 0.5 if "float" in kind else element if v["shape"] or kind not in INTEGRAL else scalar
        given[v["name"]] = {"type": kind, "dims": dims, "data": [data]}
    return sizes, given


def contents(given):
    """What small inputs of integers and booleans hold, as options of a request."""
    counts = {name: math.prod(one["dims"]) for name, one in given.items() if one["type"] in INTEGRAL + ("bool",)}
    return ["%s:%s" % (name, ",".join([str(given[name]["data"][0])] * count)) for name, count in counts.items() if 0 < count <= SMALL]


class Row:
    """The counts of a file, over all its runs."""

    def __init__(self, name, hidden):
        self.name, self.count = name, dict.fromkeys(COLUMNS, 0)
        self.count["hidden"] = hidden
        self.runs, self.wrong, self.lost = 0, [], []

    def hold(self, values, keys, outcome, sizes, with_symbols):
        """Holds what the runtime made against an answer; one with symbols adds to what is exact by these, and to what is wrong."""
        for name, made in outcome["shapes"].items():
            v = values.get(keys.get(name, ("", name)), {})
            if v.get("kind") == "input" or made == ABSENT:
                continue
            said, kind, of = v.get("shape"), v.get("type"), outcome["types"][name]
            found = [None if d not in sizes and names(str(d)) - set(sizes) else evaluate(d, sizes, sizes) for d in said or []]
            wrong = said is not None and (len(said) != len(made) or any(f not in (None, m) for f, m in zip(found, made)))
            wrong = wrong or kind is not None and KINDS.get(kind[7:-1], of) != of
            if wrong:
                self.wrong.append("%s (%s): %s %s, made %s %s" % (name, v.get("op"), kind, said, of, made))
            self.count["wrong"] += wrong
            exact = said is not None and kind is not None and found == made
            if with_symbols:
                self.count["by symbols"] += exact
                continue
            self.count["values"] += 1
            self.count["exact"] += exact
            self.count["unknown"] += said is None
            self.count["dynamic"] += said is not None and not exact and not wrong
            if not exact:
                self.lost.append("%s (%s): %s, made %s" % (name, v.get("op"), said, made))

    def verdict(self):
        enough = self.runs and self.count["exact"] >= LEAST * self.count["values"]
        check("%s: %d of %d values of %d runs known, by symbols %d, none wrong" %
              (self.name, self.count["exact"], self.count["values"], self.runs, self.count["by symbols"]),
              not self.wrong and self.count["values"] and enough, "\n".join(self.wrong[:8] or self.lost[:8]))


def examine(bench, name, path):
    """Adds the row of a file that runs."""
    with open(path, "rb") as file:
        data = file.read()
    seen = infer(bench.daemon, data, values="all")
    if not check("%s is answered" % name, seen.status == 200, seen.answer.text):
        return
    listed = seen.json["values"]
    whole = bench.path()
    exposed = Exposed(data, by_scope(seen))
    with open(whole, "wb") as file:
        file.write(exposed.data)
    row, faults = Row(name, exposed.hidden), []
    images = any(v["kind"] == "input" and len(v.get("shape", [])) == 4 for v in listed)
    tried = set()
    for (scalar, element), number in itertools.product(INTEGERS, IMAGES if images else TRIED):
        sizes, given = feeds(seen, number, scalar, element)
        if given is None or row.runs == ENOUGH:
            break
        if json.dumps(given) in tried or broken(name, seen, sizes):
            continue  # the runtime may run it all the same: a window that does not fit counts as one there
        tried.add(json.dumps(given))
        outcome = bench.runner.ask(model=whole, feeds=given)
        if "error" in outcome:
            faults.append(outcome["error"])
            continue
        row.hold(by_scope(seen), exposed.keys, outcome, sizes, True)
        bound = infer(bench.daemon, data, dim=["%s=%d" % size for size in sizes.items()], value=contents(given), values="all")
        row.hold(by_scope(bound), exposed.keys, outcome, {}, False)
        row.runs += 1
    os.remove(whole)
    if not row.runs or not row.count["values"]:
        why = "has no values" if row.runs else "did not run: " + (faults or ["its inputs cannot be fed"])[0][:300]
        print("# %s is left out, it %s" % (name, why), flush=True)
        return
    row.verdict()
    bench.rows.append(row)
    for operator in exposed.operators:
        bench.operators[operator] = bench.operators.get(operator, 0) + 1


def optimised(bench, path, level):
    """Where the optimiser wrote the model at a level, and why it could not."""
    to = bench.path()
    return to, bench.optimiser.ask(model=path, level=level, to=to).get("error")


def to_quantise(bench, path):
    """What quantisers get, by way: a model whose constants are folded; before dynamic quantisation attention is fused where
    there is some, as quantisers advise."""
    found = {}
    for level in ("basic", "extended"):
        to, fault = optimised(bench, path, level)
        if fault:
            break
        with open(to, "rb") as file:
            data = file.read()
        os.remove(to)
        if level == "basic":
            found = dict.fromkeys(WAYS, data)
        elif any(n.domain and n.op in ("Attention", "EmbedLayerNormalization") for n in Model(data).main.nodes):
            found["dynamic"] = data
    return found


def versions(bench, name, data, ways):
    """The model and its quantised versions as files: (what it is, its path)."""
    path = bench.path()
    with open(path, "wb") as file:
        file.write(with_weights(data))
    starts = to_quantise(bench, path) if ways else {}
    yield "%s, plain" % name, path
    for way, start in starts.items():
        types = {v["name"]: v.get("type") for v in infer(bench.daemon, start).json.get("values", [])}
        made, changed = quantised(start, way, types)
        if changed:
            path = bench.path()
            with open(path, "wb") as file:
                file.write(made)
            yield "%s, %s" % (name, way), path


def table(rows, operators):
    width = max([len(row.name) for row in rows] + [34])
    print("# %-*s %s" % (width, "file, as it is or quantised, level", " ".join("%10s" % c for c in COLUMNS)))
    for row in rows:
        print("# %-*s %s" % (width, row.name, " ".join("%10d" % row.count[c] for c in COLUMNS)))
    print("# %-*s %s" % (width, "%d files" % len(rows), " ".join("%10d" % sum(row.count[c] for row in rows) for c in COLUMNS)))
    print("# operators of other domains, by files: %s" % ", ".join("%s %d" % item for item in sorted(operators.items())))


def main(folder, ways):
    why = install()
    check("ONNX Runtime is there", not why, why)
    models = sorted(name for name in os.listdir(folder) if name.endswith(".onnx"))
    check("%s holds models" % folder, models)
    with Daemon() as daemon, tempfile.TemporaryDirectory(dir=INSTALLED) as made:
        bench = Bench(daemon, made)
        for name in models:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            if infer(daemon, data).status != 200:
                print("# %s is left out, it is no model" % name, flush=True)
                continue
            for what, path in versions(bench, name, data, ways):
                for level in LEVELS:
                    to, fault = optimised(bench, path, level)
                    each = "%s, %s" % (what, level)
                    if fault:
                        print("# %s is left out: %s" % (each, fault[:300]), flush=True)
                        continue
                    examine(bench, each, to)
                    os.remove(to)
                os.remove(path)
        bench.end()
    table(bench.rows, bench.operators)


main(sys.argv[1], () if sys.argv[2:] == ["plain"] else WAYS)
finish()
