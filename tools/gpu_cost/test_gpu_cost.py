#!/usr/bin/env python3
"""test_gpu_cost.py - tests that accesses of kernels, and paths through machine code, are counted correctly.

usage: test_gpu_cost.py FOLDER

FOLDER has plugin.so.
"""
import json
import os
import sys
import tempfile
import types
import unittest

import counts
import gpu_cost
import machine
import nvidia
import programs

# A shuffle through local memory, with a call, and a function that is no operation, in a group of 64.
SHUFFLE = """
uint gpi_sg_lane(void) { return get_local_id(0) % 32; }
uint load(__local uint *at) { return *at; }
uint gpi_sg_shuffle(uint x, uint lane, __local uint *room)
{
    room[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = load(room + lane);
    barrier(CLK_LOCAL_MEM_FENCE);
    return x;
}
__kernel void shuffle(__global const uint *in, __global uint *out)
{
    __local uint room[64];
    const uint i = get_local_id(0), x = gpi_sg_shuffle(in[i], 31, room);
    room[2 * i % 64] = x + gpi_sg_lane();
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = gpi_sg_shuffle(room[i], 0, room);
}
"""
# Each operation of sub-groups once, and the number of instructions that it should compile to on NVIDIA's chips: a match
# of eight bits is eight votes.
OPERATIONS = """
#define GPI_SUB_GROUP 32
#define GPI_SUB_GROUP_FORM 3
#define GPI_SUB_GROUP_SLEEP 1
#include "base/prelude.h"
#include "group/sub_group.cl"
__kernel void operations(__global uint *words)
{
    uint x = words[get_local_id(0)];
    x += gpi_sg_up(x, 1, 0);
    x += gpi_sg_down(x, 1, 0);
    x += gpi_sg_from(x, 31, 0);
    x += gpi_sg_ballot(x & 1, 0);
    x += gpi_sg_match(x, 8, 0);
    gpi_sg_pause();
    words[get_local_id(0)] = x;
}
"""
INSTRUCTIONS = {"SHFL.UP": 1, "SHFL.DOWN": 1, "SHFL.IDX": 1, "VOTE.ANY": 1 + 8, "NANOSLEEP": 1}
FOLDER = None


def launches(kernel, source):
    """Returns the plug-in's counts for a group of 64, for sub-groups of 16 and 32."""
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        with open(folder + "/source.cl", "w") as out:
            out.write(source)
        with open(folder + "/kernel.sim", "w") as out:
            out.write("source.cl\n%s\n64 1 1\n64 1 1\n<size=256 fill=1>\n<size=256 fill=0>\n" % kernel)
        environment = dict(os.environ, GPU_COST_LANES="16,32", GPU_COST_OUT="out")
        programs.output_of("oclgrind-kernel", "--build-options", "-cl-opt-disable", "--plugins",
                           os.path.abspath(FOLDER + "/plugin.so"), "kernel.sim", cwd=folder, env=environment)
        with open(folder + "/out") as lines:
            return [json.loads(line) for line in lines]


def instructions(per_item, *lines):
    """Returns the instructions that a work-item executes; an address is 16 times a line's number."""
    text = "\tFunction : kernel\n" + "".join("        /*%04x*/  %s ;\n" % (16 * i, line) for i, line in enumerate(lines))
    return machine.Path(nvidia.code_of(text, "kernel"), per_item).executed()[0]


class Launches(unittest.TestCase):
    def test_operation_of_subgroup_counts_as_one(self):
        for launch, subgroups in zip(launches("shuffle", SHUFFLE), (4, 2)):
            self.assertEqual(launch["subgroup_op"]["requests"], 2 * subgroups)
            self.assertEqual(launch["subgroup_op"]["lanes"], 2 * 64)
            self.assertEqual(launch["barriers"], 1)
            self.assertEqual(launch["local_load"]["requests"], subgroups)
            self.assertEqual(launch["local_store"]["units"], 4)
            self.assertEqual(launch["global_load"]["units"], 8)


class Machine(unittest.TestCase):
    def test_operations_of_subgroups_are_an_instruction_each(self):
        if not nvidia.is_there():
            self.skipTest("no NVIDIA machine code")
        with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
            with open(folder + "/source.cl", "w") as out:
                out.write(OPERATIONS)
            for chip, _, listing in nvidia.listings(folder + "/hot", folder + "/source.cl", "operations", 64, "-Ikernels/gpu", "-Ikernels/common"):
                names = [instruction.name for instruction in nvidia.code_of(listing, "operations")]
                for wanted, times in INSTRUCTIONS.items():
                    self.assertEqual(sum(name.startswith(wanted) for name in names), times, "%s on %s" % (wanted, chip))


class Ways(unittest.TestCase):
    def test_loop_turns_for_each_element(self):
        self.assertEqual(instructions(8, "MOV R1, c[0x0][0x28]", "LDG.E R2, [R4.64]", "IADD3 R4, R4, 0x4, RZ",
                                      "@P0 BRA 0x10", "EXIT"), 1 + 3 * 8 + 1)

    def test_call_of_what_never_returns_leaves_loop(self):
        self.assertEqual(instructions(8, "MOV R1, c[0x0][0x28]", "@P1 BRA 0x50", "LDG.E R2, [R4.64]",
                                      "@P0 CALL.REL.NOINC 0x50", "BRA 0x20", "BAR.SYNC 0x0", "EXIT"), 2 + 3 * 8 + 2)

    def test_call_returns(self):
        self.assertEqual(instructions(1, "CALL.REL.NOINC 0x30", "STG.E [R4.64], R2", "EXIT", "IADD3 R2, R2, 0x1, RZ",
                                      "RET.REL.NODEC R6 0x0"), 1 + 2 + 2)


class Texts(unittest.TestCase):
    def test_longest_program_of_a_call_is_what_the_library_built(self):
        with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
            for name, lines in {"1.cl": 3, "2.cl": 5, "form3.2.cl": 9, "hot.s": 20}.items():
                with open(os.path.join(folder, name), "w") as out:
                    out.write("\n" * lines)
            self.assertEqual(counts.longest_program(types.SimpleNamespace(dump=folder)), 5)

    def test_longer_program_is_worse(self):
        row = {"work": "scan-u32", "class": "nvidia", "counter": "longest_program_lines", "value": 1000, "source": "text"}
        self.assertEqual(list(gpu_cost.check([dict(row, value=1020)], [row])), [])
        self.assertEqual(len(list(gpu_cost.check([dict(row, value=1021)], [row]))), 1)


class Comparison(unittest.TestCase):
    def is_worse(self, counter, before, after):
        return gpu_cost.is_worse({"counter": counter, "value": after}, {"counter": counter, "value": before})

    def test_rise_above_tolerance_is_worse(self):
        self.assertFalse(self.is_worse("instructions_per_element", 100, 102))
        self.assertTrue(self.is_worse("instructions_per_element", 100, 103))
        self.assertTrue(self.is_worse("resident_groups", 4, 3))
        self.assertFalse(self.is_worse("resident_groups", 3, 4))

    def test_registers_within_a_step_are_equal(self):
        self.assertFalse(self.is_worse("registers", 25, 32))
        self.assertTrue(self.is_worse("registers", 32, 33))


if __name__ == "__main__":
    FOLDER = sys.argv.pop(1)
    programs.find_cuda()
    unittest.main()
