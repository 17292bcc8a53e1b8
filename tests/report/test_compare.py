#!/usr/bin/env python3
"""test_compare.py - tools/compare.py: what is slower, what only looks so, and files that are none."""

import json
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def row(variant, seconds, spread=0.0, **others):
    kind = "limit" if variant.startswith("limit") else "gpuprim"
    made = {"primitive": "scan", "variant": variant, "kind": kind, "type": "u32", "op": "sum", "n": 1000,
            "median_s": seconds, "spread": spread, "runs": 25, "error": ""}
    return {**made, **others}


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, *runs):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            for rows in runs:
                for line in [{"gpbench": "0.1.0"}, *rows]:
                    file.write(json.dumps(line) + "\n")
        return path

    def compare(self, before, after, *options):
        """The exit status and what was printed; a run is a list of rows."""
        paths = self.write("a", *before), self.write("b", *after)
        done = subprocess.run([os.path.join(ROOT, "tools", "compare.py"), *options, *paths], capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_slower_and_faster(self):
        before = [row("gpuprim", 1.0), row("gpuprim:other", 1.0), row("limit", 1.0)]
        after = [row("gpuprim", 1.1), row("gpuprim:other", 0.9), row("limit", 1.0)]
        status, text = self.compare([before], [after])
        self.assertEqual(status, 1)
        self.assertIn("slower   1.100  scan u32 sum gpuprim:", text)
        self.assertIn("faster   0.900  scan u32 sum gpuprim:other", text)
        self.assertEqual(self.compare([after], [after])[0], 0)
        self.assertEqual(self.compare([before], [after], "--threshold", "11")[0], 0)

    def test_machine(self):
        """All rows slower: the machine was, unless both took turns."""
        before, after = [row("gpuprim", 1.0), row("limit", 1.0)], [row("gpuprim", 1.1), row("limit", 1.1)]
        self.assertEqual(self.compare([before], [after])[0], 0)
        self.assertEqual(self.compare([before], [after], "--in-turns")[0], 1)

    def test_limits_are_not_judged(self):
        before, after = [row("gpuprim", 1.0), row("limit", 1.0)], [row("gpuprim", 1.0), row("limit", 9.0)]
        self.assertEqual(self.compare([before], [after], "--in-turns")[0], 0)

    def test_noise(self):
        """One pair needs more than its spread; several more than chance brings about."""
        self.assertEqual(self.compare([[row("gpuprim", 1.0, 0.3)]], [[row("gpuprim", 1.1, 0.3)]])[0], 0)
        same, slow = [row("gpuprim", 1.0)], [row("gpuprim", 1.1)]
        self.assertEqual(self.compare([same] * 3, [slow, slow, [row("gpuprim", 0.99)]])[0], 0)
        self.assertEqual(self.compare([same] * 3, [slow] * 3)[0], 1)
        # All of seven on one side, as happens with the same library; and a real change that one of eleven pairs does not show.
        chance = [[row("gpuprim", time)] for time in (1.01, 1.02, 1.2, 1.06, 1.01, 1.11, 1.17)]
        self.assertEqual(self.compare([same] * 7, chance)[0], 0)
        real = [[row("gpuprim", time)] for time in (1.04, 1.12, 1.2, 1.06, 1.1, 1.11, 1.17, 0.98, 1.09, 1.13, 1.1)]
        self.assertEqual(self.compare([same] * 11, real)[0], 1)

    def test_sizes_are_apart(self):
        before = [row("gpuprim", 1.0), row("gpuprim", 5.0, n=2000)]
        status, text = self.compare([before], [[row("gpuprim", 1.0), row("gpuprim", 6.0, n=2000)]])
        self.assertEqual(status, 1)
        self.assertEqual(text.count("slower  "), 1)
        self.assertIn("n 2000", text)

    def test_failed_rows(self):
        """What failed in one of them is not compared."""
        failed = [row("gpuprim", 0.0, error="wrong result"), row("gpuprim", 1.0, n=2000)]
        status, text = self.compare([[row("gpuprim", 1.0), row("gpuprim", 1.0, n=2000)]], [failed])
        self.assertEqual(status, 0)
        self.assertIn("compare: 1 rows", text)

    def test_no_results(self):
        good = self.write("good", [row("gpuprim", 1.0)])
        for text in ("", "{", "[]\n", "primitive,variant\n", json.dumps(row("gpuprim", 1.0)) + "\n"):
            path = os.path.join(self.folder.name, "bad")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run([os.path.join(ROOT, "tools", "compare.py"), good, path], capture_output=True, text=True,
                                  check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertTrue(done.stderr.startswith("compare: "), text)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
