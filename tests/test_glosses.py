"""What descriptions call the values that a slot lists."""

from __future__ import annotations

import pytest

from constrained_du.slots.glosses import glosses
from constrained_du.slots.places import place
from constrained_du.specs.spec import read_specs


@pytest.mark.parametrize(
    ("description", "values", "expected"),
    [
        ("cup size: small, medium or large", ["S", "M", "L"], {"S": "small", "M": "medium", "L": "large"}),
        ("放在哪儿：冰箱、橱柜或地窖", ["fridge", "cupboard", "cellar"], {"fridge": "冰箱", "cupboard": "橱柜", "cellar": "地窖"}),
        ("残りの扱い: 捨てる / 持ち帰る", ["toss", "take_home"], {"toss": "捨てる", "take_home": "持ち帰る"}),
        ("hot は温かい、iced は冷たい", ["hot", "iced"], {"hot": "温かい", "iced": "冷たい"}),
        ("open 开着的，shut 关着的", ["open", "shut"], {"open": "开着的", "shut": "关着的"}),
        ("whole / cut into rings, cubes or sticks / mashed", ["as_is", "pieces", "puree"], {"pieces": "cut into rings", "puree": "mashed"}),
        ("salted, roasted/toasted/grilled, plain", ["S", "R", "P"], {"S": "salted", "R": "roasted", "P": "plain"}),
        ("no fish / vegan / grown nearby", ["meat", "vegan", "local"], {"meat": "no fish", "local": "grown nearby"}),
        ("S small / M medium / L large", ["S", "M", "L"], {"S": "small", "M": "medium", "L": "large"}),
        ("small, medium or large", ["S", "M"], {}),
        ("the name, the street and the town", ["S", "M", "L", "XL"], {}),
    ],
)
def test_values_are_glossed_beside_or_in_turn(description: str, values: list[str], expected: dict[str, str]) -> None:
    found = glosses(description, values)
    assert {value: own[0] for value, own in found.items() if own and value in expected} == expected
    assert expected or not any(found.values())


def test_several_words_for_one_value_are_all_taken() -> None:
    assert glosses("frozen / dried, smoked or cured / fresh", ["F", "D", "N"])["D"] == ("dried", "smoked", "cured")
    assert glosses("desk は受付・窓口", ["desk", "door"])["desk"] == ("受付", "窓口")


def test_the_words_that_values_shall_be_without() -> None:
    potter = {"type": "string", "description": "Name of the potter, without the title."}
    shelf = {"type": "string", "description": "which shelf, without the word shelf"}
    spec = {"name": "visit", "parameters": {"type": "object", "properties": {"potter": potter, "shelf": shelf}}}
    own = read_specs([spec])[0]
    assert {"dr", "mr"} <= place(own.slot["potter"]).without and place(own.slot["shelf"]).without == {"shelf"}
