#!/usr/bin/env python3
"""test_gpu_compilers.py - tests that the compilers' output is read correctly, and that worse results are found.

usage: test_gpu_compilers.py
"""
import unittest

import forms
import gpu_compilers
import intel
import mesa

ZE_INFO = """---
version:         '1.73'
kernels:
  - name:            gp_scan_look_back
    user_attributes:
      intel_reqd_sub_group_size: 16
    execution_env:
      barrier_count:   1
      grf_count:       128
      simd_size:       16
      slm_size:        9264
      spill_size:      448
      private_size:    64
    payload_arguments:
      - arg_type:        arg_bypointer
        size:            8
  - name:            gp_scan_spine
    execution_env:
      grf_count:       256
      simd_size:       32
kernels_misc_info:
  - name:            gp_scan_spine
    args_info:
      - index:           0
...
"""
STDOUT = """program a/1.cl ok 0.25
kernel gp_one 256 1024 64 100 8
kernel gp_two 256 128 32 0 0
program a/2.cl failed 0.10
input.cl:1: error: no
"""
AMD = """program a/1.cl
decl_function __wrapped_gp_one () (entrypoint)
Shader main disassembly:
 BB0:
\ts_mov_b32 s0, s2      ; be800002
\tv_mov_b32 v0, v2      ; be800002 00000000
*** SHADER STATS ***
SGPRS: 108
VGPRS: 60
Spilled SGPRs: 1
Spilled VGPRs: 2
Private memory VGPRs: 24
Scratch: 512 bytes per wave
Max Waves: 12
decl_function __wrapped_gp_one () (entrypoint)
Shader main disassembly:
\ts_mov_b32 s0, s2      ; be800002
*** SHADER STATS ***
VGPRS: 72
Spilled SGPRs: 0
Spilled VGPRs: 0
Scratch: 1024 bytes per wave
Max Waves: 10
"""
ADRENO = """program a/1.cl
MESA: info: decl_function __wrapped_gp_one () (entrypoint)
MESA: info: ; CL prog 1/1: 1252 instr, 724 nops, 528 non-nops, 79 mov, 57 cov, 1376 dwords
MESA: info: ; CL prog 1/1: 0 last-baryf, 0 last-helper, 0 half, 5 full, 16 constlen
MESA: info: ; CL prog 1/1: 12 max_waves, 1 double_threadsize
"""


def program(lanes=32, group=256, text=""):
    return gpu_compilers.Program("navi31", "amd", "scan-u32", "a/1.cl", text, "", lanes, group)


class Readers(unittest.TestCase):
    def test_intel(self):
        found = intel.kernels_of(ZE_INFO, len)
        self.assertEqual(list(found), ["gp_scan_look_back", "gp_scan_spine"])
        self.assertEqual(found["gp_scan_look_back"], {"lanes": 16, "registers": 128, "spilled_bytes": 448, "private_bytes": 64,
                                                      "local_bytes": 9264, "barriers": 1, "code_bytes": 17})
        self.assertEqual(found["gp_scan_spine"]["lanes"], 32)
        self.assertEqual(found["gp_scan_spine"]["spilled_bytes"], 0)

    def test_facts(self):
        (path, good, seconds, _, kernels), second = mesa.facts_of(STDOUT)
        self.assertEqual((path, good, seconds), ("a/1.cl", True, 0.25))
        self.assertEqual(kernels["gp_one"], {"group": 256, "group_max": 1024, "lanes": 64, "local_bytes": 100, "private_bytes": 8})
        self.assertFalse(second[1])
        self.assertIn("error: no", second[3])

    def test_amd(self):
        found = list(mesa.amd_kernels(AMD, {"gp_one": {"lanes": 64}}))
        self.assertEqual(found, [("gp_one", {"registers": 60, "spilled_bytes": 12, "private_bytes": 8, "waves": 12,
                                             "instructions": 2}),
                                 ("gp_one", {"registers": 72, "spilled_bytes": 0, "private_bytes": 16, "waves": 10,
                                             "instructions": 1})])

    def test_adreno(self):
        self.assertEqual(list(mesa.adreno_kernels(ADRENO, {})), [("gp_one", {"registers": 5, "spilled_bytes": 0, "waves": 12,
                                                                             "instructions": 1252})])


