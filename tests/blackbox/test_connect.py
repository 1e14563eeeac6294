#!/usr/bin/env python3
"""What Connect and gRPC-Web ask of a server of unary calls (https://connectrpc.com/docs/protocol, PROTOCOL-WEB.md of gRPC, and the kinds of
cases that Connect's conformance suite has for servers), row by row: requests as they stand on the wire, over HTTP/1.1."""
import base64
import gzip
import json
import urllib.parse

from harness import Daemon, check, finish
from messages import shaped
from rpc import SERVICE, envelope, grpc_web_outcome

PROTO, JSON = "application/proto", "application/json"
METHOD = SERVICE + "GetOperator"
MESSAGE = shaped.GetOperatorRequest(name="Relu", opset=17)
BINARY, TEXT = MESSAGE.SerializeToString(), b'{"name": "Relu", "opset": "17"}'
NOTHING = shaped.GetOperatorRequest(name="Nothing").SerializeToString()


def query(**parameters):
    return METHOD + "?" + urllib.parse.urlencode(parameters)


def url_base64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def padded(data):
    return base64.urlsafe_b64encode(data).decode()


LIMIT = 10000  # of a message


def sized(size):
    """The message in so many bytes: a field that nobody knows fills it up."""
    left = size - len(BINARY) - 5
    return BINARY + b"\x82\x7d" + bytes([left & 0x7f | 0x80, left >> 7 & 0x7f | 0x80, left >> 14]) + bytes(left)


