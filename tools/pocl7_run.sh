#!/bin/sh
# Runs a command with the PoCL of Debian's next release (7.1), from the root that `tools/deps.sh pocl7` makes in build/pocl7. The
# root sees this folder at its own path, and /dev, /proc and /sys; all mounts end with the command. As root.
#
# usage: tools/pocl7_run.sh COMMAND [ARGUMENT...]
set -eu

root=$(cd "$(dirname "$0")/../build/pocl7/root" 2>/dev/null && pwd -P) || {
    echo "pocl7_run: tools/deps.sh pocl7 makes the root" >&2
    exit 1
}
mkdir -p "$root$PWD" "$PWD/build/cache/pocl7"
export POCL_CACHE_DIR="$PWD/build/cache/pocl7"
exec unshare -m --propagation private sh -c '
    root=$1
    shift
    for place in dev proc sys; do mount --rbind /$place "$root/$place"; done
    mount --bind "$PWD" "$root$PWD"
    exec chroot "$root" env -C "$PWD" PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"' sh "$root" "$@"
