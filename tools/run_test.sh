#!/bin/sh
# Runs one test program, and prints its whole output at its end. Called by tools/run_tests.sh.
#
# usage: tools/run_test.sh RESULTS PROGRAM
#
# RESULTS is a file to which a line is added: name, pass or FAIL, seconds, seconds of CPU time. TEST_AGAIN, if set, runs
# a program that fails once more; a failure that does not happen again is printed, and counts as passed. TEST_FAILED is
# a folder that gets the output of a program that fails, under its name.
set -eu

results=$1
program=$2
name=$(basename "$program")
output=$(mktemp)
trap 'rm -f "$output" "$output.times"' EXIT
limit=
if command -v timeout >/dev/null; then limit="timeout -k 10 ${TEST_TIMEOUT:-600}"; fi

begin=$(date +%s)
# Now and then a sanitizer itself fails, and the program is run again. The leak sanitizer, which stops all threads to
# inspect them, fails while a thread of the OpenCL implementation is ending. The thread sanitizer failed once, because
# it allocated 558 TB.
for attempt in 1 2 3; do
    status=0
    $limit ${TEST_RUNNER:-} "$program" </dev/null >"$output" 2>&1 || status=$?
    if grep -q "WARNING: ThreadSanitizer" "$output"; then break; fi # what it has found counts
    if grep -qE "LeakSanitizer has encountered a fatal error|ThreadSanitizer failed to allocate|Sanitizer: CHECK failed" "$output"; then
        echo "== $name: attempt $attempt ended in the sanitizer itself"
    elif [ "${TEST_AGAIN:-}" ] && [ $attempt = 1 ] && [ $status != 0 ] && [ $status != 124 ] && [ $status != 137 ]; then
        echo "== $name: attempt 1 failed with exit status $status:"
        cat "$output"
        continue
    else
        break
    fi
    # Some failures of the leak sanitizer occur every time: it misreads the bytes before a library's thread-local
    # variables as their size.
    export ASAN_OPTIONS="${ASAN_OPTIONS:-}:intercept_tls_get_addr=0"
done
seconds=$(($(date +%s) - begin))
times >"$output.times"
cpu=$(awk 'NR == 2 { split($1, t, "m"); split($2, u, "m"); printf "%.0f", 60 * (t[1] + u[1]) + t[2] + u[2] }' "$output.times")
result=pass
if [ $status != 0 ]; then result=FAIL; fi

{
    echo "== $name on ${GPUPRIM_DEVICE:-the default device}, $seconds s ($cpu s of CPU time)"
    cat "$output"
    case $status in
    0) ;;
    124 | 137) echo "== $name ran longer than ${TEST_TIMEOUT:-600} s, or was killed" ;;
    *) echo "== $name failed with exit status $status" ;;
    esac
} | if [ $status = 0 ]; then cat; else tee "$TEST_FAILED/$name"; fi
echo "$name $result $seconds $cpu" >>"$results"
