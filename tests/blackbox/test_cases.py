#!/usr/bin/env python3
"""The rows of tests/cases over POST /v1/nodes:infer. tests/cases/README.md has the format; `run_cases` is their other
runner. What JSON cannot say (a sequence's elements one by one) is left to that one."""
import glob
import json
import os
import re
import sys

from expressions import same
from harness import ROOT, Daemon, check, finish

INTEGER = re.compile(r"[+-]?\d+$")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$", re.I)
FLOATS = {"float", "double", "float16", "bfloat16"}
WORDS = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}


class Unsaid(Exception):
    """The row says what the JSON API has no words for."""


class Row:
    """A line of a case file, read with a cursor."""

    def __init__(self, text):
        self.text, self.at = text, 0
        self.attributes, self.inputs, self.outputs, self.relations = {}, [], [], []
        self.code = self.reason = None
        self.check_types = self.no_outputs = False
        operators, versions = self.word(), self.word()
        self.domain, _, operators = operators.rpartition(".")
        self.ops = operators.split(",")
        self.opsets = [] if versions == "*" else [(int(v.rstrip("+")), v.endswith("+")) for v in versions.split(",")]
        while not self.take("|"):
            if self.take("!types"):
                self.check_types = True
            elif self.take("!no_outputs"):
                self.no_outputs = True
            else:
                name = self.until("=")
                self.at += 1
                self.attributes[name] = self.attribute()
        while not self.take("->"):
            self.inputs.append(self.value())
        self.outcome()

    def spaces(self):
        while self.text[self.at:self.at + 1] in (" ", "\t"):
            self.at += 1

    def take(self, text):
        self.spaces()
        found = self.text.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def until(self, stop):
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in stop:
            self.at += 1
        return self.text[start:self.at]

    def word(self):
        self.spaces()
        return self.until(" \t")

    def items(self, close):
        """Elements up to `close`, split at commas outside parentheses and quotes."""
        found, depth, quoted, start = [], 0, False, self.at
        while quoted or depth or self.text[self.at] != close:
            c = self.text[self.at]
            quoted ^= c == '"'
            depth += {"(": 1, ")": -1}.get(c, 0)
            if c == "," and not depth and not quoted:
                found.append(self.text[start:self.at].strip())
                start = self.at + 1
            self.at += 1
        found.append(self.text[start:self.at].strip())
        self.at += 1
        return [] if found == [""] else found

    def attribute(self):
        if self.text[self.at] == "[":
            self.at += 1
            return [scalar_attribute(i) for i in self.items("]")]
        if self.text[self.at] == '"':
            self.at += 1
            text = self.until('"')
            self.at += 1
            return text
        start = self.at
        text = self.until(" \t|")
        if "[" not in text:
            return scalar_attribute(text)
        self.at = start
        value = self.value()
        if value.get("content") is None:
            return as_input(value)
        return {"tensor": {"type": value["type"], "shape": [int(d) for d in value["shape"]],
                           "content": [element(value["elem"], c) for c in value["content"]]}}

    def value(self):
        """A dictionary: kind, and what applies of type, elem, shape (None: unknown), content, of, length."""
        self.spaces()
        if self.take("seq{"):
            each = []
            while not self.take("}"):
                each.append(self.value())
            return {"kind": "seq", "type": None, "of": None, "length": str(len(each))}
        for word, kind, name in (("seq(", "seq", "seq"), ("opt(", "opt", "optional")):
            if self.take(word):
                of = self.value()
                self.at += 1
                length = self.until(" \t)}") if self.text[self.at:self.at + 1] == "#" else None
                return {"kind": kind, "type": "%s(%s)" % (name, of["type"]), "of": of,
                        "length": length and length[1:]}
        if self.take("sparse("):
            of = self.value()
            self.at += 1
            return {**of, "kind": "sparse", "type": "sparse_tensor(%s)" % of["elem"]}
        if self.take("map("):
            key = self.until(",")
            self.at += 1
            of = self.value()
            self.at += 1
            return {"kind": "map", "type": "map(%s,%s)" % (key, of["type"])}
        if self.take("_"):
            return None
        if self.take("!"):
            return {"kind": "absent"}
        if self.text[self.at] == "?" and self.text[self.at:self.at + 2] != "?[":
            self.at += 1
            return {"kind": "unknown", "type": None}
        return self.tensor()

    def tensor(self):
        elem = self.until("[")
        self.at += 1
        value = {"kind": "tensor", "elem": elem, "type": None if elem == "?" else "tensor(%s)" % elem, "content": None}
        if self.text.startswith("...]", self.at):
            self.at += 4
            return {**value, "shape": None}
        value["shape"] = self.items("]")
        if self.text[self.at:self.at + 1] == "{":
            self.at += 1
            value["content"] = self.items("}")
        return value

    def outcome(self):
        self.spaces()
        while self.at < len(self.text):
            if self.take("where "):
                self.relations = [r.split() for r in self.text[self.at:].split(";")]
                return
            if self.take("error "):
                self.code, self.reason = (self.text[self.at:].split() + [None])[:2]
                return
            self.outputs.append(self.value())
            self.spaces()


