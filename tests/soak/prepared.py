"""Small calls, one after the other on one connection, by clients that do the same work for either protocol: they send bytes that
stood before the clock ran, and read until what has come holds the bytes with which the answer to that call ends."""
import http.client
import struct
import time

from http2_frames import DATA, END_HEADERS, END_STREAM, HEADERS, WINDOW_UPDATE, Connection, frame, text

POST, HTTP = b"\x83", b"\x86"  # fields of the static table (RFC 7541, A),
PATH, AUTHORITY, TYPE, TE = b"\x44", b"\x41", b"\x5f", b"\x40" + text("te")  # names of fields that the dynamic table is to hold,
KEPT = bytes([0xc1, 0xc0, 0xbf, 0xbe])  # and these four once it holds them
WINDOW = struct.pack(">I", 2 ** 31 - 1 - 65535)  # so that no call needs a new one


def run(connection, requests, ends):
    """Seconds a call."""
    begun = time.perf_counter()
    for request, end in zip(requests, ends):
        connection.send(request)
        answer = connection.recv(65536)
        while end not in answer:
            more = connection.recv(65536)
            if not more:
                raise RuntimeError("the connection ended after %r" % answer)
            answer += more
    return (time.perf_counter() - begun) / len(requests)


def by_connect(daemon, path, kind, message, calls):
    """The message of the answers, and the seconds that a call takes."""
    request = ("POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (path, kind, len(message))).encode() + message
    with Connection(daemon, request, None) as connection:
        response = http.client.HTTPResponse(connection.socket)
        response.begin()
        body = response.read()
        connection.socket.settimeout(None)
        return body, run(connection.socket, [request] * calls, [body] * calls)


def grpc_request(stream, fields, body):
    return frame(HEADERS, END_HEADERS, stream, POST + HTTP + fields) + frame(DATA, END_STREAM, stream, body)


def grpc_answer(connection):
    """The bytes of the messages."""
    body = b""
    while True:
        kind, flags, _, payload = connection.read()
        if kind == DATA:
            body += payload
        if kind in (HEADERS, DATA) and flags & END_STREAM:
            return body


def by_grpc(daemon, path, kind, message, calls):
    """The same; `message` in its envelope."""
    first = PATH + text(path) + AUTHORITY + text("127.0.0.1") + TYPE + text(kind) + TE + text("trailers")
    streams = range(3, 3 + 2 * calls, 2)
    with Connection(daemon) as connection:
        connection.send(frame(WINDOW_UPDATE, payload=WINDOW), grpc_request(1, first, message))
        body = grpc_answer(connection)
        ends = [frame(HEADERS, END_HEADERS | END_STREAM, stream)[3:] for stream in streams]  # the trailers' length may vary
        connection.socket.settimeout(None)
        return body, run(connection.socket, [grpc_request(stream, KEPT, message) for stream in streams], ends)
