#!/bin/sh
# Compiles and links tests/compile/, and an example in C++17, with every compiler and language that gpuprim promises to
# work with, and with warnings as errors; also after a program's own macros. Checks the symbols that the implementation
# exports, and that gpuprim.hpp calls every function of gpuprim.h.
#
# usage: tools/compile_matrix.sh                      all checks, as many at once as there are processors
#        tools/compile_matrix.sh CHECK ARGUMENT...    one of them: a function below
set -eu
cd "$(dirname "$0")/.."

WARNINGS="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
case $(uname -s) in
Darwin) libs="-framework OpenCL -lm" ;;
*) libs="-lOpenCL -lm" ;;
esac

# The words, and the libraries for Windows, are made once; each check has its own folder.
base=build/compile
dir=$base

# Prints the names of the global symbols that an object defines.
exported() { # object
    nm -g -P "$1" >$dir/symbols
    awk '$2 != "U" && $2 != "w" { sub(/^_/, "", $1); print $1 }' $dir/symbols
}

check_exports() { # object pattern
    exported "$1" >$dir/exported
    if grep -v "$2" $dir/exported; then
        echo "compile-matrix: $1 exports the symbols above" >&2
        exit 1
    fi
}

compile() { # object source compiler and options...
    object=$1
    source=$2
    shift 2
    "$@" $WARNINGS -I. -c -o $dir/$object "tests/compile/$source"
}

# Two translation units; one that keeps gpuprim to itself; one that comes after <CL/cl.h> of OpenCL 3.0.
check_c_files() { # compiler and options...
    compile c_one.o c_one.c "$@"
    compile c_two.o c_two.c "$@"
    check_exports $dir/c_one.o '^gp_'
    "$@" -o $dir/two -x none $dir/c_one.o $dir/c_two.o $libs
    $dir/two

    compile static.o static.c "$@"
    check_exports $dir/static.o '^main$'
    "$@" -o $dir/static -x none $dir/static.o $libs

    compile cl300.o cl300.c "$@"
    "$@" -o $dir/cl300 -x none $dir/cl300.o $libs

    compile host.o host.c "$@"
    check_exports $dir/host.o '^gp_host_\|^main$'
    "$@" -o $dir/host -x none $dir/c_one.o $dir/host.o $libs
    $dir/host
    compile host.o host.c "$@" -DGP_STATIC
    check_exports $dir/host.o '^main$'
    "$@" -o $dir/host -x none $dir/host.o $libs
    $dir/host
    echo "compile-matrix: ok  $*"
}

# A C++ program that uses an implementation compiled by a C compiler.
check_cpp_user() { # C++ compiler, C compiler
    compile c_one.o c_one.c $2 -std=c99
    compile cpp_user.o cpp_user.cpp $1 -std=c++11
    $1 -o $dir/cpp_user $dir/c_one.o $dir/cpp_user.o $libs
    $dir/cpp_user
    echo "compile-matrix: ok  $1 -std=c++11 with $2 -std=c99"
}

# Together with OpenCL's C++ bindings, in both orders, for the newest OpenCL and for 1.2. macOS has no such bindings.
check_hpp() { # C++ compiler
    if [ "$(uname -s)" = Darwin ]; then return; fi
    versions="-DCL_HPP_TARGET_OPENCL_VERSION=120 -DCL_HPP_MINIMUM_OPENCL_VERSION=110"
    for options in -DCL_HPP_TARGET_OPENCL_VERSION=300 "$versions"; do
        for order in "" -DHPP_AFTER; do
            compile hpp.o hpp.cpp $1 -std=c++11 $options $order
            $1 -o $dir/hpp $dir/hpp.o $libs
            $dir/hpp
        done
    done
    echo "compile-matrix: ok  $1 -std=c++11 with <CL/opencl.hpp>"
}

# An example, compiled as its first lines say, in current C++.
check_cpp_example() { # C++ compiler
    for level in -O0 -O2; do
        $1 -std=c++17 $level $WARNINGS -o $dir/neighbours examples/15_neighbours.cpp $libs
    done
    echo "compile-matrix: ok  $1 -std=c++17, examples/15_neighbours.cpp"
}

