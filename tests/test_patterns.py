"""Patterns say what ECMA's say: laws against Python's ``re``, the dialect's edge, and hostile ones."""

from __future__ import annotations

import re
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constrained_du.errors import GrammarError
from constrained_du.patterns.automata import SURROGATES, complement, meet, normalise
from constrained_du.patterns.patterns import (
    MAX_DFA_STATES,
    MAX_NFA_STATES,
    Pattern,
    PatternError,
    bounded_automaton,
    compiled,
)  # fmt: skip

# ---- against Python's re -----------------------------------------------------------------

# Each atom as ECMA writes it and as Python does: they differ in ``.``, ``$`` and classes.
ATOMS = (
    ("a", "a"), ("b", "b"), ("é", "é"), (" ", " "), ("-", "-"), ("\\.", "\\."), ("\\/", "/"), ("\\x61", "a"), ("\\u00e9", "é"),
    (".", "[^\\n\\r\\u2028\\u2029]"), ("\\d", "[0-9]"), ("\\D", "[^0-9]"), ("\\w", "[A-Za-z0-9_]"), ("\\W", "[^A-Za-z0-9_]"),
    ("\\s", "[\\s\\ufeff]"), ("\\n", "\\n"), ("[ab]", "[ab]"), ("[^ab]", "[^ab]"), ("[a-c1]", "[a-c1]"), ("[-a]", "[-a]"),
    ("[^\\n]", "[^\\n]"), ("[\\da]", "[0-9a]"), ("[a\\]]", "[a\\]]"),
)  # fmt: skip
ANCHORS = (("^", "\\A"), ("$", "\\Z"))
QUANTIFIERS = ("*", "+", "?", "{2}", "{1,2}", "{0}", "{2,}", "*?", "{1,3}?")

Both = tuple[str, str]


def joined(parts: list[Both], between: str = "") -> Both:
    return between.join(ours for ours, _ in parts), between.join(theirs for _, theirs in parts)


def repeated(atom: Both, quantifier: str) -> Both:
    return f"(?:{atom[0]}){quantifier}", f"(?:{atom[1]}){quantifier}"


patterns: st.SearchStrategy[Both] = st.recursive(
    st.one_of(st.sampled_from(ATOMS), st.sampled_from(ATOMS), st.sampled_from(ANCHORS)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(joined),
        st.lists(inner, min_size=1, max_size=3).map(lambda found: joined(found, "|")).map(
            lambda both: (f"({both[0]})", f"({both[1]})")
        ),
        st.builds(repeated, inner, st.sampled_from(QUANTIFIERS)),
    ),
    max_leaves=8,
)
texts = st.text(st.sampled_from("ab1é _-.\n\u2028]"), max_size=7)


@given(both=patterns, text=texts)
def test_a_pattern_matches_where_python_finds_it(both: Both, text: str) -> None:
    ours, theirs = both
    assert Pattern(ours).matches(text) == (re.search(theirs, text) is not None)


@given(both=patterns, text=texts, start=st.integers(0, 4))
def test_ends_are_all_the_ends_at_which_the_part_matches(both: Both, text: str, start: int) -> None:
    start = min(start, len(text))
    expected = [end for end in range(start, len(text) + 1) if re.search(both[1], text[start:end])]
    assert Pattern(both[0]).ends(text, start) == expected


@given(both=patterns, text=texts)
def test_the_automaton_accepts_what_the_pattern_matches(both: Both, text: str) -> None:
    pattern = Pattern(both[0])
    assert pattern.automaton().accepts(text) == pattern.matches(text)


@given(both=patterns, text=texts, least=st.integers(0, 3), room=st.integers(0, 4))
def test_a_bounded_automaton_knows_length_and_pattern(both: Both, text: str, least: int, room: int) -> None:
    automaton = bounded_automaton((both[0],), least, least + room, 5_000)
    fits = least <= len(text) <= least + room and Pattern(both[0]).matches(text)
    assert automaton.accepts(text) == fits


