#!/usr/bin/env python3
"""Log lines: one a request, whole whatever the request holds, with the reason of a failure and the time of each stage."""
import http.client
import json
import socket
import struct

from harness import Daemon, check, equal, finish, wait_for
from http2_frames import Connection, headers, request
from prometheus import metrics
from wire import Raw, chain, named, post_head

INFER = "/v1/models:infer"
STAGES = ("upload_ms", "queue_ms", "engine_ms", "send_ms")


def lines_of(daemon, text, count=1):
    """The lines that contain the text, once there are `count` of them: a line is written after the answer was sent."""
    def found():
        return [line for line in daemon.read_log().split(b"\n")[:-1] if text.encode() in line]

    wait_for(lambda: len(found()) >= count)
    return found()


def check_lines():
    for style in ("logfmt", "json"):
        with Daemon("--log-format", style) as daemon:
            daemon.infer(chain(5))
            daemon.get('/nope"x%0aforged%20line')
            lines_of(daemon, "forged")
            found = lines_of(daemon, "models:infer")
            equal("%s: one line a request" % style, len(found), 1)
            if style == "json":
                line = json.loads(found[0])
                right = line["status"] == 200 and line["nodes"] == 5 and line["method"] == "POST" and line["code"] == "ok" and \
                    line["protocol"] == "HTTP/1.1"
                check("json: every line is JSON", all(json.loads(line) for line in daemon.log.splitlines()))
            else:
                right = all(w in found[0] for w in (b"status=200", b"nodes=5", b"method=POST", b"level=info", b"ms="))
            check("%s: what it says" % style, right, found)
            equal("%s: no line can be forged" % style, [line for line in daemon.log.splitlines() if line.startswith(b"forged")], [])
    with Daemon() as daemon, Connection(daemon) as connection:
        connection.send(headers(request("/version")))
        connection.outcome()
        found = lines_of(daemon, "path=/version")
        check("an HTTP/2 request is marked", found and b" protocol=HTTP/2 " in found[0], found)
    with Daemon("--log-requests=false") as daemon:
        daemon.get("/livez")
        daemon.stop()
        check("no lines for requests when not wanted", b"livez" not in daemon.log and b"ended" in daemon.log, daemon.log)
    with Daemon() as daemon:  # nobody reads the log: more than a pipe and what waits hold
        connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=60)
        statuses = set()
        for _ in range(4000):
            connection.request("GET", "/livez")
            answer = connection.getresponse()
            answer.read()
            statuses.add(answer.status)
        connection.close()
        equal("a log that nobody reads stops nothing", statuses, {200})
        check("and what was dropped is counted", metrics(daemon)["shaped_log_lines_dropped_total"] > 0)
        daemon.read_log()


# Paths, and how they stand in a line.
PATHS = {
    "/" + "%01" * 3000: "/" + "\x01" * 60, "/" + "%22" * 3000: "/" + '"' * 100, "/" + "a" * 20000: "/" + "a" * 500,
    "/" + "%ff" * 3000: "/" + "\\xff" * 60, "/caf%c3%a9/%e2%82%ac/%f0%9f%98%80": "/caf\u00e9/\u20ac/\U0001f600",
    "/%c3": "/\\xc3", "/%c2%9b31m": "/\\xc2\\x9b31m",
}


def check_whole():
    """A line has all its fields, and is JSON, whatever its path."""
    with Daemon("--log-format", "json") as daemon:
        for count, (path, wanted) in enumerate(PATHS.items(), 1):
            daemon.get(path)
            line = json.loads(lines_of(daemon, '"status":404', count)[-1])
            check("%.30s... is whole" % path, line["path"].startswith(wanted) and line["status"] == 404 and
                  "no such route: " in line["error"] and all(s in line for s in STAGES), line)
        daemon.request("X" * 5000, "/livez")
        line = json.loads(lines_of(daemon, '"status":405')[-1])
        check("and whatever its method", line["method"].startswith("X" * 500) and line["client"] == "127.0.0.1", line)


def check_reasons():
    """A line of what did not end well says why."""
    with Daemon("--log-format", "json", "--nodes", "100") as daemon:
        asked = 0
        for what, send, status in (("a bad model", lambda: daemon.infer(b"GIF89a"), 400),
                                   ("a limit", lambda: daemon.infer(chain(101)), 413),
                                   ("a type", lambda: daemon.post(INFER, b"x", "image/png"), 415),
                                   ("JSON", lambda: daemon.post("/v1/nodes:infer", b"{", "application/json"), 400)):
            answer, asked = send(), asked + 1
            line = json.loads(lines_of(daemon, '"msg":"request"', asked)[-1])
            check("%s: the line has the answer's message" % what,
                  answer.status == status and line["error"] == answer.json["message"], (line, answer.json))
        daemon.infer(chain(2))
        line = json.loads(lines_of(daemon, '"status":200')[-1])
        check("a good one has none", "error" not in line and "cut_off_by" not in line, line)
    with Daemon("--memory-bytes=1", "--log-format", "json") as daemon:
        message = daemon.infer(chain(2)).json["message"]
        equal("running out of memory is logged", json.loads(lines_of(daemon, '"status":503')[0])["error"], message)
        equal("and counted", daemon.metric('requests_refused_total{reason="memory"}'), 1)


def reset(raw):
    """Closes a connection so that the other side sees it at once."""
    raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raw.close()


def check_cut_off():
    """The log names what cut off a request, beside the status so far."""
    body = named(3000)
    with Daemon("--log-format", "json", "--body-s", "1") as daemon:
        with Raw(daemon) as raw:
            raw.send(post_head(INFER, "Content-Length: 100", "Expect: 100-continue")).await_continue()
            reset(raw)
        line = json.loads(lines_of(daemon, '"cut_off_by":"client"')[0])
        check("a client that leaves in its upload", line["status"] == 499 and line["error"], line)
        with Raw(daemon) as raw:
            raw.send(post_head(INFER, "Content-Length: %d" % len(body)) + body)
            raw.more()
            reset(raw)
        line = json.loads(lines_of(daemon, '"cut_off_by":"client"', 2)[1])
        check("a client that leaves in its answer", line["status"] == 200 and line["bytes_out"] > 0, line)
        check("which is counted", wait_for(lambda: daemon.metric('requests_cut_off_total{by="client"}') == 2))


def check_stages():
    """The parts of a request's time add up to the whole, and each is where it belongs."""
    with Daemon("--log-format", "json", "--workers", "1") as daemon:
        daemon.infer(chain(30000))
        line = json.loads(lines_of(daemon, '"nodes":30000')[0])
        total = sum(line[s] for s in STAGES)
        check("they add up", abs(total - line["ms"]) < 0.01, line)
        check("a model that is inferred keeps the engine busy", line["engine_ms"] > 0, line)


def main():
    check_lines()
    check_whole()
    check_reasons()
    check_cut_off()
    check_stages()
    finish()


if __name__ == "__main__":
    main()
