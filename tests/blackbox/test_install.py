#!/usr/bin/env python3
"""The installed library: programs in C and in C++ are built against it by pkg-config alone, shared and static, and run;
its header stands on its own in every dialect that it promises; the manual pages name every flag."""
import json
import os
import re
import subprocess
import sys
import tempfile

from harness import MODELS, SHAPED, check, finish

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, "..", "example")
BUILD = os.path.dirname(os.path.dirname(os.path.abspath(SHAPED)))
DIALECTS = (("cc", "c", "c11"), ("cc", "c", "c17"), ("c++", "c++", "c++11"), ("c++", "c++", "c++17"))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False, **more)


def passes(name, command, **more):
    done = run(command, **more)
    check(name, done.returncode == 0, done.stdout[-800:])
    return done.stdout


def sanitizers():
    """What a program must be built with when the library is built with sanitizers."""
    options = json.loads(run(["meson", "introspect", "--buildoptions", BUILD]).stdout)
    chosen = next(o["value"] for o in options if o["name"] == "b_sanitize")
    return [] if chosen == "none" else ["-fsanitize=" + chosen]


def find(root, name):
    return next(os.path.join(folder, name) for folder, _, files in os.walk(root) if name in files)


class Installed:
    def __init__(self, root):
        passes("meson install", ["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", root])
        self.root, self.sanitize = root, sanitizers()
        self.folder = os.path.dirname(find(root, "libshape.a"))
        self.pc = find(root, "shape.pc")
        self.environment = dict(os.environ, LD_LIBRARY_PATH=self.folder, PKG_CONFIG_PATH=os.path.dirname(self.pc))

    def flags(self, *options):
        with open(self.pc, encoding="utf-8") as file:
            prefix = self.root + file.readline().strip().split("=")[1]
        found = subprocess.run(["pkg-config", "--define-variable=prefix=" + prefix, *options, "shape"], check=True,
                               stdout=subprocess.PIPE, encoding="utf-8", env=self.environment)
        return found.stdout.split()

    def build(self, compiler, source, *options):
        program = os.path.join(self.root, os.path.basename(source) + "".join(options))
        flags = self.flags("--cflags", "--libs", *options)
        if "--static" in options:
            flags = ["-l:libshape.a" if flag == "-lshape" else flag for flag in flags]
        passes("%s by pkg-config%s" % (os.path.basename(source), " ".join(("",) + options)),
               [compiler, "-o", program, source, *WARNINGS, *self.sanitize, *flags])
        return program


def check_header(installed):
    header = find(installed.root, "shape.h")
    with open(header, encoding="utf-8") as file:
        included = [line.strip() for line in file if line.startswith("#include")]
    check("shape.h includes standard headers alone", included and all("<std" in line for line in included), str(included))
    for compiler, language, dialect in DIALECTS:
        passes("shape.h in %s" % dialect,
               [compiler, "-x", language, "-std=" + dialect, *WARNINGS, "-fsyntax-only", "-"],
               input='#include "%s"\nstatic const struct ox_shape *f(void) { const struct ox_shape *s = OX_SHAPE(OX_SYM("N"), '
                     'OX_SIZE(2)); return s->rank == 2 ? OX_SCALAR : s; }\nint main(void) { return f()->rank != 0; }\n' % header)


def check_programs(installed):
    with open(os.path.join(EXAMPLE, "example.expected.txt"), encoding="utf-8") as file:
        wanted = file.read()
    for options in ((), ("--static",)):
        program = installed.build("cc", os.path.join(EXAMPLE, "example.c"), *options)
        printed = passes("example.c runs%s" % " ".join(("",) + options), [program, os.path.join(MODELS, "resnet50.onnx")],
                         env=installed.environment)
        check("example.c prints what it should%s" % " ".join(("",) + options), printed == wanted, printed)
    program = installed.build("c++", os.path.join(EXAMPLE, "example.cc"))
    printed = passes("example.cc runs", [program], env=installed.environment)
    check("example.cc prints what it should", "[N, 4]\nhalf of it is N//2\nwhich is 4 for N = 9\n" in printed, printed)


def check_library(installed):
    dynamic = run(["readelf", "-d", os.path.join(installed.folder, "libshape.so")]).stdout
    check("libshape.so has a soname with its major version", "soname: [libshape.so.0]" in dynamic, dynamic)
    shown = run(["nm", "-D", "--defined-only", os.path.join(installed.folder, "libshape.so")]).stdout.splitlines()
    names = [line.split()[2] for line in shown if len(line.split()) == 3 and line.split()[1] != "A"]
    check("libshape.so shows versioned names of the header alone",
          len(names) > 30 and all(name.startswith("ox_") and "@SHAPE_0" in name for name in names), str(names[:5]))


def check_manual(installed):
    for command in ("serve", "infer", "operators", "health"):
        with open(find(installed.root, "shaped-%s.1" % command), encoding="utf-8") as file:
            page = file.read().replace("\\-", "-")
        flags = re.findall(r"^  (--\S+)", run([SHAPED, command, "--help"]).stdout, re.M)
        lacking = [flag for flag in flags if "\\fB%s\\fR" % flag not in page]
        check("shaped-%s(1) has every flag" % command, flags and not lacking, str(lacking))


def main():
    with tempfile.TemporaryDirectory() as root:
        installed = Installed(root)
        check_header(installed)
        check_programs(installed)
        check_library(installed)
        check_manual(installed)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
