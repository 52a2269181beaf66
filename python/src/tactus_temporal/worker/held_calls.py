"""Calls that are held are not made."""

from __future__ import annotations

import logging
from datetime import datetime, timezone
from typing import Any

from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from tactus_temporal import names
from tactus_temporal.client.run_list import iso
from tactus_temporal.holds import Hold, HoldsReader, tool_names

_LOG = logging.getLogger(__name__)


class HeldCalls(Interceptor):
    """Looks whether a call is held, right before it is made.

    One that is fails with the type `held` before anything is asked, and its run begins it anew when it is let go.
    """

    def __init__(self, client: Client) -> None:
        self._holds = HoldsReader(client)

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Around each activity."""
        return _Holding(next, self._holds)


class _Holding(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, holds: HoldsReader) -> None:
        super().__init__(next)
        self._holds = holds

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        given = input.args[0] if input.args else None
        terms = given.get("holds") if isinstance(given, dict) else None
        # A run that says nothing of holds doesn't know what to do where it is held.
        if isinstance(given, dict) and isinstance(terms, dict):
            hold = await self._holds.find(_subjects_of(given, terms), terms.get("released", ()))
            if hold is not None:
                raise _held(hold)
        return await super().execute_activity(input)


def _subjects_of(given: dict[str, Any], terms: dict[str, Any]) -> dict[str, list[str]]:
    info = activity.info()
    is_tool = info.activity_type == names.CALL_TOOL
    return {
        "tool": tool_names(given["invocation"]["source"]) if is_tool else [],
        "procedure": [terms["procedure"]],
        "tenant": [terms["tenant"]] if terms.get("tenant") else [],
        "queue": [info.task_queue],
    }


def _held(hold: Hold) -> ApplicationError:
    message = hold_text(hold)
    _LOG.info("A call waits: %s", message)
    return ApplicationError(
        message,
        {"hold": hold},
        type=names.HELD,
        non_retryable=True,
        category=ApplicationErrorCategory.BENIGN,
    )


def hold_text(hold: Hold) -> str:
    """`tool:crm.* is held by ann since 2026-01-01T00:00:00.000Z: it is down`, as the npm package writes it."""
    who = "" if hold["by"] is None else f" by {hold['by']}"
    end = "" if hold["until"] is None else f" until {_time(hold['until'])}"
    rate = hold.get("rate")
    how = "is held" if rate is None else f"is being released, {rate} each second, and was held"
    return f"{hold['target']} {how}{who} since {_time(hold['since'])}{end}: {hold['reason']}"


def _time(ms: int) -> str:
    return iso(datetime.fromtimestamp(ms / 1_000, timezone.utc))
