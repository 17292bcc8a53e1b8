#!/bin/sh
# Compiles the kernels as strictly as clang can, without any OpenCL implementation.
#
# usage: tools/lint_kernels.sh [--declarations | --list]
#
# --list: compiles nothing, and prints for each program its name, the arguments of clang, one per line, and an empty
# line.
#
# --declarations: compiles each program as PoCL on a CPU would, with all of OpenCL's declarations, and again with those
# of kernels/common/base/declarations.cl, and compares the functions that are called.
#
# Every primitive's file of kernels/ is compiled with every element described in tests/native/: prelude_NAME.h, or
# prelude_PRIMITIVE_NAME.h if only that primitive accepts it.
set -eu
cd "$(dirname "$0")/.."
mode=${1:-}

PRIMITIVES="select/by_key scan/reduce scan/scan select/select scan/monoid_check scan/segmented_reduce table/group_results scan/reduce_columns scan/segmented_scan scan/scan_columns"
SERIAL="-DGPI_SHAPE_SERIAL=1 -DGPI_TILES_ABREAST=2 -DGPI_WG=1 -DGPI_PER_ITEM=4096 -DGPI_TILE=4096"
LOCAL="-DGPI_SHAPE_SERIAL=0 -DGPI_TILES_ABREAST=2 -DGPI_WG=64 -DGPI_PER_ITEM=8 -DGPI_TILE=512"
SUB_GROUP="$LOCAL -DGPI_SUB_GROUP=32 -DGPI_SUB_GROUP_FORM="
WIDE="-DGPI_WIDE=1 -DGPI_INT64_EXTENDED=1"
NARROW="-DGPI_WIDE=0 -DGPI_INT64_EXTENDED=0"

FLAGS="-x cl -cl-std=CL1.2 -target spir64 -Xclang -finclude-default-header -Xclang -disable-llvm-passes
    -fsyntax-only -Wall -Wextra -Werror -Wno-unused-function -Wno-unused-parameter"

CALLS="-x cl -cl-std=CL1.2 -target x86_64-linux-gnu -march=skylake-avx512 -DPOCL_DEVICE_ADDRESS_BITS=64 -w -S -emit-llvm
    -Xclang -disable-llvm-passes -o - -Xclang -cl-ext=+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_fp64"
calls() {
    ${CLANG:-clang} $CALLS "$@" 2>/dev/null | grep "^declare" | grep -o "@_Z[A-Za-z0-9_]*" | sort
}
compare() { # what it is; arguments of clang
    what=$1
    shift
    case " $* " in *nvptx* | *amdgcn* | *FORM=[02-9]* | *CL3.0*) return ;; esac # not PoCL's
    all=$(calls -Xclang -finclude-default-header "$@")
    test "$all" || return 0
    checked=$((checked + 1))
    declared=$(calls -include opencl-c-base.h -D_OPENCL_H_ -DGPI_DECLARES=1 "$@")
    test "$all" = "$declared" || {
        echo "lint: calls of $what:" $(printf "%s\\n" "$all" "$declared" | sort | uniq -u) >&2
        failed=$((failed + 1))
    }
}

checked=0
failed=0
# Compiles a file, given as kernels/FAMILY/NAME.cl, of the shape's wing.
check() { # what it is, for messages; arguments of clang
    what=$1
    shift
    case " $* " in *" -DGPI_SHAPE_SERIAL=1 "*) wing=cpu ;; *) wing=gpu ;; esac
    for argument; do
        shift
        case $argument in
        kernels/*/*/*) ;;
        kernels/*)
            place=kernels/$wing/${argument#kernels/}
            test -f "$place" || place=kernels/common/${argument#kernels/}
            argument=$place
            ;;
        esac
        set -- "$@" "$argument"
    done
    set -- "$what" -Ikernels/$wing -Ikernels/common "$@"
    case ${mode:-} in
    --declarations)
        compare "$@"
        return
        ;;
    --list)
        printf '%s\n' "$@" ""
        return
        ;;
    esac
    what=$1
    shift
    checked=$((checked + 1))
    ${CLANG:-clang} $FLAGS "$@" || {
        echo "lint: $what" >&2
        failed=$((failed + 1))
    }
}

# Compiles every file separately, as an editor does.
for file in kernels/*/*/*.cl; do
    check "$file alone" $(tools/compile_commands.sh --kernel "$file") "$file"
done

takes() { # primitive element
    case $2 in prelude_sort_*) return 1 ;; esac # no element: below
    case $1:$2 in table/group_results:prelude_group_results_*) return 0 ;; table/group_results:*) return 1 ;; esac # maps of their own
    case $1:$2 in select/select:prelude_select_* | select/by_key:prelude_by_key_*) return 0 ;; select/*) return 1 ;; esac # descriptions of their own
    for other in $PRIMITIVES; do
        case $2 in prelude_"${other#*/}"_*) test "$other" = "$1" && return || return ;; esac
    done
}

