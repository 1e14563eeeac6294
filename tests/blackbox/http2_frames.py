"""Frames of HTTP/2 (RFC 9113) written by hand, so that a test can send what no client would. Header blocks are HPACK's
literals (RFC 7541, 6.2.2); of answers only the status is read."""
import socket
import struct

from harness import PATIENCE_SECONDS

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED, WITH_PRIORITY = 1, 1, 4, 8, 32
ERRORS = ["NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR",
          "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED"]
STATUSES = {8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500}  # of the static table (RFC 7541, A)
DIGITS = {"00000": "0", "00001": "1", "00010": "2", "011001": "3", "011010": "4", "011011": "5", "011100": "6", "011101": "7",
          "011110": "8", "011111": "9"}  # Huffman codes (RFC 7541, B)


def frame(kind, flags=0, stream=0, payload=b"", length=None):
    return struct.pack(">I", len(payload) if length is None else length)[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def text(value):
    value = value.encode("latin-1") if isinstance(value, str) else value
    length = len(value)
    head = [length] if length < 127 else [127]
    if length >= 127:
        length -= 127
        while length >= 128:
            head.append(length % 128 + 128)
            length //= 128
        head.append(length)
    return bytes(head) + value


def block(*fields):
    return b"".join(b"\0" + text(name) + text(value) for name, value in fields)


def request(path="/version", method="GET", *more):
    return [(":method", method), (":scheme", "http"), (":path", path), (":authority", "x"), *more]


def headers(fields, stream=1, flags=END_HEADERS | END_STREAM):
    return frame(HEADERS, flags, stream, block(*fields))


def setting(*pairs):
    return b"".join(struct.pack(">HI", *pair) for pair in pairs)


def status_of(payload):
    """The status that a header block begins with."""
    if payload[0] & 0xe0 == 0x20:  # another size of the table, first
        return status_of(payload[1:])
    if payload[0] & 0x80:
        return STATUSES.get(payload[0] & 0x7f)
    huffman, length = payload[1] & 0x80, payload[1] & 0x7f
    raw = payload[2:2 + length]
    if not huffman:
        return int(raw)
    bits, digits = "".join("{:08b}".format(b) for b in raw), ""
    while len(digits) < 3:
        size = 5 if bits[:5] in DIGITS else 6
        digits, bits = digits + DIGITS[bits[:size]], bits[size:]
    return int(digits)


class Connection:
    """A connection that has sent its preface; for a `with` block."""

    def __init__(self, daemon, preface=PREFACE, settings=b""):
        self.socket = socket.create_connection(("127.0.0.1", daemon.port), timeout=PATIENCE_SECONDS)
        self.buffer = b""
        self.send(preface + (frame(SETTINGS, 0, 0, settings) if settings is not None else b""))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.socket.close()

    def send(self, *frames):
        try:
            self.socket.sendall(b"".join(frames))
        except (ConnectionResetError, BrokenPipeError):
            pass

    def read(self):
        """(type, flags, stream, payload) of the next frame, None at the end."""
        while len(self.buffer) < 9 or len(self.buffer) < 9 + int.from_bytes(self.buffer[:3], "big"):
            try:
                more = self.socket.recv(65536)
            except ConnectionResetError:
                more = b""
            if not more:
                return None
            self.buffer += more
        length = int.from_bytes(self.buffer[:3], "big")
        kind, flags, stream = self.buffer[3], self.buffer[4], int.from_bytes(self.buffer[5:9], "big") & 0x7fffffff
        payload, self.buffer = self.buffer[9:9 + length], self.buffer[9 + length:]
        return kind, flags, stream, payload

    def until(self, wanted):
        """The next frame of a type; None at the end."""
        while True:
            found = self.read()
            if not found or found[0] == wanted:
                return found

    def outcome(self):
        """What comes of what was sent: the word of a GOAWAY or RST_STREAM, "closed", or the status of an answer that came whole."""
        status = None
        while True:
            found = self.read()
            if not found:
                return "closed"
            kind, flags, _, payload = found
            if kind == GOAWAY:
                return "GOAWAY " + ERRORS[int.from_bytes(payload[4:8], "big")]
            if kind == RST_STREAM:
                return "RST_STREAM " + ERRORS[int.from_bytes(payload, "big")]
            if kind == HEADERS and status is None:
                status = status_of(payload)
            if kind in (HEADERS, DATA) and flags & END_STREAM:
                return status

    def upload(self, pieces, stream=1):
        """Sends DATA as far as the daemon's windows let it, and the end of the stream; returns the DATA that comes back."""
        windows, initial, answer = {0: 65535, stream: 65535}, 65535, b""

        def take():
            nonlocal initial, answer
            kind, flags, of, payload = self.read() or (None, END_STREAM, 0, b"")
            if kind == SETTINGS and not flags & ACK:
                self.send(frame(SETTINGS, ACK))
                for at in range(0, len(payload), 6):
                    name, value = struct.unpack(">HI", payload[at:at + 6])
                    if name == 4:
                        windows[stream] += value - initial
                        initial = value
            elif kind == WINDOW_UPDATE and of in windows:
                windows[of] += int.from_bytes(payload, "big")
            elif kind == DATA:
                answer += payload
            return kind in (None, GOAWAY, RST_STREAM) or (kind in (HEADERS, DATA) and flags & END_STREAM)

        for piece in pieces:
            while piece:
                room = min(16384, *windows.values())
                if room <= 0:
                    if take():
                        return answer
                    continue
                self.send(frame(DATA, 0, stream, piece[:room]))
                sent, piece = len(piece[:room]), piece[room:]
                for of in windows:
                    windows[of] -= sent
        self.send(frame(DATA, END_STREAM, stream))
        while not take():
            pass
        return answer