# What it is, HTTP method, path, body, header fields; the status, the Content-Type and, of an error, its code.
ROWS = [
    ("a message in protobuf", "POST", METHOD, BINARY, {"Content-Type": PROTO, "Connect-Protocol-Version": "1"}, 200, PROTO),
    ("a message in JSON", "POST", METHOD, TEXT, {"Content-Type": JSON, "Connect-Protocol-Version": "1"}, 200, JSON),
    ("without the version of the protocol", "POST", METHOD, TEXT, {"Content-Type": JSON}, 200, JSON),
    ("JSON with its charset", "POST", METHOD, TEXT, {"Content-Type": JSON + "; charset=utf-8"}, 200, JSON),
    ("a type in capitals", "POST", METHOD, TEXT, {"Content-Type": "Application/JSON"}, 200, JSON),
    ("names of fields as in the .proto file", "POST", SERVICE + "ListOperators", b'{"page_size": 3}', {"Content-Type": JSON}, 200, JSON),
    ("names of fields as JSON has them", "POST", SERVICE + "ListOperators", b'{"pageSize": 3}', {"Content-Type": JSON}, 200, JSON),
    ("fields that are null", "POST", METHOD, b'{"name": "Relu", "domain": null}', {"Content-Type": JSON}, 200, JSON),
    ("an integer as a number", "POST", METHOD, b'{"name": "Relu", "opset": 17}', {"Content-Type": JSON}, 200, JSON),
    ("an empty message in protobuf", "POST", SERVICE + "ListOperators", b"", {"Content-Type": PROTO}, 200, PROTO),
    ("an empty message in JSON", "POST", SERVICE + "ListOperators", b"{}", {"Content-Type": JSON}, 200, JSON),
    ("a field that protobuf does not know", "POST", METHOD, BINARY + b"\xf8\x3f\x01", {"Content-Type": PROTO}, 200, PROTO),
    ("a field given twice", "POST", METHOD, NOTHING + BINARY, {"Content-Type": PROTO}, 200, PROTO),
    ("gzip", "POST", METHOD, gzip.compress(BINARY), {"Content-Type": PROTO, "Content-Encoding": "gzip"}, 200, PROTO),
    ("gzip in JSON", "POST", METHOD, gzip.compress(TEXT), {"Content-Type": JSON, "Content-Encoding": "gzip"}, 200, JSON),
    ("identity", "POST", METHOD, BINARY, {"Content-Type": PROTO, "Content-Encoding": "identity"}, 200, PROTO),
    ("compressions that we do not have are accepted", "POST", METHOD, BINARY, {"Content-Type": PROTO, "Accept-Encoding": "br, zstd"}, 200, PROTO),
    ("a deadline far off", "POST", METHOD, BINARY, {"Content-Type": PROTO, "Connect-Timeout-Ms": "600000"}, 200, PROTO),
    ("the longest deadline", "POST", METHOD, BINARY, {"Content-Type": PROTO, "Connect-Timeout-Ms": "9999999999"}, 200, PROTO),
    ("metadata of the client's own", "POST", METHOD, BINARY, {"Content-Type": PROTO, "X-Custom": "a", "X-Custom-Bin": "AAEC"}, 200, PROTO),
    ("metadata that is given twice", "POST", METHOD, BINARY, {"Content-Type": PROTO, "X-Custom": "a", "x-custom": "b"}, 200, PROTO),
    ("a message of the largest size", "POST", METHOD, sized(LIMIT), {"Content-Type": PROTO}, 200, PROTO),
    ("the same, compressed", "POST", METHOD, gzip.compress(sized(LIMIT)), {"Content-Type": PROTO, "Content-Encoding": "gzip"}, 200, PROTO),
    ("GET in JSON", "GET", query(connect="v1", encoding="json", message=TEXT.decode()), None, {}, 200, JSON),
    ("GET without the version", "GET", query(encoding="json", message=TEXT.decode()), None, {}, 200, JSON),
    ("GET in protobuf", "GET", query(connect="v1", encoding="proto", base64="1", message=url_base64(BINARY)), None, {}, 200, PROTO),
    ("GET in padded base64", "GET", query(connect="v1", encoding="proto", base64="1", message=padded(BINARY)), None, {}, 200, PROTO),
    ("GET with gzip", "GET", query(connect="v1", encoding="proto", base64="1", compression="gzip", message=url_base64(gzip.compress(BINARY))),
     None, {}, 200, PROTO),
    ("GET of an empty message", "GET", SERVICE + "ListOperators?connect=v1&encoding=proto&message=", None, {}, 200, PROTO),
    ("GET with a deadline", "GET", query(connect="v1", encoding="json", message=TEXT.decode()), None, {"Connect-Timeout-Ms": "60000"}, 200, JSON),
    ("GET with a parameter that is not known", "GET", query(connect="v1", encoding="json", message=TEXT.decode(), x="1"), None, {}, 200, JSON),

    ("another version of the protocol", "POST", METHOD, BINARY, {"Content-Type": PROTO, "Connect-Protocol-Version": "2"}, 400, JSON, "invalid_argument"),
    ("bytes that are no message", "POST", METHOD, b"\xff\xff", {"Content-Type": PROTO}, 400, JSON, "invalid_argument"),
    ("a message cut short", "POST", METHOD, BINARY[:-1], {"Content-Type": PROTO}, 400, JSON, "invalid_argument"),
    ("text that is no JSON", "POST", METHOD, b"{", {"Content-Type": JSON}, 400, JSON, "invalid_argument"),
    ("JSON that is no object", "POST", METHOD, b"[]", {"Content-Type": JSON}, 400, JSON, "invalid_argument"),
    ("a JSON field that is not known", "POST", METHOD, b'{"nothing": 1}', {"Content-Type": JSON}, 400, JSON, "invalid_argument"),
    ("a JSON field of another type", "POST", METHOD, b'{"name": 1}', {"Content-Type": JSON}, 400, JSON, "invalid_argument"),
    ("a name that is not found, in protobuf", "POST", METHOD, NOTHING, {"Content-Type": PROTO}, 404, JSON, "not_found"),
    ("a name that is not found, in JSON", "POST", METHOD, b'{"name": "Nothing"}', {"Content-Type": JSON}, 404, JSON, "not_found"),
    ("a name that is not found, by GET", "GET", query(connect="v1", encoding="json", message='{"name": "Nothing"}'), None, {}, 404, JSON, "not_found"),
    ("a compression that we do not have", "POST", METHOD, BINARY, {"Content-Type": PROTO, "Content-Encoding": "br"}, 501, JSON, "unimplemented"),
    ("what is not gzip though it says so", "POST", METHOD, BINARY, {"Content-Type": PROTO, "Content-Encoding": "gzip"}, 400, JSON, "invalid_argument"),
    ("a deadline that is no number", "POST", METHOD, BINARY, {"Content-Type": PROTO, "Connect-Timeout-Ms": "1s"}, 400, JSON, "invalid_argument"),
    ("a deadline of eleven digits", "POST", METHOD, BINARY, {"Content-Type": PROTO, "Connect-Timeout-Ms": "1" * 11}, 400, JSON, "invalid_argument"),
    ("a negative deadline", "POST", METHOD, BINARY, {"Content-Type": PROTO, "Connect-Timeout-Ms": "-1"}, 400, JSON, "invalid_argument"),
    ("a deadline that is over", "POST", METHOD, BINARY, {"Content-Type": PROTO, "Connect-Timeout-Ms": "0"}, 504, JSON, "deadline_exceeded"),
    ("a message that is too large", "POST", METHOD, sized(LIMIT + 1), {"Content-Type": PROTO}, 429, JSON, "resource_exhausted"),
    ("the same, compressed", "POST", METHOD, gzip.compress(sized(LIMIT + 1)), {"Content-Type": PROTO, "Content-Encoding": "gzip"}, 429, JSON,
     "resource_exhausted"),
    ("the same in JSON", "POST", METHOD, b'{"name": "%s"}' % (b"x" * LIMIT), {"Content-Type": JSON}, 429, JSON, "resource_exhausted"),
    ("a picture", "POST", METHOD, b"12345678", {"Content-Type": "image/jpeg"}, 415, JSON, None),
    ("a form of messages that is none", "POST", METHOD, BINARY, {"Content-Type": "application/foo"}, 415, JSON, None),
    ("DELETE", "DELETE", METHOD, BINARY, {"Content-Type": PROTO}, 405, JSON, None),
    ("a type that we do not have", "POST", METHOD, BINARY, {"Content-Type": "application/xml"}, 415, JSON, None),
    ("no type", "POST", METHOD, BINARY, {}, 415, JSON, None),
    ("streams, of which there are none", "POST", METHOD, BINARY, {"Content-Type": "application/connect+proto"}, 415, JSON, None),
    ("gRPC over HTTP/1.1", "POST", METHOD, BINARY, {"Content-Type": "application/grpc"}, 415, JSON, None),
    ("a method that is none", "POST", SERVICE + "Nothing", BINARY, {"Content-Type": PROTO}, 404, JSON, "unimplemented"),
    ("a service that is none", "POST", "/shaped.v1.Nothing/GetOperator", BINARY, {"Content-Type": PROTO}, 404, JSON, "unimplemented"),
    ("PUT", "PUT", METHOD, BINARY, {"Content-Type": PROTO}, 405, JSON, None),
    ("GET of what is no query", "GET", "/grpc.health.v1.Health/Check?connect=v1&encoding=json&message=%7B%7D", None, {}, 405, JSON, None),
    ("GET of another version", "GET", query(connect="v2", encoding="json", message="{}"), None, {}, 400, JSON, "invalid_argument"),
    ("GET without an encoding", "GET", query(connect="v1", message="{}"), None, {}, 400, JSON, "invalid_argument"),
    ("GET in an encoding that we do not have", "GET", query(connect="v1", encoding="xml", message="{}"), None, {}, 400, JSON, "invalid_argument"),
    ("GET without a message", "GET", query(connect="v1", encoding="json"), None, {}, 400, JSON, "invalid_argument"),
    ("GET of what is no base64", "GET", query(connect="v1", encoding="proto", base64="1", message="!"), None, {}, 400, JSON, "invalid_argument"),
    ("GET in a compression that we do not have", "GET", query(connect="v1", encoding="json", compression="br", message="{}"), None, {}, 501, JSON,
     "unimplemented"),
]


