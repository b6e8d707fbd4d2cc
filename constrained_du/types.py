"""The values that cross the package's border: spans, calls, results.

Frozen, and ignorant of specs, grammars and models. Offsets are code points of
the utterance, end exclusive.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal, NamedTuple, TypeAlias

from constrained_du import dispatch as dispatching

JsonValue: TypeAlias = Any
"""What ``json.loads`` returns: None, bool, int, float, str, list or dict."""

DO_NOT_UNDERSTAND = "do_not_understand"


class Span(NamedTuple):
    """A contiguous piece of the utterance: code points [start, end)."""

    start: int
    end: int

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Call:
    """One call of one of the developer's functions.

    ``spans`` and ``operators`` are keyed by slot; items of arrays and members of
    objects by their path (``guests[0]``, ``address.city``).
    """

    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    spans: Mapping[str, Span] = field(default_factory=dict)
    operators: Mapping[str, list[tuple[str, JsonValue]]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    clarification: str | None = None
    confidence: float = 0.0

    @property
    def understood(self) -> bool:
        return self.name != DO_NOT_UNDERSTAND

    def to_json(self) -> str:
        """The call's one surface form: compact JSON in spec order, no blanks."""
        return compact_json({"name": self.name, "arguments": dict(self.arguments)})


@dataclass(frozen=True, slots=True)
class Alternative:
    """One possible answer; ``score`` is the natural log of ``confidence``'s odds-free probability."""

    calls: tuple[Call, ...]
    score: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Stats:
    """What an answer cost: tokens and forward passes are exact counts."""

    tokens_evaluated: int = 0
    forward_passes: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why the answer is what it is; ``str()`` gives a readable table.

    ``decided_by`` names the rule that settled it (``"exemplar"``, ``"evidence"``,
    ``"expectation"``, ``"values"``, ``"tool_choice"``, ``"blank"``); ``exemplar`` is the text of
    the exemplar that decided, if one did. ``functions`` has one row for each rival
    with its named evidence; ``slots`` what was allowed for each slot and its score;
    ``grounds`` the numbers that the confidence was computed from.
    """

    decided_by: str
    exemplar: str | None = None
    functions: tuple[Mapping[str, JsonValue], ...] = ()
    slots: tuple[Mapping[str, JsonValue], ...] = ()
    grounds: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"decided by {self.decided_by}" + (f": {self.exemplar!r}" if self.exemplar else "")]
        for row in self.functions:
            evidence = "  ".join(f"{k}={_short(v)}" for k, v in row.items() if k not in ("name", "probability"))
            lines.append(f"  {row['name']}  p={_short(row.get('probability', 0.0))}  {evidence}")
        for row in self.slots:
            lines.append(f"  {row['function']}.{row['slot']}:")
            for value, probability in row["choices"]:
                lines.append(f"    {'(absent)' if value is ABSENT else compact_json(value)}  p={_short(probability)}")
        return "\n".join(lines)


class _Absent:
    """The choice of leaving a slot out; a value of its own, since ``None`` is JSON's null."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to one utterance; iterating, indexing and ``len`` go to ``calls``."""

    calls: tuple[Call, ...]
    confidence: float
    alternatives: tuple[Alternative, ...] = ()
    stats: Stats = Stats()
    explanation: Explanation = Explanation("evidence")
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict, compare=False, repr=False)
    """The Python functions behind the labels, where the converter was made of functions."""

    @property
    def understood(self) -> bool:
        return not (len(self.calls) == 1 and self.calls[0].name == DO_NOT_UNDERSTAND)

    def __iter__(self) -> Iterator[Call]:
        return iter(self.calls)

    def __getitem__(self, index: int) -> Call:
        return self.calls[index]

    def __len__(self) -> int:
        return len(self.calls)

    def dispatch(self, functions: Mapping[str, Callable[..., Any]] | None = None) -> tuple[Any, ...]:
        """Calls the functions with the arguments, checked against their type hints first."""
        return dispatching.dispatch(self.calls, self.functions if functions is None else functions)

    def explain(self) -> Explanation:
        """What was allowed, what each rival scored, which exemplar or rule decided."""
        return self.explanation

    def to_openai(
        self, fallback: Literal["call", "content"] = "call", legacy: bool = False
    ) -> dict[str, JsonValue]:
        """The answer as OpenAI's assistant message.

        ``legacy`` gives ``function_call`` (the first call alone, as that format has
        room for one); ``fallback="content"`` gives ``do_not_understand`` as a message
        without a call. Ids depend on the calls only, so equal answers are equal bytes.
        """
        message: dict[str, JsonValue] = {"role": "assistant", "content": None}
        if fallback == "content" and not self.understood:
            return message
        rendered = [
            {"name": call.name, "arguments": compact_json(dict(call.arguments))} for call in self.calls
        ]
        if legacy:
            return message | {"function_call": rendered[0]}
        return message | {
            "tool_calls": [
                {"id": _call_id(index, function), "type": "function", "function": function}
                for index, function in enumerate(rendered)
            ]
        }


def compact_json(value: JsonValue) -> str:
    """JSON without blanks, letters as themselves: the surface form of this package."""
    return _COMPACT.encode(value)


_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))  # made once: that takes longer than encoding


def _call_id(index: int, function: Mapping[str, str]) -> str:
    digest = sha256(f"{index}{compact_json(dict(function))}".encode("utf-8", "surrogatepass"))
    return f"call_{digest.hexdigest()[:24]}"


def _short(value: JsonValue) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
