#!/usr/bin/env python3
"""Requests from web pages (the Fetch Standard, "CORS protocol"): which origins may read what is answered, over both versions of HTTP."""
import json
import subprocess

from harness import Daemon, check, equal, finish, model, run
from messages import shaped
from rpc import SERVICE, envelope

HERE, OTHER = "https://app.example.org", "https://elsewhere.example.org"
NODE = {"node": {"opType": "Relu", "inputs": ["x"], "outputs": ["y"]}, "inputs": {"x": {"type": "tensor(float)", "shape": ["N"]}}}
CALL = shaped.GetOperatorRequest(name="Relu").SerializeToString()
NOTHING = shaped.GetOperatorRequest(name="Nothing").SerializeToString()
# What it is, path, body, Content-Type, the status, and a field that pages must be able to read.
ROWS = [
    ("a model", "/v1/models:infer", model("encoder"), "application/octet-stream", 200, None),
    ("a node", "/v1/nodes:infer", json.dumps(NODE).encode(), "application/json", 200, None),
    ("no model", "/v1/models:infer", b"no model", "application/octet-stream", 400, None),
    ("no route", "/nothing", b"", "text/plain", 404, None),
    ("Connect", SERVICE + "GetOperator", CALL, "application/proto", 200, None),
    ("Connect's error", SERVICE + "GetOperator", NOTHING, "application/proto", 404, None),
    ("gRPC-Web", SERVICE + "GetOperator", envelope(CALL), "application/grpc-web+proto", 200, "grpc-status"),
    ("a type that is none", SERVICE + "GetOperator", CALL, "text/css", 415, None),
]


def preflight(daemon, path, origin, version=()):
    """Status and fields of what a browser asks first."""
    said = subprocess.run(["curl", "-sS", "-i", "--noproxy", "*", "-X", "OPTIONS", *version, "-H", "Origin: " + origin,
                           "-H", "Access-Control-Request-Method: POST", "-H", "Access-Control-Request-Headers: content-type,x-grpc-web",
                           daemon.url + path], stdout=subprocess.PIPE, check=True).stdout.decode()
    lines = said.split("\r\n\r\n")[0].split("\r\n")
    return int(lines[0].split()[1]), {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}


def listed(daemon):
    for name, path, body, kind, status, readable in ROWS:
        answer = daemon.post(path, body, kind, {"Origin": HERE})
        equal(name + " is answered", answer.status, status)
        equal(name + " may be read", answer.headers["Access-Control-Allow-Origin"], HERE)
        check(name + " varies with the origin", "Origin" in answer.headers.get_all("Vary"), answer.headers)
        check(name + " shows its fields", not readable or readable in answer.headers["Access-Control-Expose-Headers"].lower())
        answer = daemon.post(path, body, kind, {"Origin": OTHER})
        equal(name + " is answered to others", answer.status, status)
        equal(name + " may not be read by others", answer.headers["Access-Control-Allow-Origin"], None)
    for version in ("--http1.1",), ("--http2-prior-knowledge",):
        for path in "/v1/models:infer", SERVICE + "InferNode", "/v1/operators":
            status, fields = preflight(daemon, path, HERE, version)
            equal("what is asked first, %s, is answered" % path, status, 204)
            equal("for this origin", fields.get("access-control-allow-origin"), HERE)
            check("with methods, fields and a time", "POST" in fields.get("access-control-allow-methods", "") and
                  fields.get("access-control-allow-headers") == "*" and int(fields.get("access-control-max-age", "0")) > 0, fields)
        status, fields = preflight(daemon, "/v1/models:infer", OTHER, version)
        check("another origin is not allowed", status == 405 and "access-control-allow-origin" not in fields, fields)
    answer = daemon.get("/livez")
    equal("without an origin nothing is said but that it matters", (answer.headers["Access-Control-Allow-Origin"], answer.headers["Vary"]),
          (None, "Origin"))
    equal("the second origin of the list counts too", daemon.get("/livez", Origin="http://localhost:3000").headers["Access-Control-Allow-Origin"],
          "http://localhost:3000")
    for origin in HERE + ":8443", HERE[:-1], HERE + "g", "null", "", "*":
        equal("'%s' is another origin" % origin, daemon.get("/livez", Origin=origin).headers["Access-Control-Allow-Origin"], None)


def main():
    with Daemon("--cors-origin", HERE + ", http://localhost:3000") as daemon:
        listed(daemon)
    with Daemon("--cors-origin", "*") as daemon:
        equal("any page may read", daemon.get("/livez", Origin=OTHER).headers["Access-Control-Allow-Origin"], "*")
        equal("and ask", preflight(daemon, "/v1/models:infer", OTHER)[0], 204)
    with Daemon() as daemon:
        fields = daemon.get("/livez", Origin=HERE).headers
        equal("without the flag nobody may", (fields["Access-Control-Allow-Origin"], fields["Vary"]), (None, None))
        equal("nor ask", preflight(daemon, "/v1/models:infer", HERE)[0], 405)
    for bad in "app.example.org", "https://", "https://a/b", "https://" + "a" * 80, HERE + ",example.org":
        status, _, said = run("serve", "--listen", "127.0.0.1:0", "--cors-origin", bad)
        check("'%.40s' is refused" % bad, status == 2 and b"--cors-origin" in said, (status, said))
    finish()


main()
