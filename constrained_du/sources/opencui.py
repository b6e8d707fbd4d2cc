"""Reads OpenCUI's native form: ``{"skills": {label: …}, "slots": {"frame.slot" or "slot": …}}``.

A slot whose type is another skill or frame becomes that object (by ``$ref``, so frames may
contain each other); Kotlin's and Java's types become JSON's; any other type is a custom one
and waits for a recognizer or for entities. Entries of ``type: "frame"`` are parts of others
and no functions themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from constrained_du.errors import SpecError
from constrained_du.sources.plain import check_text, child, described, plain, show
from constrained_du.sources.raw import RawFunction, Report, read_description, read_names, reporting
from constrained_du.sources.schemas import definition_pointer

_TYPES: dict[str, dict[str, Any]] = {
    "kotlin.String": {"type": "string"},
    "kotlin.Int": {"type": "integer"},
    "kotlin.Long": {"type": "integer"},
    "kotlin.Float": {"type": "number"},
    "kotlin.Double": {"type": "number"},
    "kotlin.Boolean": {"type": "boolean"},
    "java.time.LocalDate": {"type": "string", "format": "date"},
    "java.time.LocalTime": {"type": "string", "format": "time"},
    "java.time.LocalDateTime": {"type": "string", "format": "date-time"},
    "java.time.OffsetDateTime": {"type": "string", "format": "date-time"},
    "java.time.ZonedDateTime": {"type": "string", "format": "date-time"},
}
_SCHEMA_KEYWORDS = frozenset(
    [
        "enum",
        "const",
        "format",
        "pattern",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "items",
        "minItems",
        "maxItems",
        "uniqueItems",
        "default",
        "examples",
        "x-value",
    ]
)
_READ = frozenset(["name", "label", "description", "type", "multi_value", "isMultiValue", "required"])


def is_native(document: Mapping[str, Any]) -> bool:
    """Whether the object has both of the native form's parts."""
    return isinstance(document.get("skills"), Mapping) and isinstance(document.get("slots"), Mapping)


def read_native(document: Mapping[str, Any], path: str, report: Report) -> Iterator[RawFunction]:
    """One function for each skill, in the document's order."""
    with reporting(report):
        bot = _Bot(
            plain(document["skills"], child(path, "skills")),
            plain(document["slots"], child(path, "slots")),
            path,
        )
        for label, skill in bot.skills.items():
            with reporting(report):
                if not (isinstance(skill, dict) and str(skill.get("type")).lower() == "frame"):
                    yield bot.function(label, skill)


class _Bot:
    def __init__(self, skills: dict[str, Any], slots: dict[str, Any], path: str) -> None:
        self.skills = skills
        self._slots = slots
        self._path = path

    def function(self, label: str, skill: object) -> RawFunction:
        path = child(child(self._path, "skills"), label)
        check_text(label, path, "label")
        if not isinstance(skill, dict):
            raise SpecError(path, f"the skill is {described(skill)} - describe it as an object")
        properties, required, frames = self._members(label, skill, path)
        definitions: dict[str, Any] = {}
        while frames:
            frame = frames.pop(0)
            if frame not in definitions:
                definitions[frame], inner = self._frame(frame)
                frames.extend(inner)
        extras = {
            key: value for key, value in skill.items() if key not in ("name", "label", "description", "slots")
        }
        told = {slot: more for slot in properties if (more := self._extras(label, slot))}
        return RawFunction(
            path=path,
            label=label,
            names=read_names(skill.get("name"), label, child(path, "name")),
            description=read_description(skill.get("description"), child(path, "description")),
            parameters={
                "type": "object",
                "properties": properties,
                "required": required,
                "$defs": definitions,
            },
            parameters_path=child(path, "slots"),
            extras=extras | ({"slots": told} if told else {}),
        )

    def _frame(self, label: str) -> tuple[dict[str, Any], list[str]]:
        path = child(child(self._path, "skills"), label)
        frame = self.skills[label]
        if not isinstance(frame, dict):
            raise SpecError(path, f"the frame is {described(frame)} - describe it as an object")
        properties, required, frames = self._members(label, frame, path)
        return {"type": "object", "properties": properties, "required": required}, frames

    def _members(
        self, label: str, skill: dict[str, Any], path: str
    ) -> tuple[dict[str, Any], list[str], list[str]]:
        """Slot schemas, required slots, and the frames that the slots are made of."""
        here = child(path, "slots")
        slots = skill.get("slots") or []
        if not isinstance(slots, list):
            raise SpecError(here, f"slots is {described(slots)} - give a list of slot labels")
        properties: dict[str, Any] = {}
        required: list[str] = []
        frames: list[str] = []
        for index, slot in enumerate(slots):
            name = check_text(slot, child(here, index), "slot's label")
            key = self._slot_key(label, name)
            if key is None:
                raise SpecError(
                    child(here, index),
                    f"the slot {show(name)} of {show(label)} is not described - add it under slots",
                )
            slot_path = child(child(self._path, "slots"), key)
            properties[name] = self._slot(self._slots[key], slot_path, frames)
            if self._slots[key].get("required") is True:
                required.append(name)
        return properties, required, frames

    def _slot_key(self, label: str, slot: str) -> str | None:
        short = label.rpartition(".")[2]
        keys = (f"{label}.{slot}", f"{_camel(label)}.{slot}", f"{short}.{slot}", slot)
        return next((key for key in keys if key in self._slots), None)

    def _extras(self, label: str, slot: str) -> dict[str, Any]:
        meta = self._slots[self._slot_key(label, slot) or slot]
        return {key: value for key, value in meta.items() if key not in _READ | _SCHEMA_KEYWORDS}

    def _slot(self, meta: object, path: str, frames: list[str]) -> dict[str, Any]:
        if not isinstance(meta, dict):
            raise SpecError(path, f"the slot is {described(meta)} - describe it as an object")
        schema = self._typed(meta.get("type"), child(path, "type"), frames)
        schema |= {key: value for key, value in meta.items() if key in _SCHEMA_KEYWORDS}
        if meta.get("multi_value", meta.get("isMultiValue")) is True:
            schema = {"type": "array", "items": schema}
        if meta.get("name"):
            schema["title"] = check_text(meta["name"], child(path, "name"), "slot's name")
        description = read_description(meta.get("description"), child(path, "description"))
        return schema | ({"description": description} if description else {})

    def _typed(self, type_name: object, path: str, frames: list[str]) -> dict[str, Any]:
        if type_name is None or type_name == "":
            return {"type": "string"}
        if isinstance(type_name, str) and type_name in self.skills:
            frames.append(type_name)
            return {"$ref": definition_pointer(type_name)}
        if isinstance(type_name, str) and type_name in _TYPES:
            return dict(_TYPES[type_name])
        if not isinstance(type_name, str):
            raise SpecError(path, f"the type is {described(type_name)} - name it as a text")
        return {"type": type_name}


def _camel(label: str) -> str:
    """``book_table`` as ``bookTable``: opendu writes slot keys so whatever the skill's own style is."""
    first, *others = label.split("_")
    return first + "".join(word[:1].upper() + word[1:] or "_" for word in others)
