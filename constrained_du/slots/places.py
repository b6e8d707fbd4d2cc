"""Slots as evidence sees them: what they are called, what kind of value they hold, and the
words that exemplars show around them. Made once for a domain; knows no utterance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from constrained_du.recognizers.numbers import find_numbers
from constrained_du.slots.glosses import glosses, with_aspects
from constrained_du.slots.view import END, START
from constrained_du.specs.exemplars import Exemplar, SlotMark
from constrained_du.specs.schema import Boolean, Enumerated, Member, Number, Schema, SlotLabel, Text, Union
from constrained_du.specs.spec import Function
from constrained_du.text.lexicon import FUNCTION_WORDS, KINDS, TITLES, stem, words_of
from constrained_du.text.regions import Regions, wanted
from constrained_du.text.synonyms import other_names, unit
from constrained_du.text.terms import normalised
from constrained_du.text.words import atoms, is_code

FEW = 200  # listed values that are looked for, in utterances and exemplars
CONTEXT_WORDS = 6  # on each side of a slot; letters, in scripts without spaces
Shape = frozenset[frozenset[str]]
"""Groups of slots of which one each is filled."""
_SUCH_AS = re.compile(
    r"\b(?:such as|for example|for instance|e\.g\.|including|like)[,:]?\s+(?P<english>[^.;()]+)"
    r"|(?:例如|比如|譬如|例えば)[：:,，、]?(?P<unspaced>[^。；;.()（）]+)|(?P<nado>[^。；;.()（）は]+?)(?:などの?)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s*[,、，/]\s*(?:or\s|and\s)?|\s(?:or|and)\s|或者?|以及|等|之类")
_PEOPLE = frozenset(map(stem, "people party guests passengers travelers travellers riders attendees participants".split()))
_RELATIONS = frozenset(map(stem, "spatial proximity nearness relation closeness vicinity".split()))
_IN_UNITS = re.compile(r"\bin ([A-Za-z°%]+(?:/[a-z]+(?:\^?2|²)?)?)|\(([A-Za-z°%]+(?:/[a-z]+(?:\^?2|²)?)?)\)")
_NO_WORD = re.compile(r"\bwithout (?:the |its )?words? ([\w ]+)", re.IGNORECASE)
_NO_TITLE = re.compile(r"\bname\b.*\bwithout (?:the |any |a )?titles?\b", re.IGNORECASE)
_WITHOUT = re.compile(r"\b(?:without|except|not)\b[^.,;]*", re.IGNORECASE)
_NO_UNITS = frozenset("in min second".split())
_CODES = frozenset("code id identifier iban pin plate sku uuid serial phone telephone zip postcode".split())
_NUMBERED = frozenset("number no nr digit ref reference".split())
_HOW_MANY = re.compile(r"\b(?:how many|number of (?!the |an? |this |that |your |its |his |her ))\b", re.IGNORECASE)
_DIGITS = re.compile(r"\b(?:digits|code|(?:reference|phone|booking|account|tracking|serial|card) number)\b", re.IGNORECASE)
_COUNTED = frozenset("number count num".split())
_WHO = re.compile(r"\b(?:whom?|whose name|somebody|someone|person|contact)\b", re.IGNORECASE)
_SPOKEN = frozenset(map(stem, """text message say note memo content body comment remark reason why instruction description
    describe detail feedback complaint question task todo activity what problem issue fault symptom subject title quote
    phrase sentence word query wish request""".split()))
_CLOCK, _STRETCH = frozenset(("date", "time")), frozenset("range period frame window span".split())
_KINDS = frozenset("type kind 种类 類 種類 类型 タイプ".split())
_KIND_OF = re.compile(r"(?:the |a |what )?(?:kinds?|types?|sorts?) of\b|[^，。,、]*(?:的种类|的类型|の種類)", re.IGNORECASE)
_SUPERLATIVES = frozenset("best worst most least".split())
_NO_SUPERLATIVES = frozenset(
    """forest harvest request interest honest modest contest protest tempest arrest invest suggest digest conquest midwest
    northwest southwest""".split()
)
_NAME_OF = re.compile(r"([^\s，。,.、的の]{1,8})(?:的(?:名称|名字|标题)|の(?:名称|名前|タイトル))")
_ARTICLE = re.compile(r"^(?:an?|the)\s", re.IGNORECASE)
_LONGEST_EXAMPLE = 6  # words, or letters of scripts without spaces; what is longer goes on to say something else
_FILLERS = frozenset("a an the of or and is that to in for it such as be with by whose when what how kind name value".split())

@lru_cache(maxsize=4096)
def words_in(text: str) -> tuple[str, ...]:
    return tuple(normalised(atom.text) for atom in atoms(text) if atom.kind != "blank")


@dataclass(frozen=True)
class Place:
    """A slot, or a value inside one, as evidence sees it."""

    name: str
    description: str
    schema: Schema
    required: bool
    contexts: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    """Of each exemplar with the slot the words before it, the nearest first, and after it; other slots as ``<name>``."""
    share: float = 0.0
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What other slots are called, for a slot that names one."""
    given: tuple[str, ...] = ()
    """The examples of its schema."""
    kin: frozenset[tuple[str, ...]] = frozenset()
    """The examples of slots of this name in other functions, by stems."""

    @cached_property
    def name_words(self) -> frozenset[str]:
        return frozenset(stem(word) for word in words_of(self.name))

    @cached_property
    def own_words(self) -> frozenset[str]:
        described = {stem(word) for word in words_in(self.description) if word not in FUNCTION_WORDS and len(word) > 1}
        return self.name_words | described

    @cached_property
    def described(self) -> frozenset[str]:
        """Stems of the description alone, function words included where it is a list of examples; numbers ("such as 6
        in four out of 6") say nothing of the slot."""
        said = (self.description[number.start : number.end] for number in find_numbers(self.description))
        numbers = {word for text in said for word in words_in(text)}
        return frozenset(stem(word) for word in words_in(self.description) if word not in numbers) - _FILLERS

    @cached_property
    def examples(self) -> frozenset[tuple[str, ...]]:
        """The values that the description gives as examples ("such as a mug, a bowl or a jar"), by stems."""
        return frozenset(tuple(map(stem, words)) for words in self.listed)

    @cached_property
    def listed(self) -> frozenset[tuple[str, ...]]:
        """The same as they are written, and the examples of the schema."""
        listed = (match.group(match.lastgroup or 0) for match in _SUCH_AS.finditer(self.description))
        told = (item.strip() for text in listed for item in _BETWEEN.split(text))
        items = (words_in(_ARTICLE.sub("", item)) for item in (*told, *self.given))
        return frozenset(words for words in items if 0 < len(words) <= _LONGEST_EXAMPLE)

    @cached_property
    def example_words(self) -> frozenset[str]:
        """Those of one word."""
        return frozenset(words[0] for words in self.examples if len(words) == 1)

    @cached_property
    def numbered(self) -> frozenset[tuple[str, ...]]:
        """Those of several words with a number, which may be another: "#" stands for it."""
        changed = {tuple("#" if word.isdigit() else word for word in words) for words in self.examples if len(words) > 1}
        return frozenset(words for words in changed if "#" in words)

    @cached_property
    def ranks(self) -> bool:
        """Whether superlatives are among them, so that others are values too."""
        first = [words[0] for words in self.examples]
        return "最" in first or any(map(is_superlative, first))

    @cached_property
    def called(self) -> str:
        """What is named by its value, where the description says so in a script without spaces: 专辑 of 专辑的名称."""
        match = _NAME_OF.match(self.description)
        return match.group(1) if match is not None else ""

    @cached_property
    def holds_kind(self) -> bool:
        """Whether its values say of what kind something is ("album", "restaurant"), which is nobody's name."""
        return bool(self.name_words & _KINDS) or _KIND_OF.match(self.description) is not None

    @cached_property
    def without(self) -> frozenset[str]:
        """Stems of the words that its values shall be without, as the description says: "without the word list", titles."""
        found = _NO_WORD.findall(self.description)
        named = {stem(word) for text in found for word in words_in(text)} - FUNCTION_WORDS
        return frozenset(named | TITLES if _NO_TITLE.search(self.description) else named)

    @cached_property
    def holds_people(self) -> bool:
        """Whether words for a group of people may fill it ("my wife and I")."""
        return isinstance(self.schema, Text) and bool(self.name_words & _PEOPLE) and not self.name_words & _COUNTED

    @cached_property
    def holds_person(self) -> bool:
        """Whether it waits for somebody, by a name or by what they are to the speaker."""
        return isinstance(self.schema, Text) and (self.kind == "person" or _WHO.search(self.description) is not None)

    @cached_property
    def holds_speech(self) -> bool:
        """Whether a whole sentence may fill it: a message, a reason, a task."""
        return bool(self.own_words & _SPOKEN)

    @cached_property
    def holds_relation(self) -> bool:
        """Whether it says how one place lies to another ("close by")."""
        return isinstance(self.schema, Text) and bool(self.name_words & _RELATIONS)

    @cached_property
    def holds_code(self) -> bool:
        """Whether it waits for a code with digits, such as a number of a booking, of an account or of a train."""
        named = bool(self.name_words & _CODES) or (bool(self.name_words & _NUMBERED) and len(self.name_words) > 1)
        named = named or _DIGITS.search(self.description) is not None or any(map(is_code, (*self.given, *map("".join, self.kin))))
        return isinstance(self.schema, Text) and named and not self.name_words & (_PEOPLE | _STRETCH) and not self.counts

    @cached_property
    def units(self) -> frozenset[str]:
        """The units that its name and its description give its numbers: "in metres", "(kg)", ``weight_kg``."""
        if self.kind != "number":
            return frozenset()
        said = [word for pair in _IN_UNITS.findall(self.description) for word in pair if word]
        said += [word for word in words_of(self.name) if len(word) > 1 and word not in _NO_UNITS]
        return frozenset(own for word in said if (own := unit(word)))

    @cached_property
    def counts(self) -> bool:
        """Whether it is said to hold how many there are."""
        return self.kind == "number" and _HOW_MANY.search(self.description) is not None

    @cached_property
    def regions(self) -> Regions:
        """Which kinds of places it waits for by its name."""
        return wanted(self.name_words)

    @cached_property
    def kind(self) -> str:
        if isinstance(self.schema, Number):
            return "number"
        if isinstance(self.schema, Text) and self.schema.format:
            return {"date-time": "datetime"}.get(self.schema.format, self.schema.format)
        if self.name_words & _CLOCK and (self.name_words & _STRETCH or self.name_words >= _CLOCK):
            return "datetime"
        if self.name_words & _COUNTED:
            return "number"
        bare = _WITHOUT.sub("", self.description)  # "what to buy, without the amount" is no number
        described = {stem(word) for word in words_in(bare) if word not in FUNCTION_WORDS and len(word) > 1}
        for words in (self.name_words, described):
            for kind, signs in KINDS:
                if words & signs:
                    return kind
        for kind, signs in KINDS:
            if any(sign in self.description for sign in signs if not sign.isascii()):
                return kind
        return "other"

    @cached_property
    def named_beside(self) -> tuple[bool, bool]:
        """Whether some exemplar has a word of the slot's name right before the slot, and right after it."""
        sides = zip(*((before[:1], after[:1]) for before, after in self.contexts), strict=True)
        left, right = (any(stem(word) in self.name_words for words in side for word in words) for side in sides)
        return left, right

    @cached_property
    def aliases(self) -> Mapping[str, tuple[str, ...]]:
        """Other words for enum values, where the description glosses them (``light 灯``)."""
        if isinstance(self.schema, SlotLabel):
            return self.labels
        if not isinstance(self.schema, Enumerated):
            return {}
        texts = [value for value in self.schema.values if isinstance(value, str)]
        known = frozenset(map(str.casefold, texts))
        found = glosses(self.description, texts)
        return with_aspects({value: (*own, *other_names(value, known)) for value, own in found.items()})

    @cached_property
    def _value_stems(self) -> tuple[Mapping[str, list[str]], Counter[str]]:
        """The stems of each listed value's words, where there are several values and few, and how many values have each."""
        values = self.schema.values if isinstance(self.schema, Enumerated) else ()
        stems = {str(v): [stem(word) for word in words_of(str(v))] for v in values if 1 < len(values) <= FEW}
        return stems, Counter(word for own in stems.values() for word in set(own))

    @cached_property
    def telling(self) -> Mapping[str, tuple[str, ...]]:
        """For each listed value of several words the stems that no other value has, where all of them share another."""
        stems, counts = self._value_stems
        return {
            value: tuple(word for word in own if counts[word] == 1 and word not in FUNCTION_WORDS)
            for value, own in stems.items() if any(counts[word] > 1 for word in own)
        }

    @cached_property
    def halves(self) -> Mapping[str, tuple[str, ...]]:
        """For each listed value of two words the stems that neither another value nor the slot's name has."""
        stems, counts = self._value_stems
        own_words = FUNCTION_WORDS | self.name_words
        return {
            value: tuple(word for word in own if counts[word] == 1 and word not in own_words and len(word) > 2)
            for value, own in stems.items() if len(own) == 2
        }

    @cached_property
    def is_boolean(self) -> bool:
        schema = self.schema
        if isinstance(schema, Union):
            return any(isinstance(option, Boolean) for option in schema.options)
        if isinstance(schema, Enumerated):
            return bool(schema.values) and all(str(value).casefold() in ("true", "false") for value in schema.values)
        return isinstance(schema, Boolean)


