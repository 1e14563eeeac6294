#!/usr/bin/env python3
"""`names.py LIBRARY NAMES`: the library shows the names in that file, all of them and nothing else."""
import subprocess
import sys

library, names = sys.argv[1:]
with open(names, encoding="utf-8") as file:
    wanted = set(file.read().split())
listed = subprocess.run(["nm", "-g", "--defined-only", library], stdout=subprocess.PIPE, encoding="utf-8", check=True)
shown = {line.split()[2] for line in listed.stdout.splitlines() if len(line.split()) == 3}
for name in sorted(shown - wanted):
    print("the library shows %s, which shape.h does not declare" % name)
for name in sorted(wanted - shown):
    print("shape.h declares %s, which the library does not have" % name)
sys.exit(0 if shown == wanted and {"ox_context_new", "ox_code_name", "ox_limits_default"} <= wanted else 1)
