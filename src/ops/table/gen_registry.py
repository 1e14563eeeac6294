#!/usr/bin/env python3
"""Checks the operator tables and turns them into one constant C table.

    gen_registry.py FOLDER TYPES_SET FILE...

The files are the families' tables, *.ops, and the C files of their rules. FOLDER gets registry_table.c, and NAME.h with
the prototypes of the rules of each family: of NAME.c, or of the C files in a folder NAME, which may hold several tables.
A file whose text stays the same is not written, so that what depends on it is not built again.
docs/operators-table.md describes the tables.
"""

import os
import re
import sys

from op_tables import Fault, check_rows, check_rule_names, read_family, read_sets
from op_writer import prototype_lines, table_lines

FUNCTION = re.compile(r"^(?:enum ox_code (?=infer)|void (?=content)|struct scalar (?=element))(infer|content|element)_(\w+)"
                      r"\(struct node \*n(?:, const struct scalar \*args, int count)?\)$", re.M)


def family_of(path):
    """The family of a table or a C file is its folder under rules/, or its own name where it has none."""
    folder = re.search(r"(?:^|/)rules/(\w+)/", path)
    return folder[1] if folder else os.path.splitext(os.path.basename(path))[0]


def check_families(paths, families):
    for path in paths:
        if family_of(path) not in families:
            raise Fault(f"{path}:1", f"rules need a table of their family, {family_of(path)}: a file {family_of(path)}.ops "
                        f"beside it, or any in a folder {family_of(path)}")


def read_functions(paths):
    """The names that have a rule, a content rule and a rule for one element: kind -> name -> (family, place)."""
    functions = {"infer": {}, "content": {}, "element": {}}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for match in FUNCTION.finditer(text):
            place = f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
            functions[match[1]][match[2]] = (family_of(path), place)
    for name, (_, place) in functions["element"].items():
        if name in functions["content"]:
            raise Fault(place, f"{name} has a content_ and an element_ function, of which a row could name only one")
    return functions


def check_used(rows, functions):
    for kind, column in (("infer", "rule"), ("content", "contents"), ("element", "contents")):
        used = {row[column] for row in rows}
        for name, (_, place) in functions[kind].items():
            if name not in used:
                raise Fault(place, f"no table names {kind}_{name}")


def write_changed(path, lines):
    text = "\n".join(lines) + "\n"
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    except FileNotFoundError:
        pass
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(folder, types, *files):
    tables = [path for path in files if path.endswith(".ops")]
    sources = [path for path in files if path.endswith(".c")]
    families = sorted({family_of(path) for path in tables})
    try:
        check_families(sources, families)
        functions = read_functions(sources)
        sets = read_sets(types)
        rows = [row for path in tables for row in read_family(path, sets, functions)]
        check_rows(rows)
        check_rule_names(rows)
        check_used(rows, functions)
    except Fault as fault:
        sys.exit(str(fault))
    for row in rows:
        row["element"] = row["contents"] in functions["element"]
    rows.sort(key=lambda row: (row["domain"].encode(), row["name"].encode(), row["since"]))
    write_changed(os.path.join(folder, "registry_table.c"), table_lines(rows, families, sets))
    for family in families:
        own = {kind: sorted(name for name, (of, _) in known.items() if of == family)
               for kind, known in functions.items()}
        write_changed(os.path.join(folder, family + ".h"), prototype_lines(own))


if __name__ == "__main__":
    main(*sys.argv[1:])
