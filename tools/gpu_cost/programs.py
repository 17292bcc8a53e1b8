"""programs.py - compiles the composed program of a call to assembly text, by clang, for a chip whose driver is not
needed."""
import glob
import os
import re
import shutil
import subprocess
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
# Options to compile CL1.2 with 64-bit atomic operations for the hot kernel's chip.
OPTIONS = ["-x", "cl", "-cl-std=CL1.2", "-O3", "-w", "-S", "-nogpulib", "-Xclang", "-finclude-default-header",
           "-Xclang", "-cl-ext=+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics"]
# The folder in which tools/deps.sh installs CUDA's packages from PyPI.
CUDA = "build/ptxas/lib/python3*/site-packages/nvidia/cu13/bin"


def find_cuda():
    """Finds a program of CUDA. The system's own comes first, because PyPI's nvcc has no CUB."""
    os.environ["PATH"] = os.pathsep.join([os.environ["PATH"], *map(os.path.abspath, glob.glob(CUDA))])


def has(*tools):
    return all(shutil.which(tool) for tool in tools)


def output_of(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True, check=True, **options).stdout


def version(tool):
    return re.search(r"(?:version |V)(\d+\.\d+\.\d+)", output_of(tool, "--version")).group(1)


def source_of(run, form):
    """Returns the file that has the run's hot kernel, with sub-groups in a form of kernels/gpu/group/sub_group.cl, not
    emulated."""
    for name in sorted(os.listdir(run.dump)):
        path = os.path.join(run.dump, name)
        if name.endswith(".cl") and not name.startswith("form"):
            with open(path) as lines:
                text = lines.read()
            if "void %s(" % run.hot in text:
                text = text.replace("#define GPI_SUB_GROUP_FORM 1\n", "#define GPI_SUB_GROUP_FORM %d\n" % form)
                text = text.replace("#define GPI_SUB_GROUP_SLEEP 0\n", "#define GPI_SUB_GROUP_SLEEP 1\n")
                path = os.path.join(run.dump, "form%d.%s" % (form, name))
                write_once(path, text)
                return path
    raise FileNotFoundError("%s: no source of %s" % (run.dump, run.hot))


def write_once(path, text):
    """Writes a file at once, because other processes may be reading it."""
    if not os.path.exists(path):
        with open("%s.%d" % (path, threading.get_ident()), "w") as out:
            out.write(text)
        os.replace(out.name, path)


def compile_to(path, source, clang, target, library, options):
    """Writes assembly to `path`; `library` is libclc's bitcode."""
    atomics = path + ".atomics64.bc"
    subprocess.run([clang, "-w", "-target", target, "-nogpulib", "-x", "ir", "-emit-llvm", "-c", "-o", atomics,
                    os.path.join(HERE, "atomics64.ll")], check=True)
    linked = ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", library, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", atomics]
    subprocess.run([clang, "-target", target, *OPTIONS, *linked, *options, "-o", path, source], check=True)
