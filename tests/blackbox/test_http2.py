#!/usr/bin/env python3
"""REST over HTTP/2 with prior knowledge, by curl, on the port that HTTP/1.1 has."""
import email.utils
import gzip
import json
import os
import re
import socket
import struct
import subprocess
import tempfile
import threading
import time

import build
from http2_frames import DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, RST_STREAM, WINDOW_UPDATE, Connection, frame, headers, request, setting
from harness import MODELS, PATIENCE_SECONDS, Daemon, check, equal, finish, model, wait_for


def curl(daemon, path, *arguments, body=None, version="--http2-prior-knowledge"):
    """Status and body."""
    done = subprocess.run(["curl", "-sS", version, "--noproxy", "*", "-m", str(PATIENCE_SECONDS), "-w", "\n%{http_version} %{http_code}",
                           *(["--data-binary", "@-"] if body is not None else []), *arguments, daemon.url + path],
                          input=body, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=2 * PATIENCE_SECONDS)
    text, _, last = done.stdout.rpartition(b"\n")
    got_version, _, status = last.decode().partition(" ")
    if version == "--http2-prior-knowledge" and done.returncode == 0:
        equal("it is HTTP/2", got_version, "2")
    return int(status or 0), text


def same_as_http1(daemon, path, *arguments, body=None):
    wanted = curl(daemon, path, *arguments, body=body, version="--http1.1")
    got = curl(daemon, path, *arguments, body=body)
    check("%s %s is answered as over HTTP/1.1" % (path, " ".join(arguments)), got == wanted, "%r %r" % (got, wanted))
    return got


def chain(length):
    nodes = [build.op("x%d = Relu(x%d)" % (i + 1, i)) for i in range(length)]
    return build.model(build.graph(nodes, ["x0: float[N, 3]"], ["x%d" % length]))


def routes(daemon):
    resnet = model("resnet50")
    same_as_http1(daemon, "/version")
    same_as_http1(daemon, "/readyz")
    same_as_http1(daemon, "/v1/operators?opset=13&pageSize=3")
    same_as_http1(daemon, "/v1/operators/Concat?domain=ai%2Eonnx")
    same_as_http1(daemon, "/v1/operators?page%20Size=3")
    same_as_http1(daemon, "/v1/operators?domain=%00")
    same_as_http1(daemon, "/no/such")
    same_as_http1(daemon, "/a%00b")
    same_as_http1(daemon, "/version", "-X", "DELETE")
    same_as_http1(daemon, "/v1/models:infer?dim=N=3&pretty", body=resnet)
    same_as_http1(daemon, "/v1/models:infer?d%69m=N%3D3", body=resnet)
    same_as_http1(daemon, "/v1/models:infer?odd", body=resnet)
    same_as_http1(daemon, "/v1/models:infer", "-H", "Content-Encoding: gzip", body=gzip.compress(resnet))
    same_as_http1(daemon, "/v1/models:infer", "-H", "Content-Encoding: br", body=resnet)
    same_as_http1(daemon, "/v1/models:infer", "-F", "model=@" + os.path.join(MODELS, "resnet50.onnx"))
    same_as_http1(daemon, "/v1/models:infer", body=b"no model")
    same_as_http1(daemon, "/v1/nodes:infer", "-H", "Content-Type: application/json",
                  body=json.dumps({"node": {"opType": "Relu", "inputs": ["x"], "outputs": ["y"]}}).encode())
    same_as_http1(daemon, "/shaped.v1.ShapeInference/GetOperator", "-H", "Content-Type: application/json", body=b'{"name": "Relu"}')
    head = curl(daemon, "/version", "-I")[1]
    check("HEAD has the length of GET's body, and none", b"content-length: %d" % len(curl(daemon, "/version")[1]) in head and
          head.rstrip().endswith(b"%d" % len(curl(daemon, "/version")[1])), head)
    dates = re.findall(rb"^date: (.*)\r$", head, re.M)
    check("a reply has the date", len(dates) == 1 and abs(email.utils.parsedate_to_datetime(dates[0].decode()).timestamp() - time.time()) < 60, head)


def large(daemon):
    """Bodies larger than the windows, in both directions, also where the body goes to workers."""
    big = chain(20000)
    wanted = curl(daemon, "/v1/models:infer", body=big, version="--http1.1")
    equal("a large answer comes whole", curl(daemon, "/v1/models:infer", body=big), wanted)
    equal("a large gzip body is taken by workers", curl(daemon, "/v1/models:infer", "-H", "Content-Encoding: gzip", body=gzip.compress(big)),
          wanted)
    with tempfile.NamedTemporaryFile() as out:
        many = [("-o", out.name, daemon.url + "/v1/models:infer") for _ in range(11)]
        status, _ = curl(daemon, "/v1/models:infer", "-Z", *[word for each in many for word in each], body=big)
        equal("a dozen on one connection", status, 200)


