"""What a campaign is, how it is kept, and that nothing is done twice."""

import errno
import json
import os
import stat
from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pytest

from mapelites import InputError, Tolerances, illuminate
from mapelites.__main__ import main, parser
from mapelites.campaign import Campaign, CampaignFolder, Instance
from mapelites.campaign import folder as folder_module
from mapelites.campaign import runner as runner_module
from mapelites.campaign.description import seed_of
from mapelites.campaign.folder import CampaignStatus, final_solutions, list_campaigns, unreadable_campaigns
from mapelites.campaign.runner import work_on_campaign
from mapelites.campaign.task import checkpoints, execute_task, task_payload
from mapelites.commands.campaign import parse_campaign
from mapelites.problems import get
from mapelites.snapshot.snapshot import Snapshot

SMALL = Campaign(("C01", "C18"), (10,), ("paper-1", "paper-3"), runs=2, changes={"evaluations": 600})


class Here:
    """A crew that does each task at once, in this process, and counts them."""

    def __init__(self, stop_after=None, broken=()):
        self.texts, self.stop_after, self.broken = [], stop_after, broken

    def capacity(self):
        return 1

    def submit(self, text):
        if self.stop_after == len(self.texts):
            raise KeyboardInterrupt
        self.texts.append(text)
        future = Future()
        try:
            if json.loads(text)["problem"] in self.broken:
                raise RuntimeError("a broken problem")
            future.set_result(execute_task(text))
        except RuntimeError as error:
            future.set_exception(error)
        return future

    def waiting_message(self):
        return ""

    def replace_pool(self):
        raise AssertionError("nothing died here")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def done(path, campaign=SMALL, **crew):
    here = Here(**crew)
    return work_on_campaign(CampaignFolder.create(path, campaign), lambda: here), here


def test_a_campaign_is_every_problem_dimension_search_and_run():
    campaign = Campaign(("C01", "C07"), (10, 30), ("paper-1", "paper-2", "paper-3"), runs=25)
    assert campaign.count == len(campaign.tasks) == len({task.name for task in campaign.tasks}) == 300
    assert campaign.evaluations == 2 * 3 * 25 * (200_000 + 600_000)


def test_a_typed_problem_stays_in_its_campaign_as_it_was():
    text = "problem my-bar\nvariable x from 0 to 3\nminimise x^2\nsubject to low: x >= 1\n"

    def typed(formulas):
        source = {"kind": "formulas", "text": formulas}
        changes = {"evaluations": 300}
        return Campaign(("my-bar",), (10,), ("paper-1",), runs=1, changes=changes, sources={"my-bar": source})

    campaign = typed(text)
    again = Campaign.from_json(campaign.to_json())
    assert (again, again.id, again.tables) == (campaign, campaign.id, (0,))
    (task,) = again.tasks
    assert (task.instance.table, task.spec.dimension, task.spec.get_problem().constraints[0].name) == (0, 1, "low")
    assert Snapshot.from_bytes(execute_task(task_payload(task))).evaluations == 300
    assert typed(text.replace(">= 1", ">= 2")).id != campaign.id
    assert "sources" not in json.loads(SMALL.to_json())


def test_the_size_of_a_campaign_is_told_without_making_its_runs():
    campaign = Campaign(("C01", "C07"), (10, 30), ("paper-1", "paper-2", "paper-3"), runs=1_000)
    assert (campaign.count, campaign.evaluations) == (12_000, 4_800_000_000)
    assert "tasks" not in vars(campaign)


def test_the_papers_experiment_is_2700_runs_and_over_a_billion_evaluations():
    campaign = Campaign(tuple(f"C{k:02}" for k in range(1, 19)), (10, 30), ("paper-1", "paper-2", "paper-3"))
    assert (campaign.count, campaign.evaluations) == (2_700, 1_080_000_000)


def test_every_instance_gets_its_first_run_before_any_gets_its_second():
    indices = [task.index for task in SMALL.tasks]
    assert indices == sorted(indices)


def test_every_run_has_a_seed_of_its_own_that_subsets_do_not_change():
    seeds = {task.name: task.spec.settings.seed for task in SMALL.tasks}
    assert len(set(seeds.values())) == SMALL.count
    one = Campaign(("C18",), (10,), ("paper-3",), runs=5, changes={"evaluations": 600})
    assert {task.spec.settings.seed for task in one.tasks} >= {
        s for n, s in seeds.items() if n.startswith("C18-10d-paper-3")
    }


def test_another_campaign_seed_gives_other_runs():
    place = Instance("C01", 10, "paper-1")
    assert seed_of(1, place, 1) != seed_of(2, place, 1)
    assert 0 <= seed_of(1, place, 1) < 2**53


