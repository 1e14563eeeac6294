#!/usr/bin/env python3
"""Counts instructions a node under callgrind, which a busy machine does not change.

    instructions.py BENCH [OTHER] [-- MODEL...]

With one build of bench, a table of phases: what each takes of one inference, or of one writing of its answer. With two,
both beside each other, and how many times the first one's the second one takes: so a change is held against the build
before it. Phases overlap where one calls another; one that the compiler made part of its caller has a dash. Without models: those of the first build, and a chain of 10,000 nodes.
Needs valgrind.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "blackbox"))
from wire import chain  # noqa: E402

# Phase and the functions that it consists of.
PHASES = [
    ("read and infer", r"ox_infer_model"),
    ("read", r"skim_feed"),
    ("infer", r"infer_model"),
    ("rules", r"infer_[A-Z]\w*|infer_com_\w+"),
    ("result", r"finish_result"),
    ("JSON", r"render_json"),
    ("protobuf", r"render_proto"),
]
ONCE = r"ox_infer_model"  # as often as there are inferences


class Profile:
    """By function: what it takes with all that it calls, and how often it is called."""

    def __init__(self, path):
        self.cost, self.calls, self.names = {}, {}, {}
        with open(path, encoding="utf-8") as lines:
            self.read(lines)

    def name(self, text):
        number, _, name = text.strip().partition(" ")
        if name:
            self.names[number] = re.sub(r"('\d+)?(\.\w+)*$", "", name)
        return self.names[number]

    def read(self, lines):
        caller = called = None
        for line in lines:
            if line.startswith("fn="):
                caller = self.name(line[3:])
            elif line.startswith("cfn="):
                called = self.name(line[4:])
            elif line.startswith("calls="):
                count = int(line[6:].split()[0])
                if called != caller:
                    self.calls[called] = self.calls.get(called, 0) + count
                cost = int(next(lines).split()[1])
                if called != caller:
                    self.cost[caller] = self.cost.get(caller, 0) + cost
            elif line[0].isdigit() or line[0] in "+-*":
                self.cost[caller] = self.cost.get(caller, 0) + int(line.split()[1])

    def phase(self, pattern):
        """What the functions take for each time that the phase is gone through; None: there are none."""
        found = [name for name in self.cost if re.fullmatch(pattern, name)]
        times = self.calls.get(found[0], 0) if len(found) == 1 else self.calls.get(ONCE, 0)
        return sum(self.cost[name] for name in found) / times if found and times else None


def measure(bench, model):
    """The nodes of a model, and the profile of a build that measures it."""
    with tempfile.NamedTemporaryFile(suffix=".callgrind") as out:
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out.name, bench, "0", model],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        return max(int(done.stdout.split()[1]), 1), Profile(out.name)


def rows(benches, model):
    measured = [measure(bench, model) for bench in benches]
    for phase, pattern in PHASES:
        taken = [profile.phase(pattern) for _, profile in measured]
        texts = ["%.0f" % (cost / nodes) if cost is not None else "-" for cost, (nodes, _) in zip(taken, measured)]
        if len(taken) == 2:
            texts.append("%.3f" % (taken[1] / taken[0]) if taken[0] and taken[1] else "-")
        yield phase, texts


def print_table(benches, models):
    print("%-24s %-16s" % ("model", "phase") + "".join("%10s" % head for head in ("first", "second", "ratio")[:2 * len(benches) - 1]))
    for model in models:
        for phase, texts in rows(benches, model):
            print("%-24s %-16s" % (os.path.basename(model)[:24], phase) + "".join("%10s" % text for text in texts), flush=True)


def main():
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    benches, models = sys.argv[1:split], sys.argv[split + 1:]
    if len(benches) not in (1, 2):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        if not models:
            (pathlib.Path(folder) / "chain.onnx").write_bytes(chain(10000))
            models = [*sorted(map(str, pathlib.Path(benches[0]).parent.parent.glob("models/*.onnx"))), folder + "/chain.onnx"]
        print_table(benches, models)


if __name__ == "__main__":
    main()
