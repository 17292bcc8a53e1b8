#!/bin/sh
# Makes gpuprim.h from src/ and kernels/.
#
# usage: tools/amalgamate.sh [OUT]      (to standard output without OUT)
#
# The public API comes first, verbatim. Behind GP_IMPLEMENTATION follow the internal header, the kernels
# as arrays of one string literal a source line (no compiler's literal limit is hit, and the text stays
# greppable), the implementation and the licence. The same input gives the same bytes.
set -eu

API=src/gpuprim_api.h
INTERNAL=src/internal.h
KERNELS="platform count field monoid source group group_device tile tile_scan sabotage lookback sweep reduce laws scan pick masks stream compact select key digit ring rank small sort buckets segmented_sort sort_strings merge search keep topk mix hash hash_line hash_device hash_batch hash_combine hash_slots hash_each node symbols back nest strands items join brackets brackets_back stack_scan tree_runs tree_serial tree_local tree histogram segmented_reduce map random gather stencil"
SOURCES="error device profile context cache build_log program program_save events launch type user_text monoid laws reduce scan compact select unique key sort_plan sort buckets segmented_sort sort_strings merge search topk hash_table hash hash_find hash_slots device_source nest brackets stack_scan tree histogram segmented_reduce reduce_by_key map random gather stencil"
LICENSE=LICENSE

die() {
    echo "amalgamate: $*" >&2
    exit 1
}

out=${1:-}
case $out in
'' | /*) ;;
*) out=$PWD/$out ;;
esac
cd "$(dirname "$0")/.."

check_input() {
    test -f "$1" || die "$1 is missing"
    test -s "$1" || die "$1 is empty"
}

check_inputs() {
    check_input $API
    check_input $INTERNAL
    check_input $LICENSE
    for name in $KERNELS; do check_input "kernels/$name.cl"; done
    for name in $SOURCES; do check_input "src/$name.c"; done
}

# A source file between banners, without its private includes.
emit_source() {
    printf '/* ---- Begin file %s ---- */\n' "$1"
    awk '!/^[ \t]*#[ \t]*include[ \t]*"/' "$1"
    printf '/* ---- End file %s ---- */\n\n' "$1"
}

# kernels/NAME.cl as gpi_kernel_NAME[]. The first entry makes build logs name file and line.
# A second question mark in a row is escaped, because C99 reads some such pairs as trigraphs.
emit_kernel() {
    printf '/* ---- Begin file kernels/%s.cl ---- */\n' "$1"
    printf 'static const char *const gpi_kernel_%s[] = {\n' "$1"
    printf '    "#line 1 \\"kernels/%s.cl\\"\\n",\n' "$1"
    awk '{
        gsub(/[\\"]/, "\\\\&")
        while (sub(/\?\?/, "?\\?"));
        printf "    \"%s\\n\",\n", $0
    }' "kernels/$1.cl"
    printf '};\n'
    printf '/* ---- End file kernels/%s.cl ---- */\n\n' "$1"
}

# All of them, by name.
emit_kernel_table() {
    echo 'typedef struct gpi_kernel_text {'
    echo '    const char *name;'
    echo '    const char *const *lines;'
    echo '    size_t count;'
    echo '} gpi_kernel_text;'
    echo
    echo 'static const gpi_kernel_text gpi_kernel_texts[] = {'
    for name in $KERNELS; do
        printf '    {"%s", gpi_kernel_%s, GPI_COUNT_OF(gpi_kernel_%s)},\n' "$name" "$name" "$name"
    done
    echo '};'
    echo
}

emit_header() {
    cat $API
    echo
    echo '/* From here on this file is generated: tools/amalgamate.sh makes it from src/ and kernels/. */'
    echo '#ifdef GP_IMPLEMENTATION'
    echo '#ifndef GPI_IMPLEMENTATION_ONCE'
    echo '#define GPI_IMPLEMENTATION_ONCE'
    echo
    emit_source $INTERNAL
    for name in $KERNELS; do emit_kernel "$name"; done
    emit_kernel_table
    for name in $SOURCES; do emit_source "src/$name.c"; done
    echo '/*'
    cat $LICENSE
    echo '*/'
    echo '#endif /* GPI_IMPLEMENTATION_ONCE */'
    echo '#endif /* GP_IMPLEMENTATION */'
}

check_inputs
if [ -z "$out" ]; then
    emit_header
else
    # Renamed only when whole: an interrupted run leaves the old header in place.
    trap 'rm -f "$out.tmp"' EXIT
    emit_header >"$out.tmp"
    mv "$out.tmp" "$out"
fi
