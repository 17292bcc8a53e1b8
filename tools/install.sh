#!/bin/sh
# Installs the headers, the shared library (except on macOS), and the files for pkg-config and CMake, or removes them.
#
# usage: VERSION=0.2.0 tools/install.sh install | uninstall
#
# PREFIX, LIBDIR   destinations, as absolute paths (/usr/local, PREFIX/lib)
# DESTDIR          a folder that is used instead of the root
set -eu
cd "$(dirname "$0")/.."

action=${1:-}
prefix=${PREFIX:-/usr/local}
libdir=${LIBDIR:-$prefix/lib}
root=${DESTDIR:-}
library=libgpuprim.so.$VERSION

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

put_file() { # file path
    case $action in
    install)
        install -d "$root$(dirname "$2")"
        install -m 644 "$1" "$root$2"
        ;;
    uninstall) rm -f "$root$2" ;;
    esac
}

put_link() { # target path
    case $action in
    install) ln -sf "$1" "$root$2" ;;
    uninstall) rm -f "$root$2" ;;
    esac
}

put_filled() { # template path
    sed "s|@PREFIX@|$prefix|; s|@LIBDIR@|$libdir|; s|@VERSION@|$VERSION|" "$1" >"$scratch/filled"
    if [ "$(uname -s)" = Darwin ]; then
        sed 's/^Requires: OpenCL$/Libs: -framework OpenCL/' "$scratch/filled" >"$scratch/darwin"
        mv "$scratch/darwin" "$scratch/filled"
    fi
    put_file "$scratch/filled" "$2"
}

case $action in
install | uninstall) ;;
*)
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 1
    ;;
esac

for header in gpuprim.h gpuprim.hpp gpuprim_host.h gpuprim_mpi.h; do
    if [ -f $header ]; then put_file $header "$prefix/include/$header"; fi
done
put_filled packaging/gpuprim.pc.in "$prefix/share/pkgconfig/gpuprim.pc"
put_file packaging/gpuprim-config.cmake "$prefix/share/cmake/gpuprim/gpuprim-config.cmake"
put_filled packaging/gpuprim-config-version.cmake.in "$prefix/share/cmake/gpuprim/gpuprim-config-version.cmake"
if [ "$(uname -s)" != Darwin ]; then
    put_file build/libgpuprim.so "$libdir/$library"
    put_link "$library" "$libdir/libgpuprim.so.${VERSION%%.*}"
    put_link "libgpuprim.so.${VERSION%%.*}" "$libdir/libgpuprim.so"
    put_filled packaging/gpuprim-shared.pc.in "$libdir/pkgconfig/gpuprim-shared.pc"
fi