WEB = "application/grpc-web"
# Of gRPC-Web: what it is, HTTP method, path, body, header fields; the word of its status, or the HTTP status.
WEB_ROWS = [
    ("a message", "POST", METHOD, envelope(BINARY), {"Content-Type": WEB + "+proto"}, "ok"),
    ("without the form of messages", "POST", METHOD, envelope(BINARY), {"Content-Type": WEB}, "ok"),
    ("in JSON", "POST", METHOD, envelope(TEXT), {"Content-Type": WEB + "+json"}, "ok"),
    ("an empty message", "POST", SERVICE + "ListOperators", envelope(b""), {"Content-Type": WEB}, "ok"),
    ("gzip", "POST", METHOD, envelope(gzip.compress(BINARY), 1), {"Content-Type": WEB, "Grpc-Encoding": "gzip"}, "ok"),
    ("a message that is not compressed though others could be", "POST", METHOD, envelope(BINARY),
     {"Content-Type": WEB, "Grpc-Encoding": "gzip"}, "ok"),
    ("identity", "POST", METHOD, envelope(BINARY), {"Content-Type": WEB, "Grpc-Encoding": "identity"}, "ok"),
    ("metadata that is given twice", "POST", METHOD, envelope(BINARY), {"Content-Type": WEB, "X-Custom": "a", "x-custom": "b"}, "ok"),
    ("a message of the largest size", "POST", METHOD, envelope(sized(LIMIT)), {"Content-Type": WEB}, "ok"),
    ("no message", "POST", METHOD, b"", {"Content-Type": WEB}, "unimplemented"),
    ("several messages", "POST", METHOD, envelope(BINARY) * 2, {"Content-Type": WEB}, "unimplemented"),
    ("a message cut short", "POST", METHOD, envelope(BINARY)[:-1], {"Content-Type": WEB}, "invalid_argument"),
    ("bytes that are no message", "POST", METHOD, envelope(b"\xff"), {"Content-Type": WEB}, "invalid_argument"),
    ("flags that are none", "POST", METHOD, envelope(BINARY, 2), {"Content-Type": WEB}, "invalid_argument"),
    ("a compressed message without a word how", "POST", METHOD, envelope(gzip.compress(BINARY), 1), {"Content-Type": WEB}, "internal"),
    ("the same as identity", "POST", METHOD, envelope(gzip.compress(BINARY), 1), {"Content-Type": WEB, "Grpc-Encoding": "identity"}, "internal"),
    ("a compression that we do not have", "POST", METHOD, envelope(BINARY, 1), {"Content-Type": WEB, "Grpc-Encoding": "foo"}, "unimplemented"),
    ("a message that is too large", "POST", METHOD, envelope(sized(LIMIT + 1)), {"Content-Type": WEB}, "resource_exhausted"),
    ("the same, compressed", "POST", METHOD, envelope(gzip.compress(sized(LIMIT + 1)), 1), {"Content-Type": WEB, "Grpc-Encoding": "gzip"},
     "resource_exhausted"),
    ("a name that is not found", "POST", METHOD, envelope(NOTHING), {"Content-Type": WEB}, "not_found"),
    ("a deadline that is over", "POST", METHOD, envelope(BINARY), {"Content-Type": WEB, "Grpc-Timeout": "0m"}, "deadline_exceeded"),
    ("a deadline far off", "POST", METHOD, envelope(BINARY), {"Content-Type": WEB, "Grpc-Timeout": "99999999H"}, "ok"),
    ("a deadline that is none", "POST", METHOD, envelope(BINARY), {"Content-Type": WEB, "Grpc-Timeout": "1"}, "invalid_argument"),
    ("a form of messages that is none", "POST", METHOD, envelope(BINARY), {"Content-Type": WEB + "+foo"}, 415),
    ("text, which few clients send", "POST", METHOD, base64.b64encode(envelope(BINARY)), {"Content-Type": WEB + "-text"}, 415),
    ("DELETE", "DELETE", METHOD, envelope(BINARY), {"Content-Type": WEB}, 405),
    ("a method that is none", "POST", SERVICE + "Nothing", envelope(BINARY), {"Content-Type": WEB}, 404),
]