# words.h defines each word of words.txt, and each word in capitals in the headers that has no prefix and is no macro of
# the system, as a macro that breaks any use of it.
write_words() {
    {
        sed 's/#.*//' tests/compile/words.txt | tr -s ' ' '\n' | sed -n '
            s/^\([^(]\{1,\}\)($/#undef \1\n#define \1(...) gpuprim uses \1/p
            s/^[^(]\{1,\}$/#undef &\n#define & gpuprim uses &/p'
        cat gpuprim*.h gpuprim.hpp | sed '/^ *"/d' | grep -o '\b[A-Z][A-Z0-9_]*\b' | sort -u |
            grep -v '^GP\|^CL_\|^MPI_\|^DIR$\|^FILE$\|^SRWLOCK$' |
            sed 's/.*/#ifndef &\n#define & gpuprim uses &\n#endif/'
    } >$base/words.h
    grep -q 'define SORT ' $base/words.h
}

# After a program's own macros: all of the C headers, declared and implemented.
check_macros() { # compiler and options...
    for part in "" -DWITH_IMPLEMENTATION; do compile macros.o macros.c "$@" -I$base $part; done
    echo "compile-matrix: ok  $* after macros of $(grep -c define $base/words.h) words"
}

check_mpi_macros() { # compiler
    options="-std=c99 -I$base -DWITH_MPI"
    for part in "" -DWITH_IMPLEMENTATION; do OMPI_CC=$1 MPICH_CC=$1 compile macros.o macros.c "${MPICC:-mpicc}" $options $part; done
    echo "compile-matrix: ok  ${MPICC:-mpicc} with $1, after macros, gpuprim_mpi.h"
}

# For Windows, if MinGW is installed: compiles and links, but does not run.
check_windows() { # compiler and options...
    compile windows.o windows.c "$@" -I$base/khronos
    "$@" -o $dir/windows.exe -x none $dir/windows.o -L$base -lOpenCL
    compile host.o host.c "$@" -I$base/khronos -DGP_STATIC
    "$@" -o $dir/host.exe -x none $dir/host.o -L$base -lOpenCL
    echo "compile-matrix: ok  $*"
}

# As a library, and a program that uses it.
check_dll() { # compiler and options...
    "$@" $WARNINGS -I. -I$base/khronos -shared -o $dir/gpuprim.dll -Wl,--out-implib,$dir/libgpuprim.a \
        packaging/gpuprim.c -L$base -lOpenCL
    "$@" $WARNINGS -I. -I$base/khronos -DGP_SHARED -o $dir/shared.exe tests/install/shared/*.c -L$dir -lgpuprim -L$base -lOpenCL
    echo "compile-matrix: ok  $*, as a DLL"
}

# Makes a folder with Khronos' headers but no other headers of /usr/include, and an import library.
prepare_windows() {
    mkdir $base/khronos
    ln -s "$(echo '#include <CL/cl.h>' | gcc -M -x c - | tr ' ' '\n' | sed -n 's,/cl.h$,,p')" $base/khronos/CL
    {
        echo EXPORTS
        cat gpuprim.h gpuprim_host.h | grep -o '\bcl[A-Z][A-Za-z]*(' | tr -d '(' | sort -u
    } >$base/OpenCL.def
    x86_64-w64-mingw32-dlltool -d $base/OpenCL.def -D OpenCL.dll -l $base/libOpenCL.a
}

# gpuprim.hpp: its tests, its examples and the manual's with and without exceptions, beside OpenCL's C++ bindings in
# both orders, and a program in C++20. GCC warns about fields that designated initialisers leave out.
check_gpuprim_hpp() { # C++ compiler
    for standard in -std=c++17 -std=c++20; do
        options="$1 $standard $WARNINGS -I. -fsyntax-only"
        for source in tests/cpp/test_*.cpp examples/*.cpp manual/code/*.cpp; do $options $source; done
        $options -fno-exceptions -fno-rtti tests/cpp/test_cpp_results.cpp
        $options -fno-rtti tests/compile/views.cpp
        if [ "$(uname -s)" != Darwin ]; then
            for order in -DHPP_BEFORE -DHPP_AFTER; do $options $order tests/compile/views.cpp; done
        fi
        $options -Wno-missing-field-initializers tests/compile/views.cpp -DDESIGNATED
    done
    echo "compile-matrix: ok  $1 -std=c++17, -std=c++20, gpuprim.hpp"
}

# If a call does not support a type of element, the first error says so in words.
check_refused() { # C++ compiler
    options="$1 -std=c++17 -I. -fsyntax-only tests/compile/refused.cpp"
    $options "-DREFUSED=gp::sort(ctx, numbers)"
    while read -r text call; do
        if $options "-DREFUSED=$call" 2>$dir/refused; then
            echo "compile-matrix: $call compiles" >&2
            exit 1
        fi
        grep -q "error: .*gp: $(echo "$text" | tr _ ' ')" $dir/refused || {
            echo "compile-matrix: $call: no word of \"$text\"" >&2
            exit 1
        }
    done <<END
specialize_gp::record<T> gp::transform(ctx, points, numbers, "x.x")
specialize_gp::record<T> gp::transform(ctx, numbers, points, "x")
specialize_gp::record<T> gp::transform(ctx, numbers, points, numbers, "x + y.x")
specialize_gp::record<T> gp::transform(ctx, numbers, numbers, points, numbers, "z.x")
specialize_gp::record<T> gp::transform(ctx, numbers, numbers, {"x + p.x", {gp::arg("p", points)}})
specialize_gp::record<T> gp::transform(ctx, numbers, numbers, {"x + p.x", {gp::arg("p", point())}})
specialize_gp::record<T> gp::sort_records(ctx, points, {})
specialize_gp::record<T> gp::search(ctx, points, numbers, numbers)
specialize_gp::record<T> gp::histogram(ctx, points, numbers)
these_elements_must_be_numbers gp::sort(ctx, points)
these_elements_must_be_numbers gp::argsort(ctx, points, numbers)
these_elements_must_be_numbers gp::segmented_sort(ctx, points, numbers)
these_elements_must_be_numbers gp::topk(ctx, points, points)
these_elements_must_be_numbers gp::segmented_topk(ctx, points, numbers, points)
these_elements_must_be_numbers gp::nth_element(ctx, points, {0}, points)
these_elements_must_be_numbers gp::merge(ctx, points, points, points)
these_elements_must_be_numbers gp::adjacent_difference(ctx, points, numbers)
these_elements_must_be_numbers gp::random(ctx, points, 1)
these_elements_must_be_numbers gp::stencil(ctx, points, numbers, "x")
these_elements_must_be_numbers gp::gather(ctx, numbers, points, numbers)
END
    echo "compile-matrix: ok  $1, types that gpuprim.hpp refuses"
}

# Functions of gpuprim.h that gpuprim.hpp does not call.
check_calls() { # C++ compiler
    $1 -std=c++17 -I. -E -x c++ gpuprim.hpp | sed -n '/^namespace gp$/,$p' | grep -o 'gp_[a-z0-9_]*' | sort -u >$dir/called
    sed -n 's/^GP_API .*\(gp_[a-z0-9_]*\)(.*/\1/p' gpuprim.h | sort -u >$dir/declared
    if ! grep -q gp_scan $dir/declared || comm -23 $dir/declared $dir/called | grep .; then
        echo "compile-matrix: gpuprim.hpp does not call the functions above" >&2
        exit 1
    fi
    echo "compile-matrix: ok  gpuprim.hpp calls $(wc -l <$dir/declared) functions"
}

list_checks() {
    for compilers in "gcc g++" "clang clang++"; do
        c=${compilers% *}
        cpp=${compilers#* }
        for level in -O2 -O0; do
            echo check_c_files $cpp -x c++ -std=c++11 $level
            echo check_c_files $c -std=c99 $level
            echo check_c_files $c -std=c11 $level
        done
        echo check_gpuprim_hpp $cpp
        echo check_macros $c -std=c99
        echo check_macros $cpp -x c++ -std=c++11
        echo check_macros $cpp -x c++ -std=c++17 -DWITH_CPP
        if command -v "${MPICC:-mpicc}" >/dev/null; then echo check_mpi_macros $c; fi
        echo check_cpp_user $cpp $c
        echo check_hpp $cpp
        echo check_cpp_example $cpp
        echo check_refused $cpp
    done
    echo check_calls g++
    command -v x86_64-w64-mingw32-g++ >/dev/null || return 0
    echo check_windows x86_64-w64-mingw32-gcc -std=c99
    echo check_macros x86_64-w64-mingw32-gcc -std=c99 -I$base/khronos
    echo check_macros x86_64-w64-mingw32-g++ -x c++ -std=c++17 -DWITH_CPP -I$base/khronos
    echo check_windows x86_64-w64-mingw32-g++ -x c++ -std=c++20
    echo check_dll x86_64-w64-mingw32-gcc -std=c99
}

if [ $# -gt 0 ]; then
    mkdir -p $base
    dir=$(mktemp -d $base/XXXXXX)
    "$@"
    exit
fi
rm -rf $base
mkdir -p $base
write_words
if command -v x86_64-w64-mingw32-g++ >/dev/null; then prepare_windows; else
    echo "compile-matrix: MinGW is missing: not compiled for Windows"
fi
list_checks | xargs -L 1 -P "$(nproc 2>/dev/null || echo 2)" "$0" || {
    echo "compile-matrix: failed" >&2
    exit 1
}
echo "compile-matrix: all passed"
