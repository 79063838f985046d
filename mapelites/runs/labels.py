"""What people write on a run: a name, a star, a note and tags; and the campaign that it came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mapelites.core.errors import InputError

LONGEST_NAME, LONGEST_NOTE, LONGEST_TAG = 120, 4_000, 40  # characters
MOST_TAGS = 20


@dataclass(frozen=True)
class Labels:
    """What tells a run from others to people; nothing of it changes the search.

    >>> Labels(name=" Final  beam ", tags=("thesis", "beam", "thesis")).as_table()
    {'name': 'Final beam', 'tags': ['thesis', 'beam']}
    """

    name: str = ""
    starred: bool = False
    note: str = ""
    tags: tuple[str, ...] = ()
    campaign: str = ""  # the id of the campaign that it is a run of

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _one_line("name", self.name, LONGEST_NAME))
        object.__setattr__(self, "note", _text("note", self.note, LONGEST_NOTE).strip())
        object.__setattr__(self, "tags", _tags(self.tags))
        object.__setattr__(self, "campaign", _one_line("campaign", self.campaign, LONGEST_TAG))
        if not isinstance(self.starred, bool):
            raise InputError(f"starred must be true or false, but it was {self.starred!r}")

    def as_table(self) -> dict[str, Any]:
        """Plain values for the store; what is empty is left out."""
        table = {
            "name": self.name,
            "starred": self.starred,
            "note": self.note,
            "tags": list(self.tags),
            "campaign": self.campaign,
        }
        return {name: value for name, value in table.items() if value}

    @classmethod
    def from_table(cls, table: Any) -> Labels:
        """What `as_table` put down."""
        if not isinstance(table, Mapping):
            raise InputError(f"labels must be a table, but they were {table!r}")
        return cls(**{**table, "tags": tuple(table.get("tags", ()))})


def _tags(tags: Any) -> tuple[str, ...]:
    if isinstance(tags, str) or not isinstance(tags, Iterable):
        raise InputError(f"tags must be a list of texts, but they were {tags!r}")
    found = tuple(dict.fromkeys(filter(None, (_one_line("a tag", each, LONGEST_TAG) for each in tags))))
    if len(found) > MOST_TAGS:
        raise InputError(f"a run has at most {MOST_TAGS} tags, but these are {len(found)}")
    return found


def _one_line(what: str, value: Any, longest: int) -> str:
    return " ".join(_text(what, value, longest).split())


def _text(what: str, value: Any, longest: int) -> str:
    if not isinstance(value, str):
        raise InputError(f"{what} must be a text, but it was {value!r}")
    if len(value) > longest:
        raise InputError(f"{what} has at most {longest:,} characters, but this one has {len(value):,}")
    if any(not (each.isprintable() or each in "\n\t") for each in value):
        raise InputError(f"{what} must be text that can be shown, but it was {value!r}")
    return value
