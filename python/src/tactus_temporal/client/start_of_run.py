"""What a run was started with, as its history has it."""

from __future__ import annotations

from typing import Any

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import GetWorkflowExecutionHistoryRequest
from temporalio.client import Client

from tactus_temporal import names
from tactus_temporal.errors import TactusError


async def start_of_run(client: Client, run_id: str) -> dict[str, Any]:
    """The argument of a run's workflow; no worker is asked.

    Raises:
        TactusError: `run_conflict` where the id belongs to a workflow that is no run of a procedure
    """
    answer = await client.workflow_service.get_workflow_execution_history(
        GetWorkflowExecutionHistoryRequest(
            namespace=client.namespace, execution=WorkflowExecution(workflow_id=run_id), maximum_page_size=1
        )
    )
    started = answer.history.events[0].workflow_execution_started_event_attributes
    if started.workflow_type.name != names.WORKFLOW_TYPE:
        raise TactusError(
            "run_conflict", f"The id {run_id} belongs to a workflow of the type {started.workflow_type.name}"
        )
    [argument, *_] = await client.data_converter.decode(started.input.payloads[:1])
    return dict(argument)
