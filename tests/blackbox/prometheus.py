"""Prometheus' text format, read and held to its rules (version 0.0.4, and what promtool check metrics says of names)."""
import re

from harness import check, wait_for

SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\S+)$')
PARTS = re.compile("_(bucket|sum|count)$")


def parse(text):
    """Name with labels -> number, name -> type, and faults."""
    numbers, types, helps, faults, current = {}, {}, set(), [], None
    if not text.endswith("\n"):
        faults.append("the last line has no end")
    for line in text.splitlines():
        if line.startswith("#"):
            _, kind, name, rest = (line.split(" ", 3) + [""] * 4)[:4]
            if kind == "HELP":
                if name in helps or not rest:
                    faults.append(line)
                helps.add(name)
            elif kind != "TYPE" or name in types or name not in helps or rest not in ("counter", "gauge", "histogram"):
                faults.append(line)
            else:
                types[name] = rest
            if (rest == "counter") != name.endswith("_total") and kind == "TYPE":
                faults.append("a counter, and no other, ends in _total: " + line)
            current = name
            continue
        match = SAMPLE.match(line)
        if not match or match[1] != current and PARTS.sub("", match[1]) != current or current not in types:
            faults.append(line)
            continue
        name = match[1] + ("{%s}" % match[2] if match[2] else "")
        if name in numbers:
            faults.append("twice: " + line)
        numbers[name] = float(match[3])
    return numbers, types, faults + list(histogram_faults(numbers, types))


def histogram_faults(numbers, types):
    for name in (n for n, kind in types.items() if kind == "histogram"):
        rows = {}
        for key, value in numbers.items():
            if key.startswith(name + "_bucket{"):
                labels, bound = re.fullmatch(r'.*?\{(.*),le="(.*)"\}', key).groups()
                rows.setdefault(labels, []).append((float(bound), value))
        for labels, buckets in rows.items():
            if buckets != sorted(buckets) or [v for _, v in buckets] != sorted(v for _, v in buckets):
                yield "the buckets of %s{%s} do not add up" % (name, labels)
            if buckets[-1] != (float("inf"), numbers.get("%s_count{%s}" % (name, labels))):
                yield "the last bucket of %s{%s} has not all" % (name, labels)
    if not all(n == n for n in numbers.values()):
        yield "NaN"


def metrics(daemon):
    """Name with labels -> number, once every other request is over (each is counted after its answer was sent)."""
    answers = []

    def is_quiet():
        answers.append(daemon.get("/metrics"))
        return "\nshaped_requests_in_flight 0\n" in answers[-1].text

    wait_for(is_quiet)
    numbers, _, faults = parse(answers[-1].text)
    check("metrics are Prometheus' text", not faults and
          answers[-1].headers["Content-Type"].startswith("text/plain; version=0.0.4"), faults[:5])
    return numbers
