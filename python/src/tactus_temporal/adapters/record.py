"""A run as Tactus's own record of a procedure."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from tactus.protocols.models import CheckpointEntry, HITLResponse, ProcedureMetadata, SourceLocation

from tactus_temporal.client import LogEntry, TactusRun
from tactus_temporal.client.run_list import end_of
from tactus_temporal.errors import TactusError
from tactus_temporal.shapes import RunStatus

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class RunRecord(ProcedureMetadata):  # type: ignore[misc]
    """What is known of a run, for reading.

    The runtime of Tactus begins an execution by setting `replay_index` of the record that it has loaded. Here that is
    refused: a run goes on in Temporal alone, and its procedure must not run a second time over its record.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        raise elsewhere(self.procedure_id, f"`{name}` of its record can't be set")

    def __eq__(self, other: object) -> bool:
        # Equal to the record that a storage of Tactus loads, which has the parent class.
        return isinstance(other, ProcedureMetadata) and dict(self) == dict(other)


def elsewhere(run_id: str, what: str) -> TactusError:
    """Says that a run isn't this storage's to change."""
    return TactusError(
        "usage",
        f"The run {run_id} is carried out in Temporal, so {what}: this storage reads runs, and takes answers to what "
        "they ask people. Start procedures with tactus_temporal.client, or give the runtime another storage",
        {"run_id": run_id},
    )


async def load_record(run: TactusRun) -> RunRecord:
    """Reads a run: how it ended from the server, all else from the run itself.

    Returns:
        An empty record where there is no run, as the storages of Tactus give
    """
    try:
        description = await run.describe()
    except TactusError as error:
        if error.code != "run_not_found":
            raise
        return RunRecord(procedure_id=run.run_id)
    status = await run.told()
    checkpoints = await run.checkpoints()
    log = to_entries(run.run_id, [_shown(each) for each in await run.log()] if checkpoints is None else checkpoints)
    waiting_on = status["pending"][0]["id"] if status["pending"] else None
    return RunRecord(
        procedure_id=run.run_id,
        execution_log=log,
        replay_index=len(log),
        state=await run.state(),
        status=to_tactus_status(end_of(description.status) or status["status"]),
        waiting_on_message_id=waiting_on,
    )


def to_tactus_status(status: RunStatus) -> str:
    """Tactus's own six names, and four in the same manner for what it doesn't know."""
    return status.upper()


def to_entries(run_id: str, checkpoints: list[dict[str, Any]]) -> list[CheckpointEntry]:
    """The top level of a log: what happened inside of a step, a turn or a branch is part of that entry's result."""
    top = [each for each in checkpoints if "." not in each["position"]]
    return [_to_entry(run_id, each) for each in sorted(top, key=lambda each: int(each["position"]))]


def _to_entry(run_id: str, checkpoint: dict[str, Any]) -> CheckpointEntry:
    source = checkpoint["source"]
    at = _EPOCH + timedelta(milliseconds=checkpoint["at"])
    return CheckpointEntry(
        position=int(checkpoint["position"]),
        # The turns of an agent carry its name, as Tactus itself writes them.
        type=f"agent_{checkpoint['name']}_turn" if checkpoint["type"] == "agent_turn" else checkpoint["type"],
        result=_to_result(checkpoint, at),
        timestamp=at,
        duration_ms=checkpoint["durationMs"],
        input_hash=checkpoint["digest"] or None,
        run_id=run_id,
        source_location=None if source is None else SourceLocation(file=source["file"], line=source["line"]),
    )


def _to_result(checkpoint: dict[str, Any], at: datetime) -> Any:
    outcome = checkpoint["outcome"]
    if not outcome["ok"]:
        # Tactus records no failures; here they are, under a key that says what they are.
        return {"error": {"code": outcome["code"], "message": outcome["message"]}}
    return to_response(outcome["value"], at) if checkpoint["type"].startswith("hitl_") else outcome["value"]


def to_response(answer: Any, at: datetime) -> HITLResponse:
    """What a person answered, as Tactus has it."""
    if isinstance(answer, dict) and isinstance(answer.get("timed_out"), bool) and "value" in answer:
        return HITLResponse(value=answer["value"], responded_at=at, timed_out=answer["timed_out"])
    return HITLResponse(value=answer, responded_at=at)


def _shown(entry: LogEntry) -> dict[str, Any]:
    """An entry of the log that is shown, which has no digest, as the run keeps it."""
    failed = {"ok": False, "code": "lua_error", "message": entry["error"]}
    return {
        "position": entry["position"],
        "type": entry["type"],
        "name": entry["name"],
        "digest": "",
        "outcome": {"ok": True, "value": entry["result"]} if entry["error"] is None else failed,
        "at": (datetime.fromisoformat(entry["timestamp"].replace("Z", "+00:00")) - _EPOCH) / timedelta(milliseconds=1),
        "durationMs": entry["duration_ms"],
        "source": entry["source"],
    }
