#!/usr/bin/env python3
"""Checks the operator tables and turns them into one constant C table.

    gen_registry.py TABLE_C RULES_H TYPES_SET FAMILY_OPS...

A family's table, FAMILY.ops, has one row for each version of each of its operators, the newest first:

    domain ai.onnx.ml

    Concat        13  Concat      Concat    (inputs: T...) -> (concat_result: T)
            {axis: int!}
            T = all13

The columns are operator, since which version of its operator set, rule, content rule, signature. What does not fit goes
on, indented, on the next lines. `#` begins a comment. `domain` holds for the rows below it; at first it is ai.onnx.

rule       Name: `enum ox_code infer_Name(struct node *n)` sets types and shapes. `-`: none yet, the outputs keep what
           the types alone tell. `@if`, `@loop`, `@scan`, `@sequence_map`: the walk itself infers it, for its subgraphs.
contents   Name: `void content_Name(struct node *n)` sets what is known of the elements. `-`: none.
deprecated stands before the signature of a version that new models must not use.
signature  `name: type`, where type is one of the row's own names for sets (`T`) or a type. `name?: T` may be left out.
           `name: T...` stands for one or more of the same type, `T...0` for none or more (any number does as minimum);
           `mixed T...` need not be of the same type.
{...}      attributes: `axis: int!` is required, `alpha: float = 0.2` has a default, `pads: ints` has none. Texts stand
           in quotes, lists in brackets. Left out when there are none.
T = ...    what T may be: types and sets of types.set, `-name` takes away again. Several are parted by `;`.

A type is an element type (`float`: tensor(float)), `seq(x)`, `optional(x)`, `map(key, value)`, where x may be a set.
"""

import ctypes
import re
import sys

ELEMS = {name: number for number, name in enumerate(
    "undefined float uint8 int8 uint16 int16 int32 int64 string bool float16 double uint32 uint64 complex64 complex128 "
    "bfloat16 float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz uint4 int4 float4e2m1 float8e8m0 uint2 int2 "
    "float6e2m3 float6e3m2".split()) if number}
ATTRS = ("float int string tensor graph floats ints strings tensors graphs sparse_tensor sparse_tensors type_proto "
         "type_protos").split()
CONTROLS = {"@if": "CONTROL_IF", "@loop": "CONTROL_LOOP", "@scan": "CONTROL_SCAN",
            "@sequence_map": "CONTROL_SEQUENCE_MAP"}
TOKEN = re.compile(r'\s*(?:(->|\.\.\.\d*|[(){}\[\]:;,=?!]|"(?:[^"\\]|\\.)*"|-?[\d.]+(?:e[-+]?\d+)?|[-@]?\w+|-)|(\S))')


class Fault(Exception):
    """What is wrong with a table, and where."""

    def __init__(self, place, text):
        super().__init__(f"{place}: error: {text}")


class Reader:
    """The tokens of one row (or one line of types.set)."""

    def __init__(self, place, text):
        self.place = place
        self.tokens = []
        for match in TOKEN.finditer(text):
            if match[2]:
                self.fail(f"unexpected {match[2]!r}")
            self.tokens.append(match[1])
        self.at = 0

    def fail(self, text):
        raise Fault(self.place, text)

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def next(self, what="more"):
        token = self.peek()
        if token is None:
            self.fail(f"{what} expected at the end")
        self.at += 1
        return token

    def take(self, token):
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def expect(self, token):
        got = self.next(repr(token))
        if got != token:
            self.fail(f"{token!r} expected, got {got!r}")

    def name(self, what):
        token = self.next(what)
        if not re.fullmatch(r"[A-Za-z_]\w*", token):
            self.fail(f"{what} expected, got {token!r}")
        return token


# -- reading ----------------------------------------------------------------------------------------------------------


def lines_of(path):
    """(place, text) of each logical line: an indented line goes on with the one before."""
    place, text = None, ""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = re.sub(r'("(?:[^"\\]|\\.)*")|#.*', lambda match: match[1] or "", line).rstrip()
            if not line.strip():
                continue
            if line[0] in " \t":
                if place is None:
                    raise Fault(f"{path}:{number}", "the first line is indented")
                text += " " + line.strip()
                continue
            if place is not None:
                yield place, text
            place, text = f"{path}:{number}", line
    if place is not None:
        yield place, text


def read_type(reader, sets):
    """One type or set, as a list of type strings."""
    name = reader.name("a type")
    if name in ("seq", "optional"):
        reader.expect("(")
        inner = read_type(reader, sets)
        reader.expect(")")
        return [f"{name}({text})" for text in inner]
    if name == "map":
        reader.expect("(")
        key = reader.name("a key type")
        reader.expect(",")
        values = read_type(reader, sets)
        reader.expect(")")
        if key not in ELEMS:
            reader.fail(f"unknown type {key!r}")
        return [f"map({key},{text})" for text in values]
    if name in ELEMS:
        return [f"tensor({name})"]
    if name in sets:
        return sets[name]
    reader.fail(f"unknown type {name!r}")


