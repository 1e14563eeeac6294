#!/bin/bash
# tests/soak/run.sh [fuzz|graphs|operators|requests|connections|fairness|throughput|calls|threads|large|floods|floats|optimised|all] [SIZE] [TARGET]: what takes too long for tests/run.sh, run by hand.
#   fuzz      every fuzz target under libFuzzer with address and undefined sanitizers, SIZE seconds each (default 600);
#             or TARGET alone
#   graphs    SIZE random graphs (default 20,000) that tests/blackbox/test_random.py does not try
#   operators  SIZE random nodes (default 40) of each operator that ONNX Runtime adds, held against the runtime
#   requests  SIZE requests (default 1,000,000) of every kind on a daemon with the address sanitizer, good and bad
#             bodies alike, a hundredth as many uploads that are reset, and a five hundredth as many large models: memory,
#             descriptors and threads must stay level
#   fairness  what one client's load costs another, in measurements of SIZE seconds each (default 20) on a release build
#   connections  SIZE bursts (default 50) of more connections than may be, of each of four kinds
#   throughput  requests a second beside a program that does nothing with the same bodies, in rounds of SIZE seconds (default
#             2), in a release build; BASE may name the program of an older one, which is measured too
#   calls     small InferNode calls by gRPC against Connect, in rounds of SIZE calls (default 20000)
#   threads   64 clients of every protocol at once for SIZE seconds (default 20) with the thread sanitizer, then SIGTERM
#   large     ten models of SIZE MiB (default 1024) at once by Connect, gRPC-Web and gRPC, while the daemon's memory is watched
#   floats    the texts of five times SIZE random floats (default 1,000,000), held against printf
#   floods    what floods of HTTP/2 frames cost other clients, in measurements of SIZE seconds (default 3)
#   optimised FOLDER  what ONNX Runtime's optimiser makes of the models in FOLDER at each level, as they are and quantised, held
#             against the runtime; not among all. tests/soak/public.py FOLDER brings public models
# Ends with `N passed, N failed`. Needs clang for fuzz.
set -u
cd "$(dirname "$0")/../.." || exit 1
. deploy/packages.sh
what=${1:-all}
passed=0
failed=0
export ASAN_OPTIONS=abort_on_error=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1

verdict() {
        if [ "$2" = 0 ]; then
                echo "ok - $1"
                passed=$((passed + 1))
        else
                echo "not ok - $1"
                failed=$((failed + 1))
        fi
}

build() {
        local folder=$1 flags=$2
        shift 2
        [ -f "$folder/build.ninja" ] || meson setup "$folder" -Dbuildtype=debugoptimized -Db_lundef=false \
                -Dc_args="-fno-sanitize-recover=all $flags" -Db_sanitize=address,undefined "$@" > /dev/null || return 1
        meson compile -C "$folder" > "$folder/compile.log" 2>&1 || { tail -40 "$folder/compile.log"; return 1; }
}

soak_fuzz() {
        local target name status seconds=$1 only=${2:-}
        local -a options
        # shellcheck disable=SC2086
        need_packages $TEST_PACKAGES clang || exit 1
        CC=clang build build-fuzz -fsanitize=fuzzer-no-link -Dfuzzing=true || { verdict "build of the fuzz targets" 1; return; }
        for target in build-fuzz/tests/fuzz/fuzz_${only:-*}; do
                if [ ! -f "$target" ] || [ ! -x "$target" ]; then
                        continue
                fi
                name=$(basename "$target")
                mkdir -p "build-fuzz/corpus/$name"
                options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="build-fuzz/$name-")
                [ -f "tests/fuzz/${name#fuzz_}.dict" ] && options+=(-dict="tests/fuzz/${name#fuzz_}.dict")
                # New inputs are kept in the first folder; the other is read.
                "$target" "${options[@]}" "build-fuzz/corpus/$name" "tests/fuzz/corpus/${name#fuzz_}" > "build-fuzz/$name.log" 2>&1
                status=$? # before what tells the number of inputs has one of its own
                verdict "$name: $seconds s ($(sed -n 's/^stat::number_of_executed_units: *//p' "build-fuzz/$name.log") inputs)" $status
        done
}

