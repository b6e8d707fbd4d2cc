"""Finds the values of named lists and patterns in an utterance: OpenCUI's recognizers.

A list value is found where one of its expressions stands, whatever its case and Unicode
form, as whole words (in scripts without blanks at any character; in Korean a particle may
follow). Nested and overlapping finds are all reported, as are several values of one
expression. Expressions of five letters or more are also found with one slip, and such a
find says ``exact=False``. Abbreviations, plurals and the labels themselves are found only
where they are listed (the label is, if an instance lists no expressions at all).

Patterns are RE2's: matching takes time linear in the text whatever the pattern, so there
is no endless search; look-around and back-references do not exist there and are refused.

Offsets are code points of the utterance, end exclusive.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import re2  # type: ignore[import-untyped]

from constrained_du.errors import SpecError
from constrained_du.recognizers.folding import fold, fold_expression
from constrained_du.recognizers.surface_index import Hit, SurfaceIndex
from constrained_du.sources.files import read_document
from constrained_du.sources.plain import check_text, child, described, plain, printable, show


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A value said in the utterance; ``value`` is canonical, the span is what was said."""

    start: int
    end: int
    value: str
    exact: bool = True


class Recognizer(Protocol):
    """Finds candidates of one type in an utterance; the same text gives the same answer."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    def find(self, text: str) -> tuple[FoundValue, ...]: ...

    def to_native(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Instance:
    """A value of a list, and how people say it."""

    label: str
    expressions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListRecognizer:
    """Finds the instances of a list. Those with the same label count as one."""

    name: str
    description: str
    instances: tuple[Instance, ...] = field(repr=False)
    _values: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _labels: Mapping[str, tuple[int, ...]] = field(init=False, repr=False, compare=False)
    _index: SurfaceIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        numbers: dict[str, int] = {}
        labels: dict[str, tuple[int, ...]] = {}
        for instance in self.instances:
            number = numbers.setdefault(instance.label, len(numbers))
            for expression in instance.expressions:
                folded = fold_expression(expression)
                known = labels.get(folded, ())
                if folded and number not in known:
                    labels[folded] = (*known, number)
        object.__setattr__(self, "_values", tuple(numbers))
        object.__setattr__(self, "_labels", labels)
        object.__setattr__(self, "_index", SurfaceIndex.build(list(labels)))

    def find(self, text: str) -> tuple[FoundValue, ...]:
        """All values in the text: exact ones first, then longest first, then by place and list order."""
        folded = fold(text)
        exact = list(self._index.exact(folded))
        near = [hit for hit in self._index.near(folded) if not self._is_explained(hit, exact)]
        found: dict[tuple[int, int, int], bool] = {}
        for hit in (*exact, *near):
            start, end = folded.span(hit.start, hit.end)
            for number in self._labels[hit.expression]:
                found.setdefault((start, end, number), hit.exact)
        ordered = sorted(found.items(), key=lambda item: (not item[1], item[0][0] - item[0][1], item[0]))
        return tuple(FoundValue(start, end, self._values[n], exact) for (start, end, n), exact in ordered)

    def to_native(self) -> dict[str, Any]:
        """The recognizer in OpenCUI's form."""
        instances = [{"label": one.label, "expressions": list(one.expressions)} for one in self.instances]
        return {
            "name": self.name,
            "rec_type": "list",
            "description": self.description,
            "instances": instances,
        }

    def _is_explained(self, near: Hit, exact: Iterable[Hit]) -> bool:
        """Whether an exact find covers the same words, or is the same value in an overlapping place."""
        for hit in exact:
            if hit.start <= near.start and near.end <= hit.end:
                return True
            overlaps = hit.start < near.end and near.start < hit.end
            if overlaps and set(self._labels[hit.expression]) & set(self._labels[near.expression]):
                return True
        return False


@dataclass(frozen=True, slots=True)
class PatternRecognizer:
    """Finds what a pattern matches, as whole words; the value is the text itself."""

    name: str
    description: str
    pattern: str
    _compiled: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_compiled", _compile(self.pattern))

    def find(self, text: str) -> tuple[FoundValue, ...]:
        """The pattern's matches from left to right, which do not overlap; empty ones are none."""
        folded = fold(text)
        starts = {folded.starts[at] for at in range(len(folded.text)) if folded.may_start[at]}
        ends = {folded.ends[at - 1] for at in range(1, len(folded.text) + 1) if folded.may_end[at]}
        found = []
        for match in self._compiled.finditer(_SURROGATE.sub("\ufffd", text)):
            start, end = match.span()
            if start < end and start in starts and end in ends:
                found.append(FoundValue(start, end, text[start:end]))
        return tuple(found)

    def to_native(self) -> dict[str, Any]:
        """The recognizer in OpenCUI's form."""
        described = {"name": self.name, "rec_type": "pattern", "description": self.description}
        return described | {"pattern": self.pattern}


