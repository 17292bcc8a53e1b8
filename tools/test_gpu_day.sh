#!/bin/sh
# Tests the parts of tools/gpu_day.sh that are otherwise used only on a machine with a GPU: packages, a vendor's library
# in an unusual folder, ending a step that hangs, and resuming. PoCL's library is used as the vendor's.
#
# usage: tools/test_gpu_day.sh
set -eu
cd "$(dirname "$0")/.."

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export GPU_DAY_SMALL=1 GPU_DAY_ROOT="$tmp/machine" GPU_DAY_PACKAGES="$tmp/packages" GPUPRIM_DEVICE=Portable

fail() { # text
    echo "test-gpu-day: $1" >&2
    cat "$tmp"/*.log "$tmp"/out/logs/*.log >&2 || true
    exit 1
}

# A package with a program, and a machine whose library is in an unusual folder, with a dangling link before it.
make_machine() { # library
    mkdir -p "$tmp/packages" "$tmp/package/DEBIAN" "$tmp/package/usr/bin" "$tmp/machine/usr/lib/x" "$tmp/machine/usr/local/y"
    printf 'Package: clinfo\nVersion: 1\nArchitecture: all\nMaintainer: nobody\nDescription: a fake\n' \
        >"$tmp/package/DEBIAN/control"
    printf '#!/bin/sh\necho a fake of clinfo\n' >"$tmp/package/usr/bin/clinfo"
    chmod +x "$tmp/package/usr/bin/clinfo"
    dpkg-deb -b "$tmp/package" "$tmp/packages/clinfo.deb" >/dev/null
    ln -s /nowhere "$tmp/machine/usr/lib/x/libnvidia-opencl.so.0"
    # PoCL finds its parts in its own folder, so a link to it would not suffice.
    ${CC:-cc} -shared -o "$tmp/machine/usr/local/y/libnvidia-opencl.so.1" -Wl,--no-as-needed "$1"
}

pocl=$(cat /etc/OpenCL/vendors/pocl.icd 2>/dev/null) || {
    echo "test-gpu-day: skipped, PoCL is not installed"
    exit
}
case $pocl in
/*) ;;
*) pocl=$(find /usr/lib* /usr/local -name "$pocl" 2>/dev/null | head -n 1) ;;
esac
make_machine "$pocl"

tools/gpu_day.sh "$tmp/out" info >"$tmp/info.log" 2>&1 || fail "the step does not run"
grep -q '^pass' "$tmp/out/status/info" || fail "info has not passed"
grep -qx "$tmp/machine/usr/local/y/libnvidia-opencl.so.1" "$tmp/out/vendors/libnvidia-opencl.so.icd" ||
    fail "the vendor's library was not found"
grep -q 'Portable Computing Language' "$tmp/out/results/info.md" || fail "the loader did not take the vendor's library"
grep -q 'a fake of clinfo' "$tmp/out/results/clinfo.txt" || fail "the package was not unpacked"
grep -q '"step": "info", "result": "pass"' "$tmp/out/report.json" || fail "report.json does not tell"
grep -q '^| \[info\]' "$tmp/out/report.md" || fail "report.md does not tell"

# A second library that hangs: the step is ended, the next one runs, and a later run resumes it.
printf '#!/bin/sh\nsleep 1000\n' >"$tmp/out/root/usr/bin/clinfo"
rm -r "$tmp/packages"
GPU_DAY_LIMIT=2 tools/gpu_day.sh "$tmp/out" info counters >"$tmp/late.log" 2>&1 || fail "a hanging step ends the run"
grep -q '^late' "$tmp/out/status/info" || fail "a step that hangs is not late"
grep -q '^skip' "$tmp/out/status/counters" || command -v ncu >/dev/null || fail "the step after a late one has not run"
printf '#!/bin/sh\n' >"$tmp/out/root/usr/bin/clinfo"
for step in build selftest litmus ptx tests bench stress large tuning; do echo "pass 0" >"$tmp/out/status/$step"; done
tools/gpu_day.sh "$tmp/out" >"$tmp/again.log" 2>&1 || fail "the run is not resumed"
grep -q '^pass' "$tmp/out/status/info" || fail "a late step was not run again"
! grep -q '^== build' "$tmp/again.log" || fail "a step that has ended was run again"

# A step that is named starts again; an unknown step is refused.
echo 1 >"$tmp/out/status/info.piece"
tools/gpu_day.sh "$tmp/out" info >"$tmp/anew.log" 2>&1 || fail "a step that is named does not run"
[ ! -e "$tmp/out/status/info.piece" ] || fail "a step that is named does not begin anew"
! tools/gpu_day.sh "$tmp/out" nothing >"$tmp/nothing.log" 2>&1 || fail "a step that does not exist is run"
grep -q 'no step "nothing"; there are: info build' "$tmp/nothing.log" || fail "the steps there are are not named"
tools/gpu_day.sh --help | grep -q '^usage: ' || fail "--help does not help"
echo "test-gpu-day: passed"
