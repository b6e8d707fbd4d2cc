"""The public question: is this call sayable here?

The grammar judges each value; then candidates, numbers and times must find spans that do not
overlap. Plain strings are judged one by one: their spans are not looked for again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from constrained_du.compile import Binder
from constrained_du.domain import Domain
from constrained_du.grammar import AnyOf, Defined, Definitions, Items, Members, Node, OneOf
from constrained_du.schema import json_key
from constrained_du.types import DO_NOT_UNDERSTAND, JsonValue, Span

MAX_STEPS = 50_000  # of the search for spans; beyond, the values are taken as sayable


def is_sayable(call: object, domain: Domain, binder: Binder) -> bool:
    if not isinstance(call, Mapping) or not set(call) <= {"name", "arguments"}:
        return False
    name, arguments = call.get("name"), call.get("arguments", {})
    if not isinstance(name, str) or not isinstance(arguments, Mapping):
        return False
    if name == DO_NOT_UNDERSTAND:
        return not arguments
    function = domain.by_label.get(name)
    if function is None:
        return False
    grammar = binder.bind(function)
    if not grammar.admits(dict(arguments)):
        return False
    needs = list(_needs(grammar.body, dict(arguments), grammar.definitions))
    return _fits(sorted(needs, key=len), (), [MAX_STEPS])


def _needs(node: Node, value: JsonValue, definitions: Definitions) -> Iterator[tuple[Span, ...]]:
    """For every located value inside: the spans it may have been taken from."""
    match node:
        case OneOf(choices):
            key = json_key(value)
            own = [choice for choice in choices if json_key(choice.value) == key]
            if own and all(choice.span is not None and choice.source != "verbatim" for choice in own):
                yield tuple(dict.fromkeys(choice.span for choice in own if choice.span is not None))
        case Members(fields):
            for field in fields:
                if field.name in value:
                    yield from _needs(field.node, value[field.name], definitions)
        case Items(prefix, item):
            for index, part in enumerate(value):
                inner = prefix[index] if index < len(prefix) else item
                if inner is not None:
                    yield from _needs(inner, part, definitions)
        case AnyOf(options):
            chosen = next((option for option in options if option.admits(value, definitions)), None)
            if chosen is not None:
                yield from _needs(chosen, value, definitions)
        case Defined(name):
            yield from _needs(definitions[name], value, definitions)
        case _:
            return


def _fits(needs: list[tuple[Span, ...]], used: tuple[Span, ...], steps: list[int]) -> bool:
    if not needs:
        return True
    steps[0] -= 1
    if steps[0] < 0:
        return True
    return any(
        not any(span.overlaps(other) for other in used) and _fits(needs[1:], (*used, span), steps)
        for span in needs[0]
    )
