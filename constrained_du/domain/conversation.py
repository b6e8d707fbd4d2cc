"""The conversation functions that come with the package, and when they give way to an answer.

``conversation_texts/*.json`` hold their specs and exemplars in English, Japanese and Chinese.
Once switched on they are functions like any other; ``x-conversation`` in the spec marks them.
Models are unknown here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any, Final

from constrained_du.domain.domain import Domain
from constrained_du.errors import InputError, SpecError
from constrained_du.grammar.candidates import Candidates, Expectation
from constrained_du.grammar.compile import Binder, slot_keys
from constrained_du.slots.picks import is_bare_number, is_list, is_pick
from constrained_du.slots.places import Place
from constrained_du.specs.instances import CONVERSATION
from constrained_du.specs.schema import Enumerated
from constrained_du.specs.spec import Function
from constrained_du.text.polarity import is_yes_or_no

LANGUAGES: Final = ("en", "ja", "zh")
DEFAULT: Final = (
    "abort_intent", "hand_off", "close_session", "repeat", "help", "affirm", "deny", "dont_care", "pick",
)  # fmt: skip
ON_REQUEST: Final = ("change_slot_value",)
"""Has to be named in ``only``: many a domain has a function of its own for it."""


def conversation_specs(language: str, only: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """The specs of the conversation functions; all of DEFAULT, or those of ``only``.

    Raises InputError for a language or a name that there is not.
    """
    if language not in LANGUAGES:
        raise InputError(f"there are no conversation functions in {language!r} - use one of {', '.join(LANGUAGES)}")
    if isinstance(only, str) or not isinstance(only, Sequence | None):
        raise InputError(f"only is a list of names, not {only!r}")
    wanted = DEFAULT if only is None else tuple(only)
    for name in wanted:
        if name not in (*DEFAULT, *ON_REQUEST):
            known = ", ".join((*DEFAULT, *ON_REQUEST))
            raise InputError(f"there is no conversation function {name!r} - use some of {known}")
    specs = ({k: v for k, v in entry.items() if k != "exemplars"} for entry in _entries(language))
    return [spec for spec in specs if spec["label"] in wanted]


def conversation_exemplars(language: str, labels: Sequence[str]) -> list[dict[str, Any]]:
    """Their exemplars in OpenCUI's form."""
    return [
        {"funcId": entry["label"], "exemplars": [{"type": "implies", "utterance": text} for text in entry["exemplars"]]}
        for entry in _entries(language)
        if entry["label"] in labels
    ]


def check_free(domain: Domain, labels: Sequence[str]) -> None:
    """Raises SpecError where a function of the developer has one of these labels."""
    for label in labels:
        function = domain.by_label.get(label)
        if function is not None and CONVERSATION not in function.extras:
            raise SpecError(
                "$", f"{label!r} is a function already - leave it out of the conversation functions with only=[…], or "
                "give yours another label",
            )  # fmt: skip


@lru_cache(maxsize=len(LANGUAGES))
def _entries(language: str) -> tuple[Mapping[str, Any], ...]:
    file = Path(str(package_files("constrained_du.domain"))) / "conversation_texts" / f"{language}.json"
    return tuple(json.loads(file.read_text(encoding="utf-8")))


def is_own(function: Function) -> bool:
    """Whether a function came with the package."""
    return CONVERSATION in function.extras


def kind_of(domain: Domain, label: str) -> str | None:
    """Which conversation function a label is, if it is one."""
    function = domain.by_label.get(label)
    kind = None if function is None else function.extras.get(CONVERSATION)
    return kind if isinstance(kind, str) else None


def giving_way(
    domain: Domain, utterance: str, candidates: Candidates, expectations: Sequence[Expectation], operators: bool
) -> frozenset[int]:
    """The conversation functions that are not meant, since the words answer what was asked.

    "yes" answers a yes-or-no slot, "the second one" a slot whose values are a list, "five" any
    slot, and "either" as well, where operators are to say so.
    """
    if not expectations or not any(CONVERSATION in function.extras for function in domain.functions):
        return frozenset()
    asked = [(e, domain.places[e.function][e.slot]) for e in expectations if e.slot is not None]
    quiet: set[str] = set()
    if any(place.is_boolean for _, place in asked):
        quiet |= {*DEFAULT, *ON_REQUEST} if is_yes_or_no(utterance) else {"affirm", "deny"}
    if any(_is_listed(e, place, candidates) for e, place in asked) and is_pick(utterance):
        quiet |= {*DEFAULT, *ON_REQUEST}
    if asked and is_bare_number(utterance):
        quiet.add("pick")
    if asked and operators:
        quiet.add("dont_care")
    return frozenset(i for i, f in enumerate(domain.functions) if f.extras.get(CONVERSATION) in quiet)


def speechless(domain: Domain, binder: Binder) -> frozenset[int]:
    """The conversation functions that are unlikely, since values of the domain were said that
    they have no slot for: "no, from Zwolle" is more than a no."""
    own = [i for i, f in enumerate(domain.functions) if CONVERSATION in f.extras and not f.slots]
    if not own:
        return frozenset()
    given = (choice for choices in binder.candidates.by_key.values() for choice in choices)
    said = any(choice.span is not None and not is_list([choice], binder.utterance) for choice in given)
    return frozenset(own if said or _recognizes(domain, binder) else ())


def _recognizes(domain: Domain, binder: Binder) -> bool:
    return any(choice.exact for kind in domain.recognizers for choice in binder.recognized(kind))


def _is_listed(expectation: Expectation, place: Place, candidates: Candidates) -> bool:
    if isinstance(place.schema, Enumerated):
        return True
    return bool(candidates.get(slot_keys(expectation.function, place.name, place.schema)))
