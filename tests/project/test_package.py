"""The wheel, installed into an empty environment and used in an empty folder, far from the checkout.

Nothing is downloaded: the environment sees the packages that are installed here. Of its 45 seconds, 35 go to the
searches, which every new installation compiles once.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path

import pytest

from components.shell.assets import SCRIPT, SCRIPTS, STYLE, STYLES, joined

ROOT = Path(__file__).parents[2]
SOURCES = (
    "app.py", "assets", "components", "mapelites", "server", "LICENSE", "README.md", "pyproject.toml", "setup.py",
    "requirements.txt",
)  # fmt: skip
PATIENCE = 120.0
QUIET_PIP = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it, and an empty folder to work in."""

    bin: Path
    packages: Path
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """Nobody's desktop, nobody's Python, and a home of its own."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder.parent / "home"), "COLUMNS": "80"}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.bin / "illuminate"), *words], cwd=self.folder, env=self.environment,
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that the checkout stays as it is."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / name)
    pip("wheel", *QUIET_PIP, "--no-build-isolation", "--wheel-dir", str(out), str(source))
    (found,) = out.iterdir()
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    place = tmp_path_factory.mktemp("environment")
    venv.create(place / "venv", with_pip=False)
    (packages,) = (place / "venv").glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    pip("--python", str(place / "venv" / "bin" / "python"), "install", *QUIET_PIP, str(wheel))
    for name in ("empty", "home"):
        (place / name).mkdir()
    return Installed(place / "venv" / "bin", packages, place / "empty")


def pip(*words: str) -> None:
    done = subprocess.run([sys.executable, "-m", "pip", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_holds_assets_data_and_types_and_nothing_of_the_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
        (about,) = (name for name in names if name.endswith("/METADATA"))
        metadata = Parser().parsestr(opened.read(about).decode())
    assets = {path.relative_to(ROOT).as_posix() for path in (ROOT / "assets").rglob("*") if path.is_file()}
    data = {
        path.relative_to(ROOT).as_posix()
        for suffix in ("json", "problem")
        for path in (ROOT / "mapelites").rglob(f"data/**/*.{suffix}")
    }
    typed = {f"{package}/py.typed" for package in ("mapelites", "components", "server")}
    assert assets
    assert data
    assert {f"components/{name}" for name in assets} | data | typed <= names
    assert {name.partition("/")[0] for name in names} - {about.partition("/")[0]} == {
        "app.py", "mapelites", "components", "server",
    }  # fmt: skip
    assert metadata.get_all("Provides-Extra") == ["cluster", "proof"]


def test_the_extras_ask_for_what_the_files_of_requirements_name(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        (about,) = (name for name in opened.namelist() if name.endswith("/METADATA"))
        asked = Parser().parsestr(opened.read(about).decode()).get_all("Requires-Dist", [])
    for extra in ("cluster", "proof"):
        lines = (ROOT / f"requirements-{extra}.txt").read_text().splitlines()
        named = {line for line in lines if not line.startswith(("#", "-r"))}
        assert {each.partition(";")[0] for each in asked if f'extra == "{extra}"' in each} == named
    plain = {line for line in (ROOT / "requirements.txt").read_text().splitlines() if line}
    assert {each for each in asked if "extra ==" not in each} == plain


def test_the_command_says_its_version_and_what_it_can_do(installed: Installed) -> None:
    version = installed.run("--version")
    assert re.fullmatch(r"Illuminate \d+\.\d+\.\d+\n", version.stdout), version.stderr
    told = installed.run("--help").stdout
    assert told.startswith("usage: illuminate [options of the dashboard]\n       illuminate command ...\n")
    assert all(f"\n    {command} " in told for command in ("run", "show", "export", "campaign", "doctor"))
    assert "--no-browser" in told
    of_run = installed.run("run", "--help").stdout
    assert of_run.startswith("usage: illuminate run ")
    refused = installed.run("sing")
    assert (refused.returncode, "invalid choice: 'sing'" in refused.stderr) == (2, True)


def test_a_run_from_the_command_line_finishes_and_its_file_can_be_shown(installed: Installed) -> None:
    words = ["C16", "--dim", "10", "--search", "paper-1", "--evaluations", "5000", "--out", "c16.npz", "--quiet"]
    done = installed.run("run", *words)
    assert done.returncode == 0, done.stderr
    assert "saved to c16.npz" in done.stdout
    assert "5,000 of 5,000" in installed.run("show", "c16.npz").stdout
    assert "pressure-vessel" in installed.run("problems").stdout


@pytest.fixture
def served(installed: Installed) -> Iterator[str]:
    """The address of the dashboard that `illuminate` alone starts."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(installed.bin / "illuminate"), "--port", str(port)]
    process = subprocess.Popen(
        command, cwd=installed.folder, env=installed.environment, stdout=subprocess.PIPE, text=True
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        said, _ = process.communicate(timeout=PATIENCE)
    assert said.startswith(f"Illuminate runs at http://127.0.0.1:{port}")
    assert process.returncode == 0


def fetched(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=10) as answer:
        return bytes(answer.read())


def test_alone_it_serves_a_healthy_dashboard_with_its_assets(served: str) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            fetched(f"{served}/healthz")
            break
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            assert time.monotonic() < end, "it must be healthy by now"
            time.sleep(0.1)
    page = fetched(served).decode()
    links = re.findall(r'(?:src|href)="(/assets/[^"]+)"', page)
    assert any(".js" in link for link in links)
    assert any(".css" in link for link in links)
    parts = {STYLE: STYLES, SCRIPT: SCRIPTS}
    for link in links:
        name = link.removeprefix("/assets/").partition("?")[0]
        assert fetched(f"{served}{link}") == joined(ROOT / "assets", parts.get(name, (name,)))
