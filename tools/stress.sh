#!/bin/sh
# Runs the stress test, and kills it if it does not end in time.
#
# usage: tools/stress.sh PROGRAM [SECONDS [SEED [CALLS]]]
#
# The watchdog allows STRESS_GRACE seconds (300) more: kernels may have to be built first.
set -eu

program=$1
shift
seconds=${1:-10}
if [ -z "${GPUPRIM_DEVICE:-}" ]; then
    case $(build/list_devices) in
    *"Portable Computing Language: "*) export GPUPRIM_DEVICE=Portable ;;
    esac
fi
limit=
if command -v timeout >/dev/null; then limit="timeout -k 10 $((seconds + ${STRESS_GRACE:-300}))"; fi
status=0
$limit "$program" "$@" </dev/null || status=$?
case $status in
124 | 137) echo "stress: hangs, or was killed; the seed is above" ;;
esac
exit $status
