"""What holds for every test: property tests draw the same examples each time, and interrupts are heard."""

import signal

import pytest
from hypothesis import settings

settings.register_profile("project", deadline=None, derandomize=True)
settings.load_profile("project")

# A shell that starts the tests in the background has interrupts ignored, and every process they start inherits that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """An option for whoever changed how a page looks, and has looked at it."""
    parser.addoption("--keep-pictures", action="store_true", help="keep how the pages look now, see test_pictures.py")
