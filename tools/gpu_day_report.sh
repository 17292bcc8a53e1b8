#!/bin/sh
# Writes the reports of tools/gpu_day.sh.
#
# usage: tools/gpu_day_report.sh litmus|tests|bench|large|tuning|ptx FILE    a table from a step's results
#        tools/gpu_day_report.sh all OUT "STEP..."                           OUT/report.md and OUT/report.json
set -eu

status_of() { # step
    if [ -e "$OUT/status/$1" ]; then cat "$OUT/status/$1"; else echo "not run 0"; fi
}

write_markdown() {
    echo "# A day with a GPU"
    echo
    echo "| step | result | seconds |"
    echo "| --- | --- | --- |"
    for step in $STEPS; do
        status=$(status_of "$step")
        echo "| [$step](logs/$step.log) | ${status% *} | ${status##* } |"
    done
    for step in $STEPS; do
        if [ ! -e "$OUT/results/$step.md" ]; then continue; fi
        printf '\n## %s\n\n' "$step"
        cat "$OUT/results/$step.md"
    done
}

write_json() {
    comma=
    printf '{"steps": ['
    for step in $STEPS; do
        status=$(status_of "$step")
        printf '%s\n{"step": "%s", "result": "%s", "seconds": %s}' "$comma" "$step" "${status% *}" "${status##* }"
        comma=,
    done
    printf ']'
    for file in "$OUT"/results/*.jsonl; do
        if [ ! -e "$file" ]; then continue; fi
        printf ',\n"%s": [\n%s]' "$(basename "$file" .jsonl)" "$(paste -sd , "$file" | sed 's/},{/},\n{/g')"
    done
    printf '}\n'
}

if [ "$1" = all ]; then
    OUT=$2
    STEPS=$3
    write_markdown >"$OUT/report.md"
    write_json >"$OUT/report.json"
    exit
fi
if [ -e "$2" ]; then awk -v kind="$1" -f tools/gpu_day_report.awk "$2"; fi
