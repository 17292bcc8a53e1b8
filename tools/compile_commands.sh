#!/bin/sh
# Writes compile_commands.json for clangd and similar tools, with an entry for each file of kernels/ and src/.
#
# usage: tools/compile_commands.sh >compile_commands.json
#        tools/compile_commands.sh --kernel FILE      the flags of one file of kernels/
set -eu
cd "$(dirname "$0")/.."

flags_of() { # file of kernels/
    wing=gpu
    case $1 in kernels/cpu/*)
        wing=cpu
        printf '%s ' -DGPI_SHAPE_SERIAL=1
        ;;
    esac
    case $1 in
    */multisplit.cl | */tile_radix_sort.cl | */sub_group*) printf '%s ' -DGPI_SUB_GROUP=32 -DGPI_SUB_GROUP_FORM=1 ;;
    esac
    case $1 in
    */brackets.cl | */stack_*.cl) printf '%s ' -DGPI_LOOKBACK=0 ;;
    esac
    family=${1%/*}
    prelude=kernels/common/${family##*/}/prelude.h
    case $1 in */by_key*.cl | */run_sink.cl) prelude=tests/native/prelude_by_key_u32.h ;; esac
    echo "-Ikernels/$wing -Ikernels/common -include $prelude"
}

entry() { # file, command
    printf '%s  {"directory": "%s", "file": "%s", "command": "%s"}' "$comma" "$PWD" "$1" "$2 $1"
    comma=',
'
}

if [ "${1:-}" = --kernel ]; then
    flags_of "$2"
    exit
fi
mkdir -p build/editor
tools/amalgamate.sh --kernels >build/editor/kernels.h
tools/amalgamate.sh --tunings >build/editor/tunings.h
comma=
echo '['
for file in kernels/*/*/*.cl; do
    entry "$file" "clang -x cl -cl-std=CL1.2 -target spir64 -Xclang -finclude-default-header $(flags_of "$file")"
done
for file in $(find src -name '*.c' | LC_ALL=C sort); do entry "$file" "cc -std=c99 -Isrc -Ikernels/common -Ibuild/editor"; done
printf '\n]\n'