def scalar_attribute(text):
    if text.startswith('"'):
        return text.strip('"')
    if INTEGER.match(text):
        return int(text)
    return float(text) if NUMBER.match(text) else text


def element(elem, text):
    if text == "?":
        return None
    if elem in FLOATS:
        return WORDS.get(text) or (float(text) if NUMBER.match(text) else text)
    return int(text) if INTEGER.match(text) else text


def as_input(value):
    """A value as the API takes it."""
    if value["kind"] == "unknown":
        return {}
    if "None" in str(value["type"]) and (value["kind"] != "tensor" or value["content"] is not None):
        raise Unsaid
    answer = {"type": value["type"]} if value["type"] else {}
    if value.get("shape") is not None:
        answer["shape"] = [int(d) if INTEGER.match(d) else d for d in value["shape"]]
    if value.get("content") is not None:
        answer["content"] = [element(value["elem"], c) for c in value["content"]]
    if value["kind"] in ("seq", "opt"):
        answer["element"] = as_input(value["of"])
    if value.get("length") is not None:
        answer["length"] = int(value["length"]) if INTEGER.match(value["length"]) else value["length"]
    return answer


def request_of(row, op, opset):
    names = ["" if v is None else "x%d" % i for i, v in enumerate(row.inputs)]
    outputs = ["" if v is None and row.code is None else "y%d" % i for i, v in enumerate(row.outputs)] or ["y0"]
    if row.no_outputs:
        outputs = []
    node = {"opType": op, "domain": row.domain, "name": "n", "inputs": names, "outputs": outputs,
            "attributes": row.attributes}
    return {"node": node, "opsetImports": {row.domain: opset},
            "inputs": {n: as_input(v) for n, v in zip(names, row.inputs) if v is not None and v["kind"] != "absent"}}


class Checker:
    """Compares an answer with a row; the first difference raises AssertionError."""

    def __init__(self, answer):
        self.answer, self.labels = answer, {}
        self.symbols = {s["name"] for s in answer.get("symbols", [])}
        self.made_up = {s["name"] for s in answer.get("symbols", []) if s.get("op")}

    def dimension(self, where, wanted, got):
        if not wanted.startswith("*"):
            assert same(wanted, got, self.symbols), "%s: wanted %s, got %s" % (where, wanted, got)
            return
        assert got in self.made_up, "%s: wanted a symbol of its own, got %s" % (where, got)
        if wanted != "*":
            first = self.labels.setdefault(wanted, got)
            assert first == got, "%s: wanted %s, got %s" % (where, first, got)

    def shape(self, where, wanted, got):
        if wanted is None:
            assert got is None, "%s: wanted an unknown rank, got %s" % (where, got)
            return
        assert got is not None and len(got) == len(wanted), "%s: wanted %s, got %s" % (where, wanted, got)
        for w, g in zip(wanted, got):
            self.dimension(where, w, g)

    def content(self, where, value, got):
        wanted = value["content"]
        if "?" in wanted:
            assert got is None, "%s: wanted no content, got %s" % (where, got)
            return
        assert got is not None and len(got) == len(wanted), "%s: wanted %s, got %s" % (where, wanted, got)
        for w, g in zip(wanted, got):
            if w in WORDS or (value["elem"] in FLOATS and NUMBER.match(w)):
                near = g == WORDS.get(w) or (w not in WORDS and abs(float(g) - float(w)) <= 1e-6 * abs(float(w)))
                assert near, "%s: wanted %s, got %s" % (where, w, g)
            else:
                self.dimension(where, w, g)

    def value(self, where, wanted, got):
        if wanted["type"] is not None or wanted["kind"] == "unknown":
            known = None if "None" in str(wanted["type"]) else wanted["type"]
            assert got.get("type") == known, "%s: wanted %s, got %s" % (where, known, got.get("type"))
        if wanted["kind"] in ("tensor", "sparse"):
            self.shape(where, wanted["shape"], got.get("shape"))
        if wanted.get("content") is not None:
            self.content(where, wanted, got.get("content"))
        if wanted.get("of"):
            self.value(where + ".element", wanted["of"], got.get("element", {}))
        if wanted.get("length") is not None:
            self.dimension(where + ".length", wanted["length"], got.get("length"))

    def outputs(self, row):
        found = {v["name"]: v for v in self.answer["values"]}
        for i, wanted in enumerate(row.outputs):
            if wanted is not None:
                assert "y%d" % i in found, "y%d: no answer" % i
                self.value("y%d" % i, wanted, found["y%d" % i])
        told = {(c["left"], c["relation"], c["right"]) for c in self.answer.get("constraints", [])}
        for left, relation, right in row.relations:
            both = {(left, relation, right)} | ({(right, relation, left)} if relation == "==" else set())
            assert told & both, "no constraint %s %s %s in %s" % (left, relation, right, told)

    def error(self, row):
        assert self.answer.get("code") == row.code, "wanted %s, got %s" % (row.code, json.dumps(self.answer)[:500])
        reasons = [d.get("reason") for d in self.answer.get("details", [])]
        assert row.reason is None or row.reason in reasons, "wanted %s, got %s" % (row.reason, self.answer)


