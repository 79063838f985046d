"""A report in every format, from a campaign small enough to know every number of."""

import csv
import io
import json
from dataclasses import replace

import pytest

from mapelites.__main__ import main
from mapelites.campaign import Campaign, CampaignFolder, Instance
from mapelites.campaign.folder import CampaignResult
from mapelites.campaign.report.formats import FORMATS
from mapelites.campaign.report.table import departures, report_of

CAMPAIGN = Campaign(("C01", "C18"), (10,), ("paper-1", "paper-3"), runs=3)
VALUES = {  # f and the two violations of each run
    ("C01", "paper-1"): [(-0.5, 0, 0), (-0.45, 0, 0), (-0.4, 0, 0)],
    ("C01", "paper-3"): [(-0.6, 0, 0), (-0.3, 0, 0), (-0.55, 0, 0)],
    ("C18", "paper-1"): [(7.0, 2.0, 0.5), (900.0, 0, 0), (3.0, 0, 0.02)],
    ("C18", "paper-3"): [(0.25, 0, 0), (0.5, 0, 0), (1e9, 0, 0)],
}


def report(tmp_path, values=VALUES):
    folder = CampaignFolder.create(tmp_path / "c", CAMPAIGN)
    for (problem, search), runs in values.items():
        for index, (f, *violations) in enumerate(runs, 1):
            task = CAMPAIGN.task(Instance(problem, 10, search), index)
            plain = CampaignResult(task.name, task.instance, index, task.spec.settings.seed)
            result = replace(plain, f=f, violations=tuple(map(float, violations)))
            folder._append("results.jsonl", result.as_line())
    return report_of(folder)


def test_latex_has_the_papers_form(tmp_path):
    lines = FORMATS["latex"](report(tmp_path)).splitlines()
    assert lines[0] == r"\begin{table*}[t]"
    assert r"3 independent runs of MAP-Elites (Configuration 1) on 10D problems" in lines[1]
    assert r"Function &Best &Worst &Median &$c$ &$\bar{v}$ &Mean &Std & FR\\" in lines
    assert r"C01 &-5.000e-01(0) &-4.000e-01(0) &-4.500e-01(0) &(0, 0, 0) &0 &-4.500e-01 &4.082e-02 &1.0\\" in lines
    assert r"C18 &9.000e+02(0) &7.000e+00(2) &3.000e+00(1) &(0, 1, 1) &1.000e-02 &3.033e+02 &4.219e+02 &0.33\\" in lines
    assert lines.count(r"\end{table*}") == 2


def test_the_terminal_and_markdown_stand_beside_the_published_tables(tmp_path):
    made = report(tmp_path)
    text, marked = FORMATS["terminal"](made), FORMATS["markdown"](made)
    assert "-4.500e-01(0)" in text
    assert "10D, paper-1 against paper-3: 0 / 2 / 0" in text
    beside = (
        "| C01 | -4.500e-01(0) | 1.0 | -4.400e-01(0) | 1.0 | agrees | agrees | -7.473e-01(0) | 1.0 | ours is worse |"
    )
    assert beside in marked
    assert "- C01: the weights under the root count from 0 instead of 1" in marked
    assert "C14: " not in marked  # it was not run


def test_csv_has_one_line_per_instance_in_full_precision(tmp_path):
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"](report(tmp_path)))))
    assert [(row["problem"], row["search"]) for row in rows] == [
        ("C01", "paper-1"), ("C18", "paper-1"), ("C01", "paper-3"), ("C18", "paper-3"),
    ]  # fmt: skip
    assert float(rows[1]["feasibility_rate"]) == 1 / 3
    assert rows[1]["paper_median"] == "589.4"
    assert (rows[1]["c1"], rows[1]["c2"], rows[1]["c3"]) == ("0", "1", "1")
    assert int(rows[0]["best_seed"]) == CAMPAIGN.task(Instance("C01", 10, "paper-1"), 1).spec.settings.seed


def test_json_has_every_run_and_reads_back(tmp_path):
    table = json.loads(FORMATS["json"](report(tmp_path)))
    assert Campaign.from_json(json.dumps(table["campaign"])) == CAMPAIGN
    assert [final["f"] for final in table["rows"][1]["finals"]] == [7.0, 900.0, 3.0]
    assert table["versions"].keys() == {"python", "numpy", "numba"}
    assert {each["outcome"] for each in table["comparisons"]} == {"tie"}


@pytest.mark.parametrize("name", FORMATS)
def test_a_campaign_without_results_has_an_empty_report_in_every_format(tmp_path, name):
    lines = FORMATS[name](report(tmp_path, {})).splitlines()
    assert not [line for line in lines if line.strip(" |").startswith(("C01 ", "C01,", '"finals"'))]


def test_the_report_command_writes_a_file_and_knows_what_it_does_not_know(tmp_path, capsys):
    report(tmp_path)
    assert main(["report", str(tmp_path / "c"), "--format", "csv", "--out", str(tmp_path / "r.csv")]) == 0
    assert (tmp_path / "r.csv").read_text().startswith("problem,dimension,search")
    assert main(["report", str(tmp_path / "c")]) == 0
    assert "10D, paper-3" in capsys.readouterr().out
    assert main(["report", "c0000", "--data", str(tmp_path)]) == 2
    assert "campaign: there is none with the id 'c0000'" in capsys.readouterr().err


def test_a_campaign_under_other_conditions_than_the_published_ones_says_so(tmp_path):
    other = Campaign(("C01",), (10,), ("paper-1",), 1, 1, {"": (0, 0.5)}, {"evaluations": 500})
    words = "under other conditions: this campaign has evaluations 500; levels of all constraints 0.0, 0.5."
    for name in ("terminal", "markdown"):
        assert words in FORMATS[name](report_of(CampaignFolder.create(tmp_path / "other", other)))
        assert "other conditions" not in FORMATS[name](report(tmp_path))


def test_a_campaign_with_what_is_maximised_says_which_sign_its_values_have(tmp_path):
    other = Campaign(("haverly-pooling", "welded-beam"), (10,), ("directed",), 1)
    for name in ("terminal", "markdown"):
        told = FORMATS[name](report_of(CampaignFolder.create(tmp_path / name, other)))
        assert "Values are those of what is minimised: minus the objective of Haverly pooling." in told
        assert "minus the objective" not in FORMATS[name](report(tmp_path / f"{name}-paper"))


def test_a_budget_that_is_the_papers_in_one_dimension_departs_in_the_other_alone():
    campaign = Campaign(("C01",), (10, 30), ("paper-1",), 1, 1, {"": (0, 1e-4, 1e-2, 1)}, {"evaluations": 200_000})
    assert departures(campaign, 10, "paper-1") == ()
    assert departures(campaign, 30, "paper-1") == ("evaluations 200,000",)
