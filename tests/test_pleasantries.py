"""Thanks, greetings and goodbyes ask for nothing, and mere yes and no for nothing more."""

from __future__ import annotations

import pytest

from constrained_du.text.pleasantries import courtesies, is_about_courtesies
from constrained_du.text.polarity import is_mere
from constrained_du.text.remarks import asks_rule, does, hears_praise, praises


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


@pytest.mark.parametrize("utterance", [
    "are lodgers allowed to keep a cat", "is it safe to paint over rust?", "do you people work on Sundays?",
    "how early do I have to hand in the keys", "can the parcel be heavier than 20 kilos", "is there a limit for guests?",
])  # fmt: skip
def test_questions_about_rules(utterance: str) -> None:
    assert asks_rule(utterance) and not praises(utterance)


@pytest.mark.parametrize("utterance", [
    "that pie we shared was delicious", "your receptionist is ever so friendly", "wow, the view is gorgeous today",
])  # fmt: skip
def test_praise_asks_for_nothing(utterance: str) -> None:
    assert praises(utterance) and not asks_rule(utterance)


@pytest.mark.parametrize("utterance", [
    "do you have a table for two", "is it possible to book a room", "can the meeting be moved to five", "the soup was lovely, "
    "can I have another", "put the comfortable chair aside", "the radiator is too cold", "how long is the ride", "lovely",
])  # fmt: skip
def test_requests_are_neither(utterance: str) -> None:
    assert not asks_rule(utterance) and not praises(utterance)


def test_which_functions_do_something_and_which_hear_praise() -> None:
    assert does("request_leave") and does("orderRoomService") and not does("find_rule") and not does("opening_hours")
    assert hears_praise({"leave", "review"}) and not hears_praise({"order", "soup"})
