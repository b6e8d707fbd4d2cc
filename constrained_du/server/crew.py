"""Runs what blocks in threads: so many at a time, so many waiting, and no more.

The event loop never computes. Work whose client has gone before it began is dropped. Knows
nothing of what the work is.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from constrained_du.server.refusals import Refusal

T = TypeVar("T")


class Crew:
    """``running`` threads and a queue of ``waiting`` behind them."""

    def __init__(self, name: str, running: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(running, thread_name_prefix=name)
        self._most = running + waiting
        self._taken = 0
        self._lock = threading.Lock()

    async def run(self, work: Callable[[], T]) -> T:
        """What ``work`` returns or raises; a Refusal (429) when all places are taken."""
        with self._lock:
            if self._taken >= self._most:
                message = f"{self._taken} requests are under way already - try again in a moment"
                raise Refusal(429, message, code="too_many_requests", headers={"retry-after": "1"})
            self._taken += 1
        future: Future[T] = self._pool.submit(work)
        future.add_done_callback(self._leave)
        return await asyncio.wrap_future(future)

    def _leave(self, _: Future[Any]) -> None:
        with self._lock:
            self._taken -= 1

    def close(self) -> None:
        """Lets what runs end; drops what waits."""
        self._pool.shutdown(wait=False, cancel_futures=True)
