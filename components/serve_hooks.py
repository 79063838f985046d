"""What gunicorn calls while it starts: its settings file, as far as they are not on its command line."""

from __future__ import annotations

import os
import signal
from typing import Any

from mapelites.family import end_with


def on_starting(server: Any) -> None:
    """Leave when the dashboard that started us is gone, however it went: nobody could stop us then."""
    end_with(os.getppid(), by=signal.SIGTERM)
