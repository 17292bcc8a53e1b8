#!/bin/sh
# Runs every test program on every available platform, and prints a table.
#
# usage: tools/test_all.sh PROGRAM...
#
# PLATFORMS=pocl,rusticl selects some of them. pocl7 is the PoCL of Debian's next release, in a separate root.
# pocl-avx2, pocl-sse4 and pocl-sse2 are PoCL with the CPU's newer features hidden (tools/test_masked.sh). pocl-neon,
# which runs only if it is named, is PoCL for arm64, emulated by qemu (tools/arm_run.sh), with small sizes. as-nvidia,
# as-amd, as-intel_gpu, as-mali, as-adreno, as-apple, as-unknown and as-llvmpipe are PoCL with the rows of this class of
# devices in src/runtime/tuning_table.h. sub_group-8 to sub_group-128 are PoCL with emulated sub-groups of this size.
# Both are built without optimization, unless GPUPRIM_TEST_OPTIONS is set. mixed uses all platforms except Oclgrind in
# one process, for test_host_devices. intel-sub_groups is Intel's CPU runtime with the rows of Intel's GPUs and its own
# sub-groups.
#
# A platform is skipped only if this system has no package for it, as reported by tools/deps.sh.
set -eu

PLATFORMS=$(echo "${PLATFORMS:-pocl pocl7 pocl-avx2 pocl-sse4 pocl-sse2 intel rusticl oclgrind}" | tr , " ")
results=build/test-all
rm -rf $results
mkdir -p $results

# The number of a gp_device_class.
class_of() { # platform
    case $1 in
    as-unknown) echo 1 ;;
    as-llvmpipe) echo 4 ;;
    as-nvidia) echo 5 ;;
    as-amd) echo 6 ;;
    as-intel_gpu) echo 7 ;;
    as-mali) echo 8 ;;
    as-adreno) echo 9 ;;
    as-apple) echo 10 ;;
    *)
        echo "test-all: no class of devices: $1" >&2
        return 1
        ;;
    esac
}

# This implementation does not cache built kernels: with one cache for all programs test_hash_values takes 21 s of CPU
# time instead of 126 s.
run_on_intel() { # program...
    OCL_ICD_VENDORS="$PWD/build/intel/vendors" GPUPRIM_DEVICE=Intel GPUPRIM_CACHE="$PWD/$results/intel-cache" \
        tools/run_tests.sh "$@"
}

# Groups of hundreds of work-items: PoCL takes long to optimize them.
run_as_gpu() { # variable=value program...
    setting=$1
    shift
    env "$setting" GPUPRIM_TEST_OPTIONS="${GPUPRIM_TEST_OPTIONS--cl-opt-disable}" GPUPRIM_DEVICE=Portable \
        TEST_TIMEOUT="${TEST_TIMEOUT:-1200}" tools/run_tests.sh "$@"
}

# Skipped on a CPU without features to hide.
run_masked() { # program...
    masked=0
    tools/test_masked.sh "$@" || masked=$?
    [ -s "$TEST_RESULTS" ] || echo '* skipped' >"$TEST_RESULTS"
    [ $masked = 0 ] || [ $masked = 2 ]
}

run_on() { # platform program...
    platform=$1
    shift
    export TEST_RESULTS=$results/$platform
    case $platform in
    pocl) GPUPRIM_DEVICE=Portable tools/run_tests.sh "$@" ;;
    pocl-avx2) MASKS=avx512 run_masked "$@" ;;
    pocl-sse4) MASKS=avx run_masked "$@" ;;
    pocl-sse2) MASKS=avx,sse3,ssse3,sse4 run_masked "$@" ;;
    pocl-neon)
        GPUPRIM_TEST_SMALL=1 GPUPRIM_DEVICE=Portable TEST_RUNNER=tools/arm_run.sh TEST_TIMEOUT=${TEST_TIMEOUT:-1500} \
            tools/run_tests.sh "$@"
        ;;
    pocl7)
        GPUPRIM_DEVICE=Portable TEST_RUNNER=tools/next_run.sh TEST_TIMEOUT=${TEST_TIMEOUT:-1200} tools/run_tests.sh "$@"
        ;;
    sub_group-*) run_as_gpu GPUPRIM_TEST_SUB_GROUP="${platform#*-}" "$@" ;;
    as-*)
        class=$(class_of "$platform") || return 1
        run_as_gpu GPUPRIM_TEST_CLASS="$class" "$@"
        ;;
    intel) run_on_intel "$@" ;;
    intel-sub_groups)
        class=$(class_of as-intel_gpu) || return 1
        (export GPUPRIM_TEST_CLASS="$class" TEST_TIMEOUT="${TEST_TIMEOUT:-1200}" && run_on_intel "$@")
        ;;
    rusticl)
        RUSTICL_ENABLE=llvmpipe GPUPRIM_DEVICE=rusticl TEST_TIMEOUT=${TEST_TIMEOUT:-900} tools/run_tests.sh "$@"
        ;;
    mixed)
        # several implementations in one process
        mkdir -p $results/vendors
        for icd in /etc/OpenCL/vendors/pocl.icd /etc/OpenCL/vendors/rusticl.icd build/intel/vendors/*.icd; do
            if [ -f "$icd" ]; then cp "$icd" $results/vendors; fi
        done
        OCL_ICD_VENDORS="$PWD/$results/vendors" RUSTICL_ENABLE=llvmpipe GPUPRIM_DEVICE=Portable \
            TEST_TIMEOUT=${TEST_TIMEOUT:-900} tools/run_tests.sh "$@"
        ;;
    oclgrind)
        # interpreted: small sizes
        GPUPRIM_TEST_SMALL=1 GPUPRIM_DEVICE=Oclgrind TEST_RUNNER=tools/oclgrind_run.sh \
            TEST_TIMEOUT=${TEST_TIMEOUT:-1500} tools/run_tests.sh "$@"
        ;;
    esac
}

print_table() { # program...
    printf '\n%-24s' program
    printf '%-14s' $PLATFORMS
    printf '\n'
    for program in "$@"; do
        name=$(basename "$program")
        printf '%-24s' "$name"
        for platform in $PLATFORMS; do
            cell=$(awk -v name="$name" '$1 == name || $1 == "*" { print $2 ($3 == "" ? "" : " (" $3 " s)") }' \
                $results/"$platform")
            printf '%-14s' "$cell"
        done
        printf '\n'
    done
}

failed=
for platform in $PLATFORMS; do
    found=0
    case $platform in
    pocl-neon) tools/deps.sh arm || found=$? ;;
    as-* | sub_group-* | pocl-*) tools/deps.sh pocl || found=$? ;;
    intel-*) tools/deps.sh intel || found=$? ;;
    pocl7) tools/deps.sh next || found=$? ;;
    *) tools/deps.sh "$platform" || found=$? ;;
    esac
    case $found in
    0) run_on "$platform" "$@" || failed="$failed $platform" ;;
    2) echo '* skipped' >$results/"$platform" ;;
    *)
        echo '* MISSING' >$results/"$platform"
        failed="$failed $platform"
        ;;
    esac
done

print_table "$@"
if [ -n "$failed" ]; then
    echo "test-all: failed on$failed"
    exit 1
fi
echo "test-all: passed"
