"""Asynchronous calls for code that isn't asynchronous."""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import TypeVar

from tactus_temporal.client import TactusClient, connect

T = TypeVar("T")


class BlockingClient:
    """A client whose calls block.

    They run on a loop in a thread of its own: whoever calls may have a loop that is running, as Tactus's runtime has.
    """

    def __init__(self, client: TactusClient | None = None) -> None:
        self._client = client
        self._lock = threading.Lock()

    def call(self, action: Callable[[TactusClient], Awaitable[T]]) -> T:
        """Does something with the client, and waits for its end; connects first where that hasn't been done."""
        with self._lock:
            client = self._client = self._client or _run(connect)
        return _run(lambda: action(client))


def _run(begin: Callable[[], Awaitable[T]]) -> T:
    async def act() -> T:
        return await begin()

    return asyncio.run_coroutine_threadsafe(act(), _loop()).result()


@lru_cache(maxsize=1)
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="tactus-temporal", daemon=True)
    thread.start()
    atexit.register(_end, loop, thread)
    return loop


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
