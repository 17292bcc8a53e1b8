#!/bin/sh
# Puts a kernel program together as src/program.c does, to standard output, with #line for messages.
#
# usage: tools/compose_kernel.sh PRELUDE PRIMITIVE
#
# PRELUDE is a description of the element, as src/monoid.c writes it (tests/native/prelude_*.h).
set -eu
cd "$(dirname "$0")/.."

emit() {
    printf '#line 1 "%s"\n' "$1"
    cat "$1"
}

emit "$1"
emit kernels/platform.cl
fields=$(sed -n 's/^#define GPI_FIELD_COUNT //p' "$1")
field=0
while [ $field -lt "$fields" ]; do
    echo "#define GPI_FIELD $field"
    emit kernels/field.cl
    field=$((field + 1))
done
for name in monoid source tile; do emit kernels/$name.cl; done
case $2 in
reduce) emit kernels/reduce.cl ;;
scan) for name in tile_scan lookback scan; do emit kernels/$name.cl; done ;;
esac
