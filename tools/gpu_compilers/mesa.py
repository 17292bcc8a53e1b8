"""mesa.py - compiles programs with Mesa's drivers of GPUs that are not present (drm-shim), and reads the drivers'
figures of the kernels."""
import os
import re
import subprocess

LIBRARIES = "/usr/lib/x86_64-linux-gnu"
# driver, shim, the variable that names the chip, and one that has compiled kernels written to stderr.
AMD = ("radeonsi", "amdgpu", "AMDGPU_GPU_ID", "AMD_DEBUG=cs,asm,nir")
ADRENO = ("freedreno", "freedreno", "FD_GPU_ID", "IR3_SHADER_DEBUG=cs")
DEVICES = {"navi31": AMD, "vega10": AMD, "fd660": ADRENO, "fd750": ADRENO}


class Failure(Exception):
    """No program is built. The text is the driver's."""


def environment(device):
    driver, shim, variable, debug = DEVICES[device]
    return ["RUSTICL_ENABLE=" + driver, "OCL_ICD_VENDORS=/etc/OpenCL/vendors/rusticl.icd", "MESA_SHADER_CACHE_DISABLE=1",
            "LD_PRELOAD=%s/lib%s_noop_drm_shim.so" % (LIBRARIES, shim), debug,
            "%s=%s" % (variable, device[2:] if device.startswith("fd") else device)]


def output_of(runner, program, device, *arguments):
    run = subprocess.run([runner, "env", *environment(device), program, *arguments], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, universal_newlines=True, errors="replace")
    return run.stdout, run.stderr


def description(runner, program, device):
    text = output_of(runner, program, device, "--describe")[0]
    if "\nname " not in text:
        raise Failure("no device")
    return text


def source_name(text):
    return "Mesa " + re.search(r"^driver_version (\d+\.\d+\.\d+)", text, re.M).group(1)


def by_name(text):
    """Returns the driver's text about each kernel, with the kernel's name. A kernel may be compiled twice: for any
    offset, and for offset 0."""
    for part in text.split("decl_function __wrapped_")[1:]:
        head = re.match(r"(\w+) \(\) \(entrypoint\)", part)
        if head:
            yield head.group(1), part[head.end():]


def amd_kernels(text, kernels):
    """Returns ACO's figures of kernels, with their names."""
    for name, part in by_name(text):
        code, _, stats = part.partition("*** SHADER STATS ***")
        code = code[code.rfind("Shader main disassembly"):]

        def number(what, stats=stats):
            return int(re.search(r"^%s: (\d+)" % what, stats, re.M).group(1))
        yield name, {"registers": number("VGPRS"), "spilled_bytes": 4 * (number("Spilled SGPRs") + number("Spilled VGPRs")),
                     "private_bytes": number("Scratch") // kernels[name]["lanes"], "waves": number("Max Waves"),
                     "instructions": len(re.findall(r"^\t\w.*; [0-9a-f]{8}", code, re.M))}


def adreno_kernels(text, kernels):
    """Returns ir3's figures of kernels, with their names. Spilled values are in private memory."""
    del kernels
    for name, part in by_name(text):
        def number(what, part=part):
            return int((re.search(r"; CL prog .*?\b(\d+) %s\b" % what, part) or [0, 0])[1])
        yield name, {"registers": number("full"), "spilled_bytes": 0, "waves": number("max_waves"),
                     "instructions": number("instr")}


def facts_of(stdout):
    """Returns for each program its path, whether it was built, seconds, the log, and OpenCL's figures of its kernels by
    name."""
    for part in re.split(r"^program ", stdout, flags=re.M)[1:]:
        head, _, rest = part.partition("\n")
        path, state, seconds = head.split()
        kernels = {}
        for name, *numbers in re.findall(r"^kernel (\w+) (\d+) (\d+) (\d+) (\d+) (\d+)$", rest, re.M):
            group, most, lanes, local, private = map(int, numbers)
            kernels[name] = {"group": group, "group_max": most, "lanes": lanes, "local_bytes": local, "private_bytes": private}
        yield path, state == "ok", float(seconds), rest, kernels


def build(runner, program, device, paths):
    """Returns for each program its path, kernels' counters by name (None: it was not built), seconds and the log."""
    stdout, stderr = output_of(runner, program, device, *paths)
    said = dict(part.split("\n", 1) for part in re.split(r"^program ", stderr, flags=re.M)[1:])
    for path, good, seconds, log, kernels in facts_of(stdout):
        for name, figures in READERS[DEVICES[device]](said.get(path, ""), kernels):
            for counter, value in figures.items():
                better = min if counter == "waves" else max
                kernels[name][counter] = better(value, kernels[name].get(counter, value))
        for kernel in kernels.values():
            kernel.setdefault("spilled_bytes", 0)
        yield path, kernels if good else None, seconds, log


READERS = {AMD: amd_kernels, ADRENO: adreno_kernels}
