#!/usr/bin/env python3
"""The models of tests/models: every value against what the model's builder says of it (NAME.expected.txt), against the
text that is printed (tests/golden/NAME.txt; --update writes it anew), and with numbers bound to the symbols."""
import difflib
import json
import os
import subprocess
import sys
import tempfile

from expressions import evaluate, same
from harness import MODELS, ROOT, check, equal, finish, run

SIZES = {
    "resnet50": [{"N": 1, "H": 224, "W": 224}, {"N": 5, "H": 333, "W": 97}, {"N": 2, "H": 1, "W": 2}],
    "windows": [{"batch": 1, "rows": 8, "columns": 8}, {"batch": 3, "rows": 1, "columns": 5}],
    "encoder": [{"batch": 1, "sequence": 128}, {"batch": 7, "sequence": 1}, {"batch": 3, "sequence": 511}],
}


def infer(name, *options):
    """The answer for a model as JSON; None after a failure."""
    status, out, err = run("infer", os.path.join(MODELS, name + ".onnx"), "--format", "json", *options)
    if not check("%s %s is inferred" % (name, " ".join(options)), status == 0, err.decode(errors="replace")):
        return None
    return json.loads(out)


def expected_of(name):
    """The builder's word: name -> (type, shape, contents or None)."""
    expected = {}
    with open(os.path.join(ROOT, "tests", "models", name + ".expected.txt"), encoding="utf-8") as f:
        for line in f:
            fields = line.rstrip("\n").split("\t")
            lists = [[] if field == "[]" else field[1:-1].split(", ") for field in fields[2:]]
            expected[fields[0]] = (fields[1], lists[0], lists[1] if len(lists) > 1 else None)
    return expected


def all_same(wanted, got, known):
    return got is not None and len(wanted) == len(got) and all(same(w, g, known) for w, g in zip(wanted, got))


def check_expected(name, answer):
    """Every value, whatever the spelling of its dimensions."""
    got = {v["name"]: v for v in answer["values"]}
    known = {s["name"] for s in answer["symbols"]}
    expected = expected_of(name)
    equal("%s: the values are those of the model" % name, sorted(got), sorted(expected))
    for value, (kind, shape, content) in expected.items():
        v = got.get(value, {})
        right = v.get("type") == kind and all_same(shape, v.get("shape"), known)
        right = right and (content is None or all_same(content, v.get("content"), known))
        check("%s: %s" % (name, value), right, "wanted %s %s %s, got %s" % (kind, shape, content, v))
    equal("%s: nothing to complain of" % name, answer["diagnostics"], [])


def check_sizes(name, answer, sizes):
    """Binding the symbols before gives the same numbers as putting them into the expressions after."""
    known = {s["name"] for s in answer["symbols"]}
    bound = infer(name, *["--dim=%s=%d" % item for item in sizes.items()])
    if bound is None:
        return
    differences = []
    for symbolic, number in zip(answer["values"], bound["values"]):
        shape = [evaluate(d, sizes, known) for d in symbolic.get("shape", ["?"])]
        if symbolic["name"] != number["name"] or shape != number.get("shape"):
            differences.append("%s: %s, bound %s" % (symbolic["name"], shape, number.get("shape")))
    check("%s: %s before and after" % (name, sizes), not differences, "\n".join(differences))
    equal("%s: %s leaves no symbol" % (name, sizes), bound["summary"]["exact"], bound["summary"]["values"])


def golden_text(answer):
    lines = []
    for v in answer["values"]:
        content = "  = %s" % json.dumps(v["content"]) if "content" in v else ""
        lines.append("%s  %s  %s%s\n" % (v["name"], v.get("type", "?"), json.dumps(v.get("shape", "?")), content))
    return "".join(lines)


def check_golden(name, answer, update):
    path = os.path.join(ROOT, "tests", "golden", name + ".txt")
    text = golden_text(answer)
    if update:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    with open(path, encoding="utf-8") as f:
        golden = f.read()
    diff = difflib.unified_diff(golden.splitlines(), text.splitlines(), "golden", "got", lineterm="")
    check("%s: prints as before" % name, golden == text, "\n".join(diff))


def check_written(name):
    """The text that stands in the repository is what generate.py writes."""
    folder = os.path.join(ROOT, "tests", "models")
    with tempfile.TemporaryDirectory() as fresh:
        subprocess.run([sys.executable, os.path.join(folder, "generate.py"), fresh], check=True)
        for file in (name + ".textproto", name + ".expected.txt"):
            with open(os.path.join(folder, file), "rb") as a, open(os.path.join(fresh, file), "rb") as b:
                check("%s is as generate.py writes it" % file, a.read() == b.read())


def main():
    update = sys.argv[1:] == ["--update"]
    for name, sizes in SIZES.items():
        check_written(name)
        answer = infer(name)
        if answer is None:
            continue
        check_expected(name, answer)
        for assignment in sizes:
            check_sizes(name, answer, assignment)
        check_golden(name, answer, update)
    finish()


if __name__ == "__main__":
    main()
