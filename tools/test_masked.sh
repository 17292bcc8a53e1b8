#!/bin/sh
# Runs test programs on PoCL with some features of this CPU hidden, as on older CPUs (tools/cpu_mask.c).
#
# usage: tools/test_masked.sh PROGRAM...
#
# MASKS   each a comma-separated list of features: "avx512 avx2,avx512 avx" leaves AVX2, AVX and SSE of a CPU with AVX-512.
#         A mask that hides nothing which this CPU has is skipped.
#
# Exit status: 0 all passed; 1 something failed; 2 the CPU is not an x86, or the system is not Linux.
set -eu

if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "test-masked: features are hidden on Linux on x86-64 only"
    exit 2
fi

device() { # of PoCL, whose name is that of what it compiles for
    build/list_devices | grep "Portable Computing Language: "
}

plain=$(device)
failed=
for mask in ${MASKS:-avx512 avx2,avx512 avx}; do
    export CPU_MASK="$mask" POCL_CACHE_DIR="$PWD/build/cache/pocl-$mask" GPUPRIM_DEVICE=Portable
    if ! grep -q "^flags.* ${mask%%,*}" /proc/cpuinfo; then
        echo "== $mask: this CPU has none"
        continue
    fi
    masked=$(LD_PRELOAD="$PWD/build/tools/cpu_mask.so" device)
    echo "== $mask: $masked"
    if [ "$masked" = "$plain" ]; then
        echo "test-masked: $mask is not hidden: is this another LLVM than 14 to 21?" >&2
        failed="$failed $mask"
        continue
    fi
    LD_PRELOAD="$PWD/build/tools/cpu_mask.so" tools/run_tests.sh "$@" || failed="$failed $mask"
done

if [ -n "$failed" ]; then
    echo "test-masked: failed without$failed"
    exit 1
fi
echo "test-masked: passed"
