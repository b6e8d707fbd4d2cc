"""What is said not to be done is not done; what must not be forgotten is."""

from __future__ import annotations

import pytest

from constrained_du.slots.operators import forbidden, forbids, mark_of
from constrained_du.slots.view import View
from constrained_du.types import Span


@pytest.mark.parametrize(
    "text",
    [
        "don't feed the fish", "please do not feed the fish", "never feed them", "you mustn't feed the fish",
        "I don't want to feed the fish", "under no circumstances feed them", "请不要喂鱼", "千万别喂鱼", "魚に餌をやらないで",
        "魚に餌をやらないでください", "魚に餌をやらないでね。", "don't let the cat in", "we do not want you to feed the fish",
        "I'd rather not feed the fish", "hey, actually, don't feed them",
    ],
)  # fmt: skip
def test_what_is_forbidden_is_no_order(text: str) -> None:
    assert forbids(View(text))


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("I don't want to drain the pond", "drain"), ("we no longer wish you to drain it", "drain"), ("don't drain it", "drain"),
        ("I would rather not drain it", "drain"), ("drain it", ""),
    ],
)  # fmt: skip
def test_the_verb_that_is_forbidden_is_named(text: str, verb: str) -> None:
    assert forbidden(View(text)) == verb


@pytest.mark.parametrize(
    "text",
    [
        "feed the fish", "don't let me forget to feed the fish", "don't forget the fish", "don't fail to feed them",
        "don't worry, feed the fish", "别忘了喂鱼", "魚に餌をやるのを忘れないで", "忘れないでください", "don't feed the fish but the cat",
        "you should feed the fish",
    ],
)  # fmt: skip
def test_what_must_not_be_forgotten_is_an_order(text: str) -> None:
    assert not forbids(View(text))


@pytest.mark.parametrize(
    ("text", "words", "operator"),
    [
        ("a lease over 12 years", "12", None), ("how tall is it after 3 weeks", "3", None), ("turn the kiln up to 900", "900", None),
        ("over 12 kilos of clay", "12", ">"), ("up to 9 cups", "9", "<="), ("over 40", "40", ">"),
    ],
)  # fmt: skip
def test_a_stretch_of_time_or_a_setting_is_no_bound(text: str, words: str, operator: str | None) -> None:
    start = text.index(words)
    mark = mark_of(View(text), Span(start, start + len(words)))
    assert (None if mark is None else mark.operator) == operator