def test_a_description_survives_json_and_has_one_id():
    campaign = Campaign(("C02",), (10,), ("paper-2",), 3, 7, {"": (0, 0.1), "g1": ("0", "2")}, {"sigma": 0.2})
    again = Campaign.from_json(campaign.to_json())
    assert again == campaign
    assert again.id == campaign.id != SMALL.id
    assert again.tasks[0].spec.tolerances.levels == ((0.0, 2.0), (0.0, 0.1), (0.0, 0.1))
    assert again.tasks[0].spec.settings.sigma == 0.2


def test_the_command_of_a_campaign_describes_it():
    campaign = Campaign(("C02", "C16"), (10, 30), ("paper-2",), 3, 7, {"": (0, 0.1), "g1": (0, 2)}, {"sigma": 0.2})
    options = parser().parse_args(campaign.command.split()[3:])
    assert parse_campaign(options) == campaign


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"problems": ()}, "problems: a campaign needs at least one, but there was none"),
        ({"problems": ("C99",)}, "the problem must be one of C01"),
        ({"dimensions": (5_000,)}, "C01: the dimension must be 1 to"),
        ({"dimensions": ("10",)}, "a dimension must be a whole number from 1 to 1,000,000, but it was '10'"),
        ({"searches": ("best",)}, "search must be one of paper-1"),
        ({"runs": 0}, "runs must be a whole number from 1 to 1,000, but it was 0"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"levels": {"h9": (0, 1)}}, "levels: no problem of this campaign has a constraint 'h9'"),
        ({"levels": {"": (1, 0.5)}}, "levels: levels must ascend, but 1 comes before 0.5"),
        ({"changes": {"evaluations": 0}}, "evaluations must be from 1"),
        ({"changes": {"speed": 1}}, "a setting must be one of"),
        ({"dimensions": tuple(range(4, 29)), "searches": ("a", "b", "c", "d", "e"), "runs": 1000},
         "a campaign holds at most 100,000 runs, but this one would have 125,000"),
    ],
)  # fmt: skip
def test_a_wrong_part_is_refused_in_words(parts, message):
    with pytest.raises(InputError, match=message):
        Campaign(**{"problems": ("C01",), "dimensions": (10,), "searches": ("paper-1",), **parts})


def test_a_text_that_describes_no_campaign_is_refused():
    with pytest.raises(InputError, match="a campaign's description must be a JSON table"):
        Campaign.from_json("[1]")


def test_a_task_ends_in_the_archive_of_the_same_search_run_alone():
    task = SMALL.tasks[-1]
    snapshot = Snapshot.from_bytes(execute_task(task_payload(task)))
    problem = get("C18", 10)
    alone = illuminate(problem, Tolerances.default(problem), "paper-3", 600, task.spec.settings.seed)
    assert np.array_equal(snapshot.archive().elites.x, alone.elites.x)


def test_the_command_of_a_task_repeats_it(tmp_path, capsys):
    campaign = Campaign(("C02",), (10,), ("paper-3",), 1, 1, {"g1": (0, 0.5)}, {"evaluations": 700, "sigma": 0.25})
    task = campaign.tasks[0]
    words = task.command.split()[3:]
    assert main([*words, "--quiet", "--out", str(tmp_path / "alone.npz")]) == 0
    capsys.readouterr()
    alone = Snapshot.from_bytes((tmp_path / "alone.npz").read_bytes())
    ours = Snapshot.from_bytes(execute_task(task_payload(task)))
    assert alone.spec == ours.spec
    assert np.array_equal(alone.elites.x, ours.elites.x)


def test_curves_are_taken_at_the_same_evaluations_in_every_run():
    first, second = (Snapshot.from_bytes(execute_task(task_payload(task))).curve for task in SMALL.tasks[:2])
    assert first[:, 0].tolist() == second[:, 0].tolist() == checkpoints(600).tolist()
    assert checkpoints(1).tolist() == [1]


def test_a_worker_with_another_search_is_refused():
    table = {**json.loads(task_payload(SMALL.tasks[0])), "engine": "other"}
    with pytest.raises(InputError, match="a worker must have the search that the campaign began with, other, but"):
        execute_task(json.dumps(table))


def test_the_same_campaign_again_does_nothing(tmp_path):
    standing, here = done(tmp_path / "c")
    assert (standing.done, len(here.texts)) == (8, 8)
    standing, here = done(tmp_path / "c")
    assert (standing.done, len(here.texts)) == (8, 0)
    assert len(CampaignFolder(tmp_path / "c").sessions()) == 1


