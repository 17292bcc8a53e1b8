#!/bin/sh
# Runs a command with the OpenCL implementations of Debian's next release, from the root that `tools/deps.sh next` makes in
# build/next: PoCL 7.1, Intel's compiler, Mesa 26.1. The root sees this folder at its own path, and /dev, /proc and /sys; all
# mounts end with the command. As root.
#
# usage: tools/next_run.sh COMMAND [ARGUMENT...]
set -eu

root=$(cd "$(dirname "$0")/../build/next/root" 2>/dev/null && pwd -P) || {
    echo "next_run: tools/deps.sh next makes the root" >&2
    exit 1
}
mkdir -p "$root$PWD" "$PWD/build/cache/next"
export POCL_CACHE_DIR="$PWD/build/cache/next"
exec unshare -m --propagation private sh -c '
    root=$1
    shift
    for place in dev proc sys; do mount --rbind /$place "$root/$place"; done
    mount --bind "$PWD" "$root$PWD"
    exec chroot "$root" env -C "$PWD" PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"' sh "$root" "$@"
