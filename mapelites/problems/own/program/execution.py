"""One evaluation by a program: a folder of its own, which is kept where something went wrong."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mapelites.core.errors import ProgramError
from mapelites.problems.own.program import exchange
from mapelites.problems.own.program.declaration import OUTPUT, ProgramDeclaration
from mapelites.system.processes import kill_with_descendants

PARAMETERS, RESULTS, PRINTED = "params.in", "results.out", "output.txt"
FOLDER = "evaluations"  # what a problem's folder of evaluations ends in
LOOK_SECONDS = 0.02  # between two looks for a free place
LAST_LINES, LAST_CHARACTERS = 5, 300


@dataclass(frozen=True)
class OutsideProgram:
    """A program, and where its problem's file lies."""

    declaration: ProgramDeclaration
    folder: Path
    name: str

    def outputs(self, values: Mapping[str, float]) -> dict[str, float]:
        """What it puts out for these values of the variables; a `ProgramError` with its last lines where it failed."""
        place = Path(tempfile.mkdtemp(prefix="evaluation-", dir=self._work_folder()))
        try:
            with self._place_to_run():
                found = self._run(place, values)
        except ProgramError as error:
            last = " / ".join(_last_lines(place / PRINTED))
            said = f"; it last said: {last}" if last else ""
            raise ProgramError(f"{error}{said}; kept in {place}") from None
        if not self.declaration.keep_all:
            shutil.rmtree(place, ignore_errors=True)
        return found

    def _work_folder(self) -> Path:
        """Beside the problem's file, or where temporary files go if nothing can be written there."""
        beside = self.folder / f"{self.name}.{FOLDER}"
        try:
            beside.mkdir(exist_ok=True)
            if os.access(beside, os.W_OK):
                return beside
        except OSError:
            pass
        other = Path(tempfile.gettempdir()) / f"{self.name}.{FOLDER}-{os.getuid()}"
        other.mkdir(mode=0o700, exist_ok=True)
        return other

    def _run(self, place: Path, values: Mapping[str, float]) -> dict[str, float]:
        said = self.declaration
        self._write_inputs(place, values)
        with (place / PRINTED).open("wb") as printed:
            try:
                process = subprocess.Popen(
                    self._command(place, values), cwd=place, stdin=subprocess.DEVNULL, stdout=printed,
                    stderr=subprocess.STDOUT, env={**os.environ, **dict(said.environment)},
                )  # fmt: skip
            except OSError as error:
                raise ProgramError(f"{said.command[0]} cannot be started: {error.strerror}") from None
            try:
                code = process.wait(said.seconds or None)
            except subprocess.TimeoutExpired:
                raise ProgramError(f"it did not end within {said.seconds:g} s") from None
            finally:
                if process.poll() is None:
                    kill_with_descendants(process.pid)
                    process.wait()
        if code < 0:
            raise ProgramError(f"it was killed by {signal.Signals(-code).name}")
        if code not in said.codes:
            raise ProgramError(f"it ended with code {code}")
        return self._read_outputs(place)

    def _paths(self, place: Path) -> dict[str, str]:
        return {"params": str(place / PARAMETERS), "results": str(place / RESULTS), "folder": str(self.folder)}

    def _command(self, place: Path, values: Mapping[str, float]) -> list[str]:
        words = [exchange.fill_template(word, values, self._paths(place)) for word in self.declaration.command]
        if "/" in words[0]:
            words[0] = str(self.folder / words[0])
        return words

    def _write_inputs(self, place: Path, values: Mapping[str, float]) -> None:
        said = self.declaration
        make = exchange.PARAMETERS[said.parameters]
        number = place.name.removeprefix("evaluation-")
        try:
            (place / PARAMETERS).write_text(make(values, said.outputs, number), "utf-8")
            for name in said.copies:
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                copy = shutil.copytree if (self.folder / name).is_dir() else shutil.copy2
                copy(self.folder / name, place / name)
            for template, name in said.templates:
                text = (self.folder / template).read_text("utf-8")
                (place / name).write_text(exchange.fill_template(text, values, self._paths(place)), "utf-8")
        except OSError as error:
            raise ProgramError(f"{error.filename}: {error.strerror}") from None

    def _read_outputs(self, place: Path) -> dict[str, float]:
        said = self.declaration
        printed = (place / PRINTED).read_text("utf-8", errors="replace")
        found = exchange.read_outputs(said.readings, place, printed)
        left = [name for name in said.outputs if name not in found]
        if left:
            found |= exchange.read_printed(printed, left) if said.results == OUTPUT else self._results(place, left)
        failed = [f"{name} is {value:g}" for name, value in found.items() if abs(value) >= said.failure]
        if failed:
            raise ProgramError(f"it says that it failed: {', '.join(failed)}")
        return found

    def _results(self, place: Path, outputs: list[str]) -> dict[str, float]:
        """The outputs that stand in the file of results."""
        name = self.declaration.results
        try:
            text = (place / (name or RESULTS)).read_text("utf-8", errors="replace")
        except OSError:
            where = f"no {name}" if name else "no results"
            raise ProgramError(f"it wrote {where}, in which {', '.join(outputs)} should be") from None
        return exchange.read_results(text, outputs)

    @contextmanager
    def _place_to_run(self) -> Iterator[None]:
        """Wait until fewer than so many run, in all processes together: each holds the lock of one file."""
        if not self.declaration.at_once:
            yield
            return
        folder = self._work_folder()
        while True:
            for number in range(self.declaration.at_once):
                with (folder / f".place-{number}").open("w") as file:
                    try:
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    except OSError:
                        continue
                    yield
                    return
            time.sleep(LOOK_SECONDS)


def _last_lines(path: Path) -> list[str]:
    """The end of what a program printed."""
    try:
        lines = path.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [line.strip()[:LAST_CHARACTERS] for line in lines if line.strip()][-LAST_LINES:]
