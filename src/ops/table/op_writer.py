"""Turns rows of the operator tables into C: one constant table, and the prototypes of the rules that it names."""

import math
import re

from op_tables import CONTROLS, ELEMS, INT_MAX, INT_MIN, elems_of


def quote(text):
    return "NULL" if text is None else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def integer(value):
    return {INT_MIN: "INT64_MIN", INT_MAX: "INT64_MAX"}.get(value, f"INT64_C({value})")


def number(value):
    return ("-" if value < 0 else "") + "INFINITY" if math.isinf(value) else repr(float(value))


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
        self.floats = Pool(self.out, "float ", "floats")
        self.types = Pool(self.out, "struct type ", "types")
        self.params = Pool(self.out, "struct op_param ", "params")
        self.allowed = Pool(self.out, "struct op_allowed ", "allowed")
        self.attrs = Pool(self.out, "struct op_attr ", "attrs")
        self.constraints = Pool(self.out, "struct op_constraint ", "constraints")

    def type(self, text):
        """The address of the type that a type string stands for."""
        of = "NULL"
        opening, inner = re.fullmatch(r"(\w+)\((.*)\)", text).groups()
        elem = 0
        if opening.endswith("tensor"):
            elem = ELEMS[inner]
        elif opening == "map":
            key, inner = inner.split(",", 1)
            elem = ELEMS[key]
        if not opening.endswith("tensor"):
            of = self.type(inner)
        kind = {"seq": "SEQUENCE"}.get(opening, opening.upper())
        return self.types.add([f"{{.kind = TYPE_{kind}, .elem = (enum elem){elem}, .rank = RANK_UNKNOWN, .of = {of}}}"])

    def parameters(self, params, constraints, inputs):
        """The name of their array; each knows its place among the constraints, or its type, and the first input that has
        the same variable."""
        places = {name: place for place, (name, _) in enumerate(constraints)}
        likes = [kind if homogeneous else None for _, kind, _, homogeneous, _ in inputs]
        return self.params.add(
            f"{{{quote(name)}, {quote(kind)}, {places.get(kind, -1)}, "
            f"{'NULL' if kind in places else self.type(kind)}, {likes.index(kind) if kind in likes else -1}, "
            f"PARAM_{option}, {str(homogeneous).lower()}, {minimum}}}"
            for name, kind, option, homogeneous, minimum in params)

    def limits(self, kind, allowed):
        """The name of what an attribute may hold, as an address."""
        if allowed is None:
            return None
        fields = []
        if allowed.warns:
            fields.append(".warns = true")
        if kind.startswith("int"):
            fields.append(f".least = {integer(INT_MIN if allowed.least is None else allowed.least)}")
            fields.append(f".most = {integer(INT_MAX if allowed.most is None else allowed.most)}")
        elif kind.startswith("float"):
            fields.append(f".f_least = {number(-math.inf if allowed.least is None else allowed.least)}")
            fields.append(f".f_most = {number(math.inf if allowed.most is None else allowed.most)}")
        if allowed.values and kind.startswith("string"):
            fields.append(f".words = {self.texts.add(map(quote, allowed.values + allowed.spellings))}")
        elif allowed.values and kind.startswith("int"):
            fields.append(f".ints = {self.ints.add(map(integer, allowed.values))}")
        elif allowed.values:
            fields.append(f".floats = {self.floats.add(map(number, allowed.values))}")
        if allowed.values:
            fields.append(f".count = {len(allowed.values)}, .spelled = {len(allowed.values + allowed.spellings)}")
        if allowed.variable:
            fields.append(f".elems = UINT64_C({allowed.elems:#x}), .variable = {quote(allowed.variable)}")
        least, most = allowed.count or (0, None)
        fields.append(f".min_count = {least}, .max_count = {'SIZE_MAX' if most is None else most}")
        return self.allowed.add(["{" + ", ".join(fields) + "}"])

    def attr(self, attr):
        fields = [f".name = {quote(attr.name)}", f".type = ATTR_{attr.kind.upper()}"]
        if attr.required:
            fields.append(".required = true")
        allowed = self.limits(attr.kind, attr.allowed)
        if allowed:
            fields.append(f".allowed = {allowed}")
        if attr.default is not None:
            fields.append(f".has_default = true, {self.default(attr.kind, attr.default)}")
        return "{" + ", ".join(fields) + "}"

    def default(self, kind, value):
        if kind == "int":
            return f".i = {integer(value)}"
        if kind == "float":
            return f".f = {value!r}"
        if kind == "string":
            return f".s = {quote(value)}"
        pool, written = {"ints": (self.ints, integer), "floats": (self.floats, number),
                         "strings": (self.texts, quote)}[kind]
        return f".{kind} = {pool.add(map(written, value))}, .count = {len(value)}"

    def constraint(self, constraint, attrs):
        """An attribute may name the element type: its place in the row."""
        name, types = constraint
        elems = 0
        others = False
        for text in types:
            match = re.fullmatch(r"tensor\((\w+)\)", text)
            if match:
                elems |= 1 << ELEMS[match[1]]
            else:
                others = True
        naming = [at for at, attr in enumerate(attrs) if attr.allowed and attr.allowed.variable == name]
        return (f"{{{quote(name)}, {self.texts.add(map(quote, types))}, {len(types)}, UINT64_C({elems:#x}), "
                f"{str(others).lower()}, {self.type(types[0]) if len(types) == 1 else 'NULL'}, "
                f"{naming[0] if naming else -1}}}")

    def row(self, row):
        rule, contents = row["rule"], row["contents"]
        parts = [quote(row["domain"]), quote(row["name"]), quote(row["description"]), str(row["since"]),
                 str(row["deprecated"]).lower(), str(row["open"]).lower(), arity(row["in"]), arity(row["out"]),
                 self.parameters(row["in"], row["constraints"], row["in"]),
                 self.parameters(row["out"], row["constraints"], row["in"]),
                 str(len(row["in"])), str(len(row["out"])),
                 self.attrs.add(map(self.attr, row["attrs"])), str(len(row["attrs"])),
                 f"UINT64_C({sum(attr.required << at for at, attr in enumerate(row['attrs'])):#x})",
                 self.constraints.add(self.constraint(one, row["attrs"]) for one in row["constraints"]),
                 str(len(row["constraints"])),
                 CONTROLS.get(rule, "CONTROL_NONE"),
                 "NULL" if rule == "-" or rule in CONTROLS else f"infer_{rule}",
                 "NULL" if contents == "-" or row["element"] else f"content_{contents}",
                 f"element_{contents}" if row["element"] else "NULL", "false"]
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