def at_once(daemon):
    """More than the daemon takes at a time, and the end of a client right behind what it sent."""
    body, streams = chain(60), range(1, 201, 2)
    post = [*request("/v1/models:infer", "POST"), ("content-type", "application/octet-stream")]
    sent = [headers(post, stream, END_HEADERS) + frame(DATA, END_STREAM, stream, body) for stream in streams]
    with Connection(daemon, settings=setting((4, 1 << 20))) as connection:
        connection.send(*sent)
        equal("all of many requests are answered", len(take_all(connection, streams, 1e9)), len(streams))
    for what, more in [("nothing", []), ("a request", sent[:1]), ("many", sent)]:
        with Connection(daemon) as connection:
            connection.send(*more)
            connection.socket.shutdown(socket.SHUT_WR)
            begun = time.monotonic()
            while connection.read():
                pass
            check("a client that has ended after %s is let go at once" % what, time.monotonic() - begun < 30)


def first_bytes(daemon):
    """A connection is heard until its first bytes say what it speaks."""
    with socket.create_connection(("127.0.0.1", daemon.port)) as slow:
        slow.settimeout(PATIENCE_SECONDS)
        for byte in b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":
            slow.send(bytes([byte]))
            time.sleep(0.002)
        slow.send(b"\0\0\0\4\0\0\0\0\0")
        check("a preface that comes byte by byte is answered with SETTINGS", slow.recv(9)[3:4] == b"\4")
    with socket.create_connection(("127.0.0.1", daemon.port)) as slow:
        slow.settimeout(PATIENCE_SECONDS)
        for byte in b"POST /version HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n":
            slow.send(bytes([byte]))
            time.sleep(0.002)
        check("so is a POST, which begins with the same letter", slow.recv(12) == b"HTTP/1.1 405", "")
    silent = [socket.create_connection(("127.0.0.1", daemon.port)) for _ in range(20)]
    check("connections that say nothing are counted", wait_for(lambda: daemon.metric("connections") > 20))
    for each in silent:
        each.close()
    check("and not when they have gone", wait_for(lambda: daemon.metric("connections") < 20))


def silence():
    with Daemon("--header-s", "1") as daemon:
        for text in (b"", b"PR"):
            with socket.create_connection(("127.0.0.1", daemon.port)) as silent:
                silent.settimeout(PATIENCE_SECONDS)
                silent.sendall(text)
                try:
                    got = silent.recv(1)
                except ConnectionResetError:
                    got = b""
                equal("what says %r is cut off after --header-s" % text, got, b"")


def drain():
    """A request that has begun is answered while the daemon drains."""
    with Daemon() as daemon:
        answers = []
        body = chain(100000)
        asking = threading.Thread(target=lambda: answers.append(curl(daemon, "/v1/models:infer?values=outputs", "-H", "Content-Encoding: gzip",
                                                                    body=gzip.compress(body))))
        asking.start()
        wait_for(lambda: daemon.metric("requests_in_flight") > 0)
        equal("the daemon ends well", daemon.stop(), 0)
        asking.join()
        equal("and has answered", answers[0][0], 200)


def take_all(connection, streams, rate):
    """Reads replies at so many bytes a second. What became of each: its length, or a word."""
    found, ends = {stream: 0 for stream in streams}, {}
    while len(ends) < len(streams):
        kind, flags, stream, payload = connection.read() or (GOAWAY, 0, 0, b"")
        if kind == DATA:
            found[stream] += len(payload)
            time.sleep(len(payload) / rate)
            connection.send(frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", max(1, len(payload)))))
        if kind in (DATA, HEADERS) and flags & END_STREAM:
            ends[stream] = found[stream]
        elif kind == RST_STREAM:
            ends[stream] = "reset"
        elif kind == GOAWAY:
            ends.update({s: "gone" for s in streams if s not in ends})
    return ends


def slow_readers():
    """Replies that share a connection: what counts is how fast it is read, but for a stream whose own window stays shut."""
    body, streams = chain(1200), range(1, 29, 2)
    with Daemon("--answer-s", "2") as daemon:
        wanted = len(curl(daemon, "/v1/models:infer", body=body)[1])
        post = [*request("/v1/models:infer", "POST"), ("content-type", "application/octet-stream")]
        frames = [headers(post, s, END_HEADERS) + b"".join(frame(DATA, 0, s, body[at:at + 16384]) for at in range(0, len(body), 16384)) +
                  frame(DATA, END_STREAM, s) for s in streams]
        with Connection(daemon, settings=setting((4, 1 << 24))) as connection:
            connection.send(*frames)
            begun = time.monotonic()
            ends = take_all(connection, streams, 320000)
            equal("streams that wait for their turn are not cut off", set(ends.values()), {wanted})
            check("though each gets less than 64 KiB in answer_s", time.monotonic() - begun > 2 and
                  wanted / (time.monotonic() - begun) * 2 < 65536, (wanted, time.monotonic() - begun))
        with Connection(daemon, settings=setting((4, 1000))) as connection:
            connection.send(frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 24)), *frames[:2],
                            frame(WINDOW_UPDATE, 0, 3, struct.pack(">I", 1 << 20)))
            equal("one whose window stays shut is", take_all(connection, [1, 3], 1e9), {1: "reset", 3: wanted})
        check("which is counted", wait_for(lambda: daemon.metric('requests_cut_off_total{by="answer_s"}') == 1))


def main():
    slow_readers()
    with Daemon() as daemon:
        routes(daemon)
        large(daemon)
        at_once(daemon)
        first_bytes(daemon)
    silence()
    drain()
    finish()


main()
