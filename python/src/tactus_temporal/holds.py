"""Calls of many runs that are held: the same as in the npm package."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypedDict

from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.service import RPCError, RPCStatusCode

from tactus_temporal import names

#: For which what was read of holds counts, and before a second try at reading them, in seconds.
_FRESH = 1.0
_AGAIN = 0.2


class _Hold(TypedDict):
    id: str
    target: str
    reason: str
    by: str | None
    since: int
    until: int | None


class Hold(_Hold, total=False):
    """Why calls wait. Times are ms since 1970; `until`: then it ends by itself.

    `rate`: it is being released, and so many calls begin each second.
    """

    rate: float


#: What may be held of a call, by the kinds of targets: `{"tool": ["host.charge", "charge"]}`.
Subjects = Mapping[str, Sequence[str]]


class HoldsReader:
    """What is held, for whoever makes calls or starts runs: read once a second at most, and not while nobody asks.

    Where the server doesn't answer, what was read last counts.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._holds: list[Hold] = []
        self._reading: asyncio.Task[None] | None = None
        self._read_at = 0.0

    async def find(self, subjects: Subjects, released: Collection[str] = ()) -> Hold | None:
        """The first hold that these wait for; None: they may begin.

        Args:
            subjects: What may be held of the call
            released: Ids of holds that have let it go
        """
        now = time.monotonic()
        if self._reading is None or now - self._read_at >= _FRESH:
            self._read_at = now
            self._reading = asyncio.create_task(self._read())
        # Others wait for it, too: none of them ends it where its own call is cancelled.
        await asyncio.shield(self._reading)
        return hold_on(self._holds, subjects, time.time() * 1_000, released)

    async def _read(self) -> None:
        try:
            self._holds = await _holds_of(self._client)
        except Exception:
            await asyncio.sleep(_AGAIN)
            try:
                self._holds = await _holds_of(self._client)
            except Exception:
                return


async def _holds_of(client: Client) -> list[Hold]:
    try:
        description = await client.get_workflow_handle(names.HOLDS_WORKFLOW_ID).describe()
    except RPCError as error:
        if error.status == RPCStatusCode.NOT_FOUND:
            return []
        raise
    if description.workflow_type != names.HOLDS_TYPE or description.status != WorkflowExecutionStatus.RUNNING:
        return []
    record: Any = (await description.memo()).get(names.HOLDS_MEMO)
    return list(record["holds"]) if isinstance(record, dict) else []


def hold_on(holds: Sequence[Hold], subjects: Subjects, now_ms: float, released: Collection[str]) -> Hold | None:
    """The first hold that a call waits for; None: it may begin."""
    for hold in holds:
        is_open = hold["until"] is None or now_ms < hold["until"]
        if is_open and hold["id"] not in released and _is_target(hold["target"], subjects):
            return hold
    return None


def _is_target(target: str, subjects: Subjects) -> bool:
    kind, _, pattern = target.partition(":")
    return any(_matches(pattern, name) for name in subjects.get(kind, ()))


def _matches(pattern: str, name: str) -> bool:
    """Whether a name follows a pattern, in which `*` stands for anything. Time is that of both lengths."""
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == name
    if not name.startswith(first):
        return False
    last = rest.pop()
    at = len(first)
    for part in rest:
        found = name.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return len(name) - len(last) >= at and name.endswith(last)


def pause_of(hold: Hold) -> dict[str, Any]:
    """What a run begins with that a hold keeps from beginning."""
    by = {} if hold["by"] is None else {"by": hold["by"]}
    return {**by, "reason": hold["reason"], "hold": hold}


def tool_names(source: str) -> list[str]:
    """The names that a tool is held under: `python.charge`, and as procedures may call it, `charge`."""
    _, dot, rest = source.partition(".")
    return [source, rest] if dot else [source]
