"""The models of a folder, and what ONNX Runtime's optimiser makes of each at every level: every value that the runtime
makes is held against the answer, with symbols and with the sizes and scalars that ran. None must be wrong, and of each file 97 of
100 values must be known exactly where the sizes are.

What the runtime cannot optimise or run (weights that the file lacks, inputs of a kind that this does not feed) is said
and left out. Sizes are tried from a list; two that run are enough."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from build import infer, type_of
from expressions import evaluate, names
from harness import Daemon, check, finish
from test_runtime import INSTALLED, SOURCE, broken, install
from wire import text

LEVELS = ("disabled", "basic", "extended", "all")
TRIED = (64, 96, 1, 2, 76, 128, 512, 576, 1280, 1760, 12400, 16000)
IMAGES = (64, 96, 48, 192, 1)
ENOUGH = 2
LEAST = 0.97
KINDS = {"float": "float32", "double": "float64", "int64": "int64", "int32": "int32", "bool": "bool", "uint8": "uint8",
         "int8": "int8"}
INTEGER = 16000  # a sample rate, where a scalar is asked for


def node(script, lines):
    done = subprocess.run(["node", script], cwd=INSTALLED, input="\n".join(map(json.dumps, lines)).encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=900)
    answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
    return answers + [{"error": "the runtime died"}] * (len(lines) - len(answers))


def exposed(data, values):
    """The model with every tensor of its main graph as an output: messages that are joined merge."""
    listed = [v for v in values if not v.get("scope") and v["kind"] == "intermediate" and
              v.get("type", "")[7:-1] in KINDS]
    return data + text(7, b"".join(text(12, text(1, v["name"]) + text(2, type_of(v["type"][7:-1]))) for v in listed))


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


def count(values, shapes, sizes, known, wrong):
    """Counts the values whose whole shape is known, and those of which only a part is known."""
    for v in values:
        if v.get("scope") or v["name"] not in shapes or v["kind"] == "input":
            continue
        made, said = shapes[v["name"]], v.get("shape")
        if said is None:
            known.append(False)
            continue
        found = [None if d not in sizes and names(str(d)) - set(sizes) else evaluate(d, sizes, sizes) for d in said]
        known.append(found == made)
        if len(said) != len(made) or any(f is not None and f != m for f, m in zip(found, made)):
            wrong.append("%s (%s): %s, made %s" % (v["name"], v.get("op"), said, made))


def examine(daemon, name, path):
    with open(path, "rb") as file:
        data = file.read()
    seen = infer(daemon, data)
    values = seen.json["values"]
    whole = path + ".all.onnx"
    with open(whole, "wb") as file:
        file.write(exposed(data, values))
    known, symbolic, wrong, faults, ran = [], [], [], [], 0
    images = any(v["kind"] == "input" and len(v.get("shape", [])) == 4 for v in seen.json["values"])
    for number in IMAGES if images else TRIED:
        sizes, given = feeds(values, number)
        if given is None or ran == ENOUGH:
            break
        if broken(name, seen, sizes):
            continue  # the runtime may run it all the same: a window that does not fit counts as one there
        outcome, = node("run.js", [{"model": whole, "feeds": given}])
        if "error" in outcome:
            faults.append(outcome["error"])
            continue
        count(values, outcome["shapes"], sizes, symbolic, wrong)
        scalars = ["%s:%d" % (name, INTEGER) for name, one in given.items() if one["data"] == [INTEGER]]
        bound = daemon.infer(data, dim=["%s=%d" % size for size in sizes.items()], value=scalars).json["values"]
        count(bound, outcome["shapes"], {}, known, wrong)
        lost = [v for v in bound if not v.get("scope") and "shape" not in v]
        ran += 1
    os.remove(whole)
    if not ran:
        print("# %s is left out, it did not run: %s" % (name, (faults or ["its inputs cannot be fed"])[0][:200]))
        return
    check("%s: %d of %d values of %d runs known, by symbols %d, none wrong" %
          (name, sum(known), len(known), ran, sum(symbolic)), not wrong and known and sum(known) >= LEAST * len(known),
          wrong[:5] or ["%s (%s)" % (v["name"], v.get("op")) for v in lost[:8]])


def main(folder):
    why = install()
    check("ONNX Runtime is there", not why, why)
    for script in ("run.js", "optimise.js"):
        shutil.copy(os.path.join(SOURCE, script), INSTALLED)
    models = sorted(name for name in os.listdir(folder) if name.endswith(".onnx"))
    check("%s holds models" % folder, models)
    with Daemon() as daemon, tempfile.TemporaryDirectory(dir=INSTALLED) as made:
        for name in models:
            lines = [{"model": os.path.abspath(os.path.join(folder, name)), "level": level,
                      "to": os.path.join(made, "%s-%s" % (level, name))} for level in LEVELS]
            for line, outcome in zip(lines, node("optimise.js", lines)):
                what = "%s at level %s" % (name, line["level"])
                if "error" in outcome:
                    print("# %s is left out: %s" % (what, outcome["error"][:200]))
                    continue
                examine(daemon, what, line["to"])
                os.remove(line["to"])


main(sys.argv[1])
finish()