def places(
    function: Function, exemplars: Iterable[Exemplar], labels: Mapping[str, tuple[str, ...]] | None = None
) -> dict[str, Place]:
    """The slots of a function with what the exemplars show around them; ``labels`` name other slots."""
    own = [exemplar for exemplar in exemplars if exemplar.mode != "negative"]
    return {slot.name: replace(place(slot, own), labels=labels or {}) for slot in function.slots}


def with_kin(found: Mapping[str, Mapping[str, Place]]) -> dict[str, dict[str, Place]]:
    """The slots of all functions, each with the examples that others of its name have."""
    known: dict[str, frozenset[tuple[str, ...]]] = {}
    for own in found.values():
        for name, slot in own.items():
            known[name] = known.get(name, frozenset()) | slot.examples
    return {
        label: {name: replace(slot, kin=known[name] - slot.examples) for name, slot in own.items()}
        for label, own in found.items()
    }


def place(slot: Member, exemplars: Iterable[Exemplar] = ()) -> Place:
    own = list(exemplars)
    contexts = [context for exemplar in own for context in _contexts(exemplar, slot.name)]
    share = sum(slot.name in exemplar.slots for exemplar in own) / len(own) if own else 0.0
    return Place(
        slot.name, slot.description or slot.title, slot.schema, slot.required, tuple(contexts), share, given=slot.examples
    )  # fmt: skip


