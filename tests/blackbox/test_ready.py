#!/usr/bin/env python3
"""/readyz says no, with a reason, while the queue or the memory is full; other requests are still answered."""
from harness import Daemon, check, equal, finish, run, wait_for
from test_load import heavy
from wire import Raw, chain, named, post_head

INFER = "/v1/models:infer"
PIECE = 1 << 18


def says_no(daemon, reason):
    """Whether it is 503 for that reason, in both protocols."""
    answers = [daemon.get(path) for path in ("/readyz", "/v2/health/ready")]
    return all(a.status == 503 and a.headers["Retry-After"] and a.json["code"] == "unavailable" and reason in a.json["message"]
               for a in answers)


def check_memory():
    """An upload that stops shortly before the memory is full."""
    body = named(20000)
    with Daemon("--memory-bytes", "64M", "--body-s", "600") as daemon:
        with Raw(daemon) as raw:
            raw.send(post_head(INFER, "Content-Length: %d" % len(body)))
            for at in range(0, len(body), PIECE):
                raw.send(body[at:at + PIECE])
                sent = at + PIECE
                wait_for(lambda: daemon.metric("memory_bytes") >= sent - (8 << 20))
                if says_no(daemon, "memory_bytes"):
                    break
            check("not ready while memory is full (%d bytes sent)" % sent, says_no(daemon, "memory_bytes"))
            equal("but alive", daemon.get("/livez").status, 200)
        check("ready again when it is free", wait_for(lambda: daemon.get("/readyz").status == 200))


def check_queue():
    with Daemon("--workers", "1", "--queue", "1", "--engine-ms", "600000") as daemon:
        equal("ready", daemon.get("/readyz").status, 200)
        running, waiting = Raw(daemon), Raw(daemon)
        long = chain(300000)
        body = long + heavy(8, 3000)  # messages that are concatenated merge
        running.send(post_head(INFER, "Content-Length: %d" % len(body)) + body)
        wait_for(lambda: daemon.metric('inferred_total{by="worker"}') == 1)
        waiting.send(post_head(INFER, "Content-Length: %d" % len(long)) + long)
        check("not ready while the queue is full", wait_for(lambda: says_no(daemon, "the queue of 1 requests is full")))
        status, _, error = run("health", "--url", daemon.url)
        check("which `shaped health` says", status == 1 and b"(503): the queue of 1 requests is full" in error, (status, error))
        equal("but alive", daemon.get("/livez").status, 200)
        running.close()
        waiting.close()
        check("ready again when it is not", wait_for(lambda: daemon.get("/readyz").status == 200))


def main():
    check_memory()
    check_queue()
    finish()


if __name__ == "__main__":
    main()
