#!/bin/sh
# Makes a root of Debian's next release (forky) with what test programs need at run time: PoCL, the loader, cmocka. By way of
# Debian 13, which debootstrap of older releases knows.
#
# usage: tools/pocl7_root.sh FOLDER
#
# MIRROR    of Debian; by default http://deb.debian.org/debian
set -eu

root=$1
mirror=${MIRROR:-http://deb.debian.org/debian}

inside() {
    env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} chroot "$root" "$@"
}

rm -rf --one-file-system "$root"
mkdir -p "$root"
trap 'test $? = 0 || rm -rf --one-file-system "$root"' EXIT
debootstrap --variant=minbase trixie "$root" "$mirror"
cp /etc/resolv.conf "$root/etc/resolv.conf"
sed -i s/trixie/forky/g "$root/etc/apt/sources.list"
echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99next-release"
inside apt-get -q update
inside apt-get -q -y install --no-install-recommends pocl-opencl-icd ocl-icd-libopencl1 libcmocka0
inside apt-get clean
