#!/usr/bin/env python3
"""Runs bench, and bench_onnx when it was built, on the same models on the same machine, and prints a table.

    compare.py [--seconds S] [--repeat N] BENCH [BENCH_ONNX] -- MODEL...

Each model has processes of its own, N of either program in turn; the least of each number counts. A ratio says how many
times what we take ONNX's own inference takes from bytes to bytes: "result" what we take to the result in memory, "JSON"
to the rendered answer, "memory" what the process grows by. "faster" and "smaller" hold protobuf answers against JSON:
the time to write them, and their bytes. "cold" is the first run of a process, "new" one with a new context in a process
that has run.
"""
import argparse
import os
import subprocess
import sys

COLUMNS = "%-24s %9s %7s %11s %11s %11s %8s %11s %8s %9s %11s %9s %7s %7s %7s %7s %7s"


def measure(program, seconds, model):
    """The numbers of the line that a program prints for one model; none when it cannot take the model."""
    done = subprocess.run([program, str(seconds), model], stdout=subprocess.PIPE, text=True, check=False)
    return list(map(int, done.stdout.split())) if done.returncode == 0 else []


def least(lines):
    """Of several lines of one model, the least number in each place."""
    return [min(numbers) for numbers in zip(*lines)]


def row(model, ours, theirs):
    size, nodes, cold, result, rendered, json_bytes, memory, json_ns, proto_ns, proto_bytes, renewed, _ = ours
    nodes = max(nodes, 1)
    ours = [size, nodes, "%.1f us" % (cold / 1e3), "%.1f us" % (renewed / 1e3), "%.1f us" % (result / 1e3), "%.0f" % (result / nodes),
            "%.1f us" % (rendered / 1e3), "%.0f" % (rendered / nodes), "%d KiB" % (memory / 1024)]
    tail = ["-"] * 5
    if theirs:
        _, other, grown = theirs
        tail = ["%.1f us" % (other / 1e3), "%d KiB" % (grown / 1024), "%.1fx" % (other / result),
                "%.1fx" % (other / rendered), "%.1fx" % (grown / max(memory, 1))]
    proto = ["%.2fx" % (json_ns / proto_ns), "%.2fx" % (json_bytes / proto_bytes)]
    print(COLUMNS % tuple([os.path.basename(model)[:24]] + ours + tail + proto), flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("programs", nargs="+")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options, models = parser.parse_args(sys.argv[1:split]), sys.argv[split + 1:]
    models += os.environ.get("SHAPED_BENCH_MODELS", "").split()
    print(COLUMNS % ("model", "bytes", "nodes", "cold", "new", "result", "ns/node", "JSON", "ns/node", "memory",
                     "libonnx", "memory", "result", "JSON", "memory", "faster", "smaller"))
    failed = False
    for model in models:
        lines = [[], []]
        for _ in range(options.repeat):
            for at, program in enumerate(options.programs[:2]):
                lines[at].append(measure(program, options.seconds / options.repeat, model))
        if all(lines[0]):
            row(model, least(lines[0]), least(lines[1]) if all(lines[1]) else [])
        failed = failed or not all(lines[0])
    sys.exit(failed)


if __name__ == "__main__":
    main()
