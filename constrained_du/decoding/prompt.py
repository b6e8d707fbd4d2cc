"""Every prompt that is put before the model, and the texts that stand for functions.

Texts only; what they cost and what they score is the business of others. Prompts follow
the language of the spec where its words stand in them; the frame is English, which these
models know best.
"""

from __future__ import annotations

from collections.abc import Sequence

from constrained_du.specs.exemplars import Exemplar
from constrained_du.specs.schema import Enumerated, Member, walk
from constrained_du.specs.spec import Function
from constrained_du.text.lexicon import words_of

CONTENT_FREE = ("", "N/A", "...", "Hello", "What?", "I would like something.", "Can you do this for me?")
"""Utterances that say nothing: what the model prefers for these is its bias."""

DIRECT_HEAD = 'User: "'
DIRECT_TAIL = '"\nThe user wants to'
GENERIC = 'What a person says: "'
"""The channel without a function: how likely the utterance is anyhow."""


def direct_choice(function: Function) -> str:
    return f" {function.name}."


def channel(function: Function) -> str:
    """A prompt whose continuation is what a user of this function says."""
    description = f" {function.description}" if function.description else ""
    return f'Command: {function.name}.{description}\nExample of what the user says: "'


def slot_name(slot: Member) -> str:
    return slot.title or " ".join(words_of(slot.name)) or slot.name


def summary(function: Function) -> str:
    """Name and description: what a function is for, in one line."""
    return f"{function.name}: {function.description}" if function.description else function.name


def portrait(function: Function, most: int = 1200) -> str:
    """The summary and what its slots say, for similarity."""
    parts = [summary(function)]
    for slot in function.slots:
        values = [str(v) for s in walk(slot.schema) if isinstance(s, Enumerated) for v in s.values[:12]]
        parts.append(f"{slot_name(slot)}: {slot.description} {' '.join(values)}".strip())
    return " ".join(parts)[:most]


def exemplar_text(exemplar: Exemplar) -> str:
    """An exemplar with its slots as words."""
    return "".join(part if isinstance(part, str) else " ".join(words_of(part.name)) for part in exemplar.parts)


def exemplar_frame(exemplar: Exemplar) -> str:
    """An exemplar without its slots: the words that the developer wrote for this function. The names
    where there are no others."""
    frame = " ".join(" ".join(part for part in exemplar.parts if isinstance(part, str)).split())
    return frame if any(map(str.isalpha, frame)) else exemplar_text(exemplar)


def clarification(function: Function, slot: Member) -> str:
    """A question for a missing slot, from the spec's own words."""
    asked = function.extras.get("clarification") or function.extras.get("prompts") or {}
    own = asked.get(slot.name) if isinstance(asked, dict) else None
    if isinstance(own, str) and own:
        return own
    words = slot.description or slot_name(slot)
    if any("\u3040" <= letter <= "\u30ff" for letter in words):
        return f"{words.rstrip('。')}を教えてください。"
    if any("\u4e00" <= letter <= "\u9fff" for letter in words):
        return f"请问{words.rstrip('。')}？"
    return f"{function.name}: {slot_name(slot)}? ({words.rstrip('.')})" if slot.description else f"{function.name}: {words}?"


def greedy_prompt(utterance: str, functions: Sequence[Function]) -> str:
    """The prompt of the greedy decoder: the functions, then the utterance; a call follows."""
    listed = "\n".join(f"- {function.label}: {function.description or function.name}" for function in functions)
    return f'Functions:\n{listed}\n\nThe user says: "{utterance}"\nThe call as JSON:\n'
