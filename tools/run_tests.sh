#!/bin/sh
# Runs test programs, several at a time, all of them even if one fails.
#
# usage: tools/run_tests.sh PROGRAM...
#
# GPUPRIM_DEVICE   device to test; by default PoCL if it is installed, else the one that gpuprim chooses
# GPUPRIM_CACHE    as in README; by default off: PoCL compiles every kernel once more for a file of the disk cache,
#                  which is half of a cold run. Tests of the cache name folders of their own
# TEST_RUNNER      a command to run the programs under
# TEST_TIMEOUT     seconds for one program (600)
# TEST_JOBS        programs that run at the same time (the number of cores)
# TEST_AGAIN       if set, runs programs that fail once more, because OpenCL implementations crash now and then
# TEST_RESULTS     a file that gets one line per program: name, pass or FAIL, seconds
# Repeats the last lines of each failure at the end, because often only the end of a long run is kept.
set -eu

test $# -gt 0 || {
    echo "run_tests: no test programs" >&2
    exit 1
}

if [ -z "${GPUPRIM_DEVICE:-}" ]; then
    case $(build/list_devices) in
    *"Portable Computing Language: "*) export GPUPRIM_DEVICE=Portable ;;
    esac
fi

export GPUPRIM_CACHE="${GPUPRIM_CACHE:-off}"

TEST_FAILED=$(mktemp -d) # the output of each program that failed
export TEST_FAILED
trap 'rm -rf "$TEST_FAILED"' EXIT
results=${TEST_RESULTS:-$TEST_FAILED/.results}
touch "$results"
before=$(wc -l <"$results")

# Most of a test's time is spent on compiling kernels, on one core.
printf '%s\n' "$@" | xargs -P "${TEST_JOBS:-$(nproc 2>/dev/null || echo 1)}" -n 1 tools/run_test.sh "$results" || true

passed=$(tail -n +$((before + 1)) "$results" | grep -c ' pass ' || true)
for output in "$TEST_FAILED"/*; do
    if [ -f "$output" ]; then
        echo "== $(basename "$output") failed; its last lines:"
        tail -n 40 "$output"
    fi
done
failures=$(tail -n +$((before + 1)) "$results" | awk '$2 == "FAIL" { printf " %s", $1 }')
echo "tests on ${GPUPRIM_DEVICE:-the default device}: $passed test programs passed, $(($# - passed)) failed${failures:+:$failures}"
test "$passed" = $#
