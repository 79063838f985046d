"""Random problems that are written as formulas, for tests of what is proven of them."""

from __future__ import annotations

from hypothesis import strategies as st

VARIABLES = ("x", "y", "k")
ONE = ("sqrt(abs({0}))", "exp({0}/8)", "log(1 + abs({0}))", "sin({0})", "cos({0})", "abs({0})", "atan({0})")
ONE += ("tanh({0}/9)", "floor({0})", "ceil({0})", "sign({0})", "({0})^2", "({0})^3", "asin(sin({0}))", "-({0})")
TWO = ("{0} + {1}", "{0} - {1}", "({0})*({1})", "({0})/(({1})^2 + 1)", "min({0}, {1})", "max({0}, {1})")
TWO += ("({0})/({1})", "log10(({0})^2 + ({1})^2)", "atan2({0}, {1})", "sqrt(({0})*({1}))")


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> str:
    """A formula of x, y and k."""
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from((*VARIABLES, "0.7", "2", "pi/3")))
    if draw(st.booleans()):
        return draw(st.sampled_from(ONE)).format(draw(expressions(depth - 1)))
    return draw(st.sampled_from(TWO)).format(*(draw(expressions(depth - 1)) for _ in range(2)))


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A whole problem: two variables, a whole one, an objective and two constraints."""
    word = draw(st.sampled_from(("minimise", "maximise")))
    signs = [draw(st.sampled_from(("<=", ">="))) for _ in range(2)]
    limits = [draw(st.floats(-2, 2).map(lambda each: round(each, 2))) for _ in range(2)]
    sides = [draw(expressions()) for _ in range(2)]
    return f"""
variable x from -2 to 3
variable y from 0.5 to 2
variable k from -1 to 2 integer
let t = {draw(expressions(1))}
{word} {draw(expressions())} + t*x
subject to
    first: {sides[0]} + 0*x {signs[0]} {limits[0]}
    second: {sides[1]} + y {signs[1]} {limits[1]}
"""
