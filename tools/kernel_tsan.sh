#!/bin/sh
# Looks for races in the look-back protocol and in the hash table: compiles the serial-shape kernels, and
# reductions by key in groups of one item, for this machine with ThreadSanitizer, and with AddressSanitizer and UBSan, and
# runs their groups concurrently, in threads.
#
# usage: tools/kernel_tsan.sh
set -eu
cd "$(dirname "$0")/.."

CLANG=${CLANG:-clang}
out=build/native
mkdir -p $out

# Vectors would need built-in functions of every width; one lane suffices to test the protocol.
DEFINES="-DGPI_SHAPE_SERIAL=1 -DGPI_TILES_ABREAST=2 -DGPI_WG=1 -DGPI_PER_ITEM=64 -DGPI_TILE=64 -DGPI_LANES=1
    -DGPI_FP64=1 -DGPI_INT64_EXTENDED=1"

# Prints the names of the defined macros, without GPI_ and values.
suffix_of() { # [defines]
    echo "${1:-}" | tr 'A-Z' 'a-z' | sed 's/-dgpi_/./g; s/=[0-9]*//g; s/ //g'
}

check() { # element bytes wide sanitizer [define]
    name=$1.wide$3.$(echo "$4" | tr , _)$(suffix_of "${5:-}")
    $CLANG -x cl -cl-std=CL1.2 -target x86_64-unknown-linux-gnu -Ikernels/cpu -Ikernels/common -Xclang -finclude-default-header -O1 -g \
        -fsanitize="$4" -Wno-unused-function $DEFINES -DGPI_WIDE="$3" ${5:-} -c -o "$out/$name.cl.o" -include "tests/native/prelude_$1.h" kernels/common/scan/scan.cl
    $CLANG -std=c11 -O1 -g -Wall -Wextra -fsanitize="$4" -DELEMENT_BYTES="$2" -DELEMENT_TILE=64 ${5:-} \
        -o "$out/$name" tests/native/kernel_threads.c "$out/$name.cl.o" -lpthread
    printf '%-44s ' "$name"
    TSAN_OPTIONS=halt_on_error=1 UBSAN_OPTIONS=halt_on_error=1 "$out/$name"
}

# The local shape: groups of one item, whose local memory is private.
check_by_key() { # element ordered wide sanitizer [define]
    name=by_key_$1.wide$3.$(echo "$4" | tr , _)$(suffix_of "${5:-}")
    $CLANG -x cl -cl-std=CL1.2 -target x86_64-unknown-linux-gnu -Ikernels/gpu -Ikernels/common -Xclang -finclude-default-header -O1 -g \
        -fsanitize="$4" -Wno-unused-function -D__local= -DGPI_SHAPE_SERIAL=0 -DGPI_TILES_ABREAST=2 -DGPI_WG=1 \
        -DGPI_PER_ITEM=32 -DGPI_TILE=32 -DGPI_FP64=0 -DGPI_INT64_EXTENDED=1 -DGPI_WIDE="$3" ${5:-} -c -o "$out/$name.cl.o" \
        -include "tests/native/prelude_by_key_$1.h" kernels/common/select/by_key.cl
    $CLANG -std=c11 -O1 -g -Wall -Wextra -fsanitize="$4" -DORDERED="$2" ${5:-} -o "$out/$name" \
        tests/native/kernel_by_key.c "$out/$name.cl.o" -lpthread
    printf '%-44s ' "$name"
    TSAN_OPTIONS=halt_on_error=1 UBSAN_OPTIONS=halt_on_error=1 "$out/$name"
}

# The serial shape, one lane as above.
check_by_key_serial() { # wide sanitizer [define]
    name=by_key_serial.wide$1.$(echo "$2" | tr , _)$(suffix_of "${3:-}")
    $CLANG -x cl -cl-std=CL1.2 -target x86_64-unknown-linux-gnu -Ikernels/cpu -Ikernels/common -Xclang -finclude-default-header -O1 -g \
        -fsanitize="$2" -Wno-unused-function -DGPI_SHAPE_SERIAL=1 -DGPI_TILES_ABREAST=2 -DGPI_WG=1 \
        -DGPI_PER_ITEM=32 -DGPI_TILE=32 -DGPI_FP64=0 -DGPI_INT64_EXTENDED=1 -DGPI_WIDE="$1" ${3:-} -c -o "$out/$name.cl.o" \
        -include tests/native/prelude_by_key_u32.h kernels/common/select/by_key.cl
    $CLANG -std=c11 -O1 -g -Wall -Wextra -fsanitize="$2" -DORDERED=0 ${3:-} -o "$out/$name" \
        tests/native/kernel_by_key.c "$out/$name.cl.o" -lpthread
    printf '%-44s ' "$name"
    TSAN_OPTIONS=halt_on_error=1 UBSAN_OPTIONS=halt_on_error=1 "$out/$name"
}

check_sort() { # wide sanitizer [define]
    name=sort_pairs.wide$1.$(echo "$2" | tr , _)$(suffix_of "${3:-}")
    $CLANG -x cl -cl-std=CL1.2 -target x86_64-unknown-linux-gnu -Ikernels/cpu -Ikernels/common -Xclang -finclude-default-header -O1 -g \
        -fsanitize="$2" -Wno-unused-function -DGPI_SHAPE_SERIAL=1 -DGPI_WG=1 -DGPI_PER_ITEM=1 \
        -DGPI_TILE=1 -DGPI_FP64=0 -DGPI_INT64_EXTENDED=1 -DGPI_WIDE="$1" ${3:-} -c -o "$out/$name.cl.o" \
        -include tests/native/prelude_sort_pairs.h kernels/common/sort/sort.cl
    $CLANG -std=c11 -O1 -g -Wall -Wextra -fsanitize="$2" -DWIDE="$1" ${3:-} -o "$out/$name" \
        tests/native/kernel_sort.c "$out/$name.cl.o" -lpthread
    printf '%-44s ' "$name"
    TSAN_OPTIONS=halt_on_error=1 UBSAN_OPTIONS=halt_on_error=1 "$out/$name"
}

