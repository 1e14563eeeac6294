#!/usr/bin/env python3
"""The methods of proto/shaped.proto and proto/health.proto by Connect and gRPC-Web, in protobuf and JSON, plain and gzip."""
import base64
import gzip
import struct

from build import graph, model as build, op
from harness import Daemon, check, equal, finish, model
from messages import camel, details, differences, health, plain, shaped
from rpc import PROTOCOLS, SERVICE, connect, connect_get, connect_outcome, envelope, grpc_web, grpc_web_outcome, ways, write_message
from wire import chain, number, text

INFER = SERVICE + "InferModel"
HEALTH = "/grpc.health.v1.Health/"


def request_of(data, **options):
    return shaped.InferModelRequest(model=data, options=shaped.InferOptions(**options))


def check_models(daemon):
    for name in ("resnet50", "encoder"):
        data = model(name)
        wanted = daemon.infer(data, values="all").json
        for what, call in ways():
            found = call(daemon, "InferModel", request_of(data, values="ALL"), shaped.InferModelResponse)
            text_of = found.code if found.code != "ok" else differences(wanted, found.message)
            check("%s: %s says what REST says" % (what, name), not text_of, text_of)


def check_options(daemon):
    binding = shaped.Binding(name="N", value=7)
    shape = shaped.InputShape(input="x0")
    shape.shape.dim.add(dim_param="M")
    shape.shape.dim.add(dim_value=5)
    for what, call in ways():
        found = call(daemon, "InferModel", request_of(chain(2), dims=[binding], values="OUTPUTS"), shaped.InferModelResponse)
        equal("%s: dims and values" % what, [d.dim_value for d in found.message.values[0].type.tensor_type.shape.dim], [7, 3])
        found = call(daemon, "InferModel", request_of(chain(2), shapes=[shape]), shaped.InferModelResponse)
        dims = found.message.values[-1].type.tensor_type.shape.dim
        equal("%s: shapes" % what, (dims[0].dim_param, dims[1].dim_value), ("M", 5))
        for options, field in ((dict(dims=[shaped.Binding(name="N", value=-1)]), "options.dims[0].value"),
                               (dict(dims=[binding, shaped.Binding(value=1)]), "options.dims[1].name"),
                               (dict(shapes=[shaped.InputShape(input="x0")]), "options.shapes[0].shape")):
            found = call(daemon, "InferModel", request_of(chain(2), **options), shaped.InferModelResponse)
            kind, value = (found.details or [("", b"")])[0]
            violations = details.BadRequest.FromString(value).field_violations if kind == "google.rpc.BadRequest" else []
            equal("%s: %s is at fault" % (what, field), (found.code, [v.field for v in violations]), ("invalid_argument", [field]))
        found = call(daemon, "InferModel", request_of(chain(2), costs=True), shaped.InferModelResponse)
        equal("%s: what is not there yet is refused" % what, (found.code, "options.costs" in found.text), ("unimplemented", True))


def faulty():
    """MatMul of sizes that differ."""
    return build(graph([op("y = MatMul(a, b)", name="mul")], ["a: float[2,3]", "b: float[4,5]"], ["y"]), 17)


def check_errors(daemon):
    many = build(graph([op("y%d = Concat(x)" % i, name="n%d" % i) for i in range(20)], ["x: float[2]"], ["y0"]), 17)
    found = grpc_web(daemon, "InferModel", request_of(many, strict=True), shaped.InferModelResponse)
    equal("details are bounded, for they travel in a trailer", len(found.details) <= 9 and found.code, "invalid_argument")
    for what, call in ways():
        found = call(daemon, "InferModel", request_of(faulty(), strict=True), shaped.InferModelResponse)
        equal("%s: strict" % what, found.code, "invalid_argument")
        kinds = [kind for kind, _ in found.details]
        equal("%s: its details" % what, kinds, ["google.rpc.ErrorInfo", "shaped.v1.Diagnostic"])
        if len(kinds) == 2:
            info, diagnostic = details.ErrorInfo.FromString(found.details[0][1]), shaped.Diagnostic.FromString(found.details[1][1])
            equal("%s: the reason" % what, (info.reason, info.domain, diagnostic.reason, diagnostic.node),
                  (diagnostic.reason, "shaped", info.reason, "mul"))
        equal("%s: bytes that are no model" % what,
              call(daemon, "InferModel", request_of(b"\xff\xff"), shaped.InferModelResponse).code, "invalid_argument")
        equal("%s: no model" % what, call(daemon, "InferModel", shaped.InferModelRequest(), shaped.InferModelResponse).code,
              "invalid_argument")
        found = call(daemon, "GetOperator", shaped.GetOperatorRequest(name="Nö%1"), shaped.Operator)
        equal("%s: not found, and its name in the message" % what, (found.code, "Nö%1" in found.text), ("not_found", True))


