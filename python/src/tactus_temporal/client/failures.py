"""Errors of Temporal as ours."""

from __future__ import annotations

from typing import Any

from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ApplicationError, CancelledError, TerminatedError, TimeoutError
from temporalio.service import RPCError, RPCStatusCode

from tactus_temporal.errors import TactusError

#: What the SDK says of a question to a run that was given nothing that it could begin with.
_NO_HANDLER = "did not register a handler"
#: What the server says of a question to a run that closed before any worker saw it.
_NEVER_SEEN = "closed before WorkflowTaskStarted"


def run_failure(error: WorkflowFailureError, run_id: str) -> TactusError:
    """What a run ended with."""
    cause: BaseException | None = error.cause
    if isinstance(cause, ApplicationError):
        details: Any = cause.details[0] if cause.details else {}
        return TactusError(cause.type or "internal", cause.message, details if isinstance(details, dict) else {})
    if isinstance(cause, CancelledError):
        return TactusError("cancelled", f"The run {run_id} was cancelled")
    if isinstance(cause, TerminatedError):
        return TactusError("cancelled", f"The run {run_id} was terminated")
    if isinstance(cause, TimeoutError):
        return TactusError("cancelled", f"The run {run_id} has timed out")
    return TactusError("internal", f"The run {run_id} failed: {cause}")


def server_failure(error: RPCError, run_id: str) -> TactusError:
    """Why the server couldn't do what was asked of a run."""
    if error.status == RPCStatusCode.NOT_FOUND:
        return TactusError("run_not_found", f"There is no run {run_id}, or it has ended", {"run_id": run_id})
    if error.status == RPCStatusCode.UNAVAILABLE:
        return TactusError("server_unreachable", f"The Temporal server can't be reached: {error.message}")
    if error.status in (RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNAUTHENTICATED):
        return TactusError("forbidden", f"The Temporal server refuses it: {error.message}")
    return TactusError("internal", f"The Temporal server says of {run_id}: {error.message}")


def never_ran(message: str) -> bool:
    """Whether a question can't be answered because the run never had anything to tell."""
    return _NO_HANDLER in message or _NEVER_SEEN in message
