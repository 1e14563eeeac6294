#!/usr/bin/env python3
"""Metrics, log lines, and a full queue."""
import http.client
import json
import re
import threading
from collections import Counter

from harness import CPU_SECONDS, Daemon, check, equal, finish, wait_for
from wire import Raw, chain, integers, model, node, value_info, weights

INFER = "/v1/models:infer"
SAMPLE = re.compile(r'^([a-z_]+)(\{[^}]*\})? (\S+)$')


def metrics(daemon):
    """Name with labels -> number, once every other request is over (each is counted after its answer was sent); checks the
    text's form."""
    answers = []

    def is_quiet():
        answers.append(daemon.get("/metrics"))
        return "\nshaped_requests_in_flight 1\n" in answers[-1].text

    wait_for(is_quiet)
    answer = answers[-1]
    numbers, typed, faults = {}, set(), []
    for line in answer.text.splitlines():
        if line.startswith("# TYPE "):
            typed.add(line.split()[2])
        elif not line.startswith("# HELP "):
            match = SAMPLE.match(line)
            name = match and re.sub("_(bucket|sum|count)$", "", match[1])
            if not match or (match[1] not in typed and name not in typed):
                faults.append(line)
                continue
            numbers[match[1] + (match[2] or "")] = float(match[3])
    check("metrics are Prometheus' text", not faults and answer.headers["Content-Type"].startswith("text/plain; version=0.0.4"),
          faults[:5])
    return numbers


def check_metrics():
    with Daemon() as daemon:
        before = metrics(daemon)
        for _ in range(3):
            daemon.infer(chain(5))
        daemon.infer(weights(100000))
        daemon.infer(chain(2000))
        daemon.infer(b"no model")
        daemon.get("/nope")
        node = {"node": {"opType": "Relu", "inputs": ["x"], "outputs": ["y"]}, "inputs": {"x": {}}}
        daemon.post_json("/v1/nodes:infer", node)
        daemon.post("/v1/nodes:infer", json.dumps(node) + " " * 5000, "application/json")
        daemon.post_json("/v1/nodes:batchInfer", {"requests": [node] * 3})
        after = metrics(daemon)
        grown = {k: v - before.get(k, 0) for k, v in after.items()}
        for name, wanted in {
            'shaped_requests_total{route="models:infer",code="200"}': 5, 'shaped_requests_total{route="models:infer",code="400"}': 1,
            'shaped_requests_total{route="none",code="404"}': 1, "shaped_nodes_total": 2021,
            'shaped_request_duration_seconds_count{route="models:infer"}': 6,
            'shaped_request_duration_seconds_bucket{route="models:infer",le="+Inf"}': 6,
            "shaped_inferred_inline_total": 5, "shaped_inferred_worker_total": 3, "shaped_queue_depth": 0,
        }.items():
            equal(name, grown.get(name), wanted)
        check("bytes skipped", 400000 <= grown["shaped_bytes_skipped_total"] < 400100, grown["shaped_bytes_skipped_total"])
        equal("this request alone is in flight", after["shaped_requests_in_flight"], 1)
        check("the arena's peak", after["shaped_arena_peak_bytes"] > 10000)
        buckets = [v for k, v in after.items() if k.startswith('shaped_request_duration_seconds_bucket{route="models:infer"')]
        check("buckets add up", buckets == sorted(buckets) and len(buckets) > 5, buckets)


def await_log(daemon, text):
    """Returns once the text is in the log: a line is written after its answer was sent."""
    wait_for(lambda: text in daemon.read_log())


