#!/bin/sh
# Runs a program of this folder on PoCL for arm64, emulated: compiles it for arm64, and runs it in the root that `tools/deps.sh arm`
# makes in build/arm. The root sees this folder at its own path, and /dev, /proc and /sys; all mounts end with the program. As root.
#
# usage: tools/arm_run.sh PROGRAM      build/tests/test_scan: of tests/*/test_scan.c; build/list_devices: of tools/list_devices.c
set -eu

cd "$(dirname "$0")/.."
name=$(basename "$1")
root=$(cd build/arm/root 2>/dev/null && pwd -P) || {
    echo "arm_run: tools/deps.sh arm makes the root" >&2
    exit 1
}
mkdir -p build/arm/tests build/cache/arm "$root$PWD"
sources=$(find tests tools -name "$name.c")
case $sources in tests/*) sources="$sources $(echo tests/support/*.c)" ;; esac
wrapped=$(sed -n 's/.*__wrap_\(cl[A-Za-z]*\)(.*/-Wl,--wrap=\1/p' $sources | sort -u)
# shellcheck disable=SC2086 # no name has blanks
aarch64-linux-gnu-gcc --sysroot="$root" -I. -std=c99 -O1 -D_POSIX_C_SOURCE=200809L -o "build/arm/tests/$name" $sources \
    $wrapped -lcmocka -lOpenCL -lm -lpthread
exec unshare -m sh -c '
    root=$1
    . tools/arm_emulation.sh
    mount --make-rprivate /
    for place in dev proc sys; do mount --rbind /$place "$root/$place"; done
    mount --bind "$PWD" "$root$PWD"
    exec chroot "$root" env -C "$PWD" PATH=/usr/sbin:/usr/bin:/sbin:/bin POCL_CACHE_DIR="$PWD/build/cache/arm" "$2"' \
    sh "$root" "build/arm/tests/$name"
