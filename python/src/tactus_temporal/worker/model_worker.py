"""A worker that has models."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from temporalio.client import Client
from temporalio.worker import Interceptor, Worker

from tactus_temporal import names
from tactus_temporal.worker.held_calls import HeldCalls
from tactus_temporal.worker.model_process import ModelProcessOptions
from tactus_temporal.worker.model_processes import ModelProcesses
from tactus_temporal.worker.run_model import RunModel
from tactus_temporal.worker.run_tools import RunTools
from tactus_temporal.worker.trust import Trust

#: Of the files of models that a process keeps in memory.
CACHE_BYTES = 2 * 1024**3
#: For which predictions may go on where the worker is to end.
GRACE = timedelta(seconds=10)


class ModelWorker:
    """Loads and asks prediction models for runs, whose procedures go on in workers of the npm package.

    It serves the types `sklearn`, `pytorch`, `registry`, `naive_bayes` and `python`, and calls functions as tools.
    """

    def __init__(
        self,
        client: Client,
        task_queue: str = names.MODEL_TASK_QUEUE,
        *,
        models_folder: str | os.PathLike[str] = "models",
        trusted_models: Sequence[str] = (),
        modules: Sequence[str] = (),
        processes: int = 1,
        cache_bytes: int = CACHE_BYTES,
        grace: timedelta = GRACE,
        warm_models: Sequence[dict[str, Any]] = (),
        interceptors: Sequence[Interceptor] = (),
        **options: Any,
    ) -> None:
        """Over a connection that is there.

        Args:
            client: Whose data converter holds
            task_queue: Where runs ask: `<their task queue>-python`, unless a model says otherwise
            models_folder: No file outside of it is read
            trusted_models: Files that may run code as they are read, such as pickles: `sha256:…` of files, and folders
                in `models_folder`. Nothing that procedures can write to belongs here
            modules: To be imported: they register functions, or have the classes of PyTorch's models
            processes: Predictions that go on at once; each process has models of its own in memory
            cache_bytes: Of the files of models that a process keeps in memory
            grace: For which predictions may go on after `shutdown`
            warm_models: To be loaded as the worker begins, and not with the first question: what procedures say of
                them, `{"type": "sklearn", "path": "iris.skops"}`
            interceptors: Around all activities
            options: Whatever else `temporalio.worker.Worker` takes

        Raises:
            TactusError: `config_invalid`, where `trusted_models` has something else in it
        """
        # What is no hash and no folder of models is told before anything is started.
        Trust(trusted_models, Path(models_folder).resolve())
        folder = os.path.abspath(models_folder)
        process = ModelProcessOptions(folder, tuple(modules), cache_bytes, tuple(trusted_models))
        self._processes = ModelProcesses(process, processes)
        tools = RunTools(self._processes)
        self._warm_models = warm_models
        self._worker = Worker(
            client,
            task_queue=task_queue,
            activities=[RunModel(self._processes).run_model, tools.list_tools, tools.call_tool],
            # A question is taken when there is a process for it: others may have one before.
            max_concurrent_activities=processes,
            graceful_shutdown_timeout=grace,
            interceptors=[*interceptors, HeldCalls(client)],
            **options,
        )

    async def run(self) -> None:
        """Works until `shutdown`.

        Raises:
            TactusError: `config_invalid`, where a module can't be imported
        """
        warming: asyncio.Task[None] | None = None
        try:
            await self._processes.start()
            if self._warm_models:
                warming = asyncio.create_task(self._processes.warm(self._warm_models))
            await self._worker.run()
        finally:
            if warming is not None:
                warming.cancel()
            await self._processes.end()

    async def shutdown(self) -> None:
        """Takes nothing more, and waits until what is under way has ended."""
        await self._worker.shutdown()