for prelude in tests/native/prelude_*.h; do
    element=$(basename "$prelude" .h)
    for primitive in $PRIMITIVES; do
        takes "$primitive" "$element" || continue
        for shape in "$SERIAL" "$LOCAL" "${SUB_GROUP}1" "${SUB_GROUP}2 -cl-std=CL3.0 -Xclang -cl-ext=+all"; do
            for words in "$WIDE" "$NARROW"; do
                check "$primitive with $element $shape $words" -DGPI_FP64=1 -DGPI_EQUAL=0 $shape $words -include \
                    "$prelude" "kernels/$primitive.cl"
            done
        done
    done
done
# Selections by masks, which use AVX-512.
AVX512="-DPOCL_DEVICE_ADDRESS_BITS=64 -target x86_64-linux-gnu -march=skylake-avx512"
for prelude in tests/native/prelude_select_*.h; do
    check "select by masks with $prelude" $AVX512 -DGPI_FP64=1 $SERIAL $WIDE -include "$prelude" \
        kernels/select/select.cl
done
# Reductions by key, whose products are packed.
for prelude in tests/native/prelude_by_key_*.h; do
    check "by key with $prelude, packed" $AVX512 -DGPI_FP64=1 -DGPI_LANES=16 $SERIAL $WIDE -include "$prelude" \
        kernels/select/by_key.cl
done
# A run-length decoding only moves its elements.
for of in "uchar uint uint 1 0 0" "ushort ulong uint 1 1 0" "uint uint ulong 0 1 1" "ulong ulong ulong 1 0 1" "uint4 uint uint 1 1 1"; do
    # shellcheck disable=SC2086 # words of a list
    set -- $of
    for shape in "$SERIAL" "$LOCAL" "${SUB_GROUP}1" "${SUB_GROUP}2 -cl-std=CL3.0 -Xclang -cl-ext=+all"; do
        check "run_length_decode of $of $shape" -DGPI_FP64=0 -DGPI_ELEMENT="$1" -DGPI_OFFSET="$2" -DGPI_RUN_INDEX="$3" \
            -DGPI_WANTS_KEYS="$4" -DGPI_WANTS_RUNS="$5" -DGPI_WANTS_POSITIONS="$6" $shape $WIDE \
            kernels/select/run_length_decode.cl
    done
done
# Keys in columns: numbers of each kind, bytes, strings.
for of in "use(t,0,uint,1,bits)|" "use(t,0,ushort,1,half)use(t,1,uint,1,float)use(t,2,ulong,1,double)|use(t,3,uint)" \
    "use(t,0,uchar,7,bits)|use(t,1,ulong)use(t,2,uint)" "use(t,0,ulong,8,bits)|"; do
    for shape in "$SERIAL" "$LOCAL"; do
        check "group_by of $of $shape" -DGPI_FP64=0 "-DGPI_KEY_NUMBERS(use,t)=${of%%|*}" "-DGPI_KEY_STRINGS(use,t)=${of#*|}" \
            $shape $WIDE kernels/table/group_by.cl
        for sketch in bloom hyperloglog; do
            check "$sketch of $of $shape" -DGPI_FP64=0 "-DGPI_KEY_NUMBERS(use,t)=${of%%|*}" "-DGPI_KEY_STRINGS(use,t)=${of#*|}" \
                $shape $WIDE kernels/table/$sketch.cl
        done
        for pairs in 0 1; do
            check "join of $of $shape $pairs" -DGPI_FP64=0 "-DGPI_KEY_NUMBERS(use,t)=${of%%|*}" "-DGPI_KEY_STRINGS(use,t)=${of#*|}" \
                -DGPI_ELEMENT=uint -DGPI_OFFSET=ulong -DGPI_RUN_INDEX=uint -DGPI_WANTS_KEYS=0 -DGPI_WANTS_RUNS=1 \
                -DGPI_WANTS_POSITIONS=$pairs $shape $WIDE kernels/table/join.cl
        done
    done
