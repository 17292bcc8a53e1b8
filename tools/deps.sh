#!/bin/sh
# Looks for the components that a build needs, and installs missing ones if it can (on Debian and Ubuntu, as root or
# with passwordless sudo). On other systems it prints the packages.
#
# usage: tools/deps.sh run | test | lint | all | shared | install | packaging | bench | report | site | python | mpi | gpu-cost | machine-code | COMPONENT...
#
# Every component is tested by using it, each time, so that no stamp can be out of date. With DEPS_INSTALL=no it only
# looks. Exit status: 0 nothing is missing; 1 something is missing; 2 a missing component has no package on this system.
set -eu

RUN="cc headers loader device"
TEST="$RUN cmocka cxx"
LINT="cc headers loader cxx clhpp clang clang-format"
SHARED="cc headers loader"
INSTALL="$RUN cxx clhpp pkg-config cmake meson git"
PACKAGING="$RUN git cmake dpkg conan"
ALL="$TEST pocl intel rusticl oclgrind clhpp clang fuzzer clang-format spin python3 acl gnuplot pkg-config cmake meson git mingw venv sphinx mpi"
BENCH="$RUN cxx tbb boost simdjson viennacl highway python-peers gnuplot"
GPU_COST="$RUN cxx oclgrind oclgrind-dev python3"
REPORT="python3 gnuplot"
SITE="$RUN sphinx"
PYTHON="$RUN venv"
MPI="$RUN mpi"
MACHINE_CODE="libclc clang-15 clang-19 cuda"

CC=${CC:-cc}
CXX=${CXX:-c++}
CLANG=${CLANG:-clang}

# Prints the packages of a component for a package manager; "-" if none is known.
packages_of() { # component manager
    case $1:$2 in
    cc:apt) echo gcc libc6-dev ;;
    cc:*) echo gcc ;;
    headers:brew | loader:brew) echo - ;; # part of macOS
    headers:*) echo opencl-headers ;;
    clhpp:apt | clhpp:brew) echo opencl-clhpp-headers ;;
    clhpp:pacman) echo opencl-clhpp ;;
    clhpp:dnf) echo opencl-headers ;;
    loader:apt) echo ocl-icd-opencl-dev ;;
    loader:dnf) echo ocl-icd-devel ;;
    loader:pacman) echo ocl-icd ;;
    device:apt | pocl:apt) echo pocl-opencl-icd ;;
    device:* | pocl:*) echo pocl ;;
    cmocka:apt) echo libcmocka-dev ;;
    cmocka:dnf) echo libcmocka-devel ;;
    cmocka:*) echo cmocka ;;
    rusticl:apt) echo mesa-opencl-icd ;;
    rusticl:dnf) echo mesa-libOpenCL ;;
    rusticl:pacman) echo opencl-mesa ;;
    oclgrind:apt) echo oclgrind ;;
    oclgrind-dev:apt) echo liboclgrind-dev ;;
    libclc:apt) echo libclc-15 ;;
    clang-15:apt) echo clang-15 ;;
    clang-19:apt) echo clang-19 ;;
    python3:pacman | python3:brew) echo python ;;
    python3:*) echo python3 ;;
    acl:brew) echo - ;;
    acl:*) echo acl ;;
    arm:apt) echo gcc-aarch64-linux-gnu qemu-user-static binfmt-support debootstrap ;;
    venv:apt) echo python3-venv ;;
    venv:*) packages_of python3 "$2" ;;
    intel:brew | next:*) echo - ;;
    conan:* | cuda:* | intel:* | python-peers:* | sphinx:*) packages_of venv "$2" ;; # the rest: install_from_pypi
    simdjson:apt) echo libsimdjson-dev ;;
    simdjson:dnf) echo simdjson-devel ;;
    simdjson:*) echo simdjson ;;
    highway:apt) echo libhwy-dev ;;
    highway:dnf) echo highway-devel ;;
    highway:*) echo highway ;;
    viennacl:apt) echo libviennacl-dev ;;
    viennacl:dnf) echo viennacl-devel ;;
    spin:dnf | spin:pacman) echo - ;;
    spin:*) echo spin ;;
    cxx:apt) echo g++ ;;
    cxx:dnf) echo gcc-c++ ;;
    cxx:*) echo gcc ;;
    clang:apt | fuzzer:apt) echo clang libclang-rt-dev ;;
    clang:dnf | fuzzer:dnf) echo clang compiler-rt ;;
    clang:pacman | fuzzer:pacman) echo clang compiler-rt ;;
    clang:brew | fuzzer:brew) echo llvm ;;
    clang-format:dnf) echo clang-tools-extra ;;
    clang-format:pacman) echo clang ;;
    clang-format:*) echo clang-format ;;
    mpi:apt) echo libopenmpi-dev openmpi-bin ;;
    mpi:dnf) echo openmpi-devel ;;
    mpi:pacman) echo openmpi ;;
    mpi:brew) echo open-mpi ;;
    tbb:apt) echo libtbb-dev ;;
    tbb:dnf) echo tbb-devel ;;
    tbb:pacman) echo onetbb ;;
    tbb:brew) echo tbb ;;
    boost:apt) echo libboost-dev ;;
    boost:dnf) echo boost-devel ;;
    boost:*) echo boost ;;
    gnuplot:apt) echo gnuplot-nox ;;
    pkg-config:brew) echo pkgconf ;;
    meson:apt | meson:dnf) echo meson ninja-build ;;
    meson:*) echo meson ninja ;;
    dpkg:apt) echo dpkg-dev debhelper lintian fakeroot ;;
    mingw:apt) echo g++-mingw-w64-x86-64-win32 ;;
    mingw:dnf) echo mingw64-gcc-c++ ;;
    mingw:pacman) echo mingw-w64-gcc ;;
    mingw:brew) echo mingw-w64 ;;
    pkg-config:* | cmake:* | git:*) echo "$1" ;;
    gnuplot:*) echo gnuplot ;;
    *) echo - ;;
    esac
}

