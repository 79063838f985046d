"""What a person looks for in a list: the words that they typed."""

from __future__ import annotations

LONGEST = 500  # characters that are looked at: every word is looked for in every row


def search_words(text: str) -> list[str]:
    """Its words in small letters, each once.

    >>> search_words("Welded beam  welded")
    ['welded', 'beam']
    """
    return list(dict.fromkeys(text[:LONGEST].lower().split()))
