#!/usr/bin/env python3
"""The rules of RFC 9113 that a server can be held to: one row each, with the section, what is sent behind the preface, and what
may come of it."""
import struct

from harness import Daemon, check, equal, finish
from http2_frames import (ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PADDED, PING, PREFACE, PRIORITY, PUSH_PROMISE,
                          RST_STREAM, SETTINGS, WINDOW_UPDATE, WITH_PRIORITY, Connection, block, frame, headers, request, setting)

GET = headers(request())
POST = request("/v1/models:infer", "POST")
OPEN = headers(POST, flags=END_HEADERS)
TYPES = {"protocol": "GOAWAY PROTOCOL_ERROR", "size": "GOAWAY FRAME_SIZE_ERROR", "flow": "GOAWAY FLOW_CONTROL_ERROR",
         "compression": "GOAWAY COMPRESSION_ERROR", "stream protocol": "RST_STREAM PROTOCOL_ERROR", "stream size": "RST_STREAM FRAME_SIZE_ERROR",
         "stream flow": "RST_STREAM FLOW_CONTROL_ERROR", "stream closed": "RST_STREAM STREAM_CLOSED", "closed": "GOAWAY STREAM_CLOSED",
         "refused": "RST_STREAM REFUSED_STREAM"}


def with_field(name, value):
    return headers(request("/version", "GET", (name, value)))


def without(name):
    return headers([f for f in request() if f[0] != name])


def window(increment, stream=0):
    return frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", increment))


