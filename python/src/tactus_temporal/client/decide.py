"""Decisions on human requests, with what becomes of them."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from temporalio.client import WorkflowHandle, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from tactus_temporal import names
from tactus_temporal.client.ask import unanswered
from tactus_temporal.errors import TactusError
from tactus_temporal.shapes import DECISION_OUTCOMES, Verdict

_PAUSE_S = 0.05
#: A run whose tasks fail again and again won't take it the next time either.
_MOST_TAKEN_BACK = 5


async def send_decision(handle: WorkflowHandle[Any, Any], decision: dict[str, Any], patience: timedelta) -> Verdict:
    """Sends a decision until the run isn't busy, and gives the verdict. A refused one leaves no trace.

    Raises:
        RPCError: NOT_FOUND where the run has closed, or where there is none
        TactusError: `no_worker` or `run_stuck` where nobody takes it
    """
    # Not `wait_for`: the SDK makes an error of its own of a cancellation.
    sending = asyncio.ensure_future(_send(handle, decision))
    try:
        done, _ = await asyncio.wait({sending}, timeout=patience.total_seconds())
    finally:
        sending.cancel()
    if done:
        return sending.result()
    await asyncio.gather(sending, return_exceptions=True)
    error = await unanswered(handle, patience)
    raise TactusError(error.code, f"{error.message} The decision may count as soon as one is", error.details)


async def _send(handle: WorkflowHandle[Any, Any], decision: dict[str, Any]) -> Verdict:
    taken_back = 0
    while True:
        try:
            verdict: Verdict = await handle.execute_update(names.DECIDE, decision)
            return verdict
        except WorkflowUpdateFailedError as error:
            refused = _refusal(error, decision["request"])
            if refused is not None:
                return refused
            if not _is_busy(error):
                raise
        except RPCError as error:
            taken_back += 1
            if not _was_taken_back(error) or taken_back > _MOST_TAKEN_BACK:
                raise
        await asyncio.sleep(_PAUSE_S)


def _refusal(error: WorkflowUpdateFailedError, request_id: str) -> Verdict | None:
    cause = error.cause
    if not isinstance(cause, ApplicationError):
        return None
    for outcome in DECISION_OUTCOMES:
        if cause.type == outcome:
            return {"id": request_id, "outcome": outcome, "message": cause.message}
    return None


def _is_busy(error: WorkflowUpdateFailedError) -> bool:
    return isinstance(error.cause, ApplicationError) and error.cause.type == names.BUSY


def _was_taken_back(error: RPCError) -> bool:
    """The server takes a workflow task back, with the Updates that it answers, when a run was just ending."""
    return error.status == RPCStatusCode.FAILED_PRECONDITION and "unexpected workflow task failure" in error.message
