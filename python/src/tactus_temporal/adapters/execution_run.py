"""Runs as the trace tools of Tactus have them."""

from __future__ import annotations

from tactus.protocols.models import ExecutionRun

from tactus_temporal.adapters.control_request import read_time
from tactus_temporal.adapters.record import load_record
from tactus_temporal.client import TactusClient
from tactus_temporal.client.start_of_run import start_of_run
from tactus_temporal.shapes import RunStatus

#: Their four words; what waits is paused, and what ended without its output has failed.
_STATUSES: dict[RunStatus, str] = {"running": "RUNNING", "completed": "COMPLETED"}


async def load_execution_run(client: TactusClient, run_id: str) -> ExecutionRun:
    """A run with its checkpoints.

    Raises:
        TactusError: `run_not_found`
    """
    run = client.run(run_id)
    view = await run.status()
    record = await load_record(run)
    started = await start_of_run(client.client, run_id)
    return ExecutionRun(
        run_id=run_id,
        procedure_name=view["procedure"],
        file_path=started["source"]["entry"] if "source" in started else view["procedure"],
        start_time=read_time(view["started_at"]),
        end_time=None if view["closed_at"] is None else read_time(view["closed_at"]),
        status=_STATUSES.get(view["status"], "PAUSED" if view["closed_at"] is None else "FAILED"),
        execution_log=record.execution_log,
        final_state=record.state,
    )


async def list_execution_runs(client: TactusClient, procedure: str | None, most: int) -> list[ExecutionRun]:
    """The runs that the server lists first, with their checkpoints, the newest start first."""
    runs: list[ExecutionRun] = []
    async for listed in client.list(procedure=procedure):
        if len(runs) == most:
            break
        runs.append(await load_execution_run(client, listed["run_id"]))
    return sorted(runs, key=lambda run: run.start_time, reverse=True)
