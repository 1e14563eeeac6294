#!/usr/bin/env python3
"""Every integer attribute of every operator at its ends, in every version: as nodes of a model and as requests for one
node. Operators and attributes come from GET /v1/operators."""
import json

from faults import INFER, Client, graph, op
from harness import CPU_SECONDS, Daemon, check, finish
from wire import integers, number, text, value_info

BATCH = "/v1/nodes:batchInfer"
LAST, FIRST = (1 << 63) - 1, -(1 << 63)
ENDS = (FIRST, FIRST + 1, -(1 << 31), -1, 0, 1, 1 << 31, 1 << 40, LAST)
LISTS = ([], [0], [-1, -1], [LAST], [FIRST, FIRST], [0] * 4, [LAST] * 4, [1 << 40, 2, 3], list(range(100)))

# What stands for inputs, one kind after another: as the model's values and as those of a request.
KINDS = (
    ("images", value_info("a", [2, 4, 8, 8]), {"type": "tensor(float)", "shape": [2, 4, 8, 8]}),
    ("symbols", value_info("b", ["N", "M", 3]), {"type": "tensor(float)", "shape": ["N", "M", 3]}),
    ("integers", None, {"type": "tensor(int64)", "shape": [4], "content": [1, 2, 3, 4]}),
    ("sequences", text(1, "d") + text(2, text(4, text(1, text(1, number(1, 1))))), {"type": "seq(tensor(float))"}),
    ("anything", text(1, "e"), {}),
)
NAMES = "abcde"


def operators(daemon):
    """(domain, name, version, least number of inputs, of outputs, [(attribute, is a list)])"""
    for listed in daemon.get("/v1/operators?pageSize=1000").json["operators"]:
        for version in listed["versions"]:
            row = daemon.get("/v1/operators/%s?domain=%s&opset=%d" % (listed["name"], listed["domain"], version)).json
            attributes = [(a["name"], a["type"] == "ints") for a in row["attributes"] if a["type"] in ("int", "ints")]
            if attributes:
                yield (row["domain"], row["name"], version, max(row["minInputs"], min(len(row["inputs"]), 4)),
                       max(row["minOutputs"], 1), attributes)


def inputs_of(first, count):
    """The kinds of a node's inputs: one first, then integers, for shapes and axes and counts come so."""
    return [first] + [2 if first == 2 or i > 1 else first for i in range(1, count)] if count else []


def variants(row):
    domain, name, _, n_in, n_out, attributes = row
    for attribute, is_list in attributes:
        for value in LISTS if is_list else ENDS:
            for kind in range(len(KINDS)):
                yield domain, name, inputs_of(kind, n_in), n_out, attribute, value


def as_model(rows, version):
    """One model of all the variants of the operators that are there in a version."""
    nodes = []
    for row in rows:
        for domain, name, inputs, n_out, attribute, value in variants(row):
            outputs = ["y%d_%d" % (len(nodes), o) for o in range(n_out)]
            nodes.append(op(name, [NAMES[i] for i in inputs], outputs, domain=domain, **{attribute: value}))
    infos = [info for _, info, _ in KINDS if info]
    data = graph(nodes, infos, [], [integers("c", [1, 2, 3, 4])])
    domains = {row[0] for row in rows}
    return number(1, 8) + b"".join(text(8, text(1, d) + number(2, version)) for d in domains) + text(7, data), len(nodes)


def as_requests(rows, version):
    for row in rows:
        for domain, name, inputs, n_out, attribute, value in variants(row):
            given = {"x%d" % i: KINDS[kind][2] for i, kind in enumerate(inputs)}
            yield {"node": {"opType": name, "domain": domain, "inputs": list(given), "attributes": {attribute: value},
                            "outputs": ["y%d" % o for o in range(n_out)]},
                   "opsetImports": {domain: version}, "inputs": given}


def check_version(client, rows, version):
    data, count = as_model(rows, version)
    before = client.daemon.cpu_seconds()
    status, body = client.post(INFER, data)
    took = client.daemon.cpu_seconds() - before
    check("version %d: a model of %d nodes" % (version, count), status == 200 and took < CPU_SECONDS,
          "%d, %.1f s, %s" % (status, took, body[:300]))
    if status == 200:
        negative = [v for v in json.loads(body)["values"] if any(isinstance(d, int) and d < 0 for d in v.get("shape", []))]
        check("version %d: no size below 0" % version, not negative, negative[:3])


def check_requests(client, rows, version):
    requests = list(as_requests(rows, version))
    faults = []
    for at in range(0, len(requests), 1000):
        before = client.daemon.cpu_seconds()
        status, body = client.post(BATCH, json.dumps({"requests": requests[at:at + 1000]}).encode(), "application/json")
        took = client.daemon.cpu_seconds() - before
        if status != 200 or took > CPU_SECONDS:
            faults.append("%d after %.1f s: %s" % (status, took, body[:300]))
            continue
        for request, result in zip(requests[at:], json.loads(body)["results"]):
            if result.get("error", {}).get("code") in ("internal", "unavailable", "deadline_exceeded"):
                faults.append("%s: %s" % (request, result))
    check("version %d: %d requests" % (version, len(requests)), not faults, faults[:3])


def main():
    with Daemon() as daemon:
        client = Client(daemon)
        by_version = {}
        for row in operators(daemon):
            by_version.setdefault(row[2], []).append(row)
        for version, rows in sorted(by_version.items()):
            check_version(client, rows, version)
        newest = {(row[0], row[1]): row for _, rows in sorted(by_version.items()) for row in rows}
        for version in sorted({row[2] for row in newest.values()}):
            check_requests(client, [row for row in newest.values() if row[2] == version], version)
        client.close()
    finish()


if __name__ == "__main__":
    main()
