"""Writing a problem: what the page opens with, says of the text, keeps, and refuses."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

import app
from components.problems import chooser as problem_chooser
from components.problems import editor as problem_editor
from components.problems import page as problems_page
from components.shared.context import Context
from components.shared.queue import RunQueue
from components.shell import frame as shell
from components.start import form as start_form
from mapelites import InputError, Settings, Tolerances
from mapelites.core.problem import BY_NAME
from mapelites.problems import get, names, own_problems
from mapelites.problems.formulas import problem_of
from mapelites.problems.own import saved
from mapelites.problems.suites import gallery
from mapelites.runs import RunRequest, Store
from server.cache import open_memory

DISC = "problem My disc\nvariable x from -2 to 2\nminimise x\nsubject to x^2 <= 1\n"


@pytest.fixture
def context(store: Store) -> Iterator[Context]:
    own_problems.watch([], store.path / "problems")
    yield Context(store, open_memory(Flask("test"), store.path / "figures"), RunQueue(store))
    own_problems.watch([])


def page(context: Context, address: str) -> str:
    path, _, query = address.partition("?")
    content, _ = shell.page_at(context, app.PAGES, path, f"?{query}")
    return str(content)


def test_a_saved_problem_is_listed_chosen_changed_and_deleted(context: Context) -> None:
    assert saved.save_problem(own_problems, DISC).name == "my-disc"
    assert "my-disc" in names()
    assert get("my-disc").title == "My disc"
    assert problem_chooser.problem_options()[0]["group"] == "Yours"
    assert start_form.form_defaults({"problem": "my-disc"})["dimension"] == "1"
    assert "/problems/new?edit=my-disc" in page(context, "/problems")
    assert "Change a problem" in page(context, "/problems/new?edit=my-disc")
    saved.save_problem(own_problems, DISC.replace("<= 1", "<= 4"), instead_of="my-disc")
    assert get("my-disc").values([[2.0]]).tolist() == [[2.0, 0.0]]
    saved.delete_problem(own_problems, "my-disc")
    assert "my-disc" not in names()
    with pytest.raises(InputError, match="there is none of that name"):
        saved.delete_problem(own_problems, "../my-disc")


@pytest.mark.parametrize("title", ["My disc", "Pressure vessel", "C01", "my DISC", "g07"])
def test_a_name_that_is_taken_is_refused(context: Context, title: str) -> None:
    saved.save_problem(own_problems, DISC)
    with pytest.raises(InputError, match="is taken: write another one behind the word problem"):
        saved.save_problem(own_problems, DISC.replace("My disc", title))


def test_the_page_opens_with_an_example_one_of_the_gallery_or_the_problem_of_a_run(
    context: Context, store: Store
) -> None:
    assert "My first problem" in page(context, "/problems/new")
    assert "problem My pressure vessel" in page(context, "/problems/new?from=pressure-vessel")
    problem = problem_of(DISC)
    run = store.create(RunRequest.of(problem, Tolerances.default(problem), Settings.of("paper-1", 1)))
    assert "problem My disc" in page(context, f"/problems/new?run={run}")
    for name in gallery.NAMES:
        assert problem_of(problem_editor.renamed(gallery.text(name))).name not in names()


def test_an_error_is_marked_below_its_character() -> None:
    shown, said = problem_editor._verdict("variable x from 0 to 1\nminimise 2*y\n")
    line, mark = "".join(str(getattr(each, "children", each)) for each in shown.children).split("\n")
    assert line.index("y") == mark.index("▲")
    assert "'y' is not known here" in str(said)
    assert "Ready. 1 variable, 1 inequality: g1." in str(problem_editor._verdict(DISC))


def test_a_file_that_is_no_text_is_refused() -> None:
    assert problem_editor.read_upload("data:,") == ""
    with pytest.raises(InputError, match="must be a text of formulas"):
        problem_editor.read_upload("data:x;base64,/w==")


def test_an_uploaded_program_is_text_that_means_nothing(context: Context, tmp_path: Path) -> None:
    harm = tmp_path / "harm"
    program = f"open({str(harm)!r}, 'w')\n__import__('os').system('touch {harm}')\n"
    text = problem_editor.read_upload("data:;base64," + base64.b64encode(program.encode()).decode())
    assert text == program
    with pytest.raises(InputError):
        saved.save_problem(own_problems, text)
    assert not harm.exists()
    assert not (context.store.path / "problems").exists() or not list((context.store.path / "problems").iterdir())


def test_the_list_says_what_is_wrong_with_a_file(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "mine.problem"
    path.write_text(DISC)
    own_problems.watch([path])
    before = problems_page.files_mark()
    assert problems_page.files_mark() == before
    path.write_text(DISC + "x <\n")
    assert problems_page.files_mark() != before
    said = page(context, "/problems")
    assert "mine.problem, line 5, column 3: a constraint needs" in said
    assert "The version before it is still used." in said
    assert "from mine.problem" in said


def test_a_problem_with_one_dimension_leaves_no_choice() -> None:
    levels = {"names": ["shell", "head", "volume", "length"], "levels": [[0.0]] * 4}
    request, errors = start_form.read_form(start_form.form_defaults({"problem": "pressure-vessel"}), levels, None)
    assert errors == {}
    assert request is not None
    assert (request.problem, request.dimension, request.title, request.spec.source) == (
        "pressure-vessel", 4, "Pressure vessel", BY_NAME,
    )  # fmt: skip