# A program that checks whether a header exists, without reading it.
has_header() { # header
    printf '#if !__has_include(<%s>)\n#error "no %s"\n#endif\nint main() { return 0; }\n' "$1" "$1"
}

# The program that is compiled to look for a component.
source_of() { # component
    case $1 in
    cc) cat <<-'C'
	#include <stdio.h>
	int main(void) { return 0; }
	C
        ;;
    headers) cat <<-'C'
	#define CL_TARGET_OPENCL_VERSION 120
	#ifdef __APPLE__
	#include <OpenCL/opencl.h>
	#else
	#include <CL/cl.h>
	#endif
	C
        ;;
    cmocka) cat <<-'C'
	#include <stdarg.h>
	#include <stddef.h>
	#include <stdint.h>
	#include <setjmp.h>
	#include <cmocka.h>
	int main(void) { print_message("%s", ""); return 0; }
	C
        ;;
    cxx) cat <<-'C'
	#include <cstdio>
	int main() { return 0; }
	C
        ;;
    clang) cat <<-'C'
	int main(void) { return 0; }
	C
        ;;
    fuzzer) cat <<-'C'
	#include <stddef.h>
	int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) { return data[size - size] & 0; }
	C
        ;;
    mpi) cat <<-'C'
	#include <mpi.h>
	int main(int argc, char **argv) { MPI_Init(&argc, &argv); return MPI_Finalize(); }
	C
        ;;
    oclgrind-dev) has_header oclgrind/Plugin.h ;;
    clhpp) has_header CL/opencl.hpp ;;
    tbb) has_header tbb/parallel_scan.h ;;
    simdjson) has_header simdjson.h ;;
    highway) has_header hwy/contrib/sort/vqsort.h ;;
    viennacl) has_header viennacl/vector.hpp ;;
    boost) cat <<-'C'
	#if !__has_include(<boost/compute/version.hpp>) && !__has_include(<boost/compute/core.hpp>)
	#error "no Boost.Compute headers"
	#endif
	int main() { return 0; }
	C
        ;;
    esac
}

