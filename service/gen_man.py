#!/usr/bin/env python3
"""`gen_man.py PROGRAM VERSION FOLDER`: the manual pages, from what the program's --help makes of the tables of flags.

Writes shaped.1, and shaped-COMMAND.1 for each command that `PROGRAM --help` lists.
"""
import os
import re
import subprocess
import sys

COMMAND = re.compile(r"^  shaped (\w+) +(\S.*?)  +(\S.*)$", re.M)
FLAG = re.compile(r"^  (--\S+)(?: (\S+))?\s*\n((?:        .*\n)+)", re.M)
VARIABLE = re.compile(r"^\[(SHAPED_\w+), default (.*)\]$", re.M)


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def title(name, version, said):
    return '.TH %s 1 "" "shaped %s" ""\n.SH NAME\n%s \\- %s\n' % (name.upper(), version, roff(name), roff(said))


def flags(text):
    for name, argument, body in FLAG.findall(text):
        lines = " ".join(line.strip() for line in body.splitlines() if not line.strip().startswith("[SHAPED_"))
        given = VARIABLE.search("\n".join(line.strip() for line in body.splitlines()))
        yield ".TP\n\\fB%s\\fR%s\n%s\n" % (roff(name), " \\fI%s\\fR" % roff(argument) if argument else "", roff(lines))
        if given:
            yield ".br\nEnvironment variable \\fB%s\\fR, default %s.\n" % (roff(given.group(1)), roff(given.group(2)))


def main():
    program, version, folder = sys.argv[1:]

    def printed(*arguments):
        return subprocess.run([program, *arguments, "--help"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout

    def write(name, text):
        with open(os.path.join(folder, name + ".1"), "w", encoding="utf-8") as file:
            file.write(text)

    commands = COMMAND.findall(printed())
    listed = ""
    for command, usage, said in commands:
        name = "shaped-" + command
        write(name, title(name, version, said) + ".SH SYNOPSIS\n\\fBshaped %s\\fR %s\n.SH FLAGS\n" % (command, roff(usage)) +
              "".join(flags(printed(command))) + ".SH SEE ALSO\n\\fBshaped\\fR(1)\n")
        listed += ".TP\n\\fBshaped %s\\fR %s\n%s: see \\fB%s\\fR(1).\n" % (command, roff(usage), roff(said), roff(name))
    write("shaped", title("shaped", version, "types and shapes of every value of an ONNX model") +
          ".SH SYNOPSIS\n\\fBshaped\\fR \\fICOMMAND\\fR [flags]\n.br\n\\fBshaped \\-\\-version\\fR | \\fB\\-\\-help\\fR\n"
          ".SH COMMANDS\n" + listed +
          ".SH EXIT STATUS\n0: done, also with diagnostics. 1: unreadable or, with \\-\\-strict, faulty. 2: wrong usage.\n")


if __name__ == "__main__":
    main()
