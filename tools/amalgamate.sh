#!/bin/sh
# Makes gpuprim.h from src/, kernels/ and tunings/; gpuprim_host.h from host/, gpuprim_mpi.h from mpi/.
#
# usage: tools/amalgamate.sh [OUT]      (to standard output without OUT)
#        tools/amalgamate.sh --host [OUT]
#        tools/amalgamate.sh --mpi [OUT]
#        tools/amalgamate.sh --api      (only the public part; --kernels, --tunings: the files that src/ includes as kernels.h and tunings.h)
#
# The public header comes first, verbatim. After GP_IMPLEMENTATION follow the sources, folder by folder as
# src/layers.txt lists them, each after the headers that it includes (tools/resolve.awk), and the licence.
# "kernels.h" is replaced by the kernels, as arrays with one string literal per source line
# (so no compiler's limit of literals is reached, and grep finds the text), and "tunings.h" by one string per file of
# tunings/. The same input gives the same bytes.
set -eu

API=src/api/gpuprim.h
HOST_API=host/api/gpuprim_host.h
MPI_API=mpi/api/gpuprim_mpi.h
KERNELS=$(cd "$(dirname "$0")/../kernels" && find . -name "*.cl" | sed "s,^\./,,; s,\.cl$,," | LC_ALL=C sort)
LICENSE=LICENSE
# The files that gp_device_source gives to users.
FOR_USERS="base/constants base/platform base/paste base/count element/hash_function element/op group/collectives group/device hash/constants hash/table hash/device" # of common/

die() {
    echo "amalgamate: $*" >&2
    exit 1
}