@given(one=patterns, other=patterns, text=texts)
def test_two_patterns_together_hold_where_each_holds(one: Both, other: Both, text: str) -> None:
    automaton = bounded_automaton((one[0], other[0]), 0, 8, 20_000)
    assert automaton.accepts(text) == (Pattern(one[0]).matches(text) and Pattern(other[0]).matches(text))


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9)).map(lambda p: (p[0], p[0] + p[1])), max_size=5), st.data())
def test_ranges_form_a_set_algebra(pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    ranges = normalise(pairs)
    others = normalise(data.draw(st.lists(st.tuples(st.integers(0, 20), st.integers(20, 50)), max_size=3)))
    inside = {point for low, high in pairs for point in range(low, high + 1)}
    assert {p for p in range(60) if any(a <= p <= b for a, b in ranges)} == inside
    assert complement(complement(ranges)) == ranges
    assert meet(ranges, complement(ranges)) == ()
    both = {p for low, high in others for p in range(low, high + 1)} & inside
    assert {p for p in range(60) if any(a <= p <= b for a, b in meet(ranges, others))} == both


# ---- the dialect -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "accepted", "refused"),
    [
        ("lamp", ["lamp", "a lamps b"], ["lam", "LAMP", ""]),
        ("^lamp", ["lamps"], ["a lamp"]),
        ("lamp$", ["a lamp"], ["lamps", "lamp\n"]),
        ("^$", [""], [" ", "\n"]),
        ("$^", [""], ["x"]),
        ("^(red|)$", ["red", ""], ["re"]),
        ("^[]$", [], ["", "]"]),
        ("^[^]$", ["a", "\n"], ["", "ab"]),
        ("^\\s$", [" ", "\u3000", "\ufeff", "\u2028"], ["", "a", "\u200b"]),
        ("^\\d$", ["7"], ["٣", "７"]),
        ("^\\w$", ["a", "_"], ["é", "東"]),
        ("^.$", ["東", "😀", "\u0301"], ["\n", "\r", "\u2028", "e\u0301"]),
        ("^\\u{1F600}$", ["😀"], ["u{1F600}"]),
        ("^\\uD83D\\uDE00$", ["😀"], ["😁"]),
        ("^[\\uD83D\\uDE00-\\uD83D\\uDE02]$", ["😀", "😁", "😂"], ["😃", "x"]),
        ("^(?<year>\\d{4})$", ["2023"], ["23"]),
        ("^(?:ab){2,3}$", ["abab", "ababab"], ["ab", "abababab"]),
        ("^a{0}b$", ["b"], ["ab"]),
        ("^[a-c\\-x]$", ["b", "-", "x"], ["d"]),
        ("^[\\w.-]+@[\\w-]+$", ["a.b-c@d"], ["@d", "a@"]),
        ("^\\/\\{\\}\\[\\]\\(\\)\\*\\+\\?\\.\\^\\$\\|\\\\$", ["/{}[]()*+?.^$|\\"], ["/"]),
        ("^a*?b+?$", ["b", "aabb"], ["a"]),
    ],
)
def test_the_dialect_reads_as_ecma_does(pattern: str, accepted: list[str], refused: list[str]) -> None:
    read = Pattern(pattern)
    assert [text for text in accepted if not read.matches(text)] == []
    assert [text for text in refused if read.matches(text)] == []


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(?=a)", "look-around"), ("(?!a)", "look-around"), ("(?<=a)b", "look-around"), ("(?<!a)b", "look-around"),
        ("(?i)a", "flag"), ("(?P<n>a)", "flag"), ("\\bword\\b", "\\b"), ("(a)\\1", "\\1"), ("\\k<n>", "\\k"),
        ("\\p{L}", "\\p"), ("\\cA", "\\c"), ("\\", "not supported"), ("\\u12", "hexadecimal"), ("\\u{12", "hexadecimal"),
        ("\\u{}", "hexadecimal"), ("\\u{110000}", "last code point"), ("\\xZZ", "hexadecimal"), ("(a", "not closed"),
        ("a)", "closes nothing"), ("[a", "not closed"), ("[b-a]", "range"), ("[a-\\d]", "range"), ("*a", "repeats nothing"),
        ("a**", "repeats a repetition"), ("a+?+", "repeats a repetition"), ("a{2}{3}", "repeats a repetition"),
        ("^*", "repeated anchor"), ("a{3,2}", "from 3 to 2"), ("a{,2}", "{"), ("a{x}", "{"), ("a{", "{"), ("{", "repeats nothing"),
        ("a{٣}", "{"),
    ],
)  # fmt: skip
def test_what_is_outside_the_dialect_is_refused_by_name(pattern: str, words: str) -> None:
    with pytest.raises(PatternError) as refusal:
        Pattern(pattern)
    assert words in str(refusal.value)


