#!/bin/sh
# Runs a program under Oclgrind, looking for data races, and fails if Oclgrind reports anything.
#
# usage: tools/oclgrind_run.sh PROGRAM [ARGUMENT...]
#
# OCLGRIND_OPTIONS   further options of Oclgrind, such as --uninitialized
#
# The log is written to a named pipe: Oclgrind opens its log again for every cl_context, which would empty an ordinary
# file. Two threads are used, because with one thread no group ever waits for another.
set -eu

dir=$(mktemp -d build/oclgrind.XXXXXX)
trap 'rm -rf "$dir"' EXIT
trap 'exit 143' TERM # a time limit: still leave by way of the line above
mkfifo "$dir/pipe"
cat "$dir/pipe" >"$dir/log" &
reader=$!

status=0
# Descriptor 9 keeps the pipe open between one opening by Oclgrind and the next.
oclgrind --data-races ${OCLGRIND_OPTIONS:-} --num-threads 2 --log "$dir/pipe" "$@" 9>"$dir/pipe" ||
    status=$?
wait $reader

if [ -s "$dir/log" ]; then
    echo "oclgrind: diagnostics of $1:"
    head -n 100 "$dir/log"
    if [ $status = 0 ]; then status=1; fi
fi
exit $status
