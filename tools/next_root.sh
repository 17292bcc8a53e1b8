#!/bin/sh
# Makes a root of Debian's next release (forky) with its OpenCL implementations and compilers: PoCL, Intel's compiler (ocloc) and
# runtime, Mesa's rusticl, and Mesa's drm-shims, with which drivers compile for GPUs that are not present. The root also has the loader
# and cmocka, so that test programs run in it. It is made from Debian 13, because debootstrap of older releases knows that one.
#
# usage: tools/next_root.sh FOLDER
#
# MIRROR    of Debian; by default http://deb.debian.org/debian
set -eu

root=$1
mirror=${MIRROR:-http://deb.debian.org/debian}
packages="pocl-opencl-icd mesa-opencl-icd ocl-icd-libopencl1 libcmocka0"
case $(uname -m) in
x86_64) packages="$packages intel-ocloc intel-opencl-icd mesa-drm-shim" ;;
esac

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
inside apt-get -q -y install --no-install-recommends $packages
inside apt-get clean
