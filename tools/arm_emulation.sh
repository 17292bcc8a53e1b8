# Makes the kernel run programs for arm64 by qemu, also in chroots. To be sourced, as root.
if [ ! -e /proc/sys/fs/binfmt_misc/register ]; then mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc; fi
if [ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then update-binfmts --enable qemu-aarch64; fi
