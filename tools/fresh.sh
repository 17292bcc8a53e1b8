#!/bin/sh
# Runs README's commands on fresh systems: installs each Debian release in a folder of its own, clones the committed HEAD
# into it, and runs make demo, test, test-install and test-python there as root. Then make test-masked runs all test programs
# without AVX-512, or without AVX2 if the CPU has no AVX-512. In the end, removes everything again.
#
# usage: tools/fresh.sh [RELEASE...]    bookworm trixie
#
# MIRROR    of Debian; by default the host's own, if it has one
#
# MASKS     features of the CPU that are hidden, as in tools/test_masked.sh
#
# Exit status: 0 all passed in each release; 1 something failed; 2 root or debootstrap is missing.
set -eu

cd "$(dirname "$0")/.."
releases=${*:-bookworm trixie}

if [ "$(id -u)" != 0 ]; then
    echo "fresh: only root can make a chroot" >&2
    exit 2
fi
if ! command -v debootstrap >/dev/null; then
    echo "fresh: debootstrap is missing (apt-get install debootstrap)" >&2
    exit 2
fi

host_mirror() {
    {
        cat /etc/apt/sources.list.d/*.sources | sed -n 's/^URIs: *//p'
        sed -n 's/^deb \(\[[^]]*] \)*\([^ ]*\) .*/\2/p' /etc/apt/sources.list
    } 2>/dev/null | grep '/debian/*$' | head -n 1
}
mirror=${MIRROR:-$(host_mirror || true)}
mirror=${mirror:-http://deb.debian.org/debian}

# Finds a folder in which device nodes work and programs run.
logs=$PWD/build/fresh
mkdir -p "$logs"
parent=${TMPDIR:-/var/tmp}
case ,$(findmnt -n -o OPTIONS -T "$parent"), in
*,nodev,* | *,noexec,*) parent=$logs ;;
esac

root=
child=

mounts_below() { # folder; the innermost ones first
    awk -v root="$1/" 'index($2 "/", root) == 1 { print $2 }' /proc/self/mounts | sort -r
}

remove_root() {
    if [ -z "$root" ]; then return; fi
    for attempt in 1 2 3 4 5; do
        for place in $(mounts_below "$root"); do umount "$place" || true; done
        if [ -z "$(mounts_below "$root")" ]; then break; fi
        sleep 1
    done
    if [ -n "$(mounts_below "$root")" ]; then
        echo "fresh: something is still mounted in $root, which is left as it is:" >&2
        mounts_below "$root" >&2
        return 1
    fi
    rm -rf --one-file-system "$root"
    root=
}

stop() { # whatever runs, its children too
    trap - EXIT INT TERM HUP
    if [ -n "$child" ]; then
        kill -TERM -- "-$child" 2>/dev/null || true
        wait "$child" || true
        kill -KILL -- "-$child" 2>/dev/null || true
    fi
    remove_root
}
trap stop EXIT
trap 'stop; exit 130' INT TERM HUP

# Runs a command in its own session, so that `stop` finds all of its processes. Sets `seconds`.
timed() { # log command...
    log=$1
    shift
    begin=$(date +%s)
    status=0
    setsid "$@" </dev/null >"$log" 2>&1 &
    child=$!
    wait "$child" || status=$?
    child=
    seconds=$(($(date +%s) - begin))
    if [ $status != 0 ]; then
        echo "fresh: exit status $status; the end of $log:" >&2
        tail -n 20 "$log" >&2
    fi
    return $status
}

# Installs the packages that README requires: make, and the tools that get the sources.
make_root() { # release
    root=$(mktemp -d "$parent/$1.XXXXXX") && chmod 755 "$root" &&
        timed "$logs/$1-debootstrap.log" debootstrap --variant=minbase --include=make "$1" "$root" "$mirror" &&
        cp /etc/resolv.conf "$root/etc/resolv.conf" &&
        cp /etc/ssl/certs/ca-certificates.crt "$root/etc/host-ca.crt" && # for a proxy with certificates of its own
        mount -t proc proc "$root/proc" &&
        mount -t sysfs -o ro sysfs "$root/sys" &&
        git clone -q --no-local . "$root/root/gpuprim"
}

# Passes nothing of the caller's environment except the network's proxies.
make_inside() { # log goal [VARIABLE=VALUE...]
    log_of_goal=$1
    shift
    timed "$log_of_goal" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        PIP_CERT=/etc/host-ca.crt ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        chroot "$root" make -C /root/gpuprim "$@"
}

if grep -q '^flags.* avx512' /proc/cpuinfo; then lesser=avx512; else lesser=avx2; fi
masks=${MASKS:-$lesser}

table=
failed=0
row() { # release command result
    table="$table$(printf '%-10s %-12s %-6s %6s s' "$1" "$2" "$3" "$seconds")
"
    if [ "$3" != pass ]; then failed=1; fi
}

for release in $releases; do
    echo "== $release from $mirror"
    if make_root "$release"; then row "$release" debootstrap pass; else row "$release" debootstrap FAIL; fi
    for goal in demo test test-install test-python; do
        if ! [ -d "$root/root/gpuprim" ]; then break; fi
        echo "== $release: make $goal"
        result=pass
        make_inside "$logs/$release-$goal.log" $goal || result=FAIL
        row "$release" "make $goal" $result
    done
    if [ -d "$root/root/gpuprim" ]; then
        result=pass
        make_inside "$logs/$release-test-masked.log" test-masked MASKED=all MASKS="$masks" || result=FAIL
        row "$release" "test-masked" $result
    fi
    remove_root
done

printf '\n%s' "$table"
exit $failed
