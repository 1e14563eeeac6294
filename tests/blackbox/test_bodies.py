#!/usr/bin/env python3
"""Bodies at their edges: forms and their boundaries, encodings cut off or too long, chunks, Expect, types."""
import gzip
import json
import subprocess
import zlib

from harness import Daemon, check, equal, finish
from wire import Raw, chain, post_head, weights

INFER = "/v1/models:infer"
FORM = "multipart/form-data; boundary="


def part(name, data, boundary, more="", filename="m.onnx"):
    file = '; filename="%s"' % filename if filename is not None else ""
    head = '--%s\r\nContent-Disposition: form-data; name="%s"%s\r\n%s\r\n' % (boundary, name, file, more)
    return head.encode() + data + b"\r\n"


def form(data, boundary="edge", **more):
    return part("model", data, boundary, **more) + ("--%s--\r\n" % boundary).encode()


def sent(daemon, body, *fields, pieces=()):
    """Status and body of the answer to a request whose body goes in pieces that end at the given offsets."""
    with Raw(daemon, timeout=60) as raw:
        raw.send(post_head(INFER, "Content-Length: %d" % len(body), *fields))
        at = 0
        for end in [*pieces, len(body)]:
            raw.send(body[at:end])
            at = end
        status, _, answer = raw.answer()
        return status, answer


def values(status, body):
    return [[v["name"], v.get("shape")] for v in json.loads(body)["values"]] if status == 200 else (status, body[:300])


def refused(what, status, body, wanted=400, code="invalid_argument"):
    check("%s: %d %s" % (what, wanted, code), status == wanted and json.loads(body)["code"] == code,
          (status, body[:300]))


def posted(daemon, body, kind="application/octet-stream", path=INFER, **headers):
    answer = daemon.request("POST", path, body, {"Content-Type": kind,
                                                 **{k.replace("_", "-"): v for k, v in headers.items()}})
    return answer.status, answer.body


def forms(daemon, data, wanted):
    for boundary in ("xy", "-" * 24 + "0123456789abcdef", "a" * 70, "=_?:'()+,./", "--"):
        quoted = '"%s"' % boundary if set("?:()/=,") & set(boundary) else boundary
        equal("boundary %s" % boundary, values(*posted(daemon, form(data, boundary), FORM + quoted)), wanted)
    body = form(data)
    last = body.rindex(b"\r\n--edge--")
    for what, ends in {"within the first boundary": [3], "within a header": [20],
                       "between CR and LF of the head": [body.index(b"\r\n\r\n") + 3],
                       "before the last boundary": [last], "within it": [last + 1, last + 2, last + 5, last + 8],
                       "byte by byte around it": list(range(last - 5, len(body)))}.items():
        equal("a form split %s" % what, values(*sent(daemon, body, "Content-Type: %sedge" % FORM, pieces=ends)), wanted)
    tricky = weights(3000)[:-12000] + (b"\r\n--edg\r\n--edgy\r\n--" * 700)[:12000]
    plain = values(*posted(daemon, tricky))
    equal("what looks like a boundary within the data", values(*posted(daemon, form(tricky), FORM + "edge")), plain)
    for what, more in {"a type": "Content-Type: application/octet-stream\r\n",
                       "a transfer encoding": "Content-Transfer-Encoding: binary\r\n"}.items():
        equal("a part with %s" % what, values(*posted(daemon, form(data, more=more), FORM + "edge")), wanted)
    equal("no file name", values(*posted(daemon, form(data, filename=None), FORM + "edge")), wanted)
    equal("upper case", values(*posted(daemon, body, "Multipart/Form-Data; boundary=edge")), wanted)
    equal("no line end after the last boundary", values(*posted(daemon, body[:-2], FORM + "edge")), wanted)
    status, answer = posted(daemon, body, FORM + "edge", INFER + "?dim=N=7&values=outputs")
    equal("options stand in the query", values(status, answer), [["x30", [7, 3]]])
    status, answer = posted(daemon, body, FORM + "edge", INFER + "?format=text")
    check("and the format", status == 200 and b"float" in answer and answer[:1] != b"{", answer[:200])
    end = b"--edge--\r\n"
    for what, bad in {"no end": body[:-len(end)], "half an end": body[:-4],
                      "a wrong end": body[:-len(end)] + b"--other--\r\n",
                      "another boundary": form(data, "other"), "no boundary at all": data,
                      "a part without a name": body.replace(b'name="model"; ', b""),
                      "another field before": part("pretty", b"1", "edge", filename=None) + body,
                      "the field twice": part("model", b"x", "edge") + body,
                      "an unknown field": body.replace(b"model", b"modell")}.items():
        refused("a form with %s" % what, *posted(daemon, bad, FORM + "edge"))
    for kind in ("multipart/form-data", "multipart/form-data; boundary=", 'multipart/form-data; boundary=""'):
        refused(kind, *posted(daemon, body, kind))
    refused("multipart/mixed", *posted(daemon, body, "multipart/mixed; boundary=edge"), 415)
    refused("a form for a single node", *posted(daemon, body, FORM + "edge", "/v1/nodes:infer"), 415)


