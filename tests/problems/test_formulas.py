"""Formulas: what they compute, where their errors point, how they look, and that nothing in them is ever executed."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapelites.core.problem import Array
from mapelites.problems.formulas import FormulaError, problem_of, typeset
from mapelites.problems.formulas.document import read_document
from mapelites.problems.formulas.functions import CONSTANTS, FUNCTIONS
from mapelites.problems.formulas.instructions import InstructionBuilder
from mapelites.problems.suites import gallery

HEAD = "variable x from -3 to 3\nvariable y from 0.5 to 4\nvariable n from 1 to 9 integer\n"
SIMPLE = HEAD + "minimise x + y\nsubject to x*y <= 1\n"


def minimised(formula: str, point: list[float]) -> float:
    return float(problem_of(f"{HEAD}minimise {formula}\nsubject to x <= 1").values([point])[0, 0])


# Python itself says what an expression is worth: the same text, spelled its way.
PYTHON = {
    "__builtins__": {}, "sqrt": math.sqrt, "exp": math.exp, "log": math.log, "ln": math.log, "log10": math.log10,
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "abs": abs, "floor": math.floor, "ceil": math.ceil,
    "sign": lambda a: math.copysign(1.0, a) if a else 0.0, "min": min, "max": max, "atan2": math.atan2, **CONSTANTS,
}  # fmt: skip


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> str:
    if depth == 0:
        return draw(st.sampled_from(["x", "y", "n", "2", "0.5", "3.25e-1", "1e2", "pi", "e"]))
    inner = expressions(depth=depth - 1)
    kind = draw(st.sampled_from(["+", "-", "*", "/", "^", "negative", "parentheses", "function"]))
    if kind == "negative":
        return f"-{draw(inner)}"
    if kind == "parentheses":
        return f"({draw(inner)})"
    if kind == "function":
        name = draw(st.sampled_from(sorted(FUNCTIONS)))
        count = FUNCTIONS[name].arguments or draw(st.integers(2, 3))
        return f"{name}({', '.join(draw(inner) for _ in range(count))})"
    return f"{draw(inner)} {kind} {draw(inner)}"


@given(expressions(), st.floats(-3, 3), st.floats(0.5, 4), st.integers(1, 9))
@settings(max_examples=400)
def test_every_expression_is_worth_what_python_says(formula: str, x: float, y: float, n: int) -> None:
    try:
        expected = eval(formula.replace("^", "**"), PYTHON, {"x": x, "y": y, "n": float(n)})
    except (ValueError, ZeroDivisionError, OverflowError):
        return
    if isinstance(expected, complex) or abs(expected) > 1e100:
        return
    found = minimised(formula, [x, y, float(n)])
    # A step such as floor may fall the other way when the last bit differs; everything else agrees to rounding.
    if "floor" in formula or "ceil" in formula or "sign" in formula:
        return
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("floor(y) + ceil(y) + sign(x)", 2.0 + 3.0 - 1.0),
        ("-y^2", -6.25),
        ("2^n^2", 512.0),
        ("2**-1", 0.5),
        ("10 - 2 - 3", 5.0),
        ("100 / 5 / 2", 10.0),
        ("- - x", -2.0),
        ("6 ÷ 3 × 2 − 1", 3.0),
        ("y² - 2*x³", 6.25 + 16.0),
        ("π - pi", 0.0),
    ],
)
def test_signs_bind_as_in_mathematics(formula: str, value: float) -> None:
    assert minimised(formula, [-2.0, 2.5, 3.0]) == value


def test_comparisons_become_values_that_are_violated_above_zero() -> None:
    text = HEAD + "minimise x\nsubject to\n x <= 1\n y >= 2\n x*y = 3\n 1 <= n"
    found = problem_of(text).evaluate([[3.0, 1.5, 2.0]])
    assert found.g.tolist() == [[2.0, 0.5, -1.0]]
    assert found.h.tolist() == [[1.5]]


def test_variables_with_a_step_are_rounded_before_anything_is_computed() -> None:
    problem = problem_of("variable a from 0.0625 to 1 step 0.0625\nvariable k from 1 to 9 integer\nminimise a + k\n"
                         "subject to a <= 1")  # fmt: skip
    assert problem.rounded([[0.1, 3.4], [0.99, 8.6], [-5.0, 99.0]]).tolist() == [[0.125, 3], [1.0, 9], [0.0625, 9]]
    points = np.random.default_rng(1).uniform(problem.lower, problem.upper, (200, 2))
    on_grid = problem.rounded(points)
    assert np.array_equal(problem.rounded(on_grid), on_grid)
    assert np.array_equal(problem.values(points), problem.values(on_grid))
    assert problem.values(points)[:, 0].tolist() == on_grid.sum(axis=1).tolist()


def test_a_whole_variable_is_a_whole_number_whatever_its_bounds() -> None:
    problem = problem_of("variable n from 0.5 to 4.5 integer\nminimise n\nsubject to n >= 2")
    assert (problem.lower.tolist(), problem.upper.tolist()) == ([1.0], [4.0])


def test_keywords_may_have_capital_letters_and_names_may_be_keywords_with_some() -> None:
    text = "Problem A can\nVariable Source From 0 To 2\nMINIMISE Source\nSubject To Step: Source >= 1\nSource <= 1.5"
    problem = problem_of(text)
    assert (problem.title, problem.variables) == ("A can", ("Source",))
    assert [each.name for each in problem.constraints] == ["Step", "g2"]
    assert problem.values([[0.5]]).tolist() == [[0.5, 0.5, -1.0]]


def test_long_names_of_constraints_stay_apart() -> None:
    name = "deflection_of_the_free_end_in_"
    problem = problem_of(HEAD + f"minimise x\nsubject to {name}x: x <= 1\n{name}y: y <= 1")
    assert [each.name for each in problem.constraints] == [f"{name}x", f"{name}y"]


def test_maximise_minimises_the_opposite_and_definitions_are_shared() -> None:
    problem = problem_of(HEAD + "let u = x*y\nlet v = u^2\nmaximise v - u\nsubject to u <= 1")
    assert problem.values([[2.0, 1.5, 1.0]]).tolist() == [[-(9.0 - 3.0), 2.0]]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, 1, "there is no variable yet"),
        (HEAD, 4, 1, "there is no objective yet"),
        (HEAD + "minimise x", 4, 11, "there is no constraint yet"),
        (HEAD + "minimise x + z\nsubject to x <= 1", 4, 14, "'z' is not known here"),
        (HEAD + "minimise sqr(x)", 4, 10, "'sqr' is not a function: did you mean sqrt?"),
        (HEAD + "minimise 2 x", 4, 12, "is an operator such as * missing?"),
        (HEAD + "minimise x\nsubject to x <= 1 psi", 5, 19, "a unit stands in square brackets, such as [psi]"),
        (HEAD + "minimise x\nsubject to x <= 1 %", 5, 19, "which stands in square brackets, such as [%]"),
        (HEAD + "minimise x\nsubject to x <= 1 [psi] [mm]", 5, 25, "there is one unit already, [psi]"),
        (HEAD + "minimise x*(1 + y\nsubject to x <= 1", 4, 12, "is not closed"),
        (HEAD + "minimise (x y)", 4, 13, "is an operator such as * missing?"),
        (HEAD + "minimise x + \n", 4, 12, "this line ends with '+', but nothing follows it"),
        (HEAD + "minimise x +\n\nsubject to x <= 1", 4, 12, "this line ends with '+', but nothing follows it"),
        (HEAD + "minimise x *\nlimit: x <= 1", 4, 12, "this line ends with '*', but nothing follows it"),
        (HEAD + "minimise x\nsubject to x <= \nvariable z from 0 to 1", 5, 14, "this line ends with '<='"),
        (HEAD + "minimise x/0", 4, 10, "this is never a finite number: it divides by zero"),
        (HEAD + "let a = 1 - 1\nminimise x/a", 5, 10, "this is never a finite number: it divides by zero"),
        (HEAD + "minimise x + sqrt(-1)", 4, 10, "this is never a finite number: a part of it without variables"),
        (HEAD + "minimise exp(1000)", 4, 10, "this is never a finite number"),
        (HEAD + "minimise x\nsubject to 1/0*n <= 60", 5, 12, "this is never a finite number: it divides by zero"),
        (HEAD + "minimise x\nsubject to 1 <= 2", 5, 12, "there is no variable in this constraint"),
        (HEAD + "minimise x\nsubject to x => 2", 5, 14, "write >= instead of =>"),
        (HEAD + "min x\nsubject to x <= 2", 4, 1, "write minimise instead of min"),
        (HEAD + f"minimise x\nsubject to {'a' * 41}: x <= 1", 5, 12, "a name must have at most 40 characters"),
        ("variable n from 0.5 to 1.5 integer", 1, 10, "two whole numbers or more must lie within the bounds of n"),
        ("variable n from 0 to 9 integer step 0.5", 1, 10, "the step of n must be a whole number"),
        (HEAD + "minimise x; y", 4, 11, "without ;"),
        (HEAD + "minimise x @ y", 4, 12, "'@' means nothing here"),
        (HEAD + "minimise atan2(x)", 4, 10, "'atan2' takes 2, but it was given 1"),
        (HEAD + "minimise 1e999", 4, 10, "too large"),
        (HEAD + "minimise x\nsubject to x < 1", 5, 14, "write <= instead"),
        (HEAD + "minimise x\nsubject to 0 <= x <= 1", 5, 19, "one comparison a line"),
        (HEAD + "minimise x\nminimise y", 5, 1, "this is a second one"),
        (HEAD + "variable x from 0 to 1", 4, 10, "'x' is declared already"),
        ("variable x from 1 to 0", 1, 10, "must be below the upper one"),
        ("variable x from 0 to y", 1, 22, "'y' is not known here"),
        ("variable x from 1/(1/0) to 1", 1, 17, "a number is needed here"),
        ("variable x", 1, 11, "'x' needs bounds"),
        ("variable sin from 0 to 1", 1, 10, "'sin' has a meaning of its own"),
        ("variable x from 0 to 1 step 7", 1, 10, "the step of x"),
        (HEAD + "minimize x\nsubject to limit x <= 1", 5, 12, "begins no statement"),
        ("best high\n" + SIMPLE, 1, 5, "a number"),
        (HEAD + "minimise " + "(" * 100 + "x", 4, 70, "inside of each other"),
        (HEAD + "minimise " + "x^" * 100 + "x", 4, None, "inside of each other"),
        ("#" * 30_000, 1, 20_001, "at most 20,000 characters"),
    ],
)  # fmt: skip
def test_an_error_points_at_the_character(text: str, line: int, column: int | None, words: str) -> None:
    with pytest.raises(FormulaError) as caught:
        read_document(text)
    assert words in str(caught.value)
    assert caught.value.line == line
    if column is not None:
        assert caught.value.column == column
    assert text.split("\n")[line - 1] == caught.value.shown


def test_a_long_sum_is_no_deeper_than_a_short_one() -> None:
    text = HEAD + "minimise " + "+".join(["x"] * 5_000) + "\nsubject to " + "*".join(["y"] * 4_000) + " >= 0"
    problem = problem_of(text)
    assert problem.values([[2.0, 1.0, 1.0]]).tolist() == [[10_000.0, -1.0]]
    assert problem.formula.count("x") == 5_000


def test_a_definition_takes_no_more_work_where_many_came_before(monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out: list[object] = []
    work_out = InstructionBuilder.do
    monkeypatch.setattr(InstructionBuilder, "do", lambda *given: (worked_out.append(given), work_out(*given))[1])
    works = []
    for many in (50, 500):
        worked_out.clear()
        read_document(HEAD + "".join(f"let a{i} = x*{i}\n" for i in range(many)) + "minimise a3\nsubject to x <= 1")
        works.append(len(worked_out))
    assert 0 < works[1] < 11 * works[0]


@pytest.mark.parametrize(
    ("formula", "latex"),
    [
        ("a*b/c", r"\frac{a\,b}{c}"),
        ("2*3*a", r"2 \cdot 3\,a"),
        ("4/3*pi*a^3", r"\frac{4}{3}\,\pi\,a^{3}"),
        ("(a + b)^2", r"\left(a + b\right)^{2}"),
        ("a - (b - c)", r"a - \left(b - c\right)"),
        ("sqrt(a)/1e-4", r"\frac{\sqrt{a}}{10^{-4}}"),
        ("a + 2e+007", r"a + 2 \cdot 10^{7}"),
        ("a + 1e-" + "9" * 5_000, r"a + 10^{-" + "9" * 5_000 + "}"),
        ("-a*sin(b)^2", r"-a\,\sin\left(b\right)^{2}"),
        ("x12*sigma_max", r"x_{12}\,\sigma_{\mathrm{max}}"),
        ("(a/b)^c", r"\left(\frac{a}{b}\right)^{c}"),
    ],
)
def test_formulas_are_typeset_as_mathematics(formula: str, latex: str) -> None:
    head = "".join(f"variable {name} from 0 to 1\n" for name in ("a", "b", "c", "x12", "sigma_max"))
    assert typeset.typeset_objective(read_document(f"{head}minimise {formula}\nsubject to a <= 1")) == latex


def soup(source: random.Random) -> str:
    """A random text: of any characters, of the language's own words, or a real problem with a wound."""
    kind = source.randrange(3)
    if kind == 0:
        return "".join(chr(source.randrange(1, 0x2FFF)) for _ in range(source.randrange(80)))
    words = [
        "variable", "let", "minimise", "maximise", "subject", "to", "from", "step", "integer", "problem", "best", "x",
        "y", "sqrt", "max", "(", ")", "+", "-", "*", "/", "^", "**", "<=", ">=", "=", "==", ",", ":", "[mm]", '"text"',
        "1", "2.5e3", ".5", "1e999", "\n", "\n", " ", "__import__", "eval", "exec", "os", ".", "lambda", "'", "import",
    ]  # fmt: skip
    if kind == 1:
        return SIMPLE[: source.randrange(len(SIMPLE))] + " ".join(source.choices(words, k=source.randrange(30)))
    text = gallery.text(source.choice(gallery.NAMES))
    at = source.randrange(len(text))
    return text[:at] + source.choice([*words, "", "\0", "é", "`"]) + text[at + source.randrange(4) :]


