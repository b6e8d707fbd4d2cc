"""Thanks, greetings and goodbyes ask for nothing, and mere yes and no for nothing more."""

from __future__ import annotations

import pytest

from constrained_du.pleasantries import courtesies, is_about_courtesies
from constrained_du.polarity import is_mere


@pytest.mark.parametrize(
    "text", ["Thanks!", "thank you very much, bye", "Hello there", "ok great, thanks for your help", "谢谢你", "再见", "ありがとうございました"]
)
def test_who_only_thanks_or_greets_asks_for_nothing(text: str) -> None:
    assert courtesies(text)


@pytest.mark.parametrize(
    "text", ["thanks, sand the door", "hello kiln", "great", "yes", "say goodbye to Ann", "谢谢，打开窑炉", "3", "", "ありがとうカード"]
)
def test_whoever_says_more_asks_for_something(text: str) -> None:
    assert not courtesies(text)


def test_a_function_for_greetings_is_known_by_its_words() -> None:
    assert is_about_courtesies({"answer", "greeting"}) and is_about_courtesies({"问候", "用户"})
    assert not is_about_courtesies({"sand", "door"})


@pytest.mark.parametrize(
    ("text", "mere"),
    [
        ("Yes, that works for me", True), ("no thanks", True), ("sure, sounds good", True), ("nope, I don't think so", True),
        ("yes, with brass hinges", False), ("no, the oak one", False), ("maybe", False), ("five", False),
    ],
)  # fmt: skip
def test_a_mere_yes_or_no_says_nothing_else(text: str, mere: bool) -> None:
    assert is_mere(text) is mere
