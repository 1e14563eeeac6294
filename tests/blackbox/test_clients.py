#!/usr/bin/env python3
"""Clients as they are published, unmodified, against the daemon: Connect-ES with code that protoc-gen-es makes of proto/, and
@grpc/grpc-js, which reads proto/ itself.

They come through npm once, into build-clients; without it these tests say that they were left out.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile

from harness import MODELS, ROOT, Daemon, check, finish
from packages import install_packages

SOURCE = os.path.join(ROOT, "tests", "clients")
INSTALLED = os.path.join(ROOT, "build-clients")
MODEL = os.path.join(MODELS, "resnet50.onnx")
PROTO = os.path.join(ROOT, "proto")
FILES = ("shaped.proto", "onnx.proto", "health.proto", "google/rpc/status.proto", "google/rpc/error_details.proto")


def run_node(folder, program, *arguments):
    """Exit status and lines of a program of tests/clients, beside the generated code."""
    shutil.copy(os.path.join(SOURCE, program), folder)
    done = subprocess.run(["node", program, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    return done.returncode, done.stdout.decode(errors="replace").splitlines()


def run_checks(folder, program, *arguments):
    status, lines = run_node(folder, program, *arguments)
    for at, line in enumerate(lines):
        if line.startswith(("ok - ", "not ok - ")):
            check(line.partition(" - ")[2], line.startswith("ok"), "\n".join(lines[at + 1:at + 3]))
    check("%s comes to its end" % program, status == 0, "\n".join(lines[-20:]))


def run_example(daemon, folder):
    status, lines = run_node(folder, "example.js", daemon.url, MODEL)
    check("README's example prints every value", status == 0 and "input [8, 3, H, W]" in lines and len(lines) > 175, "\n".join(lines[-20:]))


def takes_node(engines, version):
    """Whether a package's `engines.node`, of the simple ranges that packages name, takes a version (major, minor, patch)."""
    for choice in engines.split("||"):
        found = re.fullmatch(r"(>=|\^|~)?\s*v?(\d+)(?:\.(\d+|[x*]))?(?:\.(\d+|[x*]))?", choice.strip())
        if not found:
            continue
        least = tuple(int(part) if part and part.isdigit() else 0 for part in found.groups()[1:])
        if least <= version and (found[1] == ">=" or least[0] == version[0]):
            return True
    return False


def check_versions():
    """What is installed is made for the Node that Debian 12 has, whichever runs here."""
    for folder in "*", "@*/*":
        for path in glob.glob(os.path.join(INSTALLED, "node_modules", folder, "package.json")):
            with open(path, encoding="utf-8") as f:
                package = json.load(f)
            engines = package.get("engines", {}).get("node", "*")
            check("%s %s runs on Node 18" % (package["name"], package["version"]), engines == "*" or takes_node(engines, (18, 20, 4)), engines)


def run_all(daemon):
    with tempfile.TemporaryDirectory(dir=INSTALLED) as folder:
        plugin = os.path.join(INSTALLED, "node_modules", ".bin", "protoc-gen-es")
        subprocess.run(["protoc", "-I", PROTO, "--plugin=protoc-gen-es=" + plugin, "--es_out=" + folder,
                        "--es_opt=target=js,import_extension=js", *FILES], check=True)
        run_example(daemon, folder)
        run_checks(folder, "connect.js", daemon.url, MODEL)
        run_checks(folder, "grpc.js", daemon.url, MODEL, PROTO)


def main():
    why = install_packages(SOURCE, INSTALLED, seconds=300)
    if why:
        check("left out: Connect-ES and grpc-js, for %s" % why, True)
    else:
        check_versions()
        with Daemon() as daemon:
            run_all(daemon)
    finish()


if __name__ == "__main__":
    main()
