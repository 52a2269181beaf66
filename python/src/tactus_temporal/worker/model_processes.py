"""The processes of one worker."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import Any

from tactus_temporal.errors import TactusError
from tactus_temporal.worker.fault import Fault
from tactus_temporal.worker.model_process import ModelProcess, ModelProcessOptions

_LOG = logging.getLogger(__name__)
#: For which a model may be loaded ahead, in ms.
_WARM_MS = 600_000.0


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

    async def warm(self, models: Sequence[dict[str, Any]]) -> None:
        """Has each of them load these models, before anything else is asked.

        Args:
            models: What their declarations say: `type`, and the rest
        """
        taken = [self._idle.get_nowait() for _ in range(self._idle.qsize())]
        await asyncio.gather(*(self._warm(each, models) for each in taken))

    async def _warm(self, process: ModelProcess, models: Sequence[dict[str, Any]]) -> None:
        try:
            for model in models:
                settings = {name: value for name, value in model.items() if name != "type"}
                question = {"about": "model", "type": model["type"], "settings": settings, "inputs": []}
                what = settings.get("path") or settings.get("name")
                begun = time.monotonic()
                try:
                    await process.ask(question, _WARM_MS)
                except (Fault, TactusError) as error:
                    # It keeps nobody from working; who asks for it is told again.
                    _LOG.warning("The model %s could not be loaded ahead: %s", what, error.message)
                else:
                    _LOG.info("The model %s was loaded (%.1f s)", what, time.monotonic() - begun)
        finally:
            self._idle.put_nowait(process)

    async def end(self) -> None:
        """Ends all."""
        await asyncio.gather(*(each.end() for each in self._all))
