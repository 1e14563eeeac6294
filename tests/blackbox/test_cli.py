#!/usr/bin/env python3
"""The program's commands, flags, environment variables and exit statuses."""
import json
import os
import re
import socket
import subprocess
import tempfile

from build import type_of
from harness import MODELS, PATIENCE_SECONDS, SHAPED, Daemon, check, equal, finish, run
from wire import add, chain, number, text, varint

COMMANDS = ("serve", "infer", "operators", "health")


def check_help():
    status, out, _ = run("--help")
    check("--help", status == 0 and all(("shaped " + c).encode() in out for c in COMMANDS), out)
    status, out, _ = run("--version")
    check("--version", status == 0 and re.fullmatch(rb"shaped \d+\.\d+\.\d+\n", out), out)
    for command in COMMANDS:
        status, out, err = run(command, "--help")
        check("%s --help" % command, status == 0 and out.startswith(b"usage: shaped " + command.encode()) and not err, out)
    helped = run("serve", "--help")[1].decode()
    flags = re.findall(r"^  --([a-z0-9-]+) ", helped, re.M)
    check("every flag of serve has its variable", len(flags) > 20 and all(
        "[SHAPED_%s, default " % f.replace("-", "_").upper() in helped for f in flags), flags)
    equal("no flag stands twice", len(flags), len(set(flags)))
    helped = run("infer", "--help")[1].decode()
    check("infer --help has the options", all("--" + o in helped for o in
                                              ("strict", "check-types", "dim", "shape", "ignore-declared", "values", "pretty")))


def check_usage():
    for arguments in ((), ("nope",), ("serve", "--nope"), ("serve", "x"), ("operators", "xxopset", "3"), ("serve", "--listen"), ("serve", "--workers", "x"),
                      ("serve", "--workers=-1"), ("serve", "--queue", "0"), ("serve", "--log-format", "xml"),
                      ("serve", "--log-requests=maybe"), ("infer",), ("infer", "a", "b"), ("infer", "--nope", "-"),
                      ("infer", "-x"), ("infer", "-", "--format", "xml"), ("infer", "-", "--dim", "N"),
                      ("infer", "-", "--values=some"), ("infer", "-", "--dim"), ("operators", "--opset", "x"),
                      ("operators", "x", "y"), ("health", "--url", "ftp://x"), ("health", "--url", "http://"),
                      ("health", "--url", "http://x:y"), ("serve", "--upload-bytes", "1X"), ("serve", "--rank", "0")):
        status, _, err = run(*arguments)
        check("shaped %s: 2, and says why" % " ".join(arguments), status == 2 and err, (status, err))
    check("shaped infer -x names the flag", b"unknown flag -x" in run("infer", "-x")[2])
    check("and the one that was meant", b"did you mean --workers?" in run("serve", "--wrokers", "2")[2])
    environment = {**os.environ, "SHAPED_QUEUE": "none"}
    done = subprocess.run([SHAPED, "serve"], env=environment, stderr=subprocess.PIPE)
    check("a variable that is no number: 2", done.returncode == 2 and b"SHAPED_QUEUE" in done.stderr, done.stderr)


