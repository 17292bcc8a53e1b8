#!/bin/sh
# Draws the rate of insertion by load, beside the published one (bench/hash/hash_published.c), as SVG.
#
# usage: tools/plot_hash.sh CSV SVG
#
# CSV is the output of `gpbench hash-published --csv`.
set -eu

csv=$1
svg=$2
points=$(mktemp -d)
trap 'rm -rf "$points"' EXIT

# Finds the columns by their names: load, here, published (0: no published rate).
awk -F , -v here="$points/here" -v published="$points/published" '
    $1 == "primitive" { for (i = 1; i <= NF; i++) at[$i] = i }
    $2 == "gpuprim:fill" {
        slots = $at["capacity"]
        print $at["load"], $at["elements_per_s"] / 1e6 >here
        if ($at["published_per_s"] > 0) print $at["load"], $at["published_per_s"] / 1e6 >published
    }
    END { if (!slots) exit 1; print slots }' "$csv" >"$points/slots" || {
    echo "plot: $csv has no rows of gpuprim:fill" >&2
    exit 1
}

slots=$(awk '{ b = log($1) / log(2); printf b == int(b) ? "2^{%d}" : "%d", b == int(b) ? b : $1 }' "$points/slots")
gnuplot <<G
set terminal svg size 900,400 font "sans-serif,13" background "white"
set output "$svg"
set multiplot layout 1,2 title "Insertion by load: 32-bit pairs, batches of 1/32 of the slots"
set xlabel "load that the batch finds"
set xrange [0:1]
set grid
set key left bottom Left reverse samplen 1.5 font ",11"
ours = "here, $slots slots"
theirs = "published: 2^{27} slots, GTX 1060"

set ylabel "M keys/s"
set logscale y
set yrange [1:1000]
plot "$points/here" with linespoints linewidth 2 pointtype 7 pointsize 0.4 title ours, \
    "$points/published" with linespoints linewidth 2 pointtype 6 title theirs

first(file) = real(system("awk 'NR == 1 { print \$2 }' " . file))
empty = first("$points/here")
published = first("$points/published")
set ylabel "share of the rate into an empty table"
unset logscale y
set yrange [0:1.1]
plot "$points/here" using 1:(\$2 / empty) with linespoints linewidth 2 pointtype 7 pointsize 0.4 title ours, \
    "$points/published" using 1:(\$2 / published) with linespoints linewidth 2 pointtype 6 title theirs
unset multiplot
G
