#!/bin/sh
# Puts a kernel program together as src/program.c does, to standard output, with #line for messages.
#
# usage: tools/compose_kernel.sh PRELUDE PRIMITIVE
#
# PRELUDE is a description of the element, as src/monoid.c writes it (tests/native/prelude_*.h); a sort has none.
set -eu
cd "$(dirname "$0")/.."

emit() {
    printf '#line 1 "%s"\n' "$1"
    cat "$1"
}

emit "$1"
emit kernels/platform.cl
emit kernels/count.cl
fields=$(sed -n 's/^#define GPI_FIELD_COUNT //p' "$1")
field=0
while [ $field -lt "${fields:-0}" ]; do
    echo "#define GPI_FIELD $field"
    emit kernels/field.cl
    field=$((field + 1))
done
case $2 in
laws) layers="monoid laws" ;;
reduce) layers="monoid source tile reduce" ;;
scan) layers="monoid source tile tile_scan lookback sweep scan" ;;
select) layers="monoid pick tile lookback sweep compact select" ;;
merge) layers="mix key merge" ;;
search) layers="mix key search" ;;
topk) layers="mix key digit rank keep topk" ;;
sort) layers="mix key digit ring rank small sort" ;;
buckets) layers="mix key digit rank small buckets" ;;
segmented_sort) layers="mix key digit rank small segmented_sort" ;;
sort_strings) layers="mix key sort_strings" ;;
hash) layers="mix hash hash_line hash_device hash_batch hash_combine hash_slots" ;;
hash_each) layers="mix hash hash_each" ;;
segmented_reduce) layers="monoid source tile segmented_reduce" ;;
histogram) layers="histogram" ;;
brackets) layers="nest strands items brackets" ;;
stack_scan) layers="monoid source nest strands items stack_scan" ;;
tree) layers="nest tree" ;;
map) layers="map" ;;
random) layers="random" ;;
gather) layers="gather" ;;
stencil) layers="stencil" ;;
esac
for name in $layers; do emit kernels/$name.cl; done
