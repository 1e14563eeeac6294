#!/usr/bin/env python3
"""GET /v1/operators against tests/operators/contrib.facts: the operators that runtimes add, each as its document says."""
import os

from harness import ROOT, Daemon, check, equal, finish

FACTS = os.path.join(ROOT, "tests", "operators", "contrib.facts")


def bounds(text):
    """`2..7` and, without a maximum, `2..-`."""
    least, most = text.split("..")
    return int(least), None if most == "-" else int(most)


def facts():
    """(domain, operator) -> (version, inputs, outputs, required attributes)."""
    found = {}
    with open(FACTS, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            domain, name, version, inputs, outputs, *required = words
            key = ("" if domain == "ai.onnx" else domain, name)
            check("contrib.facts:%d: %s.%s stands once" % (number, domain, name), key not in found)
            found[key] = (int(version), bounds(inputs), bounds(outputs), sorted(required))
    return found


def said(operator):
    """The same of one operator of the listing."""
    return (operator["since"], (operator["minInputs"], operator.get("maxInputs")),
            (operator["minOutputs"], operator.get("maxOutputs")),
            sorted(a["name"] for a in operator.get("attributes", []) if a["required"]))


def listing(daemon, domain):
    found, token = {}, ""
    while token is not None:
        answer = daemon.get("/v1/operators?pageSize=1000&domain=%s&pageToken=%s" % (domain, token)).json
        found.update({(o["domain"], o["name"]): o for o in answer["operators"]})
        token = answer.get("nextPageToken")
    return found


def main():
    known = facts()
    with Daemon() as daemon:
        for domain in sorted({domain for domain, _ in known}):
            listed = listing(daemon, domain)
            wanted = {key for key in known if key[0] == domain}
            if domain:  # of ai.onnx the facts hold only what ONNX itself does not have
                equal("%s: the operators with facts are those listed" % domain, sorted(listed), sorted(wanted))
            for key in sorted(wanted & set(listed)):
                equal("%s: version, inputs, outputs, required attributes" % key[1], said(listed[key]), known[key])
            check("%s: all are listed" % (domain or "ai.onnx"), wanted <= set(listed), sorted(wanted - set(listed)))
    finish()


if __name__ == "__main__":
    main()
