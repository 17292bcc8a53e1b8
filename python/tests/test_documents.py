"""README's program and the tutorial run."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[1]


def test_readme():
    for program in re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.S):
        exec(compile(program, "README.md", "exec"), {})


def test_porting_from_pyopencl(ctx):
    """The page's programs in gpuprim, each of which follows one in PyOpenCL."""
    cl = pytest.importorskip("pyopencl")
    to_device = pytest.importorskip("pyopencl.array").to_device
    page = FOLDER.parent / "manual/porting/pyopencl.md"
    queue = cl.CommandQueue(cl.Context([cl.Device.from_int_ptr(ctx.device.int_ptr)]))
    ary = np.arange(1000, dtype=np.uint32)
    names = {"np": np, "queue": queue, "limit": 10, "ary": to_device(queue, ary)}
    for name in ("x", "y", "out"):
        names[name] = to_device(queue, np.full(1000, 2, np.float32))
    ours = [code for code in re.findall(r"```python\n(.*?)```", page.read_text(), re.S) if "gp." in code or "gpuprim" in code]
    assert len(ours) == 5
    exec(ours[0] + ours[1], names)
    assert names["result"] == 4000
    exec("".join(ours[2:]), names)
    assert names["count"] == 989 and names["out"].get()[-1] == 2000
    np.testing.assert_array_equal(names["result"].get(), ary[np.argsort(ary % 16, kind="stable")])


def test_tutorial(tmp_path):
    run = subprocess.run(
        [sys.executable, str(FOLDER / "examples/tutorial.py")], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert "running totals: [ 3  4  8  9 14]" in run.stdout and "sum of squares: 52" in run.stdout
    assert "programs built for 61 thresholds: 1" in run.stdout
    assert "partners: [-1 11 -1  5 -1  3 -1 -1 10 -1  8  1]" in run.stdout
