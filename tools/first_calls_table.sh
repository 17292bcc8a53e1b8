#!/bin/sh
# first_calls_table.sh - writes the output of `make first-calls` (stdin) to the table of a document, between the lines
# "<!-- first-calls" and "<!-- /first-calls". usage: tools/first_calls_table.sh FILE
set -eu
awk -v date="$(date +%Y-%m-%d)" '
FNR == NR && /^first_calls: on / { device = substr($0, 17) }
FNR == NR && NF == 7 && $1 != "all" { row[++rows] = sprintf("`%s` | %.1f", $1, $2 / 1000) }
FNR == NR && $1 == "all" { all = $2 / 1000 }
FNR == NR { next }
/^<!-- \/first-calls/ {
    lines = int((rows + 2) / 3)
    printf "%.0f seconds in all, on %s, %s:\n\n", all, device, date
    print "| call | s | call | s | call | s |\n| --- | --- | --- | --- | --- | --- |"
    for (k = 1; k <= lines; k++) {
        line = "| " row[k]
        for (i = k + lines; i <= 3 * lines; i += lines) line = line " | " (i in row ? row[i] : " | ")
        print line " |"
    }
    print ""
    inside = 0
}
!inside
/^<!-- first-calls/ { print ""; inside = 1 }
END { exit rows == 0 }' - "$1" >"$1.new"
mv "$1.new" "$1"
