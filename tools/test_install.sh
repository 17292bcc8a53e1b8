#!/bin/sh
# Tests external programs, which use an installed copy, the checkout or the tarball in every way that manual/install.md
# describes. Each program runs a call and checks its result.
#
# usage: VERSION=0.2.0 tools/test_install.sh
set -eu
cd "$(dirname "$0")/.."
checkout=$PWD
projects=$checkout/tests/install
work=$checkout/build/install
prefix=$work/prefix
tarball=gpuprim-$VERSION.tar.gz
unset MAKEFLAGS # a jobserver's, which is not for the make below
export PKG_CONFIG_PATH="$prefix/share/pkgconfig:$prefix/lib/pkgconfig"
rm -rf "$work"
mkdir -p "$work"

if [ -z "${GPUPRIM_DEVICE:-}" ]; then
    case $(build/list_devices) in
    *"Portable Computing Language: "*) export GPUPRIM_DEVICE=Portable ;;
    esac
fi

route() { # function
    begin=$(date +%s)
    # Not used as a condition, because set -e would not apply there.
    (set -eux && "$1") >"$work/$1.log" 2>&1 &
    if ! wait $!; then
        cat "$work/$1.log" >&2
        echo "test-install: FAIL $1" >&2
        exit 1
    fi
    printf 'test-install: ok  %-14s %3s s\n' "$1" $(($(date +%s) - begin))
}

# A change of the version in gpuprim.h requires a change there.
versions() {
    for file in meson.build packaging/gpuprim.wrap packaging/vcpkg/gpuprim/vcpkg.json packaging/debian/changelog CITATION.cff \
        manual/install.md; do
        grep -F "$VERSION" $file
    done
    for file in README.md manual/index.md; do grep -F "This is version ${VERSION%.*}:" $file; done
    for file in README.md manual/install.md packaging/conan/test_package/CMakeLists.txt; do
        grep -F "find_package(gpuprim ${VERSION%.*} " $file
    done
    grep -F "libgpuprim0 (>= ${VERSION%.*})" packaging/debian/rules
    grep -F "WANTED ${VERSION%.*} " tests/install/cmake/CMakeLists.txt
    grep -F ">=${VERSION%.*}'" tests/install/meson/meson.build
}

# ---- an installed copy

install() {
    make install PREFIX="$prefix" LIBDIR="$prefix/lib" DESTDIR=
}

plain_cc() {
    $CC -std=c99 -I"$prefix/include" -o "$work/plain_cc" "$projects/sum.c" -lOpenCL
    "$work/plain_cc"
}

pkg_config() {
    test "$(pkg-config --modversion gpuprim)" = "$VERSION"
    $CC -std=c99 -o "$work/pkg_config" "$projects/sum.c" $(pkg-config --cflags --libs gpuprim)
    "$work/pkg_config"
}

# Two files, neither of which has the implementation.
shared_library() {
    $CC -std=c99 -o "$work/shared_library" "$projects/shared/main.c" "$projects/shared/total.c" \
        $(pkg-config --cflags --libs gpuprim-shared)
    LD_LIBRARY_PATH=$prefix/lib ldd "$work/shared_library" | grep "$prefix/lib/libgpuprim.so.${VERSION%%.*} "
    LD_LIBRARY_PATH=$prefix/lib "$work/shared_library"
    nm -D --defined-only "$prefix/lib/libgpuprim.so" >"$work/exported"
    if grep -v ' T gp_[a-z0-9_]*$' "$work/exported"; then return 1; fi
}

opencl_hpp() {
    for order in "" -DHPP_AFTER; do
        $CXX -std=c++20 $order -o "$work/opencl_hpp" "$projects/sum.cpp" $(pkg-config --cflags --libs gpuprim)
        "$work/opencl_hpp"
    done
}

cmake_project() { # project options...
    project=$1
    shift
    cmake -S "$projects/$project" -B "$work/$project" "$@"
    cmake --build "$work/$project"
    "$work/$project/sum"
}

cmake_package() {
    cmake_project cmake -DCMAKE_PREFIX_PATH="$prefix"
    for wanted in 0.0 0.99 1 "$VERSION.1"; do
        if cmake -S "$projects/cmake" -B "$work/refused" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED=$wanted; then return 1; fi
    done
}

meson_installed() {
    meson setup --wrap-mode=nofallback "$work/meson" "$projects/meson"
    meson compile -C "$work/meson"
    "$work/meson/sum"
}

uninstall() {
    make uninstall PREFIX="$prefix" LIBDIR="$prefix/lib" DESTDIR=
    test -z "$(find "$prefix" ! -type d)"
}

# ---- the checkout and the tarball

cmake_subdirectory() { cmake_project subdirectory -DGPUPRIM_SOURCE="$checkout"; }

# CMake installs the same files as make, except the shared library.
cmake_install() {
    cmake -S "$checkout" -B "$work/cmake_install" -DCMAKE_INSTALL_PREFIX="$work/cmake_prefix"
    cmake --install "$work/cmake_install"
    cmake_project cmake -DCMAKE_PREFIX_PATH="$work/cmake_prefix"
}

dist_twice() {
    make dist
    mv "build/$tarball" "$work/"
    make dist
    cmp "build/$tarball" "$work/$tarball"
}

cmake_fetch() { cmake_project fetch -DGPUPRIM_URL="$work/$tarball"; }

meson_wrap() {
    mkdir -p "$work/wrapped/subprojects/packagefiles"
    cp "$projects/meson/meson.build" "$work/wrapped/"
    cp "$projects/sum.c" "$work/"
    cp packaging/gpuprim.wrap "$work/wrapped/subprojects/"
    cp "$work/$tarball" "$work/wrapped/subprojects/packagefiles/"
    meson setup --force-fallback-for=gpuprim "$work/wrapped/build" "$work/wrapped"
    meson compile -C "$work/wrapped/build"
    "$work/wrapped/build/sum"
}

for route in versions install plain_cc pkg_config shared_library opencl_hpp cmake_package meson_installed uninstall cmake_subdirectory \
    cmake_install dist_twice cmake_fetch meson_wrap; do
    route $route
done
echo "test-install: all passed"
