"""nvidia.py - reads the hot kernel's machine code for NVIDIA's chips, with clang, ptxas and cuobjdump."""
import os
import re
import subprocess

import machine
import programs

CLANG, TARGET, LIBRARY = "clang-15", "nvptx64--nvidiacl", "/usr/lib/clc/nvptx64--nvidiacl.bc"
CLASS = "nvidia"

# A multiprocessor's work-items, groups and local memory (bytes), and the local memory that the driver reserves for each
# group. CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
CHIPS = {
    "sm_75": (1024, 16, 64 << 10, 0),
    "sm_80": (2048, 32, 164 << 10, 1 << 10),
    "sm_90": (2048, 32, 228 << 10, 1 << 10),
    "sm_120": (1536, 24, 100 << 10, 1 << 10),
}
MAIN_CHIP = "sm_90"
FORM = 3  # GPI_SUB_GROUP_NVIDIA
# The definitions of NVIDIA's compiler: its macros, and inline PTX.
OPTIONS = ["-Dcl_nv_pragma_unroll", "-D__NV_CL_C_VERSION=120", "-fasm", "-Xclang", "-target-cpu", "-Xclang", "sm_80", "-Xclang",
           "-target-feature", "-Xclang", "+ptx75"]
REGISTERS = 65536

KINDS = {"LDG": "load", "LD": "load", "STG": "store", "ST": "store", "LDS": "local_load", "STS": "local_store",
         "ATOMS": "local_store", "ATOMG": "shared", "ATOM": "shared", "RED": "shared", "REDG": "shared",
         "BRA": "branch", "CALL": "call", "RET": "return", "EXIT": "exit", "BAR": "barrier"}


def is_there():
    return programs.has(CLANG, "ptxas", "cuobjdump") and os.path.exists(LIBRARY)


def source_name():
    return "clang %s, ptxas %s" % (programs.version(CLANG), programs.version("ptxas"))


def class_of(chip):
    return CLASS if chip == MAIN_CHIP else "%s-%s" % (CLASS, chip)


def bytes_of(parts):
    for part in parts:
        if part in ("64", "128"):
            return int(part) // 8
        if part in ("U8", "S8"):
            return 1
        if part in ("U16", "S16"):
            return 2
    return 4


def instruction_of(address, text):
    predicate, text = re.match(r"(@!?U?P[0-9T]+\s+)?(.*)", text).groups()
    name, _, operands = text.partition(" ")
    parts = name.split(".")
    kind = KINDS.get(parts[0], "other")
    if "STRONG" in parts and kind in ("load", "store"):
        kind = "shared"
    registers = [re.findall(r"\bR\d+", operand) for operand in operands.split(",")]
    size = bytes_of(parts[1:])
    writes = set()
    if kind in ("load", "local_load"):
        first, *registers = registers  # none: RZ
        writes = {"R%d" % (int(first[0][1:]) + i) for i in range(max(1, size // 4))} if first else set()
    conditional = bool(predicate or re.search(r"\bU?P[0-9T]", operands))
    target = re.search(r"0x([0-9a-f]+)", operands) if kind in ("branch", "call") else None
    return machine.Instruction(address, name, kind, size, writes, set(sum(registers, [])),
                               int(target.group(1), 16) if target else None,
                               conditional or kind not in ("branch", "return", "exit"), not predicate)


def code_of(listing, kernel):
    """Returns the kernel's instructions, without the padding at its end."""
    code, inside = [], False
    for line in listing.splitlines():
        function = re.search(r"Function : (\S+)", line)
        if function:
            inside = function.group(1) == kernel
        line = re.match(r"\s+/\*([0-9a-f]{4,6})\*/\s+(.*?)\s*;", line)
        if inside and line and not line.group(2).startswith("NOP"):
            code.append(instruction_of(int(line.group(1), 16), line.group(2)))
    while code and code[-1].kind == "branch" and code[-1].target == code[-1].address:
        code.pop()
    return code


def resident_groups(chip, group, registers, local_bytes):
    items, groups, local, kept = CHIPS[chip]
    warps = -(-group // 32)
    of_a_warp = -(-registers * 32 // 256) * 256
    of_a_group = -(-local_bytes // 128) * 128 + kept
    return min(items // group, groups, REGISTERS // (of_a_warp * warps), local // of_a_group if of_a_group else groups)


def ptx_for(text, chip, group):
    """clang 15 writes PTX for older chips, and without the group's size."""
    text = re.sub(r"\.target sm_\d+", ".target " + chip, text)
    text = re.sub(r"\.version \d+\.\d+", ".version " + ("8.7" if chip == "sm_120" else "8.0"), text)
    return re.sub(r"(\.visible \.entry [^{]*?\)\n)(?!\.)", r"\1.reqntid %d, 1, 1\n" % group, text, flags=re.S)


def assemble(path, chip, text, kernel):
    """Returns the output of ptxas, and the kernel's listing."""
    with open(path + ".ptx", "w") as out:
        out.write(text)
    said = subprocess.run(["ptxas", "-arch=" + chip, "-O3", "-v", path + ".ptx", "-o", path + ".cubin"],
                          stderr=subprocess.PIPE, universal_newlines=True, check=True).stderr
    return said, programs.output_of("cuobjdump", "-sass", "-fun", kernel, path + ".cubin")


def number(pattern, text):
    found = re.search(pattern, text)
    return int(found.group(1)) if found else 0


def counters_of(chip, run, said, listing):
    said = said[said.index("'%s'" % run.hot):]
    said = said[:said.index("Used ") + 200].split("Compiling entry")[0]
    registers, local = number(r"Used (\d+) registers", said), number(r"(\d+) bytes smem", said)
    found = {
        "registers": registers,
        "spilled_bytes": number(r"(\d+) bytes spill stores", said),
        "private_bytes": number(r"(\d+) bytes stack frame", said),
        "local_bytes": local,
        "resident_groups": resident_groups(chip, run.group, registers, local),
    }
    found.update(machine.counters(code_of(listing, run.hot), run.per_item, run.element_bytes))
    return found


def listings(path, source, kernel, group, *options):
    """Returns the output of ptxas and the kernel's listing, by chip."""
    programs.compile_to(path + ".s", source, CLANG, TARGET, LIBRARY, [*OPTIONS, *options])
    with open(path + ".s") as lines:
        text = lines.read()
    for chip in CHIPS:
        yield chip, *assemble("%s.%s" % (path, chip), chip, ptx_for(text, chip, group), kernel)


def count(run):
    """Returns (class, counters) of a run's hot kernel for each chip."""
    for chip, said, listing in listings(os.path.join(run.dump, "hot"), programs.source_of(run, FORM), run.hot, run.group):
        yield class_of(chip), counters_of(chip, run, said, listing)
