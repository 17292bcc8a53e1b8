#!/bin/sh
# Writes checksums of the code that clang generates for the kernels, to compare it before and after a change that must not
# affect it: moved files, other names, definitions in another order.
#
# usage: tools/goldens.sh OUT [FOLDER...]
#
# OUT gets a line for each program of tools/lint_kernels.sh, in its order, and one for each .cl file in the folders
# (gp_context_desc.dump_dir fills such folders), sorted, because the files' names change with the text. A line is a checksum
# of clang's unoptimized code, in which the library's names are numbered in the order in which they appear.
set -eu
cd "$(dirname "$0")/.."

if [ "${1:-}" = --ir ]; then # in place of clang, with lint_kernels.sh's arguments; line to $GOLDENS_OUT
    shift
    for argument; do
        shift
        case $argument in -fsyntax-only) ;; *) set -- "$@" "$argument" ;; esac
    done
    clang "$@" -w -S -emit-llvm -o "$GOLDENS_OUT.ll" || exit
    awk '
        /^;/ || /^source_filename/ || /^!/ || /^$/ { next }
        {
            line = ""
            while (match($0, /[@%](struct\.|union\.)?"?(gpi?|GPI)_[A-Za-z0-9_.]*/)) {
                name = substr($0, RSTART, RLENGTH)
                if (!(name in number)) number[name] = ++names
                line = line substr($0, 1, RSTART - 1) "@" number[name]
                $0 = substr($0, RSTART + RLENGTH)
            }
            print line $0
        }' "$GOLDENS_OUT.ll" | cksum >>"$GOLDENS_OUT"
    exit
fi

out=$1
shift
: >"$out"
export GOLDENS_OUT="$out"
CLANG="tools/goldens.sh --ir" tools/lint_kernels.sh
export GOLDENS_OUT="$out.dumps"
: >"$GOLDENS_OUT"
for folder; do
    for file in "$folder"/*.cl; do
        tools/goldens.sh --ir -x cl -cl-std=CL1.2 -target spir64 -Xclang -finclude-default-header \
            -Xclang -disable-llvm-passes "$file"
    done
done
LC_ALL=C sort "$out.dumps" >>"$out"
rm -f "$out.ll" "$out.dumps" "$out.dumps.ll"
