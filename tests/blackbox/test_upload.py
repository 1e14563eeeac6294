#!/usr/bin/env python3
"""Ways to send a model: sized, chunked, byte by byte, gzip, zstd, as a form; and their limits."""
import gzip
import json
import socket
import subprocess
import threading
import zlib

from harness import Daemon, check, equal, finish, model
from wire import Raw, chain, number, post_head, text, varint, weights

INFER = "/v1/models:infer"
TYPES = (None, "application/octet-stream", "application/x-protobuf", "application/x-www-form-urlencoded",
         "APPLICATION/Octet-Stream; x=y")


def chunked(data, size):
    pieces = [data[i:i + size] for i in range(0, len(data), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


def form(parts, boundary="b0undary"):
    """(name, file name or None, bytes) as multipart/form-data."""
    body = b""
    for name, filename, data in parts:
        more = '; filename="%s"' % filename if filename else ""
        body += ('--%s\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n' % (boundary, name, more)).encode()
        body += data + b"\r\n"
    return body + ("--%s--\r\n" % boundary).encode()


def values_of(answer):
    return answer.json["values"] if answer.status == 200 else (answer.status, answer.body[:300])


def refused(what, answer, status, code):
    right = answer.status == status and answer.json.get("code") == code
    check("%s: %d %s" % (what, status, code), right, (answer.status, answer.body[:300]))


def check_plain(daemon, data, wanted):
    for kind in TYPES:
        headers = {"Content-Type": kind} if kind else {}
        equal("sized, as %s" % kind, values_of(daemon.request("POST", INFER, data, headers)), wanted)
    for size in (1, 7, 4096, 1 << 20):
        with Raw(daemon, timeout=60) as raw:
            raw.send(post_head(INFER, "Transfer-Encoding: chunked") + chunked(data, size))
            status, _, body = raw.answer()
            check("in chunks of %d" % size, status == 200 and json.loads(body)["values"] == wanted, (status, body[:200]))
    with Raw(daemon, timeout=60) as raw:
        raw.send(post_head(INFER, "Content-Length: %d" % len(data)))
        raw.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i in range(0, len(data), 997):
            raw.send(data[i:i + 997])
        equal("sized, piece by piece", raw.answer()[0], 200)
    for kind in ("text/html", "application/json", "image/png", "application/octet-streams"):
        refused("as %s" % kind, daemon.post(INFER, data, kind), 415, "invalid_argument")
    refused("nothing at all", daemon.request("POST", INFER), 400, "invalid_argument")
    refused("what is no model", daemon.post(INFER, b"GIF89a" * 100), 400, "invalid_argument")
    refused("half a model", daemon.post(INFER, data[:len(data) // 2]), 400, "invalid_argument")
    refused("a refused upload of 20 MB is read to its end", daemon.post(INFER, b"\xff" * 20000000), 400,
            "invalid_argument")
    counted = daemon.post(INFER, weights(50000)).json["model"]
    check("bytes and skipped bytes are reported", counted["bytes"] == len(weights(50000)) and
          200000 <= counted["bytesSkipped"] < counted["bytes"], counted)


def check_gzip(daemon, data, wanted):
    packed = gzip.compress(data)
    for coding in ("gzip", "GZIP", "x-gzip"):
        answer = daemon.post(INFER, packed, headers={"Content-Encoding": coding})
        equal("Content-Encoding: %s" % coding, values_of(answer), wanted)
    half = len(data) // 2
    members = gzip.compress(data[:half]) + gzip.compress(data[half:])
    answer = daemon.post(INFER, members, headers={"Content-Encoding": "gzip"})
    equal("gzip in two members", values_of(answer), wanted)
    with Raw(daemon, timeout=60) as raw:
        raw.send(post_head(INFER, "Transfer-Encoding: chunked", "Content-Encoding: gzip") + chunked(packed, 1))
        equal("gzip in chunks of 1", raw.answer()[0], 200)
    equal("Content-Encoding: identity",
          values_of(daemon.post(INFER, data, headers={"Content-Encoding": "identity"})), wanted)
    for what, body in {"cut off": packed[:-9], "nothing": b"", "a model": data, "zlib": zlib.compress(data),
                       "a bad checksum": packed[:-8] + b"\0\0\0\0" + packed[-4:]}.items():
        refused("gzip that is %s" % what, daemon.post(INFER, body, headers={"Content-Encoding": "gzip"}), 400,
                "invalid_argument")
    for coding in ("br", "deflate", "gzip, gzip", "compress"):
        answer = daemon.post(INFER, packed, headers={"Content-Encoding": coding})
        refused("Content-Encoding: %s" % coding, answer, 415, "invalid_argument")
        equal("%s: what is known" % coding, answer.headers["Accept-Encoding"], "gzip, zstd")


def zstd(data, *flags):
    return subprocess.run(["zstd", "-q", "-c", *flags], input=data, stdout=subprocess.PIPE, check=True).stdout


def check_zstd(daemon, data, wanted):
    packed = zstd(data)
    answer = daemon.post(INFER, packed, headers={"Content-Encoding": "zstd"})
    equal("Content-Encoding: zstd", values_of(answer), wanted)
    half = len(data) // 2
    answer = daemon.post(INFER, zstd(data[:half]) + zstd(data[half:]), headers={"Content-Encoding": "zstd"})
    equal("zstd in two frames", values_of(answer), wanted)
    with Raw(daemon, timeout=60) as raw:
        raw.send(post_head(INFER, "Transfer-Encoding: chunked", "Content-Encoding: zstd") + chunked(packed, 1))
        equal("zstd in chunks of 1", raw.answer()[0], 200)
    refused("zstd cut off", daemon.post(INFER, packed[:-5], headers={"Content-Encoding": "zstd"}), 400,
            "invalid_argument")
    refused("zstd that is gzip", daemon.post(INFER, gzip.compress(data), headers={"Content-Encoding": "zstd"}), 400,
            "invalid_argument")
    large = weights(5000000)
    wide = zstd(large, "--long=27")
    refused("a zstd window of 128 MiB", daemon.post(INFER, wide, headers={"Content-Encoding": "zstd"}), 413,
            "resource_exhausted")
    equal("20 MB in a usual zstd window", daemon.post(INFER, zstd(large), headers={"Content-Encoding": "zstd"}).status, 200)


def other_forms(data):
    """Forms as other clients write them: client, Content-Type, body."""
    kind = "multipart/form-data; boundary="
    apache = "----=_Part_1_2.3"
    yield ("Apache HttpClient with a charset", "multipart/form-data; boundary=BB; charset=utf-8", form([("model", "m.onnx", data)], "BB"))
    yield ("Java mail", kind + '"%s"' % apache, form([("model", "m.onnx", data)], apache))
    yield (".NET's MultipartFormDataContent", kind + '"b1"', b"--b1\r\nContent-Disposition: form-data; name=model; filename=m.onnx; "
           b"filename*=utf-8''m.onnx\r\n\r\n" + data + b"\r\n--b1--\r\n")
    yield ("Boundary in capitals", "Multipart/Form-Data; Boundary=b", form([("model", None, data)], "b"))
    yield ("an epilogue", kind + "b", form([("model", None, data)], "b") + b"and more\r\n--b\r\n")
    yield ("a blank line before all", kind + "b1", b"\r\n" + form([("model", None, data)], "b1"))


def check_form(daemon, data, wanted):
    kind = "multipart/form-data; boundary=b0undary"
    for filename in (None, "model.onnx", "a;b.onnx"):
        body = form([("model", filename, data)])
        equal("a form with the file %s" % filename, values_of(daemon.post(INFER, body, kind)), wanted)
    body = form([("model", "m.onnx", data)])
    with Raw(daemon, timeout=60) as raw:
        raw.send(post_head(INFER, "Content-Type: " + kind, "Transfer-Encoding: chunked") + chunked(body, 11))
        equal("a form in chunks of 11", raw.answer()[0], 200)
    answer = daemon.post(INFER, gzip.compress(body), kind, {"Content-Encoding": "gzip"})
    equal("a form in gzip", values_of(answer), wanted)
    large = form([("model", "m.onnx", weights(1000000))])
    equal("a form of 4 MB", daemon.post(INFER, large, kind).status, 200)
    for what, parts in {"another field": [("file", "m", data)], "one field too many": [("model", "m", data), ("x", None, b"1")],
                        "the same field twice": [("model", "m", data), ("model", "m", data)], "no field": [],
                        "an empty file": [("model", "m", b"")]}.items():
        refused("a form with %s" % what, daemon.post(INFER, form(parts), kind), 400, "invalid_argument")
    for what, kind, body in other_forms(data):
        equal("a form of %s" % what, values_of(daemon.post(INFER, body, kind)), wanted)
    for what, kind, body in (("a boundary of 71 characters", "multipart/form-data; boundary=" + "b" * 71, form([("model", None, data)], "b" * 71)),
                             ("no boundary at its begin", kind, b"-" * 1000000), ("a long preamble", kind, b"x" * 300 + b"\r\n" + body)):
        refused("a form with %s" % what, daemon.post(INFER, body, kind), 400, "invalid_argument")
    refused("a form without a boundary", daemon.post(INFER, body, "multipart/form-data"), 400, "invalid_argument")
    refused("a form that is none", daemon.post(INFER, data, kind), 400, "invalid_argument")


def check_limits():
    with Daemon("--upload-bytes", "100000", "--kept-bytes=50000", "--nodes", "100") as daemon:
        refused("past upload-bytes by Content-Length", daemon.post(INFER, b"\x3a" * 100001), 413, "resource_exhausted")
        body = weights(30000)
        with Raw(daemon) as raw:
            raw.send(post_head(INFER, "Transfer-Encoding: chunked") + chunked(body, 4000))
            status, _, body = raw.answer()
            check("past upload-bytes in chunks: 413, naming the limit",
                  status == 413 and b"upload_bytes" in body and b"100000" in body, (status, body))
        bomb = gzip.compress(weights(1000000))
        answer = daemon.post(INFER, bomb, headers={"Content-Encoding": "gzip"})
        refused("past upload-bytes once decoded (%d bytes sent)" % len(bomb), answer, 413, "resource_exhausted")
        refused("past kept-bytes", daemon.post(INFER, chain(3500)), 413, "resource_exhausted")
        answer = daemon.post(INFER, chain(101))
        refused("past nodes", answer, 413, "resource_exhausted")
        check("the limit and its number are named", "nodes" in answer.text and "100" in answer.text, answer.text)
        equal("within the limits", daemon.post(INFER, chain(100)).status, 200)
        equal("a small model after all that", daemon.post(INFER, chain(2)).status, 200)


def check_undeclared(daemon, data):
    """The answer to a compressed body without Content-Encoding names the header."""
    for coding, packed in (("gzip", gzip.compress(data)), ("zstd", zstd(data))):
        for what, answer in {"a model": daemon.post(INFER, packed), "a form": daemon.post(
                INFER, form([("model", "m", packed)]), "multipart/form-data; boundary=b0undary"),
                             "a node": daemon.post("/v1/nodes:infer", packed, "application/json")}.items():
            check("%s in undeclared %s" % (what, coding), answer.status == 400 and
                  "Content-Encoding: " + coding in answer.json["message"], (answer.status, answer.body))


def start_of_zeros(size):
    """The start of a model whose weights are `size` zeros, which come last: its own, and that of its graph."""
    tensor = number(1, size // 4) + number(2, 1) + text(8, "w") + varint(9 << 3 | 2) + varint(size)
    graph = varint(5 << 3 | 2) + varint(len(tensor) + size) + tensor
    return number(1, 8) + text(8, number(2, 17)) + varint(7 << 3 | 2) + varint(len(graph) + size), graph


def zeros(gib):
    """A model with this many GiB of zeros for weights, as zstd. It is packed while it is made."""
    size = gib << 30
    head, graph = start_of_zeros(size)
    packer = subprocess.Popen(["zstd", "-q", "-c"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    packed = []
    reader = threading.Thread(target=lambda: packed.append(packer.stdout.read()))
    reader.start()
    packer.stdin.write(head + graph)
    for _ in range(size >> 24):
        packer.stdin.write(bytes(1 << 24))
    packer.stdin.close()
    reader.join()
    packer.wait()
    return packed[0]


def small_zeros():
    """A model with 125 MiB of weights in 4,040 bytes of zstd: a raw block with its begin, then 1,000 RLE blocks (RFC 8878, 3.1.1.2)."""
    blocks, block_bytes = 1000, 1 << 17
    head, graph = start_of_zeros(blocks * block_bytes)
    packed = b"\x28\xb5\x2f\xfd\x00\x38" + (len(head + graph) << 3).to_bytes(3, "little") + head + graph
    for i in range(blocks):
        packed += (block_bytes << 3 | 2 | (i == blocks - 1)).to_bytes(3, "little") + b"\0"
    return packed


def check_bomb():
    """A few bytes that decode to many are decoded where nobody waits for it."""
    for bomb, count, size in ((zeros(2), 1, 2 << 30), (small_zeros(), 60, 125 << 20)):
        with Daemon("--io-threads", "1") as daemon:
            for _ in range(count):
                answer = daemon.post(INFER, bomb, headers={"Content-Encoding": "zstd"})
            check("%d MiB in %d bytes are read" % (size >> 20, len(bomb)),
                  answer.status == 200 and answer.json["model"]["bytesSkipped"] >= size, answer.body[:300])
            read, worked = daemon.cpu_seconds("MHD"), daemon.cpu_seconds()
            check("and not by the thread that others wait for (%.2f s of %.2f)" % (read, worked), read < worked / 3)


def main():
    with Daemon() as daemon:
        data = model("encoder")
        wanted = values_of(daemon.post(INFER, data))
        check("the model itself", isinstance(wanted, list) and len(wanted) > 100, wanted)
        check_plain(daemon, data, wanted)
        check_gzip(daemon, data, wanted)
        check_zstd(daemon, data, wanted)
        check_form(daemon, data, wanted)
        check_undeclared(daemon, data)
    check_limits()
    check_bomb()
    finish()


if __name__ == "__main__":
    main()
