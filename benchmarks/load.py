"""Many browsers on live runs: how long a poll and a full map take, and what it costs the searches.

    python -m benchmarks.load [--browsers 100] [--runs 10] [--seconds 160]
    python -m benchmarks.load --soak 30 --picture docs/pictures/soak.svg

A dashboard is started as `app.py` starts it, on loopback, with all runs live: the first as fast as it can go,
the others at a pace that leaves a core to the server, as the worker does by itself when it runs one run less than
there are cores. Every browser looks at one run and does what the run's page does: it asks for the map once,
then for news whenever the server wants it to, which bring the head of the page and what changed on the map; every
few looks it has its answers told anew.
The searches' rates are those of the same runs, by turns without any browser and with all of them; what the
browsers themselves cost, on the same cores, counts against the searches. A virtual machine does not always get the
cores that it has: what its host takes away is told, and for the run at full speed it is left out, since it changes by
tenths from one turn to the next. What counts is the time in which that run had a core or stood in line for one behind
the server and the browsers. With `--soak` it goes on for so many minutes with all runs at that pace, and the memory of
web server and worker is watched.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
import orjson

sys.path.insert(0, str(Path(__file__).parents[1]))

from components.page_state import ids
from components.shared.follow import SOONEST
from mapelites import Settings, Tolerances
from mapelites.problems import get
from mapelites.runs import RunRequest, Store
from mapelites.runs.supervisor import start_supervisor
from mapelites.snapshot.spec import RunSpec
from mapelites.system.cores import usable_cores
from mapelites.system.processes import ROOT

MOST_BROWSERS, MOST_RUNS, MOST_SECONDS = 500, 50, 3_600
POLL, MAP, RATE = 0.100, 0.400, 0.90  # seconds at the 95th percentile, seconds likewise, share of the rate alone
PACE = 5_000.0  # evaluations per second of all runs but the first
ARRIVAL = 3.0  # seconds within which all browsers come
CALM, LOOKS_TO_CALM = 1.0, 7  # as in the page's scripts
ROUNDS = 4
PATIENCE = 240.0
SEEN_PARTS = ["limits", "proof", "inspector"]  # of a run's page as it opens


@dataclass(frozen=True)
class SearchProgress:
    """How far the searches were at a moment, and what the system says of the time that they had."""

    clock: float
    first: int  # evaluations of the run at full speed
    others: int
    had: float  # seconds in which that run had a core
    stood: float  # and in which it stood in line for one
    taken: float  # seconds of all cores that the host of a virtual machine took

    def rates(self, before: SearchProgress) -> Rates:
        """Since an earlier moment."""
        seconds, stood = self.clock - before.clock, self.stood - before.stood
        wanted = self.had - before.had + stood
        return Rates(
            (self.first - before.first) / seconds,
            (self.first - before.first) / wanted,
            (self.others - before.others) / seconds,
            stood / wanted,
            (self.taken - before.taken) / seconds / usable_cores(),
        )


class Rates(NamedTuple):
    """Evaluations per second: of the run at full speed by the clock and by the time it wanted; of the others."""

    by_clock: float
    first: float
    others: float
    in_line: float  # share of the time that the first wanted
    taken: float  # share of the cores


@dataclass
class BrowserTally:
    """What all browsers together have seen: seconds of each kind of request, and what went wrong."""

    polls: list[float] = field(default_factory=list)
    maps: list[float] = field(default_factory=list)
    changes: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class Browser:
    """One page of one run, over one connection."""

    def __init__(self, port: int, run: str, told: dict[str, Any], seen: BrowserTally) -> None:
        self.port, self.run, self.told, self.seen = port, run, told, seen
        self.version, self.wait = -1, SOONEST
        self.known: dict[str, str] = {}
        self.key: Any = None

    async def stay(self, until: float) -> None:
        """Look until then, from a moment of one's own on."""
        await asyncio.sleep(random.random() * ARRIVAL)
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        settled = time.perf_counter()
        try:
            content, seconds = await self.get(f"/run/{self.run}/map?{self.view()}")
            self.seen.maps.append(seconds)
            self.draw(orjson.loads(content))
            while (now := time.perf_counter()) < until:
                await self.look()
                if now - settled > max(CALM, LOOKS_TO_CALM * self.wait):
                    settled = now
                    await self.answer()
                await asyncio.sleep(self.wait)
        finally:
            self.writer.close()

    def view(self) -> str:
        return urlencode({"scheme": "light", "narrow": "false", **self.known})

    def draw(self, answer: dict[str, Any]) -> None:
        self.known = {"look": answer["look"], "key": answer["key"]}

    async def look(self) -> None:
        """Ask for news."""
        content, seconds = await self.get(f"/run/{self.run}/news?{self.view()}&version={self.version}")
        news = orjson.loads(content)
        self.seen.polls.append(seconds)
        self.seen.waits.append(news["wait"] / 1e3)
        self.wait = news["wait"] / 1e3
        if "version" in news:
            self.seen.changes.append(seconds)
            self.version = news["version"]
            self.draw(news["map"])

    async def answer(self) -> None:
        """What relaxing buys: the sentence above the map, the limits, and the design beside it."""
        values = {
            ids.version_store("parts"): {"version": self.version, "parts": SEEN_PARTS},
            ids.STATE: {"view": "map"},
            ids.RUN: self.run,
            "scheme": "light",
            ids.TOLD: self.key,
        }
        inputs, state = ([{**e, "value": values.get(e["id"])} for e in self.told[k]] for k in ("inputs", "state"))
        body = orjson.dumps(
            {
                "output": self.told["output"],
                "outputs": _outputs(self.told["output"]),
                "inputs": inputs,
                "state": state,
                "changedPropIds": [f"{ids.version_store('parts')}.data"],
            }
        )
        head = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        content, seconds = await self.ask("POST", "/_dash-update-component", head, body)
        self.seen.answers.append(seconds)
        if content:
            self.key = orjson.loads(content)["response"].get(ids.TOLD, {}).get("data", self.key)

    async def get(self, path: str) -> tuple[bytes, float]:
        """What lies at an address, and how long it took."""
        return await self.ask("GET", path, "", b"")

    async def ask(self, method: str, path: str, head: str, body: bytes) -> tuple[bytes, float]:
        """Send a request and wait for its answer."""
        began = time.perf_counter()
        self.writer.write(f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{head}\r\n".encode() + body)
        status, content = await self.heard()
        if status not in (200, 204):
            self.seen.wrong.append(f"{path}: {status} {content[:200]!r}")
        return content, time.perf_counter() - began

    async def heard(self) -> tuple[int, bytes]:
        """The status and the content of what comes."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        content = await self.reader.readexactly(int(length[1])) if length else b""
        return int(head.split(b" ", 2)[1]), content


def _outputs(output: str) -> Any:
    parts = [each.rsplit(".", 1) for each in output[2:-2].split("...")]
    return [{"id": name, "property": prop.partition("@")[0]} for name, prop in parts]


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def fetch(port: int, path: str) -> bytes:
    """The content of an address."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE) as answer:
        return bytes(answer.read())


class Dashboard:
    """A dashboard with live runs."""

    def __init__(self, folder: str, runs: int, first_pace: float | None) -> None:
        self.store, self.port = Store(folder), free_port()
        self.worker = start_supervisor(folder, runs)
        command = [sys.executable, str(ROOT / "app.py"), "--port", str(self.port), "--data", folder]
        self.web = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            self._wait_for_life(runs, first_pace)
        except BaseException:
            self.stop()
            raise

    def _wait_for_life(self, runs: int, first_pace: float | None) -> None:
        self.runs = [
            self.store.create(self.request(number, first_pace if number == 0 else PACE)) for number in range(runs)
        ]
        self.wait(lambda: all(self.store.run(each).evaluations > 0 for each in self.runs), "runs that live")
        self.wait(self.is_up, "a server that answers")
        listed = orjson.loads(fetch(self.port, "/_dash-dependencies"))
        self.told = next(each for each in listed if "run-sentence.children" in each["output"])

    @property
    def cells(self) -> int:
        """Of each run's map."""
        return self.request(0, None).tolerances.cells

    @staticmethod
    def request(number: int, pace: float | None) -> RunRequest:
        """A run that does not end meanwhile."""
        problem = get("C16", 10)
        settings = Settings.of("paper-3", 10, evaluations=10**11, seed=number + 1)  # at one rate for ever
        return RunRequest(RunSpec("C16", 10, Tolerances.default(problem), settings), pace)

    def is_up(self) -> bool:
        try:
            return b'"web":true' in fetch(self.port, "/status").replace(b" ", b"")
        except OSError:
            return False

    def wait(self, condition: Any, what: str) -> None:
        until = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > until:
                raise SystemExit(f"waited in vain for {what}")
            time.sleep(0.1)

    def progress(self) -> SearchProgress:
        """At this moment."""
        spent = [self.store.run(each).evaluations for each in self.runs]
        had, stood = (int(each) / 1e9 for each in Path(f"/proc/{self.first}/schedstat").read_text().split()[:2])
        taken = int(Path("/proc/stat").read_text().split(maxsplit=9)[8]) / os.sysconf("SC_CLK_TCK")
        return SearchProgress(time.perf_counter(), spent[0], sum(spent[1:]), had, stood, taken)

    @cached_property
    def first(self) -> int:
        """The process of the run at full speed."""
        for name in Path("/proc").glob("[0-9]*/comm"):
            with suppress(OSError):  # it may be gone by now
                if name.read_text().strip() == f"run {self.runs[0]}":
                    return int(name.parent.name)
        raise SystemExit("the run at full speed has no process")

    def memory(self) -> tuple[float, float]:
        """Megabytes of web server and worker."""
        text = fetch(self.port, "/metrics").decode()
        names = ("process_resident_memory_bytes", "illuminate_worker_resident_memory_bytes")
        web, worker = (float(re.findall(rf"^{name} (\S+)", text, re.MULTILINE)[0]) / 1e6 for name in names)
        return web, worker

    def stop(self) -> None:
        for process in (self.web, self.worker):
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)