def type_order(text):
    """Tensors by the number of their element type, then what is nested."""
    return (text.count("("), re.sub(r"\w+", "", text), text[:3], ELEMS[re.findall(r"\w+", text)[-1]], text)


def read_types(reader, sets):
    """Types and sets up to a `;` or the end, with `-` for what is taken away."""
    types = set()
    while reader.peek() not in (None, ";"):
        token = reader.peek()
        minus = token.startswith("-")
        if minus:
            reader.tokens[reader.at] = token[1:]
        found = read_type(reader, sets)
        if minus:
            if not types.issuperset(found):
                reader.fail(f"{token!r} takes away what is not there")
            types.difference_update(found)
        else:
            if types.issuperset(found):
                reader.fail(f"{token!r} adds nothing")
            types.update(found)
    if not types:
        reader.fail("an empty set of types")
    return sorted(types, key=type_order)


def read_sets(path):
    sets = {}
    for place, text in lines_of(path):
        reader = Reader(place, text)
        name = reader.name("the name of a set")
        if name in sets or name in ELEMS or name in ("seq", "optional", "map"):
            reader.fail(f"{name!r} is there already")
        reader.expect("=")
        sets[name] = read_types(reader, sets)
        if reader.peek():
            reader.fail(f"unexpected {reader.peek()!r}")
    return sets


def read_params(reader):
    """(name, type, option, homogeneous, min_arity) of each parameter."""
    params = []
    reader.expect("(")
    while not reader.take(")"):
        if params:
            reader.expect(",")
            if params[-1][2] == "VARIADIC":
                reader.fail("a variadic parameter must be the last")
        name = reader.name("a parameter")
        option = "OPTIONAL" if reader.take("?") else "SINGLE"
        reader.expect(":")
        mixed = reader.take("mixed")
        kind = reader.name("a type")
        minimum = 1
        if (reader.peek() or "").startswith("..."):
            if option == "OPTIONAL":
                reader.fail("a variadic parameter says by its minimum whether it may be left out")
            option = "VARIADIC"
            minimum = int(reader.next()[3:] or 1)
        elif mixed:
            reader.fail("'mixed' is for variadic parameters")
        if any(name == other[0] for other in params):
            reader.fail(f"two parameters {name!r}")
        params.append((name, kind, option, not mixed, minimum))
    return tuple(params)


def read_scalar(reader, kind):
    token = reader.next("a value")
    try:
        if kind == "int" and re.fullmatch(r"-?\d+", token) and -2**63 <= int(token) < 2**63:
            return int(token)
        if kind == "float" and token[0] != '"':
            return ctypes.c_float(float(token)).value
        if kind == "string" and token[0] == '"':
            return re.sub(r"\\(.)", r"\1", token[1:-1])
    except ValueError:
        pass
    reader.fail(f"{token} is no {kind}")


def read_default(reader, kind):
    if kind in ("int", "float", "string"):
        return read_scalar(reader, kind)
    if kind not in ("ints", "strings"):
        reader.fail(f"defaults of type {kind} are not supported")
    values = []
    reader.expect("[")
    while not reader.take("]"):
        if values:
            reader.expect(",")
        values.append(read_scalar(reader, kind[:-1]))
    return tuple(values)


def read_attrs(reader):
    """(name, type, required, default) of each attribute; default None: none."""
    attrs = []
    if not reader.take("{"):
        return ()
    while not reader.take("}"):
        if attrs:
            reader.expect(",")
        name = reader.name("an attribute")
        reader.expect(":")
        kind = reader.name("an attribute type")
        if kind not in ATTRS:
            reader.fail(f"unknown attribute type {kind!r}")
        required = reader.take("!")
        default = read_default(reader, kind) if not required and reader.take("=") else None
        if any(name == other[0] for other in attrs):
            reader.fail(f"two attributes {name!r}")
        attrs.append((name, kind, required, default))
    return tuple(sorted(attrs))


def read_constraints(reader, sets):
    constraints = {}
    while reader.peek():
        name = reader.name("the name of a set")
        if name in sets or name in ELEMS or name in constraints:
            reader.fail(f"{name!r} is there already")
        reader.expect("=")
        constraints[name] = tuple(read_types(reader, sets))
        if not reader.take(";") and reader.peek():
            reader.fail(f"unexpected {reader.peek()!r}")
    return constraints


