# gpu_day_report.awk - tables of Markdown from what the steps of tools/gpu_day.sh leave: lines of JSON, or ptxas -v.
#
# usage: awk -v kind=litmus|tests|bench|large|tuning|ptx -f tools/gpu_day_report.awk FILE

# The value of a field of the line, without quotes; "" where there is none.
function field(name,    value) {
    if (!match($0, "\"" name "\": (\"[^\"]*\"|[^,}]*)")) return ""
    value = substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4)
    gsub(/^"|"$/, "", value)
    return value
}

function heading(columns,    n, i, names, line) {
    n = split(columns, names, ",")
    line = "|"
    for (i = 1; i <= n; i++) line = line " --- |"
    gsub(/,/, " | ", columns)
    print "| " columns " |\n" line
}

# A number of elements as a power of two, where it is one.
function power(n,    bits) {
    for (bits = 0; 2 ^ bits < n; bits++) { }
    return 2 ^ bits == n && n >= 1024 ? "2^" bits : n
}

# The case of a row: rows of the hash table have operations, and no type.
function case_name() { return field("primitive") (field("operation") == "" ? "" : ", " field("operation")) }

# Does the variant do the same work as the library's own choice, in another way?
function is_strategy(variant) {
    return variant ~ /^gpuprim(:(single-pass|multi-pass|onesweep|classic|direct|partitioned|behind))?$/
}

function rate(per_s) { return per_s ? sprintf("%.1f", per_s / 1e6) : "" }
function ratio(a, b) { return a && b ? sprintf("%.2f", a / b) : "" }

BEGIN {
    if (kind == "litmus") heading("test,words,checked,violations,weak,gave up")
    if (kind == "large") heading("call,n,result,seconds,text")
    if (kind == "ptx") heading("kernel,registers,spilled bytes,local memory,in")
}

kind == "litmus" {
    print "| " field("litmus") " (" field("detail") ") | " field("words") " | " field("checked") " | " \
        field("violations") " | " field("weak") " | " field("gave_up") " |"
}

kind == "large" {
    print "| " field("large") " | " field("n") " | " field("result") " | " field("seconds") " | " field("text") " |"
}

kind == "tests" {
    tests++
    if (field("result") == "pass") passed++
    else failures = failures " " field("test")
}

# ---- bench: a line for each case and size; of the library its own choice, and its fastest variant where that is another

kind == "bench" && /"variant"/ {
    name = case_name()
    type = field("type") == "" ? "u32" : field("type")
    key = name SUBSEP type SUBSEP field("n")
    if (!(key in seen)) {
        seen[key] = name
        order[++cases] = key
    }
    variant = field("variant")
    error = field("error")
    if (error != "") errors = errors "\n- " name ", n = " power(field("n")) ", " variant ": " error
    speed = field("median_s") > 0 && error == "" ? field("n") / field("median_s") : 0
    if (variant == "gpuprim" || variant == "gpuprim:behind") {
        own[key] = speed
        of_limit[key] = field("fraction")
    }
    if (is_strategy(variant) && speed > best[key]) {
        best[key] = speed
        best_name[key] = variant
    }
    if (variant ~ /^(cub|cuda)/) cuda[key] = speed
    if (field("fallbacks") > 0) fallbacks[key] += field("fallbacks")
}

function bench_table(    i, key, part, other) {
    heading("case,type,n,M/s,of limit,fallbacks,fastest variant,M/s,CUDA M/s,of CUDA")
    for (i = 1; i <= cases; i++) {
        key = order[i]
        split(key, part, SUBSEP)
        if (!(key in own) && !(key in cuda) && !(key in best)) continue
        other = best[key] > own[key] * 1.02
        print "| " seen[key] " | " part[2] " | " power(part[3]) " | " rate(own[key]) " | " of_limit[key] " | " \
            fallbacks[key] + 0 " | " (other ? best_name[key] : "") " | " (other ? rate(best[key]) : "") " | " \
            rate(cuda[key]) " | " ratio(own[key], cuda[key]) " |"
    }
    if (errors != "") print "\nErrors:\n" errors
}

# ---- tuning: the fastest setting of each case, and what it would be in src/runtime/tuning_table.h

kind == "tuning" && is_strategy(field("variant")) && field("error") == "" && field("median_s") > 0 {
    name = case_name()
    setting = field("setting")
    speed = field("n") / field("median_s")
    if (!(name in best)) order[++cases] = name
    if (speed > best[name]) {
        best[name] = speed
        best_name[name] = setting " " field("variant")
    }
    if (setting !~ /--wg/) {
        if (field("variant") ~ /^gpuprim(:onesweep)?$/) others = others "\n| " name " | " setting " | " field("variant") " | " rate(speed) " |"
        next
    }
    if (field("variant") ~ /multi-pass|partitioned/) strategy = "MULTI_PASS"
    else if (field("variant") ~ /single-pass|onesweep|direct/) strategy = "SINGLE_PASS"
    else strategy = "as it is"
    row = rows[name]
    if (row == "" || speed > row_speed[name]) {
        row_speed[name] = speed
        rows[name] = sprintf("X(%s, CLASS, LOCAL, %4d, %4d, AUTO, %s, POLLS) /* %s */", toupper(field("command")), field("wg"), 4 * field("tile"), strategy, name)
    }
}

function tuning_table(    i, name) {
    heading("case,fastest setting,M/s")
    for (i = 1; i <= cases; i++) print "| " order[i] " | " best_name[order[i]] " | " rate(best[order[i]]) " |"
    if (others != "") {
        print ""
        heading("case,setting,variant,M/s")
        print substr(others, 2)
    }
    print "\nFor src/runtime/tuning_table.h, from u32:\n\n```"
    for (i = 1; i <= cases; i++) if (order[i] in rows) print rows[order[i]]
    print "```"
}

# ---- ptxas -v

kind == "ptx" && /^== / { sub(/.*\//, ""); file = $0 }
kind == "ptx" && /Compiling entry function/ { split($0, quoted, "'"); kernel = quoted[2] }
kind == "ptx" && /spill stores/ { spilled = 0; for (i = 1; i < NF; i++) if ($(i + 2) == "spill") spilled += $i }
kind == "ptx" && /Used [0-9]+ registers/ {
    shared = 0
    for (i = 1; i < NF; i++) {
        if ($i == "Used") registers = $(i + 1)
        if ($(i + 1) == "bytes" && $(i + 2) ~ /^smem/) shared = $i
    }
    print "| " kernel " | " registers " | " spilled + 0 " | " shared " | " file " |"
}

END {
    if (kind == "tests") print passed + 0 " of " tests + 0 " test programs passed." (failures == "" ? "" : " Failed:" failures ".")
    if (kind == "bench") bench_table()
    if (kind == "tuning") tuning_table()
}
