#!/usr/bin/env python3
"""The commands of README.md that talk to a daemon, run as printed, except for the address."""
import os
import re
import shutil
import subprocess
import tempfile

from harness import MODELS, ROOT, Daemon, check, finish

BLOCK = re.compile(r"^```sh\n(.*?)^```", re.M | re.S)
ADDRESS = "http://127.0.0.1:8080"


def commands():
    """Each command that begins with curl or cat, with what its continuation lines hold."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
        blocks = BLOCK.findall(f.read())
    for block in blocks:
        command = ""
        for line in block.splitlines():
            command += line + "\n"
            if command.count("'") % 2 == 0:
                if command.startswith(("curl", "cat")):
                    yield command.strip()
                command = ""


def main():
    with Daemon() as daemon, tempfile.TemporaryDirectory() as folder:
        shutil.copytree(MODELS, os.path.join(folder, "build", "tests", "models"), ignore=shutil.ignore_patterns("*.p"))
        shutil.copytree(os.path.join(ROOT, "proto"), os.path.join(folder, "proto"))
        for command in commands():
            here = command.replace(ADDRESS, daemon.url).replace("curl -s", "curl -sS --fail-with-body --noproxy '*'")
            done = subprocess.run(["/bin/sh", "-c", here], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            quiet = ">" in command
            check("README: " + command.splitlines()[0], done.returncode == 0 and (quiet or done.stdout.strip()),
                  done.stdout.decode(errors="replace"))
    finish()


if __name__ == "__main__":
    main()
