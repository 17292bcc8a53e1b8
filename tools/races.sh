#!/bin/sh
# Runs tests under Oclgrind, which looks for data races, accesses out of bounds, and uses of memory that was not
# written. First runs kernels with planted faults, which must be found.
#
# usage: tools/races.sh PLANTED PROGRAM...
#
# PLANTED        tests/races/planted.c
# TEST_TIMEOUT   seconds for one program (3000)
set -eu

planted=$1
shift
tools/deps.sh oclgrind
export GPUPRIM_TEST_SMALL=1 GPUPRIM_DEVICE=Oclgrind OCLGRIND_OPTIONS=--uninitialized
export XDG_CACHE_HOME="$PWD/build/cache/races" # of kernels built by way of tests/races/shadow.c

must_find() { # kernel diagnostic
    said=$(timeout 60 tools/oclgrind_run.sh "$planted" "$1" 2>&1 || true)
    case $said in
    *"$2"*) ;;
    *)
        echo "races: not found: $1 ($2)"
        echo "$said"
        exit 1
        ;;
    esac
}

must_find global_race "data race at global memory"
must_find local_race "data race at local memory"
must_find out_of_bounds "Invalid write"
must_find never_written "depends on uninitialized value"
echo "races: 4 planted faults found"

TEST_RUNNER=tools/oclgrind_run.sh TEST_TIMEOUT=${TEST_TIMEOUT:-3000} tools/run_tests.sh "$@"
