"""The activity `runModel`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn, TypeVar

from temporalio import activity

from tactus_temporal.errors import TactusError
from tactus_temporal.worker.fault import Fault, fault_of
from tactus_temporal.worker.model_processes import ModelProcesses
from tactus_temporal.worker.to_failure import to_failure

T = TypeVar("T")

#: Between two heartbeats, in seconds.
_LONGEST = 5.0
_SHORTEST = 0.1


class RunModel:
    """Asks a model that this worker has, once: the same contract as in the npm package."""

    def __init__(self, processes: ModelProcesses) -> None:
        self._processes = processes

    @activity.defn(name="runModel")
    async def run_model(self, given: dict[str, Any]) -> dict[str, Any]:
        """Answers `{outputs, cost, version}` to `{run: {model, backend, inputs}, idempotencyKey, tries}`.

        Raises:
            ApplicationError: Of the type `predict_failed`, `file_failed`, `missing_package` or `payload_too_large`
        """
        run = given["run"]
        backend = run["backend"]
        question = {"type": backend["type"], "settings": backend["settings"], "inputs": run["inputs"]}

        def fail(fault: Fault) -> NoReturn:
            raise to_failure(fault, f"Model {run['model']}", given.get("tries")) from fault.__cause__

        try:
            return await _with_heartbeat(lambda: self._processes.ask(question, backend["timeoutMs"]))
        except Fault as fault:
            fail(fault)
        except TactusError as error:
            fail(Fault(error.message, retryable=True))
        except asyncio.CancelledError:
            details = activity.cancellation_details()
            # Nobody has asked for that: another worker is to do it.
            if details is not None and details.worker_shutdown:
                fail(Fault("the worker was stopped at it", retryable=True))
            raise
        except Exception as error:
            fail(fault_of(error))


async def _with_heartbeat(work: Callable[[], Awaitable[T]]) -> T:
    """By heartbeats a dead worker is noticed; cancellation comes in the answer to one."""
    timeout = activity.info().heartbeat_timeout
    interval = _LONGEST if timeout is None else max(_SHORTEST, min(_LONGEST, timeout.total_seconds() / 3))

    async def beat() -> None:
        while True:
            activity.heartbeat()
            await asyncio.sleep(interval)

    beating = asyncio.create_task(beat())
    try:
        return await work()
    finally:
        beating.cancel()
