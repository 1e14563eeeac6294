#!/usr/bin/env python3
"""Clients as they are published, unmodified, against the daemon: Connect-ES with code that protoc-gen-es makes of proto/, and
@grpc/grpc-js, which reads proto/ itself.

They come through npm once, into build-clients; without it these tests say that they were left out.
"""
import os
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
        with Daemon() as daemon:
            run_all(daemon)
    finish()


if __name__ == "__main__":
    main()