def compare(row, answer):
    """None, or where the answer differs."""
    try:
        if row.code is not None:
            Checker(answer.json).error(row)
        else:
            assert answer.status == 200, answer.text
            Checker(answer.json).outputs(row)
    except AssertionError as difference:
        return str(difference)
    return None


def versions_of(daemon, row, op):
    """A version with a plus stands for itself, if the operator is that old, and every later one that changed it; no
    version for all."""
    chosen = [v for v, and_newer in row.opsets if not and_newer]
    from_here = [v for v, and_newer in row.opsets if and_newer]
    if from_here or not row.opsets:
        answer = daemon.get("/v1/operators/%s?domain=%s" % (op, row.domain))
        known = answer.json.get("versions", []) if answer.status == 200 else []
        chosen += [v for v in known if not row.opsets or any(v > least for least in from_here)]
        chosen += [least for least in from_here if not known or min(known) <= least]
    return sorted(set(chosen))


def each_type(text):
    """A row with each=float,double is one for either element type."""
    found = re.search(r" each=(\S+)", text)
    if not found:
        return [text]
    text = text.replace(found.group(0), "")
    return [text.replace("each[", elem + "[") for elem in found.group(1).split(",")]


def run_row(daemon, what, text):
    row = Row(text)
    for op, opset in [(op, opset) for op in row.ops for opset in versions_of(daemon, row, op)]:
        try:
            request = request_of(row, op, opset)
        except Unsaid:
            continue
        path_query = "/v1/nodes:infer" + ("?check_types=1" if row.check_types else "")
        difference = compare(row, daemon.post_json(path_query, request))
        check("%s @%s-%d" % (what, op, opset), difference is None, difference or "")


def rows_of(path):
    """(file and line, text as it stands, text with its list of operators) of each row of a file, type by type."""
    lists = {}
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    for number, line in enumerate(lines, 1):
        name = line.split(" ")[0]
        if line.startswith("@") and "|" not in line:
            lists[name] = line.partition("=")[2].strip()
        elif line.strip() and not line.startswith("#"):
            for text in each_type(line):
                place = "%s:%d" % (os.path.basename(path), number)
                yield place, text, text.replace(name, lists.get(name, name), 1)


def run_files(run):
    """run(daemon, place, text, row's text) for each row of the files named to the program, or of all."""
    files = sys.argv[1:] or sorted(glob.glob(os.path.join(ROOT, "tests", "cases", "*.cases")))
    with Daemon() as daemon:
        for path in files:
            for place, text, row in rows_of(path):
                run(daemon, place, text, row)
    finish()


def main():
    run_files(lambda daemon, place, text, row: run_row(daemon, "%s %s" % (place, text), row))


if __name__ == "__main__":
    main()
