"""Rules over token classes: how a sequence of tokens becomes the meaning of one time expression.

A pattern is a regular expression whose letters are token classes; a token class is written as
its name in capitals. The rules themselves are in ``rules_en`` and ``rules_cjk``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from constrained_du.recognizers.calendar import Meaning
from constrained_du.recognizers.time_tokens import Token, is_quiet

_NAME = re.compile(r"(?<!\?)[A-Z][A-Z0-9]*")
_FIRST_CODE = 0xE000
_codes: dict[str, str] = {}


def code(cls: str) -> str:
    """The one character that stands for a token class in patterns and in class strings."""
    return _codes.setdefault(cls, chr(_FIRST_CODE + len(_codes)))


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Blanks part the names and mean nothing else."""
    return re.compile(re.sub(r"\s+", "", _NAME.sub(lambda match: code(match[0]), pattern)))


_PIECE = re.compile(r"(\(\?P<\w+>|\(\?:|\(\?[=!]|\(|\)|\||\?|\{[0-9,]+\}|\$)|([A-Z][A-Z0-9]*)|\s+")


def first_classes(pattern: str) -> frozenset[str]:
    """The token classes with which a match of ``pattern`` can begin.

    Lookaheads count as empty. Patterns know groups, ``|``, ``?`` and ``{m,n}``, nothing else.
    """
    pieces = [match[0] for match in _PIECE.finditer(pattern) if match[0].strip()]
    firsts, _, _ = _first_of_choice(pieces, 0)
    return frozenset(firsts)


def _first_of_choice(pieces: Sequence[str], at: int) -> tuple[set[str], bool, int]:
    """First classes of the alternatives from ``at`` on, whether they can be empty, and where they end."""
    firsts: set[str] = set()
    empty = open_branch = True
    any_empty = False
    while at < len(pieces) and pieces[at] != ")":
        if pieces[at] == "|":
            any_empty |= empty
            empty = open_branch = True
            at += 1
            continue
        found, can_be_empty, at = _first_of_item(pieces, at)
        if open_branch:
            firsts |= found
        if not can_be_empty:
            empty = open_branch = False
    return firsts, any_empty or empty, at


def _first_of_item(pieces: Sequence[str], at: int) -> tuple[set[str], bool, int]:
    """The same for one class or group with its repetition."""
    piece = pieces[at]
    if piece.startswith("("):
        firsts, empty, at = _first_of_choice(pieces, at + 1)
        if piece in ("(?=", "(?!"):
            firsts, empty = set(), True
    else:
        firsts, empty = ({piece}, False) if piece[0].isalpha() else (set(), True)
    at += 1
    while at < len(pieces) and (pieces[at] == "?" or pieces[at].startswith("{")):
        empty |= pieces[at] == "?" or pieces[at].startswith("{0")
        at += 1
    return firsts, empty, at


class Groups:
    """One match of a pattern: its tokens by group name, and the tokens around it."""

    __slots__ = ("_match", "_tokens")

    def __init__(self, match: re.Match[str], tokens: Sequence[Token]) -> None:
        self._match = match
        self._tokens = tokens

    def get(self, name: str) -> Token | None:
        """The first token of the group; None where the pattern has no such group or it took no part."""
        found = self.tokens(name)
        return found[0] if found else None

    def __getitem__(self, name: str) -> Token:
        token = self.get(name)
        assert token is not None, f"group {name} took no part"
        return token

    def tokens(self, name: str | int = 0) -> Sequence[Token]:
        """All tokens of the group, or of the whole match."""
        if name != 0 and name not in self._match.re.groupindex:
            return ()
        start, end = self._match.span(name)
        return self._tokens[start:end] if start >= 0 else ()

    @property
    def before(self) -> Token | None:
        start = self._match.start()
        return self._tokens[start - 1] if start else None

    @property
    def after(self) -> Token | None:
        return self.ahead(0)

    def ahead(self, count: int) -> Token | None:
        """The token that stands ``count`` tokens behind the match's end."""
        at = self._match.end() + count
        return self._tokens[at] if at < len(self._tokens) else None


def closed(groups: Groups) -> bool:
    """Whether nothing that could be counted follows ("at 7 please", but not "at 7 dollars")."""
    return is_quiet(groups.after)


@dataclass(frozen=True, slots=True)
class Atom:
    """A time expression without its neighbours: tokens [first, last), code points [start, end).

    ``amount``: the code points of the length inside an offset ("30 minutes" of "in 30 minutes").
    """

    first: int
    last: int
    start: int
    end: int
    meaning: Meaning
    amount: tuple[int, int] | None = None


Built = Meaning | list[tuple[str, Meaning]] | None
"""One meaning for the whole match; or several, each with the group that holds it; or none."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A compiled pattern, the classes it can begin with, and what makes a meaning of its match.

    The group ``core``, where there is one, is the span of the expression; ``amount`` of its length.
    """

    pattern: re.Pattern[str]
    firsts: frozenset[str]
    build: Callable[[Groups], Built]


def rule(pattern: str, build: Callable[[Groups], Built]) -> Rule:
    return Rule(compile_pattern(pattern), first_classes(pattern), build)


RuleIndex = Mapping[str, Sequence[Rule]]
"""Token class -> the rules that can begin with it, in order."""


def index_rules(rules: Sequence[Rule]) -> RuleIndex:
    firsts = sorted(set().union(*(rule.firsts for rule in rules)))
    return {cls: [rule for rule in rules if cls in rule.firsts] for cls in firsts}


def find_atoms(tokens: Sequence[Token], rules: RuleIndex) -> list[Atom]:
    """Leftmost, then longest, then earlier in order."""
    classes = "".join(code(token.cls) for token in tokens)
    atoms: list[Atom] = []
    at = 0
    while at < len(tokens):
        candidates = rules.get(tokens[at].cls)
        best = _longest(classes, tokens, candidates, at) if candidates else None
        if best is None:
            at += 1
            continue
        atoms += best
        at = best[-1].last
    return atoms


def _longest(classes: str, tokens: Sequence[Token], rules: Sequence[Rule], at: int) -> list[Atom] | None:
    matches = [(match, rule) for rule in rules if (match := rule.pattern.match(classes, at))]
    matches.sort(key=lambda found: -found[0].end())
    for match, found in matches:
        groups = Groups(match, tokens)
        built = found.build(groups)
        if built is not None:
            return _atoms_of(groups, built, match, tokens)
    return None


def _atoms_of(groups: Groups, built: Built, match: re.Match[str], tokens: Sequence[Token]) -> list[Atom]:
    names = match.re.groupindex
    if isinstance(built, list):
        return [_atom(tokens, match.span(name), match.span(name), meaning, None) for name, meaning in built]
    assert built is not None
    core = match.span("core") if "core" in names and match.start("core") >= 0 else match.span()
    amount = match.span("amount") if "amount" in names and match.start("amount") >= 0 else None
    return [_atom(tokens, match.span(), core, built, amount)]


def _atom(
    tokens: Sequence[Token],
    whole: tuple[int, int],
    core: tuple[int, int],
    meaning: Meaning,
    amount: tuple[int, int] | None,
) -> Atom:
    place = (tokens[amount[0]].start, tokens[amount[1] - 1].end) if amount else None
    return Atom(whole[0], whole[1], tokens[core[0]].start, tokens[core[1] - 1].end, meaning, place)
