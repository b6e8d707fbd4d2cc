"""Deep links: a table of templates and calls, and laws over any values."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constrained_du import Call, SpecError
from constrained_du.links import link

GRAMMARS = Path(__file__).resolve().parent.parent / "grammars"

EXPANDED = [
    ("a query", "outings{?area,kind}", {"area": "Amsterdam"}, "outings?area=Amsterdam"),
    ("a query of two", "outings{?area,kind}", {"area": "Utrecht", "kind": "film"}, "outings?area=Utrecht&kind=film"),
    ("in the template's order", "x{?b,a}", {"a": "1", "b": "2"}, "x?b=2&a=1"),
    ("a query without values", "outings{?area,kind}", {}, "outings"),
    ("a path", "screen/{screen}", {"screen": "settings"}, "screen/settings"),
    ("a path without its value", "screen/{screen}", {}, "screen/"),
    ("path and query", "tickets/{kind}{?class}", {"kind": "day pass", "class": 2}, "tickets/day%20pass?class=2"),
    ("several in one place", "{a,b}", {"a": "x", "b": "y"}, "x,y"),
    ("nothing to fill", "home", {"a": "x"}, "home"),
    ("an address", "app://go/{to}", {"to": "a/b"}, "app://go/a%2Fb"),
    (
        "an intent of Android", "intent://trips{?to}#Intent;scheme=rails;package=org.example.rails;S.note={note};end",
        {"to": "Den Haag", "note": "a;b#c"},
        "intent://trips?to=Den%20Haag#Intent;scheme=rails;package=org.example.rails;S.note=a%3Bb%23c;end",
    ),
    ("Chinese", "outings{?area}", {"area": "杭州"}, "outings?area=%E6%9D%AD%E5%B7%9E"),
    ("beyond the BMP", "{a}", {"a": "🚂"}, "%F0%9F%9A%82"),
    ("a slot in another script", "x{?城市}", {"城市": "杭州"}, "x?%E5%9F%8E%E5%B8%82=%E6%9D%AD%E5%B7%9E"),
    ("signs of addresses", "{?a}", {"a": "a&b=c#d?e%f+g"}, "?a=a%26b%3Dc%23d%3Fe%25f%2Bg"),
    ("unreserved signs", "{a}", {"a": "a-b.c_d~e"}, "a-b.c_d~e"),
    ("booleans", "{?on}", {"on": True}, "?on=true"),
    ("numbers", "{?a,b}", {"a": 0, "b": 21.5}, "?a=0&b=21.5"),
    ("the empty text is a value", "{?a}", {"a": ""}, "?a="),
    ("null is none", "{?a,b}", {"a": None, "b": 1}, "?b=1"),
    ("a list", "{?a}", {"a": ["x y", "z"]}, "?a=x%20y,z"),
    ("an empty list is none", "{?a}", {"a": []}, ""),
    ("an object", "{?a}", {"a": {"b": 1, "c": "d"}}, "?a=b,1,c,d"),
]

REFUSED = ["{+a}", "{#a}", "{/a}", "{&a}", "{a*}", "{}", "{?}", "{a,}", "a{", "a}b", "{a{b}}", 7, ["x"]]


@pytest.mark.parametrize(
    ("template", "arguments", "wanted"), [row[1:] for row in EXPANDED], ids=[row[0] for row in EXPANDED]
)
def test_a_template_is_expanded(template: str, arguments: dict[str, object], wanted: str) -> None:
    assert link({"x-link": template}, Call("f", arguments)) == wanted


@pytest.mark.parametrize("template", REFUSED, ids=repr)
def test_another_form_is_refused_and_not_half_expanded(template: object) -> None:
    with pytest.raises(SpecError, match="x-link"):
        link({"x-link": template}, Call("f", {"a": "x"}))


def test_there_is_no_link_without_a_template_and_none_for_the_fallback() -> None:
    assert link({}, Call("f", {"a": "x"})) is None
    assert link({"x-link": "home"}, Call("do_not_understand")) is None


@given(st.dictionaries(st.sampled_from("abc"), st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_a_query_read_back_gives_the_values(arguments: dict[str, str]) -> None:
    written = link({"x-link": "screen{?a,b,c}"}, Call("f", arguments))
    assert written is not None and written.isascii()
    assert dict(parse_qsl(urlsplit(written).query, keep_blank_values=True, strict_parsing=True)) == arguments


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_value_in_a_path_stays_in_its_segment(value: str) -> None:
    written = link({"x-link": "screen/{a}/end"}, Call("f", {"a": value}))
    assert written is not None
    before, segment, after = written.split("/")
    assert (before, unquote(segment), after) == ("screen", value, "end")


@pytest.mark.parametrize("domain", ["city_app_en", "city_app_zh"])
def test_the_links_of_the_example_scenarios_are_those_of_their_calls(domain: str) -> None:
    specs = {spec["label"]: spec for spec in json.loads((GRAMMARS / domain / "specs.json").read_text("utf-8"))}
    scenarios = json.loads((GRAMMARS / domain / "scenarios.json").read_text("utf-8"))
    linked = [scenario for scenario in scenarios if "link" in scenario]
    assert linked
    for scenario in linked:
        gold = scenario["calls"][0]
        assert link(specs[gold["name"]], Call(gold["name"], gold["arguments"])) == scenario["link"], scenario["id"]
