"""README's program and the tutorial run."""

import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1]


def test_readme():
    for program in re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.S):
        exec(compile(program, "README.md", "exec"), {})


def test_tutorial(tmp_path):
    run = subprocess.run(
        [sys.executable, str(FOLDER / "examples/tutorial.py")], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert "running totals: [ 3  4  8  9 14]" in run.stdout and "sum of squares: 52" in run.stdout
    assert "programs built for 61 thresholds: 1" in run.stdout
    assert "partners: [-1 11 -1  5 -1  3 -1 -1 10 -1  8  1]" in run.stdout
