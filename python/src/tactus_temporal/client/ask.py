"""Questions to runs, which a worker answers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from temporalio.client import WorkflowHandle, WorkflowQueryFailedError
from temporalio.service import RPCError, RPCStatusCode

from tactus_temporal.client.failures import server_failure
from tactus_temporal.errors import TactusError

#: How long a worker has for an answer. Nothing tells that one died with a question, which is then asked anew.
PATIENCE = timedelta(seconds=10)
#: By which many failures of its workflow task a run is taken to be stuck.
_STUCK_ATTEMPTS = 3
_OVER_TIME = (RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED)


async def ask(handle: WorkflowHandle[Any, Any], query: str, *args: Any, patience: timedelta = PATIENCE) -> Any:
    """Asks a run; a question that was lost with its worker is asked once more.

    Raises:
        TactusError: `run_not_found`; `no_worker` or `run_stuck` where nobody answers; `internal` where a worker can't
            replay the run
    """
    try:
        return await _ask_twice(handle, query, args, patience)
    except WorkflowQueryFailedError as error:
        raise TactusError("internal", f"The worker can't answer for the run {handle.id}: {error.message}") from error
    except RPCError as error:
        is_unanswered = error.status in _OVER_TIME or error.status == RPCStatusCode.FAILED_PRECONDITION
        raise (await unanswered(handle, 2 * patience) if is_unanswered else server_failure(error, handle.id)) from error


async def _ask_twice(handle: WorkflowHandle[Any, Any], query: str, args: tuple[Any, ...], patience: timedelta) -> Any:
    try:
        return await handle.query(query, args=list(args), rpc_timeout=patience)
    except RPCError as error:
        if error.status not in _OVER_TIME:
            raise
        return await handle.query(query, args=list(args), rpc_timeout=patience)


async def unanswered(handle: WorkflowHandle[Any, Any], waited: timedelta) -> TactusError:
    """Why nobody answers for an open run."""
    description = await handle.describe()
    attempt = description.raw_description.pending_workflow_task.attempt
    if attempt >= _STUCK_ATTEMPTS:
        return TactusError(
            "run_stuck",
            f"The run {handle.id} doesn't answer: its workflow task has failed {attempt - 1} times. "
            f"`tactus-temporal status {handle.id}` says on what",
            {"run_id": handle.id},
        )
    return TactusError(
        "no_worker",
        f"No worker answered for the run {handle.id} within {waited.total_seconds():g} s. Is one up for the task queue "
        f"{description.task_queue}?",
        {"run_id": handle.id},
    )
