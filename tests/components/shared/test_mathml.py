"""Formulas as MathML: what the problems are written in, and whatever else a person writes."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from components.shared.mathml import mathml
from mapelites.problems import get, names


def test_every_formula_becomes_well_formed_mathml() -> None:
    for problem in map(get, names()):
        for formula in (problem.formula, *problem.definitions, *(each.formula for each in problem.constraints)):
            found = str(mathml(formula))
            assert ElementTree.fromstring(found).tag == "math"
            assert "\\" not in found


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"\frac{4}{3}\,x_{12}^{3}", '<mfrac><mrow><mn>4</mn></mrow><mrow><mn>3</mn></mrow></mfrac>'
         '<mspace width="0.17em"></mspace>'
         '<msubsup><mi>x</mi><mrow><mn>12</mn></mrow><mrow><mn>3</mn></mrow></msubsup>'),
        (r"\left|a\right|^2", "<msup><mrow><mo>|</mo><mi>a</mi><mo>|</mo></mrow><mn>2</mn></msup>"),
        (r"\cos^4 z_i", '<msup><mo lspace="0.17em" rspace="0.17em">cos</mo><mn>4</mn></msup>'
         "<msub><mi>z</mi><mi>i</mi></msub>"),
        (r"\sigma_{\mathrm{max}} \ge 2.5", "<msub><mi>σ</mi><mrow><mi>max</mi></mrow></msub><mo>≥</mo><mn>2.5</mn>"),
        (r"x^23 < \odd", "<msup><mi>x</mi><mn>2</mn></msup><mn>3</mn><mo>&lt;</mo><mtext>\\odd</mtext>"),
        (r"\sin(x)^2", '<mo lspace="0.17em" rspace="0">sin</mo><mo stretchy="false">(</mo><mi>x</mi>'
         '<msup><mo stretchy="false">)</mo><mn>2</mn></msup>'),
        (r"\sum_{i<n}^m", "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>&lt;</mo><mi>n</mi></mrow><mi>m</mi>"
         "</munderover>"),
        (r"\mathit{thW}_1", "<msub><mi>𝑡ℎ𝑊</mi><mn>1</mn></msub>"),
        (r"\min_x", '<munder><mo movablelimits="true">min</mo><mi>x</mi></munder>'),
        (r"\phantom{\text{with a }} x", "<mphantom><mrow><mtext>with\u00a0a\u00a0</mtext></mrow></mphantom><mi>x</mi>"),
        (r"\text{<b>}", "<mtext>&lt;b&gt;</mtext>"),
        (r"\frac{", "<mfrac><mrow></mrow><mrow></mrow></mfrac>"),
    ],
)  # fmt: skip
def test_a_formula_is_written_as_mathml(formula: str, expected: str) -> None:
    assert mathml(formula) == f"<math>{expected}</math>"


def test_a_formula_in_a_line_of_its_own_is_large() -> None:
    assert mathml("x", large=True) == '<math displaystyle="true"><mi>x</mi></math>'
