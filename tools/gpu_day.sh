#!/bin/sh
# Tests and measures on a borrowed machine with a GPU, in steps of at most 8 minutes (docs/gpu-day.md).
#
# usage: tools/gpu_day.sh packages FOLDER    ahead, with a network: Debian packages that the machine may lack
#        tools/gpu_day.sh [OUT [STEP...]]    there: these steps from their beginning, or all that have not ended
#                                            OUT: build/gpu-day
#
# GPU_DAY_PACKAGES   folder of .deb files (build/packages); they are unpacked into OUT/root, nothing is installed
# GPU_DAY_TIME       seconds for all steps of this run, at least 35 (default: no limit); the next run resumes an interrupted step
# GPU_DAY_LIMIT      seconds for one step (480)
# GPU_DAY_SMALL=1 small sizes, a few of everything: to test the steps on a machine without a GPU GPU_DAY_ROOT look for
# the vendor's library below this folder (/)
# CUDA_ARCH          target of CUB and PTX (sm_ and the capability that nvidia-smi reports; else sm_90)
# GPUPRIM_DEVICE     as in README; by default a GPU if there is one
set -eu
cd "$(dirname "$0")/.."

STEPS="info build selftest litmus ptx tests bench stress large tuning counters"
PACKAGES="ocl-icd-libopencl1 ocl-icd-opencl-dev opencl-c-headers clinfo libcmocka0 libcmocka-dev"
SMALL=${GPU_DAY_SMALL:-}
JOBS=$(nproc 2>/dev/null || echo 2)

pick() { # small large
    if [ -n "$SMALL" ]; then echo "$1"; else echo "$2"; fi
}

# ---- the machine: packages, the vendor's library, paths

fetch_packages() { # folder
    mkdir -p "$1"
    # shellcheck disable=SC2086 # a list
    (cd "$1" && apt-get download $PACKAGES)
}

