"""How gunicorn writes its log: as the rest of the dashboard does, and without a line for every request."""

from __future__ import annotations

from typing import Any

from gunicorn.glogging import Logger

from mapelites.system import logs


class ServerLog(Logger):  # type: ignore[misc]
    """gunicorn's own messages through our handler."""

    def setup(self, cfg: Any) -> None:
        """What gunicorn calls once, before it starts its processes."""
        super().setup(cfg)
        for each in list(self.error_log.handlers):
            self.error_log.removeHandler(each)
        self.error_log.addHandler(logs.log_handler("server"))
