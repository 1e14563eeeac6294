"""Calls of the service's methods, for black-box tests: Connect and gRPC-Web over HTTP/1.1, messages in protobuf and JSON, written
out by hand so that a test can also send what no client would; and gRPC by python3-grpcio, where that is installed."""
import base64
import gzip
import json
import struct
import urllib.parse

from messages import CODES, DEBIAN, shaped, status  # pylint: disable=unused-import

try:
    import grpc_calls
except ImportError:
    grpc_calls = None

SERVICE = "/shaped.v1.ShapeInference/"


def _json_format():
    from google.protobuf import json_format
    return json_format


class Outcome:
    """A response message, or the word of an error's code with its message and details."""

    def __init__(self, code, message=None, text="", details=(), answer=None):
        self.code, self.message, self.text, self.details, self.answer = code, message, text, details, answer

    def __repr__(self):
        return "%s %r %s" % (self.code, self.text, str(self.message)[:200])


def read_message(kind, data, is_json):
    return _json_format().Parse(data, kind()) if is_json else kind.FromString(data)


def write_message(message, is_json):
    return _json_format().MessageToJson(message).encode() if is_json else message.SerializeToString()


def connect_outcome(answer, kind, is_json):
    data = gzip.decompress(answer.body) if answer.headers["Content-Encoding"] == "gzip" else answer.body
    if answer.status == 200:
        return Outcome("ok", read_message(kind, data, is_json), answer=answer)
    error = json.loads(data)
    details = [(d["type"], base64.b64decode(d["value"] + "=" * (-len(d["value"]) % 4))) for d in error.get("details", [])]
    return Outcome(error["code"], None, error["message"], details, answer)


def connect(daemon, method, request, kind, is_json=False, compress=False, headers=None, path=SERVICE):
    """Connect's POST."""
    data = write_message(request, is_json) if not isinstance(request, bytes) else request
    more = {"Connect-Protocol-Version": "1", **({"Content-Encoding": "gzip"} if compress else {}), **(headers or {})}
    answer = daemon.post(path + method, gzip.compress(data) if compress else data,
                         "application/json" if is_json else "application/proto", more)
    return connect_outcome(answer, kind, is_json)


def connect_get(daemon, method, request, kind, is_json=False, compress=False, path=SERVICE):
    data = write_message(request, is_json)
    query = {"connect": "v1", "encoding": "json" if is_json else "proto"}
    if compress:
        data, query["compression"] = gzip.compress(data), "gzip"
    if is_json and not compress:
        query["message"] = data.decode()
    else:
        query["message"], query["base64"] = base64.urlsafe_b64encode(data).decode().rstrip("="), "1"
    answer = daemon.get(path + method + "?" + urllib.parse.urlencode(query))
    return connect_outcome(answer, kind, is_json)


def envelope(data, flags=0):
    return struct.pack(">BI", flags, len(data)) + data


def envelopes(body):
    """What a body of gRPC-Web consists of: flags and bytes."""
    found = []
    while body:
        flags, length = struct.unpack(">BI", body[:5])
        found.append((flags, body[5:5 + length]))
        body = body[5 + length:]
    return found


def grpc_web_outcome(answer, kind, is_json):
    *found, (flags, trailers) = envelopes(answer.body)
    lines = dict(line.split(": ", 1) for line in trailers.decode().split("\r\n") if line)
    code = CODES[int(lines["grpc-status"])]
    if flags != 0x80 or len(found) != (code == "ok"):
        raise ValueError("no answer of gRPC-Web: %r" % answer.body)
    if code == "ok":
        data = gzip.decompress(found[0][1]) if found[0][0] == 1 else found[0][1]
        return Outcome("ok", read_message(kind, data, is_json), answer=answer)
    packed = lines.get("grpc-status-details-bin", "")
    error = status.Status.FromString(base64.b64decode(packed + "=" * (-len(packed) % 4)))
    details = [(d.type_url.rpartition("/")[2], d.value) for d in error.details]
    return Outcome(code, None, urllib.parse.unquote(lines["grpc-message"]), details, answer)


def grpc_web(daemon, method, request, kind, is_json=False, compress=False, headers=None, path=SERVICE):
    data = write_message(request, is_json) if not isinstance(request, bytes) else request
    body = envelope(gzip.compress(data), 1) if compress else envelope(data)
    more = {"X-Grpc-Web": "1", **({"Grpc-Encoding": "gzip"} if compress else {}), **(headers or {})}
    answer = daemon.post(path + method, body, "application/grpc-web+" + ("json" if is_json else "proto"), more)
    return grpc_web_outcome(answer, kind, is_json)


def by_grpc(daemon, method, request, kind, is_json=False, compress=False, path=SERVICE):
    return Outcome(*grpc_calls.unary(daemon, method, request, kind, compress, path))


PROTOCOLS = {"Connect": connect, "gRPC-Web": grpc_web}


def ways():
    """Every protocol, form and compression: its name, and a call."""
    forms = [(name, call, is_json) for name, call in PROTOCOLS.items() for is_json in (False, True)]
    for name, call, is_json in [*forms, *([("gRPC", by_grpc, False)] if grpc_calls else [])]:
        for compress in (False, True):
            what = "%s %s%s" % (name, "JSON" if is_json else "proto", " gzip" if compress else "")
            yield what, lambda *a, call=call, j=is_json, c=compress, **k: call(*a, is_json=j, compress=c, **k)