def gzips(daemon, data, wanted):
    packed = gzip.compress(data)

    def coded(body, coding="gzip"):
        return posted(daemon, body, Content_Encoding=coding)
    equal("gzip with a file name in its head", values(*coded(b"\x1f\x8b\x08\x08" + packed[4:10] + b"m.onnx\0" + packed[10:])), wanted)
    equal("stored, not compressed", values(*coded(gzip.compress(data, 0))), wanted)
    empty = gzip.compress(b"")
    equal("empty members around it", values(*coded(empty + packed + empty)), wanted)
    equal("a member for every seven bytes", values(*coded(b"".join(gzip.compress(data[i:i + 7]) for i in range(0, len(data), 7)))), wanted)
    for cut in (1, 5, 10, len(packed) // 2, len(packed) - 8, len(packed) - 1):
        refused("gzip cut off after %d of %d" % (cut, len(packed)), *coded(packed[:cut]))
    for what, tail in {"a byte": b"x", "zeros": b"\0" * 8, "the start of a member": packed[:7],
                       "a model": data}.items():
        refused("gzip followed by %s" % what, *coded(packed + tail))
    refused("a wrong length at the end", *coded(packed[:-1] + bytes([packed[-1] ^ 1])))
    refused("a preset dictionary is none of gzip's", *coded(zlib.compress(data)))
    refused("raw deflate", *coded(zlib.compress(data)[2:-4]))
    equal("a form in gzip, split within its boundary",
          values(*posted(daemon, gzip.compress(form(data)[:50]) + gzip.compress(form(data)[50:]), FORM + "edge",
                         Content_Encoding="gzip")), wanted)
    refused("gzip in a part of a form", *posted(daemon, form(packed), FORM + "edge"))
    equal("white space around a coding is none of it", values(*coded(packed, " gzip ")), wanted)
    with Raw(daemon) as raw:
        raw.send(post_head(INFER, "Content-Length: %d" % len(packed), "Content-Encoding: gzip",
                           "Content-Encoding: gzip") + packed)
        status, _, answer = raw.answer()
        refused("Content-Encoding twice is not taken for once", status, answer)


def zstds(daemon, data, wanted):

    def zstd(body, *flags):
        return subprocess.run(["zstd", "-q", "-c", *flags], input=body, stdout=subprocess.PIPE, check=True).stdout

    def coded(body):
        return posted(daemon, body, Content_Encoding="zstd")
    packed = zstd(data)
    for flags in (["-1"], ["-19"], ["--no-check"], ["--fast"]):
        equal("zstd %s" % flags[0], values(*coded(zstd(data, *flags))), wanted)
    skipped = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"hello"
    equal("a frame to be skipped", values(*coded(skipped + packed)), wanted)
    equal("and one at the end", values(*coded(packed + skipped)), wanted)
    for cut in (1, 4, 6, len(packed) // 2, len(packed) - 1):
        refused("zstd cut off after %d of %d" % (cut, len(packed)), *coded(packed[:cut]))
    for what, tail in {"a byte": b"x", "zeros": b"\0" * 8, "half a frame": packed[:9]}.items():
        refused("zstd followed by %s" % what, *coded(packed + tail))
    refused("a wrong checksum", *coded(packed[:-1] + bytes([packed[-1] ^ 1])))
    refused("nothing", *coded(b""))
    # RFC 8878, 3.1.1.1: no single segment, no content size; a window of 2^(10 + e).
    for exponent, fits in ((13, True), (14, False), (20, False)):
        frame = b"\x28\xb5\x2f\xfd\x00" + bytes([exponent << 3]) + (len(data) << 3 | 1).to_bytes(3, "little") + data
        status, answer = coded(frame)
        if fits:
            equal("a zstd window of 8 MiB", values(status, answer), wanted)
        else:
            refused("a zstd window of 2^%d" % (10 + exponent), status, answer, 413, "resource_exhausted")


def chunks(daemon, data, wanted):
    def chunked(*pieces, size="%x", tail=b"0\r\n\r\n"):
        with Raw(daemon) as raw:
            raw.send(post_head(INFER, "Transfer-Encoding: chunked"))
            raw.send(b"".join((size % len(p)).encode() + b"\r\n" + p + b"\r\n" for p in pieces) + tail)
            status, _, body = raw.answer()
            return status, body
    third = len(data) // 3
    equal("chunks of odd sizes", values(*chunked(data[:1], data[1:third], data[third:-1], data[-1:])), wanted)
    equal("sizes in upper case with zeros before", values(*chunked(data, size="000%X")), wanted)
    equal("extensions of chunks", values(*chunked(data, size="%x;a=b")), wanted)
    equal("trailers", values(*chunked(data, tail=b"0\r\nX-Sum: 1\r\n\r\n")), wanted)
    refused("no chunk at all", *chunked())
    for what, size in (("no number", "zz"), ("a negative size", "-1"), ("a size past 64 bits", "fffffffffffffffff")):
        with Raw(daemon) as raw:
            raw.send(post_head(INFER, "Transfer-Encoding: chunked") + size.encode() + b"\r\n" + data)
            status = raw.answer()[0]
            check("a chunk of %s" % what, status in (0, 400, 413), status)
    equal("the daemon serves on", values(*posted(daemon, data)), wanted)


def expecting(daemon, data):
    with Raw(daemon) as raw:
        raw.send(post_head(INFER, "Content-Length: %d" % len(data), "Expect: 100-continue"))
        raw.socket.settimeout(60)
        head = raw.socket.recv(65536)
        check("100 comes before the body", head.startswith(b"HTTP/1.1 100"), head[:100])
        raw.received = b""
        equal("and the answer after it", raw.send(data).answer()[0], 200)
    for what, fields, wanted in (("a type that is refused", ("Content-Type: text/html",), 415),
                                 ("an encoding", ("Content-Encoding: br",), 415)):
        with Raw(daemon) as raw:
            raw.send(post_head(INFER, "Content-Length: %d" % len(data), "Expect: 100-continue", *fields))
            raw.socket.settimeout(60)
            check("%s is so at once" % what, raw.socket.recv(65536).startswith(b"HTTP/1.1 %d" % wanted))


def types(daemon, data, wanted):
    for kind in ("application/octet-stream;", "application/octet-stream ; charset=binary",
                 "application/x-protobuf;messageType=onnx.ModelProto"):
        equal(kind, values(*posted(daemon, data, kind)), wanted)
    for kind in ("text/plain", "application/json", "application/x-protobuffer", "multipart", "*/*", "x", "/", ";"):
        refused("Content-Type %s" % kind, *posted(daemon, data, kind), 415)
    for coding in ("gzip;q=1", "br", "deflate", "compress", "identity, gzip", "gzip, zstd", "zstd;level=3", "*"):
        refused("Content-Encoding %s" % coding, *posted(daemon, data, Content_Encoding=coding), 415)


def limits():
    with Daemon("--upload-bytes", "50000", "--zstd-window-bytes", "1024") as daemon:
        bomb = gzip.compress(b"\0" * 40_000_000)
        refused("a bomb of %d bytes" % len(bomb), *posted(daemon, bomb, Content_Encoding="gzip"), 413,
                "resource_exhausted")
        nested = gzip.compress(form(b"\x3a" * 60000))
        refused("one in a form", *posted(daemon, nested, FORM + "edge", Content_Encoding="gzip"), 413,
                "resource_exhausted")
        refused("a form past the limit", *posted(daemon, form(b"\x3a" * 60000), FORM + "edge"), 413,
                "resource_exhausted")
        small = chain(100)
        equal("within the limit", posted(daemon, gzip.compress(small), Content_Encoding="gzip")[0], 200)
        equal("and to the byte", posted(daemon, filled(small, 50000))[0], 200)
        refused("one more", *posted(daemon, filled(small, 50001)), 413, "resource_exhausted")
        refused("one more, decoded", *posted(daemon, gzip.compress(filled(small, 50001)), Content_Encoding="gzip"),
                413, "resource_exhausted")


def filled(data, size):
    """The model with a documentation string (field 6) that makes it as long as that."""
    left = size - len(data) - 4
    return data + b"\x32" + bytes([left & 0x7F | 0x80, left >> 7 & 0x7F | 0x80, left >> 14]) + b"d" * left


def main():
    with Daemon() as daemon:
        data = chain(30)
        wanted = values(*posted(daemon, data))
        check("the model itself", len(wanted) == 31, wanted)
        forms(daemon, data, wanted)
        gzips(daemon, data, wanted)
        zstds(daemon, data, wanted)
        chunks(daemon, data, wanted)
        expecting(daemon, data)
        types(daemon, data, wanted)
    limits()
    finish()


if __name__ == "__main__":
    main()
