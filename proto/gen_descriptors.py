#!/usr/bin/env python3
"""Writes what the server's reflection knows, as C: gen_descriptors.py OUT.c PROTOC PROTO_PATH FILE.proto ...

The files as protoc describes them (google.protobuf.FileDescriptorSet, with all imports), each with the numbers of those that it
imports, and the full name of every message, enum, service and method with the number of its file, sorted. rpc/descriptors.h has
the types.
"""
import os
import subprocess
import sys
import tempfile

# Fields of descriptor.proto.
FILE_NAME, FILE_PACKAGE, FILE_IMPORT, FILE_MESSAGE, FILE_ENUM, FILE_SERVICE = 1, 2, 3, 4, 5, 6
NAME, MESSAGE_NESTED, MESSAGE_ENUM, SERVICE_METHOD = 1, 3, 4, 2
VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def fields(data):
    """(number, bytes) of every field that has a length; others tell nothing here."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == VARINT:
            _, at = varint(data, at)
        elif kind in (FIXED32, FIXED64):
            at += 4 if kind == FIXED32 else 8
        else:
            length, at = varint(data, at)
            yield tag >> 3, data[at:at + length]
            at += length


def texts(data, number):
    return [value.decode() for n, value in fields(data) if n == number]


def names_of(data, within, inner):
    """The full names of a message, enum or service, and of what stands in it: `inner` has the fields and what these hold."""
    name = within + texts(data, NAME)[0]
    yield name
    for number, value in fields(data):
        if number in inner:
            yield from names_of(value, name + ".", inner if number == MESSAGE_NESTED else {})


def symbols(file):
    package = "".join(p + "." for p in texts(file, FILE_PACKAGE))
    inner = {FILE_MESSAGE: {MESSAGE_NESTED, MESSAGE_ENUM}, FILE_ENUM: set(), FILE_SERVICE: {SERVICE_METHOD}}
    for number, value in fields(file):
        if number in inner:
            yield from names_of(value, package, inner[number])


def describe(protoc, path, names):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "set")
        subprocess.run([protoc, "--proto_path=" + path, "--include_imports", "--descriptor_set_out=" + out, *names], check=True)
        with open(out, "rb") as f:
            return [value for _, value in fields(f.read())]


def main():
    out, protoc, path, *names = sys.argv[1:]
    files = describe(protoc, path, names)
    numbers = {texts(file, FILE_NAME)[0]: i for i, file in enumerate(files)}
    lines = ['#include "rpc/descriptors.h"', ""]
    for i, file in enumerate(files):
        lines.append("static const uint8_t file_%d[] = {" % i)
        lines += ["        %s," % ", ".join("%d" % b for b in file[at:at + 24]) for at in range(0, len(file), 24)]
        lines.append("};")
    lines += ["", "const struct descriptor_file descriptor_files[] = {"]
    for i, file in enumerate(files):
        imports = ", ".join(str(numbers[name]) for name in texts(file, FILE_IMPORT))
        count = len(texts(file, FILE_IMPORT))
        lines.append('        {"%s", file_%d, sizeof(file_%d), {%s}, %d},' % (texts(file, FILE_NAME)[0], i, i, imports or "0", count))
    lines += ["};", "const size_t descriptor_file_count = %d;" % len(files), "", "const struct descriptor_symbol descriptor_symbols[] = {"]
    known = sorted((symbol, i) for i, file in enumerate(files) for symbol in symbols(file))
    lines += ['        {"%s", %d},' % pair for pair in known]
    lines += ["};", "const size_t descriptor_symbol_count = %d;" % len(known)]
    with open(out, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")


main()
