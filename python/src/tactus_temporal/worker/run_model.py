"""The activity `runModel`."""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

from temporalio import activity

from tactus_temporal.errors import TactusError
from tactus_temporal.worker.fault import Fault, fault_of
from tactus_temporal.worker.heartbeat import is_shutdown, with_heartbeat
from tactus_temporal.worker.model_processes import ModelProcesses
from tactus_temporal.worker.to_failure import to_failure


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
        question = {
            "about": "model",
            "type": backend["type"],
            "settings": backend["settings"],
            "inputs": run["inputs"],
        }

        def fail(fault: Fault) -> NoReturn:
            raise to_failure(fault, f"Model {run['model']}", given.get("tries")) from fault.__cause__

        try:
            return await with_heartbeat(lambda: self._processes.ask(question, backend["timeoutMs"]))
        except Fault as fault:
            fail(fault)
        except TactusError as error:
            fail(Fault(error.message, retryable=True))
        except asyncio.CancelledError:
            # Another worker is to do it.
            if is_shutdown():
                fail(Fault("the worker was stopped at it", retryable=True))
            raise
        except Exception as error:
            fail(fault_of(error))
