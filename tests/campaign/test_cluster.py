"""A Dask cluster for real: a scheduler and two workers as processes on this machine, one of them killed."""

import math
import os
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace

import pytest

from mapelites import InputError
from mapelites.__main__ import main
from mapelites.campaign import Campaign, CampaignFolder, process
from mapelites.campaign.crews import DaskExecutor
from mapelites.campaign.runner import work_on_campaign
from mapelites.evaluation.scheduler import SCHEDULER_FORM, connect_to_scheduler
from mapelites.system.processes import child_environment
from tests.campaign.test_processes import same_as_here, until


@contextmanager
def taken_port():
    """A port of the range kept for these tests, held so that nobody else takes it, at which nobody listens.

    Tests that run side by side have ranges of their own: between this and the scheduler's start, a port is free.
    """
    first = 8700 + 10 * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
    for port in range(first, first + 10):
        with socket.socket() as holder:
            try:
                holder.bind(("127.0.0.1", port))
            except OSError:
                continue
            yield port
            return
    raise AssertionError(f"every port from {first} to {first + 9} is taken")


@pytest.fixture
def cluster(tmp_path):
    """The scheduler's address, its process and its two workers'."""
    with taken_port() as port:
        address = f"tcp://127.0.0.1:{port}"
    environment = child_environment()
    plain = ["--no-dashboard"]
    place = {"cwd": tmp_path, "env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    program = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    processes = [subprocess.Popen([*program, "--host", address, *plain], **place)]
    program = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
    processes += [subprocess.Popen([*program, *plain], **place) for _ in range(2)]
    try:
        yield address, processes
    finally:
        for each in reversed(processes):
            each.kill()
            each.wait()


def test_a_cluster_gives_the_local_results_bit_for_bit_though_a_worker_and_then_the_scheduler_die(cluster, tmp_path):
    address, (scheduler, worker, _) = cluster
    campaign = Campaign(("C01", "C17"), (10,), ("paper-1", "paper-3"), runs=4, changes={"evaluations": 50_000})
    folder = CampaignFolder.create(tmp_path / "c", campaign)
    killed = []

    def watch(standing):
        if standing.done >= 3 and not killed:
            worker.kill()
            killed.append(standing.done)

    with DaskExecutor(address, connect_seconds=60) as crew:
        until(lambda: len(crew.workers()) == 2)
        standing = work_on_campaign(folder, lambda: crew, watch)
    assert killed
    assert killed[0] < 16
    assert (standing.done, standing.failed) == (16, 0)
    same_as_here(folder)

    detached = process.launch_campaign(tmp_path, replace(campaign, runs=1), address)  # as the dashboard does
    until(lambda: len(detached.results()) == 4 and not detached.working())
    assert (detached.scheduler, detached.trouble) == (address, "")
    same_as_here(detached)

    longer = CampaignFolder.create(tmp_path / "longer", replace(campaign, runs=50))
    with (
        pytest.raises(InputError, match=f"the Dask scheduler at {address} stopped answering; what is done is kept"),
        DaskExecutor(address) as crew,
    ):
        work_on_campaign(longer, lambda: crew, lambda standing: scheduler.kill() if standing.done else None)
    assert 0 < len(longer.results()) < 200


def test_a_scheduler_that_cannot_be_reached_is_a_clear_error(tmp_path, capsys):
    with taken_port() as port:
        nowhere = f"tcp://127.0.0.1:{port}"
        with pytest.raises(InputError, match=f"that runs, such as .*, but {nowhere} does not answer"):
            DaskExecutor(nowhere, connect_seconds=0.5)
    options = ["--problems", "C01", "--dims", "10", "--runs", "1", "--folder", str(tmp_path / "c")]
    assert main(["campaign", *options, "--scheduler", "nonsense"]) == 2
    assert "scheduler must be the address of a Dask scheduler" in capsys.readouterr().err
    assert "but it was 'nonsense'" in CampaignFolder(tmp_path / "c").trouble


@pytest.mark.parametrize(
    "address", ["nonsense", "nonsense://x:1", "tcp://host", "tcp://:8786", "tcp://a b:1", "host:port"]
)
def test_a_text_that_is_no_address_is_refused_without_looking_for_it(address, monkeypatch):
    monkeypatch.setattr("distributed.Client", None)
    with pytest.raises(InputError, match=f"scheduler must be the address .*, but it was '{address}'"):
        connect_to_scheduler(address)


@pytest.mark.parametrize("address", ["tcp://192.168.0.1:8786", "host:8786", "tls://[::1]:8786", "tcp://a-b.c:1"])
def test_an_address_has_a_host_and_a_port(address):
    assert SCHEDULER_FORM.fullmatch(address)


def test_a_cluster_without_workers_is_waited_for_in_words():
    crew = DaskExecutor.__new__(DaskExecutor)
    crew.address, crew._threads, crew._asked = "tcp://a:1", 0, math.inf
    assert crew.waiting_message() == "waiting for a worker, the Dask scheduler at tcp://a:1 has none"
    crew._threads = 2
    assert crew.waiting_message() == ""
