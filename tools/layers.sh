#!/bin/sh
# Checks the dependencies between files: the include lines and the names of src/, kernels/, host/ or mpi/, of
# bench/harness/, and the imports of python/src/gpuprim/.
#
# usage: tools/layers.sh [FOLDER]      (src without FOLDER)
#
# FOLDER/layers.txt lists the folders from the bottom up, one a line; text after the first word is a description. A line
# "instead x/y.cl x/z.cl" there lists files that replace one another, so that they may define the same names.
# bench/harness and python/src/gpuprim have no folders and no such list: their files use only one another, and not in a
# circle.
#   upward   a file includes a file, or uses a name that is defined, in a folder above its own
#   cycle    files include one another, or use one another's names, in a circle
#   header   a file uses a name beginning with gpi_ or GPI_ (in kernels also gp_; in bench/harness: see `wanted`) that it neither
#            defines nor gets from a file that it includes, directly or through the header of its own folder (x/x.h)
#   twice    a name is defined in two files; for src also: a macro of kernels/ is a macro or an enumerator of src/. A macro that
#            a file removes with #undef is a parameter of that file, and many files may set it
# kernels/common/x/constants.cl has the numbers that host and kernels share. It is below all folders of src/, which includes it as
# "x/constants.cl".
# kernels/ has folders in three places: a wing consists of common/ and cpu/, or of common/ and gpu/, and each wing is
# checked separately, as kernels/x/y.cl. A path that is in common/ is in no wing. A file that includes a file of each
# wing provides the names of that file, too. Under a test of the shape, a common file may use a name that only the other
# wing has. Names of a kernel's prelude count as defined: those that x/prelude.h, an example of the prelude, defines,
# and those of FOLDER/prelude.txt (GPI_OP_*: all names that begin with GPI_OP_). A name that is defined nowhere is left
# to the compiler, except in kernels and in bench/harness.
set -eu
if [ "${1:-}" = kernels ]; then
    cd "$(dirname "$0")/.."
    wings=$(mktemp -d)
    trap 'rm -rf "$wings"' EXIT
    status=0
    for wing in cpu gpu; do
        for file in $(cd "kernels/$wing" && find . -name '*.cl'); do
            test ! -f "kernels/common/$file" || {
                echo "kernels/$wing/${file#./}:1: is in kernels/common, too"
                status=1
            }
        done
        mkdir "$wings/$wing"
        cp -r kernels/common "$wings/$wing/kernels"
        cp -r "kernels/$wing/." kernels/layers.txt kernels/prelude.txt "$wings/$wing/kernels"
        (cd "kernels/$wing" && find . -name '*.cl' | sed 's,^\./,kernels/,') >"$wings/$wing/own"
        case $wing in cpu) other=gpu ;; *) other=cpu ;; esac
        cat kernels/$other/*/*.cl | grep -oE '\<(gpi|GPI|gp)_[A-Za-z0-9_]+' | LC_ALL=C sort -u >"$wings/$wing/elsewhere"
        echo "layers: wing $wing"
        "$PWD/tools/layers.sh" --in "$wings/$wing" kernels || status=1
    done
    exit $status
fi
own=/dev/null
elsewhere=/dev/null
if [ "${1:-}" = --in ]; then
    cd "$2"
    own=own
    elsewhere=elsewhere
    shift 2
else
    cd "$(dirname "$0")/.."
fi
root=${1:-src}
prelude=/dev/null
test ! -f "$root/prelude.txt" || prelude=$root/prelude.txt
layers=/dev/null
test ! -f "$root/layers.txt" || layers=$root/layers.txt
case $root in
kernels) wanted='^(gpi|GPI|gp)_' ;;
bench/harness) wanted='^(bench_|BENCH_|data_|host_memcpy|host_stream|pool_|report_|stream_|STREAM_)' ;;
*) wanted='^(gpi|GPI)_' ;;
esac

report=$(mktemp)
trap 'rm -f "$report"' EXIT
status=0
# shellcheck disable=SC2046 # no name has blanks
awk -v root="$root" -v prelude="$prelude" -v layers="$layers" -v own="$own" -v elsewhere="$elsewhere" '
BEGIN {
    rank["shared"] = 0
    is_flat = layers == "/dev/null"
    if (is_flat) rank[""] = 0
}

function complain(kind, file, line, text) {
    print file ":" line " " text
    count[kind]++
}

# Shared constants are in no folder of src/.
function is_shared(file) { return root == "src" && file ~ /^kernels\// }

function path_of(name) { return (root == "src" && name ~ /\.cl$/ ? "kernels/common" : root) "/" name }

function folder(file) {
    if (is_shared(file)) return "shared"
    sub("^" root "/", "", file)
    return file ~ /\// ? substr(file, 1, index(file, "/") - 1) : ""
}

# Records that `name` is defined. kind: function, macro, type, enumerator, variable; or prototype.
function define(name, kind) {
    if (name !~ wanted || name ~ /_CL$/ || (FILENAME, name) in defined) return
    if (is_prelude) {
        given[name] = 1
        return
    }
    if (kind == "macro" || kind == "enumerator") is_constant[name] = 1
    if (kind == "prototype") {
        if (!((FILENAME, name) in declared)) declared[FILENAME, name] = FNR
        return
    }
    defined[FILENAME, name] = FNR
    if (!(name in home)) home[name] = FILENAME
    else if (home[name] != FILENAME) again[name] = again[name] FILENAME ":" FNR "\n"
}

# Returns the last identifier of a text.
function last(text) {
    sub(/[^A-Za-z0-9_]+$/, "", text)
    sub(/.*[^A-Za-z0-9_]/, "", text)
    return text
}

# Handles a statement at the top level of a file, up to its end or its first brace.
function declare(text, brace,   name) {
    gsub(/__attribute__ *\(\([^()]*(\([^()]*\))?[^()]*\)\)/, "", text)
    gsub(/GPI_PRINTF\([^()]*\)/, "", text)
    gsub(/GPI_(VECTOR|N|PASTE)\([^()]*\)/, "T", text) # types and names put together
    gsub(/GPI_(DEFINE_TREE|DEFINE_LOWS|SUMS)\([^()]*\)/, "", text)
    gsub(/^[ \t]+/, "", text)
    if (!brace && text ~ /^(struct|union)[ \t]+[A-Za-z0-9_]+[ \t]*$/) return
    if (text ~ /^typedef/ && brace) { typedef_open = 1; tag = "" }
    if (text ~ /(^|[ \t])enum([ \t]|$)/ && brace && text !~ /\(/) in_enum = 1
    if (text ~ /^(typedef )?(struct|union|enum)/ && brace) {
        if (text ~ /^(struct|union)/) define(last(text), "type")
        return
    }
    if (text ~ /^typedef/) {
        gsub(/\[[^\]]*\]/, "", text)
        if (match(text, /\(\*[A-Za-z0-9_]+\)/)) name = substr(text, RSTART + 2, RLENGTH - 3)
        else if (text ~ /\)[ \t]*$/) { name = text; sub(/\(.*/, "", name); name = last(name) }
        else name = last(text)
        define(name, "type")
        return
    }
    if (text ~ /=/) {
        sub(/=.*/, "", text)
        gsub(/\[[^\]]*\]/, "", text)
        define(last(text), "variable")
    } else if (text ~ /\(/) {
        sub(/\(.*/, "", text)
        define(last(text), brace ? "function" : "prototype")
    } else if (!brace && text ~ /[A-Za-z0-9_][ \t*]+[A-Za-z_]/) {
        gsub(/\[[^\]]*\]/, "", text)
        define(last(text), "variable")
    }
}

