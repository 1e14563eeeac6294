#!/usr/bin/env python3
"""The operators that ONNX Runtime adds, each alone, with random attributes and sizes: where the runtime runs a node, the
answer has no error, and its ranks, types, sizes and conditions are those of what the runtime made. Sizes are numbers or
symbols by turns. A few nodes of each here; tests/soak has more."""
import json
import os
import random
import subprocess
import tempfile

import shutil

from build import const, graph, infer, model, op
from contrib_nodes import NODES
from harness import Daemon, check, finish
from test_runtime import INSTALLED, SOURCE, broken, faults, install

FEW = 3
TYPES = {"float": "float32", "double": "float64"}  # what JavaScript calls them; others are called alike
OPSETS = {"": 8, "com.microsoft": 1}


class Trial:
    """One node, as a model of its own, and what must be fed to it."""

    def __init__(self, made, symbolic):
        self.made, self.sizes, self.feeds, declared, nodes = made, {}, {}, [], []
        for given in made.inputs:
            if given.constant:
                count = 1
                for d in given.dims:
                    count *= d
                data = [given.data[k % len(given.data)] for k in range(count)]
                nodes.append(const(given.name, "%s[%s]" % (given.kind, ",".join(map(str, given.dims))), data))
                continue
            names = ["%s_%d" % (given.name, axis) if symbolic else str(d) for axis, d in enumerate(given.dims)]
            declared.append("%s: %s[%s]" % (given.name, given.kind, ",".join(names)))
            if symbolic:
                self.sizes.update(zip(names, given.dims))
            self.feeds[given.name] = {"type": TYPES.get(given.kind, given.kind), "dims": given.dims, "data": given.data}
        self.nodes, self.declared = nodes + [op(made.call, **made.attributes)], declared
        self.outputs = [o.strip() for o in made.call.partition("=")[0].split(",") if o.strip()]

    def bytes(self, outputs=()):
        return model(graph(self.nodes, self.declared, outputs), OPSETS, ir=7)

    def text(self):
        return "%s of %s, %s" % (self.made.call, ["%s: %s%s" % (i.name, i.kind, i.dims) for i in self.made.inputs],
                                 self.made.attributes)


def contradiction(trial, seen, outcome):
    """The difference between the inferred and the runtime's outputs of a node; None if there is none."""
    errors = [d["message"] for d in seen.json["diagnostics"] if d["severity"] == "error"]
    if errors:
        return "it runs, but %s" % errors[0]
    said = {v["name"]: v for v in seen.json["values"]}
    for name, kind in outcome["types"].items():
        told = said[name].get("type")
        if told and TYPES.get(told[7:-1], told[7:-1]) != kind:
            return "%s is %s, made %s" % (name, told, kind)
    known = {name: shape for name, shape in outcome["shapes"].items() if "shape" in said[name]}
    fault, lost = faults(seen, known, trial.sizes), broken(trial.made.call, seen, trial.sizes)
    return fault or (lost and "it runs without %s" % (lost[0],))


def examine(daemon, folder, name, seeds):
    """The contradictions of an operator, how many of its nodes ran, and of how many outputs the shape is known."""
    trials, lines = [], []
    for seed in seeds:
        r = random.Random("%s %d" % (name, seed))
        trial = Trial(NODES[name](r), seed % 2 == 1)
        seen = infer(daemon, trial.bytes())
        path = os.path.join(folder, "%s-%d.onnx" % (name, seed))
        with open(path, "wb") as file:
            file.write(trial.bytes(trial.outputs))
        trials.append((trial, seen))
        lines.append(json.dumps({"model": path, "feeds": trial.feeds}))
    done = subprocess.run(["node", "run.js"], cwd=INSTALLED, input="\n".join(lines).encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=600)
    found, ran, known, outputs = [], 0, 0, 0
    for (trial, seen), line in zip(trials, done.stdout.decode().splitlines()):
        outcome = json.loads(line)
        if "error" in outcome:
            continue
        ran += 1
        outputs += len(outcome["shapes"])
        known += sum("shape" in v for v in seen.json["values"] if v["name"] in outcome["shapes"])
        fault = contradiction(trial, seen, outcome)
        if fault:
            found.append("%s: %s" % (trial.text(), fault))
    return found, ran, known, outputs


def examine_all(first, count):
    why = install()
    if why:
        check("left out: ONNX Runtime, for %s" % why, True)
        return
    shutil.copy(os.path.join(SOURCE, "run.js"), INSTALLED)
    with Daemon() as daemon, tempfile.TemporaryDirectory(dir=INSTALLED) as folder:
        for name in sorted(NODES):
            found, ran, known, outputs = examine(daemon, folder, name, range(first, first + count))
            check("%s: nothing against the runtime, which ran %d of %d; %d of %d shapes known" %
                  (name, ran, count, known, outputs), not found and ran > 0, found[:3] or "none ran")


if __name__ == "__main__":
    examine_all(0, FEW)
    finish()