unpack_packages() {
    for package in "${GPU_DAY_PACKAGES:-build/packages}"/*.deb; do
        if [ -e "$package" ]; then dpkg-deb -x "$package" "$OUT/root"; fi
    done
}

# Finds the first file whose name begins with the argument, in the folders of drivers.
find_library() { # name
    root=${GPU_DAY_ROOT:-}
    if [ -z "$root" ] && command -v ldconfig >/dev/null; then
        ldconfig -p | awk -v name="$1" 'index($1, name) == 1 { print $NF }'
    fi
    find "$root"/usr/lib* "$root"/usr/local "$root"/opt -name "$1*" 2>/dev/null || true
}

# Makes a folder for the loader with a file for each vendor's library. Without such libraries, the loader uses its
# default folder.
find_vendors() {
    rm -rf "$OUT/vendors"
    mkdir -p "$OUT/vendors"
    for name in libnvidia-opencl.so libamdocl64.so libigdrcl.so; do
        for file in $(find_library $name); do
            if [ ! -e "$file" ]; then continue; fi
            echo "$file" >"$OUT/vendors/$name.icd"
            export OCL_ICD_VENDORS="$OUT/vendors"
            break
        done
    done
}

# Programs are linked with libOpenCL.so, which is in a package for developers; a link to the loader suffices.
link_loader() {
    if [ -e "$OUT/root/usr/include/CL/cl.h" ]; then return; fi
    for file in $(find_library libOpenCL.so.1); do
        if [ -e "$file" ]; then ln -sf "$file" "$OUT/root/libOpenCL.so" && break; fi
    done
}

add_path() { # variable folder...
    variable=$1
    shift
    eval "value=\${$variable:-}"
    for folder; do
        # shellcheck disable=SC2154 # set by eval
        if [ -d "$folder" ]; then value=$folder${value:+:$value}; fi
    done
    export "$variable=$value"
}

find_cuda_arch() {
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sed -n '1s/\.//p') || true
    case ${CUDA_ARCH:-}:$capability in
    :[0-9]*) export CUDA_ARCH="sm_$capability" ;;
    esac
}

prepare() {
    mkdir -p "$OUT/root" "$OUT/status" "$OUT/logs" "$OUT/results"
    unpack_packages
    find_vendors
    link_loader
    libraries="$OUT/root $OUT/root/usr/lib $OUT/root/usr/lib/$(uname -m)-linux-gnu"
    add_path PATH "$OUT/root/usr/bin" /usr/local/cuda/bin
    find_cuda_arch
    add_path CPATH "$OUT/root/usr/include"
    # shellcheck disable=SC2086 # lists
    { add_path LIBRARY_PATH $libraries && add_path LD_LIBRARY_PATH $libraries; }
    export DEPS_INSTALL=no XDG_CACHE_HOME="$PWD/build/cache" POCL_CACHE_DIR="$PWD/build/cache/pocl"
    mkdir -p build/cache/pocl
    ${CC:-cc} -o build/list_devices tools/list_devices.c -lOpenCL || echo "gpu-day: no loader, or no headers" >&2
    if [ -z "${GPUPRIM_DEVICE:-}" ]; then
        case ${OCL_ICD_VENDORS:-}:$(build/list_devices 2>/dev/null) in
        :*"Portable Computing Language: "*) export GPUPRIM_DEVICE=Portable ;;
        esac
    fi
}

# ---- steps: each is a separate process with a log, and writes its results to results/STEP.md

# Appends the complete JSON lines of a command's output, with further fields in front. The exit status is the command's.
rows() { # file fields command...
    rows_file=$1
    rows_fields=$2
    shift 2
    status=0
    "$@" >"$OUT/rows" || status=$?
    grep '^{.*}$' "$OUT/rows" | sed "s/^{/{$rows_fields/" >>"$rows_file" || true
    return $status
}

# Runs a part of a step unless it has ended in an earlier run. The exit status is that of the part.
once() { # name command...
    ended=$OUT/status/$1
    shift
    if [ ! -e "$ended" ]; then
        failure=0
        "$@" || failure=$?
        echo "$failure" >"$ended"
    fi
    return "$(cat "$ended")"
}

# Builds programs before time is measured, as many at once as there are cores. Reads lines of arguments for gpbench,
# without --n.
warm_up() {
    xargs -P "$JOBS" -I '{}' sh -c 'timeout 100 build/gpbench {} --n 2^10 --type u32 --no-peers --repeats 1' \
        >/dev/null 2>&1 || true
}

step_info() {
    {
        echo '```'
        uname -srm
        echo "$JOBS cores"
        git describe --always --dirty 2>/dev/null || true
        nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader 2>/dev/null || true
        nvcc --version 2>/dev/null | tail -1 || true
        echo "OCL_ICD_VENDORS=${OCL_ICD_VENDORS:-}" "$(cat "$OUT"/vendors/* 2>/dev/null || true)"
        echo "GPUPRIM_DEVICE=${GPUPRIM_DEVICE:-}"
        build/list_devices
        echo '```'
    } | tee "$OUT/results/info.md"
    clinfo >"$OUT/results/clinfo.txt" || true
    build/list_devices | grep -q .
}

step_build() {
    failed=0
    # shellcheck disable=SC2046 # a list
    make -k -j"$JOBS" PEERS= build/gpu/litmus build/gpu/large build/gpbench $(programs_of_tests) \
        build/stress/stress $(pick build/examples/tour examples) || failed=1
    if command -v nvcc >/dev/null; then make -k -j"$JOBS" build/cuda/cubbench || failed=1; fi
    return $failed
}

step_selftest() {
    failed=0
    if [ -x build/examples/gpinfo ]; then build/examples/gpinfo || failed=1; fi
    build/examples/tour gpuprim.h || failed=1
    build/gpbench || failed=1
    return $failed
}

step_litmus() {
    rm -f "$OUT/results/litmus.jsonl"
    failed=0
    rows "$OUT/results/litmus.jsonl" '' timeout 300 build/gpu/litmus ${SMALL:+--small} || failed=1
    tools/gpu_day_report.sh litmus "$OUT/results/litmus.jsonl" >"$OUT/results/litmus.md"
    return $failed
}

# On NVIDIA the driver's programs are PTX: its assembler prints each kernel's registers and spills.
step_ptx() {
    dump=$OUT/results/ptx
    mkdir -p "$dump"
    for primitive in $(pick scan "scan select sort by-key brackets hash"); do
        GPUPRIM_CACHE="$OUT/ptx-cache" timeout 100 build/gpbench "$primitive" --n 2^16 --type u32 --no-peers \
            --repeats 1 --strategy single-pass --dump "$dump" >/dev/null || echo "gpu-day: $primitive failed"
    done
    for binary in "$dump"/*.bin; do
        grep -aq '^\.version' "$binary" || continue
        tr -d '\000' <"$binary" >"${binary%.bin}.ptx"
        echo "== ${binary%.bin}.ptx"
        ptxas -v -arch="${CUDA_ARCH:-sm_90}" -o /dev/null "${binary%.bin}.ptx" || true
    done >"$OUT/ptxas.txt" 2>&1
    rm -rf "$dump"/*.bin "$OUT/ptx-cache"
    mv "$OUT/ptxas.txt" "$dump/"
    tools/gpu_day_report.sh ptx "$dump/ptxas.txt" | tee "$OUT/results/ptx.md"
}

# The most important ones first, then the others in alphabetical order.
programs_of_tests() {
    first="scan select sort reduce hash brackets topk merge histogram segmented_sort context chain"
    if [ -n "$SMALL" ]; then first="scan" && all=; else all=$(find tests -name 'test_*.c' | sort); fi
    {
        for name in $first; do echo "test_$name"; done
        for file in $all; do basename "$file" .c; done
    } | awk '!seen[$1]++ { print "build/tests/" $1 }'
}

step_tests() {
    results=$OUT/results/tests.txt
    touch "$results"
    left=
    for program in $(programs_of_tests); do
        grep -q "^${program##*/} " "$results" || left="$left $program"
    done
    # shellcheck disable=SC2086 # a list
    [ -z "$left" ] || GPUPRIM_TEST_FULL=1 TEST_RESULTS=$results TEST_TIMEOUT=${GPU_DAY_TEST:-150} \
        TEST_JOBS=$((JOBS < 6 ? JOBS : 6)) tools/run_tests.sh $left || true
    awk '{ printf "{\"test\": \"%s\", \"result\": \"%s\", \"seconds\": %s}\n", $1, $2, $3 }' "$results" \
        >"$OUT/results/tests.jsonl"
    tools/gpu_day_report.sh tests "$OUT/results/tests.jsonl" >"$OUT/results/tests.md"
    ! grep -q ' FAIL ' "$results"
}

