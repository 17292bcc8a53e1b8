#!/bin/sh
# Makes a root of Debian 12 for arm64, with PoCL and the libraries that tests need, for tools/arm_run.sh.
#
# usage: tools/arm_root.sh FOLDER
#
# MIRROR    of Debian; by default http://deb.debian.org/debian
set -eu

root=$1

. tools/arm_emulation.sh
rm -rf --one-file-system "$root"
mkdir -p "$root"
trap 'test $? = 0 || rm -rf --one-file-system "$root"' EXIT
debootstrap --arch=arm64 --variant=minbase --include=pocl-opencl-icd,ocl-icd-opencl-dev,libcmocka-dev,libc6-dev \
    bookworm "$root" "${MIRROR:-http://deb.debian.org/debian}"