def read_recognizers(source: object) -> tuple[dict[str, Recognizer], dict[str, str]]:
    """Type → recognizer, and slot → type, out of ``recognizers.json`` (a path or its content).

    Both forms are read: ``{"recognizers": {T: …}, "slots": {slot: T}}`` and ``{T: …}``.
    Raises SpecError at the first thing that is wrong.
    """
    if isinstance(source, str | os.PathLike):
        document, path = read_document(source)
    else:
        document, path = source, "$"
    document = plain(document, path)
    if not isinstance(document, dict):
        raise SpecError(path, f"{described(document)} - give an object of type and recognizer")
    if not isinstance(document.get("recognizers"), dict):
        return {label: _recognizer(label, info, child(path, label)) for label, info in document.items()}, {}
    here = child(path, "recognizers")
    recognizers = {
        label: _recognizer(label, info, child(here, label)) for label, info in document["recognizers"].items()
    }
    return recognizers, _slots(document.get("slots"), child(path, "slots"), recognizers)


def _slots(value: Any, path: str, recognizers: Mapping[str, Recognizer]) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise SpecError(path, f"{described(value)} - give an object of slot and type")
    for slot, label in value.items():
        check_text(slot, path, "slot")
        if check_text(label, child(path, slot), "type") not in recognizers:
            raise SpecError(
                child(path, slot), f"no recognizer is called {show(label)} - add it under recognizers"
            )
    return value


def _recognizer(label: str, info: Any, path: str) -> Recognizer:
    check_text(label, path, "type's label")
    if not isinstance(info, dict):
        raise SpecError(path, f'{described(info)} - give {{"instances": […]}} or {{"pattern": …}}')
    name = check_text(info["name"], child(path, "name"), "name") if info.get("name") else label
    description = info.get("description") or ""
    if not isinstance(description, str):
        raise SpecError(child(path, "description"), f"{described(description)} - write a text")
    if _is_pattern(info, path):
        pattern = check_text(info["pattern"], child(path, "pattern"), "pattern")
        try:
            return PatternRecognizer(name, description, pattern)
        except SpecError as problem:
            raise SpecError(child(path, "pattern"), problem.problem) from None
    return ListRecognizer(name, description, _instances(info["instances"], child(path, "instances")))


def _is_pattern(info: dict[str, Any], path: str) -> bool:
    given = [key for key in ("instances", "pattern") if info.get(key) is not None]
    if len(given) != 1:
        raise SpecError(
            path, f"{' and '.join(given) or 'neither instances nor pattern'} - give one of the two"
        )
    kinds = {"instances": ("list",), "pattern": ("pattern", "regex")}[given[0]]
    stated = info.get("rec_type")
    if stated is not None and (not isinstance(stated, str) or stated.lower() not in kinds):
        raise SpecError(
            child(path, "rec_type"), f"{show(stated)} does not go with {given[0]} - write {show(kinds[0])}"
        )
    return given[0] == "pattern"


def _instances(value: Any, path: str) -> tuple[Instance, ...]:
    if not isinstance(value, list):
        raise SpecError(path, f"{described(value)} - give a list of instances")
    if not value:
        raise SpecError(
            path, "no instances - list at least one, or leave the recognizer out to wait for entities"
        )
    merged: dict[str, tuple[str, ...]] = {}
    for index, entry in enumerate(value):
        label, expressions = _instance(entry, path, index)
        merged[label] = tuple(dict.fromkeys((*merged.get(label, ()), *expressions)))
    return tuple(Instance(label, expressions) for label, expressions in merged.items())


def _instance(entry: Any, path: str, index: int) -> tuple[str, list[str]]:
    if isinstance(entry, str):
        entry = {"label": entry}
    if not isinstance(entry, dict):
        problem = f'{described(entry)} - give {{"label": …, "expressions": […]}}'
        raise SpecError(child(path, index), problem)
    label = entry.get("label")
    if not isinstance(label, str) or not _is_good(label):
        label = check_text(label, child(child(path, index), "label"), "label")
    expressions = entry.get("expressions", [label])
    here = f"{path}[{index}].expressions"
    if not isinstance(expressions, list):
        raise SpecError(here, f"{described(expressions)} - give a list of texts")
    if not expressions:
        raise SpecError(
            here, "no expressions - list how people say it, or leave the key out to use the label"
        )
    for number, expression in enumerate(expressions):
        if not _is_good(expression):
            text = check_text(expression, child(here, number), "expression")
            raise SpecError(child(here, number), f"{show(text)} has no visible character - take it out")
    return label, expressions


def _is_good(text: object) -> bool:
    """The quick verdict on what is nearly always right; ``check_text`` finds the words where it is not."""
    return isinstance(text, str) and "\0" not in text and _VISIBLE.search(text) is not None


_VISIBLE = re.compile("[^\\s\u00ad\u200b-\u200d\u2060\ufe0e\ufe0f\ufeff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def _compile(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except (re2.error, UnicodeError) as error:
        reason = error.args[0] if error.args else error
        words = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise SpecError(
            "$.pattern",
            f"the pattern {show(pattern)} is refused ({printable(words)[:80]}) - write it in RE2's syntax",
        ) from None
