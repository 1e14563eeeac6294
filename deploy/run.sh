#!/bin/sh
# deploy/run.sh [--once] [MODEL.onnx]: from a clone on a Debian 12 machine to a running daemon. Installs what is missing,
# builds for release, starts the daemon on 127.0.0.1:8080, sends it the model (or one that the repository holds), prints
# the table of shapes, and leaves the daemon in the foreground; --once stops it. SHAPED_LISTEN takes another address.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
listen=${SHAPED_LISTEN:-127.0.0.1:8080}
once=no
model=
for argument in "$@"; do
        case $argument in
        --once) once=yes ;;
        -*) echo "usage: deploy/run.sh [--once] [MODEL.onnx]" >&2; exit 2 ;;
        *) model=$(realpath "$argument") ;;
        esac
done
if [ -n "$model" ] && [ ! -r "$model" ]; then
        echo "$model cannot be read" >&2
        exit 1
fi

cd "$root"
. deploy/packages.sh
log=$(mktemp)
quietly() {
        if ! "$@" > "$log" 2>&1; then
                cat "$log" >&2
                exit 1
        fi
}
echo "installing and building ..."
# shellcheck disable=SC2086
quietly need_packages $BUILD_PACKAGES curl
[ -f build/build.ninja ] || quietly meson setup build -Dtests=false
quietly meson compile -C build
model=${model:-$root/build/tests/models/resnet50.onnx}

build/service/shaped serve --listen "$listen" &
daemon=$!
trap 'rm -f "$log"; kill "$daemon" 2> /dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
tries=0
until build/service/shaped health --url "http://$listen" > /dev/null 2>&1; do
        tries=$((tries + 1))
        if [ $tries -gt 100 ] || ! kill -0 "$daemon" 2> /dev/null; then
                echo "the daemon on $listen did not become ready" >&2
                exit 1
        fi
        sleep 0.1
done

curl -sS --fail-with-body --noproxy '*' -H 'Accept: text/plain' -H 'Content-Type: application/octet-stream' \
        -T "$model" -X POST "http://$listen/v1/models:infer"
status=0
if [ $once = yes ]; then
        kill "$daemon"
        wait "$daemon" || status=$?
else
        echo
        echo "shaped listens on http://$listen; for example:"
        echo "  curl --data-binary @$model -H 'Accept: text/plain' http://$listen/v1/models:infer"
        wait "$daemon" || status=$?
fi
exit $status