# Compiles try.c. The arguments are the compiler and options.
compiles() {
    "$@" -o "$tmp/try" >"$tmp/try.log" 2>&1
}

# True if a line of the device list matches the pattern; the arguments after the pattern run the program that prints the
# list.
lists_device() { # pattern command...
    pattern=$1
    shift
    lines=$("$@" 2>"$tmp/list.log") || return 1
    case $lines in
    $pattern) return 0 ;;
    *) return 1 ;;
    esac
}

list_devices=build/list_devices
case $(uname -s) in
Darwin) libcl="-framework OpenCL" ;;
*) libcl=-lOpenCL ;;
esac

have() { # component
    source_of "$1" >"$tmp/try.c"
    case $1 in
    cc) compiles $CC -x c "$tmp/try.c" ;;
    headers) compiles $CC -E -x c "$tmp/try.c" ;;
    loader) # links, and leaves the program that the next ones run
        $CC -o "$tmp/list" tools/list_devices.c $libcl >"$tmp/try.log" 2>&1 && mv "$tmp/list" $list_devices
        ;;
    device) lists_device '*' ./$list_devices ;;
    pocl) lists_device '*Portable Computing Language: *' ./$list_devices ;;
    next) lists_device '*Portable Computing Language: *' tools/next_run.sh ./$list_devices ;;
    arm) lists_device '*Portable Computing Language: *' tools/arm_run.sh $list_devices ;;
    rusticl) lists_device '*rusticl: *' env RUSTICL_ENABLE=llvmpipe ./$list_devices ;;
    intel) lists_device '*Intel(R) OpenCL: *' env OCL_ICD_VENDORS="$PWD/build/intel/vendors" ./$list_devices ;;
    oclgrind) lists_device '*Oclgrind: *' oclgrind ./$list_devices ;;
    oclgrind-dev) compiles $CXX -E -x c++ "$tmp/try.c" ;;
    libclc) test -f /usr/lib/clc/nvptx64--nvidiacl.bc ;;
    clang-15 | clang-19) command -v "$1" >/dev/null ;;
    cuda) ls build/ptxas/lib/python3*/site-packages/nvidia/cu13/bin/ptxas >/dev/null 2>&1 ;;
    python3) python3 -c 'import json' 2>"$tmp/try.log" ;;
    acl) command -v setfacl >/dev/null ;;
    venv) python3 -c 'import ensurepip, venv' 2>"$tmp/try.log" ;;
    sphinx) # of the versions that are asked for
        cmp -s manual/requirements.txt build/sphinx/requirements.txt &&
            build/sphinx/bin/python -c 'import sphinx, myst_parser, furo' 2>"$tmp/try.log"
        ;;
    cmocka) compiles $CC -x c "$tmp/try.c" -lcmocka ;;
    cxx) compiles $CXX -x c++ "$tmp/try.c" ;;
    clhpp) compiles $CXX -E -x c++ "$tmp/try.c" ;;
    clang) # with the runtime of its thread sanitizer, which is packaged apart
        compiles $CLANG -fsanitize=thread -x c "$tmp/try.c" ;;
    fuzzer) compiles $CLANG -fsanitize=fuzzer,address,undefined -x c "$tmp/try.c" ;;
    clang-format) command -v clang-format >/dev/null ;;
    spin | gnuplot | pkg-config | cmake | git) command -v "$1" >/dev/null ;;
    dpkg) command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null && command -v lintian >/dev/null ;;
    mpi) compiles ${MPICC:-mpicc} -x c "$tmp/try.c" && command -v ${MPIRUN:-mpirun} >/dev/null ;;
    conan) test -x build/conan/bin/conan ;;
    mingw) command -v x86_64-w64-mingw32-g++ >/dev/null ;;
    meson) command -v meson >/dev/null && command -v ninja >/dev/null ;;
    tbb) compiles $CXX -x c++ "$tmp/try.c" -ltbb ;;
    boost | viennacl) compiles $CXX -x c++ "$tmp/try.c" ;;
    simdjson) compiles $CXX -x c++ "$tmp/try.c" -lsimdjson ;;
    highway) compiles $CXX -x c++ "$tmp/try.c" -lhwy_contrib -lhwy ;;
    python-peers) build/peers/bin/python -c 'import duckdb, mako, numpy, polars, pyopencl' 2>"$tmp/try.log" ;;
    *)
        echo "deps: no such mode or component: $1" >&2
        exit 1
        ;;
    esac
}

