"""The four seed scenarios on real models: a bot, an assistant, an app, a closed set of actions."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from constrained_du import Converter
from constrained_du.links import link

ARTIFACTS = Callable[[str], Path]
NOW = datetime(2023, 7, 11, 9)

ROWS: list[tuple[str, str, list[tuple[str, str]], str, dict[str, Any], tuple[str, ...]]] = [
    ("restaurant_en", "Boston", [("departing_city", "book_train")], "book_train", {"departing_city": "Boston"},
     ("arrival_city", "date")),
    ("restaurant_en", "book me a table for four at 7pm", [], "book_table", {"party_size": 4, "time": "19:00"}, ("date",)),
    ("assistant_ja", "明日の京都の天気は？", [], "get_current_weather", {"location": "京都"}, ()),
    ("assistant_ja", "明日の天気は？", [], "get_current_weather", {}, ("location",)),
    ("city_app_en", "what can we do in Amsterdam?", [], "outings", {"area": "Amsterdam"}, ()),
    ("actions_zh", "北京今天天气怎么样", [], "get_weather", {"city": "北京"}, ()),
]  # fmt: skip


@pytest.fixture(scope="module")
def loaded(artifact_of: ARTIFACTS) -> Callable[[str], Converter]:
    known: dict[str, Converter] = {}

    def load(domain: str) -> Converter:
        if domain not in known:
            known[domain] = Converter.load_from_disk(artifact_of(domain))
        return known[domain]

    return load


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}: {row[1]}" for row in ROWS])
def test_a_seed_scenario_gives_its_call(loaded: Callable[[str], Converter], row: Any) -> None:
    domain, utterance, expectations, name, arguments, missing = row
    call = loaded(domain).convert(utterance, expectations=expectations, now=NOW)[0]
    assert (call.name, dict(call.arguments), call.missing) == (name, arguments, missing)


def test_a_call_of_the_app_prints_as_a_deep_link(loaded: Callable[[str], Converter]) -> None:
    app = loaded("city_app_en")
    call = app.convert("what can we do in Amsterdam?")[0]
    specs = json.loads((Path(__file__).parent.parent / "grammars/city_app_en/specs.json").read_text("utf-8"))
    spec = next(spec for spec in specs if spec["label"] == call.name)
    assert link(spec, call) == "outings?area=Amsterdam"