def message_of(answer, kind):
    """The operator that an answer has, whichever form it is in."""
    data = gzip.decompress(answer.body) if answer.headers["Content-Encoding"] == "gzip" else answer.body
    return shaped.Operator.FromString(data).name if kind == PROTO else json.loads(data).get("name")


def check_row(daemon, what, method, path, body, fields, status, kind, code=None):
    answer = daemon.request(method, path, body, fields)
    got = answer.headers["Content-Type"]
    right = answer.status == status and got is not None and got.partition(";")[0] == kind
    if status == 200:
        right = right and ("GetOperator" not in path or message_of(answer, kind) == "Relu")
    elif right:
        error = json.loads(answer.body)
        right = error["message"] and isinstance(error.get("details", []), list) and code in (None, error["code"])
        if status == 405:
            right = right and "POST" in answer.headers["Allow"]
    check("%s: %d" % (what, status), right, "%d %s %r" % (answer.status, got, answer.body[:300]))


def check_web_row(daemon, what, method, path, body, fields, wanted):
    answer = daemon.request(method, path, body, fields)
    if isinstance(wanted, int):
        check("gRPC-Web, %s: %d" % (what, wanted), answer.status == wanted, "%d %r" % (answer.status, answer.body[:300]))
        return
    is_json = fields["Content-Type"].endswith("json")
    found = grpc_web_outcome(answer, shaped.Operator if "GetOperator" in path else shaped.ListOperatorsResponse, is_json)
    kind = WEB + ("+json" if is_json else "+proto")
    check("gRPC-Web, %s: %s" % (what, wanted), found.code == wanted and (answer.status, answer.headers["Content-Type"]) == (200, kind) and
          (wanted != "ok" or "GetOperator" not in path or found.message.name == "Relu"), found)


def main():
    with Daemon("--node-request-bytes", str(LIMIT)) as daemon:
        for row in ROWS:
            check_row(daemon, *row)
        for row in WEB_ROWS:
            check_web_row(daemon, *row)
        answer = daemon.request("POST", SERVICE + "ListOperators", b'{"pageSize": 1000}', {"Content-Type": JSON, "Accept-Encoding": "gzip"})
        check("a large answer is compressed for who accepts that", answer.headers["Content-Encoding"] == "gzip" and
              json.loads(gzip.decompress(answer.body))["operators"])
        answer = daemon.request("POST", SERVICE + "ListOperators", b'{"pageSize": 1000}', {"Content-Type": JSON, "Accept-Encoding": "gzip;q=0"})
        check("and not for who does not", answer.headers["Content-Encoding"] is None and json.loads(answer.body)["operators"])
    finish()


if __name__ == "__main__":
    main()