bench_both() { # primitive size: the library, and CUDA's in the same minute
    failed=0
    load=
    if [ "$1" = hash ]; then load="--load 0.5"; fi
    # shellcheck disable=SC2086 # options
    rows "$OUT/results/bench.jsonl" '' timeout 120 build/gpbench "$1" --n "$2" --type u32 --no-peers --json $load \
        ${SMALL:+--repeats 1} || failed=1
    if [ -x build/cuda/cubbench ] && [ -z "$SMALL" ]; then
        rows "$OUT/results/bench.jsonl" '' timeout 120 build/cuda/cubbench "$1" "$2" || failed=1
    fi
    return $failed
}

step_bench() {
    sizes=$(pick "2^10 2^12" "2^24 2^20 2^16 2^10 2^28 2^26 2^22 2^18 2^14 2^12")
    primitives="scan reduce sort select hash by-key histogram unique rle topk merge segmented-sort search transform
        fill gather random stencil segmented brackets tree strings dot affine launch stream"
    if [ -n "$SMALL" ]; then primitives="scan reduce hash"; fi
    # shellcheck disable=SC2086 # a list
    printf '%s\n' $primitives | once bench.warm warm_up
    failed=0
    for size in $sizes; do
        for primitive in $primitives; do
            echo "== $primitive $size"
            once "bench.$primitive.$size" bench_both "$primitive" "$size" || failed=1
            tools/gpu_day_report.sh bench "$OUT/results/bench.jsonl" >"$OUT/results/bench.md"
        done
    done
    return $failed
}

# While another program uses the GPU, waiting groups are preempted.
load_gpu() {
    while :; do
        if [ -x build/cuda/cubbench ] && [ -z "$SMALL" ]; then build/cuda/cubbench sort 2^26; fi
        build/gpbench stream --n "$(pick 2^16 2^26)" --type u32 --repeats 5 --no-peers
    done >/dev/null 2>&1
}

step_stress() {
    export STRESS_GRACE=100
    failed=0
    tools/stress.sh build/stress/stress "$(pick 5 40)" 1 || failed=1
    load_gpu &
    loader=$!
    tools/stress.sh build/stress/stress "$(pick 5 80)" 2 || failed=1
    rm -f "$OUT/results/stress.jsonl"
    rows "$OUT/results/stress.jsonl" '"load": true, ' timeout 150 build/gpu/litmus ${SMALL:+--small} || failed=1
    kill $loader
    {
        echo "Random calls, alone and while another program loads the GPU: exit status $failed. Litmus tests under load:"
        echo
        tools/gpu_day_report.sh litmus "$OUT/results/stress.jsonl"
    } >"$OUT/results/stress.md"
    return $failed
}

