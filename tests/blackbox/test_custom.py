#!/usr/bin/env python3
"""Operators that a caller declares: in a form, in a node's request, by RPC, as a flag, in the daemon's folder; the examples
of docs/custom-operators.md; and texts that are wrong. What the declarations mean, tests/cases/custom.cases has."""
import json
import os
import re
import subprocess
import tempfile

import build as models
from build import graph, op
from harness import CASES, ROOT, Daemon, check, equal, finish, run

EXAMPLE = re.compile(r"<!-- example: (.*?) -->\n```\n(.*?)```", re.S)
HALVES = "domain com.example\nHalves 1 (x: T) -> (y: T)\n T = floats\n y: [x[0] // 2, *x[1:]]\n"
NODE = {"node": {"opType": "Halves", "domain": "com.example", "inputs": ["x"], "outputs": ["y"]},
        "opsetImports": {"com.example": 1}, "inputs": {"x": {"type": "tensor(float)", "shape": ["N", 3]}}}

# What is written behind `domain com.example`, and what the answer says of it.
FAULTS = {
    "X 1 (x: flaot[) -> (y: T)": "line 2: expected ',', got '['",
    "X 1 (x: seq(flaot)) -> (y: float)": "line 2: 'flaot' is not a type; did you mean float?",
    "X 1 (x: T) -> (y: T)": "line 2: 'x' is of type T, which is neither an element type nor a variable of X",
    "X 1 (x: float) -> (y: T)\n T = floats\n T = ints": "line 4: the type variable T is there twice",
    "X (x: T) -> (y: T)": "line 2: expected the version of the operator set that brought X, a number from 1 on, got '('",
    "X 0 (x: T) -> (y: T)": "line 2: expected the version of the operator set that brought X, a number from 1 on, got '0'",
    "X 1 (x: T, x: T) -> (y: T)": "line 2: two parameters are called 'x'",
    "X 1 (x: T..., w: T) -> (y: T)": "line 2: the variadic parameter 'x' must be the last",
    "X 1 (x?: T...) -> (y: T)": "line 2: 'x' is variadic: write '...0' where it may be left out",
    "X 1 (x: mixed T) -> (y: T)": "line 2: 'mixed' is for variadic parameters",
    "X 1 (x: float) -> (y: float)\n {a: itn}": "line 3: 'itn' is not a type of attributes; did you mean int?",
    "X 1 (x: float) -> (y: float)\n {a: int, a: int}": "line 3: two attributes are called 'a'",
    "X 1 (x: float) -> (y: float)\n {a: int = 1.5}": "line 3: expected a value of attribute 'a', which is of type int, got '1.5'",
    "X 1 (x: float) -> (y: float)\n {a: int[3]}": "line 3: attribute 'a' is not a list, whose length could be bounded",
    "X 1 (x: float) -> (y: float)\n {a: float of T}": "line 3: 'of' is for attributes of type int or ints, and 'a' is of type float",
    "X 1 (x: float) -> (y: float)\n {a: int of T}": "line 3: attribute 'a' is of T, which is not a type variable of X",
    "X 1 (x: float) -> (y: float)\n y: [x[0]": "line 3: expected ',', got the end of the text",
    "X 1 (x: float) -> (y: float)\n y: [n]": "line 3: 'n' is neither an input nor a size that a pattern above names",
    "X 1 (x: float) -> (y: float)\n y: [n]\n x: [n]": "line 3: 'n' is neither an input nor a size that a pattern above names",
    "X 1 (x: float) -> (y: float)\n x: [*n]\n y: [n]": "line 4: 'n' stands for several sizes: write *n",
    "X 1 (x: float) -> (y: float)\n x: [*n, *m]": "line 3: a pattern has '*' once",
    "X 1 (x: float) -> (y: float)\n x: [max]": "line 3: 'max' has another meaning here and cannot name a size",
    "X 1 (x: float) -> (y: float)\n z: [1]": "line 3: X has no input or output 'z'",
    "X 1 (x: float) -> (x: float)\n x: [1]": "line 3: 'x' is an input and an output: give them two names",
    "X 1 (x: float) -> (y: float)\n y: x\n y: x": "line 4: the shape of 'y' is stated twice",
    "X 1 (x: float) -> (y: seq(float))\n y: x": "line 3: 'y' may be a sequence or an optional, whose shape cannot be stated",
    "X 1 (x: float) -> (y: float)\n {stride: int}\n y: [attr.strdie]": "line 4: X has no attribute 'strdie'; did you mean stride?",
    "X 1 (x: float) -> (y: float)\n {s: string}\n y: [attr.s]": "line 4: attribute 's' is of type string, which has no place here",
    "X 1 (x: float) -> (y: float)\n y: [ceildiv(1)]": "line 3: ceildiv takes 2 arguments, got 1",
    "X 1 (x: float) -> (y: float)\n y: [1 ^ 2]": "line 3: unexpected character 0x5e",
    "X 1 (x: float) -> (y: float)\n y: [99999999999999999999]": "line 3: 99999999999999999999 does not fit into 64 bits",
    "X 1 (x: float) -> (y: float)\n y: [%s1%s]" % ("(" * 40, ")" * 40): "line 3: expressions are nested more than 32 levels",
    "X 1 (x: float) -> (y: float)\n y: [%s1]" % ("1 + " * 70): "line 3: a sum has more than 64 terms",
    "X 1 (x: float) -> (y: float)\n y: [%s1]" % ("1, " * 70): "line 3: a shape has more than 64 parts",
    "X 1 (x: float) -> (y: float)\n %s" % 'y: "': "line 3: the text has no closing quote",
    "X 1 (x: float) -> (y: float)\nX 1 (x: float) -> (y: float)": "line 3: version 1 of X is declared in line 2 already",
    "  X 1 (x: float) -> (y: float)": "line 2: 'X' must stand at the beginning of its line, or belongs to no operator",
    "domain ai.onnx\nRelu 1 (x: float) -> (y: float)": "line 3: Relu of ai.onnx is known already and cannot be declared",
    "domain com .example\n": "line 2: expected 'domain NAME', got 'domain com .example'",
}


