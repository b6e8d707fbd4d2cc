"""The public question: is this call sayable here?

The grammar judges each value; then candidates, numbers and times must find spans that do not
overlap. Plain strings are judged one by one: their spans are not looked for again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from constrained_du.domain.domain import Domain
from constrained_du.grammar.compile import Binder
from constrained_du.grammar.grammar import AnyOf, Defined, Definitions, Items, Members, Node, OneOf
from constrained_du.specs.schema import json_key
from constrained_du.types import DO_NOT_UNDERSTAND, JsonValue, Span

MAX_STEPS = 50_000  # of the search for spans; beyond, the values are taken as sayable
MAX_DEPTH = 200  # of a value; no schema that can be read is as deep
MAX_BITS = 8_192  # of a number; Python writes no longer ones


def is_sayable(call: object, domain: Domain, binder: Binder) -> bool:
    """Whether the call is one that these functions and this utterance allow; no value raises."""
    if not isinstance(call, Mapping) or not set(call) <= {"name", "arguments"}:
        return False
    name, arguments = call.get("name"), call.get("arguments", {})
    if not isinstance(name, str) or not isinstance(arguments, Mapping) or not _is_json(dict(arguments)):
        return False
    if name == DO_NOT_UNDERSTAND:
        return not arguments
    function = domain.by_label.get(name)
    if function is None:
        return False
    grammar = binder.bind(function)
    given = dict(arguments)
    bodies = grammar.branches or (grammar.slots,)
    return any(
        body.admits(given, grammar.definitions) and _have_room(list(_needs(body, given, grammar.definitions)))
        for body in bodies
    )


def _is_json(value: object) -> bool:
    """Whether it is a value that JSON can say and that is no deeper or longer than any schema's."""
    stack: list[tuple[object, int]] = [(value, 0)]
    while stack:
        inner, depth = stack.pop()
        if depth > MAX_DEPTH:
            return False
        match inner:
            case None | bool() | str() | float():
                pass
            case int():
                if inner.bit_length() > MAX_BITS:
                    return False
            case list():
                stack.extend((part, depth + 1) for part in inner)
            case dict():
                if not all(isinstance(key, str) for key in inner):
                    return False
                stack.extend((part, depth + 1) for part in inner.values())
            case _:
                return False
    return True


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
            ways = (list(_needs(o, value, definitions)) for o in options if o.admits(value, definitions))
            yield from min(ways, key=len, default=[])
        case Defined(name):
            yield from _needs(definitions[name], value, definitions)
        case _:
            return


def _have_room(needs: Sequence[tuple[Span, ...]]) -> bool:
    """Whether each value can have one of its spans so that no two overlap.

    Depth first without recursion, the values with fewest spans first. Of values with the same
    spans a later one takes a later span: the other ways are the same again.
    """
    ordered = sorted(needs, key=lambda spans: (len(spans), spans))
    chosen: list[int] = []
    start = 0
    for _ in range(MAX_STEPS):
        depth = len(chosen)
        if depth == len(ordered):
            return True
        used = [ordered[i][n] for i, n in enumerate(chosen)]
        spans = ordered[depth]
        free = (n for n in range(start, len(spans)) if not any(spans[n].overlaps(span) for span in used))
        found = next(free, None)
        if found is not None:
            chosen.append(found)
            start = found + 1 if depth + 1 < len(ordered) and ordered[depth + 1] == spans else 0
        elif chosen:
            start = chosen.pop() + 1
        else:
            return False
    return True
