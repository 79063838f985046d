"""The figures of style, counted in a small tree whose figures are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.style_figures import Share, figures_of, main

LONG = "def _make_long_list():\n" + "    x = 1\n" * 60
CODE = '''"""A module."""

# A comment on a line of its own.
RATE = 2  # one beside code


class Thing:
    """A class."""

    def __init__(self):
        pass

    def grow(self):
        """A method."""

    def shrink_it(self):
        pass


def _hide():
    pass
'''
TEST = """import pytest

def test_refuses():
    with pytest.raises(ValueError, match="must"):
        pass
    with pytest.raises(ValueError):
        pass
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in {
        "room/thing.py": CODE, "room/long.py": LONG, "room/empty.py": "", "tests/test_thing.py": TEST,
        ".venv/skipped.py": LONG * 9, "room/__pycache__/skipped.py": LONG * 9,
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_every_figure_of_a_small_tree_is_counted(tree: Path) -> None:
    found = figures_of(tree)
    assert found.largest_folder == ("room", 3)
    assert found.largest_file == ("room/long.py", 61)
    assert found.long_functions == Share(1, 5)
    assert found.documented == Share(3, 6)  # three modules, a class and two methods
    assert found.one_word_names == Share(2, 4)  # grow and _hide; dunder methods are not counted
    assert found.comment_lines == Share(1, 74)  # 12 and 61 lines of code
    assert found.checked_raises == Share(1, 2)


def test_the_table_names_every_figure(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tree)]) == 0
    assert "functions over 60 lines                  20.0 % (1 of 5)" in capsys.readouterr().out


def test_a_folder_without_python_is_refused_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert "root must be a folder with Python files, but" in capsys.readouterr().err