def halves():
    main = graph([op("h = com.example.Halves(x)"), op("y = Relu(h)")], ["x: float[N,3]"], ["y"])
    return models.model(main, opset={"": 17, "com.example": 1})


def shapes(answer):
    return {value["name"]: value.get("shape") for value in answer["values"]}


def form(data, operators):
    parts = (("model", data), ("operators", operators.encode()))
    body = b"".join(b'--b\r\nContent-Disposition: form-data; name="%s"; filename="f"\r\n\r\n%s\r\n' % (name.encode(), content)
                    for name, content in parts)
    return body + b"--b--\r\n"


def check_doors(daemon, data):
    equal("not declared", "shape" in daemon.post("/v1/models:infer", data).json["values"][1], False)
    answer = daemon.post("/v1/models:infer", form(data, HALVES), "multipart/form-data; boundary=b")
    equal("a form", shapes(answer.json), {"x": ["N", 3], "h": ["N//2", 3], "y": ["N//2", 3]})
    node = {**NODE, "operators": HALVES}
    equal("a node", daemon.post_json("/v1/nodes:infer", node).json["values"][0]["shape"], ["N//2", 3])
    batch = daemon.post_json("/v1/nodes:batchInfer", {"requests": [node, NODE]}).json["results"]
    check("declared for one of a batch", "values" in batch[0] and "error" in batch[1], batch)
    call = {"options": {"operators": HALVES}, "node": {"opType": "Halves", "domain": "com.example", "output": ["y"]},
            "opsetImports": [{"domain": "com.example", "version": 1}], "inputs": []}
    answer = daemon.post_json("/shaped.v1.ShapeInference/InferNode", call)
    check("by RPC", "MISSING_INPUT" in answer.text, answer.text)
    call["options"]["operators"] = "domain d\nX"
    answer = daemon.post_json("/shaped.v1.ShapeInference/InferNode", call)
    check("by RPC, wrong", answer.status == 400 and "options.operators" in answer.text and "line 2" in answer.text, answer.text)


def check_faults(daemon, data):
    for text, wanted in FAULTS.items():
        node = {**NODE, "operators": "domain com.example\n" + text}
        answer = daemon.post_json("/v1/nodes:infer", node)
        equal(text[:60], (answer.status, answer.json.get("message")), (400, "operators: " + wanted))
    answer = daemon.post("/v1/models:infer", form(data, "domain\n"), "multipart/form-data; boundary=b")
    equal("in a form", (answer.status, answer.json["message"]), (400, "operators: line 1: expected 'domain NAME', got 'domain'"))
    for what, bad in {"no UTF-8": b"\xff", "a NUL": b"# \0"}.items():
        body = form(data, "@").replace(b"@", bad)
        answer = daemon.post("/v1/models:infer", body, "multipart/form-data; boundary=b")
        equal(what, (answer.status, answer.json["message"]), (400, "operators: the text is not UTF-8, or has a NUL"))
    answer = daemon.post("/v1/models:infer", form(data, "# " + "a" * (1 << 20)), "multipart/form-data; boundary=b")
    check("too long", answer.status == 413 and "operators_bytes" in answer.text, answer.text[:200])
    many = "domain d\n" + "".join("X%d 1 () -> ()\n" % i for i in range(4097))
    answer = daemon.post_json("/v1/nodes:infer", {**NODE, "operators": many})
    check("too many", answer.status == 400 and "more than 4096 operators" in answer.text, answer.text[:200])


LISTED = (  # files in the order of their names
    ("a.ops", "domain com.example\nTwice 3 (x: T) -> (y: T, z?: T)\n        {n: int!}\n        T = floats\n"
              "Twice: Gives its input twice.\nTwice 1 (x: T) -> (y: T)\n        T = float\n"),
    ("b.ops", "domain com.example\nTwice 7 (x: float) -> (y: float)\nOther 1 (x: float...) -> (y: float)\n"),
)