step_large() {
    counts=$(pick "4095 4097" "4294967295 4294967297")
    failed=0
    for name in $(build/gpu/large --list); do
        for count in $counts; do
            once "large.$name.$count" rows "$OUT/results/large.jsonl" '' \
                timeout -k 5 150 build/gpu/large "$name" "$count" || failed=1
        done
        tools/gpu_day_report.sh large "$OUT/results/large.jsonl" >"$OUT/results/large.md"
    done
    return $failed
}

sweep_one() { # sub-command options...
    command=$1
    shift
    fields=$(echo "$*" | sed 's/--\([a-z]*\)-*\([a-z]*\) \([0-9.]*\)/"\1_\2": \3,/g; s/_"/"/g')
    rows "$OUT/results/tuning.jsonl" "\"command\": \"$command\", \"setting\": \"$*\", $fields " timeout 60 build/gpbench "$command" \
        --n "$(pick 2^12 2^24)" --type u32 --no-peers --json --repeats "$(pick 1 7)" --shape local "$@"
}

step_tuning() {
    groups=$(pick 64 "256 512 128")
    tiles=$(pick "4 8" "16 8 24 32")
    primitives=$(pick "scan reduce" "scan sort select reduce hash merge histogram brackets tree search transform")
    for primitive in $primitives; do
        load=
        if [ "$primitive" = hash ]; then load="--load 0.5"; fi
        for group in $groups; do
            for tile in $tiles; do echo "$primitive $load --shape local --wg $group --tile $tile"; done
        done | once "tuning.$primitive.warm" warm_up
        for group in $groups; do
            for tile in $tiles; do
                # shellcheck disable=SC2086 # options
                once "tuning.$primitive.$group.$tile" sweep_one $primitive $load --wg "$group" --tile "$tile" || true
            done
        done
        tools/gpu_day_report.sh tuning "$OUT/results/tuning.jsonl" >"$OUT/results/tuning.md"
    done
    for polls in $(pick 4096 "256 4096 65536"); do
        once "tuning.scan.polls.$polls" sweep_one scan --polls "$polls" || true
    done
    for ring in $(pick "" "1024:16 1024:32 1024:128 1024:256 256:64 4096:64"); do # rows, reach
        once "tuning.sort.$ring" sweep_one sort --ring-rows "${ring%:*}" --ring-reach "${ring#*:}" || true
    done
    tools/gpu_day_report.sh tuning "$OUT/results/tuning.jsonl" | tee "$OUT/results/tuning.md"
}

# Nsight Compute profiles CUDA's kernels; whether it also profiles OpenCL's depends on its version.
step_counters() {
    command -v ncu >/dev/null || {
        echo "No ncu here." | tee "$OUT/results/counters.md"
        return 77
    }
    for primitive in scan sort; do
        timeout 150 ncu --target-processes all --csv --launch-count 20 --section SpeedOfLight \
            --section MemoryWorkloadAnalysis --section WarpStateStats build/gpbench $primitive --n 2^24 --type u32 \
            --no-peers --repeats 1 >"$OUT/results/counters.$primitive.csv" 2>&1 || true
    done
    if grep -q gp_ "$OUT"/results/counters.*.csv; then return 0; fi
    echo "ncu sees no kernel of OpenCL here." | tee "$OUT/results/counters.md"
    return 77
}

# ---- running them

# A program under its own timeout is in another process group, so all remaining processes of a step's session are ended.
end_session() { # session
    for stat in /proc/[0-9]*/stat; do
        awk -v session="$1" '{ pid = $1; sub(/.*\) /, ""); if ($4 == session) print pid }' "$stat" 2>/dev/null || true
    done | while read -r pid; do kill -9 "$pid" 2>/dev/null || true; done
}

# Removes the files of a step, so that it starts again.
forget_step() { # step
    rm -rf "$OUT/status/$1" "$OUT/status/$1".* "$OUT/results/$1".*
}

has_built() {
    grep -Eqs '^(pass|FAIL)' "$OUT/status/build"
}

