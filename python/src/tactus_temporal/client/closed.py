"""Runs that have ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporalio.client import WorkflowExecutionDescription

from tactus_temporal.canonical_json import canonical_json
from tactus_temporal.client.failures import never_ran
from tactus_temporal.client.run_list import iso
from tactus_temporal.errors import TactusError
from tactus_temporal.shapes import RunError, RunStatus, RunView, Verdict

if TYPE_CHECKING:
    from tactus_temporal.client.tactus_run import TactusRun

_ASKED_PARTS = "state, checkpoints, usage, printed and logs"


async def closed_view(run: TactusRun, description: WorkflowExecutionDescription, end: RunStatus) -> RunView:
    """How a run ended, as the server recorded it; the rest as far as a worker answers."""
    output, error = await _ended_with(run)
    view = await _told(run, description)
    view["status"] = end
    view["output"] = output
    view["error"] = error
    view["pending"] = []
    view["waits"] = []
    view["children"] = []
    if description.close_time is not None:
        view["closed_at"] = iso(description.close_time)
    return view


async def closed_verdict(run: TactusRun, decision: dict[str, Any]) -> Verdict:
    """What a decision comes to when the run has ended, or when there is none."""
    request_id = decision["request"]
    try:
        log = await run.log()
    except TactusError as error:
        if error.code != "run_not_found":
            raise
        log = []
    for entry in log:
        if entry["type"].startswith("hitl_") and f"{run.run_id}/{entry['position']}" == request_id:
            again = "so " if _is_same(entry["result"], decision) else ""
            message = f"it was answered {again}before, and the run has ended"
            return {"id": request_id, "outcome": "duplicate" if again else "late", "message": message}
    message = f"There is no open run {run.run_id} that asks this"
    return {"id": request_id, "outcome": "unknown", "message": message}


def _is_same(answer: Any, decision: dict[str, Any]) -> bool:
    if not isinstance(answer, dict):
        return False
    if "action" in decision:
        return decision["action"] == "withdraw" and answer.get("withdrawn") is True
    return "value" in answer and canonical_json(answer["value"]) == canonical_json(decision["value"])


async def _ended_with(run: TactusRun) -> tuple[Any, RunError | None]:
    try:
        return await run.result(), None
    except TactusError as error:
        return None, {
            "code": error.code,
            "message": error.message,
            "file": error.file,
            "line": error.line,
            "traceback": error.traceback,
        }


async def _told(run: TactusRun, description: WorkflowExecutionDescription) -> RunView:
    try:
        return await run.told()
    except TactusError as error:
        view = await _empty_view(run.run_id, description)
        if not never_ran(error.message):
            view["incomplete"] = f"{_ASKED_PARTS} can't be had: {error.message}"
        return view


async def _empty_view(run_id: str, description: WorkflowExecutionDescription) -> RunView:
    return {
        "run_id": run_id,
        "procedure": await description.static_summary() or "",
        "status": "running",
        "output": None,
        "state": {},
        "error": None,
        "pending": [],
        "waits": [],
        "children": [],
        "checkpoints": 0,
        "usage": {"input_tokens": 0, "output_tokens": 0, "cost_usd": None},
        "printed": [],
        "logs": [],
        "warnings": [],
        "shown_from": 0,
        "started_at": iso(description.start_time),
        "closed_at": None if description.close_time is None else iso(description.close_time),
    }
