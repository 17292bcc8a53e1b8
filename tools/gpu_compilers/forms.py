"""forms.py - the programs of tools/lint_kernels.sh in the local shape, for the compiler of one device.

A program is a few #define lines and #include lines: the compiler reads kernels/ itself."""
import hashlib
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
LINT = os.path.join(HERE, "..", "lint_kernels.sh")
FOLDERS = "kernels", "tests/native"


def read(path):
    with open(path) as lines:
        return lines.read()


def listed(text):
    """Returns the programs of lint's list: their names, and the arguments of clang."""
    parts = [part.split("\n") for part in text.strip("\n").split("\n\n")]
    return [(part[0], part[1:]) for part in parts]


def split(arguments):
    """Returns from arguments of clang the macros with their values, the files included first, and the program's file."""
    macros, included = {}, []
    words = iter(arguments)
    for word in words:
        if word == "-include":
            included.append(next(words))
        elif word.startswith("-D"):
            name, _, value = word[2:].partition("=")
            macros[name] = value
    return macros, included, arguments[-1]


def takes(arguments, macros, prelude, extensions, lanes):
    """Returns whether a device compiles the program. `prelude`: the text of the files included first; `lanes`: whether
    the device has sub-groups. A device.cl has no kernels."""
    if macros.get("GPI_SHAPE_SERIAL") != "0" or "-target" in arguments or arguments[-1].endswith("/device.cl"):
        return False
    if "GPI_SUB_GROUP" in macros and not lanes:
        return False
    if macros.get("GPI_WIDE") == "1" and "cl_khr_int64_base_atomics" not in extensions:
        return False
    if macros.get("GPI_INT64_EXTENDED") == "1" and "cl_khr_int64_extended_atomics" not in extensions:
        return False
    return "cl_khr_fp64" in extensions or not re.search("double|f64", " ".join(arguments) + prelude)


def text_of(macros, included, path, own, fp64):
    """Returns the program's text; `own`: the lines of a program that the library has composed for the device."""
    macros = dict(macros)
    lines = []
    if "GPI_FP64" in macros:
        macros["GPI_FP64"] = str(fp64)
    if "GPI_SUB_GROUP" in macros:
        macros = {name: value for name, value in macros.items() if not name.startswith("GPI_SUB_GROUP")}
        lines = re.findall(r"^#define GPI_SUB_GROUP(?:_FORM|_SLEEP|_PINNED)? \d+$", own.split("#line")[0], re.M)
    lines += ["#define %s %s" % item for item in macros.items()]
    lines += ['#include "%s"' % file for file in [*included, path]]
    return "\n".join(lines) + "\n"


def digest():
    """Returns a hash of all files that programs include."""
    sums = hashlib.sha256()
    for folder in FOLDERS:
        for root, folders, names in sorted(os.walk(folder)):
            for name in sorted(names):
                with open(os.path.join(root, name), "rb") as file:
                    sums.update(file.read())
    return sums.hexdigest()


def composed(extensions, plain, grouped):
    """Yields name, text and options of each program; `plain`, `grouped`: text and options of programs that the library has
    composed for the device, without and with sub-groups (None: it has none)."""
    output = subprocess.run([LINT, "--list"], stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
    places = "".join(" -I" + os.path.abspath(folder) for folder in ("kernels/gpu", "kernels/common", "."))
    state, seen = digest(), set()
    for name, arguments in listed(output):
        macros, included, path = split(arguments)
        prelude = "".join(read(file) for file in included)
        if not takes(arguments, macros, prelude, extensions, grouped is not None):
            continue
        own, options = grouped if "GPI_SUB_GROUP" in macros else plain
        text = text_of(macros, included, path, own, int("cl_khr_fp64" in extensions))
        if text in seen:
            continue
        seen.add(text)
        with_groups = ", sub-groups" if "GPI_SUB_GROUP" in macros else ""
        wide = ", wide" if macros.get("GPI_WIDE") == "1" else ""
        yield name.split(" -D")[0] + with_groups + wide, "/* %s */\n%s" % (state, text), options + places