def read_rule(reader, what):
    token = reader.next(what)
    if token == "-" or re.fullmatch(r"[A-Za-z]\w*", token) or (what == "a rule" and token in CONTROLS):
        return token
    reader.fail(f"{what} expected, got {token!r}")


def resolve_params(reader, params, constraints, sets, used):
    """Puts a type string in the place of what is no name of a set."""
    resolved = []
    for name, kind, *rest in params:
        if kind in constraints:
            used.add(kind)
        elif kind in ELEMS:
            kind = f"tensor({kind})"
        else:
            reader.fail(f"parameter {name!r} is of unknown type {kind!r}")
        resolved.append((name, kind, *rest))
    return tuple(resolved)


def read_row(place, text, domain, sets):
    reader = Reader(place, text)
    row = {"place": place, "domain": domain, "name": reader.name("an operator")}
    since = reader.next("a version")
    if not re.fullmatch(r"[1-9]\d{0,5}", since):
        reader.fail(f"a version expected, got {since!r}")
    row["since"] = int(since)
    row["rule"] = read_rule(reader, "a rule")
    row["contents"] = read_rule(reader, "a content rule")
    row["deprecated"] = reader.take("deprecated")
    inputs = read_params(reader)
    reader.expect("->")
    outputs = read_params(reader)
    row["attrs"] = read_attrs(reader)
    constraints = read_constraints(reader, sets)
    used = set()
    row["in"] = resolve_params(reader, inputs, constraints, sets, used)
    row["out"] = resolve_params(reader, outputs, constraints, sets, used)
    if used != set(constraints):
        reader.fail(f"no parameter is a {', '.join(sorted(set(constraints) - used))}")
    row["constraints"] = tuple(sorted(constraints.items()))
    return row


def read_family(path, sets):
    rows = []
    domain = ""
    for place, text in lines_of(path):
        words = text.split()
        if words[0] == "domain":
            if len(words) != 2 or not re.fullmatch(r"[\w.]+", words[1]):
                raise Fault(place, "`domain NAME` expected")
            domain = "" if words[1] == "ai.onnx" else words[1]
            continue
        row = read_row(place, text, domain, sets)
        last = rows[-1] if rows else None
        if last and (last["domain"], last["name"]) == (row["domain"], row["name"]) and last["since"] <= row["since"]:
            raise Fault(place, f"{row['name']} {row['since']} must stand above {last['since']}: the newest comes first")
        rows.append(row)
    return rows


def check_rows(rows):
    """Each version of an operator once, and all of them in one place."""
    previous = None
    places = {}
    for row in rows:
        key = (row["domain"], row["name"])
        if key != previous and key in places:
            raise Fault(row["place"], f"{row['name']} has rows elsewhere: {places[key]}")
        places[key] = row["place"]
        previous = key


# -- writing ----------------------------------------------------------------------------------------------------------


def quote(text):
    return "NULL" if text is None else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def integer(value):
    return "INT64_MIN" if value == -2**63 else f"INT64_C({value})"


class Pool:
    """Constant arrays; equal ones stand in the table once."""

    def __init__(self, out, ctype, prefix):
        self.out, self.ctype, self.prefix, self.known = out, ctype, prefix, {}

    def add(self, items):
        """The name of an array with these initialisers."""
        items = tuple(items)
        if not items:
            return "NULL"
        if items not in self.known:
            self.known[items] = f"{self.prefix}_{len(self.known)}"
            self.out.append(f"static const {self.ctype}{self.known[items]}[] = {{")
            self.out.extend(f"        {item}," for item in items)
            self.out.append("};")
        return self.known[items]


def arity(params):
    """The least and the greatest number of values; -1: any number."""
    least, most = 0, len(params)
    for index, (_, _, option, _, minimum) in enumerate(params):
        if option == "SINGLE":
            least = index + 1
        elif option == "VARIADIC":
            least, most = index + minimum, -1
    return f"{least}, {most}"


