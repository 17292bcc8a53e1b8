#!/bin/sh
# Tests more than 2^32 elements: compiles the serial-shape scan and sort for this machine, and runs them on 4 GiB of bytes
# (the scan forward and in reverse). Does nothing if there is not enough memory.
#
# usage: tools/kernel_large.sh
set -eu
cd "$(dirname "$0")/.."

CLANG=${CLANG:-clang}
out=build/native
tile=65536
mkdir -p $out

free=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null || echo 0)
if [ "${free:-0}" -lt 6000000 ]; then
    echo "kernel-large: skipped, 6 GB of memory are not available"
    exit
fi

for reverse in 0 1; do
    name=large.$reverse
    echo "#define GPI_REVERSE $reverse" >$out/$name.h
    $CLANG -x cl -cl-std=CL1.2 -target x86_64-unknown-linux-gnu -Ikernels/cpu -Ikernels/common -Xclang -finclude-default-header -O2 \
        -Wno-unused-function -DGPI_SHAPE_SERIAL=1 -DGPI_TILES_ABREAST=2 -DGPI_WG=1 \
        -DGPI_PER_ITEM=$tile -DGPI_TILE=$tile -DGPI_LANES=1 -DGPI_FP64=1 -DGPI_WIDE=1 -DGPI_INT64_EXTENDED=1 \
        -c -o $out/$name.cl.o -include tests/native/prelude_scan_u8.h -include $out/$name.h kernels/common/scan/scan.cl
    $CLANG -std=gnu11 -O2 -Wall -Wextra -DELEMENT_TILE=$tile -DREVERSE=$reverse -o $out/$name \
        tests/native/kernel_large.c $out/$name.cl.o -lpthread
    $out/$name
done

name=large.sort
$CLANG -x cl -cl-std=CL1.2 -target x86_64-unknown-linux-gnu -Ikernels/cpu -Ikernels/common -Xclang -finclude-default-header -O2 \
    -Wno-unused-function -DGPI_SHAPE_SERIAL=1 -DGPI_WG=1 -DGPI_PER_ITEM=1 -DGPI_TILE=1 \
    -DGPI_FP64=0 -DGPI_WIDE=1 -DGPI_INT64_EXTENDED=1 -c -o $out/$name.cl.o -include tests/native/prelude_sort_u8.h kernels/common/sort/sort.cl
$CLANG -std=gnu11 -O2 -Wall -Wextra -o $out/$name tests/native/kernel_sort_large.c $out/$name.cl.o -lpthread
$out/$name
