#!/usr/bin/env python3
"""Large batches of nodes, which workers share: results in order, the same limits as one after another, and an end with
their call."""
import json

from harness import Daemon, check, equal, finish, wait_for
from messages import shaped
from rpc import connect
from test_nodes import BATCH, ONE, X, request, refused
from wire import Raw, post_head

MANY = 1000


def distinct(i):
    """No two are alike; some are faulty."""
    if i % 7 == 3:
        return {"node": {}}
    other = {**X, "shape": [i, 4 if i % 7 == 5 else 3]}
    return request("Concat", {"a": {**X, "shape": ["N+%d" % i, 3]}, "b": other}, {"axis": 0})


def heavy(op="Div"):
    """Takes long: 4,096 results of long sums, which are too long to be listed."""
    terms = {name: ["+".join("%s%d" % (name, i + j) for j in range(31)) for i in range(64)] for name in "ab"}
    return request(op, {name: {"type": "tensor(int64)", "shape": [64, 1] if name == "a" else [1, 64], "content": terms[name]}
                        for name in "ab"})


def spans(body):
    """Each result of a batch's answer, as it is written."""
    text, at, found = body.decode(), len('{"results":['), []
    while text[at] != "]":
        _, end = json.JSONDecoder().raw_decode(text, at)
        end += text[end] == "\n"
        found.append(text[at:end])
        at = end + (text[end] == ",")
    return found


def check_order(daemon):
    requests = [distinct(i) for i in range(MANY)]
    answer = daemon.post_json(BATCH, {"requests": requests})
    results = answer.json["results"]
    equal("%d results" % MANY, (answer.status, len(results)), (200, MANY))
    equal("by several workers", daemon.metric("batches_shared_total"), 1)
    equal("each is counted", daemon.metric("nodes_total"), MANY)
    for i in (0, 1, 2, 3, 5, 499, 500, 998, 999):
        alone = daemon.post_json(ONE, requests[i]).json
        equal("result %d is that of request %d alone" % (i, i), results[i].get("error", results[i]), alone)
    sums = [r["values"][0]["shape"][0] for i, r in enumerate(results) if i % 7 not in (3, 5)]
    equal("all are in order", sums, ["N + %d" % (2 * i) if i else "N" for i in range(MANY) if i % 7 not in (3, 5)])
    message = shaped.BatchInferNodesRequest()
    for i in range(MANY):
        one = message.requests.add()
        if i % 7 != 3:
            one.node.op_type = "Relu"
            one.node.input.append("x")
            one.node.output.append("y%d" % i)
            one.inputs.add(name="x").type.tensor_type.elem_type = 1
    found = connect(daemon, "BatchInferNodes", message, shaped.BatchInferNodesResponse).message.results
    equal("by RPC too", daemon.metric("batches_shared_total"), 2)
    equal("and in order", [r.response.values[0].name if r.HasField("response") else "error" for r in found],
          ["error" if i % 7 == 3 else "y%d" % i for i in range(MANY)])


def check_limit(body, limit):
    """A batch's answer ends at the request that it would end at one by one."""
    with Daemon("--workers", "4", "--answer-bytes", str(limit)) as daemon:
        answer = daemon.post_json(BATCH, {"requests": [distinct(i) for i in range(MANY)]})
        length = len('{"results":[')
        for i, (got, wanted) in enumerate(zip(spans(answer.body), spans(body))):
            length += i > 0
            if length > limit:
                equal("past answer_bytes: request %d is the first that is refused" % i, json.loads(got)["error"]["code"],
                      "resource_exhausted")
                left = [json.loads(r)["error"]["code"] for r in spans(answer.body)[i:]]
                equal("and all after it", left, ["resource_exhausted"] * (MANY - i))
                return
            if got != wanted:
                break
            length += len(got)
        check("answer_bytes ends a batch", False, (i, got, wanted))


def check_ends():
    batch = {"requests": [heavy()] * 200}
    for workers in ("1", "3"):
        with Daemon("--workers", workers, "--request-s", "1", "--engine-ms", "600000") as daemon:
            answer = daemon.post_json(BATCH, batch)
            refused("past request_s, %s workers" % workers, answer, "deadline_exceeded", 504)
            check("which is said", "request_s" in answer.json["message"], answer.text)
            done = daemon.metric("nodes_total")
            check("and few nodes are inferred: %d" % done, done < 200)
    for what, path, body in (("a batch", BATCH, batch), ("a node", ONE, heavy("Mul"))):
        text = json.dumps(body).encode()
        with Daemon("--workers", "3", "--engine-ms", "600000") as daemon:
            raw = Raw(daemon)
            raw.send(post_head(path, "Content-Type: application/json", "Content-Length: %d" % len(text)) + text)
            wait_for(lambda: daemon.metric('inferred_total{by="worker"}'))
            raw.close()
            equal("%s ends when its client leaves" % what, wait_for(lambda: daemon.metric("canceled_total")), 1)
            daemon.stop()
            check("and is logged as 499, once", daemon.log.count(b"status=499") == 1 and daemon.log.count(b"code=canceled") == 1, daemon.log)


def main():
    with Daemon("--workers", "4") as daemon:
        check_order(daemon)
        body = daemon.post_json(BATCH, {"requests": [distinct(i) for i in range(MANY)]}).body
    check_limit(body, 100000)
    check_limit(body, 1000)
    check_ends()
    finish()


if __name__ == "__main__":
    main()
