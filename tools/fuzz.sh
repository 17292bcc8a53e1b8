#!/bin/sh
# Fuzzes the host code with libFuzzer and the sanitizers: every call with random descs, and the disk cache with
# random files. Starts from tests/fuzz/corpus, in which an input is a line of base64; adds new inputs that reach more code to
# build/fuzz/corpus.
#
# usage: tools/fuzz.sh         for FUZZ_SECONDS (60) altogether, from FUZZ_SEED (0: any)
#        tools/fuzz.sh keep    writes to tests/fuzz/corpus the smallest set of inputs that reaches the same code
#        tools/fuzz.sh replay TARGET FILE
set -eu
cd "$(dirname "$0")/.."

CLANG=${CLANG:-clang}
TARGETS="calls cache"
seconds=${FUZZ_SECONDS:-60}
dir=build/fuzz

tools/deps.sh headers fuzzer
mkdir -p $dir
tools/fuzz_calls.sh $dir/calls.h

# The fake OpenCL is compiled without the fuzzer's counters, because its paths do not matter.
sanitize="-std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
warnings="-Wall -Wextra -Wno-unused-function -Werror=implicit-function-declaration"
build() { # target
    $CLANG $sanitize $warnings -fsanitize=fuzzer -I$dir -I. -o $dir/fuzz_$1 tests/fuzz/fuzz_$1.c $dir/fake_cl.o \
        $dir/gpuprim.o
}
$CLANG $sanitize $warnings -c -o $dir/fake_cl.o tests/fuzz/fake_cl.c
for target in $TARGETS; do rm -f $dir/fuzz_$target; done
if ! [ $dir/gpuprim.o -nt gpuprim.h ]; then
    $CLANG $sanitize -fsanitize=fuzzer-no-link -DGP_IMPLEMENTATION -x c -c -o $dir/gpuprim.o gpuprim.h
fi
for target in $TARGETS; do build $target & done
wait
for target in $TARGETS; do
    test -x $dir/fuzz_$target || exit 1
done

export ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=16:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
if [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi # the cache's folder

unpack() { # target
    mkdir -p $dir/corpus/$1
    k=0
    while read -r line; do
        k=$((k + 1))
        printf '%s' "$line" | base64 -d >$dir/corpus/$1/kept-$k
    done <tests/fuzz/corpus/$1.txt
}

run() { # target
    unpack $1
    $dir/fuzz_$1 -seed=${FUZZ_SEED:-0} -max_total_time=$seconds -max_len=600 -len_control=0 -timeout=20 \
        -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix=$dir/$1- $dir/corpus/$1 >$dir/$1.log 2>&1
}

report() { # target
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' $dir/$1.log)
    covered=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' $dir/$1.log | tail -n 1)
    inputs=$(sed -n 's/.* corp: \([0-9]*\).*/\1/p' $dir/$1.log | tail -n 1)
    echo "fuzz $1: $runs inputs in $seconds s, $covered branches reached, $inputs inputs of use, ${2:-no failure}"
}

case ${1:-} in
replay)
    exec $dir/fuzz_$2 "$3"
    ;;
keep)
    for target in $TARGETS; do
        unpack $target
        rm -rf $dir/kept
        mkdir -p $dir/kept
        $dir/fuzz_$target -set_cover_merge=1 -use_value_profile=0 $dir/kept $dir/corpus/$target >$dir/$target.log 2>&1
        for file in "$dir"/kept/*; do
            base64 -w 0 "$file"
            echo
        done | LC_ALL=C sort >tests/fuzz/corpus/$target.txt
        echo "fuzz $target: $(wc -l <tests/fuzz/corpus/$target.txt) inputs kept, $(wc -c <tests/fuzz/corpus/$target.txt) bytes"
    done
    exit 0
    ;;
esac

failed=0
for target in $TARGETS; do run $target & eval "pid_$target=$!"; done
for target in $TARGETS; do
    if eval "wait \$pid_$target"; then
        report $target
    else
        tail -n 60 $dir/$target.log
        report $target "FAILED: tools/fuzz.sh replay $target FILE, with the file that is named above"
        failed=1
    fi
done
exit $failed
