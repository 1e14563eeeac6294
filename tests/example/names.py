#!/usr/bin/env python3
"""`names.py LIBRARY SOURCES`: the library shows what shape.h declares, all of it and nothing else."""
import os
import re
import subprocess
import sys

library, sources = sys.argv[1:]
FUNCTION = re.compile(r"^[^\s/#*][^;{}()]*\b(ox_\w+)\(", re.M)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def declared(name):
    with open(os.path.join(sources, name), encoding="utf-8") as file:
        text = file.read()
    names = set(FUNCTION.findall(text))
    for include in INCLUDE.findall(text):
        names |= declared(include)
    return names


wanted = declared("shape.h")
listed = subprocess.run(["nm", "-g", "--defined-only", library], stdout=subprocess.PIPE, encoding="utf-8", check=True)
shown = {line.split()[2] for line in listed.stdout.splitlines() if len(line.split()) == 3}
for name in sorted(shown - wanted):
    print("the library shows %s, which shape.h does not declare" % name)
for name in sorted(wanted - shown):
    print("shape.h declares %s, which the library does not have" % name)
sys.exit(0 if shown == wanted and len(wanted) > 30 else 1)