# A Python file beside this one, with its size.
soak_script() {
        # shellcheck disable=SC2086
        need_packages $TEST_PACKAGES || exit 1
        build build-test "" || { verdict "build" 1; return; }
        SHAPED=$PWD/build-test/service/shaped SHAPED_MODELS=$PWD/build-test/tests/models \
                PYTHONPATH=tests/blackbox python3 "tests/soak/$1.py" "$2"
        verdict "$2 $1" $?
}

# The same with the thread sanitizer.
soak_threads() {
        # shellcheck disable=SC2086
        need_packages $TEST_PACKAGES || exit 1
        [ -f build-tsan/build.ninja ] || meson setup build-tsan -Dbuildtype=debugoptimized -Db_lundef=false -Db_sanitize=thread \
                -Dtests=false > /dev/null || { verdict "build" 1; return; }
        meson compile -C build-tsan > build-tsan/compile.log 2>&1 || { tail -40 build-tsan/compile.log; verdict "build" 1; return; }
        [ -f build-test/tests/models/resnet50.onnx ] || build build-test "" || { verdict "build" 1; return; }
        SHAPED=$PWD/build-tsan/service/shaped SHAPED_MODELS=$PWD/build-test/tests/models TSAN_OPTIONS=halt_on_error=1 \
                PYTHONPATH=tests/blackbox python3 "tests/soak/$1.py" "$2"
        verdict "$2 $1" $?
}

# The same, for figures: of a build as it is released, so that they say something.
soak_figures() {
        # shellcheck disable=SC2086
        need_packages $TEST_PACKAGES || exit 1
        [ -f build/build.ninja ] || meson setup build -Dbuildtype=release > /dev/null
        meson compile -C build > build/compile.log 2>&1 || { tail -40 build/compile.log; verdict "build" 1; return; }
        PYTHONPATH=tests/blackbox python3 "tests/soak/$1.py" "$2"
        verdict "$2 $1" $?
}

# The unit test of texts of floats, with more of them.
soak_floats() {
        # shellcheck disable=SC2086
        need_packages $TEST_PACKAGES || exit 1
        build build-test "" || { verdict "build" 1; return; }
        FLOATS=$1 CK_FORK=no build-test/tests/unit/test_float_text
        verdict "$1 floats" $?
}

case $what in
fuzz) soak_fuzz "${2:-600}" "${3:-}" ;;
graphs) soak_script graphs "${2:-20000}" ;;
operators) soak_script operators "${2:-40}" ;;
requests) soak_script requests "${2:-1000000}" ;;
connections) soak_script connections "${2:-50}" ;;
fairness) soak_figures fairness "${2:-20}" ;;
throughput) soak_figures throughput "${2:-2}" ;;
calls) soak_figures calls "${2:-20000}" ;;
threads) soak_threads threads "${2:-20}" ;;
large) soak_figures large "${2:-1024}" ;;
floods) soak_figures floods "${2:-3}" ;;
optimised) soak_script optimised "${2:?tests/soak/run.sh optimised FOLDER}" ;;
floats) soak_floats "${2:-1000000}" ;;
all)
        soak_fuzz 600
        soak_script graphs 20000
        soak_script operators 40
        soak_script requests 1000000
        soak_script connections 50
        soak_figures fairness 20
        soak_figures throughput 2
        soak_figures calls 20000
        soak_threads threads 20
        soak_figures large 1024
        soak_figures floods 3
        soak_floats 1000000
        ;;
*)
        echo "usage: tests/soak/run.sh [fuzz|graphs|operators|requests|connections|fairness|throughput|calls|threads|large|floods|floats|optimised|all] [SIZE] [TARGET]" >&2
        exit 2
        ;;
esac
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
