"""Joins neighbouring time expressions: which day a time of day belongs to, what an end of a range inherits.

Works on atoms and the tokens between them; text and output formats are not its business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from constrained_du.recognizers import calendar as cal
from constrained_du.recognizers.calendar import Clock, Day, Impossible, Offset, Part, Recurrence
from constrained_du.recognizers.time_grammar import Atom
from constrained_du.recognizers.time_tokens import Token, is_quiet

_DAYS, _COMING = frozenset("WEEKDAY SHORTDAY MONTH ORD".split()), frozenset("NEXT THIS COMING LAST".split())
_SOFT = frozenset("AT ON COMMA NO THE IN FROM FOR BEFORE AFTER UNTIL".split())
_LIST = frozenset(("OR", "AND"))
_MOST_BETWEEN = 3
"""Tokens between two expressions that still belong together ("tomorrow, from about 3")."""
_INTO_PART = frozenset([(), ("IN", "THE"), ("IN",), ("AT",), ("THE",), ("NO",), ("ON", "THE")])


@dataclass(slots=True, eq=False)
class Said:
    """An atom with what its neighbours add to it.

    ``span``: code points of the whole moment, day included. ``day``: the day of a time of day.
    ``after``: the beginning of the range that this one ends; ``until``: the end of the range that
    it begins; ``beside``: another of a list. ``impossible``: it stands on a day that does not exist. ``is_over``: it stands
    after "since", or is told of as past, so that the last such day is meant. ``comes_round``: it names a day that comes
    round again.
    """

    atom: Atom
    span: tuple[int, int]
    day: Said | None = None
    after: Said | None = None
    until: Said | None = None
    beside: Said | None = None
    recurring: str | None = None
    impossible: bool = False
    has_clock: bool = False
    is_over: bool = False
    comes_round: bool = False

    @property
    def clock(self) -> Clock | None:
        return self.atom.meaning if isinstance(self.atom.meaning, Clock) else None

    @property
    def is_day(self) -> bool:
        meaning = self.atom.meaning
        if isinstance(meaning, Offset):
            return not meaning.duration.seconds
        if isinstance(meaning, Recurrence):
            return meaning.duration is None or not meaning.duration.seconds
        return isinstance(meaning, Day) or (isinstance(meaning, Impossible) and meaning.days)


def read_phrases(atoms: Sequence[Atom], tokens: Sequence[Token]) -> list[Said]:
    """The atoms in order with their joins, without the bare numbers that are no times."""
    merged = _attach_parts(_merge_parts(_drop_weak(_without_fillers(atoms), tokens), tokens), tokens)
    past = _is_past(tokens)
    round_ = [_comes_round(atom, tokens) for atom in merged]
    said = [
        Said(atom, (atom.start, atom.end), is_over=(past and again) or _follows_since(atom, tokens), comes_round=again)
        for atom, again in zip(merged, round_, strict=True)
    ]
    links = [*(_link(left.atom, right.atom, tokens) for left, right in pairwise(said)), ""]
    _join_ranges(said, links)
    _join_days(said, links)
    return said


def _without_fillers(atoms: Sequence[Atom]) -> list[Atom]:
    """Without the "now" that says no time: "it is now on Wednesday"."""
    said = any(isinstance(atom.meaning, Day | Clock) for atom in atoms)
    return [atom for atom in atoms if not (said and isinstance(atom.meaning, cal.Now))]


def _is_past(tokens: Sequence[Token]) -> bool:
    """Whether it is told or asked what was: "did I sleep well on Tuesday". ("I was hoping for Friday", "did you get it" are
    about what comes.)"""
    words = [*(token.text for token in tokens), ""]
    return any(
        (word == "did" and after != "you") or (word in ("was", "were") and not after.endswith("ing"))
        for word, after in pairwise(words)
    )


def _follows_since(atom: Atom, tokens: Sequence[Token]) -> bool:
    return any(token.text == "since" for token in tokens[max(0, atom.first - 1) : atom.first])


def _comes_round(atom: Atom, tokens: Sequence[Token]) -> bool:
    """Whether an atom names a day that comes round again: "Monday", "the 9th", and not "next Monday" or "tomorrow"."""
    classes = {token.cls for token in tokens[atom.first : atom.last]}
    return bool(classes & _DAYS) and not classes & _COMING


def _between(left: Atom, right: Atom, tokens: Sequence[Token]) -> tuple[str, ...]:
    return tuple(token.cls for token in tokens[left.last : min(right.first, left.last + _MOST_BETWEEN + 1)])


def _link(left: Atom, right: Atom, tokens: Sequence[Token]) -> str:
    """How two atoms hang together: "soft", "range", "list", or not at all ("")."""
    classes = _between(left, right, tokens)
    if len(classes) > _MOST_BETWEEN:
        return ""
    if not all(cls in _SOFT or cls in _LIST or cls == "TO" for cls in classes):
        return ""
    if "TO" in classes or classes[:1] == ("UNTIL",) or tokens[right.first].cls == "UNTIL":
        return "range"
    if any(cls in _LIST for cls in classes):
        return "range" if _after_between(left, tokens) else "list"
    return "soft"


def _after_between(atom: Atom, tokens: Sequence[Token]) -> bool:
    """ "between 3 and 5"."""
    return atom.first > 0 and tokens[atom.first - 1].text == "between"


# --- bare numbers and parts of the day ----------------------------------------------------------------------


def _drop_weak(atoms: list[Atom], tokens: Sequence[Token]) -> list[Atom]:
    kept: list[Atom] = []
    for index, atom in enumerate(atoms):
        if not _is_weak(atom) or _is_time(atoms, index, kept, tokens):
            kept.append(atom)
    return kept


def _is_weak(atom: Atom) -> bool:
    return isinstance(atom.meaning, Clock) and atom.meaning.weak


def _is_time(atoms: list[Atom], index: int, kept: list[Atom], tokens: Sequence[Token]) -> bool:
    """Whether the bare number ``atoms[index]`` is a time of day here."""
    atom = atoms[index]
    following = tokens[atom.last] if atom.last < len(tokens) else None
    quiet = is_quiet(following)
    if len(atoms) == 1 and all(t.cls in ("FUNC", "COMMA") for i, t in enumerate(tokens) if i != atom.first):
        return True
    right = atoms[index + 1] if index + 1 < len(atoms) else None
    if right is not None and _opens_time(atom, right, tokens):
        return True
    left = kept[-1] if kept else None
    if left is None or not quiet:
        return False
    classes = _between(left, atom, tokens)
    if isinstance(left.meaning, Day | Part) and classes in ((), ("COMMA",)) and not _is_count(following):
        return True
    return (
        isinstance(left.meaning, Clock) and _link(left, atom, tokens) in ("range", "list") and "AND" not in classes[1:]
    )


def _is_count(token: Token | None) -> bool:
    return token is not None and token.cls in ("A", "NUM", "OF", "MONTH", "AND")


def _opens_time(atom: Atom, right: Atom, tokens: Sequence[Token]) -> bool:
    """ "3" in "3 to 5pm", "7 or 8pm", "7 in the morning", "from 3 to 5"."""
    classes = _between(atom, right, tokens)
    if isinstance(right.meaning, Part):
        return classes in (("IN", "THE"), ("AT",))
    if isinstance(right.meaning, Day) and right.meaning.part is not None:
        return classes == () and (atom.first == 0 or tokens[atom.first - 1].cls == "COMMA")
    if not isinstance(right.meaning, Clock):
        return False
    if not right.meaning.weak:
        return classes in (("TO",), ("OR",), ("UNTIL",), ("AND",))
    following = tokens[right.last] if right.last < len(tokens) else None
    opened = atom.first > 0 and tokens[atom.first - 1].cls == "FROM"
    return opened and classes in (("TO",), ("AND",), ("UNTIL",)) and is_quiet(following)


def _with_part(clock: Clock, part: Part) -> Clock:
    """The clock read with "in the evening": one hour of 24, perhaps of the night after."""
    if clock.hour == 0 and clock.sure:
        return replace(clock, weak=False, days=1 if part in (cal.NIGHT, cal.EVENING) else clock.days)
    if clock.sure or clock.hour > 12:
        return replace(clock, weak=False)
    days = 1 if part.is_next_day(clock.hour) else 0
    return replace(clock, hour=part.hour(clock.hour), sure=True, weak=False, days=days)


def _merge_parts(atoms: list[Atom], tokens: Sequence[Token]) -> list[Atom]:
    """Joins times of day with the part said right beside them ("3:30 in the afternoon", "evening 4:30")."""
    merged: list[Atom] = []
    for atom in atoms:
        left = merged[-1] if merged else None
        classes = _between(left, atom, tokens) if left else ()
        into = classes in _INTO_PART
        if into and left is not None and isinstance(left.meaning, Clock) and isinstance(atom.meaning, Part):
            clock = _with_part(left.meaning, atom.meaning)
            merged[-1] = replace(left, last=atom.last, end=atom.end, meaning=clock)
            continue
        if left is not None and isinstance(left.meaning, Part) and isinstance(atom.meaning, Clock):
            clock = _with_part(atom.meaning, left.meaning)
            if classes in ((), ("NO",)) and tokens[atom.first].cls not in ("AT", "BEFORE", "AFTER", "UNTIL"):
                merged[-1] = replace(atom, first=left.first, start=left.start, meaning=clock)
                continue
            if all(cls in _SOFT for cls in classes) and len(classes) <= 2:
                merged[-1] = replace(atom, first=left.first, meaning=clock)
                continue
        merged.append(atom)
    return merged


def _attach_parts(atoms: list[Atom], tokens: Sequence[Token]) -> list[Atom]:
    """Gives "tomorrow morning" its part; parts that are left say no time."""
    kept: list[Atom] = []
    for atom in atoms:
        left = kept[-1] if kept else None
        if not isinstance(atom.meaning, Part):
            kept.append(atom)
        elif atom.meaning is cal.NOONTIME:
            kept.append(replace(atom, meaning=Clock(12, sure=True)))
        elif (
            left is not None
            and isinstance(left.meaning, Day | Recurrence)
            and _between(left, atom, tokens) in _INTO_PART
        ):
            end = atom.end if isinstance(left.meaning, Recurrence) else left.end
            kept[-1] = replace(left, last=atom.last, end=end, meaning=replace(left.meaning, part=atom.meaning))
    return kept


# --- joins --------------------------------------------------------------------------------------------------


def _join_ranges(said: list[Said], links: list[str]) -> None:
    for left, right, link in zip(said, said[1:], links, strict=False):
        if left.clock and right.clock:
            if link == "range":
                if left.after is None:
                    right.after, left.until = left, right
            elif link == "list":
                right.beside, left.beside = left, left.beside or right
        elif link == "range" and left.is_day and right.is_day:
            right.after = left


def _join_days(said: list[Said], links: list[str]) -> None:
    """Finds the day of each time of day: beside it, else that of the times it is joined with."""
    claimed: set[int] = set()
    for index, one in enumerate(said):
        if one.clock is None:
            continue
        left = index - 1 if index and links[index - 1] in ("soft", "range") and said[index - 1].is_day else -1
        right = index + 1 if links[index] == "soft" and said[index + 1].is_day else -1
        if left >= 0 and right >= 0 and left in claimed:
            left = -1
        chosen = left if left >= 0 else right
        if chosen >= 0:
            _give_day(one, said[chosen], whole=chosen not in claimed)
            claimed.add(chosen)
    _inherit_days(said, links, range(1, len(said)), -1)
    _inherit_days(said, links, range(len(said) - 2, -1, -1), 1)


def _inherit_days(said: list[Said], links: list[str], indices: range, step: int) -> None:
    for index in indices:
        one, other = said[index], said[index + step]
        link = links[index - 1] if step < 0 else links[index]
        if one.clock and other.clock and one.day is None and other.day and link in ("range", "list", "soft"):
            _give_day(one, other.day, whole=False)


def _give_day(one: Said, day: Said, whole: bool) -> None:
    meaning = day.atom.meaning
    one.day, day.has_clock = day, True
    one.impossible = isinstance(meaning, Impossible)
    if whole:
        one.span = (min(one.span[0], day.span[0]), max(one.span[1], day.span[1]))
    if isinstance(meaning, Recurrence):
        one.recurring = meaning.rule
    if isinstance(meaning, Day):
        one.recurring = meaning.recurring
    part = meaning.part if isinstance(meaning, Day | Recurrence) else None
    if part is not None and one.clock is not None:
        one.atom = replace(one.atom, meaning=_with_part(one.clock, part))
