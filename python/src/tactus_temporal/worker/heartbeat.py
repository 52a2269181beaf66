"""Heartbeats of an activity."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from temporalio import activity

T = TypeVar("T")

#: Between two heartbeats, in seconds.
_LONGEST = 5.0
_SHORTEST = 0.1


async def with_heartbeat(work: Callable[[], Awaitable[T]]) -> T:
    """By heartbeats a dead worker is noticed; cancellation comes in the answer to one."""
    timeout = activity.info().heartbeat_timeout
    interval = _LONGEST if timeout is None else max(_SHORTEST, min(_LONGEST, timeout.total_seconds() / 3))

    async def beat() -> None:
        while True:
            activity.heartbeat()
            await asyncio.sleep(interval)

    beating = asyncio.create_task(beat())
    try:
        return await work()
    finally:
        beating.cancel()


def is_shutdown() -> bool:
    """Whether an activity is cancelled because its worker is to end: nobody has asked for that."""
    details = activity.cancellation_details()
    return details is not None and details.worker_shutdown
