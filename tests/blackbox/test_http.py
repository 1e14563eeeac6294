#!/usr/bin/env python3
"""Routes and methods, the form of errors, and requests of HTTP/1.1 that are refused or keep their connection."""
import http.client
import json

from harness import Daemon, check, equal, finish
from wire import Raw, chain, post_head

JSON = "application/json"
TEXT = "text/plain"
GETS = {
    "/livez": TEXT, "/readyz": TEXT, "/metrics": TEXT, "/version": JSON, "/v2": JSON, "/v2/health/live": JSON,
    "/v2/health/ready": JSON, "/v1/operators": JSON, "/v1/operators/Relu": JSON, "/": TEXT,
}
POSTS = ("/v1/models:infer", "/v1/nodes:infer", "/v1/nodes:batchInfer")
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")


def is_error(what, answer, status, code):
    """The status, and the body that every error has."""
    try:
        body = json.loads(answer.body)
    except ValueError:
        body = {}
    right = (answer.status == status and body.get("code") == code and body.get("message")
             and isinstance(body.get("details"), list) and answer.headers["Content-Type"] == JSON)
    check("%s: %d %s" % (what, status, code), right, (answer.status, answer.body[:300]))


def check_methods(daemon):
    for path, kind in GETS.items():
        for method in METHODS:
            answer = daemon.request(method, path)
            if method == "GET":
                right = answer.status == 200 and answer.headers["Content-Type"].startswith(kind) and answer.body
                check("GET %s" % path, right, (answer.status, answer.body[:100]))
            elif method == "HEAD":
                right = answer.status == 200 and answer.body == b"" and int(answer.headers["Content-Length"]) > 0
                check("HEAD %s" % path, right, (answer.status, answer.body[:100]))
            else:
                is_error("%s %s" % (method, path), answer, 405, "unimplemented")
                equal("%s %s: Allow" % (method, path), answer.headers["Allow"], "GET, HEAD")
    for path in POSTS:
        for method in METHODS:
            if method in ("POST", "HEAD"):
                continue
            answer = daemon.request(method, path)
            is_error("%s %s" % (method, path), answer, 405, "unimplemented")
            equal("%s %s: Allow" % (method, path), answer.headers["Allow"], "POST")
        equal("HEAD %s" % path, daemon.request("HEAD", path).status, 405)


def check_unknown_routes(daemon):
    for path in ("/nope", "/v1", "/v1/", "/v1/models", "/v1/models:infer/", "/v1/nodes:infer2", "/V1/operators", "/livez/",
                 "/v2/health", "//livez", "/openapi.yaml"):
        for method in ("GET", "POST"):
            is_error("%s %s" % (method, path), daemon.request(method, path), 404, "unimplemented")


def check_content(daemon):
    version = daemon.get("/version").json
    check("/version says name, version and opset", version["name"] == "shaped" and version["version"] and version["opset"])
    equal("/v2 is the server metadata of the Open Inference Protocol", sorted(daemon.get("/v2").json),
          ["extensions", "name", "version"])
    equal("/v2/health/live", daemon.get("/v2/health/live").json, {"live": True})
    equal("/v2/health/ready", daemon.get("/v2/health/ready").json, {"ready": True})
    equal("a target in absolute form is understood", Raw(daemon).send(
        b"GET http://shaped.example/livez HTTP/1.1\r\nHost: shaped.example\r\n\r\n").answer()[0], 200)


