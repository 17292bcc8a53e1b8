#!/bin/sh
# Tests Debian's packages, made from the tarball, with lintian and with a program, and Conan's package with its test program.
#
# usage: VERSION=0.2.0 tools/test_packaging.sh
set -eu
cd "$(dirname "$0")/.."
checkout=$PWD
work=$checkout/build/packaging
rm -rf "$work"
mkdir -p "$work"

if [ -z "${GPUPRIM_DEVICE:-}" ]; then
    case $(build/list_devices) in
    *"Portable Computing Language: "*) export GPUPRIM_DEVICE=Portable ;;
    esac
fi

build_debian() {
    cp "build/gpuprim-$VERSION.tar.gz" "$work/gpuprim_$VERSION.orig.tar.gz"
    tar -xzf "$work/gpuprim_$VERSION.orig.tar.gz" -C "$work"
    cd "$work/gpuprim-$VERSION"
    cp -R packaging/debian debian
    dpkg-buildpackage -us -uc
    # There is no Debian bug that requests this package.
    lintian --fail-on error,warning --allow-root --suppress-tags initial-upload-closes-no-bugs ../gpuprim_*.changes
}

# As if installed, but in a separate folder.
use_debian() {
    for package in "$work"/libgpuprim*_"$VERSION"-*.deb; do dpkg-deb -x "$package" "$work/root"; done
    libdir=$(dirname "$work"/root/usr/lib/*/libgpuprim.so)
    $CC -std=c99 -I"$work/root/usr/include" -L"$libdir" -o "$work/total" tests/install/shared/*.c -lgpuprim -lOpenCL
    LD_LIBRARY_PATH=$libdir "$work/total"
}

create_conan() {
    export CONAN_HOME="$work/conan"
    unset CC CXX # "cc" is no compiler that it knows
    build/conan/bin/conan profile detect
    build/conan/bin/conan create packaging/conan --no-remote -c tools.cmake.cmake_layout:test_folder="$work/test" \
        -c tools.cmake.cmaketoolchain:user_presets=
}

for step in build_debian use_debian create_conan; do
    begin=$(date +%s)
    # Not used as a condition, because set -e would not apply there.
    (set -eux && $step) >"$work/$step.log" 2>&1 &
    if ! wait $!; then
        cat "$work/$step.log" >&2
        echo "test-packaging: FAIL $step" >&2
        exit 1
    fi
    printf 'test-packaging: ok  %-14s %3s s\n' $step $(($(date +%s) - begin))
done