def is_superlative(word: str) -> bool:
    return word in _SUPERLATIVES or (len(word) > 5 and word.endswith("est") and word not in _NO_SUPERLATIVES)


_NAMING = frozenset("name title label nickname 名称 名前 名字".split())
_SPARE = re.compile(
    r"\b(?:when|if|where) (?:none|no (?P<what>\w+)) (?:is |are |was |has been )?(?:named|given|specified|mentioned|set|said)\b"
    "|没有?(?:指定|给出|说出|提到|提及)(?P<whose>[^，。；：,.;:]{1,6}?)时|(?P<missing>[^、。,.]{1,6}?)(?:の指定)?[がの](?:な|無)い(?:場合|とき|時)",
    re.IGNORECASE,
)
_SELF = re.compile(r"default|otherwise|assume|默认|デフォルト|既定", re.IGNORECASE)


def is_naming(place: Place) -> bool:
    """Whether a slot holds what something is called, and is named for nothing else."""
    return place.name_words <= _NAMING


def spares(places: Iterable[Place]) -> dict[str, str]:
    """The slots that stand in for another, by their own description ("the kind meant when none is named"): the other
    by the spare one."""
    every = list(places)
    found: dict[str, str] = {}
    for spare in every:
        match = None if _SELF.search(spare.description) else _SPARE.search(spare.description)
        if match is None:
            continue
        what = next((word for word in match.groupdict().values() if word), "")
        others = [place for place in every if place is not spare]
        named = [place for place in others if what and (stem(what.casefold()) in place.name_words or what in place.name)]
        named = named or [place for place in others if is_naming(place) and (not what or what in _NAMING)]
        if len(named) == 1:
            found[spare.name] = named[0].name
    return found


