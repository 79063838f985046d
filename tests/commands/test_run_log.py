"""`run` of a slow function: whatever ends it, what was evaluated is kept and not asked for again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from mapelites.snapshot.snapshot import Snapshot

RECORD = 52  # bytes of an evaluation of two variables and one constraint
FILE = """
import time
from pathlib import Path

from mapelites import problem


@problem(bounds={{"a": (0, 2), "b": (0, 2)}}, inequalities=["circle <= 2"])
def corner(x):
    with Path({calls!r}).open("a") as file:
        file.write(f"{{float(x[0])!r}} {{float(x[1])!r}}\\n")
    time.sleep({seconds})
    return -x[0] - x[1], [x[0] ** 2 + x[1] ** 2], []
"""


def begin(folder: Path, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "mapelites", "run", "corner", "--problems", str(folder / "corner.py")]
    command += ["--evaluations", "30", "--workers", "2", "--out", str(folder / "corner.npz"), *more]
    root = Path(__file__).parents[2]
    return subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)


def test_a_run_killed_at_any_moment_goes_on_where_it_was(tmp_path):
    calls = tmp_path / "calls"
    (tmp_path / "corner.py").write_text(FILE.format(calls=str(calls), seconds=0.05))
    first = begin(tmp_path)
    while not list(tmp_path.glob("corner-*.log")) or os.path.getsize(next(tmp_path.glob("corner-*.log"))) < 700:
        assert first.poll() is None, first.stdout.read()
        time.sleep(0.02)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    [log] = tmp_path.glob("corner-*.log")
    kept = os.path.getsize(log) // RECORD
    before = len(calls.read_text().splitlines())
    second = begin(tmp_path)
    said = second.communicate(timeout=120)[0].decode()
    assert second.returncode == 0, said
    assert f"evaluations of before are in {log}; they are not made again" in said
    asked = calls.read_text().splitlines()[before:]
    tried = 9  # points, at most, at which the file is tried when it is loaded
    assert 30 - kept <= len(asked) <= 30 - kept + tried
    snapshot = Snapshot.from_bytes((tmp_path / "corner.npz").read_bytes())
    assert snapshot.evaluations == 30
    assert np.isfinite(snapshot.elites.f).all()
