#!/usr/bin/env python3
"""Requests that are refused before they are read, and a full queue."""
import http.client
import re
from collections import Counter

from harness import CPU_SECONDS, PATIENCE_SECONDS, Daemon, check, equal, finish, wait_for
from prometheus import metrics
from wire import Raw, chain, integers, model, node, post_head, value_info

INFER = "/v1/models:infer"


# What is answered before there is a request, with the status.
UNREAD = {
    b"GET / HTTP/9.9\r\nHost: x\r\n\r\n": 505, b"GET / HTTP/x.1\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nHost\r\n\r\n": 400, b"GET /" + b"a" * 70000 + b" HTTP/1.1\r\n\r\n": 414,
    b"GET / HTTP/1.1\r\nX: " + b"a" * 70000 + b"\r\n\r\n": 431,
    b"POST /v1/models:infer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n": 400,
    b"POST /v1/models:infer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + b"f" * 17 + b"\r\n": 413,
}


def check_unread():
    with Daemon() as daemon:
        for data, wanted in UNREAD.items():
            with Raw(daemon) as raw:
                equal("%r...: %d" % (data[:60], wanted), raw.send(data).answer()[0], wanted)
        found, wanted = metrics(daemon), Counter(UNREAD.values())
        for status, count in wanted.items():
            equal("as many of %d are counted" % status, found.get('shaped_requests_total{route="none",code="%d"}' % status), count)
        wait_for(lambda: daemon.read_log().count(b"request refused") >= len(UNREAD))
        logged = Counter(int(s) for s in re.findall(rb"request refused.* status=(\d+)", daemon.log))
        equal("and logged", logged, wanted)
        equal("none of them twice", daemon.log.count(b"499"), 0)


def posted(daemon, body):
    """A connection over which a model went."""
    return Raw(daemon, timeout=PATIENCE_SECONDS).send(post_head(INFER, "Content-Length: %d" % len(body)) + body)


def check_queue():
    with Daemon("--workers", "1", "--queue", "2", "--engine-ms", "600000") as daemon:
        body = chain(150000)
        # Nothing of it is short work, which has a thread of its own; messages that are concatenated merge.
        with posted(daemon, body + heavy(8, 3000)) as running:
            wait_for(lambda: daemon.metric('inferred_total{by="worker"}') == 1)
            waiting = []
            for count in (1, 2):
                waiting.append(posted(daemon, body))
                wait_for(lambda count=count: daemon.metric("queue_depth") == count)
            refused = [daemon.post(INFER, body) for _ in range(5)]
            equal("a full queue refuses", {(a.status, a.json.get("code")) for a in refused}, {(503, "unavailable")})
            check("and says when to try again", all(1 <= int(a.headers["Retry-After"]) <= 60 for a in refused),
                  [a.headers["Retry-After"] for a in refused])
            equal("small requests do not wait in it", {daemon.post(INFER, chain(2)).status for _ in range(20)}, {200})
        equal("who waited is served", [raw.answer()[0] for raw in waiting], [200, 200])
        for raw in waiting:
            raw.close()
        equal("afterwards all is well", daemon.post(INFER, body).status, 200)
        equal("refusals are counted", metrics(daemon)['shaped_requests_refused_total{reason="queue"}'], len(refused))


def heavy(axes, rounds):
    """A small model that takes long: products of sums of symbols, 4096 at once."""
    nodes = [node("Shape", ["x"], ["s"]), node("ReduceSum", ["s"], ["r"]), node("Mul", ["r", "r"], ["q"]),
             node("Expand", ["q", "c"], ["m0"])]
    nodes += [node("Mul", ["m0", "m%d" % i], ["m%d" % (i + 1)]) for i in range(rounds)]
    return model(nodes, [value_info("x", ["a%d" % i for i in range(axes)])], ["m%d" % rounds], [integers("c", [4096])])


def check_small_and_slow():
    """A small request that takes long does not delay others: it goes to a worker, and ends in time."""
    spread = {"node": {"opType": "Expand", "inputs": ["x", "n"], "outputs": ["y"]}, "inputs": {
        "x": {"type": "tensor(int64)", "shape": [1], "content": ["+".join("a%d" % i for i in range(300))]},
        "n": {"type": "tensor(int64)", "shape": [1], "content": [4000]}}}
    relus = [node("Relu", ["y%d" % i], ["y%d" % (i + 1)]) for i in range(300)]
    repeated = model(relus, [value_info("y0", ["N" * 30000])], ["y300"])
    with Daemon("--io-threads", "1", "--engine-ms", "2000") as daemon:
        inline, given = daemon.metric('inferred_total{by="inline"}'), daemon.metric('inferred_total{by="worker"}')
        for what, send, wanted in (
                ("a model with few nodes", lambda: daemon.infer(heavy(8, 1), values="outputs"), (200, 504)),
                ("a model that takes too long", lambda: daemon.infer(heavy(8, 60), values="outputs"), (504,)),
                ("a model with a large answer", lambda: daemon.infer(repeated), (200,)),
                ("a node with a large answer", lambda: daemon.post_json("/v1/nodes:infer", spread), (200,))):
            before = daemon.cpu_seconds()
            status = send().status
            took = daemon.cpu_seconds() - before
            check("%s: %d" % (what, status), status in wanted)
            check("which ends (%.1f s of work)" % took, took < CPU_SECONDS)
            given += 1
            equal("on a worker", (daemon.metric('inferred_total{by="inline"}'), daemon.metric('inferred_total{by="worker"}')),
                  (inline, given))


def check_connections():
    with Daemon("--connections", "8", "--io-threads", "1") as daemon:
        held = [http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=5) for _ in range(8)]
        for connection in held:
            connection.request("GET", "/livez")
            connection.getresponse().read()
        try:
            refused = daemon.get("/livez").status == 0
        except (OSError, http.client.HTTPException):
            refused = True
        check("one connection too many is closed", refused)
        for connection in held:
            connection.close()

        def is_served():
            try:
                return daemon.get("/livez").status == 200
            except (OSError, http.client.HTTPException):
                return False

        check("and there is room again", wait_for(is_served))  # once the daemon has seen them go


def main():
    check_unread()
    check_queue()
    check_small_and_slow()
    check_connections()
    finish()


if __name__ == "__main__":
    main()
