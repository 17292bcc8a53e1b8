#!/bin/sh
# Runs tests/mpi/ranks.c on 1, 2, 3, 4, 7 and 8 ranks of this machine, and on three ranks of which one is
# killed, before a call and at a random moment, to see that the others end. Or runs tests/mpi/faults.c on three ranks.
#
# usage: tools/mpi_test.sh FOLDER      (with the programs `ranks`, `manual`, `manual_join` and `manual_reference`: the manual's)
#        tools/mpi_test.sh FOLDER faults
# environment: MPIRUN (mpirun), RANKS (1 2 3 4 7 8; of faults: 3), MPI_LARGE (elements of the largest arrays: 100003),
#              MPI_FAULTS (how many calls of OpenCL fail in each gp_mpi_... call: 12; 0: all), MPI_MOMENTS (ms)
set -eu
cd "$(dirname "$0")/.."
log=$1/die.log

. tools/mpi_options.sh

if [ "${2:-}" = faults ]; then
    export OPENCL_LAYERS="$PWD/build/fault/layer.so"
    for ranks in ${RANKS:-3}; do
        # shellcheck disable=SC2086
        timeout 3000 $MPIRUN $options -n "$ranks" "$1/faults" "${MPI_FAULTS:-12}"
    done
    exit
fi

for ranks in ${RANKS:-1 2 3 4 7 8}; do
    # shellcheck disable=SC2086 # words
    timeout 900 $MPIRUN $options -n "$ranks" "$1/ranks" "${MPI_LARGE:-100003}"
done

# shellcheck disable=SC2086
timeout 60 $MPIRUN $options -n 2 "$1/manual"
# shellcheck disable=SC2086
timeout 60 $MPIRUN $options -n 2 "$1/manual_join"
# shellcheck disable=SC2086
timeout 60 $MPIRUN $options -n 2 "$1/manual_reference"

# The other ranks get ten seconds, and ten more to start.
for moment in 0 ${MPI_MOMENTS:-$(awk 'BEGIN { srand(); print int(50 * rand()), int(500 * rand()), int(2000 * rand()) }')}; do
    begin=$(date +%s)
    # shellcheck disable=SC2086
    if timeout 60 $MPIRUN $options -n 3 "$1/ranks" die "$moment" >"$log" 2>&1 || grep -q "ranks.c" "$log" || [ $(($(date +%s) - begin)) -gt $((20 + moment / 1000)) ]; then
        cat "$log" >&2
        echo "mpi-test: FAIL: a rank was killed after $moment ms, and the others went on, or ended after $(($(date +%s) - begin)) s" >&2
        exit 1
    fi
    echo "mpi: a rank was killed after $moment ms: all have ended"
done
