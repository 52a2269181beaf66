"""The server's list of runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from datetime import datetime, timezone

from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.client import Client, WorkflowExecution, WorkflowExecutionStatus
from temporalio.common import SearchAttributeKey
from temporalio.service import RPCError

from tactus_temporal import names
from tactus_temporal.shapes import ListedRun, RunStatus

_PROCEDURE = SearchAttributeKey.for_keyword(names.PROCEDURE_ATTRIBUTE)
_STATUS = SearchAttributeKey.for_keyword(names.STATUS_ATTRIBUTE)

_ENDS: dict[WorkflowExecutionStatus, RunStatus] = {
    WorkflowExecutionStatus.COMPLETED: "completed",
    WorkflowExecutionStatus.FAILED: "failed",
    WorkflowExecutionStatus.CANCELED: "cancelled",
    WorkflowExecutionStatus.TERMINATED: "terminated",
    WorkflowExecutionStatus.TIMED_OUT: "timed_out",
}
_OPEN: tuple[RunStatus, ...] = ("waiting_for_human", "waiting_for_time", "waiting_for_children", "paused", "cancelling")


def end_of(status: WorkflowExecutionStatus | None) -> RunStatus | None:
    """How a run ended, in our words; None of an open one."""
    return None if status is None else _ENDS.get(status)


async def has_search_attributes(client: Client) -> bool:
    """Whether the namespace has ours: one that it doesn't know would block a run for ever."""
    try:
        answer = await client.operator_service.list_search_attributes(
            ListSearchAttributesRequest(namespace=client.namespace)
        )
    except RPCError:
        # Who may not ask starts runs without them.
        return False
    return {names.PROCEDURE_ATTRIBUTE, names.STATUS_ATTRIBUTE} <= set(answer.custom_attributes)


async def list_runs(
    client: Client,
    *,
    procedure: str | None,
    status: RunStatus | None,
    prefix: str | None,
    labels: Mapping[str, str],
    forked_from: str | None,
) -> AsyncIterator[ListedRun]:
    """Runs, those that are open first, then the newest end first. The list may lag a moment behind."""
    terms = [f"WorkflowType = '{names.WORKFLOW_TYPE}'", "ExecutionStatus != 'ContinuedAsNew'"]
    if procedure is not None:
        terms.append(f"{names.PROCEDURE_ATTRIBUTE} = {_quote(procedure)}")
    if prefix is not None:
        terms.append(f"WorkflowId STARTS_WITH {_quote(prefix)}")
    for key, value in sorted(labels.items()):
        terms.append(f"{names.LABELS_ATTRIBUTE} = {_quote(f'{key}={value}')}")
    if forked_from is not None:
        terms.append(f"{names.FORKED_FROM_ATTRIBUTE} = {_quote(forked_from)}")
    async for execution in client.list_workflows(" AND ".join(terms)):
        run = _listed(execution)
        # Compared here: the server knows only what a run last told, not how it ended without a word.
        if status is None or run["status"] == status:
            yield run


def _listed(execution: WorkflowExecution) -> ListedRun:
    attributes = execution.typed_search_attributes
    told = attributes.get(_STATUS)
    is_open: RunStatus = next((each for each in _OPEN if each == told), "running")
    return {
        "run_id": execution.id,
        "procedure": attributes.get(_PROCEDURE) or "",
        "status": end_of(execution.status) or is_open,
        "started_at": iso(execution.start_time),
        "closed_at": None if execution.close_time is None else iso(execution.close_time),
    }


def iso(time: datetime) -> str:
    """A time as runs write it."""
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
