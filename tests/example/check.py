#!/usr/bin/env python3
"""`check.py PROGRAM MODEL EXPECTED`: runs the example and compares what it prints."""
import difflib
import subprocess
import sys

program, model, expected = sys.argv[1:]
run = subprocess.run([program, model], stdout=subprocess.PIPE, encoding="utf-8", check=False)
with open(expected, encoding="utf-8") as file:
    wanted = file.read()
sys.stdout.writelines(difflib.unified_diff(wanted.splitlines(True), run.stdout.splitlines(True), "wanted", "printed"))
sys.exit(0 if run.returncode == 0 and run.stdout == wanted else 1)
