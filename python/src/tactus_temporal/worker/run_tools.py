"""The activities `listTools` and `callTool`."""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

from temporalio import activity

from tactus_temporal import names
from tactus_temporal.errors import TactusError
from tactus_temporal.worker.fault import Fault, fault_of
from tactus_temporal.worker.heartbeat import is_shutdown, with_heartbeat
from tactus_temporal.worker.model_processes import ModelProcesses
from tactus_temporal.worker.to_failure import to_failure

#: For which the list of tools is waited, in ms.
_LIST_MS = 60_000.0
#: What a process has found out before it did anything, or after all was done.
_SETTLED = ("tool_failed", "payload_too_large")


class RunTools:
    """Calls functions of an application as tools: the same contract as in the npm package."""

    def __init__(self, processes: ModelProcesses) -> None:
        self._processes = processes

    @activity.defn(name="listTools")
    async def list_tools(self, given: dict[str, Any]) -> dict[str, Any]:
        """Answers with what there is under each of `sources`, or why there is nothing.

        Raises:
            ApplicationError: Of the type `tool_failed`
        """
        question = {"about": "tools", "sources": given["sources"]}

        def fail(fault: Fault) -> NoReturn:
            raise to_failure(_of_tool(fault), "The list of tools", given["tries"]) from fault

        try:
            return await with_heartbeat(lambda: self._processes.ask(question, _LIST_MS))
        except asyncio.CancelledError:
            if is_shutdown():
                fail(Fault("the worker was stopped at it", retryable=True))
            raise
        except Exception as error:
            fail(_fault_of(error))

    @activity.defn(name=names.CALL_TOOL)
    async def call_tool(self, given: dict[str, Any]) -> dict[str, Any]:
        """Calls a tool once, or asks whether it was called: `ToolAnswer` of the npm package.

        Raises:
            ApplicationError: Of the type `tool_failed`, `outcome_unknown` (a `once` call that may have been done) or
                `payload_too_large`
        """
        invocation, info = given["invocation"], activity.info()
        approval = invocation.get("approval") or {}
        question = {
            "about": "tool",
            "invocation": invocation,
            "call": {
                "idempotency_key": given["idempotencyKey"],
                "attempt": info.attempt,
                "run_id": info.workflow_id or "",
                "approved_by": approval.get("by"),
            },
            "now_ms": info.current_attempt_scheduled_time.timestamp() * 1_000,
        }
        is_once = invocation["operation"] == "call" and invocation["effect"] == "once"

        def fail(fault: Fault) -> NoReturn:
            # What it says of itself stands alone; whatever else became of a `once` call, it may have been done.
            subject = None if fault.code in _SETTLED else invocation["source"]
            if subject is not None and is_once:
                fault = Fault(fault.message, code="outcome_unknown")
            raise to_failure(_of_tool(fault), subject, given["tries"]) from fault

        try:
            return await with_heartbeat(lambda: self._processes.ask(question, invocation["timeoutMs"]))
        except asyncio.CancelledError:
            if is_shutdown():
                fail(Fault("the worker was stopped at it", retryable=True))
            raise
        except Exception as error:
            fail(_fault_of(error))


def _fault_of(error: Exception) -> Fault:
    return Fault(error.message, retryable=True) if isinstance(error, TactusError) else fault_of(error)


def _of_tool(fault: Fault) -> Fault:
    """Of whatever isn't said to be something else, a tool has failed."""
    if fault.code != "predict_failed":
        return fault
    return Fault(fault.message, code="tool_failed", retryable=fault.retryable, is_answer=fault.is_answer)