# (section, what, frames, what may come of it: a word of TYPES or a status)
ROWS = [
    ("4.1", "a frame of an unknown type is ignored", frame(0x16, 0xff, 0, b"abc") + GET, 200),
    ("4.1", "one on a stream is ignored", frame(0x16, 0, 1, b"abc") + GET, 200),
    ("4.1", "flags that are not defined are ignored", headers(request(), flags=END_HEADERS | END_STREAM | 0xd2 & ~WITH_PRIORITY), 200),
    ("4.1", "the reserved bit is ignored", headers(request(), stream=0x80000001), 200),
    ("4.2", "DATA larger than SETTINGS_MAX_FRAME_SIZE", OPEN + frame(DATA, 0, 1, bytes(16385)), "size", "stream size"),
    ("4.2", "HEADERS larger than it", frame(HEADERS, END_HEADERS | END_STREAM, 1, bytes(16385)), "size"),
    ("4.3", "a header block that is none", frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\xff\xff\xff\xff\xff\xff\xff"), "compression"),
    ("4.3", "an index of no entry", frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\xfe"), "compression"),
    ("4.3", "a table larger than is allowed", frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\x3f\xe1\xff\x03" + block(*request())), "compression"),
    ("4.3", "another frame within a header block", headers(request(), flags=END_STREAM) + frame(PING, 0, 0, bytes(8)), "protocol"),
    ("4.3", "another stream's within a header block", headers(request(), flags=END_STREAM) + headers(request(), stream=3), "protocol"),
    ("5.1", "DATA on an idle stream", frame(DATA, END_STREAM, 1, b"x"), "protocol"),
    ("5.1", "RST_STREAM on an idle stream", frame(RST_STREAM, 0, 1, struct.pack(">I", 8)), "protocol"),
    ("5.1", "WINDOW_UPDATE on an idle stream", window(1, 1), "protocol"),
    ("5.1", "CONTINUATION on an idle stream", frame(CONTINUATION, END_HEADERS, 1, block(*request())), "protocol"),
    ("5.1", "PRIORITY on an idle stream is allowed", frame(PRIORITY, 0, 1, struct.pack(">IB", 0, 16)) + GET, 200),
    ("5.1", "DATA behind END_STREAM", headers(POST) + frame(DATA, 0, 1, b"x"), "stream closed", "closed", "protocol", 400),
    ("5.1", "HEADERS behind END_STREAM", GET + GET, "stream closed", "closed", "protocol", 200),
    ("5.1.1", "a stream of an even number", headers(request(), stream=2), "protocol"),
    ("5.1.1", "a stream of a number smaller than one before is not opened",
     headers(POST, stream=5, flags=END_HEADERS) + headers(request("/no"), stream=3) + headers(request(), stream=7), "protocol", 200),
    ("5.1.2", "more streams than SETTINGS_MAX_CONCURRENT_STREAMS",
     b"".join(headers(POST, stream=1 + 2 * i, flags=END_HEADERS) for i in range(9)), "refused", "stream protocol", "protocol"),
    ("5.5", "an unknown frame within a header block",
     headers(request(), flags=END_STREAM) + frame(0x16, 0, 1) + frame(CONTINUATION, END_HEADERS, 1), "protocol"),
    ("6.1", "DATA on stream 0", frame(DATA, 0, 0, b"x"), "protocol"),
    ("6.1", "padding as long as the DATA", OPEN + frame(DATA, PADDED | END_STREAM, 1, b"\x06abcde"), "protocol"),
    ("6.1", "padding of DATA is no part of it", OPEN + frame(DATA, PADDED | END_STREAM, 1, b"\x03\0\0\0"), 400),
    ("6.2", "HEADERS on stream 0", headers(request(), stream=0), "protocol"),
    ("6.2", "padding longer than the HEADERS", frame(HEADERS, END_HEADERS | END_STREAM | PADDED, 1, b"\xff" + block(*request())), "protocol"),
    ("6.2", "padding and priority of HEADERS",
     frame(HEADERS, END_HEADERS | END_STREAM | PADDED | WITH_PRIORITY, 1, b"\x02" + struct.pack(">IB", 0, 9) + block(*request()) + b"\0\0"), 200),
    ("6.3", "PRIORITY on stream 0", frame(PRIORITY, 0, 0, struct.pack(">IB", 1, 16)), "protocol"),
    ("6.3", "PRIORITY of another size than 5", OPEN + frame(PRIORITY, 0, 1, bytes(4)), "stream size", "size"),
    ("6.4", "RST_STREAM on stream 0", frame(RST_STREAM, 0, 0, bytes(4)), "protocol"),
    ("6.4", "RST_STREAM of another size than 4", OPEN + frame(RST_STREAM, 0, 1, bytes(3)), "size"),
    ("6.5", "an acknowledgement of SETTINGS with something in it", frame(SETTINGS, ACK, 0, setting((3, 1))), "size"),
    ("6.5", "SETTINGS on a stream", frame(SETTINGS, 0, 1), "protocol"),
    ("6.5", "SETTINGS of another size than 6 each", frame(SETTINGS, 0, 0, bytes(3)), "size"),
    ("6.5.2", "SETTINGS_ENABLE_PUSH neither 0 nor 1", frame(SETTINGS, 0, 0, setting((2, 2))), "protocol"),
    ("6.5.2", "SETTINGS_INITIAL_WINDOW_SIZE of more than 2^31-1", frame(SETTINGS, 0, 0, setting((4, 1 << 31))), "flow"),
    ("6.5.2", "SETTINGS_MAX_FRAME_SIZE of less than 2^14", frame(SETTINGS, 0, 0, setting((5, (1 << 14) - 1))), "protocol"),
    ("6.5.2", "SETTINGS_MAX_FRAME_SIZE of more than 2^24-1", frame(SETTINGS, 0, 0, setting((5, 1 << 24))), "protocol"),
    ("6.5.2", "a setting that is not defined is ignored", frame(SETTINGS, 0, 0, setting((0xf00, 7))) + GET, 200),
    ("6.6", "PUSH_PROMISE of a client", OPEN + frame(PUSH_PROMISE, END_HEADERS, 1, struct.pack(">I", 2) + block(*request())), "protocol"),
    ("6.7", "PING on a stream", frame(PING, 0, 1, bytes(8)), "protocol"),
    ("6.7", "PING of another size than 8", frame(PING, 0, 0, bytes(7)), "size"),
    ("6.7", "an acknowledgement that nobody asked for is ignored", frame(PING, ACK, 0, bytes(8)) + GET, 200),
    ("6.8", "GOAWAY on a stream", frame(GOAWAY, 0, 1, bytes(8)), "protocol"),
    ("6.9", "WINDOW_UPDATE of 0 for the connection", window(0), "protocol"),
    ("6.9", "WINDOW_UPDATE of 0 for a stream", OPEN + window(0, 1), "stream protocol", "protocol"),
    ("6.9", "WINDOW_UPDATE of another size than 4", frame(WINDOW_UPDATE, 0, 0, bytes(3)), "size"),
    ("6.9.1", "a window of more than 2^31-1 for the connection", window(0x7fffffff) + window(0x7fffffff), "flow"),
    ("6.9.1", "a window of more than 2^31-1 for a stream", OPEN + window(0x7fffffff, 1) + window(0x7fffffff, 1), "stream flow"),
    ("6.9.2", "a setting that makes a stream's window larger than that",
     OPEN + window(0x7fff0000, 1) + frame(SETTINGS, 0, 0, setting((4, 0x7fffffff))), "flow", "stream flow"),
    ("6.10", "CONTINUATION on stream 0", headers(request(), flags=END_STREAM) + frame(CONTINUATION, END_HEADERS, 0), "protocol"),
    ("6.10", "CONTINUATION behind END_HEADERS", OPEN + frame(CONTINUATION, END_HEADERS, 1), "protocol"),
    ("6.10", "CONTINUATION behind DATA", OPEN + frame(DATA, 0, 1, b"x") + frame(CONTINUATION, END_HEADERS, 1), "protocol"),
    ("6.10", "a header block in three frames", frame(HEADERS, END_STREAM, 1, block(*request())[:9]) + frame(CONTINUATION, 0, 1, block(*request())[9:20]) +
     frame(CONTINUATION, END_HEADERS, 1, block(*request())[20:]), 200),
    ("8.1", "a trailer", OPEN + frame(DATA, 0, 1, b"x") + headers([("a", "b")]), 400),
    ("8.1", "a trailer that does not end the stream", OPEN + headers([("a", "b")], flags=END_HEADERS), "stream protocol", "protocol"),
    ("8.1", "a pseudo-header field in a trailer", OPEN + headers([(":method", "GET")]), "stream protocol"),
    ("8.1.1", "less DATA than Content-Length says",
     headers([*POST, ("content-length", "2")], flags=END_HEADERS) + frame(DATA, END_STREAM, 1, b"x"), "stream protocol"),
    ("8.1.1", "more DATA than Content-Length says",
     headers([*POST, ("content-length", "2")], flags=END_HEADERS) + frame(DATA, END_STREAM, 1, b"xxx"), "stream protocol"),
    ("8.1.1", "a Content-Length and no DATA", headers([*POST, ("content-length", "2")]), "stream protocol"),
    ("8.1.1", "a Content-Length that is no number", headers([*POST, ("content-length", "a")]), "stream protocol"),
    ("8.1.1", "two Content-Length", headers([*POST, ("content-length", "0"), ("content-length", "0")]), "stream protocol"),
    ("8.2.1", "a name in capitals", with_field("Abc", "x"), "stream protocol"),
    ("8.2.1", "a colon in a name", with_field("a:b", "x"), "stream protocol"),
    ("8.2.1", "a blank in a name", with_field("a b", "x"), "stream protocol"),
    ("8.2.1", "a NUL in a value", with_field("a", "x\0y"), "stream protocol"),
    ("8.2.1", "a line end in a value", with_field("a", "x\r\ny"), "stream protocol"),
    ("8.2.1", "a blank before a value", with_field("a", " x"), "stream protocol"),
    ("8.2.2", "Connection", with_field("connection", "close"), "stream protocol"),
    ("8.2.2", "Transfer-Encoding", with_field("transfer-encoding", "chunked"), "stream protocol"),
    ("8.2.2", "Keep-Alive", with_field("keep-alive", "1"), "stream protocol"),
    ("8.2.2", "Proxy-Connection", with_field("proxy-connection", "close"), "stream protocol"),
    ("8.2.2", "Upgrade", with_field("upgrade", "x"), "stream protocol"),
    ("8.2.2", "TE other than trailers", with_field("te", "gzip"), "stream protocol"),
    ("8.2.2", "TE: trailers", with_field("te", "trailers"), 200),
    ("8.3", "a pseudo-header field that is not defined", headers([(":a", "b"), *request()]), "stream protocol"),
    ("8.3", "one behind others", headers([("a", "b"), *request()]), "stream protocol"),
    ("8.3", "one of responses", headers([(":status", "200"), *request()]), "stream protocol"),
    ("8.3", "one twice", headers([(":method", "GET"), *request()]), "stream protocol"),
    ("8.3.1", "no :method", without(":method"), "stream protocol"),
    ("8.3.1", "no :scheme", without(":scheme"), "stream protocol"),
    ("8.3.1", "no :path", without(":path"), "stream protocol"),
    ("8.3.1", "an empty :path", headers(request("")), "stream protocol"),
    ("8.3.1", "a :path that is none", headers(request("x")), "stream protocol"),
    ("8.3.1", "OPTIONS *", headers(request("*", "OPTIONS")), 204),
    ("8.3.1", "Host and :authority that differ", with_field("host", "y"), 400, "stream protocol"),
    ("8.5", "CONNECT with a path", headers(request("/", "CONNECT")), "stream protocol"),
    ("8.5", "CONNECT", headers([(":method", "CONNECT"), (":authority", "x:1")]), 400, 405, 501, 404),
    ("10.5.1", "a head of more than is allowed", frame(HEADERS, END_STREAM, 1, block(*request())) + b"".join(
        frame(CONTINUATION, 0, 1, block(("a", "x" * 16000))) for _ in range(5)) + frame(CONTINUATION, END_HEADERS, 1), 431),
    ("10.5", "a flood of CONTINUATION", frame(HEADERS, END_STREAM, 1, block(*request())) + 100 * frame(CONTINUATION, 0, 1),
     "protocol", "GOAWAY ENHANCE_YOUR_CALM", "GOAWAY INTERNAL_ERROR", "closed connection"),
    ("10.5", "a flood of empty DATA", OPEN + 2000 * frame(DATA, 0, 1), "GOAWAY ENHANCE_YOUR_CALM"),
    ("10.5", "a flood of PRIORITY", 2000 * frame(PRIORITY, 0, 1, struct.pack(">IB", 0, 16)), "GOAWAY ENHANCE_YOUR_CALM"),
    ("10.5", "a flood of unknown frames", 120000 * frame(0x16, 0, 0), "GOAWAY ENHANCE_YOUR_CALM"),
    ("10.5", "a flood of PING acknowledgements", 2000 * frame(PING, ACK, 0, bytes(8)), "GOAWAY ENHANCE_YOUR_CALM"),
    ("10.5", "too many settings in one frame", frame(SETTINGS, 0, 0, setting(*[(0xf00, 1)] * 100)), "GOAWAY ENHANCE_YOUR_CALM", "closed connection",
     "protocol", "GOAWAY INTERNAL_ERROR"),
]


def check_rows(daemon):
    for section, what, frames, *allowed in ROWS:
        with Connection(daemon) as connection:
            connection.send(frames)
            got = connection.outcome()
        may = [TYPES.get(a, "closed" if a == "closed connection" else a) for a in allowed]
        check("%s: %s" % (section, what), got in may, "%s, wanted %s" % (got, " or ".join(map(str, may))))


def check_preface(daemon):
    for what, preface, settings in (("3.4: a preface that is none", PREFACE[:-8] + b"XX\r\n\r\n\r\n", b""),
                                    ("3.4: a first frame that is not SETTINGS", PREFACE + GET, None)):
        with Connection(daemon, preface, settings) as connection:
            got = connection.outcome()
            check(what, got in ("GOAWAY PROTOCOL_ERROR", "closed"), got)
    with Connection(daemon) as connection:
        found = [connection.read(), connection.until(SETTINGS)]
        check("3.4: the first frame is SETTINGS, and not an acknowledgement", found[0][0] == SETTINGS and not found[0][1] & ACK, found[0])
        equal("6.5.3: settings are acknowledged", found[1][1], ACK)
        connection.send(frame(PING, 0, 0, b"12345678"))
        equal("6.7: PING is answered with what it holds", connection.until(PING), (PING, ACK, 0, b"12345678"))


def check_windows(daemon):
    """An answer keeps to the windows of its client, whatever becomes of them."""
    with Connection(daemon, settings=setting((4, 1))) as connection:
        connection.send(GET)
        first = connection.until(DATA)
        equal("6.9.2: a window of 1", (len(first[3]), first[1] & END_STREAM), (1, 0))
        connection.send(window(2, 1))
        equal("6.9: that grows by 2", len(connection.until(DATA)[3]), 2)
        connection.send(frame(SETTINGS, 0, 0, setting((4, 0))), window(3, 1))
        equal("6.9.2: that falls below 0 and grows to 2", len(connection.until(DATA)[3]), 2)
        connection.send(frame(SETTINGS, 0, 0, setting((4, 65535))))
        equal("6.9.2: that is set", connection.until(DATA)[1] & END_STREAM, END_STREAM)


def main():
    with Daemon("--streams", "8") as daemon:
        check_preface(daemon)
        check_rows(daemon)
        check_windows(daemon)
        equal("other clients are served", daemon.get("/version").status, 200)
    finish()


main()
