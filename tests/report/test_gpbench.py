#!/usr/bin/env python3
"""test_gpbench.py - build/gpbench as its user meets it: help, exit statuses, the libraries to compare with, the progress line,
and the rows of the peers that are not plain C."""

import json
import os
import pty
import re
import select
import shlex
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GPBENCH = os.path.join(ROOT, "build", "gpbench")
LIBRARIES = ("std", "tbb", "boost", "simdjson", "viennacl", "highway", "duckdb", "numpy", "polars", "pyopencl")


def gpbench(*arguments):
    """The exit status, and what was printed."""
    done = subprocess.run([GPBENCH, *arguments], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stdout + done.stderr


def libraries_there():
    """The names of those that are there, and the rest with reasons."""
    _, said = gpbench("peers")
    there, _, skipped = said.partition("skipped:")
    return dict(re.findall(r", (\w+) ([^,\n]+)", there)), dict(re.findall(r"(\w+) \(([^)]+)\)", skipped))


class Help(unittest.TestCase):
    def test_whole(self):
        status, said = gpbench("--help")
        self.assertEqual(status, 0)
        self.assertIn("exit status", said)

    def test_sub_commands(self):
        names = re.findall(r"^  ([a-z-]+) {2,}\S", gpbench("--help")[1].partition("what is measured")[0], re.M)
        self.assertGreater(len(names), 25)
        for name in names:
            status, said = gpbench(name, "--help")
            example = re.search(r"^example: build/gpbench (.*)$", said, re.M).group(1)
            self.assertEqual((status, shlex.split(example)[0]), (0, name))
            self.assertIn("exit status", said)
            self.assertEqual(gpbench(*shlex.split(example), "--help")[0], 0, example)


class Status(unittest.TestCase):
    def test_wrong_usage(self):
        for arguments in ("nonsense", "scan --nonsense", "scan --n x", "scan more", "scan --type f32 --op xor"):
            self.assertEqual(gpbench(*arguments.split())[0], 2, arguments)

    def test_failures(self):
        for arguments in ("dot --n 1000 --repeats 1 --results /nowhere/x", "dot --n 1000 --device nosuchdevice"):
            self.assertEqual(gpbench(*arguments.split())[0], 1, arguments)


class Peers(unittest.TestCase):
    def test_each_is_there_or_skipped(self):
        there, skipped = libraries_there()
        if skipped.get("std") == "no C++17 compiler":
            self.skipTest("built without C++")
        self.assertEqual(sorted([*there, *skipped]), sorted(LIBRARIES))

    def rows(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results")
            status, said = gpbench(*arguments, "--n", "8192", "--repeats", "1", "--results", path)
            self.assertEqual(status, 0, said)
            with open(path, encoding="utf-8") as file:
                head, *rows = map(json.loads, file)
        return head, rows

    def test_rows(self):
        """Every peer that is there has a right result in every case, and those that are missing have no row."""
        there, _ = libraries_there()
        for command, peers in (
            ("group-by", ("duckdb", "polars")),
            ("join", ("duckdb", "polars")),
            ("json", ("simdjson",)),
            ("dot", ("viennacl", "pyopencl")),
            ("sort --type u32", ("pyopencl-radix", "pyopencl-bitonic", "duckdb", "polars")),
        ):
            head, rows = self.rows(*command.split())
            self.assertEqual([r for r in rows if r["error"]], [])
            self.assertTrue(all(name in head["peers"] for name in there), head)
            cases = {r["primitive"] for r in rows}
            for peer in peers:
                with_it = {r["primitive"] for r in rows if r["variant"] == "peer:" + peer}
                self.assertEqual(with_it, cases if peer.partition("-")[0] in there else set(), (command, peer))


class Progress(unittest.TestCase):
    def test_time_left(self):
        """On a terminal, and only there; cases that are counted first print nothing."""
        ours, theirs = pty.openpty()
        arguments = [GPBENCH, "scan", "--type", "u32", "--no-peers"]
        with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=theirs) as process:
            said, end = b"", time.monotonic() + 120
            while not re.search(rb"round \d+ of \d+, about \d+ (s|min) left", said) and time.monotonic() < end:
                if select.select([ours], [], [], 1)[0]:
                    said += os.read(ours, 4096)
            process.terminate()
            table = process.stdout.read().decode()
        os.close(ours)
        os.close(theirs)
        self.assertRegex(said, rb"about \d+ (s|min) left")
        heads = re.findall(r"n = \S+", table)
        self.assertEqual(len(heads), len(set(heads)), table)
        self.assertNotIn("left", gpbench("dot", "--n", "1000", "--repeats", "1")[1])


if __name__ == "__main__":
    unittest.main()
