# Debian 12 packages, for every script that needs some: `. deploy/packages.sh`, then `need_packages $BUILD_PACKAGES`.
# shellcheck shell=sh disable=SC2034

RUNTIME_PACKAGES="libjansson4 libmicrohttpd12 libnettle8 libnghttp2-14 libprotobuf-c1 libxxhash0 libzstd1 zlib1g"

BUILD_PACKAGES="gcc libc6-dev libjansson-dev libmicrohttpd-dev libnghttp2-dev libprotobuf-c-dev libxxhash-dev libzstd-dev
 meson nettle-dev ninja-build pkg-config protobuf-c-compiler protobuf-compiler python3 zlib1g-dev"

TEST_PACKAGES="$BUILD_PACKAGES check curl g++ nghttp2-client libonnx-testdata nginx-light python3-grpcio python3-protobuf wrk zstd"

# What installs the clients of tests/clients, where npm is not there already.
CLIENT_PACKAGES="nodejs npm"

CHECK_PACKAGES="$TEST_PACKAGES clang clang-format clang-tidy cppcheck shellcheck"

as_root() {
        if [ "$(id -u)" = 0 ]; then
                "$@"
        elif command -v sudo > /dev/null; then
                sudo "$@"
        else
                echo "root or sudo is needed for: $*" >&2
                return 1
        fi
}

# Installs those of the named packages that are missing, and asks no network when none is.
need_packages() {
        missing=
        for package in "$@"; do
                case "$(dpkg-query -W -f '${Status}' "$package" 2> /dev/null)" in
                "install ok installed") ;;
                *) missing="$missing $package" ;;
                esac
        done
        [ -n "$missing" ] || return 0
        echo "installing:$missing"
        as_root apt-get update -q
        # shellcheck disable=SC2086
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
}
