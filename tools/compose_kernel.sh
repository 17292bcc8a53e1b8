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
hash_device) layers="mix hash hash_device" ;; # for kernels of the user's
group_device) layers="group group_device" ;;
*) layers=$(sed -n "s/^    {\"$2\", \"\([a-z_ ]*\)\",\$/\1/p" src/program.c) ;;
esac
test -n "$layers" || {
    echo "compose_kernel: no primitive $2 in src/program.c" >&2
    exit 1
}
for name in $layers; do emit kernels/$name.cl; done
