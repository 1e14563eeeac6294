#!/usr/bin/env python3
"""Holds the documents against the sources: a code block under `<!-- from FILE -->` stands in FILE word for word, and every
file that a document names exists, and README.md has every route, every option, every limit,
every reason of a diagnostic, every metric, and every flag of the daemon."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
QUOTED = re.compile(r"<!-- from (\S+) -->\s*```\w*\n(.*?)```", re.S)
NAMED = re.compile(r"`((?:src|service|tests|deploy|proto)/[\w./-]*\w)`|\]\((\w[\w./]*)\)")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/dimensions.md", "docs/operators-table.md", "docs/custom-operators.md", "tests/cases/README.md")
PLACEHOLDER = re.compile(r"[A-Z]{4}")
ROUTE = re.compile(r'^ +\{"(/[^"]*)", "[^"]*", METHOD_(\w+)(?: \| METHOD_\w+)?,', re.M)
OPTION = re.compile(r"^(?:BOOL|ONE|LIST)\((\w+),", re.M)
REASON = re.compile(r'^REASON\((\w+), (\w+), \w+, "(.*)"\)$', re.M)
FLAG = re.compile(r'^(?:TEXT|INT|BOOL)\((\w+), ("[^"]*"|[^,]+),(?:[^,"]+,)*?\s*([A-Z_| ]+),\s*"([^"]*)"\)$', re.M)
METRIC = re.compile(r'^(?:COUNTER|GAUGE)\((\w+), "(.*)"\)$|^(?:COUNTER|SECONDS)_BY\((\w+), (\w+), (\w+), "(.*)"\)$', re.M)
LIMIT = re.compile(r'^LIMIT\((\w+), (\d+), "(\w+)", "(.*)"\)$', re.M)

PART = re.compile(r"^static inline void fields_(\w+)\(.*?\n\{\n(.*?)^\}", re.M | re.S)
FIELD = re.compile(r'sink_\w+\(sink, "(\w+)", (\d+)')
MESSAGE_OF = {"condition": "Constraint", "bound": "BoundSizes", "place": "Cause", "step": "ExplanationStep"}
MESSAGE = re.compile(r"^message (\w+) \{\n(.*?)^\}", re.M | re.S)
MESSAGE_FIELD = re.compile(r"^  (?:optional|repeated) [\w.]+ (\w+) = (\d+)", re.M)


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read()


def missing_rows():
    """What README.md must say of each row of a table."""
    for path, method in ROUTE.findall(read("service/rest/routes.c")):
        yield "`%s %s`" % (method, path + "NAME" if path.endswith("/") and path != "/" else path)
    for option in OPTION.findall(read("service/config/options.def")):
        yield "| `%s" % option
    for name, value, unit, text in LIMIT.findall(read("src/base/limits.def")):
        yield "| `--%s` | %s %s | %s |" % (name.replace("_", "-"), value, unit, text)
    for word, code, text in REASON.findall(read("src/base/reasons.def")):
        yield "| `%s` | %s | %s |" % (word, code.lower(), text)
    for name, default, commands, text in FLAG.findall(read("service/config/config.def")):
        if "SERVE" in commands:
            yield "| `--%s` | %s | %s |" % (name.replace("_", "-"), default.strip('"'), text)
    for name, text, by, label, value, by_text in METRIC.findall(read("service/obs/metrics.def")):
        yield "| `shaped_%s` | %s |" % (name or '%s{%s="%s"}' % (by, label, value), text or by_text)


def misnumbered():
    """The fields of answers that shaped.proto has not by this name and number."""
    messages = {name: dict(MESSAGE_FIELD.findall(body)) for name, body in MESSAGE.findall(read("proto/shaped.proto"))}
    for part, body in PART.findall(read("src/render/fields.h")):
        message = MESSAGE_OF.get(part, part.title().replace("_", ""))
        for key, number in FIELD.findall(body):
            name = re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), key)
            if messages[message].get(name) != number:
                yield "src/render/fields.h has %s = %s, which message %s of proto/shaped.proto has not" % (name, number, message)


def faults():
    yield from misnumbered()
    for document in DOCUMENTS:
        text = read(document)
        for name, block in QUOTED.findall(text):
            if block not in read(name):
                yield "%s quotes %s, where this does not stand:\n%s" % (document, name, block)
        for names in NAMED.findall(text):
            name = names[0] or names[1]
            base = os.path.dirname(document) if names[1] else ""
            if not os.path.exists(os.path.join(ROOT, base, name)) and not PLACEHOLDER.search(name):
                yield "%s names %s, which does not exist" % (document, name)
    readme = read("README.md")
    for row in missing_rows():
        if row not in readme:
            yield "README.md lacks %s" % row


def main():
    found = list(faults())
    for fault in found:
        print("#  " + fault.replace("\n", "\n#  "))
    print(("not ok - " if found else "ok - ") + "documents agree with the sources")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
