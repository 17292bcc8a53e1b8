#!/bin/sh
# Compares the speed of two versions of the header: builds gpbench with each, runs both in alternating
# rounds, and then runs tools/compare.py.
#
# usage: tools/against.sh OTHER [GPBENCH-ARGUMENT...]
#
# OTHER (A): another gpuprim.h, or a revision of git that has one. B: gpuprim.h here. Arguments are gpbench's, such as
# scan --n 2^24 --type u32 --no-peers. RUNS (11) is the number of pairs of processes: addresses of memory differ
# from process to process, which changes a row by some percent.
#
# Each version has a process of its own, so that its types and symbols do not collide. Only one of the two runs at a time.
set -eu

other=$1
shift
out=build/against
runs=${RUNS:-11}
mkdir -p "$out/src" "$out/kernels" "$out/host" "$out/tunings" # which make looks for
rm -rf "$out/bench" "$out/tools"
cp -rp Makefile gpuprim_host.h bench tools "$out"
if [ -f "$other" ]; then cat "$other"; else git show "$other:gpuprim.h"; fi >"$out/gpuprim.h.new"
cmp -s "$out/gpuprim.h.new" "$out/gpuprim.h" || cp "$out/gpuprim.h.new" "$out/gpuprim.h"
make --no-print-directory build/gpbench >/dev/null
make --no-print-directory -C "$out" -o gpuprim.h -o gpuprim_host.h build/gpbench >/dev/null

rm -f "$out/to_a" "$out/to_b" "$out/a.jsonl" "$out/b.jsonl"
mkfifo "$out/to_a" "$out/to_b"
for run in $(seq "$runs"); do
    echo "run $run of $runs" >&2
    printf . >"$out/to_a" & # the first turn
    "$out/build/gpbench" "$@" --results "$out/a.run" --turns 3,4 3<"$out/to_a" 4>"$out/to_b" >"$out/a.txt" 2>&1 &
    a=$!
    build/gpbench "$@" --results "$out/b.run" --turns 3,4 4>"$out/to_a" 3<"$out/to_b" >"$out/b.txt" 2>&1
    wait $a
    cat "$out/a.run" >>"$out/a.jsonl"
    cat "$out/b.run" >>"$out/b.jsonl"
done
tools/compare.py --in-turns "$out/a.jsonl" "$out/b.jsonl"
