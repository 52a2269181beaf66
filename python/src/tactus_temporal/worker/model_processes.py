"""The processes of one worker."""

from __future__ import annotations

import asyncio
from typing import Any

from tactus_temporal.worker.model_process import ModelProcess, ModelProcessOptions


class ModelProcesses:
    """As many predictions go on at once as there are processes; each has models of its own."""

    def __init__(self, options: ModelProcessOptions, count: int) -> None:
        self._all = [ModelProcess(options) for _ in range(count)]
        # The one that was used last is used next: it has the models.
        self._idle: asyncio.LifoQueue[ModelProcess] = asyncio.LifoQueue()
        for each in self._all:
            self._idle.put_nowait(each)

    async def start(self) -> None:
        """Starts one, to see that it starts; others start when they are needed.

        Raises:
            TactusError: `config_invalid`
        """
        await self._all[-1].start()

    async def ask(self, question: dict[str, Any], timeout_ms: float) -> dict[str, Any]:
        """Has one of them answer; see `ModelProcess.ask`."""
        process = await self._idle.get()
        try:
            return await process.ask(question, timeout_ms)
        finally:
            self._idle.put_nowait(process)

    async def end(self) -> None:
        """Ends all."""
        await asyncio.gather(*(each.end() for each in self._all))
