#!/bin/bash
# Every test, on a Debian 12 machine as root or with sudo: installs what is missing, builds with address and undefined
# sanitizers (and once more with the thread sanitizer), runs all, and ends with `N passed, N failed`. Build trees and the
# full output stay in build-test and build-tsan.
set -u
cd "$(dirname "$0")/.." || exit 1
. deploy/packages.sh
# shellcheck disable=SC2086
need_packages $TEST_PACKAGES || exit 1
# shellcheck disable=SC2086
command -v npm > /dev/null || need_packages $CLIENT_PACKAGES || echo "no npm: tests/blackbox/test_clients.py leaves clients out"

export ASAN_OPTIONS=abort_on_error=1:detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1
passed=0
failed=0

# Counts a file of output: rows `ok - ` and `not ok - `, and the summaries of check.
count() {
        local ok not checks faults
        ok=$(grep -c '^ok - ' "$1")
        not=$(grep -c '^not ok - ' "$1")
        read -r checks faults < <(sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\)/\1 \2 \3/p' "$1" |
                awk '{ checks += $1; faults += $2 + $3 } END { print checks + 0, faults + 0 }')
        passed=$((passed + ok + checks - faults))
        failed=$((failed + not + faults))
        return $((not + faults > 0))
}

# A step that failed without a row that says so counts as one failure.
count_step() {
        if ! count "$2"; then
                grep -A 3 -E '^not ok - |:[FE]:' "$2" | head -100
        elif [ "$3" != 0 ]; then
                echo "not ok - $1 (exit status $3)"
                tail -40 "$2"
                failed=$((failed + 1))
        fi
}

build() {
        local folder=$1
        shift
        if [ ! -f "$folder/build.ninja" ]; then
                meson setup "$folder" -Dwerror=true -Dbuildtype=debugoptimized -Db_lundef=false \
                        -Dc_args=-fno-sanitize-recover=all "$@" > "$folder.log" 2>&1 || { cat "$folder.log"; return 1; }
                mv "$folder.log" "$folder/setup.log"
        fi
        meson compile -C "$folder" > "$folder/compile.log" 2>&1 || { tail -60 "$folder/compile.log"; return 1; }
}

# meson's log has every test's whole output.
run_meson() {
        local folder=$1 status
        shift
        meson test -C "$folder" --no-rebuild "$@" > "$folder/test.log" 2>&1
        status=$?
        [ $status = 0 ] || grep -E 'FAIL|TIMEOUT|ERROR' "$folder/test.log"
        count_step "meson test" "$folder/meson-logs/testlog.txt" $status
}

run_blackbox() {
        local folder=$1 test log
        shift
        for test in "$@"; do
                log=$folder/$(basename "$test" .py).log
                SHAPED=$PWD/$folder/service/shaped SHAPED_MODELS=$PWD/$folder/tests/models \
                        timeout 900 python3 "$test" > "$log" 2>&1
                count_step "$test" "$log" $?
        done
}

started=$SECONDS
step() { echo "== $1 ($((SECONDS - started)) s)"; }

step "build with address and undefined sanitizers"
if build build-test -Db_sanitize=address,undefined; then
        step "unit tests, cases, fuzz targets"
        run_meson build-test
        step "black box"
        run_blackbox build-test tests/blackbox/test_*.py
else
        echo "not ok - build"
        failed=$((failed + 1))
fi
step "build with thread sanitizer"
if build build-tsan -Db_sanitize=thread -Dtests=false; then
        step "black box: many threads"
        run_blackbox build-tsan tests/blackbox/test_drain*.py tests/blackbox/test_http2.py
else
        echo "not ok - build with thread sanitizer"
        failed=$((failed + 1))
fi
step "layering and documents"
python3 tests/arrows.py > build-test/arrows.log 2>&1
count_step "tests/arrows.py" build-test/arrows.log $?
python3 tests/docs.py > build-test/docs.log 2>&1
count_step "tests/docs.py" build-test/docs.log $?
step "done"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
