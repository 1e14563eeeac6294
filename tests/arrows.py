#!/usr/bin/env python3
"""Keeps the includes of src/ and service/ pointing one way: base <- dim <- value <- model, ops <- infer <- render <- api <- service.
Within service/: config <- obs <- work <- net <- rest <- rpc <- main, and from the engine it includes its doors alone.
Within ops/: table <- node <- kit <- rules, custom; and a rule file includes no header of another.

rest/ and rpc/ know neither HTTP library, the engine knows no I/O library, and only service/ and tests use shape.h. What a
program outside sees through shape.h is no more than the headers that are made for it.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)

# What each part may include besides itself.
ENGINE = {
    "base": set(),
    "dim": {"base"},
    "value": {"base", "dim"},
    "model": {"base", "dim", "value"},
    "ops/table": {"base"},
    "ops/node": {"base", "dim", "value", "model", "ops/table"},
    "ops/kit": {"base", "dim", "value", "ops/table", "ops/node"},
    "ops/custom": {"base", "dim", "value", "ops/table", "ops/node", "ops/kit"},
    "ops/rules": {"base", "dim", "value", "model", "ops/table", "ops/node", "ops/kit"},
    "infer": {"base", "dim", "value", "model", "ops/table", "ops/node", "ops/kit", "ops/custom"},
    "render": {"base", "dim", "value", "infer"},
    "api": {"base", "dim", "value", "model", "ops/table", "ops/node", "ops/kit", "ops/custom", "ops/rules", "infer", "render"},
}
# What shape.h may lead to.
PUBLIC = {"base/code.h", "base/fault.h", "base/limits.h", "base/limits.def", "base/write.h", "infer/public.h"}
# How service/ reaches the engine: its two faces, the table that flags are made of, and what writes JSON and messages.
DOORS = {"shape.h", "engine.h", "base/limits.def", "render/json_out.h", "render/message_out.h"}
# What each part of service/ may include besides itself. service.h, which knows all parts that run, stands with net/.
SERVICE = {
    "config": set(),
    "obs": {"config"},
    "work": {"config", "obs"},
    "net": {"config", "obs", "work"},
    "rest": {"config", "obs", "work", "net"},
    "rpc": {"config", "obs", "work", "net", "rest"},
    "main": {"config", "obs", "work", "net", "rest", "rpc"},
}
# Headers of libraries that a part must not see.
FORBIDDEN = {
    "src": ("microhttpd", "nghttp2/", "jansson", "pthread", "threads.h", "sys/socket", "syslog", "nettle/"),
    "service/rest": ("microhttpd", "nghttp2/"),
    "service/rpc": ("microhttpd", "nghttp2/"),
}


def sources(folder):
    for path, _, files in os.walk(os.path.join(ROOT, folder)):
        for name in sorted(files):
            if name.endswith((".c", ".h", ".def", ".inc")):
                yield os.path.relpath(os.path.join(path, name), ROOT)


def includes(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return INCLUDE.findall(f.read())


def room(name):
    """The part that a path under src/ belongs to; "" for shape.h and engine.h, which stand in none."""
    return next((part for part in ENGINE if name.startswith(part + "/")), "")


def family_header(path):
    """The header that a rule file may include: the prototypes that the generator writes for its family."""
    return "ops/rules/%s.h" % re.match(r"src/ops/rules/(\w+)", path)[1]


def service_faults():
    for path in sources("service"):
        part = service_room(path[len("service/"):])
        for name in includes(path):
            if os.path.exists(os.path.join(ROOT, "src", name)) and name not in DOORS:
                yield "%s includes %s: the engine's doors are %s" % (path, name, ", ".join(sorted(DOORS)))
            target = service_room(name) if os.path.exists(os.path.join(ROOT, "service", name)) else ""
            if target and target != part and target not in SERVICE[part]:
                yield "%s includes %s: %s is not below %s" % (path, name, target, part)


def service_room(name):
    """The part of service/ that a path belongs to."""
    return "net" if name == "service.h" else name.split("/")[0]


def faults():
    yield from service_faults()
    for path in sources("src"):
        part = room(path[len("src/"):])
        if not part:
            if path.count("/") > 1 or not path.endswith(".h"):
                yield "%s stands in no room" % path
            continue
        for name in includes(path):
            target = room(name)
            if target and target != part and target not in ENGINE[part]:
                yield "%s includes %s: %s is not below %s" % (path, name, target, part)
            if part == target == "ops/rules" and name != family_header(path):
                yield "%s includes %s: rule files share through ops/kit" % (path, name)
            if name in ("shape.h", "engine.h") and part != "api":
                yield "%s includes %s, which is above it" % (path, name)
    for path in ["shape.h"] + sorted(PUBLIC):
        for name in includes("src/" + path):
            if os.path.exists(os.path.join(ROOT, "src", name)) and name not in PUBLIC:
                yield "src/%s shows %s to programs outside" % (path, name)
    for prefix, names in FORBIDDEN.items():
        for path in sources(prefix):
            for name in includes(path):
                if name.startswith(names):
                    yield "%s includes %s" % (path, name)
    for path in sources("src"):
        for name in includes(path):
            if os.path.exists(os.path.join(ROOT, "service", name)):
                yield "%s includes %s of the service" % (path, name)


def main():
    found = sorted(faults())
    for fault in found:
        print("#  " + fault)
    print(("not ok - " if found else "ok - ") + "includes point one way")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
