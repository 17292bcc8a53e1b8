"""amd.py - reads the hot kernel's machine code for AMD's chips, as compiled by clang."""
import collections
import os
import re

import machine
import programs

TARGET, LIBRARY = "amdgcn-amd-amdhsa", "/usr/lib/clc/amdgcn--amdhsa.bc"

# SIMDs, waves and registers of each, registers handed out at once, local memory (bytes): of a compute unit, in
# RDNA of a pair of them. LLVM's AMDGPUUsage; AMD's ISA documents.
Chip = collections.namedtuple("Chip", "clang class_ simds waves registers step local")
CHIPS = {
    "gfx90a": Chip("clang-15", "amd64", 4, 8, 512, 8, 64 << 10),
    "gfx942": Chip("clang-19", "amd64", 4, 8, 512, 8, 64 << 10),
    "gfx1100": Chip("clang-15", "amd32", 4, 16, 1536, 24, 128 << 10),
}
FORM = 4  # GPI_SUB_GROUP_AMD
MAIN_CHIPS = ("gfx90a", "gfx1100")
# Instructions without effect, which are in the code because the hardware prefetches.
HINTS = ("s_delay_alu", "s_clause", "s_nop", "s_waitcnt", "s_waitcnt_vscnt", "s_waitcnt_depctr", "s_code_end", "s_inst_prefetch")


def is_there(chip):
    return programs.has(CHIPS[chip].clang) and os.path.exists(LIBRARY)


def source_name(chip):
    return "clang " + programs.version(CHIPS[chip].clang)


def class_of(chip):
    name = CHIPS[chip].class_
    return name if chip in MAIN_CHIPS else "%s-%s" % (name, chip)


def kind_of(name, operands):
    if re.match(r"(global|flat)_load", name):
        return "shared" if re.search(r"\b(glc|sc1)\b", operands) else "load"
    for pattern, kind in ((r"(global|flat)_store", "store"), (r"ds_(read|load)", "local_load"),
                          (r"ds_(write|store|add|inc|or|sub|max|min)", "local_store"), (r"(global|flat)_atomic", "shared"),
                          (r"s_c?branch", "branch"), (r"s_swappc", "call"), (r"s_setpc", "return"),
                          (r"s_endpgm", "exit"), (r"s_barrier", "barrier")):
        if re.match(pattern, name):
            return kind
    return "other"


def bytes_of(name):
    if re.search(r"byte|[ui]8", name):
        return 1
    if re.search(r"short|[ui]16|b16", name):
        return 2
    words = re.search(r"dwordx(\d)", name)
    size = 4 * int(words.group(1)) if words else int((re.search(r"b(32|64|96|128)", name) or [0, 32])[1]) // 8
    return 2 * size if "2addr" in name or re.search(r"(read|write)2", name) else size


def registers_of(operand):
    found = {"v" + n for n in re.findall(r"\bv(\d+)\b", operand)}
    for first, last in re.findall(r"\bv\[(\d+):(\d+)\]", operand):
        found |= {"v%d" % n for n in range(int(first), int(last) + 1)}
    return found


def instruction_of(address, name, operands):
    kind, operand = kind_of(name, operands), re.split(r",\s*", operands)
    loads = kind in ("load", "local_load")
    return machine.Instruction(address, name, kind, bytes_of(name), registers_of(operand[0]) if loads else set(),
                               registers_of(" ".join(operand[loads:])), operands if kind == "branch" else None,
                               name not in ("s_branch", "s_endpgm") and kind != "return", True)


def bodies_of(text):
    """Returns the lines of each function."""
    bodies, lines = {}, None
    for line in text.splitlines():
        begin = re.match(r"(\w+):\s+; @", line)
        if begin:
            lines = bodies.setdefault(begin.group(1), [])
        if line.startswith(".Lfunc_end"):
            lines = None
        if lines is not None:
            lines.append(line.split(";")[0].rstrip())
    return bodies


def code_of(text, kernel):
    """Returns the kernel's instructions, then those of the functions that it calls."""
    bodies, names, code, labels, callee = bodies_of(text), [kernel], [], {}, None
    for name in names:
        for line in bodies[name]:
            label, line = re.match(r"(\.?\w+):$", line), line.strip()
            if label:
                labels[label.group(1)] = len(code)
            reference = re.search(r"(\w+)@rel32@lo", line)
            if reference and reference.group(1) in bodies:
                callee = reference.group(1)
                names += [] if callee in names else [callee]
            opcode, _, operands = line.partition(" ")
            if not re.match(r"[a-z]+_\w+$", opcode) or opcode in HINTS:
                continue
            instruction = instruction_of(len(code), opcode, operands.strip())
            code.append(instruction._replace(target=callee) if instruction.kind == "call" else instruction)
    return [i._replace(target=labels.get(i.target)) for i in code]


def resident_groups(chip, group, wave, registers, local_bytes):
    allotted = -(-registers // chip.step) * chip.step
    waves = chip.simds * min(chip.waves, chip.registers // allotted)
    by_local = chip.local // local_bytes if local_bytes else waves
    return min(waves // -(-group // wave), by_local)


def counters_of(chip, run, text):
    parts = re.split(r"\n  - ", text[text.index("amdhsa.kernels:"):])
    facts = next(part for part in parts if re.search(r"\.name: +%s\n" % run.hot, part))

    def fact(name):
        return int(re.search(r"\.%s: +(\d+)" % name, facts).group(1))

    found = {
        "registers": fact("vgpr_count"),
        "spilled_bytes": 4 * (fact("vgpr_spill_count") + fact("sgpr_spill_count")),
        "private_bytes": fact("private_segment_fixed_size"),
        "local_bytes": fact("group_segment_fixed_size"),
        "resident_groups": resident_groups(CHIPS[chip], run.group, fact("wavefront_size"), fact("vgpr_count"),
                                           fact("group_segment_fixed_size")),
    }
    found.update(machine.counters(code_of(text, run.hot), run.per_item, run.element_bytes))
    return found


def count(run, chip):
    source = programs.source_of(run, FORM)
    path = os.path.join(run.dump, "hot.%s.s" % chip)
    programs.compile_to(path, source, CHIPS[chip].clang, TARGET, LIBRARY, ["-mcpu=" + chip])
    with open(path) as lines:
        return counters_of(chip, run, lines.read())
