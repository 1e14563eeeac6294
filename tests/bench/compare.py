#!/usr/bin/env python3
"""Runs bench, and bench_onnx when it was built, on the same models on the same machine, and prints a table.

    compare.py [--seconds S] BENCH [BENCH_ONNX] -- MODEL...
"""
import os
import subprocess
import sys


def measure(program, seconds, model):
    """The fields of the line that a program prints for one model; none when it cannot take the model."""
    done = subprocess.run([program, str(seconds), model], stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout.strip().split("\t")[1:] if done.returncode == 0 else []


def main():
    arguments = sys.argv[1:]
    seconds = 2.0
    if arguments[:1] == ["--seconds"]:
        seconds, arguments = float(arguments[1]), arguments[2:]
    if "--" not in arguments:
        sys.exit(__doc__)
    programs, models = arguments[:arguments.index("--")], arguments[arguments.index("--") + 1:]
    models += os.environ.get("SHAPED_BENCH_MODELS", "").split()
    print("%-28s %10s %8s %12s %9s %12s %9s %12s %12s %7s" % (
        "model", "bytes", "nodes", "result", "ns/node", "with JSON", "ns/node", "memory", "libonnx", "ratio"))
    failed = False
    for model in models:
        ours = measure(programs[0], seconds, model)
        if not ours:
            failed = True
            continue
        size, nodes, result, json, memory = map(int, ours)
        theirs = measure(programs[1], seconds, model) if len(programs) > 1 else []
        tail = "%9.1f us %6.1fx" % (int(theirs[0]) / 1e3, int(theirs[0]) / json) if theirs else "%12s %7s" % ("-", "-")
        per = max(nodes, 1)
        print("%-28s %10d %8d %9.1f us %9.0f %9.1f us %9.0f %12d %s" % (
            os.path.basename(model)[:28], size, nodes, result / 1e3, result / per, json / 1e3, json / per, memory, tail),
            flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
