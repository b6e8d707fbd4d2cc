"""An utterance looked at once: its words, their positions, and the kinds of its spans.

What evidence about slots is computed from. Knows words, numbers and times; no functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from constrained_du.recognizers.addresses import find_addresses
from constrained_du.recognizers.groups import find_groups, find_relatives, find_told
from constrained_du.recognizers.loose_times import find_loose
from constrained_du.recognizers.numbers import FoundNumber, find_numbers
from constrained_du.recognizers.relations import find_relations
from constrained_du.recognizers.times import find_times
from constrained_du.text.lexicon import (
    DETERMINERS,
    FUNCTION_WORDS,
    PARTICLES,
    PLEASANTRIES,
    PREPOSITIONS,
    RECURRENCE,
    VERBS,
    stem,
)
from constrained_du.text.phrases import Word, chinese_words, is_japanese, phrase_starts, script
from constrained_du.text.terms import normalised
from constrained_du.text.words import Atom, atoms, is_unspaced
from constrained_du.types import Span

START, END = "^", "$"
QUOTES = {"'": "'", '"': '"', "“": "”", "‘": "’", "«": "»", "„": "“", "「": "」", "『": "』", "《": "》"}
_THE_DAY = re.compile(r"the \S+ of ", re.IGNORECASE)  # "the 5th of May": the article is no part of it
MOMENTS = frozenset(("date", "time", "datetime"))
_GRAMMATICAL = frozenset("vpyudcrz")  # jieba's marks: verbs, prepositions, particles, adverbs, conjunctions, pronouns
JOINING = frozenset("-‐‑/_\\@+#")

_ADRIFT = frozenset("up off out down away back".split())  # of a verb: "send up beef", "call off PU-12"
_IDLE = re.compile(
    r"\b(?:right (?:now|away)|straight away|(?:i|we) (?:think|guess|believe|suppose|mean)|for (?:me|us|now)|if possible"
    r"|(?:would|will|could|can) you|as well|too|after all|or something|up here|at once|immediately|any ?more|any longer)$"
)
"""Words at the end of an utterance or a clause that are no part of a value."""


@dataclass(frozen=True)
class View:
    """``words`` are the normalised texts of all atoms that are not blank, punctuation included."""

    text: str
    now: datetime | None = None

    @cached_property
    def units(self) -> tuple[Atom, ...]:
        return tuple(atom for atom in atoms(self.text) if atom.kind != "blank")

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(normalised(unit.text) for unit in self.units)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(stem(word) for word in self.words)

    @cached_property
    def stem_set(self) -> frozenset[str]:
        return frozenset(self.stems)

    @cached_property
    def letters(self) -> int:
        """Letters in all its words; at least one."""
        return max(1, sum(map(len, self.words)))

    @cached_property
    def is_shouted(self) -> bool:
        """Whether all of it, more than a name, is in capitals."""
        return self.text.isupper() and len(self.words) > 2 and not any(self.is_unspaced)

    @cached_property
    def size(self) -> int:
        """How many units a value may begin or end with: its words."""
        return sum(unit.may_border for unit in self.units)

    @cached_property
    def first_at(self) -> dict[int, int]:
        """Unit index by the offset at which the unit starts."""
        return {unit.start: index for index, unit in enumerate(self.units)}

    @cached_property
    def last_at(self) -> dict[int, int]:
        """Unit index by the offset at which the unit ends."""
        return {unit.end: index for index, unit in enumerate(self.units)}

    @cached_property
    def is_content(self) -> tuple[bool, ...]:
        return tuple(
            (unit.kind != "sign" or unit.text.isalnum()) and word not in FUNCTION_WORDS and not self._is_particle(index)
            for index, (unit, word) in enumerate(zip(self.units, self.words, strict=True))
        )

    @cached_property
    def _chinese(self) -> Mapping[int, Word]:
        """The Chinese word over each unit."""
        words = chinese_words(self.text) if any(self.is_unspaced) else ()
        return {self.first_at[at]: word for word in words for at in range(word.start, word.end) if at in self.first_at}

    def _is_particle(self, index: int) -> bool:
        """Whether a unit is a word of grammar, and no letter of a longer word: 都 of 都可以, not of 成都; no Chinese one (和)
        in Japanese (和室)."""
        if self.words[index] not in PARTICLES or (self._is_japanese and script(self.words[index]) == "kanji"):
            return False
        word = self._chinese.get(index)
        return word is None or word.end - word.start == 1

    @cached_property
    def _is_japanese(self) -> bool:
        return is_japanese(self.text)

    @cached_property
    def is_unspaced(self) -> tuple[bool, ...]:
        return tuple(is_unspaced(unit.text) for unit in self.units)

    @cached_property
    def _phrases(self) -> frozenset[int]:
        return phrase_starts(self.text) if any(self.is_unspaced) else frozenset()

    def starts_phrase(self, index: int) -> bool:
        """Whether a phrase may begin with a unit: a letter that does, or anything after another script."""
        if index >= len(self.units) or not self.is_unspaced[index]:
            return True
        return self.units[index].start in self._phrases

    def ends_phrase(self, index: int) -> bool:
        """Whether nothing but particles and endings follows a unit within its phrase."""
        following = index + 1
        while not self.starts_phrase(following):
            if script(self.units[following].text) != "hiragana" and not self._is_particle(following):
                return False
            following += 1
        return True

    def cuts_script(self, first: int, last: int) -> bool:
        """Whether an edge of a span lies inside letters of one script that no phrase divides."""
        return any(
            a >= 0 and b < len(self.units) and not self.starts_phrase(b)
            and script(self.units[a].text) == script(self.units[b].text) in ("kanji", "katakana")
            for a, b in ((first - 1, first), (last, last + 1))
        )  # fmt: skip

    def cuts_foreign(self, first: int, last: int) -> bool:
        """Whether an edge of a span divides words with spaces amid letters without: a name, most often."""
        return any(self.is_unspaced) and any(
            a >= 0 and b < len(self.units) and not self.is_unspaced[a] and not self.is_unspaced[b]
            and self.units[a].kind == self.units[b].kind == "word"
            for a, b in ((first - 1, first), (last, last + 1))
        )  # fmt: skip

    @cached_property
    def quoted(self) -> tuple[tuple[int, int], ...]:
        """First and last unit of what stands between quotation marks, punctuation at its edges aside."""
        found: list[tuple[int, int]] = []
        opened = -1
        for index, unit in enumerate(self.units):
            if opened >= 0 and unit.text == QUOTES[self.units[opened].text] and not self._is_glued(index, 1):
                own = [i for i in range(opened + 1, index) if self.units[i].may_border]
                if own:
                    found.append((own[0], own[-1]))
                opened = -1
            elif opened < 0 and unit.text in QUOTES and not self._is_glued(index, -1):
                opened = index
        return tuple(found)

    def _is_glued(self, index: int, side: int) -> bool:
        """Whether a letter of a script with spaces touches a unit on that side."""
        other = index + side
        if not 0 <= other < len(self.units):
            return False
        left, right = sorted((index, other))
        touches = self.units[left].end == self.units[right].start
        return touches and self.units[other].kind in ("word", "number")

    def cuts_quoted(self, first: int, last: int) -> bool:
        """Whether a span takes a part of what is quoted, or one of the marks around it."""
        return any(
            first <= end + 1 and last >= start - 1 and (first, last) != (start, end) and (first >= start - 1 or last <= end + 1)
            for start, end in self.quoted
        )

    def cuts_joined(self, first: int, last: int) -> bool:
        """Whether an edge of a span divides what a sign joins without blanks ("12-B", "and/or")."""
        units = self.units
        return any(
            0 <= sign + side < len(units) and units[sign].text in JOINING
            and units[sign - 1].end == units[sign].start and units[sign].end == units[sign + 1].start
            for sign, side in ((first - 1, -1), (last + 1, 1))
            if 0 < sign < len(units) - 1
        )

    def recurs(self, first: int, last: int) -> bool:
        """Whether a span speaks of a rhythm ("every Friday", "毎日")."""
        return any(word in RECURRENCE for word in self.words[first : last + 1]) or "ごと" in "".join(self.words[first : last + 1])

    def explained_by(self, known: frozenset[str]) -> tuple[bool, ...]:
        """For each unit whether it is known; letters of unspaced scripts in known pairs only."""
        words = ("", *self.stems, "")
        return tuple(
            words[i] + words[i + 1] in known or words[i - 1] + words[i] in known if unspaced else words[i] in known
            for i, unspaced in enumerate(self.is_unspaced, start=1)
        )

    def within(self, span: Span) -> tuple[int, int]:
        """First and last unit (inclusive) that touch a span."""
        if span.start in self.first_at and span.end in self.last_at:
            return self.first_at[span.start], self.last_at[span.end]
        first = next((i for i, unit in enumerate(self.units) if unit.end > span.start), len(self.units) - 1)
        last = first
        while last + 1 < len(self.units) and self.units[last + 1].start < span.end:
            last += 1
        return first, last

    def spans(self, most_words: int) -> Iterator[tuple[int, int]]:
        """Unit ranges (inclusive) of the verbatim spans of up to ``most_words`` units."""
        for first, unit in enumerate(self.units):
            if not unit.may_border:
                continue
            for last in range(first, min(len(self.units), first + most_words)):
                if self.units[last].may_border:
                    yield first, last

    def span_of(self, first: int, last: int) -> Span:
        return Span(self.units[first].start, self.units[last].end)

    def before(self, index: int, distance: int = 1) -> str:
        return self.words[index - distance] if index - distance >= 0 else START

    def after(self, index: int, distance: int = 1) -> str:
        return self.words[index + distance] if index + distance < len(self.words) else END

    @cached_property
    def numbers(self) -> tuple[FoundNumber, ...]:
        return tuple(find_numbers(self.text))

    @cached_property
    def kinds(self) -> dict[Span, str]:
        """Spans that are a time, date, duration, number or ordinal as a whole."""
        found: dict[Span, str] = {}
        for number in self.numbers:
            found[Span(number.start, number.end)] = "ordinal" if number.kind == "ordinal" else "number"
        for kind, name in (("duration", "duration"), ("date", "date"), ("time", "time"), ("date-time", "datetime")):
            for time in find_times(self.text, kind, self.now):  # type: ignore[arg-type]
                found.setdefault(Span(time.start, time.end), name)
                if name != "datetime" or found[Span(time.start, time.end)] in ("number", "ordinal"):
                    found[Span(time.start, time.end)] = name
        found |= {span: kind for span, kind in find_loose(self.text, list(found.items())) if found.get(span) != "datetime"}
        days = [span for span, kind in found.items() if kind == "date" and _THE_DAY.match(self.text, span.start, span.end)]
        return found | {Span(span.start + len("the "), span.end): "date" for span in days}

    @cached_property
    def relations(self) -> tuple[Span, ...]:
        """Words for how one place lies to another ("close by")."""
        return tuple(find_relations(self.text))

    def has_idle_article(self, span: Span) -> bool:
        """Whether a moment begins with an article that is no part of it: "the 5th of May"."""
        article = _THE_DAY.match(self.text, span.start, span.end)
        return article is not None and self.kinds.get(Span(span.start + len("the "), span.end)) in MOMENTS

    @cached_property
    def groups(self) -> tuple[Span, ...]:
        """People who are counted up by who they are ("my wife and I")."""
        return tuple(find_groups(self.text))

    @cached_property
    def relatives(self) -> frozenset[Span]:
        """Who is named by what they are to somebody ("my mum")."""
        return frozenset(find_relatives(self.text))

    @cached_property
    def addressed(self) -> int:
        """The unit at which begins what somebody shall be told; -1, if none."""
        return self.first_at.get(find_told(self.text), -1)

    @cached_property
    def addresses(self) -> tuple[Span, ...]:
        """House numbers with their streets."""
        return tuple(find_addresses(self.text))

    def cuts_address(self, span: Span) -> bool:
        """Whether a span divides an address."""
        return any(own.overlaps(span) and not (span.start <= own.start and own.end <= span.end) for own in self.addresses)

    def cuts_moment(self, span: Span) -> bool:
        """Whether a span that is no moment itself is a part of one ("5 days" of "in 5 days")."""
        if self.kinds.get(span) in MOMENTS:
            return False
        return any(moment.start <= span.start and span.end <= moment.end for moment in self.moments)

    @cached_property
    def moments(self) -> tuple[Span, ...]:
        return tuple(span for span, kind in self.kinds.items() if kind in MOMENTS)

    @cached_property
    def turns(self) -> Mapping[int, float]:
        """Which of the numbers (0 to 1) each is, by the offset at which it starts."""
        last = max(1, len(self.numbers) - 1)
        return {number.start: index / last for index, number in enumerate(self.numbers)}

    @cached_property
    def marked(self) -> tuple[str, ...]:
        """For each unit the kind of the longest kind-bearing span over it, or ""."""
        marks = [""] * len(self.units)
        for span, kind in sorted(self.kinds.items(), key=lambda item: item[0].end - item[0].start):
            first, last = self.within(span)
            marks[first : last + 1] = [kind] * (last - first + 1)
        return tuple(marks)

    def cuts(self, span: Span) -> bool:
        """Whether a span takes a part of a time or number and something beside it."""
        return any(
            span.overlaps(other) and not (other.start <= span.start and span.end <= other.end)
            and not (span.start <= other.start and other.end <= span.end)
            for other in self.kinds
        )  # fmt: skip

    def shape(self, first: int, last: int) -> str:
        """The kind of a span: of a time or number, else ``name`` (capitals) or ``words``."""
        span = self.span_of(first, last)
        kind = self.kinds.get(span)
        if kind:
            return kind
        if self.cuts(span):
            return "words"
        inside = [(self.within(s), kind) for s, kind in self.kinds.items() if span.start <= s.start and s.end <= span.end]
        marked = {i for (start, end), _ in inside for i in range(start, end + 1)}
        framed = all(i in marked or self.words[i] in PREPOSITIONS | DETERMINERS or self.is_unspaced[i] for i in (first, last))
        if inside and framed and all(i in marked or not self.is_content[i] for i in range(first, last + 1)):
            kinds = {kind for _, kind in inside} - {"number", "ordinal"}
            return "datetime" if kinds else "number" if any(kind == "number" for _, kind in inside) else "words"
        if self.is_unspaced[first] and self._chinese:
            return self._chinese_name(first, last) or "words"
        shouted = self.is_shouted
        capitals = [self.units[i].text[:1].isupper() and not shouted for i in range(first, last + 1) if self.is_content[i]]
        return "name" if capitals and all(capitals) and (first > 0 or self._opens_with_name(last)) else "words"

    def _chinese_name(self, first: int, last: int) -> str:
        """What Chinese words name, if all of a span are names: a person, a place, or something else."""
        span = self.span_of(first, last)
        words = {word for i in range(first, last + 1) if (word := self._chinese.get(i)) is not None}
        named = {word.name for word in words}
        if not words or "" in named or min(w.start for w in words) != span.start or max(w.end for w in words) != span.end:
            return ""
        return named.pop() if len(named) == 1 else "name"

    def trails_off(self, first: int, last: int) -> bool:
        """Whether a span of Chinese begins with a noun and ends with a verb or a word of grammar (长沙寄), or begins with a
        measure word (个面包)."""
        head, tail = self._chinese.get(first), self._chinese.get(last)
        if head is None or tail is None:
            return False
        return head.mark == "q" or (head.mark.startswith("n") and tail.mark[:1] in _GRAMMATICAL)

    def ends_idly(self, last: int) -> bool:
        """Whether what a span ends with is said beside it: "right now", "I think", "for me"."""
        said = " ".join(self.words[max(0, last - 2) : last + 1])
        return _IDLE.search(said) is not None

    def _opens_with_name(self, last: int) -> bool:
        """Whether the first words are a name, whose first has a capital in any case: a second has one too."""
        words = self.words
        named = last > 0 or (len(words) > 1 and self.is_content[1] and self.units[1].text[:1].isupper())
        return named and self.is_content[0] and words[0] not in VERBS and words[0] not in PLEASANTRIES

    def edge_faults(self, first: int, last: int) -> int:
        """How many edges of a span are words that values seldom begin or end with."""
        head, tail = self.words[first], self.words[last]
        adrift = (self.units[first].text in _ADRIFT) + (self.units[last].text in _ADRIFT)
        return adrift + int(head in PREPOSITIONS or head in VERBS or self._is_particle(first)) + int(
            tail in PREPOSITIONS or tail in DETERMINERS or tail in VERBS or self._is_particle(last)
        )
