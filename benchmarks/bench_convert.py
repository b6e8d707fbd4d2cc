"""Times of what a user waits for: an answer, an exemplar's answer, loading, compiling.

``make bench``. On the default model and the bundled restaurant domain; the machine's load
matters more than most changes, so compare runs that were made one after the other.
"""

from __future__ import annotations

from itertools import count, cycle
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from constrained_du import Converter

DOMAIN = Path(__file__).resolve().parent.parent / "grammars" / "restaurant_en"
NEW = ("book me a table for four at 7pm", "any good Thai restaurants in Seattle?", "get us a cab to the airport at six")
KNOWN = "I'd like to reserve a table for 8 at Olive Terrace"


def _converter() -> Converter:
    converter = Converter()
    converter.add_function_specs(DOMAIN / "specs.json").add_exemplars(DOMAIN / "exemplars.json")
    return converter.add_recognizers(DOMAIN / "recognizers.json")


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("bench") / "artifact"
    _converter().finalize(target)
    return target


@pytest.fixture(scope="module")
def du(artifact: Path) -> Converter:
    return Converter.load_from_disk(artifact)


def test_convert(benchmark: BenchmarkFixture, du: Converter) -> None:
    utterances = cycle(NEW)
    result = benchmark.pedantic(lambda: du.convert(next(utterances)), rounds=12, warmup_rounds=1)
    benchmark.extra_info["tokens_evaluated"] = result.stats.tokens_evaluated


def test_convert_what_equals_an_exemplar(benchmark: BenchmarkFixture, du: Converter) -> None:
    assert benchmark(du.convert, KNOWN).stats.tokens_evaluated == 0


def test_grammar_of_an_utterance(benchmark: BenchmarkFixture, du: Converter) -> None:
    benchmark(du.grammar, NEW[0])


def test_accepts(benchmark: BenchmarkFixture, du: Converter) -> None:
    assert benchmark(du.accepts, {"name": "book_table", "arguments": {"party_size": 4}}, NEW[0])


def test_load_from_disk(benchmark: BenchmarkFixture, artifact: Path) -> None:
    benchmark.pedantic(Converter.load_from_disk, args=(artifact,), rounds=5)


def test_finalize(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    numbers = count()
    benchmark.pedantic(lambda: _converter().finalize(tmp_path / str(next(numbers))), rounds=2)
