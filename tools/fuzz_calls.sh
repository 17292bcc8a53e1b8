#!/bin/sh
# Writes C that fills every desc of the public header from random bytes, and makes every call with it, for
# tests/fuzz/fuzz_calls.c. New parts of the API are included without further changes, but a new type does not compile until
# fuzz_calls.c defines how it is filled.
#
# usage: tools/fuzz_calls.sh OUTPUT
set -eu
cd "$(dirname "$0")/.."

# Calls that are not generated: fuzz_calls.c makes them by hand, and gp_self_test only repeats other calls.
SKIPPED="gp_context_create gp_buffer_create gp_devices gp_self_test gp_set_error"

tools/amalgamate.sh --api >"$1.api"

awk -v skipped=" $SKIPPED " '
# Comments, preprocessor lines and declarations for C++ are removed.
{
    line = $0
    if (continued || line ~ /^#/ || line ~ /^extern "C"/) { continued = line ~ /\\$/; next }
    for (;;) {
        if (comment) {
            end = index(line, "*/")
            if (!end) { line = ""; break }
            line = substr(line, end + 2)
            comment = 0
        }
        begin = index(line, "/*")
        if (!begin) break
        comment = 1
        tail = substr(line, begin + 2)
        text = text " " substr(line, 1, begin - 1)
        line = tail
    }
    text = text " " line
    take()
}

function trim(s) { gsub(/[ \t]+/, " ", s); sub(/^ /, "", s); sub(/ $/, "", s); return s }

function take(   what, head) {
    while (match(text, /[;{}]/)) {
        what = substr(text, RSTART, 1)
        head = trim(substr(text, 1, RSTART - 1))
        text = substr(text, RSTART + 1)
        if (what == "{") {
            if (depth++ == 0 && head ~ /^typedef struct gp_[a-z_]+_desc$/ && head !~ /gp_(context|self_test)_desc/)
                open_desc(substr(head, 16))
        } else if (what == "}") {
            if (--depth == 0 && desc != "") { print "}\n"; desc = "" }
        } else if (depth == 1 && desc != "") field(head)
        else if (depth == 0 && head ~ /^GP_API gp_result gp_/) calls[++count] = head
    }
}

# Splits a declaration into `type` and `name`.
function split_declaration(s) {
    match(s, /[A-Za-z0-9_]+$/)
    name = substr(s, RSTART)
    type = trim(substr(s, 1, RSTART - 1))
}

function mangled(s) { gsub(/\*/, "pointer", s); gsub(/ /, "_", s); return s }

function open_desc(s) {
    desc = trim(s)
    printf "static void fuzz_%s(fuzz *f, %s *d)\n{\n    memset(d, 0, sizeof *d);\n    fuzz_bits_open(f);\n", desc, desc
}

function field(s) {
    split_declaration(s)
    if (type ~ /^const gp_[a-z_]+_desc \*$/) {
        sub(/^const /, "", type); sub(/ \*$/, "", type)
        printf "    if (fuzz_bit(f)) {\n        %s *inner = (%s *)fuzz_alloc(f, sizeof *inner);\n", type, type
        printf "        const unsigned bits = f->bits, bit = f->bit;\n        fuzz_%s(f, inner);\n", type
        printf "        d->%s = inner;\n        f->bits = bits;\n        f->bit = bit;\n    }\n", name
    } else {
        printf "    if (fuzz_bit(f)) d->%s = fuzz_%s(f);\n", name, name == "sample_count" ? name : mangled(type)
    }
}

# Prints a case for a call. Outputs have the documented size, or `capacity` elements.
function write_call(s, at,    fn, list, n, i, sized, args, parameter) {
    match(s, /gp_[a-z0-9_]+\(/)
    fn = substr(s, RSTART, RLENGTH - 1)
    if (index(skipped, " " fn " ")) return 0
    list = substr(s, RSTART + RLENGTH)
    sub(/\)$/, "", list)
    n = split(list, parameter, ",")
    printf "    case %d: {\n", at
    args = ""
    for (i = 1; i <= n; i++) {
        split_declaration(trim(parameter[i]))
        sized = i < n && parameter[i + 1] ~ /size_t capacity/
        if (type == "gp_context *") arg = name == "gp" ? "f->gp" : "f->other"
        else if (type ~ /^const gp_[a-z_]+_desc \*$/) {
            sub(/^const /, "", type); sub(/ \*$/, "", type)
            printf "        %s *desc = (%s *)fuzz_alloc(f, sizeof *desc);\n        fuzz_%s(f, desc);\n", type, type, type
            arg = "(" type " *)fuzz_or_null(f, desc)"
        } else if (type == "gp_write *") arg = "fuzz_write"
        else if (type == "gp_hash") arg = "fuzz_gp_hash(f)"
        else if (type == "gp_hash *") arg = "fuzz_gp_hash_out(f)"
        else if (type ~ /\*$/ && type !~ /^const/) {
            base = type; sub(/ \*$/, "", base)
            if (sized) printf "        const size_t capacity = fuzz_byte(f);\n"
            size = base == "void" ? "64" : "sizeof(" base ")" (name == "counts" ? " * 3" : sized ? " * capacity" : "")
            arg = "(" type ")fuzz_" (sized ? "room" : "out") "(f, " size ")"
        } else if (name == "capacity") arg = name
        else arg = "fuzz_" mangled(type) "(f)"
        args = args (i > 1 ? ", " : "") arg
    }
    printf "        fuzz_verdict(f, \"%s\", %s(%s));\n        break;\n    }\n", fn, fn, args
    return 1
}

END {
    made = 0
    print "static void fuzz_call(fuzz *f, unsigned which)\n{\n    switch (which % FUZZ_CALLS) {"
    for (i = 1; i <= count; i++) made += write_call(calls[i], made)
    print "    default: break;\n    }\n}"
    printf "/* calls: %d */\n", made
}' "$1.api" >"$1.tmp"

made=$(sed -n 's,^/\* calls: \([0-9]*\) \*/$,\1,p' "$1.tmp")
{
    echo "/* made by tools/fuzz_calls.sh from src/api */"
    echo "enum { FUZZ_CALLS = $made };"
    cat "$1.tmp"
} >"$1"
rm "$1.tmp" "$1.api"