def test_interrupted_it_goes_on_where_it_was_and_ends_the_same(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        done(tmp_path / "cut", stop_after=3)
    assert len(CampaignFolder(tmp_path / "cut").results()) == 3
    _, here = done(tmp_path / "cut")
    assert len(here.texts) == 5
    done(tmp_path / "whole")
    cut, whole = (final_solutions(CampaignFolder(tmp_path / name).results().values()) for name in ("cut", "whole"))
    assert cut == whole


def test_a_kill_between_file_and_line_or_in_the_middle_of_a_line_loses_nothing(tmp_path):
    done(tmp_path / "c")
    lines = tmp_path / "c" / "results.jsonl"
    before = CampaignFolder(tmp_path / "c").results()
    lines.write_bytes(lines.read_bytes()[:-40])
    assert len(CampaignFolder(tmp_path / "c").results()) == 7
    _, here = done(tmp_path / "c")
    assert here.texts == []
    assert CampaignFolder(tmp_path / "c").results() == before


def test_a_lost_run_file_is_made_again(tmp_path):
    done(tmp_path / "c")
    folder = CampaignFolder(tmp_path / "c")
    folder.run_file(SMALL.tasks[0].name).unlink()
    _, here = done(tmp_path / "c")
    assert here.texts == [task_payload(SMALL.tasks[0])]


def test_files_of_runs_that_are_damaged_or_exchanged_are_not_taken_for_theirs_and_are_made_again(tmp_path):
    done(tmp_path / "c")
    folder = CampaignFolder(tmp_path / "c")
    sound, (one, two) = folder.results(), [folder.run_file(task.name) for task in SMALL.tasks[:2]]
    content = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(bytes([*content[:2000], content[2000] ^ 1, *content[2001:]]))
    with pytest.raises(InputError, match=r"must be of its search, but is of another"):
        folder.snapshot(SMALL.tasks[0].name)
    (tmp_path / "c" / "results.jsonl").unlink()
    _, here = done(tmp_path / "c")
    assert here.texts == [task_payload(task) for task in SMALL.tasks[:2]]
    assert {name: replace(each, seconds=0) for name, each in folder.results().items()} == {
        name: replace(each, seconds=0) for name, each in sound.items()
    }
    assert sorted(each.name for each in (tmp_path / "c" / "damaged").iterdir()) == sorted([one.name, two.name])


def test_a_task_that_fails_is_kept_as_failed_and_tried_again_next_time(tmp_path):
    standing, _ = done(tmp_path / "c", broken=("C01",))
    assert (standing.done, standing.failed) == (4, 4)
    failed = [result for result in CampaignFolder(tmp_path / "c").results().values() if result.failed]
    assert {result.failed for result in failed} == {"RuntimeError: a broken problem"}
    standing, here = done(tmp_path / "c")
    assert (standing.done, standing.failed, len(here.texts)) == (8, 0, 4)


def test_a_folder_of_another_campaign_is_refused(tmp_path):
    CampaignFolder.create(tmp_path / "c", SMALL)
    other = Campaign(("C07",), (10,), ("paper-1",))
    with pytest.raises(InputError, match=f"the campaign that was asked for, {other.id}, but it holds another one"):
        CampaignFolder.create(tmp_path / "c", other)


def test_two_processes_cannot_work_on_one_campaign(tmp_path):
    folder = CampaignFolder.create(tmp_path / "c", SMALL)
    descriptor = folder.acquire()
    with open(descriptor), pytest.raises(InputError, match=r"process \d+ is working on it already"):
        done(tmp_path / "c")


def test_a_campaign_that_could_not_be_taken_though_nobody_has_it_says_so(tmp_path, monkeypatch):
    folder = CampaignFolder.create(tmp_path / "c", SMALL)
    folder.put_wish("run")
    monkeypatch.setattr(folder_module, "try_lock", lambda path: None)
    with pytest.raises(InputError, match="another process is working on it already"):
        done(tmp_path / "c")
    assert "another process is working on it already" in folder.trouble
    assert not folder.wanted


def test_a_campaign_another_process_works_on_is_in_no_trouble(tmp_path):
    folder = CampaignFolder.create(tmp_path / "c", SMALL)
    with open(folder.acquire()), pytest.raises(InputError):
        done(tmp_path / "c")
    assert folder.trouble == ""


def test_a_disk_that_fills_up_is_the_trouble_of_the_campaign_and_leaves_no_half_file(tmp_path, monkeypatch):
    sync, path = os.fsync, tmp_path / "c"

    def full(descriptor):
        about = os.fstat(descriptor)
        if stat.S_ISREG(about.st_mode) and about.st_size > 1_000:  # a run file; small ones still find room
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device"):
        done(path)
    assert CampaignFolder(path).trouble == "OSError: [Errno 28] No space left on device"
    assert not CampaignFolder(path).wanted
    assert list((path / "runs").iterdir()) == []


def test_tasks_that_wait_for_a_worker_are_not_said_to_run(tmp_path):
    crew, told = Here(), []
    crew.waiting_message = lambda: "waiting for a worker"
    crew.submit = lambda text: Future()

    def watch(standing):
        told.append(standing)
        if standing.note:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work_on_campaign(CampaignFolder.create(tmp_path / "c", SMALL), lambda: crew, watch)
    assert (told[-1].note, told[-1].running) == ("waiting for a worker", ())


def test_results_of_two_versions_of_the_search_are_not_mixed(tmp_path, monkeypatch):
    with pytest.raises(KeyboardInterrupt):
        done(tmp_path / "c", stop_after=1)
    monkeypatch.setattr(runner_module, "engine_mark", lambda: "newer")
    with pytest.raises(InputError, match=r"begun with another version of the search .* but this is newer"):
        done(tmp_path / "c")


def test_a_campaign_that_has_no_results_yet_takes_the_search_of_today(tmp_path, monkeypatch):
    monkeypatch.setattr(folder_module, "engine_mark", lambda: "older")
    CampaignFolder.create(tmp_path / "c", SMALL)
    monkeypatch.undo()
    standing, _ = done(tmp_path / "c")
    assert standing.done == 8
    assert CampaignFolder(tmp_path / "c").engine != "older"


def test_a_run_is_found_by_its_name_and_by_no_other(tmp_path):
    done(tmp_path / "c")
    folder = CampaignFolder(tmp_path / "c")
    assert folder.snapshot("C01-10d-paper-1-01").spec.problem == "C01"
    with pytest.raises(InputError, match=r"it has no run '\.\./\.\./c/runs/C01-10d-paper-1-01'"):
        folder.content("../../c/runs/C01-10d-paper-1-01")


def test_a_folder_without_a_campaign_or_with_a_damaged_one_says_so(tmp_path):
    with pytest.raises(InputError, match="there is no campaign in this folder"):
        _ = CampaignFolder(tmp_path).campaign
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "campaign.json").write_text("{")
    with pytest.raises(InputError, match=r"its campaign\.json cannot be read"):
        _ = CampaignFolder(tmp_path / "bad").campaign
    assert list_campaigns(tmp_path) == []