def check_log():
    for style in ("logfmt", "json"):
        with Daemon("--log-format", style) as daemon:
            daemon.infer(chain(5))
            daemon.get('/nope"x%0aforged%20line')
            await_log(daemon, b"forged")
            lines = daemon.read_log().decode().splitlines()
            found = [line for line in lines if "models:infer" in line]
            equal("%s: one line a request" % style, len(found), 1)
            if style == "json":
                line = json.loads(found[0])
                right = line["status"] == 200 and line["nodes"] == 5 and line["method"] == "POST" and line["code"] == "ok"
                check("json: every line is JSON", all(json.loads(line) for line in lines))
            else:
                right = all(w in found[0] for w in ("status=200", "nodes=5", "method=POST", "level=info", "ms="))
            check("%s: what it says" % style, right, found)
            equal("%s: no line can be forged" % style, [line for line in lines if line.startswith("forged")], [])
    with Daemon("--log-requests=false") as daemon:
        daemon.get("/livez")
        daemon.stop()
        check("no lines for requests when not wanted", b"livez" not in daemon.log and b"ended" in daemon.log, daemon.log)
    with Daemon() as daemon:  # nobody reads the log: more than a pipe holds
        connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=30)
        statuses = set()
        for _ in range(2000):
            connection.request("GET", "/livez")
            answer = connection.getresponse()
            answer.read()
            statuses.add(answer.status)
        connection.close()
        equal("a log that nobody reads stops nothing", statuses, {200})
        check("and what was dropped is counted", metrics(daemon)["shaped_log_lines_dropped_total"] > 0)
        daemon.read_log()


# What is answered before there is a request, with the status.
UNREAD = {
    b"GET / HTTP/9.9\r\nHost: x\r\n\r\n": 505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n": 505, b"GET / HTTP/x.1\r\n\r\n": 400,
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


def check_queue():
    with Daemon("--workers", "1", "--queue", "2") as daemon:
        body = chain(60000)
        answers = []

        def send():
            answer = daemon.post(INFER, body)
            answers.append((answer.status, answer.headers["Retry-After"], answer.json.get("code")))

        threads = [threading.Thread(target=send) for _ in range(16)]
        for thread in threads:
            thread.start()
        inline = [daemon.post(INFER, chain(2)).status for _ in range(20)]
        for thread in threads:
            thread.join()
        kinds = {status for status, _, _ in answers}
        check("a full queue: 503 for some, 200 for others", kinds == {200, 503}, sorted(answers))
        check("503 says when to try again", all(1 <= int(a[1]) <= 60 and a[2] == "unavailable" for a in answers if a[0] == 503), answers)
        equal("small requests do not wait in it", set(inline), {200})
        equal("afterwards all is well", daemon.post(INFER, body).status, 200)
        check("refusals are counted", metrics(daemon)["shaped_queue_full_total"] ==
              len([a for a in answers if a[0] == 503]))


def heavy(axes, rounds):
    """A small model that takes long: products of sums of symbols, 4096 at once."""
    nodes = [node("Shape", ["x"], ["s"]), node("ReduceSum", ["s"], ["r"]), node("Mul", ["r", "r"], ["q"]),
             node("Expand", ["q", "c"], ["m0"])]
    nodes += [node("Mul", ["m0", "m%d" % i], ["m%d" % (i + 1)]) for i in range(rounds)]
    return model(nodes, [value_info("x", ["a%d" % i for i in range(axes)])], ["m%d" % rounds], [integers("c", [4096])])


def check_small_and_slow():
    """What is small and takes long leaves others alone: it goes to a worker, and ends in time."""
    spread = {"node": {"opType": "Expand", "inputs": ["x", "n"], "outputs": ["y"]}, "inputs": {
        "x": {"type": "tensor(int64)", "shape": [1], "content": ["+".join("a%d" % i for i in range(300))]},
        "n": {"type": "tensor(int64)", "shape": [1], "content": [4000]}}}
    relus = [node("Relu", ["y%d" % i], ["y%d" % (i + 1)]) for i in range(300)]
    repeated = model(relus, [value_info("y0", ["N" * 30000])], ["y300"])
    with Daemon("--io-threads", "1", "--engine-ms", "2000") as daemon:
        inline, given = daemon.metric("inferred_inline_total"), daemon.metric("inferred_worker_total")
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
            equal("on a worker", (daemon.metric("inferred_inline_total"), daemon.metric("inferred_worker_total")),
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
    check_metrics()
    check_log()
    check_unread()
    check_queue()
    check_small_and_slow()
    check_connections()
    finish()


if __name__ == "__main__":
    main()
