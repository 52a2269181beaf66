"""How often something is tried: the same as in the activities of the npm package."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict

from tactus_temporal.worker.fault import Fault


class _Tries(TypedDict):
    attempts: int
    answers: int
    isSaid: bool


class Tries(_Tries, total=False):
    """What an attempt knows of those after it. `timeMs`: time in all."""

    timeMs: float


def attempts_of(fault: Fault, tries: Tries) -> int | None:
    """How often it may be tried in all where it goes wrong like that; None: as often as there is time for."""
    if fault.is_answer:
        return tries["answers"]
    return tries["attempts"] if "timeMs" not in tries or tries["isSaid"] else None


def is_tried_again(fault: Fault, tries: Tries, *, attempt: int, first: datetime, this: datetime) -> bool:
    """Whether there is another attempt after this one.

    Args:
        fault: What went wrong
        tries: What the run says of attempts
        attempt: The number of this one, from 1
        first: When the first attempt was put on the server's list; both are the server's time, which may be skipped
        this: When this one was
    """
    if not fault.retryable:
        return False
    if (this - first).total_seconds() * 1_000 >= tries.get("timeMs", float("inf")):
        return False
    most = attempts_of(fault, tries)
    return most is None or attempt < most