done
# Primitives on keys have no element; their description consists of a few sizes.
SORT_RING="-DGPI_RING_ROWS=1024u -DGPI_RING_REACH=64u -DGPI_RING_BLOCK=32u"
SORT_SERIAL="-DGPI_SHAPE_SERIAL=1 -DGPI_WG=1 -DGPI_PER_ITEM=1 -DGPI_TILE=1"
for primitive in sort buckets sort_tile segmented_sort sort_strings merge search topk segmented_topk nth_element; do
    for key in 1 2 4 8; do
        for value in 0 1 2 4 8 16; do
            case $primitive:$value in search:[48] | *topk:[48] | nth_element:0) ;; nth_element:* | search:* | *topk:*) continue ;; esac # positions
            for shape in "$SORT_SERIAL" "$LOCAL" "${SUB_GROUP}1"; do
                case $primitive:$shape in buckets:"$LOCAL"*) continue ;; esac
                case $primitive in buckets) bins=1 ;; *) bins=0 ;; esac
                for words in "$WIDE" "$NARROW"; do
                    check "$primitive of keys of $key and values of $value bytes $shape $words" -DGPI_FP64=0 \
                        -DGPI_KEY_SIZE=$key -DGPI_KEY_FLOAT=$((key > 1)) -DGPI_VALUE_SIZE=$value $SORT_RING -DGPI_SAMPLED_BINS=$bins \
                        -DGPI_CELL_WIDE=$((value > 4)) -DGPI_ENTRIES=2048 $shape $words kernels/sort/$primitive.cl
                done
            done
        done
    done
