#!/usr/bin/env python3
"""What an operator reads of numbers."""
import json

from harness import Daemon, check, equal, finish
from prometheus import metrics
from wire import chain, weights

# Flag, what it is set to, and which metric is then what.
LIMITS = (("--connections", 77, "connections_limit", 77), ("--queue", 55, "queue_limit", 55), ("--workers", 3, "workers", 4),
          ("--io-threads", 2, "io_threads", 2), ("--memory-bytes", 1 << 28, "memory_limit_bytes", 1 << 28))


def check_counts():
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
            "shaped_queue_depth": 0,
        }.items():
            equal(name, grown.get(name), wanted)
        inline, worker = (grown['shaped_inferred_total{by="%s"}' % by] for by in ("inline", "worker"))
        # On a busy machine a thread may wait so long that a worker takes what is small, too.
        check("all are counted by where they were inferred", inline + worker == 8 and worker >= 2 and inline > 0, (inline, worker))
        check("bytes skipped", 400000 <= grown["shaped_bytes_skipped_total"] < 400100, grown["shaped_bytes_skipped_total"])
        equal("a scrape does not count itself", after["shaped_requests_in_flight"], 0)
        check("the arena's peak", after["shaped_arena_peak_bytes"] > 10000)
        buckets = [v for k, v in after.items() if k.startswith('shaped_request_duration_seconds_bucket{route="models:infer"')]
        check("buckets add up", buckets == sorted(buckets) and len(buckets) > 5, buckets)


def check_stages():
    """What requests' time went into adds up to the whole of it."""
    with Daemon() as daemon:
        for body in (chain(5), chain(20000), b"no model"):
            daemon.infer(body)
        numbers = metrics(daemon)
        stages = {k: v for k, v in numbers.items() if k.startswith("shaped_request_stage_seconds_total")}
        whole = sum(v for k, v in numbers.items() if k.startswith("shaped_request_duration_seconds_sum"))
        equal("stages", len(stages), 4)
        check("seconds of all stages are those of all requests", abs(sum(stages.values()) - whole) < 1e-4, (stages, whole))
        check("and some are the engine's", stages['shaped_request_stage_seconds_total{stage="engine"}'] > 0, stages)


def check_limits():
    with Daemon(*["%s=%d" % (flag, number) for flag, number, _, _ in LIMITS]) as daemon:
        for flag, _, name, wanted in LIMITS:
            equal("%s is a metric" % flag, daemon.metric(name), wanted)


def check_kept():
    """Memory kept for later requests is a part of the memory held; a scrape itself uses some of it."""
    with Daemon("--io-threads", "1", "--workers", "1") as daemon:
        daemon.infer(chain(20000))
        numbers = metrics(daemon)
        kept, held = numbers["shaped_memory_kept_bytes"], numbers["shaped_memory_bytes"]
        check("what is kept is told", 0 < kept <= held, (kept, held))


def main():
    check_counts()
    check_stages()
    check_limits()
    check_kept()
    finish()


if __name__ == "__main__":
    main()