def check_operators(daemon):
    rows = {}
    for row in daemon.get("/v1/operators?pageSize=1000").json["operators"]:
        rows[row["domain"], row["name"]] = row
    for what, call in [*ways(), ("Connect GET proto", connect_get),
                       ("Connect GET JSON", lambda *a, **k: connect_get(*a, is_json=True, **k)),
                       ("Connect GET gzip", lambda *a, **k: connect_get(*a, compress=True, **k))]:
        found, token = [], ""
        while token is not None:
            page = call(daemon, "ListOperators", shaped.ListOperatorsRequest(page_size=300, page_token=token),
                        shaped.ListOperatorsResponse).message
            found += page.operators
            token = page.next_page_token or None
        equal("%s: as many operators as REST lists" % what, len(found), len(rows))
        wrong = [o.name for o in found if not same_operator(o, rows[o.domain, o.name])]
        equal("%s: and what it says of them" % what, wrong, [])
        one = call(daemon, "GetOperator", shaped.GetOperatorRequest(name="Relu", opset=6), shaped.Operator).message
        equal("%s: one, as it stood" % what, (one.name, one.since, list(one.versions)), ("Relu", 6, [1, 6, 13, 14]))


def attribute_value(value):
    return {1: round(value.f, 4), 2: value.i, 3: value.s.decode(), 6: [round(f, 4) for f in value.floats], 7: list(value.ints),
            8: [s.decode() for s in value.strings]}[value.type]


def attribute_said(found):
    said = {camel(f.name): v for f, v in found.ListFields() if f.message_type is None}
    return {**said, **{f.name: attribute_value(v) for f, v in found.ListFields() if f.message_type is not None}}


def rounded(value):
    return [rounded(v) for v in value] if isinstance(value, list) else round(value, 4) if isinstance(value, float) else value


def same_operator(found, row):
    said = plain(found)
    for key in ("inputs", "outputs"):
        said[key] = [plain(p) for p in getattr(found, key)]
    said["attributes"] = [{k: rounded(v) for k, v in attribute_said(a).items()} for a in found.attributes]
    said["typeConstraints"] = [plain(c) for c in found.type_constraints]
    row = {**row, "attributes": [{k: rounded(v) for k, v in a.items()} for a in row["attributes"]]}
    return said == row


def check_health(daemon):
    for what, call in ways():
        for service, code in (("", "ok"), ("shaped.v1.ShapeInference", "ok"), ("grpc.health.v1.Health", "ok"), ("x", "not_found")):
            found = call(daemon, "Check", health.HealthCheckRequest(service=service), health.HealthCheckResponse, path=HEALTH)
            equal("%s: health of '%s'" % (what, service), (found.code, found.message and found.message.status),
                  (code, 1 if code == "ok" else None))


