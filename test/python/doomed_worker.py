"""A worker in Python that dies at its n-th boundary: a prediction is about to be made, or nobody has heard of it yet.

Arguments: what the worker takes of its command line, and what dies where: `worker` or `models` (the process that it
has them in), and n.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from tactus_temporal.client import connect
from tactus_temporal.worker import ModelWorker


class Doomed(Interceptor):
    """Counts boundaries, and kills at one."""

    def __init__(self, victim: str, kill_at: int) -> None:
        self._victim = victim
        self._left = kill_at

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Around each activity."""
        return _Around(next, self)

    def boundary(self) -> None:
        """One more."""
        self._left -= 1
        if self._left == 0:
            _kill(self._victim)


class _Around(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, doomed: Doomed) -> None:
        super().__init__(next)
        self._doomed = doomed

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        self._doomed.boundary()
        result = await super().execute_activity(input)
        self._doomed.boundary()
        return result


def _kill(victim: str) -> None:
    if victim == "worker":
        os.kill(os.getpid(), signal.SIGKILL)
        return
    # Stopped, it takes its next question and gives no answer, and dies at it.
    for child in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        os.kill(int(child), signal.SIGSTOP)
        sys.stderr.write("models stopped\n")
        asyncio.get_running_loop().call_later(0.3, os.kill, int(child), signal.SIGKILL)


async def main() -> None:
    """The worker."""
    address, queue, folder, victim, kill_at = sys.argv[1:]
    sys.path.insert(0, str(Path.cwd()))
    client = (await connect(address)).client
    doomed = Doomed(victim, int(kill_at))
    worker = ModelWorker(client, queue, models_folder=folder, modules=["shop"], interceptors=[doomed])
    working = asyncio.create_task(worker.run())
    sys.stderr.write("ready\n")
    await working


asyncio.run(main())