# Prints the programs that a step requires.
programs_of() { # step
    case $1 in
    litmus | large) echo "build/gpu/$1" ;;
    selftest | ptx | bench | tuning) echo build/gpbench ;;
    counters) if command -v ncu >/dev/null; then echo build/gpbench; fi ;;
    tests) if ! has_built; then programs_of_tests; fi ;;
    stress) echo build/stress/stress build/gpu/litmus ;;
    esac
}

# If its programs are missing, a step is postponed until `build` has ended; after that it counts as failed.
is_ready() { # step
    for program in $(programs_of "$1"); do
        if [ -x "$program" ]; then continue; fi
        if has_built; then result=FAIL; else result=late; fi
        echo "gpu-day: $1 needs $program, which the step build makes" | tee -a "$OUT/logs/$1.log" >&2
        echo "$result 0" | tee "$OUT/status/$1"
        tools/gpu_day_report.sh all "$OUT" "$STEPS"
        return 1
    done
}

run_step() { # step seconds
    echo "== $1: at most $2 s, $OUT/logs/$1.log"
    is_ready "$1" || return 0
    began=$(date +%s)
    status=0
    setsid timeout -k 10 "$2" "$0" --step "$OUT" "$1" >>"$OUT/logs/$1.log" 2>&1 </dev/null &
    session=$!
    trap 'end_session $session; exit 143' HUP INT TERM
    wait $session || status=$?
    end_session $session
    case $status in
    0) result=pass ;;
    77) result=skip ;;
    124 | 137) result=late ;;
    *) result=FAIL ;;
    esac
    echo "$result $(($(date +%s) - began))" | tee "$OUT/status/$1"
    tools/gpu_day_report.sh all "$OUT" "$STEPS"
}

is_to_run() { # step pass: first what has never begun, then what was cut short
    if [ "$2" = 1 ]; then [ ! -e "$OUT/status/$1" ]; else grep -q '^late' "$OUT/status/$1"; fi
}

# Runs steps as long as there is time.
run_in_time() { # step
    limit=$((ENDS - $(date +%s) - 15))
    if [ "$limit" -lt 20 ]; then
        echo "gpu-day: no time for $1"
        return
    fi
    if [ "$limit" -gt "${GPU_DAY_LIMIT:-480}" ]; then limit=${GPU_DAY_LIMIT:-480}; fi
    run_step "$1" "$limit"
}

# The steps, in the order of importance.
run_all() {
    for pass in 1 2; do
        for step in $STEPS; do
            if is_to_run "$step" $pass; then run_in_time "$step"; fi
        done
    done
}

# Fails unless the variable is empty or a number of seconds.
check_seconds() { # variable value
    case $2 in
    *[!0-9]*) echo "gpu-day: $1=$2 is no number of seconds" >&2 && exit 2 ;;
    esac
}

case ${1:-} in
packages)
    if [ $# -ne 2 ]; then echo "usage: tools/gpu_day.sh packages FOLDER" >&2 && exit 2; fi
    fetch_packages "$2"
    exit
    ;;
-h | --help)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
    echo "steps, the most important ones first: $STEPS"
    exit
    ;;
esac
if [ "${1:-}" = --step ]; then # a step's own process, whose environment is ready
    OUT=$2
    "step_$3"
    exit
fi
case ${1:-} in
-*) echo "gpu-day: no option \"$1\"; --help tells what there is" >&2 && exit 2 ;;
esac
check_seconds GPU_DAY_TIME "${GPU_DAY_TIME:-}"
check_seconds GPU_DAY_LIMIT "${GPU_DAY_LIMIT:-}"
ENDS=$(($(date +%s) + ${GPU_DAY_TIME:-100000}))
mkdir -p "${1:-build/gpu-day}"
OUT=$(cd "${1:-build/gpu-day}" && pwd)
if [ $# -gt 0 ]; then shift; fi
for step; do
    case " $STEPS " in
    *" $step "*) ;;
    *) echo "gpu-day: no step \"$step\"; there are: $STEPS" >&2 && exit 2 ;;
    esac
done
exec 9>"$OUT/lock" # what a run has started holds it too
if command -v flock >/dev/null && ! flock -n 9; then
    echo "gpu-day: another run works on $OUT" >&2 && exit 2
fi
prepare
if [ $# = 0 ]; then run_all; fi
for step; do
    forget_step "$step"
    run_in_time "$step"
done
echo "gpu-day: $OUT/report.md"
