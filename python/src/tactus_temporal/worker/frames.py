"""Messages between a worker and the processes that have its models: JSON, behind its length in four bytes."""

from __future__ import annotations

import json
import struct
from typing import Any

LENGTH = struct.Struct(">I")


def frame(message: dict[str, Any]) -> bytes:
    """A message as it goes over the pipe."""
    # Lone surrogates, which JSON may have, stay escaped.
    body = json.dumps(message, allow_nan=False).encode()
    return LENGTH.pack(len(body)) + body


def length_of(head: bytes) -> int:
    """Of the message behind it, in bytes."""
    (length,) = LENGTH.unpack(head)
    return int(length)


def message_of(body: bytes) -> dict[str, Any]:
    """What was said."""
    message = json.loads(body)
    if not isinstance(message, dict):
        raise TypeError("A message is a table")
    return message
