"""Tables of hostile models, and what runs them.

A row is (name, bytes, wanted, says, options), the last two of which may be left out. `wanted` is "ok" (200, no error
among the diagnostics), a REASON (200 with an error or warning of that reason), the code of an error answer, or "any"
(200). `says` stands in the message, or in the value, node, scope or operator of the diagnostic. `options` are pairs for
the query. Every row is sent to the daemon whole and in pieces, and through `shaped infer -`; each way gives the same
answer, for which the daemon works CPU_SECONDS at most, and it answers a good model afterwards.
"""
import http.client
import json
import urllib.parse

from harness import CPU_SECONDS, SHAPED, check, run
from wire import attribute, chain, number, text

INFER = "/v1/models:infer"
STATUS = {"invalid_argument": 400, "out_of_range": 400, "failed_precondition": 400, "unimplemented": 501,
          "resource_exhausted": 413, "deadline_exceeded": 504}
PIECES = (1, 7, 4093)
PIECE_BYTES = 3000  # models up to here go byte by byte too
PIECED_BYTES = 100000  # larger ones go whole alone
GOOD = chain(2)


class Client:
    """One connection that is kept, as a caller would; a lost one is a fault."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=60)

    def post(self, path, data, content_type="application/octet-stream", chunk=0):
        """Status and body; status 0 when the connection is lost."""
        headers = {"Content-Type": content_type}
        body = data
        if chunk:
            headers["Transfer-Encoding"] = "chunked"
            body = b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces(data, chunk)) + b"0\r\n\r\n"
        try:
            self.connection.request("POST", path, body, headers)
            response = self.connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException) as fault:
            self.connection.close()
            return 0, repr(fault).encode()

    def close(self):
        self.connection.close()


def pieces(data, size):
    return [data[i:i + size] for i in range(0, len(data), size)]


def fault_of(status, body, wanted, says):
    """None, or the difference between an answer and the expected one."""
    if status == 0:
        return "the connection is lost: %s" % body.decode()
    try:
        answer = json.loads(body.decode("utf-8"))
    except ValueError as fault:
        return "no JSON: %s" % fault
    if wanted in STATUS:
        right = status == STATUS[wanted] and answer.get("code") == wanted and says in answer.get("message", "")
        return None if right else "wanted %s '%s', got %d %s" % (wanted, says, status, body[:600])
    if status != 200:
        return "wanted 200 %s, got %d %s" % (wanted, status, body[:600])
    notes = answer["diagnostics"]
    if wanted == "ok":
        errors = [n for n in notes if n["severity"] == "error"]
        return "an error: %s" % errors[:3] if errors else None
    if wanted == "any":
        return None
    told = [n for n in notes if n["reason"] == wanted and
            any(says in str(n.get(k, "")) for k in ("message", "value", "node", "scope", "op"))]
    return None if told else "wanted %s '%s', got %s" % (wanted, says, str(notes[:3])[:900])


def ways_fault(client, path, data, status, body):
    """Whether the model in pieces gives the same answer."""
    for size in PIECES:
        if len(data) > (PIECE_BYTES if size == 1 else PIECED_BYTES):
            continue
        other = client.post(path, data, chunk=size)
        if other != (status, body):
            return "in pieces of %d: %d %s" % (size, other[0], other[1][:300])
    return None


def command_fault(data, status, options):
    """Whether the program, without a daemon, agrees."""
    exit_status, _, err = run("infer", "-", "--format", "json", *["--%s=%s" % o for o in options], stdin=data)
    bad = (1, 2) if options else (1,)  # faulty options are faulty usage
    if exit_status not in ((0,) if status == 200 else bad) or b"Sanitizer" in err or b"runtime error" in err:
        return "%s infer: exit status %d, %s" % (SHAPED, exit_status, err[-1500:].decode(errors="replace"))
    return None


def check_row(client, row, all_ways=True):
    """`all_ways` False: it goes whole and to the daemon alone, for what takes long."""
    name, data, wanted, says, options = (tuple(row) + ("", ())[len(row) - 3:])[:5]
    path = INFER + ("?" + urllib.parse.urlencode(options) if options else "")
    before = client.daemon.cpu_seconds()
    status, body = client.post(path, data)
    took = client.daemon.cpu_seconds() - before
    fault = fault_of(status, body, wanted, says)
    if not fault and took > CPU_SECONDS:
        fault = "took %.1f s" % took
    if all_ways:
        fault = fault or ways_fault(client, path, data, status, body) or command_fault(data, status, options)
    if not fault and client.post(INFER, GOOD)[0] != 200:
        fault = "a good model has no answer after it"
    check("%s: %s %s" % (name, wanted, says[:60]), not fault, fault or "")


def check_table(client, rows, all_ways=True):
    for row in rows:
        check_row(client, row, all_ways)


def peak_kib(daemon):
    """The most memory that the daemon ever had."""
    with open("/proc/%d/status" % daemon.process.pid, encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))


# -- models --

def op(kind, inputs, outputs, name="", domain="", **attributes):
    """A node; attributes by their Python types: int, float, str or bytes, list of integers; messages come made."""
    data = b"".join(text(1, i) for i in inputs) + b"".join(text(2, o) for o in outputs)
    data += (text(3, name) if name else b"") + text(4, kind) + (text(7, domain) if domain else b"")
    return data + b"".join(attribute(k, v) for k, v in attributes.items())


def graph(nodes, inputs=(), outputs=(), initializers=()):
    return (b"".join(text(1, n) for n in nodes) + text(2, "g") + b"".join(text(5, t) for t in initializers)
            + b"".join(text(11, v) for v in inputs) + b"".join(text(12, text(1, o)) for o in outputs))


def function(name, inputs, outputs, nodes, more=b""):
    return text(25, text(1, name) + b"".join(text(4, i) for i in inputs) + b"".join(text(5, o) for o in outputs)
                + b"".join(text(7, n) for n in nodes) + text(9, number(2, 17)) + text(9, F_IMPORT) + text(10, "f") + more)


F_IMPORT = text(1, "f") + number(2, 1)
