"""JSON as the npm package makes digests of it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

#: From here on, and below the other, JavaScript writes a number with an exponent.
_LONGEST_DIGITS = 21
_MOST_ZEROS = 6
#: Half a character, which JavaScript writes as an escape.
_HALF = re.compile("[\ud800-\udfff]")


def canonical_json(value: Any) -> str:
    """JSON with the members in the order of their names, as JavaScript compares them."""
    if isinstance(value, Mapping):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_json(name)}:{canonical_json(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical_json, value)) + "]"
    return _number(value) if isinstance(value, float) else _json(value)


def digest_of(value: Any) -> str:
    """Of a value's content: the first 32 digits of the SHA-256 of its canonical form."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _number(value: float) -> str:
    """As JavaScript writes it: 5.0 is 5, and 1e-07 is 1e-7."""
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    if not isinstance(exponent, int) or not any(digits):
        return "0" if value == 0 else _json(value)
    text = "".join(map(str, digits))
    point = len(text) + exponent
    if len(text) <= point <= _LONGEST_DIGITS:
        written = text.ljust(point, "0")
    elif 0 < point <= _LONGEST_DIGITS:
        written = f"{text[:point]}.{text[point:]}"
    elif -_MOST_ZEROS < point <= 0:
        written = f"0.{'0' * -point}{text}"
    else:
        fraction = f".{text[1:]}" if len(text) > 1 else ""
        written = f"{text[0]}{fraction}e{point - 1:+d}"
    return f"-{written}" if sign else written


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _HALF.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
