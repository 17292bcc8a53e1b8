"""intel.py - compiles programs with Intel's compiler (ocloc, with IGC), and reads its figures of their kernels."""
import os
import re
import struct
import subprocess
import tempfile

# What the driver says of each device (intel/compute-runtime, 26.27; Intel's data sheets): no driver answers here without it.
EXTENSIONS = """cl_khr_byte_addressable_store cl_khr_fp16 cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics
cl_khr_icd cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_intel_subgroups cl_intel_required_subgroup_size
cl_intel_subgroups_short cl_khr_spir cl_khr_il_program cl_intel_subgroups_char cl_intel_subgroups_long
cl_khr_subgroup_extended_types cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_arithmetic
cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative cl_khr_subgroup_clustered_reduce cl_khr_int64_base_atomics
cl_khr_int64_extended_atomics cl_khr_subgroups"""
COMMON = {"platform_name": "Intel(R) OpenCL Graphics", "platform_version": "OpenCL 3.0", "vendor": "Intel(R) Corporation",
          "version": "OpenCL 3.0 NEO", "driver_version": "26.27.039122", "extensions": " ".join(EXTENSIONS.split()), "type": 4,
          "max_work_group_size": 1024, "global_mem_size": 8 << 30, "max_alloc_size": 4 << 30, "local_mem_size": 64 << 10,
          "global_cache_size": 16 << 20, "local_mem_type": 1, "mem_base_addr_align": 1024, "max_num_sub_groups": 64,
          "atomic_memory_capabilities": 119, "sub_group_sizes": "8 16 32"}
FP64 = {"extensions": COMMON["extensions"] + " cl_khr_fp64"}
DEVICES = {
    "dg2": {"name": "Intel(R) Arc(TM) A770 Graphics", "compute_units": 512},
    "mtl": dict(FP64, name="Intel(R) Arc(TM) Graphics", compute_units=128),
    "tgllp": {"name": "Intel(R) Iris(R) Xe Graphics", "compute_units": 96, "max_work_group_size": 512},
    "bmg": dict(FP64, name="Intel(R) Arc(TM) B580 Graphics", compute_units=160, local_mem_size=128 << 10,
                sub_group_sizes="16 32"),
    "pvc": dict(FP64, name="Intel(R) Data Center GPU Max 1550", compute_units=1024, local_mem_size=128 << 10,
                sub_group_sizes="16 32"),
}
NUMBERS = {"simd_size": "lanes", "grf_count": "registers", "spill_size": "spilled_bytes", "private_size": "private_bytes",
           "slm_size": "local_bytes", "barrier_count": "barriers"}

NO_KERNEL = "Intel_Symbol_Table_Void_Program"  # what IGC adds to some programs


class Failure(Exception):
    """A program does not build. The text is the compiler's."""


def description(device):
    return "".join("%s %s\n" % item for item in dict(COMMON, **DEVICES[device]).items())


def source_name(runner):
    output = subprocess.run([runner, "dpkg-query", "-W", "-f", "${Version}", "libigc2"], stdout=subprocess.PIPE, check=True,
                            universal_newlines=True).stdout
    return "IGC " + output.partition("-")[0]


def sections(elf):
    """Returns the contents of each section of a 64-bit ELF file, by name."""
    begin, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, begin + i * size) for i in range(count)]
    strings = headers[names][4]

    def name(at):
        return elf[strings + at:elf.index(b"\0", strings + at)].decode()

    return {name(at): elf[offset:offset + length] for at, _, _, _, offset, length in headers}


def kernels_of(info, code_bytes):
    """Returns the counters of each kernel by name, from the text in .ze_info; code_bytes returns a kernel's size."""
    found = {}
    text = re.split(r"^(?!kernels:)\w+:", info[info.index("kernels:"):], flags=re.M)[0]
    for part in re.split(r"^  - name: *", text, flags=re.M)[1:]:
        name = part.split("\n")[0].strip().strip("'")
        if name == NO_KERNEL:
            continue
        counters = {counter: 0 for counter in NUMBERS.values()}
        for key, counter in NUMBERS.items():
            number = re.search(r"^ +%s: *(\d+)" % key, part, re.M)
            if number:
                counters[counter] = int(number.group(1))
        found[name] = dict(counters, code_bytes=code_bytes(name))
    return found


def run(*command):
    """Runs a command. Returns its status, its output, and the CPU seconds of the command and its children."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
        out.seek(0)
        return status, out.read().decode(errors="replace"), used.ru_utime + used.ru_stime


def build(runner, device, path):
    """Returns kernels' counters by name, and the seconds of the CPU that ocloc takes (0.1 to start)."""
    with open(path.replace(".cl", ".op")) as lines:
        options = lines.read()
    out = "%s.%s" % (path, device)
    status, log, seconds = run(runner, "ocloc", "compile", "-file", path, "-device", device, "-options", options, "-output", out,
                               "-output_no_suffix")
    binary = out + ".bin" if os.path.exists(out + ".bin") else out
    if status != 0 or not os.path.exists(binary):
        raise Failure(log[-2000:])
    with open(binary, "rb") as file:
        parts = sections(file.read())
    kernels = kernels_of(parts[".ze_info"].decode(errors="replace"), lambda name: len(parts.get(".text." + name, b"")))
    for name in os.listdir(os.path.dirname(path)):
        if name.startswith(os.path.basename(out)):
            os.remove(os.path.join(os.path.dirname(path), name))
    return kernels, seconds