done
# Records have a type, and an expression for their keys.
for key in 1 2 4 8; do
    for words in "uchar 3" "uint 5" "ulong2 1"; do
        for shape in "$SORT_SERIAL" "$LOCAL"; do
            check "sort_records of keys of $key bytes, words $words $shape" -DGPI_FP64=0 -DGPI_KEY_SIZE=$key \
                -DGPI_KEY_FLOAT=0 -DGPI_VALUE_SIZE=$((key > 4 ? 8 : 4)) -DGPI_INPUTS=$((key > 1)) -DGPI_IN=half \
                -DGPI_HALF=1 -DGPI_X=float -DGPI_WORD=${words% *} -DGPI_WORDS=${words#* } \
                "-DGPI_RECORD_KEY(args,x,i)=GPI_COLUMN_F16(x)|GPI_COLUMN_U8((uchar)(i))" $shape $WIDE \
                kernels/sort/sort_records.cl
        done
    done
done
# A search has expressions for keys, for needles, or for both.
for of in "half 1 1 1 uint 0 0 1" "gpi_key 0 0 1 float 0 1 1" "int4 0 1 1 gpi_key 0 0 0"; do
    # shellcheck disable=SC2086 # words of a list
    set -- $of
    for shape in "$SORT_SERIAL" "$LOCAL"; do
        check "search of $of $shape" -DGPI_FP64=0 -DGPI_KEY_SIZE=2 -DGPI_KEY_FLOAT=1 -DGPI_VALUE_SIZE=4 "-DGPI_LANE_BITS(v)=gpi_half_bits(v)" \
            -DGPI_HAY="$1" -DGPI_HAY_HALF="$2" -DGPI_HAY_PRESENT="$3" -DGPI_HAY_MAPPED="$4" \
            -DGPI_NEEDLE="$5" -DGPI_NEEDLE_HALF="$6" -DGPI_NEEDLE_PRESENT="$7" -DGPI_NEEDLE_MAPPED="$8" \
            "-Dgpi_hay_lane(...)=1.0f" "-Dgpi_needle_lane(...)=2.0f" $shape $WIDE kernels/sort/search.cl
    done
done
# A hash table's batch is sorted by hashes of its keys.
for shape in "$SORT_SERIAL" "$LOCAL" "${SUB_GROUP}1"; do
    for of in "4 32" "4 64" "8 64"; do
        for primitive in sort sort_tile; do
            check "$primitive by hashes, keys and bits $of $shape" -DGPI_FP64=0 -DGPI_KEY_SIZE=${of% *} -DGPI_KEY_FLOAT=0 \
                -DGPI_KEY_HASH=${of#* } -DGPI_VALUE_SIZE=4 $SORT_RING -DGPI_CELL_WIDE=0 $shape $WIDE \
                kernels/sort/$primitive.cl
        done
    done
done
# Brackets have no element either: their description has the codes, by a table or an expression, and the width of
# indices.
BY_TABLE="-DGPI_SYMBOL=uchar -DGPI_TABLE=1"
BY_CODE="-DGPI_SYMBOL=int -DGPI_TABLE=0 -Dgpi_symbol_map(x,i)=((x)==40?1:(x)==41?-1:0)"
BY_BYTE="-DGPI_SYMBOL=char -DGPI_TABLE=0 -DGPI_MAP_BY_BYTE=1 -Dgpi_symbol_map(x,i)=((x)==40?1:(x)==41?-1:0)"
for index in 4 8; do
    for kinds in 0 1; do
        for shape in "$SERIAL $BY_TABLE" "$SERIAL $BY_CODE" "$SERIAL $BY_BYTE" "$LOCAL $BY_TABLE" "$LOCAL $BY_CODE" \
            "${SUB_GROUP}1 $BY_TABLE"; do
            check "brackets with indices of $index bytes, kinds $kinds $shape" -DGPI_FP64=0 $NARROW \
                -DGPI_INDEX_SIZE=$index -DGPI_KINDS=$kinds -DGPI_MATCH=$kinds -DGPI_LOOKBACK=0 -DGPI_MEASURE=$kinds $shape \
                kernels/nest/brackets.cl
            check "brackets by look-back with indices of $index bytes, kinds $kinds $shape" -DGPI_FP64=0 $NARROW \
                -DGPI_INDEX_SIZE=$index -DGPI_KINDS=$kinds -DGPI_MATCH=$kinds -DGPI_LOOKBACK=1 -DGPI_MEASURE=$kinds \
                -DGPI_ENCLOSE=$kinds $shape kernels/nest/brackets_single_pass.cl
        done
    done
done
# A tree has parents, and possibly a choice of the counted elements.
for index in 4 8; do
    for select in 0 1; do
        for shape in "$SERIAL" "$SERIAL -DGPI_MAP_BY_BYTE=1" "$LOCAL" "${SUB_GROUP}1"; do
            check "tree with indices of $index bytes, select $select $shape" -DGPI_FP64=0 $NARROW \
                -DGPI_INDEX_SIZE=$index -DGPI_KINDS=0 -DGPI_MATCH=0 -DGPI_LOOKBACK=0 -DGPI_SYMBOL=uchar \
                "-Dgpi_counted(x,i)=((x)!=0)" -DGPI_SELECT=$select $shape kernels/nest/tree.cl
        done
    done
done
# A scan of stacks has both codes and an element.
for element in affine affine_args f64_max; do
    for shape in "$SERIAL $BY_TABLE" "$SERIAL $BY_CODE" "$SERIAL $BY_BYTE" "$LOCAL $BY_TABLE" "$LOCAL $BY_CODE"; do
        # that map is a macro, which takes none
        case $element:$shape in *_args:*"$BY_CODE" | *_args:*"$BY_BYTE") continue ;; esac
        check "stack_scan with $element $shape" -DGPI_FP64=1 -DGPI_LANES=1 $NARROW -DGPI_INDEX_SIZE=4 -DGPI_KINDS=0 \
            -DGPI_MATCH=0 -DGPI_LOOKBACK=0 $shape -include tests/native/prelude_$element.h kernels/nest/stack_scan.cl
    done
done
# A histogram has no element: its description has samples, channels, edges, weights, counts and a map.
histogram_of() { # sample operand size float half channels edges weights wide
    echo "-DGPI_SAMPLE=$1 -DGPI_OPERAND=$2 -DGPI_SAMPLE_SIZE=$3 -DGPI_SAMPLE_FLOAT=$4 -DGPI_SAMPLE_HALF=$5" \
        "-DGPI_CHANNELS=$6 -DGPI_EDGES=$7 -DGPI_WEIGHTS=$8 -DGPI_WEIGHT=short -DGPI_COUNT_WIDE=$9"
}
for of in "uchar uchar 1 0 0 1 0 0 0" "char char 1 0 0 3 1 0 1" "uchar uchar 1 0 0 4 0 1 1" "ushort ushort 2 0 0 1 0 1 0" \
    "half float 2 1 1 1 1 0 0" "float float 4 1 0 1 0 1 1" "long long 8 0 0 1 0 0 1" "double double 8 1 0 1 0 0 0"; do
    for shape in "$SERIAL -DGPI_NEAR_CELLS=16384" "$LOCAL -DGPI_NEAR_CELLS=4096"; do
        set -- $of
        check "histogram of $of $shape" -DGPI_FP64=1 $NARROW $(histogram_of $of) -DGPI_INPUTS=1 -DGPI_MAPPED=0 \
            -DGPI_IN="$1" -DGPI_IN_HALF="$5" $shape kernels/histogram/histogram.cl
        test "$6" -eq 1 || continue
        check "histogram of mapped $of $shape" -DGPI_FP64=1 $NARROW $(histogram_of $of) -DGPI_INPUTS=1 -DGPI_MAPPED=1 \
            -DGPI_IN=half -DGPI_IN_HALF=1 "-Dgpi_map(x,i)=((x)+(i))" $shape kernels/histogram/histogram.cl
        check "histogram of $of of indices $shape" -DGPI_FP64=1 $NARROW $(histogram_of $of) -DGPI_INPUTS=0 -DGPI_MAPPED=1 \
            -DGPI_IN_HALF=0 "-Dgpi_map(i)=(i)" $shape kernels/histogram/histogram.cl
    done
done
# Hash tables of each of the three forms, with lines of every width; and the expressions of gp_hash_for_each.
for form in "$NARROW -DGPI_HASH_PACKED=0" "$WIDE -DGPI_HASH_PACKED=0" "$WIDE -DGPI_HASH_PACKED=1"; do
    for shape in "$SORT_SERIAL" "$LOCAL"; do
        for lines in "" -DPOCL_DEVICE_ADDRESS_BITS=64\ -target\ x86_64-linux-gnu -Dcl_nv_pragma_unroll; do
            for source in kernels/hash/hash.cl "-include kernels/common/hash/prelude.h kernels/hash/each.cl" kernels/hash/device.cl; do
                check "$source $form $shape $lines" -DGPI_FP64=1 -DGPI_VALUE_WIDTH=0 $form $shape $lines $source
            done
        done
    done
done
# Group collectives for the user's kernels.
for group in "-DGPI_GROUP_SIZE=((uint)get_local_size(0)) -DGPI_GROUP_ALONE=0" "-DGPI_GROUP_SIZE=1u -DGPI_GROUP_ALONE=1"; do
    check "group_device $group" -DGPI_FP64=0 $NARROW -DGPI_WG=1 $group -include kernels/common/group/prelude.h \
        kernels/group/device.cl
done
# Sub-groups, for the compiler of each form.
sub_group() { # form size what else
    form=$1
    size=$2
    shift 2
    check "sub-groups of $size in form $form" -DGPI_FP64=0 $NARROW -DGPI_WG=256 -DGPI_SHAPE_SERIAL=0 \
        -DGPI_SUB_GROUP_FORM="$form" -DGPI_SUB_GROUP="$size" "$@" kernels/group/sub_group_check.cl
}
for size in 8 16 32 64 128; do
    sub_group 1 $size
    sub_group 2 $size -cl-std=CL3.0 -Xclang -cl-ext=+all
done
for sleep in 0 1; do
    sub_group 3 32 -target nvptx64-nvidia-nvcl -Xclang -target-cpu -Xclang sm_80 -DGPI_SUB_GROUP_SLEEP=$sleep
done
sub_group 4 32 -target amdgcn-amd-amdhsa -mcpu=gfx1030 -nogpulib
sub_group 4 64 -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib
# Maps have no element either: inputs, halves, a late input, records of 16 bytes.
MAP="-DGPI_IN_0=uchar -DGPI_IN_1=uchar -DGPI_IN_2=half -DGPI_HALF_2=1 -DGPI_X=int -DGPI_Y=int -DGPI_Z=float"
THREE="-DGPI_INPUTS=3 -DGPI_LAG=0 -DGPI_OUT=half -DGPI_OUT_HALF=1 -DGPI_LANE=float -DGPI_OUT_VECTOR=float16"
LATE="-DGPI_INPUTS=2 -DGPI_LAG=1 -DGPI_OUT=int -DGPI_LANE=int -DGPI_OUT_VECTOR=int16"
NONE="-DGPI_INPUTS=0 -DGPI_LAG=0 -DGPI_OUT=ulong2 -DGPI_LANE=ulong2"
QUADS="-DGPI_INPUTS=2 -DGPI_LAG=0 -DGPI_OUT=int -DGPI_LANE=int -DGPI_OUT_VECTOR=int16 -DGPI_CHUNK=4"
for form in "$THREE" "$LATE" "$NONE" "$QUADS"; do
    for shape in "$SORT_SERIAL" "$LOCAL"; do
        check "map $form $shape" -DGPI_FP64=0 $NARROW $MAP \
            "-Dgpi_map(x,y,z,i,a,b)=((void)(x),(void)(y),(void)(z),(GPI_LANE)(a))" $form $shape kernels/map/map.cl
    done
done
# Moves by index: gather, scatter, and with flags.
for form in "-DGPI_SCATTER=0 -DGPI_INDEX=uint" "-DGPI_SCATTER=1 -DGPI_INDEX=ulong" \
    "-DGPI_SCATTER=0 -DGPI_INDEX=uint -DGPI_FLAG=uchar"; do
    for shape in "$SORT_SERIAL" "$LOCAL"; do
        check "gather $form $shape" -DGPI_FP64=0 $NARROW -DGPI_OUT=ulong2 $form $shape kernels/map/gather.cl
    done
done
# Matrices: elements of each size.
for form in "-DGPI_OUT=uchar -DGPI_PART=uchar16" "-DGPI_OUT=ushort -DGPI_PART=ushort8" "-DGPI_OUT=uint -DGPI_PART=uint4" \
    "-DGPI_OUT=ulong -DGPI_PART=ulong2" "-DGPI_OUT=ulong2 -DGPI_PART=ulong2"; do
    for shape in "$SORT_SERIAL -DGPI_SIDE=256" "$LOCAL -DGPI_SIDE=32"; do
        check "transpose $form $shape" -DGPI_FP64=0 $NARROW $form $shape kernels/map/transpose.cl
    done
done
# Stencils: weights of halves and of channels; a map.
SIZES="-DGPI_RX=2 -DGPI_RY=1 -DGPI_CHANNELS=3 -DGPI_TILE_X=64 -DGPI_TILE_Y=8 -DGPI_X=float -DGPI_LANE=float"
HALVES="-DGPI_IN=half -DGPI_IN_HALF=1 -DGPI_OUT=half -DGPI_OUT_HALF=1 -DGPI_SUM=float -DGPI_ROUND(x)=(x) -DGPI_ROUND_16(x)=(x)"
for border in 0 1 2; do
    for shape in "$SORT_SERIAL -DGPI_NEAR=__private -DGPI_ROW=76" "$LOCAL -DGPI_NEAR=__local -DGPI_ROW=80"; do
        for form in -DGPI_WEIGHTS=1 "-DGPI_WEIGHTS=0 -include tests/native/stencil_map.h"; do
            check "stencil $border $shape $form" -DGPI_FP64=0 $NARROW $SIZES $HALVES -DGPI_BORDER=$border $shape \
                $form kernels/map/stencil.cl
        done
    done
done
# Random numbers: each kind with the types that it supports.
BITS="-DGPI_KIND=0 -DGPI_WORDS=1 -DGPI_OUT=uchar -DGPI_LANE=uchar"
HALVES="-DGPI_KIND=1 -DGPI_WORDS=1 -DGPI_OUT=half -DGPI_OUT_HALF=1 -DGPI_LANE=float -DGPI_FRACTION=11"
RANGE="-DGPI_KIND=2 -DGPI_WORDS=2 -DGPI_OUT=int -DGPI_LANE=int"
NORMAL="-DGPI_KIND=3 -DGPI_WORDS=2 -DGPI_OUT=double -DGPI_LANE=double -DGPI_FRACTION=53 -DGPI_AS_LANE(x)=as_double(x)"
for form in "$BITS" "$HALVES" "$RANGE" "$NORMAL"; do
    for shape in "$SORT_SERIAL" "$LOCAL"; do
        check "random $form $shape" -DGPI_FP64=1 $NARROW $form $shape kernels/*/map/random.cl
    done
done
test "$mode" = --list && exit
echo "lint: $checked kernel programs, $failed with errors"
test $failed = 0