def check_stream(daemon):
    """An InferModelRequest in every order of its fields, in pieces, and what protobuf merges."""
    data = chain(3)
    strict, dims = number(1, 1), text(3, text(1, "N") + number(2, 4))
    bodies = {
        "options behind the model": text(1, data) + text(2, dims),
        "options before it": text(2, dims) + text(1, data),
        "options in two places are merged": text(2, dims) + text(1, data) + text(2, strict),
        "of two models the last one counts": text(1, chain(1)) + text(2, dims) + text(1, data),
        "unknown fields are skipped": number(9, 5) + text(10, b"abc") + text(1, data) + text(2, dims + number(100, 1)),
    }
    for what, body in bodies.items():
        for size in (1, 7, len(body)):
            found = chunked(daemon, body, size)
            shape = [d.dim_value for d in found.message.values[-1].type.tensor_type.shape.dim] if found.message else found
            equal("%s, in pieces of %d" % (what, size), (shape, len(found.message.values)), ([4, 3], 4))
    for what, body in {"a field that ends too early": text(1, data)[:-1], "a tag of no field": b"\x00", "a group": b"\x0b",
                       "half a tag": b"\x80"}.items():
        equal(what, chunked(daemon, body, 3).code, "invalid_argument")
    encoded = base64.b64encode(data).decode()
    orders = {
        "JSON, options first": '{"options":{"dims":[{"name":"N","value":4}]},"model":"%s"}' % encoded,
        "JSON, model first": '{ "model" : "%s" , "options":{"dims":[{"name":"N","value":"4"}]}}' % encoded,
        "JSON, slashes escaped": '{"model":"%s","options":{"dims":[{"name":"N","value":4}]}}' % encoded.replace("/", "\\/"),
        "JSON, URL-safe base64": '{"model":"%s","options":{"dims":[{"name":"N","value":4}]}}'
                                 % base64.urlsafe_b64encode(data).decode().rstrip("="),
    }
    for what, body in orders.items():
        for size in (1, 5, len(body)):
            found = chunked(daemon, body.encode(), size, is_json=True)
            shape = [d.dim_value for d in found.message.values[-1].type.tensor_type.shape.dim] if found.message else found
            equal("%s, in pieces of %d" % (what, size), shape, [4, 3])
    for what, body in {"base64 that is none": '{"model":"A"}', "an end in the model": '{"model":"AAAA', "a number": '{"model":1}',
                       "twice": '{"model":"%s","model":"%s"}' % (encoded, encoded), "an unknown field": '{"modle":""}',
                       "a 'model' further in": '{"options":{"model":"AAAA"},"model":"%s"}' % encoded, "no object": "[]", "an escape": '{"model":"\\u0041"}', "null": '{"model":null}'}.items():
        equal("JSON, %s" % what, chunked(daemon, body.encode(), 4, is_json=True).code, "invalid_argument")


def chunked(daemon, body, size, is_json=False):
    """A Connect call whose body comes in chunks, as clients send it."""
    pieces = (body[at:at + size] for at in range(0, len(body), size))
    answer = daemon.request("POST", INFER, pieces, {"Content-Type": "application/json" if is_json else "application/proto"})
    return connect_outcome(answer, shaped.InferModelResponse, is_json)


