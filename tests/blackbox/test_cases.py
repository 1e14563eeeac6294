#!/usr/bin/env python3
"""The rows of tests/cases over POST /v1/nodes:infer. `run_cases --json` prints each as a request, with the answer that the
engine gives in process where it was held against the row: the daemon must answer the same."""
import glob
import json
import os
import subprocess
import sys

from harness import CASES, ROOT, Daemon, check, finish


def case_files():
    """Those named to the program, or all."""
    return sys.argv[1:] or sorted(glob.glob(os.path.join(ROOT, "tests", "cases", "*.cases")))


def each_case():
    """Every row for every operator and version that it names: what it is called, its request, and the answer in process."""
    with subprocess.Popen([CASES, "--json", *case_files()], stdout=subprocess.PIPE) as runner:
        for line in runner.stdout:
            case = json.loads(line) if line.startswith(b"{") else {"case": line.decode(), "ok": False}
            if check(case["case"] + " in process", case["ok"], case.get("answer", "")):
                yield case


def path_of(case):
    return "/v1/nodes:infer" + ("?check_types=1" if case["checkTypes"] else "")


def main():
    with Daemon() as daemon:
        for case in each_case():
            answer = daemon.post_json(path_of(case), case["request"])
            check(case["case"], answer.json == case["answer"], "wanted %s, got %s" % (json.dumps(case["answer"]), answer.text))
    finish()


if __name__ == "__main__":
    main()
