#!/bin/sh
# Formats the sources, or with --check only reports files that are not in house style.
#
# usage: tools/format.sh [--check]
set -eu
cd "$(dirname "$0")/.."

# gpuprim.h, gpuprim_host.h and gpuprim_mpi.h are left out: they are made from formatted files.
list_sources() {
    printf '%s\n' gpuprim.hpp
    find src kernels host mpi apps tests bench examples tools manual -type f \
        \( -name '*.c' -o -name '*.h' -o -name '*.cl' -o -name '*.cpp' -o -name '*.hpp' \)
}

list_texts() {
    list_sources
    find . -type f \( -name '*.md' -o -name '*.sh' -o -name '*.awk' -o -name Makefile \) \
        ! -path './build/*' ! -path './.git/*'
}

if [ "${1:-}" != --check ]; then
    list_sources | xargs clang-format -i
    exit
fi

status=0
list_sources | xargs clang-format --dry-run -Werror || status=1
# Tabs are only allowed in Makefile and in here-documents.
if list_texts | LC_ALL=C xargs grep -n '[^	 -~]\|[ 	]$'; then
    echo "format: the lines above have characters outside ASCII, or blanks at their end" >&2
    status=1
fi
exit $status
