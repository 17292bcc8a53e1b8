#!/bin/sh
# Checks that the public API is documented, and prints what is missing.
#
# usage: tools/check_docs.sh [HEADER]      (gpuprim.h without HEADER)
#
#   function   each GP_API function has a comment: right before it, or before the block of declarations without blank
#              lines that it belongs to. Or its desc has a comment, or the comment of a desc names it
#   field      each field of each gp_..._desc has one: on its line, or on lines of its own before it, up to the next
#              blank line. Or it is named by the comment of its desc, of a call with that desc, or by the rules for
#              every call. Or its type is named after it (gp_border border). The comment of NAME covers
#              NAME_offset, that of a_NAME covers b_NAME, and count_buffer, count_offset and count_type need none
#   label      the comment of a call that has a desc has a line "Cost:"
#   use        each function is named in a test or an example
set -eu
cd "$(dirname "$0")/.."

header=${1:-gpuprim.h}

found=$(mktemp)
trap 'rm -f "$found"' EXIT
functions=$(awk -v label=Cost -f tools/check_docs.awk "$header" | tee "$found" | sed -n 's/^function //p')
used=$(find tests examples \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -exec cat {} + | grep -o 'gp_[a-z0-9_]*' | sort -u)
for name in $functions; do
    echo "$used" | grep -qx "$name" || echo "missing use $name"
done >>"$found"

sed -n 's/^missing \([^ ]*\) /docs: no \1: /p' "$found"
awk '{ n[$1]++ } END {
    printf "docs: %d functions, %d fields, %d missing\n", n["function"], n["field"], n["missing"]
    exit n["missing"] > 0 || n["function"] == 0
}' "$found"
