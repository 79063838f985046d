"""Malformed requests against every callback and every address, and what must never come of them.

A right request for each callback is read from the pages themselves: the values that stand in their layouts. Then
something about it is damaged.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from dash import Dash
from dash.development.base_component import Component
from flask import Flask, Response
from flask.testing import FlaskClient

import app as dashboard
from components.experiments import campaign as campaign_page
from components.experiments import form as experiments_form
from components.shared.context import Context
from components.shared.queue import RunQueue
from components.shell import frame as shell
from mapelites.campaign import Campaign, CampaignFolder
from mapelites.campaign.process import campaigns_folder, folder_of
from mapelites.problems.own.library import FORMULAS
from mapelites.runs import Store
from server.access import Access
from server.cache import open_memory
from server.limits import ClientLimits
from tests.hostile import junk
from tests.hostile.files import mutated
from tests.hostile.slowest import Slowest
from tests.requests_and_stores import request
from tests.runs.test_store import finish

CALLBACKS = "/_dash-update-component"
BODIES = (
    b"", b"null", b"[]", b'"x"', b"{", b"NaN", b'{"output": NaN}', b"[" * 100_000, b'{"a":' * 5_000, b"\xff\xfe",
    b'{"output": 1' + b"0" * 10_000 + b"}", b"[" * 30 + b"]" * 30, b'{"output": "' + b"x" * 2**21 + b'"}',
)  # fmt: skip
SECRET = Path("/etc/passwd").read_bytes().splitlines()[0]  # what the path-like values lead to
SCRIPT = b"<script>alert(1)</script>"
PATHS = (
    "/run/{}", "/run/{}/elites.csv", "/run/{}/elites.json", "/run/{}/run.npz", "/thumbnail/{}/1/light", "/compare/{}",
    "/experiments/{}", "/experiments/{}/report.csv", "/experiments/{}/run/{}", "/run/{id}/elites.csv?levels={}",
    "/run/{id}/elites.csv?at={}", "/run/{id}/elites.json?cell={}", "/thumbnail/{id}/{}/dark", "/thumbnail/{id}/1/{}",
    "/experiments/{campaign}/report.{}", "/experiments/{campaign}/run/{}", "/assets/{}", "/{}", "/?problem={}",
    "/_dash-component-suites/{}", "/_dash-component-suites/dash/{}", "/_dash-component-suites/plotly/{}", "/metrics?{}",
    "/run/{}/news", "/run/{id}/news?version={}&at={}&levels={}", "/run/{}/map", "/run/{id}/map?at={}&look={}&key={}",
    "/run/{id}/map?levels={}&axes={}", "/run/{id}/map?axes={}&rest={}&colour={}&scale={}", "/run/{}/report.html",
    "/run/{id}/report.html?at={}&levels={}", "/run/{id}/report.html?hard={}&allow={}", "/problems?search={}",
    "/problems/new?run={}", "/healthz?{}", "/status?{}", "/_dash-layout?{}", "/_dash-dependencies?{}",
    "/run/{}/proofs.csv", "/_favicon.ico?{}", "/_reload-hash?{}", "/static/{}", "/thumbnails.css?of={}",
    "/assets/all/style.css?m={}", "/assets/all/script.js?m={}", "/assets/plotly/plotly.min.js?m={}",
    "/_dash-component-suites/plotly/package_data/plotly.min.js?m={}",
)  # fmt: skip


@dataclass
class Target:
    """A dashboard to be harmed: its client, its runs, and what its pages would send."""

    store: Store
    app: Dash
    client: FlaskClient
    named: str  # the run that requests may name
    second: str  # another one, to be compared with it
    other: str  # a run that no request ever names
    wide: str  # one with more constraints than a map has axes
    campaign: str
    values: dict[tuple[str, str], Any] = field(default_factory=dict)  # by id and property
    patterns: list[dict[str, Any]] = field(default_factory=list)  # ids that are tables
    errors: list[str] = field(default_factory=list)
    file: bytes = b""  # a run to be mutated and imported
    taken: list[str] = field(default_factory=list)  # the ids of those that were harmless enough
    slowest: Slowest = field(default_factory=Slowest)

    @property
    def outputs(self) -> list[str]:
        """The names of the callbacks that the server answers; the others belong to the browser alone."""
        return [name for name, each in self.app.callback_map.items() if "callback" in each]

    @property
    def untouched(self) -> dict[str, str]:
        """A digest of all that no request may change: all of the other run, and what was asked and found in every
        run, key by key; the campaign; and which files there are, besides problems that were saved. What a person may
        do to a run that is named, from its pace to the bin, is no harm.
        """
        database = self.store.entries.database
        found = [key for key in database.keys("") if key.partition("/")[0] in ("snapshot", "state", "history")]
        whole = {key: database.get(key) for key in [*found, f"entry/{self.other}", f"version/{self.other}"]}
        runs = (self.named, self.second, self.other, self.wide)
        for run in runs:
            record = self.store.entries.record(run)
            asked = record.request.text.partition('"pace"')[0]
            whole[f"asked/{run}"] = f"{asked} {record.evaluations} {record.snapshot} {record.occupied} {record.best}"
        kept = {key: whole[key] for key in whole if any(run in key for run in runs)}
        kept |= {
            str(each): each.read_bytes() for each in campaigns_folder(self.store.path).rglob("*") if each.is_file()
        }
        kept |= {str(each): "" for each in self.store.path.parent.rglob("*") if not _may_come(each, self.store.path)}
        return {key: hashlib.sha256(repr(kept[key]).encode()).hexdigest() for key in sorted(kept)}


def _may_come(path: Path, store: Path) -> bool:
    """Whether a file may be made for a request: entries and what keeps them, figures, and problems that were saved."""
    inside = path.relative_to(store).parts if path.is_relative_to(store) else ()
    return inside[:1] in (("cache",), ("figures",), ("learned",), ("runs",)) or (
        inside[:1] == ("problems",) and path.suffix in ("", FORMULAS)
    )


class _Ear(logging.Handler):
    """Hears what is logged as an error: a callback that failed answers 200 with a message."""

    def __init__(self, heard: list[str]) -> None:
        super().__init__(logging.ERROR)
        self.heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.append(logging.Formatter().format(record))


def target(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Target]:
    """A dashboard with two runs and a campaign, from which no process is ever started."""
    for module, name in (
        (experiments_form, "launch_campaign"),
        (campaign_page, "start_process"),
        (campaign_page, "stop_campaign"),
    ):
        monkeypatch.setattr(module, name, lambda *_: folder)
    campaign = Campaign(("C17",), (10,), ("paper-3",), runs=2)
    folder = CampaignFolder.create(folder_of(store.path, campaign), campaign)
    runs = [finish(store, request(seed=seed)) for seed in (1, 2, 3)] + [finish(store, request("himmelblau", 5, seed=4))]
    app = dashboard.create_app(store, access=Access(limits=ClientLimits(unfinished=10**9, per_minute=10**9)))
    made = Target(store, app, app.server.test_client(), *runs, folder.id, file=store.export(runs[0]))
    app.server.after_request(partial(_looked_at, made))
    _learn(made)
    _fill(made)
    ear = _Ear(made.errors)
    logging.getLogger().addHandler(ear)
    yield made
    logging.getLogger().removeHandler(ear)


def _looked_at(made: Target, answer: Response) -> Response:
    """Hears what no status tells: that a file was read which is none of ours, or that a page took a script in."""
    answer.direct_passthrough = False
    said = answer.get_data()
    if SECRET in said:
        made.errors.append("a file of the system was sent")
    if answer.mimetype == "text/html" and SCRIPT in said:
        made.errors.append("what was sent came back as a script of the page")
    return answer


def _learn(made: Target) -> None:
    """Take the values of all components from the layouts of all pages."""
    context = Context(made.store, open_memory(Flask("learn"), made.store.path / "learned"), RunQueue(made.store))
    paths = ("/", "/runs", f"/run/{made.wide}", f"/run/{made.named}", f"/compare/{made.named}+{made.second}",
             "/experiments", f"/experiments/{made.campaign}", "/problems", "/problems/new")  # fmt: skip
    trees = [shell.page_at(context, dashboard.PAGES, path, None)[0] for path in paths]
    for each in _components([made.app.layout, *trees]):
        name = getattr(each, "id", None)
        if made.other in str(name):
            continue
        if isinstance(name, dict):
            made.patterns.append(name)
        if name is not None:
            key = json.dumps(name, sort_keys=True) if isinstance(name, dict) else name
            for prop in each._prop_names:
                if hasattr(each, prop) and not isinstance(getattr(each, prop), Component):
                    made.values[key, prop] = getattr(each, prop)


def _fill(made: Target) -> None:
    """Put in what is empty in a layout and what a browser fills in: where it is, what was chosen and clicked."""
    run, snapshot = made.store.run(made.named), made.store.snapshot(made.named)
    assert snapshot is not None
    names, archive = run.request.tolerances.names, snapshot.archive()
    elite = next(iter(archive))
    spare = [finish(made.store, request(seed=seed)) for seed in (4, 5)]  # runs that may be stopped and deleted
    levels, rest = [[0, 1e-4, 1] for _ in names], ["w1"] * len(names)
    text = ";".join(",".join(map(str, each)) for each in levels)
    view = f"?at=900&levels={text}&axes={','.join(names)}&rest={','.join(rest)}&colour=age&scale=log&cell={elite.cell}"
    made.patterns += [{"compare-map": 0}, {"compare-map": 1}, {"room": "pick"}, {"undelete": "+".join(spare)}]
    click = {"points": [{"x": 1, "y": 1, "z": 0.5, "curveNumber": 0, "customdata": "C17-10D-paper-3-1.npz"}]}
    made.values |= {
        ("url", "pathname"): f"/run/{made.named}",
        ("url", "search"): view,
        ("scheme", "data"): "dark",
        ("run-selected", "data"): elite.cell,
        ("run-levels", "data"): levels,
        ("run-axes", "data"): list(names),
        ("run-rest", "data"): rest,
        ("run-moment", "data"): 900,
        ("run-pinned", "data"): {"x": elite.x.tolist()},
        ("run-behind", "data"): True,
        ("run-page-state", "data"): {
            "at": 900, "axes": list(names), "colour": "age", "scale": "log", "cell": elite.cell, "levels": levels,
            "rest": rest, "overview": "parallel", "brush": [[0, 0.25, 0.5]],
            "view": "price", "about": names[0], "hard": [names[-1]], "allow": {names[0]: "1"}, "need": "1",
            "margin": "0.1", "most": 2, "measure": "total", "pair": [names[0], names[-1]], "behind": True,
        },
        ("runs-ticked", "data"): spare,
        ("room-offered", "data"): spare,
        ("runs-states", "value"): ["finished"],
        ("runs-seen", "data"): [],
        ("compare-narrow", "data"): False,
        ("campaign-boxes", "clickData"): click,
        ("editor-open", "contents"): _sent(b"objective: x1\n"),
        ("runs-import", "contents"): [_sent(made.file)],
        ("runs-import", "filename"): ["run.npz"],
        **{(json.dumps({"compare-map": each}, sort_keys=True), "clickData"): click for each in (0, 1)},
    }  # fmt: skip


def _sent(content: bytes) -> str:
    """A file as a browser sends it."""
    return f"data:application/octet-stream;base64,{base64.b64encode(content).decode()}"


def _components(tree: Any) -> Iterator[Component]:
    if isinstance(tree, Component):
        yield tree
        for name in tree._prop_names:
            if isinstance(getattr(tree, name, None), (Component, list, tuple, dict)):
                yield from _components(getattr(tree, name))
    elif isinstance(tree, (list, tuple)):
        for each in tree:
            yield from _components(each)
    elif isinstance(tree, dict):
        for each in tree.values():
            yield from _components(each)


def _plain(value: Any) -> Any:
    try:
        return json.loads(json.dumps(value))
    except TypeError:
        return None


def _one(made: Target, name: Any, prop: str) -> dict[str, Any]:
    key = json.dumps(name, sort_keys=True) if isinstance(name, dict) else name
    value = 1 if prop == "n_clicks" else name if prop == "id" else _plain(made.values.get((key, prop)))
    return {"id": name, "property": prop, "value": value}


def _part(made: Target, declared: dict[str, str]) -> Any:
    """An input, a state or an output as the page would send it."""
    name, prop = declared["id"], declared["property"].partition("@")[0]
    if not name.startswith("{"):
        return _one(made, name, prop)
    pattern = json.loads(name)
    if not any(isinstance(each, list) for each in pattern.values()):
        return _one(made, pattern, prop)
    fitting = [
        each for each in made.patterns
        if each.keys() == pattern.keys()
        and all(isinstance(wanted, list) or wanted == each[key] for key, wanted in pattern.items())
    ]  # fmt: skip
    several = [_one(made, each, prop) for each in fitting]
    return several if ["ALL"] in pattern.values() else (several or [None])[0]


def right(made: Target, output: str) -> dict[str, Any]:
    """The request that a page would send for a callback."""
    declared = made.app.callback_map[output]
    inputs = [_part(made, each) for each in declared["inputs"]]
    names = output[2:-2].split("...") if output.startswith("..") else [] if declared.get("no_output") else [output]
    outputs = [_output(made, *each.rsplit(".", 1)) for each in names]
    return {
        "output": output,
        "outputs": outputs if output.startswith("..") or not outputs else outputs[0],
        "inputs": inputs,
        "state": [_part(made, each) for each in declared["state"]],
        "changedPropIds": _changed(next((each for each in inputs if each), None)),
    }


def _changed(part: Any) -> list[str]:
    """How a page says which of its inputs has changed."""
    first = (part or [None])[0] if isinstance(part, list) else part
    return [] if first is None else [f"{_spelled(first['id'])}.{first['property']}"]


def _output(made: Target, name: str, prop: str) -> Any:
    """An output as the page would send it: with what tells several callbacks of the same output apart."""
    found = _part(made, {"id": name, "property": prop})
    named = {"property": prop}
    return [{**each, **named} for each in found] if isinstance(found, list) else {**found, **named}


def _spelled(name: Any) -> str:
    return json.dumps(name, sort_keys=True, separators=(",", ":")) if isinstance(name, dict) else str(name)


def attack(made: Target, random_: random.Random) -> tuple[str, int]:
    """One malformed request; what it was, and the status of the answer."""
    kind = random_.random()
    if kind < 0.06:
        body = random_.choice(BODIES)
        said = made.client.post(CALLBACKS, data=body, content_type=random_.choice(("application/json", "text/plain")))
        return repr(body[:200]), said.status_code
    if kind < 0.22:
        path = _path(made, random_)
        said = made.client.open(path, method=random_.choice(("GET", "GET", "GET", "POST", "HEAD", "PUT", "DELETE")))
        said.get_data()
        return path, said.status_code
    if kind < 0.25:
        return _import(made, random_)
    body = right(made, random_.choice(made.outputs))
    if random_.random() < 0.5:
        body["changedPropIds"] = _changed(random_.choice(body["inputs"]))
    if kind < 0.43:  # tampered in its form
        body = junk.damaged(random_, body)
    else:  # right in its form, with values that no page sends
        slots = [
            each for part in (*body["inputs"], *body["state"]) for each in (part if isinstance(part, list) else [part])
        ]
        for each in random_.sample(slots, min(len(slots), random_.choice((1, 1, 1, 2, 4)))):
            if each is not None:
                each["value"] = _wrong(made, random_, each)
        if random_.random() < 0.2 and slots:  # a pattern's list with another length, or another id
            part = random_.choice([*body["inputs"], *body["state"]])
            if isinstance(part, list) and part:
                part.append({**part[0], "id": {key: junk.value(random_) for key in part[0]["id"]}})
    said = made.client.post(CALLBACKS, data=junk.text_of(body), content_type="application/json")
    return json.dumps(body)[:3_000], said.status_code


def _wrong(made: Target, random_: random.Random, part: dict[str, Any]) -> Any:
    """Another value for an input: damaged, or, where it is an address, any that is shot at elsewhere."""
    if part["property"] == "pathname" and random_.random() < 0.3:
        return f"/run/{made.wide}"
    if part["property"] == "pathname" and random_.random() < 0.5:
        return _path(made, random_).partition("?")[0]
    if part["property"] == "search" and random_.random() < 0.5:
        return "?" + _path(made, random_).partition("?")[2]
    if random_.random() < 0.1:
        return None
    return junk.damaged(random_, part["value"])


def _import(made: Target, random_: random.Random) -> tuple[str, int]:
    """Bring a file that somebody changed; what is taken in is looked at by what comes after."""
    (output,) = [name for name in made.outputs if _inputs(made, name) == ["runs-import"]]
    body = right(made, output)
    body["inputs"][0]["value"] = [_sent(mutated(random_, made.file))]
    said = made.client.post(CALLBACKS, data=junk.text_of(body), content_type="application/json")
    known = {made.named, made.second, made.other, made.wide, *made.taken}
    made.taken += [run.id for run in made.store.runs() if run.id not in known and run.evaluations]
    return "a mutated run file", said.status_code


def _inputs(made: Target, output: str) -> list[str]:
    return [each["id"] for each in made.app.callback_map[output]["inputs"]]


def _path(made: Target, random_: random.Random) -> str:
    run = random_.choice([made.named, made.wide, *made.taken[-2:]])
    form = random_.choice(PATHS).replace("{id}", run).replace("{campaign}", made.campaign)
    while "{}" in form:
        value = junk.value(random_)
        text = value if isinstance(value, str) else json.dumps(value)
        form = form.replace("{}", quote(text[:500], safe=random_.choice(("", "/", "/.%"))), 1)
    return form


def barrage(made: Target, count: int, seed: int) -> dict[str, int]:
    """So many of them, and how often each status came; an `AssertionError` at the first that did harm."""
    random_, before = random.Random(seed), made.untouched
    statuses: dict[str, int] = {}
    for number in range(count):
        with made.slowest.timing(f"request {number} of seed {seed}"):
            what, status = attack(made, random_)
        unwell = status == 503 and what.startswith("/healthz")  # as it should be: no worker is there
        assert status < 500 or unwell, f"request {number} of seed {seed} was answered {status}:\n{what}\n{made.errors}"
        assert not made.errors, f"request {number} of seed {seed} failed inside:\n{what}\n{made.errors[0]}"
        statuses[str(status)] = statuses.get(str(status), 0) + 1
    after = made.untouched
    changed = sorted(key for key in {*before, *after} if before.get(key) != after.get(key))
    assert not changed, f"a malformed request of seed {seed} changed {changed}"
    return statuses
