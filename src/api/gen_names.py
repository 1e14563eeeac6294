#!/usr/bin/env python3
"""`gen_names.py HEADER NAMES MAP`: the functions that the public header declares, which are all the names that libshape
shows: a line each for objcopy, and as a version script for the linker."""
import re
import sys

FUNCTION = re.compile(r"^[^\s/#*][^;{}()]*\b(ox_\w+)\(", re.M)
MAP = "SHAPE_%s {\n        global:\n%s        local:\n                *;\n};\n"


def main():
    header, names, version_script = sys.argv[1:]
    with open(header, encoding="utf-8") as file:
        text = file.read()
    declared = sorted(set(FUNCTION.findall(text)))
    major = re.search(r"^#define OX_VERSION_MAJOR (\d+)", text, re.M).group(1)
    with open(names, "w", encoding="utf-8") as file:
        file.writelines(name + "\n" for name in declared)
    with open(version_script, "w", encoding="utf-8") as file:
        file.write(MAP % (major, "".join("                %s;\n" % name for name in declared)))


if __name__ == "__main__":
    main()
