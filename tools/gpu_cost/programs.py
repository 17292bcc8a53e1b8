"""programs.py - the composed program of a call, compiled to assembly text by clang for a chip without its driver."""
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
# How CL1.2 with 64-bit atomic operations is compiled for the hot kernel's chip.
OPTIONS = ["-x", "cl", "-cl-std=CL1.2", "-O3", "-w", "-S", "-nogpulib", "-Xclang", "-finclude-default-header",
           "-Xclang", "-cl-ext=+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics"]


def has(*tools):
    return all(shutil.which(tool) for tool in tools)


def version(tool):
    said = subprocess.run([tool, "--version"], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
    return re.search(r"(?:version |V)(\d+\.\d+\.\d+)", said).group(1)


def source_of(run):
    """The file that has the run's hot kernel."""
    for name in sorted(os.listdir(run.dump)):
        path = os.path.join(run.dump, name)
        if name.endswith(".cl"):
            with open(path) as lines:
                if "void %s(" % run.hot in lines.read():
                    return path
    raise FileNotFoundError("%s: no source of %s" % (run.dump, run.hot))


def compile_to(path, source, clang, target, library, options):
    """Writes assembly to `path`; `library` is libclc's bitcode."""
    atomics = path + ".atomics64.bc"
    subprocess.run([clang, "-w", "-target", target, "-nogpulib", "-x", "ir", "-emit-llvm", "-c", "-o", atomics,
                    os.path.join(HERE, "atomics64.ll")], check=True)
    linked = ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", library, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", atomics]
    subprocess.run([clang, "-target", target, *OPTIONS, *linked, *options, "-o", path, source], check=True)