def check_keep_alive(daemon):
    body = chain(3)
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=20)
    statuses = []
    socket = None
    for i in range(50):
        if i % 5 == 4:
            connection.request("POST", "/v1/models:infer?nonsense=1", body)
        elif i % 5 == 3:
            connection.request("GET", "/nope")
        elif i % 2:
            connection.request("GET", "/livez")
        else:
            connection.request("POST", "/v1/models:infer", body)
        answer = connection.getresponse()
        answer.read()
        socket = socket or connection.sock
        statuses.append(answer.status if connection.sock is socket else 0)
    equal("50 requests and errors on one connection", sorted(set(statuses)), [200, 400, 404])
    connection.close()
    with Raw(daemon) as raw:
        raw.send(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n" * 20)
        equal("20 requests at once on one connection", [raw.answer()[0] for _ in range(20)], [200] * 20)
    with Raw(daemon) as raw:
        raw.send(b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        check("Connection: close is heard", raw.answer()[0] == 200 and raw.is_closed())
    with Raw(daemon) as raw:
        raw.send(b"GET /livez HTTP/1.0\r\n\r\n")
        check("HTTP/1.0 is answered and closed", raw.answer()[0] == 200 and raw.is_closed())


# Heads that we and a proxy in front of us could read in two ways.
SMUGGLING = {
    "two different Content-Length": ("Content-Length: 5", "Content-Length: 6"),
    "two equal Content-Length": ("Content-Length: 5", "Content-Length: 5"),
    "Content-Length and Transfer-Encoding": ("Content-Length: 5", "Transfer-Encoding: chunked"),
    "Transfer-Encoding and Content-Length": ("Transfer-Encoding: chunked", "Content-Length: 5"),
    "two Transfer-Encoding": ("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
    "Transfer-Encoding: gzip, chunked": ("Transfer-Encoding: gzip, chunked",),
    "Transfer-Encoding: identity": ("Transfer-Encoding: identity",),
    "Transfer-Encoding: xchunked": ("Transfer-Encoding: xchunked",),
    "Transfer-Encoding: chunked, chunked": ("Transfer-Encoding: chunked, chunked",),
    "two Host": ("Host: y", "Content-Length: 5"),
    "a negative Content-Length": ("Content-Length: -5",),
    "Content-Length: +5": ("Content-Length: +5",),
    "Content-Length: 0x5": ("Content-Length: 0x5",),
    "Content-Length: 5, 5": ("Content-Length: 5, 5",),
    "Content-Length of 30 digits": ("Content-Length: " + "9" * 30,),
    "a space before the colon": ("Content-Length : 5",),
    "a name that is no token": ("Content@Length: 5", "Content-Length: 5"),
    "a folded Content-Length": ("Content-Length:\r\n 5",),
    "a folded Content-Length behind another field": ("X: y", "Content-Length:\r\n\t5"),
    "a folded Transfer-Encoding": ("Transfer-Encoding:\r\n chunked",),
    "a folded field": ("X: y\r\n z", "Content-Length: 0"),
    "a fold before all fields": (" X: y", "Content-Length: 0"),
    "a field without a name": ("X: y", ": z"),
    "a field of a colon alone": ("X: y", ":"),
    "a first field without a name": (": z",),
    "a NUL behind Content-Length": ("Content-Length: 5\0 garbage",),
    "a NUL at the end of Content-Length": ("Content-Length: 5\0",),
    "a NUL in Transfer-Encoding": ("Transfer-Encoding: chunked\0, identity",),
    "a NUL in a name": ("Content\0-Length: 5",),
    "NULs that look like an end of line": ("X: y\0\0Z\0 z",),
    "a bare LF": ("X: y\nContent-Length: 0",),
    "a bare CR": ("X: y\rContent-Length: 0",),
}
# Targets, and the status of their answers.
NULS = {"/livez%00": 400, "/metrics%00x": 400, "/%00": 400, "/livez\0": 400, "/livez\0?x": 400, "http://x/livez%00": 400,
        "/livez?x=%00": 200, "/livez%2500": 404, "/nope%20": 404}


def check_framing(daemon):
    for what, fields in SMUGGLING.items():
        with Raw(daemon) as raw:
            raw.send(post_head("/v1/models:infer", *fields) + b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            status, _, body = raw.answer()
            check("%s: refused and closed" % what, status in (400, 413) and raw.is_closed() and b"ok\n" not in raw.received,
                  (status, body[:200], raw.received[:200]))
    for target, wanted in NULS.items():
        with Raw(daemon) as raw:
            raw.send(("GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % target).encode())
            status = raw.answer()[0]
            equal("GET %r" % target, status, wanted)
    chunked = post_head("/v1/models:infer", "Transfer-Encoding: chunked") + b"0\r\nX: y\r\n"
    with Raw(daemon) as raw:
        equal("a trailer is read", raw.send(chunked + b"\r\n").answer()[0], 400)
    with Raw(daemon) as raw:
        raw.send(chunked + b": z\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n").answer()
        check("nothing behind a trailer is taken for a request", raw.is_closed() and b"ok\n" not in raw.received, raw.received)
    for what, head in {
        "no Host": b"GET /livez HTTP/1.1\r\n\r\n",
        "Transfer-Encoding in HTTP/1.0": b"POST /v1/models:infer HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    }.items():
        with Raw(daemon) as raw:
            equal("%s: 400" % what, raw.send(head).answer()[0], 400)
    with Raw(daemon) as raw:
        status, fields, body = raw.send(post_head("/v1/models:infer", "Content-Length: 5", "Content-Length: 6")).answer()
        check("a framing error has the body of an error",
              status == 400 and json.loads(body)["code"] == "invalid_argument" and fields["content-type"] == JSON)


def check_expect(daemon):
    for what, fields, wanted in (
        ("an unknown route", ("Content-Length: 50000000",), 404),
        ("an unknown type", ("Content-Length: 50000000", "Content-Type: text/html"), 415),
        ("an unknown encoding", ("Content-Length: 50000000", "Content-Encoding: br"), 415),
        ("a size past the limit", ("Content-Length: 99999999999999",), 413),
    ):
        with Raw(daemon) as raw:
            path = "/nope" if wanted == 404 else "/v1/models:infer"
            status = raw.send(post_head(path, "Expect: 100-continue", *fields)).answer()[0]
            equal("Expect: 100-continue and %s: %d before the body" % (what, wanted), status, wanted)
    with Raw(daemon) as raw:
        get = b"GET /livez HTTP/1.1\r\nHost: x\r\n%s\r\n"
        raw.send(get % b"Expect: 100-continue\r\n" + get % b"")
        equal("Expect: 100-continue without a body, and a request behind it", [raw.answer()[0] for _ in range(2)], [200, 200])
    with Raw(daemon) as raw:
        body = chain(2)
        raw.send(post_head("/v1/models:infer", "Expect: 100-continue", "Content-Length: %d" % len(body)))
        raw.socket.settimeout(60)
        check("100 Continue comes", raw.socket.recv(4096).startswith(b"HTTP/1.1 100"))
        equal("and then the answer", raw.send(body).answer()[0], 200)


def check_garbage(daemon):
    for data in (b"\x00" * 100, b"\xff" * 100000, b"GET\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\r\n" * 1000,
                 b"GET /" + b"a" * 200000 + b" HTTP/1.1\r\n\r\n", b"GET /%00livez HTTP/1.1\r\nHost: x\r\n\r\n",
                 b"GET /livez?%00=%00 HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
                 b"POST /v1/models:infer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzzzz\r\n\r\n",
                 b"POST /v1/models:infer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n"):
        with Raw(daemon, timeout=2) as raw:
            try:
                raw.send(data)
                raw.answer()
            except (OSError, ValueError, IndexError):
                pass
        equal("%r...: the daemon lives" % data[:24], daemon.get("/livez").status, 200)
    for path in POSTS:
        answer = daemon.request("POST", path + "?dim=%00N=1", chain(1), {"Content-Type": JSON} if "nodes" in path else {})
        is_error("%s: a NUL in the query" % path, answer, 400, "invalid_argument")
        equal("which the message says", answer.json["message"], "an option holds a NUL")


def check_options_of_server(daemon):
    with Raw(daemon) as raw:
        status, fields, _ = raw.send(b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n").answer()
        equal("OPTIONS *", (status, fields.get("allow")), (204, "GET, HEAD, POST, OPTIONS"))
        equal("and the connection goes on", raw.send(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").answer()[0], 200)
        equal("GET *", raw.send(b"GET * HTTP/1.1\r\nHost: x\r\n\r\n").answer()[0], 404)


def check_accept_fields(daemon):
    """Several fields count as one list."""
    body = chain(1)
    for fields, wanted in ((("image/png", "text/plain"), "text/plain; charset=utf-8"),
                           (("text/plain;q=0.5", "application/json;q=0.4"), "text/plain; charset=utf-8"),
                           (("text/plain;q=0.5", "application/json;q=0.6"), "application/json"),
                           (("*/*;q=0.1", "application/vnd.onnx.patch"), "application/vnd.onnx.patch"),
                           (("image/png", "image/jpeg"), "application/json")):
        with Raw(daemon) as raw:
            raw.send(post_head("/v1/models:infer", "Content-Length: %d" % len(body), *["Accept: " + f for f in fields]) + body)
            equal("Accept: %s" % " and ".join(fields), raw.answer()[1].get("content-type"), wanted)


def posted_early(daemon, path, body):
    """Status and body of what may be answered, and closed, before all of it is sent."""
    with Raw(daemon) as raw:
        try:
            raw.send(post_head(path, "Content-Length: %d" % len(body)) + body)
        except OSError:
            pass
        status, fields, answer = raw.answer()
        if "content-length" not in fields:  # it ends with the connection
            raw.is_closed()
            answer = raw.received
        return status, answer


def check_parameters(daemon):
    for count in (400, 401, 1000, 20000):
        for body in (b"", chain(1), b"x" * 100000):
            status, answer = posted_early(daemon, "/v1/models:infer?" + "&".join("a" for _ in range(count)), body)
            wanted = (400, "invalid_argument") if count <= 400 else (414, "resource_exhausted")
            equal("a query of %d parameters, a body of %d bytes" % (count, len(body)), (status, json.loads(answer)["code"]), wanted)
    for count, size in ((400, 30000), (400, 36000), (400, 40000), (400, 60000), (300, 36000), (300, 50000), (200, 43000),
                        (200, 60000), (10, 55000), (10, 60000), (10, 65000), (1, 57000), (1, 58000), (1, 65000)):
        query = "&".join("a" * (size // count - 1) for _ in range(count))
        for body in (b"", b"x" * 100000):
            status, _ = posted_early(daemon, "/v1/models:infer?" + query, body)
            wanted = 400 if len("/v1/models:infer?" + query) + 64 * count <= 57344 else 414
            equal("%d parameters, %d bytes, a body of %d" % (count, size, len(body)), status, wanted)
    equal("and it goes on", daemon.get("/livez").status, 200)


def main():
    with Daemon() as daemon:
        check_methods(daemon)
        check_unknown_routes(daemon)
        check_content(daemon)
        check_keep_alive(daemon)
        check_framing(daemon)
        check_expect(daemon)
        check_garbage(daemon)
        check_parameters(daemon)
        check_options_of_server(daemon)
        check_accept_fields(daemon)
    finish()


if __name__ == "__main__":
    main()