find_manager() {
    for m in apt-get dnf pacman brew; do
        if command -v $m >/dev/null; then
            echo ${m%-get}
            return
        fi
    done
    echo none
}

# Prints "root", "sudo" or "no".
install_rights() {
    if [ "${DEPS_INSTALL:-yes}" = no ]; then
        echo no
    elif [ "$(id -u)" = 0 ]; then
        echo root
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        echo sudo
    else
        echo no
    fi
}

apt() { # arguments of apt-get; its output goes to a log
    case $rights in
    root) set -- env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" ;;
    sudo) set -- sudo -n env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" ;;
    esac
    "$@" </dev/null >>build/deps.log 2>&1
}

updated=no
install_packages() { # component; only where apt and the right to use it are there
    [ $manager = apt ] && [ $rights != no ] || return 1
    if [ $updated = no ]; then
        echo "deps: apt-get update"
        apt update || echo "deps: apt-get update failed (build/deps.log); trying with the lists at hand" >&2
        updated=yes
    fi
    available=
    for package in $(packages_of "$1" apt); do
        if apt-cache show "$package" >/dev/null 2>&1; then available="$available $package"; fi
    done
    if [ -z "$available" ]; then
        unpackaged="$unpackaged $1"
        return 1
    fi
    echo "deps: installing$available"
    apt install --no-install-recommends $available || {
        echo "deps: apt-get install failed:" >&2
        tail -n 20 build/deps.log >&2
        return 1
    }
}

install_from_pypi() { # component folder arguments of pip...; into a virtual environment
    component=$1
    environment=$2
    shift 2
    have venv || install_packages venv || return 1
    echo "deps: installing $component from PyPI into $environment"
    python3 -m venv --clear "$environment" >>build/deps.log 2>&1 &&
        "$environment/bin/python" -m pip install --quiet --no-input --no-compile --retries 1 "$@" >>build/deps.log 2>&1 || {
        echo "deps: PyPI does not give $component (build/deps.log)"
        unpackaged="$unpackaged $component"
        return 1
    }
}

# Intel's OpenCL for CPUs (830 MB, under Intel's own licence). It is in a virtual environment, in which its files find
# one another. The loader must look in vendors/.
install_intel() {
    if [ "$(uname -sm)" != "Linux x86_64" ]; then
        echo "deps: no Intel CPU runtime for $(uname -sm)"
        unpackaged="$unpackaged intel"
        return 1
    fi
    install_from_pypi intel build/intel --only-binary=:all: intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0 || return 1
    mkdir -p build/intel/vendors
    echo "$PWD/build/intel/lib/libintelocl.so" >build/intel/vendors/intel.icd
}

# NVIDIA's assembler, the tools that read its machine code, and the headers of CUB (75 MB, under NVIDIA's own licence).
# The figures in bench/gpu_cost.json are for exactly these versions.
install_cuda() {
    install_from_pypi cuda build/ptxas --no-deps --only-binary=:all: nvidia-cuda-nvcc==13.0.88 \
        nvidia-cuda-cuobjdump==13.2.51 nvidia-cuda-nvdisasm==13.2.51 nvidia-cuda-cccl==13.3.5.0.6
}

# Libraries to compare with (100 MB, 330 MB in build/peers), in the folder that gpbench searches.
install_python_peers() {
    install_from_pypi python-peers build/peers --only-binary=:all: duckdb==2.0.1 numpy==2.4.6 polars==2.1.0 pyopencl==2026.1.4 mako==1.4.3
}

