"""Our reader, llguidance, llama.cpp and Outlines say the same of every text: one grammar, four readers.

Texts are drawn from the grammar and spoilt by one byte. Which utterances and specs: random
grammars, every bundled domain, and where ``../shared/data/bfcl`` lies beside the repository
(it is not part of it) its functions too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from readers import llguidance_reads, ours, outlines_reads
from samples import Sampler, mutations
from strategies import grammars

from constrained_du.errors import GrammarError
from constrained_du.grammar.compile import Binder, Ontology
from constrained_du.grammar.emit import to_gbnf, to_lark, to_regex
from constrained_du.grammar.grammar import Grammar
from constrained_du.llama import GbnfReader
from constrained_du.recognizers.lists import read_recognizers
from constrained_du.specs.spec import read_specs

pytestmark = pytest.mark.model

ROOT = Path(__file__).resolve().parent.parent
DOMAINS = sorted(path.parent.name for path in ROOT.glob("grammars/*/specs.json"))
BFCL = ROOT.parent / "shared" / "data" / "bfcl" / "dev.jsonl"
SHORT_REGEX = 20_000  # characters; beyond, Outlines' index takes seconds and gigabytes

random_settings = settings(
    max_examples=40, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)  # fmt: skip


@pytest.fixture(scope="session")
def llama(model_path: Path) -> GbnfReader:
    return GbnfReader(model_path)


def texts_of(grammar: Grammar, seed: int, count: int, llama: GbnfReader) -> tuple[list[str], list[str]]:
    """Texts of the grammar, and the same spoilt by a byte."""
    drawn = [text for text in Sampler(grammar, seed).texts(count) if llama.can_say(text)]
    random = Random(seed)
    spoilt = [other for text in drawn for other in mutations(text, random, 4) if llama.can_say(other)]
    return drawn, spoilt


def disagreements(grammar: Grammar, texts: Sequence[str], llama: GbnfReader) -> list[tuple[str, dict[str, bool]]]:
    """Every text on which two readers differ, with all verdicts."""
    verdicts = {
        "ours": ours(grammar, texts),
        "llguidance": llguidance_reads(to_lark(grammar), texts),
        "llama.cpp": llama.accepts(to_gbnf(grammar), texts),
    }
    regex = short_regex(grammar)
    if regex is not None:
        verdicts["outlines"] = outlines_reads(regex, texts)
    rows = [dict(zip(verdicts, row, strict=True)) for row in zip(*verdicts.values(), strict=True)]
    return [(text, row) for text, row in zip(texts, rows, strict=True) if len(set(row.values())) > 1]


def short_regex(grammar: Grammar) -> str | None:
    """The regex, unless the grammar is recursive or the text too long for Outlines."""
    try:
        regex = to_regex(grammar)
    except GrammarError:
        return None
    return regex if len(regex) <= SHORT_REGEX else None


def assert_agreement(grammar: Grammar, seed: int, count: int, llama: GbnfReader) -> int:
    """The number of texts on which the readers agreed; a text of the grammar must be accepted by all."""
    drawn, spoilt = texts_of(grammar, seed, count, llama)
    refused = [text for text, verdict in zip(drawn, ours(grammar, drawn), strict=True) if not verdict]
    assert refused == []
    assert disagreements(grammar, [*drawn, *spoilt], llama) == []
    return len(drawn) + len(spoilt)


def is_too_distinct(grammar: Grammar) -> bool:
    """uniqueItems of open values has no grammar: a documented refusal."""
    try:
        to_gbnf(grammar)
    except GrammarError as refusal:
        assert "uniqueItems" in str(refusal)
        return True
    return False


@random_settings
@given(grammar=grammars(), seed=st.integers(0, 9))
def test_readers_agree_on_random_grammars(llama: GbnfReader, grammar: Grammar, seed: int) -> None:
    if not is_too_distinct(grammar):
        assert_agreement(grammar, seed, 8, llama)


@random_settings
@given(grammar=grammars(recursive=True), seed=st.integers(0, 9))
def test_readers_agree_on_random_recursive_grammars(llama: GbnfReader, grammar: Grammar, seed: int) -> None:
    if not is_too_distinct(grammar):
        assert_agreement(grammar, seed, 8, llama)


@pytest.mark.parametrize("max_calls", [1, 3])
@pytest.mark.parametrize("domain", DOMAINS)
def test_readers_agree_on_every_bundled_domain(llama: GbnfReader, domain: str, max_calls: int) -> None:
    folder = ROOT / "grammars" / domain
    functions = read_specs(folder / "specs.json")
    recognizers, slot_types = read_recognizers(folder / "recognizers.json")
    labels = tuple(dict.fromkeys(slot.name for function in functions for slot in function.slots))
    ontology = _ontology(recognizers, slot_types, labels)
    scenarios = json.loads((folder / "scenarios.json").read_text("utf-8"))
    compared = 0
    for seed, scenario in enumerate(scenarios[:: max(1, len(scenarios) // 4)]):
        binder = Binder(scenario["utterance"], ontology=ontology)
        grammar = Grammar(tuple(binder.bind(function) for function in functions), max_calls)
        compared += assert_agreement(grammar, seed, 12, llama)
    assert compared > 100


def bfcl_rows() -> list[dict[str, object]]:
    """Every tenth line of the data that lies beside this repository; none where it does not."""
    return [json.loads(line) for line in BFCL.read_text("utf-8").splitlines()[::10]] if BFCL.exists() else []


def bundled_rows() -> list[dict[str, object]]:
    """One line for each bundled domain, in the form of bfcl's."""
    return [
        {"specs": json.loads((ROOT / "grammars" / name / "specs.json").read_text("utf-8")), "utterance": "set it to 3 now"}
        for name in DOMAINS
    ]


def test_readers_agree_on_functions_of_others(llama: GbnfReader) -> None:
    """On bfcl's functions where it lies beside the repository, else on the bundled ones: never on none."""
    rows = bfcl_rows() or bundled_rows()
    compared = 0
    for seed, row in enumerate(rows):
        binder = Binder(str(row["utterance"])[:120])
        grammar = Grammar(tuple(binder.bind(function) for function in read_specs(row["specs"])))
        compared += assert_agreement(grammar, seed, 5, llama)
    assert compared > 100


def test_readers_tell_texts_apart(llama: GbnfReader) -> None:
    """No reader says yes to all, or no to all: the comparison compares something."""
    spec = {"name": "paint", "parameters": {"properties": {"colour": {"enum": ["red", "blue"]}}}}
    grammar = Grammar((Binder("paint it red").bind(read_specs([spec])[0]),))
    texts = ['{"name":"paint","arguments":{"colour":"red"}}', '{"name":"paint","arguments":{"colour":"green"}}',
             '{"name":"do_not_understand","arguments":{}}', '{"name":"paint","arguments":{}} ', ""]  # fmt: skip
    expected = [True, False, True, False, False]
    assert ours(grammar, texts) == expected
    assert llguidance_reads(to_lark(grammar), texts) == expected
    assert outlines_reads(to_regex(grammar), texts) == expected
    assert llama.accepts(to_gbnf(grammar), texts) == expected


def _ontology(recognizers: object, slot_types: object, labels: tuple[str, ...]) -> Ontology:
    assert isinstance(recognizers, dict) and isinstance(slot_types, dict)
    return Ontology(recognizers, slot_types)
