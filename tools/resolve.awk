# Writes the files given, each after the headers that it includes, and every file once.
#
# usage: awk -v root=src [-v known=FILE] [-v generated="NAME=FILE ..."] -f tools/resolve.awk FILE...
#
# #include "x/y.h" stands for root/x/y.h, "x/y.cl" for kernels/common/x/y.cl; "gpuprim.h" for itself. The headers of a file come before it, in the order in which it names
# them; those of the public header (root/api) stand where it names them, without banners. Gone are the lines
# with #include "...", #pragma once, and an #include <...> outside of #if that has been written before.
# `known` has been written already; `generated` has the texts of files that are not there. The same input gives the
# same bytes.

function die(text) {
    print "resolve: " text > "/dev/stderr"
    failed = 1
    exit 1
}

# The file that #include "..." names, or nothing.
function included(line) {
    if (line !~ /^#[ \t]*include[ \t]*"/ || line ~ /"gpuprim\.h"/) return ""
    sub(/^[^"]*"/, "", line)
    sub(/".*/, "", line)
    return (line ~ /\.cl$/ ? "kernels/common" : root) "/" line
}

function copy(path,   line) {
    while ((getline line < path) > 0) print line
    close(path)
}

function is_public(path) { return index(path, root "/api/") == 1 }

function emit(path,   lines, n, i, line, name, depth, dropped, begun) {
    if (path in seen) return
    seen[path] = 1
    if (path in generated_file) {
        copy(generated_file[path])
        return
    }
    while ((i = (getline line < path)) > 0) lines[++n] = line
    close(path)
    if (i < 0 || n == 0) die(path " is missing or empty")
    if (!is_public(path)) {
        for (i = 1; i <= n; i++) if ((name = included(lines[i])) != "") emit(name)
        print "/* ---- Begin file " path " ---- */"
    }
    for (i = 1; i <= n; i++) {
        line = lines[i]
        if (line ~ /^[ \t]*#[ \t]*if/) depth++
        if (line ~ /^[ \t]*#[ \t]*endif/) depth--
        name = included(line)
        if (name != "" && is_public(path)) emit(name)
        if (name != "" || line ~ /^#[ \t]*pragma[ \t]+once/ ||
            (line ~ /^#include </ && !depth && line in seen)) {
            # a block of such lines goes with the blank line after it; in the public header parts end themselves
            dropped = 1
            continue
        }
        if (dropped && line == "" && !(is_public(path) && begun)) {
            dropped = 0
            continue
        }
        dropped = 0
        begun = 1
        if (line ~ /^#include </ && !depth) seen[line] = 1
        print line
    }
    if (!is_public(path)) print "/* ---- End file " path " ---- */\n"
}

BEGIN {
    for (a = split(generated, pairs, " "); a > 0; a--) {
        split(pairs[a], pair, "=")
        generated_file[pair[1]] = pair[2]
    }
    seen[known] = 1
    for (a = 1; a < ARGC; a++) emit(ARGV[a])
    exit
}
END { exit failed }