def table_lines(rows, families, sets):
    """The C table; `families` have a header of prototypes each, and `sets` are named sets of types of tensors."""
    writer = Writer()
    body = [writer.row(row) for row in rows]
    newest, opened = {}, {}
    for row in rows:
        newest[row["domain"]] = max(row["since"], newest.get(row["domain"], 0))
        opened[row["domain"]] = row["domain_open"]
    lines = ["#include <math.h>", "", '#include "ops/table/registry_table.h"', '#include "value/value.h"',
             *(f'#include "ops/rules/{family}.h"' for family in families), ""]
    lines += writer.out
    lines += ["const struct op_row op_rows[] = {", *body, "};", f"const size_t op_row_count = {len(rows)};"]
    lines += write_slots(rows)
    lines += ["const struct op_domain op_domains[] = {"]
    lines += [f"        {{{quote(domain)}, {since}, {str(opened[domain]).lower()}}}," for domain, since in sorted(newest.items())]
    lines += ["};", f"const size_t op_domain_count = {len(newest)};", "const struct op_set op_sets[] = {"]
    lines += [f"        {{{quote(name)}, UINT64_C({elems_of(types):#x})}}," for name, types in sets.items()]
    return lines + ["};", f"const size_t op_set_count = {len(sets)};"]


def prototype_lines(functions):
    """The header of one family: its rules and content rules."""
    return ["/* The rules of this family that a table names. */", "#pragma once", "",
            *(f'#include "ops/node/{name}.h"' for name in ("attr", "input", "node", "output")), "",
            *(f"enum ox_code infer_{name}(struct node *n);" for name in functions["infer"]), "",
            *(f"void content_{name}(struct node *n);" for name in functions["content"]), "",
            *(f"struct scalar element_{name}(struct node *n, const struct scalar *args, int count);"
              for name in functions["element"])]
