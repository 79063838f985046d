"""Files that a browser brings: the name of their field for screen readers, and their bytes."""

from __future__ import annotations

import base64
from typing import Any

from dash import ClientsideFunction, Dash, Input, Output

from mapelites.core.errors import InputError

LARGEST_REQUEST = 64 * 2**20  # bytes, with the files in it


def label_upload(app: Dash, upload: str) -> None:
    """Name the field of an upload for screen readers. Only a callback with an output is called for a new page."""
    app.clientside_callback(
        ClientsideFunction("shell", "labelUpload"), Output(upload, "className"), Input(upload, "id")
    )


def uploaded_bytes(content: Any) -> bytes:
    """The bytes of a file as a browser sends it, `data:...;base64,...`."""
    try:
        return base64.b64decode(content.split(",", 1)[1], validate=True)
    except (AttributeError, IndexError, ValueError):  # not a text, without a comma, or not in base 64
        raise InputError("a file must arrive whole, but its content could not be decoded") from None
