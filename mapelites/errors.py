"""The one error a caller's bad input raises: its text is meant to be read by a person."""


class InputError(ValueError):
    """Something asked for is wrong; the message names what, what was expected and what came."""


def unknown(what: str, got: object, known: object) -> InputError:
    """An error for a name that is not one of the known ones."""
    names = ", ".join(str(name) for name in known)  # type: ignore[attr-defined]
    return InputError(f"{what} must be one of {names}, but it was {got!r}")
