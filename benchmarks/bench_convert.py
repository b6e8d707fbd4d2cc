"""What a user waits for: an answer, an exemplar's answer, loading, compiling.

``make bench``. On the default model and the bundled restaurant domain. Tokens and passes are asserted to the
last one: a change that costs more says so here. Times are shown and never judged, since the machine's load
matters more than most changes.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from constrained_du import Converter
from constrained_du.grammar.candidates import read_entities
from constrained_du.grammar.compile import Binder
from constrained_du.specs.spec import read_specs

DOMAIN = Path(__file__).resolve().parent.parent / "grammars" / "restaurant_en"
COSTS = {
    "book me a table for four at 7pm": (0, 0),  # retrieval is sure: the model is not asked
    "any good Thai restaurants in Seattle?": (0, 0),
    "get us a cab to the airport at six": (28, 1),  # which words are the place is read
    "is there anything for hungry people around the old harbour": (30, 1),
    "what is the tallest mountain": (30, 1),
    "Thursday would be nice": (24, 1),
}
"""Tokens evaluated and passes of new utterances, beside the stored prefixes."""
ORDER = "send me a table as soon as you can"
PRODUCTS = {"product": [(8, 15, f"P-{number}") for number in range(10_000)]}
KNOWN = "I'd like to reserve a table for 8 at Olive Terrace"


def _converter(domain: Path = DOMAIN) -> Converter:
    converter = Converter()
    converter.add_function_specs(domain / "specs.json").add_exemplars(domain / "exemplars.json")
    return converter.add_recognizers(domain / "recognizers.json")


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("bench") / "artifact"
    _converter().finalize(target)
    return target


@pytest.fixture(scope="module")
def du(artifact: Path) -> Converter:
    return Converter.load_from_disk(artifact)


@pytest.mark.parametrize("utterance", COSTS)
def test_convert(benchmark: BenchmarkFixture, du: Converter, utterance: str) -> None:
    result = benchmark.pedantic(du.convert, args=(utterance,), rounds=6, warmup_rounds=1)
    assert (result.stats.tokens_evaluated, result.stats.forward_passes) == COSTS[utterance]


def test_convert_what_equals_an_exemplar(benchmark: BenchmarkFixture, du: Converter) -> None:
    stats = benchmark(du.convert, KNOWN).stats
    assert (stats.tokens_evaluated, stats.forward_passes) == (0, 0)


def test_convert_what_equals_an_exemplar_without_slots(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    made = _converter(DOMAIN.parent / "home_en").finalize(tmp_path / "home")
    stats = benchmark(made.convert, "It's too dark in here.").stats
    assert (stats.tokens_evaluated, stats.forward_passes) == (0, 0)


def test_read_ten_thousand_candidates(benchmark: BenchmarkFixture) -> None:
    found = benchmark(read_entities, PRODUCTS, ORDER, {"product"})
    assert len(found.get(["product"]) or ()) == 10_000


def test_bind_ten_thousand_candidates(benchmark: BenchmarkFixture) -> None:
    [function] = read_specs([{"name": "order", "parameters": {"properties": {"what": {"type": "product"}}}}])
    candidates = read_entities(PRODUCTS, ORDER, {"product"})
    grammar = benchmark(lambda: Binder(ORDER, candidates).bind(function))
    assert grammar.slots.admits({"what": "P-9999"}, {})


def test_grammar_of_an_utterance(benchmark: BenchmarkFixture, du: Converter) -> None:
    benchmark(du.grammar, next(iter(COSTS)))


def test_accepts(benchmark: BenchmarkFixture, du: Converter) -> None:
    assert benchmark(du.accepts, {"name": "book_table", "arguments": {"party_size": 4}}, next(iter(COSTS)))


def test_load_from_disk(benchmark: BenchmarkFixture, artifact: Path) -> None:
    benchmark.pedantic(Converter.load_from_disk, args=(artifact,), rounds=5)


def test_finalize(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    numbers = count()
    benchmark.pedantic(lambda: _converter().finalize(tmp_path / str(next(numbers))), rounds=2)