class Seconds(unittest.TestCase):
    def test_run_has_what_a_command_writes(self):
        status, output, seconds = intel.run("sh", "-c", "echo a; echo b >&2; exit 3")
        self.assertEqual((status != 0, output, seconds >= 0), (True, "a\nb\n", True))

    def test_slowest_come_first(self):
        pairs = [(program(), ({}, seconds, "")) for seconds in (1, 7, 3, 2, 5)]
        self.assertEqual(gpu_compilers.slowest_of(pairs), "scan-u32 7.0, scan-u32 5.0, scan-u32 3.0, scan-u32 2.0")


class Forms(unittest.TestCase):
    ARGUMENTS = ["-DGPI_FP64=1", "-DGPI_SHAPE_SERIAL=0", "-DGPI_SUB_GROUP=32", "-DGPI_SUB_GROUP_FORM=1", "-Dgpi_map(x,i)=((x) + (i))",
                 "-include", "tests/native/a.h", "kernels/b.cl"]

    def takes(self, *more, prelude="", extensions=(), lanes=True):
        arguments = [*more, *self.ARGUMENTS]
        return forms.takes(arguments, forms.split(arguments)[0], prelude, extensions, lanes)

    def test_text_has_the_device_s_sub_groups(self):
        own = "#define GPI_SUB_GROUP 16\n#define GPI_SUB_GROUP_FORM 2\n#define GPI_SUB_GROUP_PINNED 1\n"
        text = forms.text_of(*forms.split(self.ARGUMENTS), "#define GPI_WG 8\n" + own + "#line 1\n#define GPI_SUB_GROUP 0\n", 0)
        self.assertEqual(text.split("\n")[:4], own.split("\n")[:3] + ["#define GPI_FP64 0"])
        self.assertTrue(text.endswith('gpi_map(x,i) ((x) + (i))\n#include "tests/native/a.h"\n#include "kernels/b.cl"\n'))

    def test_takes_what_the_device_has(self):
        self.assertTrue(self.takes())
        self.assertFalse(self.takes(lanes=False))
        self.assertFalse(self.takes("-DGPI_WIDE=1"))
        self.assertTrue(self.takes("-DGPI_WIDE=1", extensions=["cl_khr_int64_base_atomics"]))
        self.assertFalse(self.takes("-DGPI_OUT=double"))
        self.assertFalse(self.takes(prelude="typedef double a;"))
        self.assertFalse(self.takes("-target", "nvptx64"))

    def test_list_is_read(self):
        self.assertEqual(forms.listed("a b\n-DX=1\nk.cl\n\nc\nk.cl\n\n"), [("a b", ["-DX=1", "k.cl"]), ("c", ["k.cl"])])


class Faults(unittest.TestCase):
    def faults(self, kernels, **how):
        return list(gpu_compilers.faults_of(program(**how), kernels, "log"))

    def test_lanes(self):
        self.assertEqual(self.faults({"a": {"lanes": 32}, "b": {"lanes": 32}}), [])
        self.assertEqual(self.faults({"a": {"lanes": 32}, "b": {"lanes": 64}}, lanes=0), [])
        self.assertEqual(len(self.faults({"a": {"lanes": 32}, "b": {"lanes": 64}})), 1)
        self.assertEqual(len(self.faults({"a": {"lanes": 64}})), 1)

    def test_group(self):
        self.assertEqual(len(self.faults({"a": {"lanes": 32, "group_max": 128}})), 1)

    def test_not_built(self):
        self.assertEqual(len(self.faults(None)), 1)

    def test_text(self):
        self.assertEqual(len(self.faults({"a": {"lanes": 32}}, text="x" * (gpu_compilers.LONGEST + 1))), 1)

    def test_growth(self):
        row = dict(zip(("class", "device", "work", "kernel", "source", "spilled_bytes", "private_bytes"),
                       ("amd", "navi31", "scan-u32", "gp_one", "Mesa 1", 4, 0)))

        def worse(baseline, **change):
            return len(list(gpu_compilers.compare([dict(row, **change)], baseline)))
        self.assertEqual(worse([row]), 0)
        self.assertEqual(worse([row], spilled_bytes=0), 0)
        self.assertEqual(worse([row], spilled_bytes=8), 1)
        self.assertEqual(worse([row], private_bytes=8), 1)
        self.assertEqual(worse([row], kernel="gp_two"), 1)
        self.assertEqual(worse([row], source="Mesa 2", spilled_bytes=8), 0)


if __name__ == "__main__":
    unittest.main()
