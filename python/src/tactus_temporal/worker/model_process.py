"""A process that has models, as its worker sees it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from dataclasses import dataclass
from typing import Any

from tactus_temporal.errors import TactusError
from tactus_temporal.worker.fault import Fault
from tactus_temporal.worker.frames import LENGTH, answer_of, length_of, question_frame


@dataclass(frozen=True)
class ModelProcessOptions:
    """What such a process begins with."""

    folder: str
    modules: tuple[str, ...]
    cache_bytes: int
    #: Hashes and folders of files that may run code as they are read.
    trusted: tuple[str, ...] = ()


class ModelProcess:
    """A process that has models: started when it is needed, killed where nobody waits for its answer any longer.

    Code of models can't be stopped from inside, so a prediction that takes too long, or is cancelled, ends with the
    process that was at it. What crashes there, or takes all memory, leaves the worker alone.
    """

    def __init__(self, options: ModelProcessOptions) -> None:
        self._options = options
        self._process: Process | None = None

    async def start(self) -> None:
        """Starts it, where it doesn't run.

        Raises:
            TactusError: `config_invalid`, where a module of the application can't be imported
        """
        process = self._process
        if process is not None and process.returncode is None:
            return
        self._process = process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tactus_temporal.worker.model_process_main",
            stdin=PIPE,
            stdout=PIPE,
            # A group of its own: Ctrl-C is for the worker, and what models start ends with this process.
            start_new_session=True,
        )
        begun = {
            "path": sys.path,
            "folder": self._options.folder,
            "modules": self._options.modules,
            "cache_bytes": self._options.cache_bytes,
            "trusted": self._options.trusted,
        }
        try:
            answer = await self._exchange(process, begun)
        except BaseException:
            self.kill()
            raise
        if "fault" in answer:
            await self.end()
            raise TactusError(
                "config_invalid", f"A module of the worker can't be imported: {answer['fault']['message']}"
            )

    async def ask(self, question: dict[str, Any], timeout_ms: float) -> dict[str, Any]:
        """What its models say.

        Args:
            question: `about` says of what: `model` with `type`, `settings` and `inputs`; `tools` with `sources`;
                `tool` with `invocation`, `call` and `now_ms`
            timeout_ms: For which it is waited, loading included

        Raises:
            Fault: What is wrong
        """
        try:
            answer = await asyncio.wait_for(self._answer(question), timeout_ms / 1_000)
        except asyncio.TimeoutError:
            self.kill()
            raise Fault(f"gave no answer within {timeout_ms:g} ms", retryable=True) from None
        except asyncio.CancelledError:
            self.kill()
            raise
        if "fault" in answer:
            raise Fault(**answer["fault"])
        result: dict[str, Any] = answer["result"]
        return result

    def kill(self) -> None:
        """Ends it at once, and what it has started."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)

    async def end(self) -> None:
        """Ends it, and waits for that."""
        process = self._process
        self.kill()
        if process is not None:
            await process.wait()

    async def _answer(self, question: dict[str, Any]) -> dict[str, Any]:
        await self.start()
        process = self._process
        if process is None:
            raise Fault("the process that has the model was ended", retryable=True)
        try:
            return await self._exchange(process, question)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.kill()
            code = await process.wait()
            how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
            raise Fault(f"the process that has the model ended {how}", retryable=True) from None

    @staticmethod
    async def _exchange(process: Process, message: dict[str, Any]) -> dict[str, Any]:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("The process has no pipes")
        process.stdin.write(question_frame(message))
        await process.stdin.drain()
        head = await process.stdout.readexactly(LENGTH.size)
        return answer_of(await process.stdout.readexactly(length_of(head)))
