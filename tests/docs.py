#!/usr/bin/env python3
"""Holds the documents against the sources: a code block under `<!-- from FILE -->` stands in FILE word for word, and every
file that a document names exists."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
QUOTED = re.compile(r"<!-- from (\S+) -->\s*```\w*\n(.*?)```", re.S)
NAMED = re.compile(r"`((?:src|service|tests|deploy|proto)/[\w./-]*\w)`|\]\((\w[\w./]*)\)")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "tests/cases/README.md")
PLACEHOLDER = re.compile(r"[A-Z]{4}")


def faults():
    for document in DOCUMENTS:
        with open(os.path.join(ROOT, document), encoding="utf-8") as f:
            text = f.read()
        for name, block in QUOTED.findall(text):
            with open(os.path.join(ROOT, name), encoding="utf-8") as f:
                if block not in f.read():
                    yield "%s quotes %s, where this does not stand:\n%s" % (document, name, block)
        for names in NAMED.findall(text):
            name = names[0] or names[1]
            base = os.path.dirname(document) if names[1] else ""
            if not os.path.exists(os.path.join(ROOT, base, name)) and not PLACEHOLDER.search(name):
                yield "%s names %s, which does not exist" % (document, name)


def main():
    found = list(faults())
    for fault in found:
        print("#  " + fault.replace("\n", "\n#  "))
    print(("not ok - " if found else "ok - ") + "documents agree with the sources")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
