#!/usr/bin/env python3
"""What a diagnostic says, word for word: sentences.jsonl has a faulty model a line and the diagnostics that its answer
must have, whole. A node is "y = MatMul(a, b)", or a list of that and its attributes, in the notation of build.py. A function, of domain my and with the output y, has
the same fields.

    test_sentences.py --write    puts what the daemon says now in place of what is wanted, to be read before it is kept
"""
import json
import os
import sys

from build import function, graph, model, op
from harness import Daemon, equal, finish

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sentences.jsonl")


def built(row):
    nodes = [op(n, "n%d" % i) if isinstance(n, str) else op(n[0], "n%d" % i, **n[1]) for i, n in enumerate(row["nodes"])]
    imports = row.get("imports") or {"": row.get("opset", 17), "ai.onnx.ml": 3, "com.example": 1, "my": 1}
    functions = [function(f["name"], f["inputs"], "y", [op(n) for n in f["nodes"]]) for f in row.get("functions", [])]
    return model(graph(nodes, row["inputs"], row["outputs"]), imports, functions)


def counts_what_is_omitted(daemon):
    """10,000 diagnostics are kept; a last one counts the others."""
    faults = [op("y%d = Relu(a%d)" % (i, i)) for i in range(10050)]
    said = daemon.infer(model(graph(faults, ["x: float[N]"], ["x"]))).json["diagnostics"]
    equal("10,050 faults are counted", (len(said), said[-1]["reason"], said[-1]["message"]),
          (10001, "OMITTED", "more diagnostics (50) or constraints (0) were found than are listed"))
    equal("the last fault that is listed", said[-2]["nodeIndex"], 9999)


def main():
    with open(TABLE, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    with Daemon() as daemon:
        for row in rows:
            said = daemon.infer(built(row), **row.get("options", {})).json["diagnostics"]
            if "--write" in sys.argv:
                row["diagnostics"] = said
            else:
                equal(row["what"], said, row["diagnostics"])
        counts_what_is_omitted(daemon)
    if "--write" in sys.argv:
        with open(TABLE, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    finish()


if __name__ == "__main__":
    main()
