"""Evidence about slots: how well each choice fits each slot of a function, as named numbers.

A score is a sum of weighted features and means log odds against leaving the slot out.
Everything here is free of models; what they add comes in as ``roles`` and ``tags``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property

from constrained_du.grammar.grammar import Choice
from constrained_du.recognizers.numerals import ORDINAL_WORDS
from constrained_du.slots import measures
from constrained_du.slots import slot_features as of_slot
from constrained_du.slots.contexts import Contexts
from constrained_du.slots.mentions import Mentions
from constrained_du.slots.places import Place, is_naming, is_shown, words_in
from constrained_du.slots.senses import Sense, free_units, has_senses
from constrained_du.slots.slot_features import agree
from constrained_du.slots.span_features import SHAPED, Spans, of_known
from constrained_du.slots.spoken import Spoken
from constrained_du.slots.tags import Tags
from constrained_du.slots.truths import truth
from constrained_du.slots.view import MOMENTS, View
from constrained_du.specs.schema import Enumerated, Text
from constrained_du.specs.spec import Function
from constrained_du.text.lexicon import stem, words_of
from constrained_du.text.turns import ends, ranks
from constrained_du.text.words import is_code, is_mostly_unspaced
from constrained_du.types import JsonValue, Span
from constrained_du.weights import SLOT_WEIGHTS, SLOT_WEIGHTS_BARE, SLOT_WEIGHTS_BARE_READ, SLOT_WEIGHTS_OTHER, SLOT_WEIGHTS_READ

HALF_SAID = 0.5  # how clearly a value is said from which nothing else is looked for
UNTAGGED = 1.0  # log odds that tags may say against a supplied value at most
Features = dict[str, float]


@dataclass
class SlotEvidence:
    """Scores choices for the slots of one function and one utterance.

    ``expected`` are the slots that were just asked for; ``roles`` are the embedder's
    features by (slot, span).
    """

    function: Function
    view: View
    expected: frozenset[str]
    explained: frozenset[str]
    """Stems that the function's own words account for: they need no slot."""
    others: tuple[Place, ...] = ()
    """All slots of the function."""
    usual: frozenset[str] = frozenset()
    """Stems that several of its exemplars have, or that other functions account for."""
    roles: Mapping[tuple[str, Span], Features] = field(default_factory=dict)
    templates: Mapping[tuple[str, Span], float] = field(default_factory=dict)
    """How specific the exemplars are that match with this span in this slot (matching.resemblances)."""
    supplied: tuple[Span, ...] = ()
    """The spans of all supplied candidates."""
    located: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    """The spans of the supplied and recognised candidates of each slot."""
    senses: Mapping[str, Sense] = field(default_factory=dict)
    """The values of slots that words mean by which none is called."""
    tags: Tags | None = None
    """What a taught model says of each word; None where there is none, or it was not asked."""
    spans: Spans | None = None
    """The utterance's, where other functions are looked at beside this one."""
    _common: dict[tuple[int, int, bool], tuple[str, Features]] = field(init=False, default_factory=dict)
    _totals: dict[tuple[int, int, bool], float] = field(init=False, default_factory=dict)
    _kept: dict[tuple[str, Span], Features] = field(init=False, default_factory=dict)
    """What is known of words in a slot but roles and tags: the same before the model has read them and after."""
    _taking: dict[str, tuple[str, ...]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        known = self.view.explained_by(self.explained)
        self._known = tuple(k and mark not in MOMENTS for k, mark in zip(known, self.view.marked, strict=True))
        self._words = self.spans or Spans(self.view)
        self._ids = frozenset(map(id, self.others))  # not the places inside lists and objects, which have their names
        self._contexts = Contexts(self.view, self.others)
        self._function_words = {stem(word) for word in words_of(f"{self.function.label} {self.function.name}")}
        self.about = frozenset(self._function_words | {stem(word) for word in words_in(self.function.description)})
        self._mentions = Mentions(self.view, self.others, self.expected, self.about)
        self.spoken = Spoken(self.view, self.others, self._contexts, self._mentions, self.supplied, self.located)
        self._orders = {place.name: index / max(1, len(self.others)) for index, place in enumerate(self.others)}
        self._ranks = ranks(place.name for place in self.others)
        self._ends = ends(place.name for place in self.others)
        self._is_shown = is_shown(self.others)
        self._waits_for_code = any(place.holds_code for place in self.others)
        self._changes = not measures.CHANGING.isdisjoint(self._function_words)
        self._rhythmic = any(place.kind == "recurring" for place in self.others)
        self._asks_for_regions = any(place.regions for place in self.others)
        self._tells_apart = {"date", "time"} <= {place.kind for place in self.others}

    @cached_property
    def weights(self) -> Mapping[str, float]:
        if self._is_shown and is_mostly_unspaced(self.view.text):
            return SLOT_WEIGHTS_OTHER
        shown, bare = (SLOT_WEIGHTS, SLOT_WEIGHTS_BARE) if self.tags is None else (SLOT_WEIGHTS_READ, SLOT_WEIGHTS_BARE_READ)
        return shown if self._is_shown else bare

    def anew(self, tags: Tags | None) -> SlotEvidence:
        """The same for other tags, before any role or sense is known; what depends on none of them is shared."""
        other = copy(self)
        other.roles, other.senses, other.tags, other._totals = {}, {}, tags, {}
        other.__dict__.pop("weights", None)
        return other

    def _total(self, features: Mapping[str, float]) -> float:
        weights, total = self.weights, 0.0
        for name, value in features.items():
            if value and name in weights:
                total += weights[name] * value
        return total

    def score(self, place: Place, choice: Choice) -> float:
        if choice.span is None:
            return self._total(self._unsaid(place, choice))
        first, last = self.view.within(choice.span)
        total = self._span_total(first, last, choice.source == "verbatim")
        total += self._total(self._known_of(place, choice, choice.span))
        if self.roles:
            total += self.role_score(place, choice.span)
        return total if self.tags is None else total + self._total(self._tagged(place, choice, choice.span))

    def features(self, place: Place, choice: Choice) -> Features:
        """All that is known of a choice for a slot, by name."""
        if choice.span is None:
            return self._unsaid(place, choice)
        common = self._span_features(*self.view.within(choice.span), choice.source == "verbatim")[1]
        asked = self.roles.get((place.name, choice.span), {}) | self._tagged(place, choice, choice.span)
        return self._known_of(place, choice, choice.span) | asked | common

    def role_score(self, place: Place, span: Span) -> float:
        """What the embedder adds to the score of a span; 0 where it was not asked."""
        return self._total(self.roles.get((place.name, span), {}))

    def sense_score(self, place: Place, sense: Sense) -> float:
        """What the meaning of words adds to the score of the value that they mean."""
        near = sense.near if place.required else 0.0
        return self._total({"sense ahead": sense.ahead, "sense required": near})

    def unsaid(self, taken: Mapping[str, Collection[Span]]) -> dict[str, list[bool]]:
        """For the slots that list values, none of which was clearly said, the units that may mean one (senses.free_units);
        ``taken`` are the spans that each slot would fill."""
        spoken = [span for own in self.spoken.values.values() for span in own]
        open_ = [place.name for place in self.others if has_senses(place) and not self._is_named(place)]
        beside = {name: [s for other, spans in taken.items() if other != name for s in spans] for name in open_}
        return {name: free_units(self.view, self.about | self.usual, (*spoken, *beside[name])) for name in open_}

    def _is_named(self, place: Place) -> bool:
        assert isinstance(place.schema, Enumerated)
        return any(self.mention(place, value)[0] >= HALF_SAID for value in place.schema.values)

    def _known_of(self, place: Place, choice: Choice, span: Span) -> Features:
        """What is known of a span in a slot but its roles and tags; of words it is kept."""
        if choice.source != "verbatim" or id(place) not in self._ids:
            return self._said(place, choice, span)
        if (place.name, span) not in self._kept:
            said = self._said(place, choice, span)
            self._kept[place.name, span] = {name: value for name, value in said.items() if value}
        return self._kept[place.name, span]

    def _tagged(self, place: Place, choice: Choice, span: Span) -> Features:
        tagged = {} if self.tags is None else self.tags.features(place.name, *self.view.within(span))
        if choice.source == "entity":  # a caller knows better what his words are than a model that never saw them
            tagged = {name: max(value, -UNTAGGED) for name, value in tagged.items()}
        return tagged

    def _for_slot(self, place: Place, choice: Choice) -> Features:
        features: Features = {f"source {choice.source}": 1.0}
        if place.required:
            features["required"] = 1.0
            features["required unshown"] = float(not self._is_shown)
            features["required shown"] = max(0.0, 2 * place.share - 1)
            features["required later"] = float(bool(self.expected) and place.name not in self.expected)
        if place.name in self.expected:
            features["expected"] = 1.0
        return features

    # -- values that the spec lists ------------------------------------------------------

    def _unsaid(self, place: Place, choice: Choice) -> Features:
        features = self._for_slot(place, choice)
        if place.is_boolean and str(choice.value).casefold() in ("true", "false"):
            said = truth(self.view, place, self.others, self.expected, self.explained, self._function_words)
            features["boolean"] = said if str(choice.value).casefold() == "true" else -said
            return features
        strength, span = self.mention(place, choice.value)
        features["mention"] = strength
        if not strength:
            features["unmentioned"] = 1.0
        if span is not None:
            self._mentioned(place, *self.view.within(span), features)
        return features

    def _mentioned(self, place: Place, first: int, last: int, features: Features) -> None:
        """Where a listed value was said: what stands around it may speak for another slot."""
        if place.contexts:
            both, smaller = self._contexts.of(place)
            features["mention context"], features["mention between"] = both[first][last], smaller[first][last]
        features["mention cue"] = of_slot.cue(self.view, place, first, last)
        features["nested"] = float(self.spoken.is_nested(self.view.span_of(first, last)))
        features["mention named"] = of_slot.named(self.view, place, first, last)
        features["mention named whole"] = of_slot.named_whole(self.view, place, first, last)
        if self.tags is not None:
            features |= {f"mention {name}": value for name, value in self.tags.features(place.name, first, last).items()}

    def mention(self, place: Place, value: JsonValue) -> tuple[float, Span | None]:
        """How clearly an enum's value is said (0 to 1), and where."""
        return self._mentions.of(place, value)

    # -- values that were said -----------------------------------------------------------

    def _said(self, place: Place, choice: Choice, span: Span) -> Features:
        """What is known of a span in a slot without its tags and roles."""
        view, features = self.view, self._for_slot(place, choice)
        first, last = view.within(span)
        shape, common = self._span_features(first, last, choice.source == "verbatim")
        features |= self._shown(place, span)
        features |= self._of_kind(place, span, shape)
        if features.get("moment missing"):  # that it is always said speaks for what may be said there
            features["required shown"] = 0.0
        features["reported"] = float(of_slot.is_reported(view, place, first, last))
        features["cue"] = of_slot.cue(view, place, first, last)
        features["named"] = of_slot.named(view, place, first, last)
        features["named whole"] = of_slot.named_whole(view, place, first, last)
        features["described"], features["described alone"] = of_slot.described(view, place, first, last, self.others)
        features["example"] = float((first, last) in self._contexts.examples(place))
        features["kin example"] = float(bool(place.kin) and view.stems[first : last + 1] in place.kin)
        if self._asks_for_regions:
            features |= of_slot.regional(view, place, first, last, self.others)
        if is_naming(place) and self._is_unexplained(first, last) and not any(self.spoken.swallowed(place.name, span)):
            features["names noun"] = of_slot.names_noun(view, place, first, last, self._function_words)
        features |= self._beside(place, first, last)
        if place.name in self._ranks:
            features["joined twins"] = common.get("joined inside", 0.0)
            features["in turn"] = (self._ranks[place.name] - 0.5) * (of_slot.turn(view, span) - 0.5)
        elif place.name in self._ends and shape in SHAPED and self._said_of(shape) > 1:
            features["in turn"] = (self._ends[place.name] - 0.5) * (of_slot.turn(view, span) - 0.5) / 2
        features["name part"] = of_slot.name_part(view, place, first, last)
        if place.name in self.expected:
            features["expected whole"] = common.get("whole", 0.0)
            if place.kind in SHAPED:
                features["expected kind"] = float(agree(place.kind, shape))
                features["expected other"] = 1.0 - features["expected kind"]
        if choice.source == "number":  # nothing else tells "2 and 3" apart but their order
            features["order"] = self._orders.get(place.name, 0.0) * first / len(view.units)
            features["unit same"], features["unit other"] = map(float, measures.unit_beside(view, place, span))
            features["ordinal named"] = float(view.words[first] in ORDINAL_WORDS and stem(view.after(last)) in place.name_words)
            features["scale"] = float(measures.is_scale(view, place, first))
            features["change"] = float(not self._changes and measures.is_change(view, place, first))
        if not choice.exact:
            features["fuzzy"] = 1.0
        if choice.source == "verbatim":
            self._verbatim(place, span, features)
        else:
            features["nested"] = float(self.spoken.is_nested(span))
            features["possessive"] = float(view.text.endswith(("'s", "’s"), 0, span.end))
            features["articled"] = float(view.has_idle_article(span))
            features["cut word"] = float(of_slot.cuts_word(view, span))
            features["cut address"] = float(choice.source == "number" and view.cuts_address(span))
        return features

    def _shown(self, place: Place, span: Span) -> Features:
        """What exemplars show of the slot, and whether one that matches has this span in it."""
        first, last = self.view.within(span)
        features: Features = {"unshown": float(not place.contexts)}
        if place.contexts:
            both, smaller = self._contexts.of(place)
            agreed = both[first][last]
            features = {"context": agreed, "context both": smaller[first][last], "no context": float(agreed == 0.0)}
            features["share"] = place.share
        share = self.templates.get((place.name, span))
        if share is not None:
            return features | {"template": 1.0, "template share": share}
        return features | {"no template": float(bool(self.templates))}

    def _of_kind(self, place: Place, span: Span, shape: str) -> Features:
        """Whether the span is of the kind that the slot holds, or of another that some slot waits for."""
        view, kind = self.view, place.kind
        first, last = view.within(span)
        features: Features = {}
        if kind == "recurring":
            features["recurs" if view.recurs(first, last) else "recurs not"] = 1.0
        elif kind in SHAPED:
            missing = "moment missing" if kind in MOMENTS else "kind missing"
            features["kind same" if agree(kind, shape) else "kind other" if shape in SHAPED else missing] = 1.0
            features["moment joined"] = float(shape == "datetime" and kind in ("date", "time") and self._tells_apart)
            features["moment part"] = float(kind == "datetime" and self._is_part(first, last))
            features["recurs elsewhere"] = float(self._rhythmic and view.recurs(first, last))
        elif shape in SHAPED:
            features["kind unwanted"] = 1.0
            features["moment unwanted"] = float(shape in MOMENTS)
        elif agree(kind, shape):
            features["kind name"] = 1.0
            features["name length"] = of_slot.name_length(view, place, first, last)
        if shape in SHAPED and not agree(kind, shape):
            clash = any(name != place.name for name in self._takers(shape))
            features["kind clash"] = float(clash)
            features["moment taken"] = float(clash and shape in MOMENTS and kind not in SHAPED)
            features["moment clash"] = float(clash and (kind, shape) in of_slot.CLASHING)
        if place.holds_person:
            features["relative"] = float(span in view.relatives)
            features["cut relative"] = float(any(own != span and own.overlaps(span) for own in view.relatives))
            features["names more"] = float(of_slot.names_more(view, place, first, last))
        features["group"] = float(place.holds_people and span in view.groups)
        features["relation"] = float(place.holds_relation and span in view.relations)
        features["kind named"] = float(of_slot.is_kind_named(view, place, first, last))
        return features

    def _verbatim(self, place: Place, span: Span, features: Features) -> None:
        """What speaks against words that nobody supplied; ``features`` are those found so far."""
        view = self.view
        first, last = view.within(span)
        if place.holds_code:
            features |= of_slot.as_code(view, place, first, last)
            features["cut code"] = float(of_slot.cuts_code(view, first, last))
        elif self._waits_for_code and last > first:
            features["swallows code"] = float(any(is_code(u.text) and not u.text.isalpha() for u in view.units[first : last + 1]))
        if first == 0 < last and place.name not in self.expected:
            whole = any(features.get(name) for name in ("kind same", "relation", "relative", "group", "code named"))
            features["from start"] = float(not (whole or view.marked[0] or of_slot.is_title(view, first, last)))
        features["no relation"] = float(place.holds_relation and not features["relation"])
        if place.counts and not features["group"]:
            features["uncounted"] = float(not any(view.marked[first : last + 1]) and "one" not in view.words[first : last + 1])
        if view.is_unspaced[first] or view.is_unspaced[last]:  # where no space parts a moment from what stands beside it
            inside = (m for m in view.moments if m != span and span.start <= m.start and m.end <= span.end)
            others = (name for moment in inside for name in self._takers(view.kinds[moment]))
            features["swallows moment"] = float(any(name != place.name for name in others))
        content = [i for i in range(first, last + 1) if view.is_content[i]]
        common = self._span_features(first, last, True)[1]
        features["own words named"] = float("own words" in common and is_naming(place))
        features["without"] = float(last > first and not place.without.isdisjoint((view.stems[first], view.stems[last])))
        features["measure"] = float(measures.is_measure(view, place, first, last))
        features["takes back"] = float(of_slot.takes_back(view, place, first, last))
        features["speech named"] = float("speech" in common and not place.holds_speech)
        cut = "splits kind" in common
        is_example = features.get("example", 0.0) > 0
        features["own name"] = float(bool(content) and not is_example and all(view.stems[i] in place.name_words for i in content))
        features["empty named"] = float(is_naming(place) and (not content or cut))

    def _is_unexplained(self, first: int, last: int) -> bool:
        return not any(self._known[i] or self.view.stems[i] in self._function_words for i in range(first, last + 1))

    def _said_of(self, shape: str) -> int:
        """How many spans of a shape were said beside each other."""
        said = sorted(span for span, kind in self.view.kinds.items() if kind == shape)
        return sum(not any(own.overlaps(span) for own in said[:index]) for index, span in enumerate(said))

    def _takers(self, shape: str) -> tuple[str, ...]:
        """The slots that wait for spans of a shape."""
        if shape not in self._taking:
            self._taking[shape] = tuple(place.name for place in self.others if agree(place.kind, shape))
        return self._taking[shape]

    def _beside(self, place: Place, first: int, last: int) -> Features:
        """Words of the slot's name beside the span, or at its end, where exemplars show none there: "2 guests" under
        "a table for <guests>"."""
        if not place.contexts:
            small = self.view.units[last].text.islower() and isinstance(place.schema, Text)
            return {"ends own": float(small and last > first and self.view.stems[last] in place.name_words)}
        left, right = of_slot.beside(self.view, place, first, last)
        ends = last > first and self.view.stems[last] in place.name_words
        counted = last == first + 1 and place.counts and self.view.marked[first] == "number"
        return {
            "beside unlike": float((left and not place.named_beside[0]) or (right and not place.named_beside[1])),
            "ends named": float(ends and not place.named_beside[1]),
            "ends counted": float(ends and counted and not place.named_beside[1]),
        }

    def _is_part(self, first: int, last: int) -> bool:
        span = self.view.span_of(first, last)
        moments = [moment for moment, kind in self.view.kinds.items() if kind == "datetime" and moment != span]
        return any(moment.start <= span.start and span.end <= moment.end for moment in moments)

    def _span_total(self, first: int, last: int, verbatim: bool) -> float:
        key = (first, last, verbatim)
        if key not in self._totals:
            self._totals[key] = self._total(self._span_features(*key)[1])
        return self._totals[key]

    def _span_features(self, first: int, last: int, verbatim: bool) -> tuple[str, Features]:
        """Shape and features that do not depend on the slot; computed once for a span."""
        key = (first, last, verbatim)
        if key not in self._common:
            view, covered = self.view, [i for i in range(first, last + 1) if self.view.is_content[i]]
            unknown = [i for i in covered if not self._known[i]]
            features: Features = {"whole": float(last - first + 1 >= view.size), "covers": min(4.0, len(unknown))}
            features["some"] = float(bool(unknown))
            if verbatim:
                features["own words"] = float(bool(covered) and all(view.stems[i] in self._function_words for i in covered))
                features |= of_known(view, first, last, self._known)
            found = {name: value for name, value in features.items() if value}
            self._common[key] = self._words.shape(first, last), found | (self._words.features(first, last) if verbatim else {})
        return self._common[key]
