"""Reads exemplars, in OpenCUI's and opendu's formats, into templates of text and slots.

| form | shape |
|---|---|
| OpenCUI | ``[{"funcId": label, "exemplars": [{"type": "implies", "utterance": "to < city >"}]}]`` |
| opendu | ``{label: [{"template": "to <city>", "owner_mode": "normal", "context_frame": …}]}`` |
| opendu, flat | ``[{"owner": label, "template": "to <city>"}]`` |

A text alone may stand for ``{"template": text}``.

What is a mark: ``<name>`` or ``< name >`` is one if the function has a slot of that name
(``function.name`` will do too). If it has none and the name looks like an identifier (also
with dots and hyphens), the exemplar is refused, since a misspelt slot would otherwise be
matched as words; so is the ``<y>`` of "x < y > z". Everything else is text: "I <3 you",
"a < b", "<|im_end|>". ``\\<`` and ``\\>`` are always text; a backslash before one is ``\\\\``.

A mode says what the template does for its function: ``normal`` (also ``implies``) entails it,
``extended`` (also ``literal``) is near but decides nothing alone, ``negative`` (also
``negation``) forbids it. Knows labels and slot names, no schemas and no utterances.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from constrained_du.errors import ExemplarError, SpecError
from constrained_du.sources.files import read_document
from constrained_du.sources.plain import check_text, child, described, plain, show

Mode: TypeAlias = Literal["normal", "extended", "negative"]
Slots: TypeAlias = Mapping[str, Collection[str]]
"""Function label → the names of its slots."""


@dataclass(frozen=True, slots=True)
class SlotMark:
    """The place of a slot's value in a template."""

    name: str


@dataclass(frozen=True, slots=True)
class Exemplar:
    """A template whose match says something about one function.

    ``context`` is the (function, slot or None) that must be expected for it to apply at
    all. ``arguments`` are values that the exemplar itself sets, if its format gives them.
    """

    function: str
    parts: tuple[str | SlotMark, ...]
    mode: Mode = "normal"
    context: tuple[str, str | None] | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The template as written, ``table for <people>``; reading it gives the same parts."""
        return "".join(
            f"<{part.name}>" if isinstance(part, SlotMark) else _escaped(part, self.parts[index + 1 :])
            for index, part in enumerate(self.parts)
        )

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots that it marks, each once, in order."""
        return tuple(dict.fromkeys(part.name for part in self.parts if isinstance(part, SlotMark)))


def read_exemplars(source: object, functions: Slots) -> list[Exemplar]:
    """The exemplars of a document or of a .json/.yaml file, in its order.

    Raises ExemplarError for the first that is malformed or names no known function or slot.
    """
    try:
        if isinstance(source, str | os.PathLike):
            document, path = read_document(source)
        else:
            document, path = source, "$"
        return list(_read(plain(document, path), path, functions))
    except SpecError as problem:
        raise ExemplarError(str(problem)) from None


_MODES: dict[str, Mode] = {
    "normal": "normal",
    "implies": "normal",
    "extended": "extended",
    "literal": "extended",
    "negative": "negative",
    "negation": "negative",
}
_TEMPLATE_KEYS = ("template", "utterance")
_MODE_KEYS = ("owner_mode", "type", "label", "mode")
_OWNER_KEYS = ("funcId", "owner", "function")
_NOTES = ("id", "source", "comment", "description")
_KNOWN = frozenset(
    {*_TEMPLATE_KEYS, *_MODE_KEYS, *_OWNER_KEYS, *_NOTES, "context_frame", "context_slot", "arguments"}
)


def _read(document: Any, path: str, functions: Slots) -> Iterator[Exemplar]:
    if isinstance(document, dict) and _owner_key(document) is None:
        for label, entries in document.items():
            yield from _read_entries(entries, label, child(path, label), child(path, label), functions)
        return
    groups = [document] if isinstance(document, dict) else document
    if not isinstance(groups, list):
        raise _error(path, f"{described(document)} - give a list or an object of exemplars")
    for index, group in enumerate(groups):
        yield from _read_group(group, child(path, index) if groups is document else path, functions)


def _read_group(group: Any, path: str, functions: Slots) -> Iterator[Exemplar]:
    if not isinstance(group, dict):
        raise _error(path, f'{described(group)} - give {{"funcId": …, "exemplars": […]}}')
    key = _owner_key(group)
    if key is None:
        raise _error(path, 'no function - name it as "funcId"')
    owner = check_text(group[key], child(path, key), key)
    if "exemplars" in group:
        yield from _read_entries(
            group["exemplars"], owner, child(path, "exemplars"), child(path, key), functions
        )
    else:
        yield _exemplar(group, _function(owner, child(path, key), functions), path, functions)


def _owner_key(group: dict[str, Any]) -> str | None:
    """The key that names the function; a function labelled ``owner`` holds a list there, no text."""
    return next((key for key in _OWNER_KEYS if isinstance(group.get(key), str)), None)


def _read_entries(
    entries: Any, owner: str, path: str, owner_path: str, functions: Slots
) -> Iterator[Exemplar]:
    label = _function(owner, owner_path, functions)
    if not isinstance(entries, list):
        raise _error(path, f"{described(entries)} - give a list of exemplars")
    for index, entry in enumerate(entries):
        yield _exemplar(entry, label, child(path, index), functions)


