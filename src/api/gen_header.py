#!/usr/bin/env python3
"""`gen_header.py VERSION HEADER OUTPUT DEPFILE`: the public header as one self-contained file.

What HEADER includes of this project is put in its place, each file once; rows of a table (`#define ROW(...)`, `#include
"x.def"`, `#undef ROW`) become what the definition makes of them. Standard headers stay as they are, at the top.
"""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#include "([^"]+)"')
STANDARD = re.compile(r"^\s*#include <([^>]+)>")
DEFINE = re.compile(r"^#define (\w+)\(([^)]*)\) (.*)$")
VISIBILITY = "#pragma GCC visibility"  # matters to who builds the library alone
BANNER = """/* libshape {version}: assembled from the headers of its source when it was built. */
#pragma once

{standard}

#define OX_VERSION_MAJOR {major}
#define OX_VERSION_MINOR {minor}
#define OX_VERSION_PATCH {patch}
#define OX_VERSION_TEXT "{version}"

"""


def arguments(text):
    """The arguments of a row: texts between commas that stand in no string and no parentheses."""
    parts, depth, quoted, start = [], 0, False, 0
    for at, sign in enumerate(text):
        if sign == '"' and text[at - 1] != "\\":
            quoted = not quoted
        elif not quoted:
            depth += (sign in "([{") - (sign in ")]}")
            if sign == "," and depth == 0:
                parts.append(text[start:at].strip())
                start = at + 1
    return parts + [text[start:].strip()]


def rows(name, text):
    """The rows NAME(...) of a table, comments aside."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for row in re.finditer(r"^%s\((.*?)\)$" % name, text, flags=re.M | re.S):
        yield arguments(" ".join(row.group(1).split()))


def instance(template, parameters, values):
    """One row by the definition of its macro."""
    given = dict(zip(parameters, values))
    names = "|".join(parameters)
    text = re.sub(r"(\w*)\s*##\s*(%s)\b" % names, lambda m: m.group(1) + given[m.group(2)], template)
    return re.sub(r"\b(%s)\b" % names, lambda m: given[m.group(1)], text)


class Header:
    def __init__(self, root):
        self.root, self.standard, self.read = root, set(), []

    def text_of(self, name):
        path = os.path.join(self.root, name)
        self.read.append(path)
        with open(path, encoding="utf-8") as file:
            return file.read()

    def table(self, macro, name):
        parameters = [p.strip() for p in macro.group(2).split(",")]
        for values in rows(macro.group(1), self.text_of(name)):
            if len(values) != len(parameters):
                sys.exit("%s: %s takes %d arguments, got %d" % (name, macro.group(1), len(parameters), len(values)))
            row = instance(macro.group(3), parameters, values)
            said = [v.strip('"') for p, v in zip(parameters, values)
                    if v.startswith('"') and not re.search(r"\b%s\b" % p, macro.group(3))]
            yield "        " + row + (" /* %s */" % "; ".join(reversed(said)) if said else "")

    def lines(self, name):
        macro = None
        for line in self.text_of(name).splitlines():
            include, standard, define = INCLUDE.match(line), STANDARD.match(line), DEFINE.match(line)
            if standard:
                self.standard.add(standard.group(1))
            elif include and include.group(1).endswith(".def"):
                yield from self.table(macro, include.group(1))
            elif include:
                if os.path.join(self.root, include.group(1)) not in self.read:
                    yield from self.lines(include.group(1))
            elif define and self.is_row(name, define.group(1)):
                macro = define
            elif macro and line == "#undef " + macro.group(1):
                macro = None
            elif line != "#pragma once" and not line.startswith(VISIBILITY):
                yield line

    def is_row(self, name, macro):
        """Whether a macro is defined for the table that is included next."""
        with open(os.path.join(self.root, name), encoding="utf-8") as file:
            return re.search(r'^#define %s\(.*\n#include "[^"]+\.def"' % macro, file.read(), re.M) is not None


def main():
    version, source, output, depfile = sys.argv[1:]
    header = Header(os.path.dirname(source))
    body = "\n".join(header.lines(os.path.basename(source)))
    major, minor, patch = version.split(".")
    banner = BANNER.format(version=version, major=major, minor=minor, patch=patch,
                           standard="\n".join("#include <%s>" % name for name in sorted(header.standard)))
    with open(output, "w", encoding="utf-8") as file:
        file.write(banner + re.sub(r"\n{3,}", "\n\n", body).strip() + "\n")
    with open(depfile, "w", encoding="utf-8") as file:
        file.write("%s: %s\n" % (output, " ".join(header.read)))


if __name__ == "__main__":
    main()
