"""What the activity fails with."""

from __future__ import annotations

import os
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError

from tactus_temporal.worker.fault import Fault
from tactus_temporal.worker.redact import redacted
from tactus_temporal.worker.tries import Tries, attempts_of, is_tried_again

#: A person needs the first lines. In characters.
_LONGEST = 600


def to_failure(fault: Fault, subject: str | None, tries: Tries | None) -> ApplicationError:
    """The failure that a workflow reads, in the words and with the details of the npm package's activities.

    Args:
        fault: What went wrong
        subject: What the message starts with: the model; None: it stands alone
        tries: What the run says of attempts; None: Temporal alone knows
    """
    info = activity.info()
    is_again = fault.retryable
    details: dict[str, Any] = {}
    if tries is not None:
        is_again = is_tried_again(
            fault,
            tries,
            attempt=info.attempt,
            first=info.scheduled_time,
            this=info.current_attempt_scheduled_time,
        )
        attempts = attempts_of(fault, tries)
        if is_again and attempts is not None:
            details["attempts"] = attempts
    in_vain = fault.retryable and not is_again and info.attempt > 1
    tried = f" (tried {info.attempt} times)" if in_vain else ""
    # Cut only after redaction: half a secret would no longer be found.
    said = fault.message if subject is None else f"{subject}: {fault.message}"
    message = " ".join(redacted(f"{said}{tried}", os.environ).split())
    if len(message) > _LONGEST:
        message = f"{message[: _LONGEST - 1]}…"
    return ApplicationError(message, details, type=fault.code, non_retryable=not is_again)