# Lines of slots are read by vector loads, which ThreadSanitizer reports as races: the machine guarantees more than the
# language (base/platform.cl).
check_hash() { # form wide packed sanitizer [lines]
    name=hash.form$1.$(echo "$4" | tr , _)${5:+.lines}
    $CLANG -x cl -cl-std=CL1.2 -target x86_64-unknown-linux-gnu -Ikernels/cpu -Ikernels/common -Xclang -finclude-default-header -O1 -g \
        -fsanitize="$4" -Wno-unused-function -Wno-psabi -DGPI_SHAPE_SERIAL=1 -DGPI_WG=1 -DGPI_FP64=0 -DGPI_INT64_EXTENDED=1 \
        -DGPI_WIDE="$2" -DGPI_HASH_PACKED="$3" -DGPI_VALUE_WIDTH=0 ${5:-} -c -o "$out/$name.cl.o" kernels/common/hash/hash.cl
    $CLANG -std=c11 -O1 -g -Wall -Wextra -fsanitize="$4" -DFORM="$1" -o "$out/$name" \
        tests/native/kernel_hash.c "$out/$name.cl.o" -lpthread
    printf '%-44s ' "$name"
    TSAN_OPTIONS=halt_on_error=1 UBSAN_OPTIONS=halt_on_error=1 "$out/$name"
}

# Without fences: see kernel_brackets.c. Tiles of 128 contain whole blocks, tiles of 32 do not.
check_brackets() { # sanitizer tile table [code]
    name=brackets.tile$2.table$3.$(echo "$1" | tr , _)
    $CLANG -x cl -cl-std=CL1.2 -target x86_64-unknown-linux-gnu -Ikernels/cpu -Ikernels/common -Xclang -finclude-default-header -O1 -g \
        -fsanitize="$1" -Wno-unused-function -Wno-psabi -Wno-pass-failed -DGPI_SHAPE_SERIAL=1 -DGPI_WG=1 -DGPI_PER_ITEM="$2" \
        -DGPI_TILE="$2" -DGPI_FP64=0 -DGPI_WIDE=0 -DGPI_INT64_EXTENDED=0 -DGPI_INDEX_SIZE=4 -DGPI_KINDS=0 -DGPI_MATCH=1 \
        -DGPI_LOOKBACK=1 -DGPI_MEASURE=1 -DGPI_ENCLOSE=1 -DGPI_SYMBOL=uchar -DGPI_TABLE="$3" ${4:-} -c -o "$out/$name.cl.o" kernels/common/nest/brackets_single_pass.cl
    $CLANG -std=c11 -O1 -g -Wall -Wextra -Wno-psabi -fsanitize="$1" -DTILE="$2" -o "$out/$name" tests/native/kernel_brackets.c \
        "$out/$name.cl.o" -lpthread
    printf '%-44s ' "$name"
    TSAN_OPTIONS=halt_on_error=1 UBSAN_OPTIONS=halt_on_error=1 "$out/$name"
}

for sanitizer in thread address,undefined; do
    for wide in 1 0; do
        check u32_sum 4 $wide $sanitizer
        check u64_sum 8 $wide $sanitizer
        check u64_sum 8 $wide $sanitizer -DGPI_FAULT=4
        check u64_sum 8 $wide $sanitizer "-DGPI_FAULT=4 -DGPI_FAULT_PAUSE=100"
        check u64_sum 8 $wide $sanitizer "-DGPI_FAULT=4 -DGPI_FAULT_TORN"
        check_by_key u32 0 $wide $sanitizer
        check_by_key u32 0 $wide $sanitizer -DGPI_FAULT=4
        check_by_key u32 0 $wide $sanitizer "-DGPI_FAULT=4 -DGPI_FAULT_TORN"
        check_by_key_serial $wide $sanitizer
        check_by_key_serial $wide $sanitizer -DGPI_FAULT=4
        check_by_key f32 1 $wide $sanitizer "-DTHREADS=8 -DGPI_FAULT=1 -DGPI_FAULT_PAUSE=100"
        check_sort $wide $sanitizer
        check_sort $wide $sanitizer -DGPI_FAULT=4
        check_sort $wide $sanitizer "-DGPI_FAULT=4 -DGPI_FAULT_PAUSE=10"
        check_sort $wide $sanitizer "-DGPI_FAULT=4 -DGPI_FAULT_TORN"
    done
    check_hash 0 1 1 $sanitizer
    check_hash 1 1 0 $sanitizer
    check_hash 2 0 0 $sanitizer
    for tile in 32 128; do
        check_brackets $sanitizer $tile 1
        check_brackets $sanitizer $tile 0 "-Dgpi_symbol_map(x,i)=((x)==40?1:(x)==41?-1:0)"
        check_brackets $sanitizer $tile 0 "-DGPI_MAP_BY_BYTE=1 -Dgpi_symbol_map(x,i)=((x)==40?1:(x)==41?-1:0)"
    done
done
check_hash 0 1 1 address,undefined -DPOCL_DEVICE_ADDRESS_BITS=64
check_hash 1 1 0 address,undefined -DPOCL_DEVICE_ADDRESS_BITS=64
