"""What holds for every test: property tests draw the same examples each time, and interrupts are heard."""

import signal

from hypothesis import settings

settings.register_profile("project", deadline=None, derandomize=True)
settings.load_profile("project")

# A shell that starts the tests in the background has interrupts ignored, and every process they start inherits that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