def measure(dashboard: Dashboard, browsers: int, seconds: float) -> tuple[BrowserTally, Rates]:
    """Let so many browsers look for so long, once all have come; what they saw, and the rates of the searches then."""
    seen = BrowserTally()

    async def all_of_them() -> Rates:
        until = time.perf_counter() + ARRIVAL + seconds
        runs = dashboard.runs
        pages = (Browser(dashboard.port, runs[n % len(runs)], dashboard.told, seen) for n in range(browsers))
        staying = [asyncio.create_task(page.stay(until)) for page in pages]
        await asyncio.sleep(ARRIVAL)
        before = dashboard.progress()
        await asyncio.sleep(seconds)
        rates = dashboard.progress().rates(before)
        await asyncio.gather(*staying)
        return rates

    return seen, asyncio.run(all_of_them())


def p95(times: list[float]) -> float:
    return float(np.percentile(times, 95)) if times else float("nan")


def compare(dashboard: Dashboard, browsers: int, seconds: float) -> bool:
    """The three figures, and whether they are as they should be."""
    measure(dashboard, 0, 3.0)
    seen, alone, together = BrowserTally(), [], []
    for _ in range(ROUNDS):  # by turns: the machine's own drift is larger than what is measured
        alone.append(measure(dashboard, 0, seconds / ROUNDS)[1])
        now, rates = measure(dashboard, browsers, seconds / ROUNDS)
        together.append(rates)
        for each in fields(BrowserTally):
            getattr(seen, each.name).extend(getattr(now, each.name))
    base, crowded = Rates(*np.mean(alone, axis=0)), Rates(*np.mean(together, axis=0))
    print(f"{browsers} browsers on {len(dashboard.runs)} live runs for {seconds:.0f} s, {usable_cores()} cores")
    rows = (
        ("a poll, p95", p95(seen.polls), POLL, len(seen.polls)),
        ("a full map, p95", p95(seen.maps), MAP, len(seen.maps)),
        ("a poll with news, p95", p95(seen.changes), MAP, len(seen.changes)),
        ("the answers, p95", p95(seen.answers), MAP, len(seen.answers)),
    )
    print(f"  between two polls of a page  {np.median(seen.waits):8.2f} s    (as the server asks; median)")
    good = not seen.wrong
    for name, value, most, count in rows:
        good &= not count or value < most  # pages that stay for less than half a minute ask for no answers
        print(f"  {name:<28}{value * 1e3:8.0f} ms   must be below {most * 1e3:.0f} ms   ({count:,} of them)")
    for name, kind in (("the run at full speed", "first"), ("the others", "others")):
        now, usual = getattr(crowded, kind), getattr(base, kind)
        good &= now / usual >= RATE
        print(f"  {name:<28}{now / usual:8.1%}      must be at least {RATE:.0%}   ({now:,.0f}/s, alone {usual:,.0f}/s)")
    for name, kind in (("round by round", "first"), ("by the clock", "by_clock")):
        shares = [getattr(now, kind) / getattr(usual, kind) for now, usual in zip(together, alone, strict=True)]
        print(f"  the run at full speed, {name}: {', '.join(f'{share:.0%}' for share in shares)}")
    for name, kind in (("it stood in line for a core", "in_line"), ("the host took of all cores", "taken")):
        pairs = ((getattr(usual, kind), getattr(now, kind)) for now, usual in zip(together, alone, strict=True))
        print(f"  {name}, alone and with browsers: {', '.join(f'{one:.0%} and {two:.0%}' for one, two in pairs)}")
    for each in seen.wrong[:5]:
        print(f"  wrong: {each}")
    print("as it should be" if good else "NOT as it should be")
    return good


