#!/bin/sh
# Runs tests/mpi/ on 1, 2, 3, 4, 7 and 8 ranks of this machine, and on three of which one is killed: do the others end?
#
# usage: tools/mpi_test.sh FOLDER      (with the programs `ranks` and `manual`, the one of manual/mpi.md)
# environment: MPIRUN (mpirun), RANKS (1 2 3 4 7 8), MPI_LARGE (elements of the largest arrays: 100003)
set -eu
cd "$(dirname "$0")/.."
log=$1/die.log

. tools/mpi_options.sh

for ranks in ${RANKS:-1 2 3 4 7 8}; do
    # shellcheck disable=SC2086 # words
    timeout 900 $MPIRUN $options -n "$ranks" "$1/ranks" "${MPI_LARGE:-100003}"
done

# shellcheck disable=SC2086
timeout 60 $MPIRUN $options -n 2 "$1/manual"

# Ten seconds for the others, and as many to begin.
begin=$(date +%s)
# shellcheck disable=SC2086
if timeout 60 $MPIRUN $options -n 3 "$1/ranks" die >"$log" 2>&1 || [ $(($(date +%s) - begin)) -gt 20 ]; then
    cat "$log" >&2
    echo "mpi-test: FAIL: a rank was killed, and the others went on, or ended after $(($(date +%s) - begin)) s" >&2
    exit 1
fi
echo "mpi: a rank was killed: all have ended"
