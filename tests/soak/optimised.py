"""The models of a folder as they are and quantised in each of three ways, and what ONNX Runtime's optimiser makes of each at
every level: every value that the runtime makes is held against the answer, with symbols and with the sizes and scalars
that ran. None must be wrong, and of each file 97 of 100 values must be known exactly where the sizes are.

Weights that a file lacks are zeros. What the runtime cannot optimise or run (inputs of a kind that this does not feed) is said
and left out. Sizes are tried from a list; two that run are enough. A table of all files follows the checks."""
import json
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
from rewrite import with_weights
from test_runtime import INSTALLED, SOURCE, broken, install

LEVELS = ("disabled", "basic", "extended", "all")
TRIED = (64, 96, 1, 2, 76, 128, 512, 576, 1280, 1760, 12400, 16000)
IMAGES = (64, 96, 48, 192, 1)
ENOUGH = 2
LEAST = 0.97
KINDS = {"float": "float32", "double": "float64", "int64": "int64", "int32": "int32", "bool": "bool", "uint8": "uint8",
         "int8": "int8", "float16": "float16"}
INTEGER = 16000  # a sample rate, where a scalar is asked for
COLUMNS = ("values", "exact", "by symbols", "dynamic", "unknown", "wrong", "hidden")


def node(script, lines):
    done = subprocess.run(["node", script], cwd=INSTALLED, input="\n".join(map(json.dumps, lines)).encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=1800)
    answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
    return answers + [{"error": "the runtime died"}] * (len(lines) - len(answers))


def by_scope(seen):
    return {(v.get("scope", ""), v["name"]): v for v in seen.json["values"]}


def feeds(values, number):
    """Of all inputs, with `number` for the symbols of images and for those of a last axis, else 1; None where an input
    cannot be fed."""
    sizes, given = {}, {}
    for v in values:
        if v["kind"] != "input" or v.get("scope"):
            continue
        kind = KINDS.get(v.get("type", "")[7:-1])
        if kind is None or "shape" not in v:
            return None, None
        for axis, d in enumerate(v["shape"]):
            if isinstance(d, str):
                last, image = axis == len(v["shape"]) - 1, axis > 0 and len(v["shape"]) == 4
                sizes.setdefault(d, number if last or image else 1)
        integer = kind in ("int64", "int32")
        given[v["name"]] = {"type": kind, "dims": [evaluate(d, sizes, sizes) for d in v["shape"]],
                            "data": [INTEGER if integer and not v["shape"] else 1 if integer or kind == "bool" else 0.5]}
    return sizes, given


class Row:
    """The counts of a file, over all its runs."""

    def __init__(self, name, hidden):
        self.name, self.count = name, dict.fromkeys(COLUMNS, 0)
        self.count["hidden"] = hidden
        self.runs, self.wrong, self.lost = 0, [], []

    def hold(self, values, keys, shapes, sizes, with_symbols):
        """Holds what the runtime made against an answer; one with symbols adds to what is exact by these, and to what is wrong."""
        for name, made in shapes.items():
            v = values.get(keys.get(name, ("", name)), {})
            if v.get("kind") == "input" or made == ABSENT:
                continue
            said = v.get("shape")
            found = [None if d not in sizes and names(str(d)) - set(sizes) else evaluate(d, sizes, sizes) for d in said or []]
            wrong = said is not None and (len(said) != len(made) or any(f not in (None, m) for f, m in zip(found, made)))
            if wrong:
                self.wrong.append("%s (%s): %s, made %s" % (name, v.get("op"), said, made))
            self.count["wrong"] += wrong
            exact = said is not None and found == made
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