# ---- hostile patterns --------------------------------------------------------------------


@pytest.mark.parametrize(
    "pattern",
    ["(" * 5_000 + ")" * 5_000, "a{999999}", "(){999999}", "((){999}){999}", "(((){99}){99}){99}", "(a{999}){999}", "a|" * 30_000],
    ids=["nested", "long", "nothing, often", "nothing, often, often", "three deep", "product", "wide"],
)
def test_a_hostile_pattern_costs_a_refusal(pattern: str) -> None:
    with pytest.raises(PatternError):
        Pattern(pattern)


@pytest.mark.parametrize("pattern", ["^((a*)*)*$", "^(a|a)*$", "^(a+)+$", "^(a|aa)+$"])
def test_no_pattern_backtracks(pattern: str) -> None:
    read = Pattern(pattern)
    assert read.matches("a" * 5_000)
    assert not read.matches("a" * 5_000 + "b")


def test_matching_needs_no_more_memory_than_its_states() -> None:
    """2^13 states would be met by this text; matching forgets, and stays right."""
    read = Pattern("^(a|b)*a(a|b){12}$")
    bits = "".join(format(number, "013b") for number in range(1_500)).translate({48: "b", 49: "a"})
    for end in (13, 1_000, len(bits)):
        assert read.matches(bits[:end]) == (bits[end - 13] == "a")


def test_an_automaton_of_too_many_states_is_refused() -> None:
    with pytest.raises(PatternError, match=str(MAX_DFA_STATES)):
        Pattern("^(a|b)*a(a|b){15}$").automaton()


def test_a_length_that_multiplies_the_states_beyond_the_limit_is_refused() -> None:
    with pytest.raises(PatternError, match="lower maxLength"):
        bounded_automaton(("^(ab)*$",), 0, 5_000, 1_000)


def test_a_text_that_costs_too_much_is_an_error_of_the_package() -> None:
    with pytest.raises(GrammarError, match="too expensive"):
        Pattern("^(a|b)*a(a|b){3000}$").matches("".join("ab"[number * number % 7919 % 2] for number in range(7_000)))


def test_the_limit_of_states_is_where_it_is_said_to_be() -> None:
    Pattern(f"^a{{{MAX_NFA_STATES - 4}}}$")
    with pytest.raises(PatternError):
        Pattern(f"^a{{{MAX_NFA_STATES}}}$")


def test_no_text_of_an_automaton_holds_half_a_surrogate_pair() -> None:
    automaton = bounded_automaton(("^.$",), 1, 1, 100)
    assert all(meet(((low, high),), SURROGATES) == () for row in automaton.rows for low, high, _ in row)
    assert bounded_automaton(("^\\ud800$",), 0, 5, 100).is_empty


def test_threads_share_a_pattern() -> None:
    read = compiled("^(a|b)*a(a|b){11}$")
    words = ["".join("ab"[(seed * 7919 + i * i) % 2] for i in range(2_500)) + "a" * 12 for seed in range(8)]
    found: dict[int, bool] = {}

    def match(number: int) -> None:
        found[number] = all(read.matches(words[number][n:]) for n in range(3))

    threads = [threading.Thread(target=match, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(8), True)