def listed(daemon, query, size):
    """The operators of all pages of a size."""
    found, token = [], ""
    while token is not None:
        answer = daemon.get("/v1/operators?pageSize=%d&pageToken=%s%s" % (size, token, query)).json
        found += answer["operators"]
        token = answer.get("nextPageToken")
    return found


def check_listed():
    """What the daemon was started with stands behind the registry, and says that it is declared."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in LISTED:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        with Daemon("--operators", folder) as daemon:
            for size in (1, 2, 1000):
                found = listed(daemon, "&domain=com.example", size)
                equal("listed in pages of %d" % size, [(o["name"], o["versions"], o.get("declared")) for o in found],
                      [("Twice", [1, 3], True), ("Other", [1], True)])
            equal("what is declared first counts", found[0]["maxOutputs"], 2)
            everything = listed(daemon, "", 1000)
            check("behind the registry, none of which is declared", everything[-2:] == found and
                  not any("declared" in o for o in everything[:-2]) and len(everything) > 400, everything[-3:])
            equal("in an earlier version", [(o["name"], o["since"], o["maxOutputs"]) for o in
                                            listed(daemon, "&domain=com.example&opset=2", 10)],
                  [("Twice", 1, 1), ("Other", 1, 1)])
            one = daemon.get("/v1/operators/Twice?domain=com.example")
            equal("one", one.json, found[0])
            equal("its attribute", [(a["name"], a["required"]) for a in one.json["attributes"]], [("n", True)])
            equal("in another domain", daemon.get("/v1/operators/Twice").status, 404)
            answer = daemon.post_json("/shaped.v1.ShapeInference/ListOperators", {"domain": "com.example", "pageSize": 1}).json
            check("by RPC", answer["operators"][0]["name"] == "Twice" and answer["operators"][0]["declared"], answer)
            answer = daemon.post_json("/shaped.v1.ShapeInference/ListOperators",
                                      {"domain": "com.example", "pageToken": answer["nextPageToken"]}).json
            check("the next page by RPC", [o["name"] for o in answer["operators"]] == ["Other"] and
                  "nextPageToken" not in answer, answer)
            answer = daemon.post_json("/shaped.v1.ShapeInference/GetOperator", {"name": "Twice", "domain": "com.example"}).json
            equal("one by RPC", (answer["versions"], answer["declared"]), (["1", "3"], True))
        status, out, _ = run("operators", "--operators", folder, "--domain", "com.example")
        lines = [line.split() for line in out.decode().splitlines()[1:]]
        equal("shaped operators --operators", (status, lines),
              (0, [["com.example", "Twice", "3", "1,", "3", "declared"], ["com.example", "Other", "1", "1", "declared"]]))
        status, out, _ = run("operators", "--operators", folder, "Twice")
        check("shaped operators --operators NAME", status == 0 and b"Twice of com.example, version 3" in out and
              b"required" in out, out)
        with open(os.path.join(folder, "c.ops"), "w", encoding="utf-8") as file:
            file.write("X")
        status, _, err = run("operators", "--operators", folder)
        check("shaped operators with a wrong file", status == 2 and b"c.ops: line 1:" in err, err)


def check_flags(data):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mine.ops")
        with open(path, "w", encoding="utf-8") as file:
            file.write(HALVES)
        status, out, _ = run("infer", "--format", "json", "--operators", path, "-", stdin=data)
        equal("shaped infer --operators", (status, shapes(json.loads(out))["y"]), (0, ["N//2", 3]))
        with Daemon("--operators", folder) as daemon:
            equal("the daemon's folder", shapes(daemon.post("/v1/models:infer", data).json)["y"], ["N//2", 3])
            own = HALVES.replace("// 2", "// 3")
            answer = daemon.post("/v1/models:infer", form(data, own), "multipart/form-data; boundary=b")
            equal("a request's own come first", shapes(answer.json)["y"], ["N//3", 3])
        with open(path, "a", encoding="utf-8") as file:
            file.write("X")
        for command in (("infer", "--operators", path, "-"), ("serve", "--listen", "127.0.0.1:0", "--operators", folder)):
            status, _, err = run(*command, stdin=data)
            check("%s with a wrong file" % command[0], status == 2 and b"mine.ops: line 5:" in err, err)
        status, _, err = run("infer", "--operators", os.path.join(folder, "none"), "-", stdin=data)
        check("a file that is not there", status == 2 and b"none: " in err, err)


def check_documents():
    with open(os.path.join(ROOT, "docs", "custom-operators.md"), encoding="utf-8") as file:
        examples = EXAMPLE.findall(file.read())
    equal("examples of the document", len(examples), 3)
    for case, text in examples:
        with tempfile.TemporaryDirectory() as folder:
            for name, content in (("example.cases", case + "\n"), ("example.ops", text)):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(content)
            done = subprocess.run([CASES, os.path.join(folder, "example.cases")], stdout=subprocess.PIPE)
            check("the document's " + case, done.returncode == 0, done.stdout.decode())


def main():
    data = halves()
    with Daemon() as daemon:
        check_doors(daemon, data)
        check_faults(daemon, data)
    check_listed()
    check_flags(data)
    check_documents()
    finish()


if __name__ == "__main__":
    main()