def check_heads(daemon):
    good = write_message(request_of(chain(1)), False)
    proto = "application/proto"
    for what, headers, code in (("a timeout", {"Connect-Timeout-Ms": "60000"}, "ok"), ("no number", {"Connect-Timeout-Ms": "x"}, "invalid_argument"),
                                ("11 digits", {"Connect-Timeout-Ms": "10000000000"}, "invalid_argument"),
                                ("a version", {"Connect-Protocol-Version": "2"}, "invalid_argument"),
                                ("a compression", {"Content-Encoding": "br"}, "unimplemented"),
                                ("no gzip", {"Content-Encoding": "gzip"}, "invalid_argument")):
        equal("Connect: %s" % what, connect(daemon, "InferModel", good, shaped.InferModelResponse, headers=headers).code, code)
    for what, headers, code in (("a timeout", {"Grpc-Timeout": "1M"}, "ok"), ("no unit", {"Grpc-Timeout": "5"}, "invalid_argument"),
                                ("9 digits", {"Grpc-Timeout": "100000000S"}, "invalid_argument"),
                                ("a huge one", {"Grpc-Timeout": "99999999H"}, "ok"),
                                ("a compression", {"Grpc-Encoding": "br"}, "unimplemented")):
        equal("gRPC-Web: %s" % what, grpc_web(daemon, "InferModel", good, shaped.InferModelResponse, headers=headers).code, code)
    web = "application/grpc-web+proto"
    answer = daemon.post(INFER, envelope(good), web, {"Grpc-Encoding": "br"})
    equal("gRPC-Web: what a client may compress by is said", answer.headers["Grpc-Accept-Encoding"], "gzip")
    for what, body, code in (("no message", b"", "unimplemented"), ("two messages", envelope(good) + envelope(good), "unimplemented"),
                             ("half an envelope", envelope(good)[:3], "invalid_argument"),
                             ("half a message", envelope(good)[:-1], "invalid_argument"),
                             ("unknown flags", envelope(good, 2), "invalid_argument"),
                             ("compressed, and nothing says how", envelope(gzip.compress(good), 1), "internal"),
                             ("gzip that ends too early", None, "invalid_argument")):
        if body is None:
            answer = daemon.post(INFER, envelope(gzip.compress(good)[:-9], 1), web, {"Grpc-Encoding": "gzip"})
        else:
            answer = daemon.post(INFER, body, web)
        equal("gRPC-Web: %s" % what, grpc_web_outcome(answer, shaped.InferModelResponse, False).code, code)
    answer = daemon.post(INFER, good, "text/plain")
    check("another type", answer.status == 415 and "application/proto" in answer.headers["Accept-Post"], answer.headers)
    answer = daemon.request("PUT", INFER, good, {"Content-Type": proto})
    equal("another method", (answer.status, answer.headers["Allow"]), (405, "GET, HEAD, POST"))
    equal("an unknown method of the service", daemon.post(SERVICE + "Nothing", good, proto).json["code"], "unimplemented")
    for query in ("", "encoding=json", "message=%7B%7D", "encoding=xml&message=", "connect=v2&encoding=json&message=%7B%7D",
                  "encoding=proto&base64=1&message=A", "encoding=proto&message=%00", "encoding=json&compression=gzip&message=%7B%7D"):
        equal("GET ?%s" % query, daemon.get(SERVICE + "ListOperators?" + query).json["code"], "invalid_argument")
    equal("GET of a method without a model", daemon.get(HEALTH + "Check?encoding=json&message=%7B%7D").status, 405)


def check_sizes(daemon):
    data = model("resnet50")
    for name, call in PROTOCOLS.items():
        key = "Accept-Encoding" if name == "Connect" else "Grpc-Accept-Encoding"
        found = call(daemon, "InferModel", request_of(data), shaped.InferModelResponse, headers={key: "gzip,br"})
        plain = call(daemon, "InferModel", request_of(data), shaped.InferModelResponse)
        equal("%s: a compressed answer is the same" % name, found.message, plain.message)
        check("%s: and smaller" % name, len(found.answer.body) < len(plain.answer.body) / 2)
    large = envelope(b"")[:1] + struct.pack(">I", 1 << 31) + b"\x0a"
    answer = daemon.post(SERVICE + "ListOperators", large, "application/grpc-web+proto")
    equal("a message past its limit is refused by its length", grpc_web_outcome(answer, shaped.Operator, False).code, "resource_exhausted")
    equal("and by its bytes", connect(daemon, "ListOperators", bytes(5 << 20), shaped.Operator).code, "resource_exhausted")
    bomb = gzip.compress(bytes(64 << 20))
    answer = daemon.post(SERVICE + "ListOperators", bomb, "application/proto", {"Content-Encoding": "gzip"})
    equal("and by those it decodes to", answer.json["code"], "resource_exhausted")


def check_deadline(daemon):
    big = chain(200000)
    found = connect(daemon, "InferModel", request_of(big), shaped.InferModelResponse, headers={"Connect-Timeout-Ms": "1"})
    equal("Connect: the client's deadline", found.code, "deadline_exceeded")
    found = grpc_web(daemon, "InferModel", request_of(big), shaped.InferModelResponse, headers={"Grpc-Timeout": "1m"})
    equal("gRPC-Web: the client's deadline", found.code, "deadline_exceeded")


def main():
    with Daemon() as daemon:
        check_models(daemon)
        check_options(daemon)
        check_errors(daemon)
        check_operators(daemon)
        check_health(daemon)
        check_stream(daemon)
        check_heads(daemon)
        check_sizes(daemon)
        check_deadline(daemon)
    finish()


if __name__ == "__main__":
    main()
