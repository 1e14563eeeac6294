#!/usr/bin/env python3
"""Less knowledge never contradicts more knowledge: the rows of tests/cases with numbers for their symbols, with
symbols for their numbers, and with one thing after the other not known at all."""
import random

from expressions import evaluate, names
from harness import Daemon, check, finish
from test_cases import each_case

PATH = "/v1/nodes:infer"
SIZES = (1, 2, 3, 4, 6, 8)
# By the text a vector; contents of another rank are taken, for runtimes flatten them.
MAY_FAIL = {"ConstantOfShape"}


def each_dimension(value, change):
    """The value with change(dimension, is_element) for all sizes, elements and lengths."""
    changed = dict(value)
    if value.get("shape") is not None:
        changed["shape"] = [change(d, False) for d in value["shape"]]
    if value.get("content") is not None:
        changed["content"] = [change(d, True) for d in value["content"]]
    if value.get("length") is not None:
        changed["length"] = change(value["length"], False)
    if "element" in value:
        changed["element"] = each_dimension(value["element"], change)
    if "elements" in value:
        changed["elements"] = [each_dimension(element, change) for element in value["elements"]]
    return changed


def is_number(d):
    return isinstance(d, (int, float)) or d is None or d in ("NaN", "Infinity", "-Infinity")


def with_inputs(request, change):
    return {**request, "inputs": {name: each_dimension(v, change) for name, v in request["inputs"].items()}}


def symbols_of(request):
    found = set()

    def note(d, _):
        if not is_number(d):
            found.update(names(d))
        return d
    with_inputs(request, note)
    return sorted(found)


def in_numbers(request, pick):
    values = {s: pick.choice(SIZES) for s in symbols_of(request)}
    return with_inputs(request, lambda d, _: d if is_number(d) else evaluate(d, values))


def in_symbols(request, pick, share):
    """Some sizes and elements become symbols, at times the same one for the same number. Contents tell their shape."""
    values = {}

    def change(d, is_element):
        if not isinstance(d, int) or d < is_element or pick.random() > share:
            return d
        alike = [s for s, v in values.items() if v == d]
        symbol = pick.choice(alike) if alike and pick.random() < 0.5 else "Z%d" % len(values)
        values[symbol] = d
        return symbol
    changed = {}
    for name, value in request["inputs"].items():
        changed[name] = each_dimension(value, change)
        if value.get("content") is not None:
            changed[name]["shape"] = value["shape"]
            if value.get("type") not in ("tensor(int64)", "tensor(int32)"):
                changed[name] = value
    return {**request, "inputs": changed}, values


def known_less(request):
    """The request with one thing less at a time, and what that is."""
    for name, value in request["inputs"].items():
        ways = [("type", {}), ("rank", {k: v for k, v in value.items() if k not in ("shape", "content")}),
                ("content", {k: v for k, v in value.items() if k != "content"})]
        if value.get("content"):
            ways.append(("first element", {**value, "content": [None] + value["content"][1:]}))
        for what, less in ways:
            if less != value:
                yield "%s of %s" % (what, name), {**request, "inputs": {**request["inputs"], name: less}}


def differs(less, more, values):
    """What an answer that knows less says otherwise than one that knows more; None."""
    wanted, got = more.get("shape"), less.get("shape")
    pairs = []
    if got is not None and wanted is not None:
        if len(got) != len(wanted):
            return "%s and %s" % (got, wanted)
        pairs = list(zip(got, wanted))
    got, wanted = less.get("content") or [], more.get("content") or []
    if len(got) == len(wanted):
        pairs += list(zip(got, wanted))
    pairs.append((less.get("length"), more.get("length")))
    for a, b in pairs:
        if not isinstance(b, int) or not isinstance(a, (int, str)) or not names(str(a)) <= set(values):
            continue
        number = evaluate(a, values)
        if number is not None and number != b:
            return "%s is %s and %s" % (a, number, b)
    if "element" in less and "element" in more:
        return differs(less["element"], more["element"], values)
    return None


def answers_differ(less, more, values):
    if less.status != 200:
        return less.text
    said = {v["name"]: v for v in less.json["values"]}
    for value in more.json["values"]:
        if value["name"].startswith("y") and value["name"] in said:
            found = differs(said[value["name"]], value, values)
            if found:
                return "%s: %s" % (value["name"], found)
    return None


def is_good(answer):
    """What breaks a text's rule and is answered all the same, with a warning, may well differ."""
    return answer.status == 200 and not any(d["severity"] == "warning" for d in answer.json.get("diagnostics", []))


def row_differs(daemon, request, pick):
    for share in (0.3, 0.6, 1):
        more = in_numbers(request, pick)
        answer = daemon.post_json(PATH, more)
        if not is_good(answer):
            continue
        less, values = in_symbols(more, pick, share)
        found = answers_differ(daemon.post_json(PATH, less), answer, values) if values else None
        if found:
            return "%s: %s" % (less["inputs"], found)
    answer = daemon.post_json(PATH, request)
    for what, less in known_less(request) if is_good(answer) else ():
        found = answers_differ(daemon.post_json(PATH, less), answer, {})
        if found:
            return "without the %s: %s" % (what, found)
    return None


def oldest_and_newest():
    """Of each row and operator the oldest and the newest version, where the row expects no error."""
    found = {}
    for case in each_case():
        node = case["request"]["node"]
        if "code" in case["answer"] or case["checkTypes"] or node["opType"] in MAY_FAIL:
            continue
        row = found.setdefault((case["case"].rpartition(" @")[0], node["opType"]), {})
        row[case["request"]["opsetImports"][node["domain"]]] = case
    for versions in found.values():
        for opset in sorted({min(versions), max(versions)}):
            yield versions[opset]


def main():
    with Daemon() as daemon:
        for case in oldest_and_newest():
            # The same picks for all of one line, every time.
            difference = row_differs(daemon, case["request"], random.Random(case["case"].partition(" ")[0]))
            check(case["case"], difference is None, difference or "")
    finish()


if __name__ == "__main__":
    main()
