"""Many at once: no answer is lost, mixed up or changed, and who goes away frees the place."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from random import Random

import pytest
from load_domains import DOMAINS, Asked, build, cheap, costly, shown
from scripted_world import QuickBackend, scripted_world

from constrained_du import Converter, Result
from constrained_du.decoding.backend import Count
from constrained_du.server.crew import Crew
from constrained_du.server.refusals import Refusal

THREADS = 8


@pytest.fixture(scope="module")
def converters(model_path: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Converter]:
    """Three small artifacts that share one model file."""
    folder = tmp_path_factory.mktemp("load")
    for name in DOMAINS:
        build(name, model_path, folder / name)
    return {name: Converter.load_from_disk(folder / name) for name in DOMAINS}


def test_eight_threads_over_three_artifacts_get_what_one_thread_gets(converters: dict[str, Converter]) -> None:
    requests: list[Asked] = [*(one for name in DOMAINS for one in cheap(name, 80)), *(one for name in DOMAINS for one in costly(name, 2))]
    wanted = {one: shown(one.put(converters)) for one in requests}
    assert len(wanted) == 246 and len(set(wanted.values())) > 200
    work = [*requests, *requests[240:] * 2]
    Random(8).shuffle(work)
    with ThreadPoolExecutor(THREADS) as pool:
        got = list(pool.map(lambda one: shown(one.put(converters)), work))
    assert [(one, answer) for one, answer in zip(work, got, strict=True) if answer != wanted[one]] == []


# -- who goes away ---------------------------------------------------------------------------


class Gated(QuickBackend):
    """Keeps the first request waiting at the lock that each one takes, until it is let go; counts them."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go, self.requests = threading.Event(), threading.Event(), 0

    def exclusive(self) -> AbstractContextManager[Count]:
        self.begun.set()
        assert self.go.wait(60)
        self.requests += 1
        return super().exclusive()


@pytest.fixture
def gated() -> Iterator[tuple[Converter, Gated]]:
    backend = Gated()
    backend.go.set()
    with scripted_world(backend=backend):
        converter = Converter("scripted").add_function_specs([{"name": "stop", "description": "Stop the music"}]).finalize()
        backend.begun.clear()
        backend.go.clear()
        backend.requests = 0
        yield converter, backend
    backend.go.set()


def test_a_cancelled_aconvert_frees_its_place(gated: tuple[Converter, Gated]) -> None:
    converter, backend = gated

    async def scene() -> Result:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))  # one place
        running = asyncio.create_task(converter.aconvert("stop it"))
        await _until(backend.begun.is_set)
        waiting = [asyncio.create_task(converter.aconvert(f"stop it {number}")) for number in range(20)]
        await asyncio.sleep(0)
        last = asyncio.create_task(converter.aconvert("halt"))
        await asyncio.sleep(0)
        for task in (running, *waiting):
            task.cancel()
        gone = await asyncio.gather(running, *waiting, return_exceptions=True)
        assert [type(one) for one in gone] == [asyncio.CancelledError] * 21, "who is cancelled is told at once"
        backend.go.set()
        return await last

    result = asyncio.run(scene())
    assert backend.requests == 2, "one was under way already, the last was wanted; those between never ran"
    assert result.alternatives == converter.convert("halt").alternatives


async def _until(holds: Callable[[], bool]) -> None:
    for _ in range(60_000):
        if holds():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("it never happened")


def test_a_crew_gives_the_place_of_who_went_away_to_the_next() -> None:
    begun, go, ran = threading.Event(), threading.Event(), []

    def hold(name: str) -> str:
        begun.set()
        assert go.wait(60)
        ran.append(name)
        return name

    async def scene() -> None:
        crew = Crew("load", 1, 1)
        first = asyncio.create_task(crew.run(lambda: hold("first")))
        await _until(begun.is_set)
        second = asyncio.create_task(crew.run(lambda: hold("second")))
        await asyncio.sleep(0)
        for _ in range(5):
            with pytest.raises(Refusal) as refused:
                await crew.run(lambda: hold("too many"))
            assert refused.value.status == 429 and refused.value.headers["retry-after"] == "1"
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        third = asyncio.create_task(crew.run(lambda: hold("third")))
        await asyncio.sleep(0)
        go.set()
        assert [await first, await third] == ["first", "third"]
        crew.close()

    asyncio.run(scene())
    assert ran == ["first", "third"]


def test_an_error_frees_its_place_too() -> None:
    def fail() -> None:
        raise ValueError("no")

    async def scene() -> int:
        crew, failed = Crew("load", 1, 0), 0
        for _ in range(20):
            try:
                await crew.run(fail)
            except ValueError:
                failed += 1
            await asyncio.sleep(0.001)  # the callback that frees the place runs on the other thread
        crew.close()
        return failed

    assert asyncio.run(scene()) == 20