def answered(text: str) -> Array | FormulaError:
    """The values in the middle of the bounds, or what is wrong with the text."""
    try:
        problem = problem_of(text)
    except FormulaError as error:
        return error
    values = problem.values((problem.lower + problem.upper)[None] / 2)
    assert values.shape == (1, 1 + len(problem.constraints))
    return values


watching: list[list[str]] = []


def _audit(event: str, _: object) -> None:
    # A hook cannot be taken away again, so it only listens while somebody watches.
    if watching and event in ("exec", "compile", "import", "open", "os.system", "subprocess.Popen", "os.exec"):
        watching[-1].append(event)


sys.addaudithook(_audit)


@contextmanager
def nothing_executed() -> Iterator[None]:
    watching.append([])
    try:
        yield
    finally:
        assert watching.pop() == []


def test_ten_thousand_random_texts_get_an_answer_and_none_is_executed() -> None:
    problem_of(SIMPLE).values([[0.0, 1.0, 1.0]])
    for name in gallery.NAMES:
        gallery.text(name)
    source, understood = random.Random(7), 0
    for _ in range(10_000):
        text = soup(source)
        with nothing_executed():
            answer = answered(text)
        if isinstance(answer, FormulaError):
            assert 0 <= answer.at <= len(text)
            assert answer.said
        else:
            understood += 1
    assert understood > 500  # small wounds in comments and numbers leave a problem


def test_the_watcher_of_executions_sees_one() -> None:
    with pytest.raises(AssertionError), nothing_executed():
        exec("1 + 1")
