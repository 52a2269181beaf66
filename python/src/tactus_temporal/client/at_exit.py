"""The end of a process that has used Temporal's SDK."""

from __future__ import annotations

import atexit
import time

_LAST_ANSWER_S = 0.05


def end_in_peace() -> None:
    """Lets threads of the SDK hand over their last answers before Python ends.

    One that is at it when the interpreter goes away aborts the process, which has done all that it should
    (temporalio/sdk-python#300, open): on a busy machine that was one short program of three.
    """
    atexit.register(time.sleep, _LAST_ANSWER_S)