# A root of Debian's next release with its OpenCL implementations and compilers (1.3 GB): made from Debian 13, which
# debootstrap knows.
install_next() {
    if [ "$rights" != root ] || ! command -v debootstrap >/dev/null || ! command -v unshare >/dev/null; then
        echo "deps: Debian's next release takes root, debootstrap and unshare"
        unpackaged="$unpackaged next"
        return 1
    fi
    echo "deps: making a root of Debian's next release in build/next"
    tools/next_root.sh build/next/root >>build/deps.log 2>&1 || {
        echo "deps: no root of Debian's next release (build/deps.log)"
        unpackaged="$unpackaged next"
        return 1
    }
}

# A root of Debian 12 for arm64 with PoCL, a compiler for it, and an emulator.
install_arm() {
    if [ "$rights" != root ] || ! command -v unshare >/dev/null; then
        echo "deps: Debian for arm64 takes root and unshare"
        unpackaged="$unpackaged arm"
        return 1
    fi
    install_packages arm || return 1
    echo "deps: making a root of Debian for arm64 in build/arm"
    tools/arm_root.sh build/arm/root >>build/deps.log 2>&1 || {
        echo "deps: no root of Debian for arm64 (build/deps.log)"
        unpackaged="$unpackaged arm"
        return 1
    }
}

install_sphinx() { # what builds the site (100 MB)
    install_from_pypi sphinx build/sphinx --no-deps --only-binary=:all: -r manual/requirements.txt &&
        cp manual/requirements.txt build/sphinx/requirements.txt
}

install_conan() { # the last one that was tried
    install_from_pypi conan build/conan conan==2.34.0
}

install() { # component
    case $1 in
    conan) install_conan ;;
    intel) install_intel ;;
    next) install_next ;;
    arm) install_arm ;;
    cuda) install_cuda ;;
    python-peers) install_python_peers ;;
    sphinx) install_sphinx ;;
    *) install_packages "$1" ;;
    esac
}

print_packages() { # components
    for m in apt dnf pacman brew; do
        list=
        for component in "$@"; do
            packages=$(packages_of "$component" $m)
            [ "$packages" = - ] || list="$list $packages"
        done
        case $m in
        apt) command="Debian, Ubuntu: apt-get install" ;;
        dnf) command="Fedora:         dnf install" ;;
        pacman) command="Arch:           pacman -S" ;;
        brew) command="macOS:          brew install" ;;
        esac
        if [ -n "$list" ]; then echo "  $command$list"; fi
    done
}

case "$*" in
run) components=$RUN ;;
test) components=$TEST ;;
lint) components=$LINT ;;
all) components=$ALL ;;
shared) components=$SHARED ;;
install) components=$INSTALL ;;
packaging) components=$PACKAGING ;;
bench) components=$BENCH ;;
report) components=$REPORT ;;
site) components=$SITE ;;
python) components=$PYTHON ;;
mpi) components=$MPI ;;
gpu-cost) components=$GPU_COST ;;
machine-code) components=$MACHINE_CODE ;;
'')
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 1
    ;;
*) components=$* ;;
esac

cd "$(dirname "$0")/.."
mkdir -p build
tmp=$(mktemp -d build/deps.XXXXXX)
trap 'rm -rf "$tmp"' EXIT
manager=
rights=
missing=
unpackaged=

# In this order, because the search for a component needs the components before it.
for component in $components; do
    if have "$component"; then continue; fi
    if [ -z "$manager" ]; then
        manager=$(find_manager)
        rights=$(install_rights)
        : >build/deps.log
    fi
    if install "$component" && have "$component"; then continue; fi
    missing="$missing $component"
    case "$unpackaged " in
    *" $component "*) continue ;;
    esac
    if [ $manager != apt ] && [ "$(packages_of "$component" $manager)" = - ]; then
        unpackaged="$unpackaged $component"
    fi
done

if [ -z "$missing" ]; then
    echo "deps: all there for $*"
    exit 0
fi
if [ "$missing" = "$unpackaged" ]; then
    echo "deps: missing, and not to be had on this system:$missing" >&2
    exit 2
fi
{
    echo "deps: missing or not working:$missing. Their packages:"
    print_packages $missing
} >&2
exit 1