def shapes(places: Iterable[Place], exemplars: Iterable[Exemplar]) -> tuple[Shape, ...]:
    """Which slots of numbers and listed values each exemplar fills: those that it marks, and those with a value in its
    words. (Whether words fill a slot of plain text is not as sure.)"""
    every = [place for place in places if _is_closed(place)]
    closed = {place.name for place in every}
    numbers = frozenset(place.name for place in every if isinstance(place.schema, Number))
    found: list[Shape] = []
    for exemplar in exemplars:
        if exemplar.mode == "negative":
            continue
        shape = {frozenset((name,)) for name in exemplar.slots if name in closed}
        text = " ".join(part for part in exemplar.parts if isinstance(part, str))
        said = [stem(word) for word in words_in(text)]
        if numbers and find_numbers(text):
            shape.add(numbers)
        shape |= {frozenset((place.name,)) for place in every if _lists_one_of(place, said)}
        found.append(frozenset(shape))
    return tuple(found)


def is_listed(place: Place) -> bool:
    """Whether a slot lists its values, and so few that each is looked for."""
    return isinstance(place.schema, Enumerated) and len(place.schema.values) <= FEW


def _is_closed(place: Place) -> bool:
    return (is_listed(place) and not place.is_boolean) or isinstance(place.schema, Number)


def _lists_one_of(place: Place, said: Sequence[str]) -> bool:
    if not isinstance(place.schema, Enumerated):
        return False
    texts = [text for value in place.schema.values for text in (str(value), *place.aliases.get(str(value), ()))]
    phrases = ([stem(word) for word in words_in(text)] for text in texts)
    return any(phrase and phrase in (list(said[i : i + len(phrase)]) for i in range(len(said))) for phrase in phrases)


def is_shown(places: Iterable[Place]) -> bool:
    """Whether exemplars show any of a function's slots."""
    return any(place.contexts for place in places)


def _contexts(exemplar: Exemplar, slot: str) -> Iterable[tuple[tuple[str, ...], tuple[str, ...]]]:
    words: list[str] = [START]
    marks: list[int] = []
    for part in exemplar.parts:
        if isinstance(part, SlotMark):
            if part.name == slot:
                marks.append(len(words))
            words.append(f"<{part.name}>")
        else:
            words.extend(words_in(part))
    words.append(END)
    for at in marks:
        yield tuple(reversed(words[max(0, at - CONTEXT_WORDS) : at])), tuple(words[at + 1 : at + 1 + CONTEXT_WORDS])