emit=emit_header
case ${1:-} in
--host | --mpi)
    emit=emit_${1#--}_header
    shift
    ;;
esac
out=${1:-}
case $out in
'' | /* | --api | --kernels | --tunings) ;;
*) out=$PWD/$out ;;
esac
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

check_input() {
    test -f "$1" || die "$1 is missing"
    test -s "$1" || die "$1 is empty"
}

check_inputs() {
    check_input $API
    check_input $HOST_API
    check_input $MPI_API
    check_input $LICENSE
    for name in $KERNELS; do check_input "kernels/$name.cl"; done
}

# The sources of $1, in the order of the folders.
list_sources() {
    awk '{ print $1 }' "$1/layers.txt" | while read -r folder; do
        find "$1/$folder" -name '*.c' | LC_ALL=C sort
    done
}

# Writes the files of list $3, below $1, each after the headers that it includes. Skips the headers of list $2, which
# are written already.
emit_sources() {
    # shellcheck disable=SC2086 # no name has blanks
    awk -v root="$1" -v known="$2" -v generated="src/kernels.h=$scratch/kernels.h src/tunings.h=$scratch/tunings.h" -f tools/resolve.awk $3
}

# kernels/WING/FOLDER/NAME.cl as gpi_kernel_WING_FOLDER_NAME[]. Comments and indentation are removed, unless the file is
# in a text for users. A function gets a #line before it if lines above it were removed, so that build logs name file
# and function. A second question mark in a row is escaped, because C99 reads some such pairs as trigraphs.
emit_kernel() {
    printf '/* ---- Begin file kernels/%s.cl ---- */\n' "$1"
    printf 'static const char *const gpi_kernel_%s[] = {\n' "$(echo "$1" | tr / _)"
    awk -v path="kernels/$1.cl" -v keep="$(case " $FOR_USERS " in *" ${1#common/} "*) echo 1 ;; esac)" '
        function literal(text) {
            gsub(/[\\"]/, "\\\\&", text)
            while (sub(/\?\?/, "?\\?", text));
            printf "\"%s\",\n", text
        }
        function stripped(text,    out, at) {
            out = ""
            while (text != "") {
                if (inside) {
                    at = index(text, "*/")
                    if (!at) return out
                    text = substr(text, at + 2)
                    inside = 0
                }
                at = match(text, /\/\*|\/\/|"[^"]*"/)
                if (!at) return out text
                out = out substr(text, 1, at - 1)
                if (substr(text, at, 2) == "//") return out
                if (substr(text, at, 1) == "\"") {
                    out = out substr(text, at, RLENGTH)
                    text = substr(text, at + RLENGTH)
                } else {
                    inside = 1
                    text = substr(text, at + 2)
                }
            }
            return out
        }
        # Removes indentation, and replaces several blanks by one, except within quotes.
        function tight(text,    out, at) {
            out = ""
            sub(/^[ \t]+/, "", text)
            while ((at = match(text, /  +|"[^"]*"/))) {
                out = out substr(text, 1, at - 1) (substr(text, at, 1) == " " ? " " : substr(text, at, RLENGTH))
                text = substr(text, at + RLENGTH)
            }
            return out text
        }
        BEGIN { lost = named = 1 }
        {
            line = keep ? $0 : stripped($0)
            sub(/[ \t]+$/, "", line)
            if (line == "" && !keep) {
                lost = 1
                next
            }
            if (line ~ /^[A-Za-z_][^;]*\(/ && !continued && lost) {
                literal("#line " NR (named ? " \"" path "\"" : ""))
                lost = named = 0
                within = depth > 0
            }
            depth += (line ~ /^#[ \t]*if/ && line !~ /_CL$/) - (line ~ /^#[ \t]*endif/)
            if (line ~ /^#[ \t]*e/ && within) {
                lost = named = 1 # what is left out counts no lines
                within = 0
            }
            continued = line ~ /\\$/
            literal(keep ? line : tight(line))
            if (line ~ /^#include "/) lost = named = 1
        }' "kernels/$1.cl"
    printf '};\n'
    printf '/* ---- End file kernels/%s.cl ---- */\n\n' "$1"
}

# Writes the table of all files, by path. A file with a guard is included once in a program.
emit_kernel_table() {
    echo 'typedef struct gpi_kernel_text {'
    echo '    const char *folder; /* common, cpu or gpu */'
    echo '    const char *path;'
    echo '    const char *const *lines;'
    echo '    size_t count;'
    echo '    bool once;'
    echo '} gpi_kernel_text;'
    echo
    echo 'static const gpi_kernel_text gpi_kernel_texts[] = {'
    for name in $KERNELS; do
        array=gpi_kernel_$(echo "$name" | tr / _)
        once=false
        if grep -q '^#ifndef GPI_[A-Z_]*_CL$' "kernels/$name.cl"; then once=true; fi
        printf '    {"%s", "%s.cl", %s, GPI_COUNT_OF(%s), %s},\n' "${name%%/*}" "${name#*/}" "$array" "$array" $once
    done
    echo '};'
    echo
}

# Writes the programs of each wing: the entry files of src/runtime/primitives.h, with their kernels and those of the files
# that they include, which are in the wing or else in common/.
emit_program_table() {
    echo 'typedef struct gpi_program_text {'
    echo '    const char *wing;'
    echo '    const char *file;'
    echo '    const char *kernels[GPI_KERNELS_MAX + 1];'
    echo '} gpi_program_text;'
    echo
    echo 'static const gpi_program_text gpi_program_texts[] = {'
    entries=$(sed -n 's/^ *X([A-Z_]*, *"\([a-z_\/]*\.cl\)".*/\1/p' src/runtime/primitives.h | tr '\n' ' ')
    for wing in cpu gpu; do
        # shellcheck disable=SC2046,SC2086 # no name has blanks
        (cd kernels && awk -v wing=$wing -v entries="$entries" '
        BEGIN {
            count = split(entries, entry)
            for (i = 1; i <= count; i++) is_entry[entry[i]] = 1
        }
        FNR == 1 {
            file = FILENAME
            sub(/^[a-z]*\//, "", file)
            path[++files] = file
        }
        /^#include ".*\.cl"/ {
            split($0, quoted, "\"")
            includes[file, ++include_count[file]] = quoted[2]
        }
        /^GPI_KERNEL/ && !/^GPI_KERNEL void [a-z_]*\(/ {
            print FILENAME ":" FNR ": a kernel must begin with GPI_KERNEL void NAME( on one line" >"/dev/stderr"
            exit 1
        }
        match($0, /^GPI_KERNEL void [a-z_]*\(/) {
            kernels[file, ++kernel_count[file]] = substr($0, 17, RLENGTH - 17)
        }
        function kernels_of(file, program,    i, name, all) {
            if (seen[program, file]++) return ""
            for (i = 1; i <= include_count[file]; i++) all = all kernels_of(includes[file, i], program)
            for (i = 1; i <= kernel_count[file]; i++) {
                name = kernels[file, i]
                if (!seen[program, name]++) all = all "\"" name "\", "
            }
            return all
        }
        END {
            for (i = 1; i <= files; i++) {
                if (!is_entry[path[i]]) continue
                names = kernels_of(path[i], path[i])
                if (names != "") printf "    {\"%s\", \"%s\", {%sNULL}},\n", wing, path[i], names
            }
        }' $(printf '%s.cl\n' $KERNELS | grep "^common/\|^$wing/"))
    done
    echo '};'
    echo
}

emit_kernels() {
    for name in $KERNELS; do emit_kernel "$name"; done
    emit_kernel_table
    emit_program_table
}

# Writes the tunings without comments; a test reads each of them.
emit_tunings() {
    echo '/* What gpbench tune found on devices: tunings/, and NULL. */'
    echo 'static const char *const gpi_tunings[] = {'
    find tunings -name '*.tuning' | LC_ALL=C sort | while read -r path; do
        printf '    /* %s */\n' "$path"
        sed 's/[ \t]*#.*//; /^[ \t]*$/d; s/[\\"]/\\&/g; s/.*/    "&\\n"/; $s/$/,/' "$path"
    done
    echo '    NULL,'
    echo '};'
    echo
}

emit_header() {
    emit_sources src '' $API
    echo
    echo '/* From here on this file is generated: tools/amalgamate.sh makes it from src/, kernels/ and tunings/. */'
    echo '#ifdef GP_IMPLEMENTATION'
    echo '#ifndef GPI_IMPLEMENTATION_ONCE'
    echo '#define GPI_IMPLEMENTATION_ONCE'
    echo
    emit_kernels >"$scratch/kernels.h"
    emit_tunings >"$scratch/tunings.h"
    emit_sources src $API "$(list_sources src)"
    echo '/*'
    cat $LICENSE
    echo '*/'
    echo '#endif /* GPI_IMPLEMENTATION_ONCE */'
    echo '#endif /* GP_IMPLEMENTATION */'
}

# Writes a header that is based on gpuprim.h. Arguments: its folder, its public part, and the word in its macros.
emit_header_of() {
    emit_sources "$1" '' "$2"
    echo
    echo "/* From here on this file is generated: tools/amalgamate.sh makes it from $1/. */"
    echo "#ifdef GP_$3_IMPLEMENTATION"
    echo "#ifndef GPI_$3_IMPLEMENTATION_ONCE"
    echo "#define GPI_$3_IMPLEMENTATION_ONCE"
    echo
    emit_sources "$1" "$2" "$(list_sources "$1")"
    echo '/*'
    cat $LICENSE
    echo '*/'
    echo "#endif /* GPI_$3_IMPLEMENTATION_ONCE */"
    echo "#endif /* GP_$3_IMPLEMENTATION */"
}

emit_host_header() { emit_header_of host $HOST_API HOST; }

emit_mpi_header() { emit_header_of mpi $MPI_API MPI; }

check_inputs
if [ -z "$out" ]; then
    $emit
elif [ "$out" = --api ]; then
    emit_sources src '' $API
elif [ "$out" = --kernels ]; then
    emit_kernels
elif [ "$out" = --tunings ]; then
    emit_tunings
else
    # The header is renamed only when it is complete: an interrupted run leaves the old header in place, and two runs at
    # once both succeed.
    trap 'rm -rf "$scratch" "$out.$$"' EXIT
    $emit >"$out.$$"
    mv "$out.$$" "$out"
fi
