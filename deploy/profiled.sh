#!/bin/sh
# deploy/profiled.sh FOLDER [OPTION...]: a release build in FOLDER that the compiler optimizes for what requests do: it is
# built once to count how often each branch is taken, answers the repository's models and some nodes, and is built again.
# The options are those of `meson setup`.
set -eu

folder=$1
shift
cd "$(dirname "$0")/.."
meson setup "$folder" --buildtype=release -Db_pgo=generate "$@"
meson compile -C "$folder"
python3 deploy/train.py "$folder"
meson configure "$folder" -Db_pgo=use
meson compile -C "$folder"
