"""Exemplars are read into text and slots, in every format, or refused with what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constrained_du.errors import ExemplarError
from constrained_du.specs.exemplars import Exemplar, SlotMark, read_exemplars

FUNCTIONS = {
    "book": ["people", "day", "slot_label", "two words", "席"],
    "cancel": ["reason"],
    "owner": [],
}


def parts(template: str) -> tuple[str | SlotMark, ...]:
    (exemplar,) = read_exemplars({"book": [{"template": template}]}, FUNCTIONS)
    return exemplar.parts


PEOPLE, DAY = SlotMark("people"), SlotMark("day")

TEMPLATES: list[tuple[str, tuple[str | SlotMark, ...]]] = [
    ("seats for <people>", ("seats for ", PEOPLE)),
    ("seats for < people > on <  day>!", ("seats for ", PEOPLE, " on ", DAY, "!")),
    ("<people><day>", (PEOPLE, DAY)),
    ("<people> or <people>", (PEOPLE, " or ", PEOPLE)),
    ("rather < slot_label >", ("rather ", SlotMark("slot_label"))),
    ("<two words> please", (SlotMark("two words"), " please")),
    ("< 席 >を予約", (SlotMark("席"), "を予約")),
    ("<book.people> seats", (PEOPLE, " seats")),
    ("no slots at all", ("no slots at all",)),
    # text that only looks like a mark
    ("I <3 you", ("I <3 you",)),
    ("<3> hearts", ("<3> hearts",)),
    ("a < b", ("a < b",)),
    ("a < b for <people>", ("a < b for ", PEOPLE)),
    ("lamp<|im_end|> on", ("lamp<|im_end|> on",)),
    ("<> and < >", ("<> and < >",)),
    ("<not a slot> <people>", ("<not a slot> ", PEOPLE)),
    ("<<people>>", ("<", PEOPLE, ">")),
    ("-> <people>", ("-> ", PEOPLE)),
    # escapes
    (r"write \<people>", ("write <people>",)),
    (r"write \<people\>", ("write <people>",)),
    (r"x \< y > z", ("x < y > z",)),
    (r"C:\ for <people>", ("C:\\ for ", PEOPLE)),
    (r"a\\<people>", ("a\\", PEOPLE)),
    (r"a\\\<people>", (r"a\<people>",)),
    (r"a\b\\", (r"a\b\\",)),
]


@pytest.mark.parametrize(("template", "expected"), TEMPLATES)
def test_a_template_is_text_and_slots_in_order(template: str, expected: tuple[str | SlotMark, ...]) -> None:
    assert parts(template) == expected


@pytest.mark.parametrize("template", [template for template, _ in TEMPLATES])
def test_the_canonical_text_reads_as_the_same_parts(template: str) -> None:
    exemplar = Exemplar("book", parts(template))
    assert parts(exemplar.text) == exemplar.parts


@given(st.lists(st.one_of(st.sampled_from([PEOPLE, DAY]), st.text("ab <>\\d席3", min_size=1)), min_size=1))
def test_any_parts_survive_being_written_and_read(pieces: list[str | SlotMark]) -> None:
    joined: list[str | SlotMark] = []
    for piece in pieces:
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        else:
            joined.append(piece)
    exemplar = Exemplar("book", tuple(joined))
    if exemplar.text.strip():
        assert parts(exemplar.text) == exemplar.parts


def test_the_canonical_text_is_tight() -> None:
    exemplar = Exemplar("book", parts("seats for < people >"))
    assert exemplar.text == "seats for <people>"
    assert exemplar.slots == ("people",)


WANTED = [
    Exemplar("book", ("seats for ", PEOPLE)),
    Exemplar("book", ("a table",)),
    Exemplar("cancel", ("forget it",)),
]
FORMATS: list[tuple[str, object]] = [
    (
        "OpenCUI",
        [
            {
                "funcId": "book",
                "exemplars": [
                    {"type": "implies", "utterance": "seats for < people >"},
                    {"type": "implies", "utterance": "a table"},
                ],
            },
            {"funcId": "cancel", "exemplars": [{"utterance": "forget it"}]},
        ],
    ),
    (
        "opendu",
        {
            "book": [{"template": "seats for <people>"}, {"template": "a table", "owner_mode": "normal"}],
            "cancel": [{"template": "forget it", "context_frame": "", "context_slot": None}],
        },
    ),
    (
        "opendu, flat",
        [
            {"owner": "book", "template": "seats for <people>"},
            {"owner": "book", "template": "a table"},
            {"owner": "cancel", "template": "forget it"},
        ],
    ),
    ("texts", {"book": ["seats for <people>", "a table"], "cancel": ["forget it"]}),
]


@pytest.mark.parametrize("source", [source for _, source in FORMATS], ids=[name for name, _ in FORMATS])
def test_every_format_reads_as_the_same_exemplars(source: object, tmp_path: Path) -> None:
    assert read_exemplars(source, FUNCTIONS) == WANTED
    path = tmp_path / "exemplars.json"
    path.write_text(json.dumps(source))
    assert read_exemplars(path, FUNCTIONS) == read_exemplars(str(path), FUNCTIONS) == WANTED


def test_one_group_may_stand_alone_and_labels_may_be_called_like_keys() -> None:
    assert read_exemplars({"funcId": "book", "exemplars": ["a table"]}, FUNCTIONS) == [WANTED[1]]
    assert read_exemplars({"owner": ["mine"]}, FUNCTIONS) == [Exemplar("owner", ("mine",))]


@pytest.mark.parametrize(
    ("keys", "mode"),
    [
        ({}, "normal"),
        ({"owner_mode": None}, "normal"),
        ({"owner_mode": "normal"}, "normal"),
        ({"type": "implies"}, "normal"),
        ({"owner_mode": "extended"}, "extended"),
        ({"label": "literal"}, "extended"),
        ({"owner_mode": "negative"}, "negative"),
        ({"label": "negation"}, "negative"),
        ({"type": "Negation"}, "negative"),
    ],
)
def test_the_mode_has_many_names(keys: dict[str, object], mode: str) -> None:
    (exemplar,) = read_exemplars({"book": [{"template": "x", **keys}]}, FUNCTIONS)
    assert exemplar.mode == mode


@pytest.mark.parametrize(
    ("keys", "context"),
    [
        ({"context_frame": "cancel"}, ("cancel", None)),
        ({"context_frame": "cancel", "context_slot": "reason"}, ("cancel", "reason")),
        ({"context_slot": "day"}, ("book", "day")),
        ({"context_frame": "book", "context_slot": "book.day"}, ("book", "day")),
    ],
)
def test_a_context_is_a_function_and_a_slot(keys: dict[str, object], context: tuple[str, str | None]) -> None:
    (exemplar,) = read_exemplars({"book": [{"template": "x", **keys}]}, FUNCTIONS)
    assert exemplar.context == context


def test_fixed_arguments_are_kept() -> None:
    (exemplar,) = read_exemplars({"book": [{"template": "x", "arguments": {"book.people": 2}}]}, FUNCTIONS)
    assert exemplar.arguments == {"people": 2}


DEEP: list[object] = []
for _ in range(20_000):
    DEEP = [DEEP]

REFUSED: list[tuple[object, str]] = [
    ({"boat": ["x"]}, '"boat"'),
    ({"bok": ["x"]}, 'did you mean "book"'),
    ([{"funcId": "boat", "exemplars": []}], "$[0].funcId"),
    ({"book": ["on the <terrace>"]}, '"terrace"'),
    ({"book": ["x < y > z"]}, r"\<y>"),
    ({"book": ["a <b-c.d> e"]}, "b-c.d"),
    ({"book": ["<peple>"]}, 'did you mean "people"'),
    ({"book": ["<cancel.reason>"]}, "cancel.reason"),
    ({"book": ["  "]}, "$.book[0]"),
    ({"book": ["a\0b"]}, "NUL"),
    ({"book": ["a\udc00"]}, "surrogate"),
    ({"book": [{"template": 5}]}, "$.book[0].template"),
    ({"book": [{}]}, "no template"),
    ({"book": [5]}, "$.book[0]"),
    ({"book": "x"}, "$.book"),
    ({"book": [{"template": "x", "owner_mode": "never"}]}, '"never"'),
    ({"book": [{"template": "x", "owner_mode": 1}]}, "$.book[0].owner_mode"),
    ({"book": [{"template": "x", "context_frame": "boat"}]}, "$.book[0].context_frame"),
    ({"book": [{"template": "x", "context_slot": "sail"}]}, '"sail"'),
    ({"book": [{"template": "x", "context_frame": 5}]}, "5"),
    ({"book": [{"template": "x", "arguments": {"sail": 1}}]}, '"sail"'),
    ({"book": [{"template": "x", "arguments": [1]}]}, "$.book[0].arguments"),
    ({"book": [{"template": "x", "arguments": {"people": {1}}}]}, "set"),
    ({"book": [{"template": "x", "owner_mod": "negative"}]}, "owner_mod"),
    ([{"exemplars": ["x"]}], "funcId"),
    ([5], "$[0]"),
    (5, "5"),
    (None, "null"),
    (DEEP, "nested"),
    ("no/such.json", "no/such.json"),
]


@pytest.mark.parametrize(("source", "words"), REFUSED)
def test_a_malformed_exemplar_is_refused_with_what_is_wrong(source: object, words: str) -> None:
    with pytest.raises(ExemplarError) as caught:
        read_exemplars(source, FUNCTIONS)
    assert words in str(caught.value)
    str(caught.value).encode()


def test_a_broken_file_is_an_exemplar_error(tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    path.write_text("book: [")
    with pytest.raises(ExemplarError, match="YAML"):
        read_exemplars(path, FUNCTIONS)
