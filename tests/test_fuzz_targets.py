"""Each way into the package takes whatever bytes make: an answer that keeps its promises, or an error of ours.

The targets are those of ``benchmarks/fuzz.py``, which runs them for longer; models are scripted.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fuzz_targets import TARGETS, run
from fuzz_world import World
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

CASES = {"utterances": 60, "artifacts": 60, "http": 100, "specs": 200}


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


@pytest.mark.parametrize("target", TARGETS)
def test_only_answers_and_errors_of_the_package_come_out(world: World, target: str) -> None:
    tried = []

    @seed(20261129)
    @settings(max_examples=CASES.get(target, 300), database=None, suppress_health_check=list(HealthCheck))
    @given(st.binary(max_size=250))
    def every(raw: bytes) -> None:
        tried.append(run(world, target, raw))

    every()
    assert len(tried) >= CASES.get(target, 300)
    assert True in tried, "none was accepted: the target reaches nothing"
