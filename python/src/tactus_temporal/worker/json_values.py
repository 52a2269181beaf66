"""Outputs of models as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from tactus_temporal.worker.fault import Fault

#: Bytes of JSON that an answer may have: the server takes 2 MiB. The same as in the npm package.
LARGEST = 1_500_000


def json_value(value: Any) -> Any:
    """A value as JSON has it: arrays and numbers of NumPy are lists and numbers.

    Raises:
        Fault: It holds NaN, an infinite number, or what isn't JSON
    """
    if value is None or isinstance(value, (bool, str)):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Fault(f"gave {value}, which JSON can't say", is_answer=True)
        return float(value)
    if isinstance(value, dict):
        return {json_name(key): json_value(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(each) for each in value]
    # Arrays and numbers of NumPy, and of what follows it.
    to_list = getattr(value, "tolist", None)
    if callable(to_list):
        return json_value(to_list())
    raise Fault(f"gave a {type(value).__name__}, which isn't JSON", is_answer=True)


def json_name(key: Any) -> str:
    """A key as JSON has it: a text."""
    value = json_value(key)
    return value if isinstance(value, str) else json.dumps(value)


def fitting(outputs: Iterable[Any]) -> list[Any]:
    """As many outputs as an answer has room for; the run asks again for the rest, which isn't made before.

    Args:
        outputs: JSON; a list, or what makes one after the other

    Raises:
        Fault: `payload_too_large`, where the first one has no room
    """
    room = LARGEST - 1_000
    # One text of all is made much faster than one of each.
    if isinstance(outputs, list) and _size_of(outputs) <= room:
        return outputs
    found: list[Any] = []
    for output in outputs:
        size = _size_of(output) + 1
        room -= size
        if room >= 0:
            found.append(output)
            continue
        if found:
            return found
        raise Fault(
            f"the output is {size / 1e6:.1f} MB; at most {LARGEST / 1e6:.1f} MB can be recorded",
            code="payload_too_large",
        )
    return found


def _size_of(value: Any) -> int:
    """As the SDK writes it: what isn't ASCII takes six bytes or twelve."""
    return len(json.dumps(value, allow_nan=False, separators=(",", ":")))
