#!/usr/bin/env python3
"""Models whose weights are far larger than what the daemon may take for them, from ten clients at once by every protocol, form
and compression. LARGE_MIB is the size of each; tests/soak runs it with 1024."""
import base64
import os
import threading
import zlib

import http2_frames
from harness import Daemon, check, equal, finish
from messages import shaped
from rpc import SERVICE, Outcome, connect_outcome, grpc_web_outcome
from test_memory import FRUGAL, resident
from wire import number, text, value_info, varint

MIB = 1 << 20
SIZE = int(os.environ.get("LARGE_MIB", "48")) * MIB
PIECE = bytes(range(256)) * 192  # a multiple of 3, so that base64 can be made piece by piece


def field(number_, length):
    """The head of a field with this many bytes."""
    return varint(number_ << 3 | 2) + varint(length)


def pieces_of_model():
    """A model of one node with weights of about SIZE bytes."""
    count = SIZE // len(PIECE)
    weights = number(1, count * len(PIECE) // 4) + number(2, 1) + text(8, "w")
    payload = field(9, count * len(PIECE))
    tensor = len(weights) + len(payload) + count * len(PIECE)
    node = text(1, text(1, "x") + text(1, "w") + text(2, "y") + text(4, "Add"))
    rest = text(11, value_info("x", [count * len(PIECE) // 4])) + text(12, text(1, "y"))
    graph = len(node) + len(field(5, tensor)) + tensor + len(rest)
    yield number(1, 8) + text(8, number(2, 17)) + field(7, graph) + node + field(5, tensor) + weights + payload
    for _ in range(count):
        yield PIECE
    yield rest


def pieces_of_proto():
    size = sum(map(len, pieces_of_model()))
    yield field(1, size)
    yield from pieces_of_model()


def pieces_of_json():
    yield b'{"model":"'
    rest = b""
    for piece in pieces_of_model():
        rest += piece
        whole = len(rest) // 3 * 3
        yield base64.b64encode(rest[:whole])
        rest = rest[whole:]
    yield base64.b64encode(rest) + b'"}'


def packed(pieces):
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()


def after(head, pieces):
    yield head
    yield from pieces


def send(daemon, protocol, is_json, is_gzip):
    """An InferModel call whose body comes in pieces."""
    pieces = lambda: pieces_of_json() if is_json else pieces_of_proto()
    body = (lambda: packed(pieces())) if is_gzip else pieces
    form = "json" if is_json else "proto"
    if protocol == "Connect":
        headers = {"Content-Type": "application/" + form, **({"Content-Encoding": "gzip"} if is_gzip else {})}
        answer = daemon.request("POST", SERVICE + "InferModel", filter(None, body()), headers, timeout=600)
        return connect_outcome(answer, shaped.InferModelResponse, is_json)
    head = bytes([is_gzip]) + sum(map(len, body())).to_bytes(4, "big")
    if protocol == "gRPC":
        fields = [("content-type", "application/grpc+" + form), ("te", "trailers"), *([("grpc-encoding", "gzip")] if is_gzip else [])]
        with http2_frames.Connection(daemon) as connection:
            connection.send(http2_frames.headers(http2_frames.request(SERVICE + "InferModel", "POST", *fields), flags=http2_frames.END_HEADERS))
            data = connection.upload(after(head, body()))[5:]
        return Outcome("ok", shaped.InferModelResponse.FromString(data)) if data else Outcome("failed")
    headers = {"Content-Type": "application/grpc-web+" + form, **({"Grpc-Encoding": "gzip"} if is_gzip else {})}
    answer = daemon.request("POST", SERVICE + "InferModel", filter(None, after(head, body())), headers, timeout=600)
    return grpc_web_outcome(answer, shaped.InferModelResponse, is_json)


def main():
    ways = [(p, j, g) for p in ("Connect", "gRPC-Web") for j in (False, True) for g in (False, True)]
    ways += [("gRPC", False, g) for g in (False, True)]
    outcomes = {}
    with Daemon(environment=FRUGAL) as daemon:
        daemon.infer(b"".join([number(1, 8)]))
        before = resident(daemon)

        def run(way):
            try:
                outcomes[way] = send(daemon, *way)
            except Exception as error:
                outcomes[way] = error

        threads = [threading.Thread(target=run, args=(way,)) for way in ways]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                daemon.read_log()
                thread.join(0.1)
        for way in ways:
            found = outcomes[way]
            what = "%s %s%s" % (way[0], "JSON" if way[1] else "proto", " gzip" if way[2] else "")
            if check("%s: %d MiB are answered" % (what, SIZE // MIB), getattr(found, "code", None) == "ok", found):
                skipped = found.message.model.bytes_skipped
                equal("%s: and skipped" % what, (len(found.message.values), skipped > SIZE - MIB), (2, True))
        grown = resident(daemon) - before
        check("%d clients of %d MiB take %d MiB in all" % (len(ways), SIZE // MIB, grown // MIB), grown < 64 * MIB)
    finish()


if __name__ == "__main__":
    main()
