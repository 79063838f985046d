"""Campaigns on real processes: they die, they are interrupted, and the results stay the same."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from mapelites import InputError
from mapelites.campaign import Campaign, CampaignFolder, process
from mapelites.campaign.crews import LocalExecutor
from mapelites.campaign.runner import work_on_campaign
from mapelites.campaign.task import execute_task, task_payload
from mapelites.snapshot.snapshot import ELITE_ARRAYS, Snapshot

PATIENCE = 120.0


def deadly(text):
    """Kill the process that has a task of C18; do every other task."""
    if json.loads(text)["problem"] == "C18":
        os.kill(os.getpid(), signal.SIGKILL)
    return execute_task(text)


def threads(text):
    """How many threads the numerical libraries of the process that got the task may have."""
    return os.environ["OPENBLAS_NUM_THREADS"].encode()


def same_as_here(folder):
    """Every run of the folder has, bit for bit, the elites and the curve of the same task done in this process."""
    for task in folder.campaign.tasks:
        theirs, ours = folder.snapshot(task.name), Snapshot.from_bytes(execute_task(task_payload(task)))
        for name in ELITE_ARRAYS:
            assert np.array_equal(getattr(theirs.elites, name), getattr(ours.elites, name)), (task.name, name)
        assert np.array_equal(theirs.curve, ours.curve, equal_nan=True)


def until(true):
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)


def test_a_process_killed_in_the_middle_costs_nothing_but_time(tmp_path):
    campaign = Campaign(("C01", "C17"), (10,), ("paper-1", "paper-3"), runs=4, changes={"evaluations": 20_000})
    folder = CampaignFolder.create(tmp_path / "c", campaign)
    killed = []

    def watch(standing):
        if standing.done >= 3 and not killed:
            victim = multiprocessing.active_children()[0]
            os.kill(victim.pid, signal.SIGKILL)
            killed.append(victim.pid)

    standing = work_on_campaign(folder, lambda: LocalExecutor(2), watch)
    assert killed
    assert (standing.done, standing.failed) == (16, 0)
    assert multiprocessing.active_children() == []
    same_as_here(folder)


def test_a_task_that_always_kills_its_process_fails_after_three_times_and_harms_no_other(tmp_path):
    campaign = Campaign(("C01", "C18"), (10,), ("paper-1",), runs=1, changes={"evaluations": 500})
    folder = CampaignFolder.create(tmp_path / "c", campaign)
    standing = work_on_campaign(folder, lambda: LocalExecutor(2, do=deadly))
    assert (standing.done, standing.failed) == (1, 1)
    reasons = {result.instance.problem: result.failed for result in folder.results().values()}
    assert reasons == {"C01": None, "C18": "its process died 3 times"}


def test_a_process_has_one_numerical_thread_and_ours_keeps_its_own(monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "7")
    with LocalExecutor(1, do=threads) as crew:
        assert crew.submit("").result() == b"1"
    assert os.environ["OPENBLAS_NUM_THREADS"] == "7"


def test_a_crew_needs_a_process():
    with pytest.raises(InputError, match="processes must be at least 1, but it was 0"):
        LocalExecutor(0)


def test_a_detached_campaign_is_stopped_and_goes_on_after_a_kill_and_finishes(tmp_path):
    campaign = Campaign(("C17",), (10,), ("paper-3",), runs=6, changes={"evaluations": 300_000})
    folder = process.launch_campaign(tmp_path, campaign)
    until(lambda: folder.results())
    process.stop_campaign(folder)
    assert not folder.working()
    assert not folder.wanted
    assert process.resume_all(tmp_path) == []  # what somebody stopped stays stopped

    process.start_process(folder)
    assert folder.starting()
    until(folder.worker)
    os.kill(folder.worker(), signal.SIGKILL)
    until(lambda: not folder.working())
    assert folder.wanted
    assert [each.path for each in process.resume_all(tmp_path)] == [folder.path]
    until(lambda: len(folder.results()) == 6 and not folder.working())
    assert not folder.wanted
    assert folder.trouble == ""


def test_ctrl_c_in_the_terminal_keeps_what_is_done(tmp_path):
    command = [
        sys.executable, "-m", "mapelites", "campaign", "--problems", "C17", "--dims", "10", "--searches", "paper-3",
        "--runs", "40", "--evaluations", "100000", "--processes", "1", "--folder", str(tmp_path / "c"),
    ]  # fmt: skip
    folder = CampaignFolder(tmp_path / "c")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as terminal:
        until(lambda: folder.results())
        terminal.send_signal(signal.SIGINT)
        out, err = terminal.communicate()
    assert (terminal.returncode, err) == (130, "")
    assert "interrupted; what is done is kept" in out
    assert 0 < len(folder.results()) < 40
    assert len(folder.missing()) == 40 - len(folder.results())


def test_a_campaign_of_a_scheduler_that_is_no_longer_named_waits_and_says_so(tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(process, "start_process", lambda folder, scheduler: started.append(scheduler))
    campaign = Campaign(("C17",), (10,), ("paper-3",), runs=1)
    folder = CampaignFolder.create(process.folder_of(tmp_path, campaign), campaign)
    folder.note_scheduler("tcp://named.example:8786")
    for schedulers in ((), ("tcp://named.example:8786",)):
        folder.put_wish("run")
        process.resume_all(tmp_path, schedulers)
        assert not folder.wanted
    assert started == ["tcp://named.example:8786"]
    assert folder.trouble == "the dashboard was started without its scheduler, --scheduler tcp://named.example:8786"
