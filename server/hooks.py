"""What gunicorn calls while it starts: its settings file, as far as they are not on its command line."""

from __future__ import annotations

from typing import Any

from mapelites.system.processes import end_with_starter


def on_starting(server: Any) -> None:
    """Leave when the dashboard that started us is gone, however it went: nobody could stop us then."""
    end_with_starter()
