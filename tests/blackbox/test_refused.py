#!/usr/bin/env python3
"""A refused body is read to its end and answered, whatever its size, and the log keeps the answer's status. Behind nginx no
client's fault takes a replica for down: everybody else is served all the while."""
import http.client
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time

from harness import Daemon, check, equal, finish
from wire import Raw, post_head

INFER = "/v1/models:infer"
MANY = "?" + "&".join("a" * 401)
# Refused, with sizes in MiB.
FAULTY = ((INFER, 300), (INFER, 300), ("/nope", 66), ("/nope", 66), (INFER + MANY, 66), (INFER + "?x", 66)) * 2
PIECE = b"\xff" * (1 << 20)
NGINX = """daemon off; worker_processes 2; pid %(folder)s/pid; error_log %(folder)s/error.log; events {}
http { access_log off; client_max_body_size 0;
%(temporary)s
upstream shaped { server 127.0.0.1:%(first)d; server 127.0.0.1:%(second)d; }
server { listen 127.0.0.1:%(port)d;
location / { proxy_pass http://shaped; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_request_buffering %(buffering)s; } } }
"""


def upload(port, path, mebibytes, chunked=False, body=PIECE):
    """The status of the answer after the whole body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        pieces = (body for _ in range(mebibytes))
        headers = {} if chunked else {"Content-Length": str(mebibytes << 20)}
        connection.request("POST", path, pieces, headers, encode_chunked=chunked)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException) as error:
        return repr(error)
    finally:
        connection.close()


def check_answers():
    with Daemon() as daemon:
        for path, size, chunked, wanted in (
                (INFER, 300, False, 400), (INFER, 300, True, 400), ("/nope", 66, False, 404), ("/nope", 300, False, 404),
                ("/v1/nodes:infer", 100, False, 413), ("/v1/operators", 100, False, 405), (INFER + "?nonsense=1", 300, False, 400)):
            statuses = {upload(daemon.port, path, size, chunked) for _ in range(3)}
            equal("%s, %d MiB%s" % (path, size, ", chunked" if chunked else ""), statuses, {wanted})
        with Raw(daemon) as raw:  # who leaves after the refusal
            raw.send(post_head(INFER, "Content-Length: 1000000") + PIECE[:100000])
            time.sleep(0.2)
        end = time.monotonic() + 30
        while daemon.metric("requests_in_flight") > 0 and time.monotonic() < end:
            time.sleep(0.05)
        while b"bytes_in=100000" not in daemon.read_log(0.1) and time.monotonic() < end:
            pass
        equal("the log has the statuses that stood", re.findall(rb"models:infer[^\n]* status=(\d+)", daemon.log), [b"400"] * 10)


def check_past_limit():
    """Nothing is read to its end that no upload may have."""
    with Daemon("--upload-bytes", "1M") as daemon:
        equal("past upload_bytes", upload(daemon.port, INFER, 40), 413)
        equal("past upload_bytes, chunked and refused before", upload(daemon.port, INFER, 40, True), 400)
        with Raw(daemon) as raw:
            sent = 0
            raw.send(post_head(INFER, "Content-Length: 99999999999"))
            try:
                while sent < 1000:
                    raw.send(PIECE)
                    sent += 1
            except OSError:
                pass
            check("a client that sends without end is cut off", sent < 1000, sent)
            check("with the answer", raw.answer()[0] == 413)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Nginx:
    """nginx before two replicas, with their own port."""

    def __init__(self, first, second, buffering):
        self.folder = tempfile.mkdtemp()
        os.chmod(self.folder, 0o755)  # its workers may run as another user
        self.port = free_port()
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "".join("%s_temp_path %s/%s;\n" % (kind, self.folder, kind) for kind in kinds)
        with open(self.folder + "/conf", "w", encoding="ascii") as f:
            f.write(NGINX % {"folder": self.folder, "first": first.port, "second": second.port, "port": self.port,
                             "buffering": buffering, "temporary": temporary})

    def __enter__(self):
        binary = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen([binary, "-p", self.folder, "-e", self.folder + "/error.log", "-c", self.folder + "/conf"])
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        return self

    def __exit__(self, kind, value, trace):
        self.process.terminate()
        self.process.wait(30)
        shutil.rmtree(self.folder)


class Others(threading.Thread):
    """Everybody else: small requests one after the other."""

    def __init__(self, port):
        super().__init__()
        self.port, self.ended, self.statuses = port, threading.Event(), {}

    def run(self):
        while not self.ended.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
            try:
                connection.request("GET", "/version")
                status = connection.getresponse().status
            except (OSError, http.client.HTTPException) as error:
                status = repr(error)
            connection.close()
            self.statuses[status] = self.statuses.get(status, 0) + 1
            time.sleep(0.01)


def check_nginx(buffering):
    with Daemon() as first, Daemon() as second, Nginx(first, second, buffering) as nginx:
        others = Others(nginx.port)
        others.start()
        faults = [upload(nginx.port, path, size) for path, size in FAULTY]
        time.sleep(0.2)
        others.ended.set()
        others.join()
        equal("nginx, buffering %s: each client has its own fault" % buffering, faults,
              [400, 400, 404, 404, 414, 400] * 2)
        equal("and everybody else is served", set(others.statuses), {200})


def main():
    check_answers()
    check_past_limit()
    check_nginx("off")
    check_nginx("on")
    finish()


if __name__ == "__main__":
    main()
