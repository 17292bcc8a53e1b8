#!/bin/sh
# Runs bench/mpi/ on 1, 2, 4 and 8 ranks of this machine, with a core for each rank if there are as many, and prints its tables.
#
# usage: tools/mpi_bench.sh PROGRAM RESULTS [ARGUMENTS]     (listed in bench/mpi/mpi_bench.c)
# environment: MPIRUN (mpirun), RANKS (1 2 4 8); CHECK=1: compares counts with the formulas of tools/mpi_scaling.py instead
set -eu
cd "$(dirname "$0")/.."
program=$1 results=$2
shift 2
. tools/mpi_options.sh

# PoCL would give each rank a thread for each core. The name of PoCL 3, and that of 5 and later.
export POCL_MAX_PTHREAD_COUNT="${POCL_MAX_PTHREAD_COUNT:-1}" POCL_CPU_MAX_CU_COUNT="${POCL_CPU_MAX_CU_COUNT:-1}"
mkdir -p "$(dirname "$results")"
: >"$results"
for ranks in ${RANKS:-1 2 4 8}; do
    # shellcheck disable=SC2086 # words
    timeout 900 $MPIRUN $options -n "$ranks" "$program" "$@" >>"$results"
done
tools/mpi_scaling.py "$(test -n "${CHECK:-}" && echo check || echo table)" "$results"
