"""Messages between a worker and the processes that have its models, each behind its length in four bytes.

Questions are marshalled: a thousand rows of numbers as JSON take longer than most models do. Answers are JSON, as what
has written them may be the code of a model, and nothing else is safe to read from it.
"""

from __future__ import annotations

import json
import marshal
import struct
from typing import Any

LENGTH = struct.Struct(">I")


def question_frame(question: dict[str, Any]) -> bytes:
    """A question as it goes over the pipe: tables, lists, texts, numbers, booleans and None alone."""
    return _framed(marshal.dumps(question))


def question_of(body: bytes) -> dict[str, Any]:
    """What was asked."""
    return _table(marshal.loads(body))


def answer_frame(answer: dict[str, Any]) -> bytes:
    """An answer as it goes over the pipe."""
    # Lone surrogates, which JSON may have, stay escaped.
    return _framed(json.dumps(answer, allow_nan=False).encode())


def answer_of(body: bytes) -> dict[str, Any]:
    """What was answered."""
    return _table(json.loads(body))


def length_of(head: bytes) -> int:
    """Of the message behind it, in bytes."""
    (length,) = LENGTH.unpack(head)
    return int(length)


def _framed(body: bytes) -> bytes:
    return LENGTH.pack(len(body)) + body


def _table(message: Any) -> dict[str, Any]:
    if not isinstance(message, dict):
        raise TypeError("A message is a table")
    return message
