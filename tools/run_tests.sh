#!/bin/sh
# Runs test programs one after the other, all of them even when one fails.
#
# usage: tools/run_tests.sh PROGRAM...
#
# GPUPRIM_DEVICE   device to test; by default PoCL where it is installed, else what gpuprim chooses
# TEST_RUNNER      a command to run the programs under
# TEST_TIMEOUT     seconds for one program (600)
# TEST_RESULTS     a file that gets one line a program: name, pass or FAIL, seconds
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

limit=
if command -v timeout >/dev/null; then limit="timeout -k 10 ${TEST_TIMEOUT:-600}"; fi

passed=0
failures=
for program in "$@"; do
    name=$(basename "$program")
    echo "== $name on ${GPUPRIM_DEVICE:-the default device}"
    begin=$(date +%s)
    status=0
    $limit ${TEST_RUNNER:-} "$program" </dev/null || status=$?
    seconds=$(($(date +%s) - begin))
    if [ $status = 0 ]; then
        passed=$((passed + 1))
        result=pass
    else
        failures="$failures $name"
        result=FAIL
        case $status in
        124 | 137) echo "== $name ran longer than ${TEST_TIMEOUT:-600} s, or was killed" ;;
        *) echo "== $name failed with exit status $status" ;;
        esac
    fi
    if [ -n "${TEST_RESULTS:-}" ]; then echo "$name $result $seconds" >>"$TEST_RESULTS"; fi
done

echo "tests on ${GPUPRIM_DEVICE:-the default device}: $passed test programs passed, $(($# - passed)) failed${failures:+:$failures}"
test $passed = $#
