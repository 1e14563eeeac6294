#!/usr/bin/env python3
"""`gen_names.py HEADER OUTPUT`: the names of the functions that a header declares, itself or through what it includes
from its folder, a line each: what libshape.a shows of its names."""
import os
import re
import sys

FUNCTION = re.compile(r"^[^\s/#*][^;{}()]*\b(ox_\w+)\(", re.M)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def declared(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        text = file.read()
    names = set(FUNCTION.findall(text))
    for include in INCLUDE.findall(text):
        names |= declared(folder, include)
    return names


def main():
    header, output = sys.argv[1:]
    with open(output, "w", encoding="utf-8") as file:
        for name in sorted(declared(os.path.dirname(header), os.path.basename(header))):
            file.write(name + "\n")


if __name__ == "__main__":
    main()
