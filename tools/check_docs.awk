# Reads the public header for tools/check_docs.sh, which says what is looked for. Prints "missing KIND NAME", and
# "function NAME" and "field NAME" for each one found.
#
# usage: awk -v label=LABEL -f tools/check_docs.awk HEADER

function has_word(text, word) { return (" " text " ") ~ ("[^A-Za-z0-9_]" word "[^A-Za-z0-9_]") }
function missing(kind, name) { print "missing", kind, name }

# Before a declaration: does the comment that has just ended belong to it?
function own_comment() { return comment_end == NR - 1 ? comment : "" }

function function_name(line) {
    match(line, /gp_[a-z0-9_]+\(/)
    return substr(line, RSTART, RLENGTH - 1)
}

function check_function(name,   desc) {
    if (own_comment() != "" || (declared_end == NR - 1 && declared_good)) return 1
    if ((name "_desc") in desc_comment && desc_comment[name "_desc"] != "") return 1
    for (desc in desc_comment) if (has_word(desc_comment[desc], name)) return 1
    return 0
}

function field_name(text) {
    if (match(text, /\(\*[a-z0-9_]+\)/)) return substr(text, RSTART + 2, RLENGTH - 3)
    sub(/\[[^]]*\]/, "", text)
    match(text, /[A-Za-z0-9_]+[ \t]*$/)
    text = substr(text, RSTART)
    sub(/[ \t]+$/, "", text)
    return text
}

function named_after(declaration, name) {
    return match(declaration, /gp_[a-z_]+/) &&
           substr(declaration, RSTART, RLENGTH) ~ ("^gp_([a-z_]*_)?" name "(_desc)?$")
}

function check_field(declaration, trailing,   name, base) {
    name = field_name(declaration)
    fields[++field_count] = desc SUBSEP name
    base = name
    if (trailing || group || named_after(declaration, name) || name ~ /count_(buffer|offset|type)$/ ||
        has_word(desc_comment[desc], name) || has_word(rules, name)) good_field[desc, name] = 1
    else if (sub(/_offset$/, "", base) || sub(/^b_/, "a_", base)) goes_with[desc, name] = base
}

# Known in the end: comments of calls may name fields, too.
function is_good(desc, name) {
    return (desc, name) in good_field || has_word(call_comment[desc], name) ||
           (desc, name) in goes_with && is_good(desc, goes_with[desc, name])
}

# A line of a desc: its code, and whether a comment begins on it.
function read_desc_line(line,   at, trailing, code, part) {
    if (line ~ /^[ \t]*$/) { group = 0; return }
    if (inside) {
        at = index(line, "*/")
        if (!at) return
        line = substr(line, at + 2)
        inside = 0
    }
    code = line
    trailing = 0
    while ((at = match(code, /\/\*/)) > 0) {
        part = substr(code, at + 2)
        if (substr(code, 1, at - 1) ~ /^[ \t]*$/ && pending ~ /^[ \t]*$/) group = 1
        else trailing = 1
        code = substr(code, 1, at - 1)
        at = index(part, "*/")
        if (at) code = code substr(part, at + 2)
        else inside = 1
    }
    pending = pending " " code
    while ((at = index(pending, ";")) > 0) {
        check_field(substr(pending, 1, at - 1), trailing)
        pending = substr(pending, at + 1)
    }
}

/^#ifdef GP_([A-Z]+_)?IMPLEMENTATION/ { exit }

desc != "" {
    if ($0 ~ /^} gp_/) { desc = ""; next }
    read_desc_line($0)
    next
}

# A comment that begins a line.
in_comment || /^\/\*/ {
    if (!in_comment) comment = ""
    comment = comment "\n" $0
    in_comment = $0 !~ /\*\//
    if (!in_comment) {
        comment_end = NR
        if (rules == "") rules = comment
    }
    next
}

/^typedef struct gp_[a-z0-9_]+_desc \{/ {
    desc = $3
    desc_comment[desc] = own_comment()
    pending = ""
    group = inside = 0
    next
}

# In the comment of the call, which stands before it or before the desc of the same name.
function check_label(name) {
    if (!(name "_desc" in desc_comment)) return
    if ((desc_comment[name "_desc"] own_comment()) !~ ("\n[ \t]*" label ":")) missing("label", name " (" label ")")
}

/^GP_([A-Z]+_)?API / { declaration = ""; declaring = 1 }
declaring {
    if (declaration == "") {
        name = function_name($0)
        print "function", name
        declared_good = check_function(name)
        if (!declared_good) missing("function", name)
        check_label(name)
    }
    if (match($0, /gp_[a-z0-9_]+_desc/)) {
        at = substr($0, RSTART, RLENGTH)
        call_comment[at] = call_comment[at] " " own_comment()
    }
    declaration = declaration $0
    if (declaration ~ /;/) { declaring = 0; declared_end = NR }
}

END {
    for (i = 1; i <= field_count; i++) {
        split(fields[i], part, SUBSEP)
        print "field", part[1] "." part[2]
        if (!is_good(part[1], part[2])) missing("field", part[1] "." part[2])
    }
}
