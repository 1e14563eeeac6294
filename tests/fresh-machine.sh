#!/bin/bash
# tests/fresh-machine.sh [run|deploy|dockerfile] [FOLDER]: what a new user does, on a machine that has nothing. Makes a
# minimal Debian 12 in FOLDER (debootstrap, from the mirror that this machine's apt uses), clones this repository's HEAD
# into it, and runs there
#   run         ./tests/run.sh
#   deploy      ./deploy/run.sh --once
#   dockerfile  the steps of the Dockerfile, each stage in a system of its own, and then the image's own program
# Needs root and debootstrap. FOLDER (default: a temporary one) is removed when all went well.
set -eu
cd "$(dirname "$0")/.."
what=${1:-run}
folder=${2:-$(mktemp -d)}
repository=$PWD

[ "$(id -u)" = 0 ] || { echo "needs root" >&2; exit 2; }
command -v debootstrap > /dev/null || { echo "needs debootstrap" >&2; exit 2; }

# The first mirror that apt knows for bookworm.
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' | awk '$2 == "bookworm" { print $1; exit }')
[ -n "$mirror" ] || { echo "apt has no mirror of bookworm here" >&2; exit 2; }

mounted=()
cleanup() {
        for point in "${mounted[@]}"; do
                umount "$point" 2> /dev/null || true
        done
}
trap cleanup EXIT

# A new system in $1 with the sources and the proxy that apt has here, and nothing else of this machine.
system() {
        mkdir -p "$1"
        if [ -n "${base:-}" ]; then
                cp -a "$base/." "$1/"
        else
                debootstrap --variant=minbase bookworm "$1" "$mirror" > "$1.log" 2>&1 || { tail "$1.log" >&2; exit 1; }
                rm -f "$1/etc/apt/sources.list"
                for source in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
                        if [ -f "$source" ]; then
                                cp --parents "$source" "$1/"
                        fi
                done
                apt-config dump Acquire::http::Proxy > "$1/etc/apt/apt.conf.d/99proxy"
                apt-config dump Acquire::https::Proxy >> "$1/etc/apt/apt.conf.d/99proxy"
                apt-config dump Acquire::Check-Valid-Until >> "$1/etc/apt/apt.conf.d/99proxy"
                cp -L /etc/resolv.conf "$1/etc/resolv.conf"
        fi
}

start() {
        mount -t proc proc "$1/proc"
        mounted+=("$1/proc")
}

# The command that runs "$2..." in the system $1.
enter() {
        local root=$1
        shift
        command=(chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
                TERM=dumb ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@")
}

inside() {
        local command
        enter "$@"
        "${command[@]}"
}

clone() {
        git clone -q --no-hardlinks "$repository" "$1"
}

# The RUN lines of stage $1 of the Dockerfile, each as one line; WORKDIR and COPY are done by who calls.
run_lines() {
        awk -v wanted="$1" '
                /^FROM / { stage++ }
                { line = line $0 }
                /\\$/ { sub(/\\$/, " ", line); next }
                stage == wanted && line ~ /^RUN / { print substr(line, 5) }
                { line = "" }' Dockerfile
}

run_stage() {
        local root=$1 stage=$2 directory=$3 line
        while IFS= read -r line; do
                echo "RUN $line"
                inside "$root" /bin/sh -c "cd $directory && $line" < /dev/null
        done < <(run_lines "$stage")
}

try_image() {
        local program user command daemon status=0
        program=$(sed -n 's/^ENTRYPOINT \["\([^"]*\)", "serve"\]$/\1/p' Dockerfile)
        user=$(sed -n 's/^USER //p' Dockerfile)
        enter "$folder/image" setpriv --reuid="${user%:*}" --regid="${user#*:}" --clear-groups "$program" serve \
                --listen 127.0.0.1:9690
        "${command[@]}" &
        daemon=$!
        for _ in $(seq 50); do
                sleep 0.2
                inside "$folder/image" "$program" health --url http://127.0.0.1:9690 > /dev/null 2>&1 && break
        done
        inside "$folder/image" "$program" health --url http://127.0.0.1:9690 || status=1
        kill "$daemon"
        wait "$daemon" || status=1
        return $status
}

echo "a new system in $folder"
case $what in
run | deploy)
        system "$folder/system"
        start "$folder/system"
        clone "$folder/system/root/shaped"
        if [ "$what" = run ]; then
                inside "$folder/system" /root/shaped/tests/run.sh
        else
                inside "$folder/system" /root/shaped/deploy/run.sh --once
        fi
        ;;
dockerfile)
        system "$folder/build"
        base=$folder/build
        system "$folder/image"
        start "$folder/build"
        start "$folder/image"
        clone "$folder/build/src"
        run_stage "$folder/build" 1 /src
        cp deploy/packages.sh "$folder/image/tmp/packages.sh"
        run_stage "$folder/image" 2 /
        cp "$folder/build/out/usr/bin/shaped" "$folder/image/usr/bin/shaped"
        try_image
        ;;
*)
        echo "usage: tests/fresh-machine.sh [run|deploy|dockerfile] [FOLDER]" >&2
        exit 2
        ;;
esac
cleanup
rm -rf --one-file-system "$folder"
