"""A file of specs reads as what is in it; a broken one is an error that names it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from constrained_du.errors import SpecError
from constrained_du.sources import RawFunction, read_functions
from constrained_du.sources.yaml_text import parse_yaml

COLOUR = {"type": "string", "enum": ["red", "green"], "description": "which colour"}
PARAMETERS = {"type": "object", "properties": {"colour": COLOUR}, "required": ["colour"]}
COMPLETE = {**PARAMETERS, "$defs": {}}
FLAT = {"name": "paintWall", "description": "Paint a wall", "parameters": PARAMETERS}


def one(source: object) -> RawFunction:
    functions = read_functions(source)
    assert len(functions) == 1
    return functions[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", json.dumps([FLAT])),
        ("a.JSON", "\ufeff" + json.dumps({"tools": [FLAT]})),
        ("a.yaml", "- name: paintWall\n  description: Paint a wall\n  parameters: " + json.dumps(PARAMETERS)),
        ("a.yml", "functions:\n- " + json.dumps(FLAT)),
    ],
)
@pytest.mark.parametrize("as_text", [True, False])
def test_a_file_reads_as_what_is_in_it(tmp_path: Path, name: str, text: str, as_text: bool) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    raw = one(str(path) if as_text else path)
    assert (raw.label, raw.parameters) == ("paintWall", COMPLETE)
    assert raw.path.startswith(f"{name}:$")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.json", b'{"name": "a",}', "line 1"),
        ("a.json", b'{"name": "a", "name": "b"}', '"name" is there twice'),
        ("a.json", b'[{"name": "a", "x": NaN}]', "NaN"),
        ("a.json", b'[{"name": "a", "x": 1e999}]', "inf"),
        ("a.json", b'{"name": "\xff"}', "UTF-8"),
        ("a.json", b'{"name": "\\ud800"}', "surrogate"),
        ("a.json", b"[" * 50_000, "nested"),
        ("a.json", b'["other.json"]', "other.json"),
        ("a.json", b'"other.json"', "other.json"),
        ("a.json", b"", "no JSON"),
        ("a.json", b"1" * 10_000, "JSON"),
        ("a.yaml", b"a: [1", "line"),
        ("a.yaml", b"name: a\nname: b", "twice"),
        ("a.yaml", b"[" * 50_000, "nesting"),
        ("a.yaml", b"- " * 50_000, "nested"),
        ("a.yaml", b"name: !!python/name:os.system x", "tag"),
        ("a.yaml", b"x: *nobody", "nobody"),
        ("a.yaml", b"a: 1\n---\nb: 2", "document"),
        ("a.yaml", b"name: .nan", "nan"),
        ("a.yaml", b"", "null"),
        ("a.yaml", b"&a [*a, *a]", "null"),
        ("a.toml", b"a = 1", ".toml"),
    ],
)
def test_a_broken_file_is_a_spec_error(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    problems: list[SpecError] = []
    assert read_functions(path, problems) == []
    assert problems
    if content != b"&a [*a, *a]":
        assert words in str(problems[0])


def test_yaml_aliases_that_double_at_every_step_are_refused(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    path = tmp_path / "laughs.yaml"
    path.write_text("name: f\n" + "\n".join(lines))
    with pytest.raises(SpecError, match="values"):
        read_functions(path)


def test_yaml_words_stay_the_words_that_people_see() -> None:
    text = "on: [no, off, yes, 12:30, 2024-01-01, 010, 1_000, 'true', true, 1, -2.5, 1e3, 0x1F, ~, null]"
    assert parse_yaml(text, "$") == {
        "on": [
            "no",
            "off",
            "yes",
            "12:30",
            "2024-01-01",
            10,
            "1_000",
            "true",
            True,
            1,
            -2.5,
            1000.0,
            31,
            None,
            None,
        ]
    }


def test_yaml_merge_keys_and_anchors_work() -> None:
    text = "base: &b {type: string, title: x}\ncity:\n  <<: *b\n  title: y\n"
    assert parse_yaml(text, "$")["city"] == {"type": "string", "title": "y"}


def test_several_files_are_read_in_their_order(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"name": name}))
    assert [raw.label for raw in read_functions([tmp_path / "two.json", str(tmp_path / "one.json")])] == [
        "two",
        "one",
    ]
