#!/bin/sh
# Prints the size of the project: a table of the lines and files that readers and compilers have to read.
#
# usage: tools/measures.sh
#
# Lines of kernels/ and src/ with comments; branches are #if, #ifdef, #ifndef and #elif, except include guards; a
# program's files are those that its entry file includes in its wing, directly or not.
set -eu
cd "$(dirname "$0")/.."

row() { printf '| %s | %s |\n' "$1" "$2"; }

lines() { find "$1" -name '*.c' -o -name '*.h' -o -name '*.cl' | xargs cat | wc -l; }

# Prints the file of a wing, or the common one.
place() { test -f "kernels/$1/$2" && echo "kernels/$1/$2" || echo "kernels/common/$2"; }

# Prints the files of which a wing's program consists.
files() {
    seen=
    wanted=$2
    while [ "$wanted" ]; do
        # shellcheck disable=SC2086 # no name has blanks
        seen="$seen $wanted"
        wanted=$(for file in $wanted; do sed -n 's/^#include "\(.*\)"/\1/p' "$(place "$1" "$file")"; done | sort -u |
            while read -r file; do case " $(echo $seen) " in *" $file "*) ;; *) echo "$file" ;; esac done)
    done
    echo $seen | wc -w
}

row measure value
row --- ---:
row "lines of kernels" "$(lines kernels)"
row "lines of src" "$(lines src)"
row "bytes of gpuprim.h" "$(wc -c <gpuprim.h)"
row "branches of the preprocessor in kernels" \
    "$(cat kernels/*/*/*.cl | grep -E '^[ 	]*#[ 	]*(if|ifdef|ifndef|elif)' | grep -vc '_CL$')"
row "tests of the shape in kernels" "$(cat kernels/*/*/*.cl | grep -c 'GPI_SHAPE_')"
row "files of kernels that stand in for another" "$(sed -n 's/^instead //p' kernels/layers.txt | wc -w)"
for wing in cpu gpu; do
    row "files of kernels/$wing" "$(find kernels/$wing -name '*.cl' | wc -l)"
    for program in scan/scan sort/sort sort/sort_tile hash/hash nest/brackets; do
        row "files of $program.cl, $wing" "$(files $wing $program.cl)"
    done
done
