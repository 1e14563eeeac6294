"""What the black-box tests share. A test is a file test_*.py beside this one that calls check() and ends with finish().

SHAPED is the program (default build/service/shaped), SHAPED_MODELS the folder of encoded models (build/tests/models).
Every check prints `ok - what` or `not ok - what`; the exit status tells whether all held.
"""
import http.client
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHAPED = os.environ.get("SHAPED", os.path.join(ROOT, "build", "service", "shaped"))
CASES = os.environ.get("SHAPED_CASES", os.path.join(os.path.dirname(SHAPED), "..", "tests", "cases", "run_cases"))
MODELS = os.environ.get("SHAPED_MODELS", os.path.join(ROOT, "build", "tests", "models"))
CPU_SECONDS = 5  # that the daemon works at most for a small request, with sanitizers
PATIENCE_SECONDS = 120  # for what comes sooner or later, on however busy a machine

_counts = {"passed": 0, "failed": 0}


def check(what, condition, detail=""):
    """One line and one count; returns the condition, so that what depends on it can be skipped."""
    _counts["passed" if condition else "failed"] += 1
    print(("ok - " if condition else "not ok - ") + what, flush=True)
    if not condition and detail != "":
        print("#  " + str(detail).replace("\n", "\n#  ")[:4000], flush=True)
    return bool(condition)


def equal(what, got, wanted):
    return check(what, got == wanted, "wanted %r, got %r" % (wanted, got))


def finish():
    print("%d passed, %d failed" % (_counts["passed"], _counts["failed"]), flush=True)
    sys.exit(1 if _counts["failed"] or not _counts["passed"] else 0)


def wait_for(condition):
    """Asks until the condition gives something true, or patience ends; returns what it gave last."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        given = condition()
        if given or time.monotonic() > end:
            return given
        time.sleep(0.02)


def model(name):
    with open(os.path.join(MODELS, name + ".onnx"), "rb") as f:
        return f.read()


def run(*arguments, stdin=None, timeout=120):
    """The program's exit status, standard output and standard error."""
    done = subprocess.run([SHAPED, *arguments], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)
    return done.returncode, done.stdout, done.stderr


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()


class Daemon:
    """A daemon on a free port, for a `with` block. Its standard error is kept in `log`, or read and dropped."""

    def __init__(self, *flags, environment=None, program=SHAPED, drop_log=False):
        self.flags, self.environment, self.program, self.drop_log = flags, environment or {}, program, drop_log

    def __enter__(self):
        command = [self.program, "serve", "--listen", "127.0.0.1:0", *self.flags]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, env={**os.environ, **self.environment})
        os.set_blocking(self.process.stderr.fileno(), False)
        self.log = b""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            found = re.search(rb"127\.0\.0\.1:(\d+)", self.read_log(0.1))
            if found and b"\n" in self.log:
                self.port = int(found.group(1))
                self.url = "http://127.0.0.1:%d" % self.port
                if self.drop_log:
                    os.set_blocking(self.process.stderr.fileno(), True)
                    self.dropper = subprocess.Popen(["cat"], stdin=self.process.stderr, stdout=subprocess.DEVNULL)
                return self
        self.process.kill()
        raise RuntimeError("the daemon was not ready: " + self.log.decode(errors="replace"))

    def read_log(self, seconds=0.0):
        """All that it wrote so far; waits up to `seconds` for more."""
        if select.select([self.process.stderr], [], [], seconds)[0]:
            self.log += self.process.stderr.read() or b""
        return self.log

    def request(self, method, path, body=None, headers=None, timeout=60):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def post(self, path, body, content_type="application/octet-stream", headers=None):
        return self.request("POST", path, body, {"Content-Type": content_type, **(headers or {})})

    def post_json(self, path, value):
        return self.post(path, json.dumps(value), "application/json")

    def infer(self, data, **options):
        """POST /v1/models:infer; a list repeats the option."""
        query = urllib.parse.urlencode(options, doseq=True)
        return self.post("/v1/models:infer" + ("?" + query if query else ""), data)

    def metric(self, name):
        """A number; its labels stand in the name."""
        return int(re.search("^shaped_%s (-?[0-9]+)$" % re.escape(name), self.get("/metrics").text, re.M)[1])

    def cpu_seconds(self, threads=""):
        """What its threads, or those whose names begin so, have worked so far: other work on the machine adds nothing."""
        ticks, folder = 0, "/proc/%d/task" % self.process.pid
        for thread in os.listdir(folder):
            with open("%s/%s/stat" % (folder, thread), encoding="ascii", errors="replace") as f:
                name, _, rest = f.read().partition("(")[2].rpartition(")")
            if name.startswith(threads):
                ticks += sum(int(field) for field in rest.split()[11:13])
        return ticks / os.sysconf("SC_CLK_TCK")

    def stop(self, sig=signal.SIGTERM, timeout=PATIENCE_SECONDS):
        """Exit status after a signal. Standard error is read meanwhile, so that the daemon never waits for us."""
        self.process.send_signal(sig)
        return self.await_end(timeout)

    def await_end(self, timeout=PATIENCE_SECONDS):
        """The exit status of a daemon that ends, or is killed for its not ending."""
        deadline = time.monotonic() + timeout
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read_log(0.05)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.read_log()
        return self.process.returncode

    def __exit__(self, kind, value, trace):
        if self.process.poll() is None:
            equal("the daemon ends well after SIGTERM", self.stop(), 0)
        check("no sanitizer has spoken", b"Sanitizer" not in self.log and b"runtime error" not in self.log,
              self.log.decode(errors="replace"))