function note_uses(text,   name) {
    if (is_prelude) return
    gsub(/(struct|union)[ \t]+gpi_[A-Za-z0-9_]*/, " ", text)
    gsub(/[A-Za-z0-9_]*[ \t]*##[ \t]*[A-Za-z0-9_]*/, " ", text) # a name put together from others
    while (match(text, /[A-Za-z_][A-Za-z0-9_]*/)) {
        name = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (name ~ wanted && name !~ /_CL$/ && !((FILENAME, name) in used)) used[FILENAME, name] = FNR
    }
}

function read_code(text,   c) {
    while (match(text, /[{};]/)) {
        c = substr(text, RSTART, 1)
        pending = pending " " substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + 1)
        if (c == "{") {
            if (depth == 0) declare(pending, 1)
            pending = ""
            depth++
        } else if (c == "}") {
            if (in_enum && depth == 1) enumerators(pending)
            in_enum = 0
            depth--
            pending = ""
            closed = depth == 0
        } else {
            if (depth == 0 && closed && typedef_open) { define(last(pending), "type"); typedef_open = 0 }
            else if (depth == 0 && pending ~ /[A-Za-z_]/ && !(closed && pending !~ /[ \t(]/)) declare(pending, 0)
            if (depth == 0) closed = 0
            pending = ""
        }
    }
    pending = pending " " text
}

function enumerators(text,   n, i, part) {
    n = split(text, part, ",")
    for (i = 1; i <= n; i++) {
        sub(/=.*/, "", part[i])
        define(last(part[i]), "enumerator")
    }
}

FILENAME == layers && $1 == "instead" { for (i = 2; i <= NF; i++) instead[root "/" $i] = FNR; next }
FILENAME == layers { if (NF) { rank[$1] = ++ranks }; next }
FILENAME == own { is_own[$1] = 1; next }
FILENAME == elsewhere { is_elsewhere[$1] = 1; next }
FILENAME == prelude {
    for (i = 1; i <= NF && $i !~ /^#/; i++) {
        given[$i] = 1
        if (sub(/\*$/, "", $i)) beginning[$i] = 1
    }
    next
}

root == "src" && FILENAME ~ /^kernels\/.*\/prelude\.h$/ { next } # what the host writes
root == "src" && FILENAME ~ /^kernels\// && FILENAME !~ /\/constants\.cl$/ {
    if (match($0, /^#[ \t]*define[ \t]+[A-Za-z0-9_]+[ \t]/)) {
        name = substr($0, 1, RLENGTH - 1)
        sub(/.*[ \t]/, "", name)
        of_kernels[name] = FILENAME ":" FNR
    }
    next
}

FNR == 1 {
    is_prelude = FILENAME ~ /\/prelude\.h$/
    if (!is_prelude) files[++file_count] = FILENAME
    name = FILENAME
    sub(/\.pyi$/, ".py", name) # what stands for a file that the build makes
    is_file[name] = 1
    comment = depth = closed = typedef_open = in_enum = directive = conditions = 0
    pending = ""
    if (!(folder(FILENAME) in rank)) complain("upward", FILENAME, 1, "is in no folder of " layers)
}

FILENAME ~ /\.pyi?$/ {
    if (!match($0, /^[ \t]*from \.[a-z_]*/)) next
    name = $2
    sub(/^\./, "", name)
    includes[FILENAME, ++include_count[FILENAME]] = path_of(name ".py")
    include_line[FILENAME, path_of(name ".py")] = FNR
    next
}

{
    line = $0
    if (!comment && line ~ /^#[ \t]*include[ \t]*"/) {
        if (is_prelude || line ~ /"(\.\.\/)*gpuprim\.h"/) next
        name = line
        sub(/^[^"]*"/, "", name)
        sub(/".*/, "", name)
        includes[FILENAME, ++include_count[FILENAME]] = path_of(name)
        include_line[FILENAME, path_of(name)] = FNR
        next
    }
    # removes comments and strings
    clean = ""
    while (line != "") {
        if (comment) {
            at = index(line, "*/")
            if (!at) { line = ""; break }
            line = substr(line, at + 2)
            comment = 0
        } else if (match(line, /\/\*|\/\/|"|\047/)) {
            what = substr(line, RSTART, 1)
            two = substr(line, RSTART, 2)
            clean = clean substr(line, 1, RSTART - 1)
            line = substr(line, RSTART + (two == "/*" || two == "//" ? 2 : 1))
            if (two == "/*") { comment = 1; clean = clean " " }
            else if (two == "//") line = ""
            else {
                while (line != "" && substr(line, 1, 1) != what) line = substr(line, substr(line, 1, 1) == "\\" ? 3 : 2)
                line = substr(line, 2)
                clean = clean "0"
            }
        } else { clean = clean line; line = "" }
    }
    if (directive || clean ~ /^[ \t]*#/) {
        if (!directive && match(clean, /^[ \t]*#[ \t]*(define|undef)[ \t]+/)) {
            name = substr(clean, RLENGTH + 1)
            sub(/[^A-Za-z0-9_].*/, "", name)
            if (clean ~ /^[ \t]*#[ \t]*define/) define(name, "macro")
            else parameter[name] = parameter[name] " " FILENAME
        }
        # of "#if ... #else ..." at the top of a file both parts count; a brace that both open, once
        if (!directive && clean ~ /^[ \t]*#[ \t]*if/) open_depth[++conditions] = depth
        if (!directive && clean ~ /^[ \t]*#[ \t]*el/ && conditions) { depth = open_depth[conditions]; if (!depth) pending = "" }
        if (!directive && clean ~ /^[ \t]*#[ \t]*endif/ && conditions) conditions--
        if (clean !~ /^[ \t]*#[ \t]*(undef|ifdef|ifndef|error|line|pragma)/) note_uses(clean)
        directive = clean ~ /\\$/
        next
    }
    note_uses(clean)
    read_code(clean)
}

# The functions below check the files that were read.

function visit(file,   i, next_file) {
    state[file] = 1
    path[++path_length] = file
    for (i = 1; i <= edge_count[file]; i++) {
        next_file = edge[file, i]
        if (state[next_file] == 1) report_cycle(next_file)
        else if (!state[next_file]) visit(next_file)
    }
    path_length--
    state[file] = 2
}

function report_cycle(begin,   i, text) {
    for (i = path_length; path[i] != begin; i--) text = " -> " path[i] text
    complain("cycle", begin, 1, what_edges " in a circle: " begin text " -> " begin)
}

function add_edge(from, to) {
    if (from == to || (from, to) in has_edge) return
    has_edge[from, to] = 1
    edge[from, ++edge_count[from]] = to
}

function find_cycles(what,   i) {
    what_edges = what
    split("", state)
    path_length = 0
    for (i = 1; i <= file_count; i++) if (!state[files[i]]) visit(files[i])
    split("", edge_count)
    split("", has_edge)
}

# Whether a file that includes `other` gets a name from it. A file that defines nothing itself stands for those that it
# includes; one that includes a file which another may stand in place of, for that one; one that includes constants, for these.
function gives(other, name,   i, next_file) {
    if ((other, name) in defined || (other, name) in declared) return 1
    for (i = 1; i <= include_count[other]; i++) {
        next_file = includes[other, i]
        if ((!defines[other] || instead[next_file] || is_own[next_file] || next_file ~ /\/constants\.cl$/) && gives(next_file, name)) return 1
    }
    return 0
}

function reaches(file, name,   i, k, other, own) {
    own = root "/" folder(file) "/" folder(file) ".h"
    for (i = 1; i <= include_count[file]; i++) {
        other = includes[file, i]
        if (gives(other, name)) return 1
        if (other != own) continue
        for (k = 1; k <= include_count[own]; k++) if (gives(includes[own, k], name)) return 1
    }
    return 0
}

function is_given(name,   b) {
    if (name in given) return 1
    for (b in beginning) if (index(name, b) == 1) return 1
    return 0
}

# A macro that the file removes is its parameter.
function takes_back(file, name) { return name in parameter && index(parameter[name] " ", " " file " ") }

function is_public(file) { return folder(file) == "api" }

END {
    for (key in defined) {
        split(key, pair, SUBSEP)
        if (!(pair[2] in parameter)) defines[pair[1]]++
    }
    for (i = 1; i <= file_count; i++) {
        file = files[i]
        for (k = 1; k <= include_count[file]; k++) {
            other = includes[file, k]
            at = include_line[file, other]
            if (other == root "/kernels.h" || other == root "/tunings.h") continue # made by tools/amalgamate.sh
            if (!(other in is_file)) { complain("header", file, at, "includes " other ", which is not there"); continue }
            if (rank[folder(other)] > rank[folder(file)])
                complain("upward", file, at, "includes " other ", which is above it")
            add_edge(file, other)
        }
    }
    find_cycles("files include one another")
    for (key in used) {
        split(key, pair, SUBSEP)
        file = pair[1]
        name = pair[2]
        if (is_public(file) || (key in defined) || (key in declared) && !(name in home)) continue
        if (is_given(name) || takes_back(file, name)) continue
        if ((name in home) && !(name in again)) {
            other = home[name]
            if (rank[folder(other)] > rank[folder(file)])
                complain("upward", file, used[key], "uses " name ", which " other " defines above it")
            if ((file other) !~ /\.h/) add_edge(file, other)
        }
        if (key in declared) continue
        if (!(name in home)) {
            if ((root == "kernels" || is_flat) && name !~ /_$/ && !((name in is_elsewhere) && !(file in is_own))) # GPI_PASTE(gpi_field_, 0)
                complain("header", file, used[key], "uses " name ", which is defined nowhere")
            continue
        }
        if (reaches(file, name)) continue
        complain("header", file, used[key], "uses " name " without the header that declares it (" home[name] ")")
    }
    find_cycles("files use one another\047s names")
    for (name in again) {
        if (name in parameter) continue
        n = split(again[name], place, "\n")
        for (i = 1; i < n; i++) {
            split(place[i], pair, ":")
            if (instead[pair[1]] && instead[pair[1]] == instead[home[name]]) continue
            complain("twice", pair[1], pair[2], "defines " name ", as does " home[name] ":" defined[home[name], name])
        }
    }
    for (name in is_constant)
        if (name in of_kernels) complain("twice", home[name], defined[home[name], name], "defines " name ", as does " of_kernels[name])
    printf "layers: %d files, %d cycles, %d upward includes, %d names without their header, %d double meanings\n",
        file_count, count["cycle"], count["upward"], count["header"], count["twice"]
    exit count["cycle"] + count["upward"] + count["header"] + count["twice"] > 0
}
' wanted="$wanted" \
    "$layers" "$prelude" "$own" "$elsewhere" $(find "$root" $(test "$root" != src || echo kernels) \( -name '*.c' -o -name '*.h' -o -name '*.cl' -o -name '*.py' -o -name '*.pyi' \) | LC_ALL=C sort) >"$report" || status=$?
grep -v "^layers: " "$report" | LC_ALL=C sort -t: -k1,1 -k2,2n || true
grep "^layers: " "$report"
exit $status