class Writer:
    def __init__(self):
        self.out = []
        self.texts = Pool(self.out, "char *const ", "texts")
        self.ints = Pool(self.out, "int64_t ", "ints")
        self.params = Pool(self.out, "struct op_param ", "params")
        self.attrs = Pool(self.out, "struct op_attr ", "attrs")
        self.constraints = Pool(self.out, "struct op_constraint ", "constraints")

    def parameters(self, params, constraints):
        """The name of their array; each knows its place among the constraints."""
        places = {name: place for place, (name, _) in enumerate(constraints)}
        return self.params.add(
            f"{{{quote(name)}, {quote(kind)}, {places.get(kind, -1)}, PARAM_{option}, {str(homogeneous).lower()}, "
            f"{minimum}}}" for name, kind, option, homogeneous, minimum in params)

    def attr(self, attr):
        name, kind, required, default = attr
        fields = [f".name = {quote(name)}", f".type = ATTR_{kind.upper()}"]
        if required:
            fields.append(".required = true")
        if default is not None:
            fields.append(".has_default = true")
            if kind == "int":
                fields.append(f".i = {integer(default)}")
            elif kind == "float":
                fields.append(f".f = {default!r}")
            elif kind == "string":
                fields.append(f".s = {quote(default)}")
            elif kind == "ints":
                fields.append(f".ints = {self.ints.add(map(integer, default))}, .count = {len(default)}")
            else:
                fields.append(f".strings = {self.texts.add(map(quote, default))}, .count = {len(default)}")
        return "{" + ", ".join(fields) + "}"

    def constraint(self, constraint):
        name, types = constraint
        elems = 0
        others = False
        for text in types:
            match = re.fullmatch(r"tensor\((\w+)\)", text)
            if match:
                elems |= 1 << ELEMS[match[1]]
            else:
                others = True
        return (f"{{{quote(name)}, {self.texts.add(map(quote, types))}, {len(types)}, UINT64_C({elems:#x}), "
                f"{str(others).lower()}}}")

    def row(self, row):
        rule, contents = row["rule"], row["contents"]
        parts = [quote(row["domain"]), quote(row["name"]), str(row["since"]), str(row["deprecated"]).lower(),
                 arity(row["in"]), arity(row["out"]),
                 self.parameters(row["in"], row["constraints"]), self.parameters(row["out"], row["constraints"]),
                 str(len(row["in"])), str(len(row["out"])),
                 self.attrs.add(map(self.attr, row["attrs"])), str(len(row["attrs"])),
                 self.constraints.add(map(self.constraint, row["constraints"])), str(len(row["constraints"])),
                 CONTROLS.get(rule, "CONTROL_NONE"),
                 "NULL" if rule == "-" or rule in CONTROLS else f"infer_{rule}",
                 "NULL" if contents == "-" else f"content_{contents}"]
        return f"        {{{', '.join(parts)}}},"


def hash_name(domain, name):
    """FNV-1a, as registry.c computes it."""
    value = 0x811C9DC5
    for byte in f"{domain}\0{name}".encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def write_slots(rows):
    """An open-addressed table of the operators, at most a quarter full."""
    groups = {}
    for index, row in enumerate(rows):
        groups.setdefault((row["domain"], row["name"]), []).append(index)
    size = 1
    while size < 4 * len(groups):
        size *= 2
    slots = [None] * size
    for key, indices in groups.items():
        at = hash_name(*key) % size
        while slots[at]:
            at = (at + 1) % size
        slots[at] = (hash_name(*key), indices[0], len(indices))
    lines = [f"const uint32_t op_slot_mask = {size - 1};", "const struct op_slot op_slots[] = {"]
    lines += [f"        [{at}] = {{UINT32_C({slot[0]:#x}), {slot[1]}, {slot[2]}}}," for at, slot in enumerate(slots)
              if slot]
    if not slots[-1]:
        lines.append(f"        [{size - 1}] = {{0, 0, 0}},")
    return lines + ["};"]


def write_table(rows):
    writer = Writer()
    body = [writer.row(row) for row in rows]
    newest = {}
    for row in rows:
        newest[row["domain"]] = max(row["since"], newest.get(row["domain"], 0))
    lines = ['#include "ops/table/registry_table.h"', '#include "ops/rules/rules.h"', ""]
    lines += writer.out
    lines += ["const struct op_row op_rows[] = {", *body, "};", f"const size_t op_row_count = {len(rows)};"]
    lines += write_slots(rows)
    lines += ["const struct op_domain op_domains[] = {"]
    lines += [f"        {{{quote(domain)}, {since}}}," for domain, since in sorted(newest.items())]
    return lines + ["};", f"const size_t op_domain_count = {len(newest)};"]


def write_rules(rows):
    rules = sorted({row["rule"] for row in rows if row["rule"] != "-" and row["rule"] not in CONTROLS})
    contents = sorted({row["contents"] for row in rows if row["contents"] != "-"})
    return ["/* Every rule that a table names. */", "#pragma once", "",
            *(f'#include "ops/node/{name}.h"' for name in ("attr", "input", "node", "output")), "",
            *(f"enum ox_code infer_{name}(struct node *n);" for name in rules), "",
            *(f"void content_{name}(struct node *n);" for name in contents)]


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main(table, rules, types, *families):
    try:
        sets = read_sets(types)
        rows = [row for path in families for row in read_family(path, sets)]
        check_rows(rows)
    except Fault as fault:
        sys.exit(str(fault))
    rows.sort(key=lambda row: (row["domain"].encode(), row["name"].encode(), row["since"]))
    write(table, write_table(rows))
    write(rules, write_rules(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