def check_infer(folder):
    good, faulty = os.path.join(folder, "good.onnx"), os.path.join(folder, "faulty.onnx")
    for path, data in ((good, chain(2)), (faulty, add([2], [3]))):
        with open(path, "wb") as f:
            f.write(data)
    status, out, err = run("infer", good)
    check("infer prints a table", status == 0 and b"[N, 3]" in out and not err, out)
    status, out, _ = run("infer", "-", "--format", "json", stdin=chain(2))
    check("infer - --format json", status == 0 and len(json.loads(out)["values"]) == 3)
    formats = re.search(r"^  --format TEXT\n +(.*)", run("infer", "--help")[1].decode(), re.M)[1]
    for name in re.findall(r"\w+", formats.replace(" or ", " ")):
        equal("--format %s, as --help has it" % name, run("infer", good, "--format", name)[0], 0)
    check("--pretty", run("infer", good, "--format=json", "--pretty")[1].count(b"\n") > 5)
    status, out, _ = run("infer", "--format=json", "--dim=N=4", "--shape", "x0:N,7", "--values", "outputs", good)
    equal("--dim --shape --values", json.loads(out)["values"][0]["shape"], [4, 7])
    status, out, err = run("infer", faulty)
    check("a faulty node: 0, and a diagnostic", status == 0 and b"DIM_MISMATCH" in out, (status, out))
    status, out, err = run("infer", faulty, "--strict")
    check("--strict: 1, and the reason", status == 1 and b"sum" in err, (status, err))
    equal("--strict and a good model", run("infer", good, "--strict")[0], 0)
    equal("--check_types is --check-types", run("infer", good, "--check_types", "--check-types=false")[0], 0)
    for what, arguments, stdin in (("no file", ("infer", os.path.join(folder, "none")), None), ("a folder", ("infer", folder), None),
                                   ("no model", ("infer", "-"), b"GIF89a"), ("nothing", ("infer", "-"), b""),
                                   ("a shape of no input", ("infer", good, "--shape=q:1"), None),
                                   ("a limit", ("infer", good, "--nodes", "1"), None)):
        status, _, err = run(*arguments, stdin=stdin)
        check("infer of %s: 1, and says why" % what, status == 1 and err.startswith(b"shaped: "), (status, err))
    equal("infer of a whole model", run("infer", os.path.join(MODELS, "encoder.onnx"))[0], 0)
    done = subprocess.run([SHAPED, "infer", good, "--format", "json"], env={**os.environ, "SHAPED_NODES": "1"},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check("a limit by its variable", done.returncode == 1 and b"nodes" in done.stderr, done.stderr)
    done = subprocess.run([SHAPED, "infer", good, "--nodes", "10"], env={**os.environ, "SHAPED_NODES": "1"},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    equal("a flag goes before its variable", done.returncode, 0)
    for arguments in (("infer", good), ("infer", os.path.join(MODELS, "resnet50.onnx")), ("operators",)):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([SHAPED, *arguments], stdout=full, stderr=subprocess.PIPE)
        check("%s and a full disk: 1, and says so" % " ".join(arguments), done.returncode == 1 and b"No space" in done.stderr,
              (done.returncode, done.stderr))


def check_weights(folder):
    """Weights of a file are not read: the file has a hole of a gigabyte in their place, and only the pages that are read are fetched."""
    size, path = 1 << 30, os.path.join(folder, "weights.onnx")
    head = number(1, size // 4) + number(2, 1) + text(8, b"w") + varint(9 << 3 | 2) + varint(size)
    before = text(1, text(1, b"x") + text(2, b"y") + text(4, b"Relu")) + text(11, text(1, b"x") + text(2, type_of("float[N,3]")))
    before += varint(5 << 3 | 2) + varint(len(head) + size) + head
    after = text(1, text(1, b"y") + text(2, b"z") + text(4, b"Neg")) + text(12, text(1, b"z"))
    with open(path, "wb") as f:
        f.write(number(1, 8) + text(8, number(2, 17)) + varint(7 << 3 | 2) + varint(len(before) + size + len(after)) + before)
        f.seek(size, os.SEEK_CUR)
        f.write(after)
    child = subprocess.Popen([SHAPED, "infer", path, "--format", "json"], stdout=subprocess.PIPE)
    values = {v["name"]: v.get("shape") for v in json.loads(child.stdout.read())["values"]}
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    check("weights of a file are not read", status == 0 and values == {"x": ["N", 3], "y": ["N", 3], "z": ["N", 3]}, values)
    check("nor fetched", usage.ru_maxrss < 64 << 10, usage.ru_maxrss)


def check_health():
    with Daemon() as daemon:
        for url in (daemon.url, daemon.url + "/", daemon.url + "/readyz?x"):
            equal("health of a daemon", run("health", "--url", url)[0], 0)
        done = subprocess.run([SHAPED, "health"], env={**os.environ, "SHAPED_URL": daemon.url}, stdout=subprocess.PIPE)
        equal("health by its variable", done.returncode, 0)
        status, _, err = run("serve", "--listen", "127.0.0.1:%d" % daemon.port)
        check("a port that is taken: 1, and says so", status == 1 and b"in use" in err, (status, err))
        port = daemon.port
    status, _, err = run("health", "--url", "http://127.0.0.1:%d" % port)
    check("health of none: 1, and says so", status == 1 and err, (status, err))
    status, _, err = run("health", "--url", "http://host.invalid:80")
    check("health of no host: 1, and says that it has no address", status == 1 and b"ame" in err, (status, err))
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        equal("health of what does not answer", run("health", "--url", "http://127.0.0.1:%d" % other.getsockname()[1])[0], 1)
    for listen in ("nonsense", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "256.0.0.1:80", "127.0.0.1:99999"):
        status, _, err = run("serve", "--listen", listen)
        check("serve --listen %s: 1" % listen, status == 1 and b"cannot listen" in err, (status, err))


def check_listen():
    with Daemon(environment={"SHAPED_LOG_FORMAT": "json", "SHAPED_WORKERS": "3"}) as daemon:
        ready = json.loads(daemon.log.split(b"\n")[0])
        check("the line that says ready, as JSON", ready["msg"] == "ready" and ready["address"].endswith(":%d" % daemon.port)
              and ready["workers"] == 3, ready)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]
        # LISTEN_PID must be the daemon's own: a shell becomes it.
        script = "exec 3<&%d; LISTEN_FDS=1 LISTEN_PID=$$ exec %s serve" % (listening.fileno(), SHAPED)
        process = subprocess.Popen(["/bin/bash", "-c", script], pass_fds=[listening.fileno()], stderr=subprocess.PIPE)
        line = process.stderr.readline()
        check("a socket that was handed over", b"127.0.0.1:%d" % port in line, line)
        equal("and is served", run("health", "--url", "http://127.0.0.1:%d" % port)[0], 0)
        process.terminate()
        equal("and drained", process.wait(PATIENCE_SECONDS), 0)
        process.stderr.close()


def check_variables():
    given = {"SHAPED_QUEUE": "", "SHAPED_LOG_FORMAT": "json", "SHAPED_QUEU": "5", "SHAPED_SERVICE_HOST": "10.0.0.1", "SHAPED_PORT": "tcp://x"}
    with Daemon("--log-requests", "false", "--kept-bytes", "64Mi", "--memory-bytes=1G", environment=given) as daemon:
        equal("an empty variable counts as unset", daemon.metric("queue_limit"), 1024)
        equal("1G is 2^30", daemon.metric("memory_limit_bytes"), 1 << 30)
        equal("ends well", daemon.stop(), 0)
        lines = [json.loads(line) for line in daemon.log.splitlines()]
        unknown = [line["variable"] for line in lines if line["level"] == "warn" and line.get("variable", "").startswith("SHAPED_")]
        check("a variable that there is not is told, Kubernetes' own are not", "SHAPED_QUEU" in unknown and
              not {"SHAPED_SERVICE_HOST", "SHAPED_PORT", "SHAPED_QUEUE", "SHAPED_LOG_FORMAT"} & set(unknown), unknown)
        check("--log-requests false", not any(line["msg"] == "request" for line in lines), lines)
    for flag in ("64Q", "64MM", "Mi", "64iM", "9999999999T"):
        status, _, err = run("serve", "--memory-bytes", flag)
        check("--memory-bytes %s: 2" % flag, status == 2 and err, (status, err))
    with Daemon() as daemon:
        for listen in ("127.0.0.1:%d", "0.0.0.0:%d", ":%d"):
            done = subprocess.run([SHAPED, "health"], env={**os.environ, "SHAPED_LISTEN": listen % daemon.port}, stdout=subprocess.PIPE)
            equal("health by SHAPED_LISTEN %s" % listen.replace("%d", "PORT"), done.returncode, 0)


def main():
    check_help()
    check_usage()
    with tempfile.TemporaryDirectory() as folder:
        check_infer(folder)
        check_weights(folder)
    check_health()
    check_listen()
    check_variables()
    finish()


if __name__ == "__main__":
    main()