def soak(dashboard: Dashboard, browsers: int, minutes: float, picture: Path | None) -> bool:
    """Memory over a long time."""
    began, found, good = time.monotonic(), [], True
    while time.monotonic() - began < minutes * 60:
        seen, _ = measure(dashboard, browsers, min(20.0, minutes * 6))
        web, worker = dashboard.memory()
        found.append((time.monotonic() - began, web, worker, p95(seen.polls) * 1e3))
        print("{:6.0f} s   web {:6.1f} MB   worker {:6.1f} MB   poll p95 {:4.0f} ms".format(*found[-1]), flush=True)
        if seen.wrong:
            good = False
            print(f"  wrong: {seen.wrong[0]}")
    table = np.array(found)
    settled = table[len(table) // 3 :]
    for column, name in ((1, "web"), (2, "worker")):
        slope = np.polyfit(settled[:, 0] / 3600, settled[:, column], 1)[0]
        growth = slope * (settled[-1, 0] - settled[0, 0]) / 3600 / settled[0, column]
        good &= growth < 0.05
        print(f"{name}: {settled[0, column]:.1f} MB -> {settled[-1, column]:.1f} MB, {slope:+.1f} MB/h, {growth:+.1%}")
    if picture:
        picture.write_text(draw_memory(table, f"{browsers} browsers on {len(dashboard.runs)} live runs"))
    return good


def draw_memory(table: Any, title: str) -> str:
    """Memory over time as a picture."""
    width, height, left, bottom = 720, 320, 60, 40
    most = float(np.ceil(table[:, 1:3].max() / 100) * 100)
    last = float(table[-1, 0])

    def place(seconds: float, value: float) -> tuple[float, float]:
        x = left + (width - left - 20) * seconds / last
        return x, height - bottom - (height - bottom - 40) * value / most

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="12" role="img">',
        f'<rect width="{width}" height="{height}" fill="#fff"/><text x="{left}" y="22" font-size="14">'
        f"Memory while {title} are watched</text>",
    ]
    for value in np.linspace(0, most, 5):
        _, y = place(0, value)
        lines.append(f'<path d="M{left} {y:.1f}H{width - 20}" stroke="#dee2e6"/>')
        lines.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.0f} MB</text>')
    for minute in range(0, int(last // 60) + 1, max(1, int(last // 360))):
        x, y = place(minute * 60, 0)
        lines.append(f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle">{minute} min</text>')
    for column, colour, name in ((1, "#3b5bdb", "web server"), (2, "#e8590c", "worker and its processes")):
        points = " ".join("{:.1f},{:.1f}".format(*place(row[0], row[column])) for row in table)
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x, y = place(last, table[-1, column])
        lines.append(f'<text x="{x:.1f}" y="{y - 8:.1f}" text-anchor="end" fill="{colour}">{name}</text>')
    return "\n".join([*lines, "</svg>\n"])


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--browsers", type=int, default=100)
    options.add_argument("--runs", type=int, default=10)
    options.add_argument("--seconds", type=float, default=160.0)
    options.add_argument("--soak", type=float, metavar="MINUTES")
    options.add_argument("--picture", type=Path)
    given = options.parse_args()
    browsers, runs = min(given.browsers, MOST_BROWSERS), max(1, min(given.runs, MOST_RUNS))
    with tempfile.TemporaryDirectory() as folder:
        dashboard = Dashboard(folder, runs, PACE if given.soak else None)
        try:
            if given.soak:
                good = soak(dashboard, browsers, min(given.soak, MOST_SECONDS / 60), given.picture)
            else:
                good = compare(dashboard, browsers, min(given.seconds, MOST_SECONDS))
        finally:
            dashboard.stop()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
