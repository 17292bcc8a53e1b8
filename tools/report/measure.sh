#!/bin/sh
# Runs gpbench's sub-commands into one results file.
#
# usage: tools/report/measure.sh RESULTS INFO
#
# INFO is what `make info` printed. On a CPU the peers run, too, and some of them are a hundred times slower than the
# library: there sorts, nests and hash tables are smaller than in `gpbench all`.
set -eu

results=$1
info=$2
status=0

if ! grep -q '^  class *CPU' "$info"; then
    exec build/gpbench all --results "$results"
fi

part=$results.part
trap 'rm -f "$part"' EXIT
: >"$results"

# A failure is also in the rows, so the script continues.
measure() { # sub-command options...
    build/gpbench "$@" --results "$part" || status=1
    if [ -s "$results" ]; then
        sed 1d "$part" >>"$results"
    else
        sed '1s/"command": "[^"]*"/"command": "tools\/report\/measure.sh"/' "$part" >"$results"
    fi
}

for name in stream launch reduce ladder scan dot segmented affine; do measure $name; done
for name in select unique rle rle-decode by-key; do measure $name --n 2^24 --repeats 3; done
for name in group-by join; do measure $name --n 2^24 --repeats 3; done
measure sort --n 2^21 --repeats 3
for name in merge topk; do measure $name --n 2^24 --repeats 3; done
measure topk-rows --n 2^24 --repeats 3
measure search --n 2^22 --repeats 3
for name in histogram segmented-sort; do measure $name --n 2^22 --repeats 5; done
measure strings --n 2^20 --repeats 1
measure brackets --n 2^22 --repeats 3
measure json --n 2^24 --repeats 3
measure hash --n 2^19 --repeats 3
for name in transform fill random gather columns rows transpose stencil; do measure $name; done
exit $status