def _exemplar(entry: Any, label: str, path: str, functions: Slots) -> Exemplar:
    if isinstance(entry, str):
        return Exemplar(label, _parts(check_text(entry, path, "exemplar"), label, path, functions[label]))
    if not isinstance(entry, dict):
        raise _error(path, f'{described(entry)} - give {{"template": …}}')
    unknown = next((key for key in entry if key not in _KNOWN and not key.startswith("x-")), None)
    if unknown is not None:
        raise _error(
            child(path, unknown), f"{show(unknown)} is no key of an exemplar - leave it out or name it x-…"
        )
    key = next((key for key in _TEMPLATE_KEYS if key in entry), None)
    if key is None:
        raise _error(path, 'no template - give it a "template" (or an "utterance", or a list of "exemplars")')
    template = check_text(entry[key], child(path, key), key)
    return Exemplar(
        function=label,
        parts=_parts(template, label, child(path, key), functions[label]),
        mode=_mode(entry, path),
        context=_context(entry, label, path, functions),
        arguments=_arguments(entry.get("arguments"), label, child(path, "arguments"), functions[label]),
    )


def _mode(entry: dict[str, Any], path: str) -> Mode:
    for key in _MODE_KEYS:
        value = entry.get(key)
        if value is None or value == "":
            continue
        mode = _MODES.get(value.strip().lower()) if isinstance(value, str) else None
        if mode is None:
            raise _error(child(path, key), f"{show(value)} is no mode - use one of {', '.join(_MODES)}")
        return mode
    return "normal"


def _context(entry: dict[str, Any], label: str, path: str, functions: Slots) -> tuple[str, str | None] | None:
    """The expectation it is bound to; a slot without a frame is one of the function's own."""
    frame, slot = entry.get("context_frame") or None, entry.get("context_slot") or None
    if frame is None and slot is None:
        return None
    here = child(path, "context_frame")
    function = (
        label if frame is None else _function(check_text(frame, here, "context_frame"), here, functions)
    )
    if slot is None:
        return function, None
    here = child(path, "context_slot")
    return function, _slot(check_text(slot, here, "context_slot"), function, here, functions[function])


def _arguments(value: Any, label: str, path: str, slots: Collection[str]) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _error(path, f"{described(value)} - give an object of slot and value")
    return {_slot(name, label, child(path, name), slots): argument for name, argument in value.items()}


def _function(label: str, path: str, functions: Slots) -> str:
    if label not in functions:
        raise _error(path, f"no function is called {show(label)} - {_closest(label, functions)}")
    return label


def _slot(name: str, label: str, path: str, slots: Collection[str], otherwise: str = "") -> str:
    if name in slots:
        return name
    short = name.removeprefix(f"{label}.")
    if short in slots:
        return short
    raise _error(path, f"{show(label)} has no slot {show(name)} - {_closest(name, slots)}{otherwise}")


def _closest(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    if near:
        return f"did you mean {show(near[0])}"
    return "add it to the specs or take it out"


_MARK = re.compile(r"(?P<slashes>\\+)(?=[<>])|<(?P<name>[^<>\n]*)>")
_TAIL = re.compile(r"(\\*)([<>])|(\\+)\Z")


def _parts(template: str, label: str, path: str, slots: Collection[str]) -> tuple[str | SlotMark, ...]:
    parts: list[str | SlotMark] = []
    text: list[str] = []
    at = 0
    while match := _MARK.search(template, at):
        text.append(template[at : match.start()])
        at = match.end()
        if match["slashes"]:
            count = len(match["slashes"])
            text.append("\\" * (count // 2))
            if count % 2:
                text.append(template[at])
                at += 1
            continue
        name = _marked(match["name"].strip(), label, path, slots)
        if name is None:
            # Only the bracket is text: what follows may hold a mark of its own.
            text.append("<")
            at = match.start() + 1
            continue
        parts.extend([*_joined(text), SlotMark(name)])
        text = []
    text.append(template[at:])
    parts.extend(_joined(text))
    return tuple(parts)


def _joined(text: list[str]) -> list[str]:
    joined = "".join(text)
    return [joined] if joined else []


def _marked(name: str, label: str, path: str, slots: Collection[str]) -> str | None:
    """The slot that ``<name>`` stands for; None if it is text; ExemplarError if it was meant as a slot."""
    if name in slots:
        return name
    if name.replace(".", "_").replace("-", "_").isidentifier():
        return _slot(name, label, path, slots, f", or write \\<{name}> if it is text")
    return None


def _escaped(text: str, following: tuple[str | SlotMark, ...]) -> str:
    def escape(match: re.Match[str]) -> str:
        if match[3] is not None:
            return match[3] * 2 if following else match[3]
        needed = match[2] == "<" and ">" in re.split("<", text[match.end() :], maxsplit=1)[0]
        return match[1] * 2 + ("\\" if needed else "") + match[2]

    return _TAIL.sub(escape, text)


def _error(path: str, problem: str) -> ExemplarError:
    return ExemplarError(f"{problem} @ {path}")
