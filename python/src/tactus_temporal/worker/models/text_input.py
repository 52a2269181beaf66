"""Texts that models are asked about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tactus_temporal.worker.fault import Fault


def text_of(value: Any) -> str | None:
    """The text of an input, or of a table that has one as `text` or `input`."""
    found = (value.get("text") or value.get("input")) if isinstance(value, dict) else value
    return found if isinstance(found, str) else None


def texts_of(inputs: Sequence[Any]) -> list[str]:
    """The text of each.

    Raises:
        Fault: One is none
    """
    texts = [text_of(value) for value in inputs]
    found = [text for text in texts if text is not None]
    if len(found) < len(texts):
        raise Fault("expected a text, or a table with a text as text or input")
    return found