def examine(daemon, name, path, operators):
    """The row of a file that runs, else None."""
    with open(path, "rb") as file:
        data = file.read()
    seen = infer(daemon, data)
    listed = seen.json["values"]
    whole = path + ".all.onnx"
    exposed = Exposed(data, by_scope(seen))
    for operator in exposed.operators:
        operators[operator] = operators.get(operator, 0) + 1
    with open(whole, "wb") as file:
        file.write(exposed.data)
    row, faults = Row(name, exposed.hidden), []
    images = any(v["kind"] == "input" and len(v.get("shape", [])) == 4 for v in listed)
    for number in IMAGES if images else TRIED:
        sizes, given = feeds(listed, number)
        if given is None or row.runs == ENOUGH:
            break
        if broken(name, seen, sizes):
            continue  # the runtime may run it all the same: a window that does not fit counts as one there
        outcome, = node("run.js", [{"model": whole, "feeds": given}])
        if "error" in outcome:
            faults.append(outcome["error"])
            continue
        row.hold(by_scope(seen), exposed.keys, outcome["shapes"], sizes, True)
        scalars = ["%s:%d" % (name, INTEGER) for name, one in given.items() if one["data"] == [INTEGER]]
        bound = infer(daemon, data, dim=["%s=%d" % size for size in sizes.items()], value=scalars)
        row.hold(by_scope(bound), exposed.keys, outcome["shapes"], {}, False)
        row.runs += 1
        if not sizes:
            break  # another run would make the same
    os.remove(whole)
    if not row.runs:
        print("# %s is left out, it did not run: %s" % (name, (faults or ["its inputs cannot be fed"])[0][:300]), flush=True)
        return None
    row.verdict()
    return row


def optimised(path, level):
    """Where the optimiser wrote the model at a level, and why it could not."""
    to = "%s-%s.onnx" % (path, level)
    outcome, = node("optimise.js", [{"model": path, "level": level, "to": to}])
    return to, outcome.get("error")


def versions(daemon, name, data, folder):
    """The model and its quantised versions as files in the folder: (what it is, its path). As quantisers advise, what they get
    is optimised a little: constants are folded."""
    path = os.path.join(folder, "plain")
    with open(path, "wb") as file:
        file.write(with_weights(data))
    yield "%s, plain" % name, path
    basic, fault = optimised(path, "basic")
    if fault:
        return
    with open(basic, "rb") as file:
        data = file.read()
    os.remove(basic)
    types = {v["name"]: v.get("type") for v in infer(daemon, data).json["values"]}
    for way in WAYS:
        path = os.path.join(folder, way)
        made, changed = quantised(data, way, types)
        if changed:
            with open(path, "wb") as file:
                file.write(made)
            yield "%s, %s" % (name, way), path


def table(rows, operators):
    width = max(len(row.name) for row in rows)
    print("# %-*s %s" % (width, "file, as it is or quantised, level", " ".join("%10s" % c for c in COLUMNS)))
    for row in rows:
        print("# %-*s %s" % (width, row.name, " ".join("%10d" % row.count[c] for c in COLUMNS)))
    print("# %-*s %s" % (width, "%d files" % len(rows), " ".join("%10d" % sum(row.count[c] for row in rows) for c in COLUMNS)))
    print("# operators of other domains, by files: %s" % ", ".join("%s %d" % item for item in sorted(operators.items())))


def main(folder):
    why = install()
    check("ONNX Runtime is there", not why, why)
    for script in ("run.js", "optimise.js"):
        shutil.copy(os.path.join(SOURCE, script), INSTALLED)
    models = sorted(name for name in os.listdir(folder) if name.endswith(".onnx"))
    check("%s holds models" % folder, models)
    rows, operators = [], {}
    with Daemon() as daemon, tempfile.TemporaryDirectory(dir=INSTALLED) as made:
        for name in models:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            for what, path in versions(daemon, name, data, made):
                for level in LEVELS:
                    to, fault = optimised(path, level)
                    each = "%s, %s" % (what, level)
                    if fault:
                        print("# %s is left out: %s" % (each, fault[:300]), flush=True)
                        continue
                    rows.append(examine(daemon, each, to, operators))
                    os.remove(to)
    table([row for row in rows if row], operators)


main(sys.argv[1])
finish()
