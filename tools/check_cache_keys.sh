#!/bin/sh
# Checks that comments of kernels do not change the names under which the disk cache keeps programs: a scan is cached with
# gpuprim.h, and with a header made of kernels with more comments.
#
# usage: tools/check_cache_keys.sh
set -eu
cd "$(dirname "$0")/.."

out=$PWD/build/cache_keys
rm -rf "$out"
mkdir -p "$out/tree"
cp -r kernels src host mpi tools tunings LICENSE "$out/tree"
for file in "$out"/tree/kernels/*/*/*.cl; do
    { echo '/* A comment'; echo '   of two lines. */'; sed 's,^{$,{ /* and one more */,' "$file"; } >"$file.new"
    mv "$file.new" "$file"
done
"$out/tree/tools/amalgamate.sh" "$out/tree/gpuprim.h"

keys() { # folder of gpuprim.h, name
    ${CC:-cc} ${CFLAGS:--O1} -I"$1" -o "$out/$2" examples/01_scan.c -lOpenCL -lm
    GPUPRIM_CACHE="$out/$2.cache" "$out/$2" >/dev/null
    find "$out/$2.cache" -type f -name '*.bin' | sed 's,.*/,,' | LC_ALL=C sort
}
before=$(keys . before)
after=$(keys "$out/tree" after)
if [ -z "$before" ] || [ "$before" != "$after" ]; then
    printf 'cache-keys: comments change them, from\n%s\nto\n%s\n' "$before" "$after" >&2
    exit 1
fi
echo "cache-keys: the same with other comments: $before"
