"""What the image and the services around it are told, as far as it can be tried without an engine for containers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml

from tests.project.test_package import SOURCES

ROOT = Path(__file__).parents[2]
NOBODY = "http://127.0.0.1:9"  # where no proxy answers


class Unwell(BaseHTTPRequestHandler):
    status = 503

    def do_GET(self) -> None:
        self.send_response(self.status if self.path == "/healthz" else 404)
        self.end_headers()

    def log_message(self, format: str, *given: object) -> None:
        pass


class Well(Unwell):
    status = 200


@pytest.fixture(params=[Well, Unwell])
def answering(request: pytest.FixtureRequest) -> Iterator[tuple[int, int]]:
    """The port of something that says how it is, and what it says."""
    with HTTPServer(("127.0.0.1", 0), request.param) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, request.param.status
        server.shutdown()


def test_the_health_check_asks_the_container_itself_whatever_proxy_it_is_given(answering: tuple[int, int]) -> None:
    port, status = answering
    (found,) = re.findall(r"^HEALTHCHECK[^\[]*(\[.*\])$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    _, *words = json.loads(found.replace("8050", str(port)))
    proxies = {"http_proxy": NOBODY, "HTTP_PROXY": NOBODY}  # as Docker gives to containers where there is one
    done = subprocess.run([sys.executable, *words], env={**os.environ, **proxies}, check=False)
    assert (done.returncode == 0) == (status == 200)


def test_the_image_is_built_from_all_that_the_package_is_built_from() -> None:
    let_through = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert {
        *SOURCES,
        "constraints.txt",
        "constraints-run.txt",
        "requirements-cluster.txt",
        "requirements-proof.txt",
    } == let_through
    text = (ROOT / "Dockerfile").read_text()
    assert "PYTHONPATH" not in text
    (command,) = re.findall(r"^CMD (\[.*\])$", text, re.MULTILINE)
    assert json.loads(command) == ["illuminate", "--no-browser", "--host", "0.0.0.0"]


def test_all_services_come_from_one_image_that_has_dask_and_that_nothing_else_is_called() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert {each["image"] for each in services.values()} == {"illuminate-cluster"}
    assert [name for name, each in services.items() if "build" in each] == ["dashboard"]
    assert services["dashboard"]["build"]["args"] == {"REQUIREMENTS": "requirements-cluster.txt"}
    assert not [name for name, each in services.items() if "profiles" not in each and name != "dashboard"]
    assert "docker build -t illuminate ." in (ROOT / "README.md").read_text(), "without Dask, under another name"


def test_all_services_come_back_after_a_fault_and_their_logs_end_somewhere() -> None:
    for each in yaml.safe_load((ROOT / "compose.yaml").read_text())["services"].values():
        assert each["restart"] == "unless-stopped"
        assert each["logging"]["options"] == {"max-size": "10m", "max-file": "3"}
        assert (each["cap_drop"], each["security_opt"]) == (["ALL"], ["no-new-privileges:true"])


def test_the_services_of_the_cluster_are_called_as_dask_knows_them() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    for name in ("scheduler", "worker"):
        program, *words = services[name]["command"]
        assert (program, words[0]) == ("dask", name)
        done = subprocess.run(
            [sys.executable, "-m", "dask", name, "--help"], capture_output=True, text=True, check=True
        )
        assert all(re.search(rf"{each}\b", done.stdout) for each in words if each.startswith("--"))
    address = services["dashboard"]["environment"]["MAPELITES_SCHEDULER"]
    assert address in services["worker"]["command"]
    assert address == f"tcp://scheduler:{services['scheduler']['command'][3]}"