def test_a_version_changes_with_every_result(tmp_path):
    folder = CampaignFolder.create(tmp_path / "c", SMALL)
    before = folder.version()
    folder.keep(SMALL.tasks[0], execute_task(task_payload(SMALL.tasks[0])))
    assert folder.version() != before


def test_a_damaged_line_or_small_file_of_a_campaign_costs_itself_and_no_number(tmp_path):
    campaign = Campaign(("C17",), (10,), ("paper-3",), runs=2, changes={"evaluations": 2_000})
    folder = CampaignFolder.create(tmp_path / "c", campaign)
    for task in campaign.tasks:
        folder.keep(task, execute_task(task_payload(task)))
    sound = folder.results()
    file = tmp_path / "c" / "results.jsonl"
    lines = file.read_bytes()
    for place in range(0, len(lines), 7):
        damaged = bytearray(lines)
        damaged[place] ^= 2
        file.write_bytes(damaged)
        assert all(sound[name] == result for name, result in folder.results().items())
    file.write_bytes(b"\xff" + lines)
    assert folder.missing() == []
    assert folder.results() == sound, "a damaged line is made again from its run"
    for name in ("status.json", "sessions.jsonl", "wanted", "process", "trouble", "scheduler"):
        (tmp_path / "c" / name).write_bytes(b"\xff[1]\n{}}")
    held = folder.acquire()
    assert (folder.status, folder.sessions(), folder.wanted, folder.process) == (CampaignStatus(), [], False, None)
    os.close(held)
    about = (tmp_path / "c" / "campaign.json").read_text()
    (tmp_path / "c" / "campaign.json").write_text(about.replace('"format": 1', '"format":  1').replace("2000", "2001"))
    assert list(unreadable_campaigns(tmp_path)) == ["c"]
    with pytest.raises(InputError, match="its check sum is another than that of what it says"):
        CampaignFolder(tmp_path / "c").campaign.id  # noqa: B018


def test_a_campaign_keeps_constraints_hard_and_takes_levels_in_per_cent_where_limits_are_known():
    campaign = Campaign(("C17",), (10,), ("directed",), runs=1, hard=("g1",), changes={"evaluations": 600})
    (task,) = campaign.tasks
    assert task.spec.tolerances.hard == ("g1",)
    assert "--hard g1" in campaign.command
    assert "--hard g1" in task.command
    assert Campaign.from_json(campaign.to_json()) == campaign
    with pytest.raises(InputError, match="no problem of this campaign has a constraint 'g9'"):
        Campaign(("C17",), (10,), ("directed",), hard=("g9",))
    with pytest.raises(InputError, match="g1: 5% cannot be worked out"):
        Campaign(("C17",), (10,), ("directed",), levels={"": ("0", "5%")})
