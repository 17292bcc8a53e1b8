#!/bin/sh
# Makes every call fail once in each scenario, and prints a summary. See tests/fault/fault.h.
#
# usage: tools/fault.sh [SCENARIO...]
#
# GPUPRIM_DEVICE   the device; by default PoCL if it is installed
# FAULT_TURNS      the number of errors with which each call fails, one after the other (3)
# FAULT_PASSES     initial letters of the passes wanted, of those in tests/fault/driver.c (all)
# FAULT_TIMEOUT    seconds for one scenario (6000)
# TEST_JOBS        scenarios that run at the same time (the number of cores)
set -eu
cd "$(dirname "$0")/.."

driver=build/fault/driver
results=build/fault/results
rm -rf $results
mkdir -p $results

# The functions that the harness must handle: each OpenCL function that is called, and each call of the API.
missing=$(
    find src host -name '*.c' -exec grep -oh '\bcl[A-Z][A-Za-z]*(' {} + | sort -u | while read -r call; do
        grep -q "X(${call%(})" tests/fault/layer.c || echo "layer.c: ${call%(}"
    done
    sed -n 's/^GP_\(HOST_\)\{0,1\}API gp_result \(gp_[a-z_]*\)(.*/\2/p' src/api/*.h host/api/*.h | grep -v '^gp_set_error$' | while read -r call; do
        grep -q "\b$call(\|SIZE(${call#gp_}" tests/fault/*.c ||
            grep -q "SIZE($(echo "${call#gp_}" | sed 's/_scratch_size//')," tests/fault/*.c || echo "scenarios: $call"
    done
)
if [ -n "$missing" ]; then
    echo "fault: missing in tests/fault: $missing" >&2
    exit 1
fi

if [ -z "${GPUPRIM_DEVICE:-}" ]; then export GPUPRIM_DEVICE=Portable; fi
export OPENCL_LAYERS="$PWD/build/fault/layer.so"
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
export LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0"
export UBSAN_OPTIONS=print_stacktrace=1
export FAULT_TURNS="${FAULT_TURNS:-3}" FAULT_TIMEOUT="${FAULT_TIMEOUT:-6000}"

# The watchdog is here, not in the library: a scenario that hangs is killed, and counts as failed. (As in run_test.sh, a
# scenario is repeated if the leak sanitizer itself has crashed, and with PoCL 3.1: docs/drivers.md, "Binaries".)
run_one='
    for attempt in 1 2 3 4 5; do
        status=0
        timeout -k 10 "$FAULT_TIMEOUT" '$driver' "$1" "$FAULT_TURNS" >'$results'/"$1" 2>&1 </dev/null || status=$?
        grep -qE "LeakSanitizer has encountered a fatal error|pocl_release_dlhandle_cache: Assertion" '$results'/"$1" || break
        export ASAN_OPTIONS="$ASAN_OPTIONS:intercept_tls_get_addr=0"
    done
    cat '$results'/"$1"
    if [ $status != 0 ]; then echo "WRONG: $1 ended with exit status $status"; fi >>'$results'/failed
'
if [ $# = 0 ]; then set -- $($driver --list); fi
: >$results/failed
printf '%s\n' "$@" | xargs -P "${TEST_JOBS:-$(nproc 2>/dev/null || echo 1)}" -n 1 sh -c "$run_one" run_one

cat $results/failed
cat $results/* | awk -v scenarios=$# '/ calls failed, / { failed += $2; survived += $5; told += $7; without += $9 }
    END { printf "fault: %d scenarios, %d calls failed, %d survived (%d told, %d done without)\n",
          scenarios, failed, survived, told, without }'
test ! -s $results/failed
