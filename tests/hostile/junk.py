"""Values made to do harm, and ways to damage values that are right."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 7, 2**31, 2**53 + 1, -(2**63), 2**64 - 1, 10**18, 0.5, -0.0, 1e308, -1e308, 5e-324,
    "", " ", "x", "0", "-1", "1e999", "NaN", "Infinity", "-inf", "0x10", "１２", "1_000", "1,000", "１e５", "\0", "\n",
    "\u202e", "💥", "\ud7ff", "a" * 5_000, "9" * 400, "e" + "9" * 30, "../../etc/passwd", "..%2f..%2fetc%2fpasswd",
    "/etc/passwd", "C:\\windows", "file:///etc/passwd", "http://evil.example/", "//evil.example", "' OR 1=1 --",
    "<script>alert(1)</script>", "{{7*7}}", "${7*7}", "%s%s%n", "__import__('os').system('true')", "entry/abcdefgh",
    "snapshot/abcdefgh/1", "a+b+c", "+", "+++", ".", "..", "%", "%00", "token", "C17", "directed", "paper-3", "light",
    "full", "watch", "objective", "log", "g1", "h1", "none", "all", "tcp://scheduler:8786", "data:;base64,AAAA",
    "data:application/octet-stream;base64,UEsDBA==", "data:,", ";base64,", "1a" + " " * 50_000 + "x",
    "x\n" * 50_000, "nan" * 30_000 + "\n!", [], {}, [[]], [{}], [None], [None] * 50,
    [[0, 1e-4], [0]], [["g1", "0, 1"]], list(range(500)), ["g1", "g1"], ["C17", 3], [True, False], [[[[[[[[[]]]]]]]]],
    {"a": 1}, {"version": -1, "tick": "x"}, {"id": "x", "value": None}, {"points": []},
    {"points": [{"x": 1e9, "y": "x"}]}, {"seen": {}, "key": []}, {"__class__": "Store"},
    {"constructor": {"prototype": {}}}, {"": ""},
)  # fmt: skip


def value(random_: random.Random) -> Any:
    """One of them."""
    return copy.deepcopy(random_.choice(VALUES))


def damaged(random_: random.Random, right: Any) -> Any:
    """Something like a right value: another in its place, or somewhere inside of it something else or nothing."""
    if not isinstance(right, (dict, list, str)) or not right or random_.random() < 0.4:
        return value(random_)
    if isinstance(right, str):
        place = random_.randrange(len(right))
        return right[:place] + random_.choice(("", "\0", "%", "9", "../", '"', "é", "-")) + right[place + 1 :]
    changed = copy.copy(right)
    key = random_.choice(list(changed)) if isinstance(changed, dict) else random_.randrange(len(changed))
    if random_.random() < 0.3:
        del changed[key]
    else:
        changed[key] = damaged(random_, changed[key])
    return changed


def damaged_bytes(random_: random.Random, content: bytes) -> bytes:
    """Bytes with some of them changed, taken out, doubled or put elsewhere."""
    changed = bytearray(content)
    for _ in range(random_.choice((1, 1, 2, 5, 20))):
        start = random_.randrange(len(changed) + 1)
        end = min(len(changed), start + random_.choice((1, 2, 8, 64, 1_000)))
        match random_.randrange(6):
            case 0 if start < end:
                changed[start] ^= 1 << random_.randrange(8)
            case 1:
                del changed[start:end]
            case 2:
                changed[start:start] = changed[start:end]
            case 3:
                changed[start:end] = random_.randbytes(end - start)
            case 4:
                changed[start:end] = bytes(end - start)
            case _:
                del changed[start:]
    return bytes(changed)


def text_of(body: Any) -> bytes:
    """JSON, with whatever Python would put in."""
    return json.dumps(body).encode()
