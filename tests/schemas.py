"""Random schemas of the supported keywords over a small world, and values that come near to fitting them.

Every scalar of the world is said in ``UTTERANCE``, so that what a schema allows is sayable.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from constrained_du.types import JsonValue

UTTERANCE = "say red, blue, ab, abc, abcd and the numbers: 0; 1; 2; 3; 4; 5; 6; 10; 2.5; 0.5; -1; -2; 1.5;"
STRINGS = ("red", "blue", "ab", "abc", "abcd")
NUMBERS = (0, 1, 2, 3, 4, 5, 6, 10, 2.5, 0.5, -1, -2, 1.5, 2.0)
NAMES = ("a", "b", "c")
PATTERNS = ("^a", "b", "^[a-z]{3}$", "(red|blue)", "d$")
DEFINITIONS = ("#/$defs/one", "#/$defs/two")

Raw = dict[str, Any]
scalars: st.SearchStrategy[JsonValue] = st.one_of(
    st.sampled_from(STRINGS), st.sampled_from(NUMBERS), st.booleans(), st.none()
)
values: st.SearchStrategy[JsonValue] = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)),
    max_leaves=4,
)


def some(**keywords: st.SearchStrategy[Any]) -> st.SearchStrategy[Raw]:
    """Any subset of the keywords."""
    return st.fixed_dictionaries({}, optional=keywords)


bounds = st.sampled_from([-2, -1, 0, 1, 2, 3, 2.5, 5])
numeric = some(
    minimum=bounds, maximum=bounds, exclusiveMinimum=bounds, exclusiveMaximum=bounds, multipleOf=st.sampled_from([1, 2, 3, 0.5])
)
textual = some(minLength=st.integers(0, 4), maxLength=st.integers(1, 5), pattern=st.sampled_from(PATTERNS))
enumerated = st.lists(values, min_size=1, max_size=4)


@st.composite
def leaves(draw: st.DrawFn) -> Raw:
    kind = draw(st.sampled_from(["integer", "number", "string", "boolean", "null", "enum", "const", "types"]))
    match kind:
        case "integer" | "number":
            return {"type": kind, **draw(numeric)}
        case "string":
            return {"type": kind, **draw(textual)}
        case "enum":
            return {"enum": draw(enumerated), **draw(st.one_of(st.just({}), numeric, textual))}
        case "const":
            return {"const": draw(values)}
        case "types":
            kinds = draw(st.lists(st.sampled_from(["integer", "number", "string", "boolean", "null"]), min_size=1, unique=True))
            listed = {"enum": draw(enumerated)} if draw(st.booleans()) else {}
            return {"type": kinds, **draw(numeric), **draw(textual), **listed}
        case _:
            return {"type": kind}


@st.composite
def arrays(draw: st.DrawFn, inner: st.SearchStrategy[Raw]) -> Raw:
    raw: Raw = {"type": "array", "items": draw(inner)}
    if draw(st.integers(0, 3)) == 0:
        raw["prefixItems"] = draw(st.lists(inner, min_size=1, max_size=2))
        raw["items"] = draw(st.one_of(st.just(False), inner))
    return raw | draw(some(minItems=st.integers(0, 2), maxItems=st.integers(1, 3), uniqueItems=st.booleans()))


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Raw]) -> Raw:
    properties = draw(st.dictionaries(st.sampled_from(NAMES), inner, max_size=3))
    required = [name for name in properties if draw(st.booleans())]
    least = {"minProperties": draw(st.integers(0, len(properties)))} if draw(st.booleans()) else {}
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False, **least}


def combinations(inner: st.SearchStrategy[Raw]) -> st.SearchStrategy[Raw]:
    several = st.lists(inner, min_size=1, max_size=3)
    beside = st.one_of(st.just({}), st.just({}), textual, numeric, inner)
    unions = st.builds(lambda word, options, more: {**more, word: options}, st.sampled_from(["anyOf", "oneOf"]), several, beside)
    return st.one_of(unions, st.builds(lambda parts, more: {**more, "allOf": parts}, several, beside))


def schemas(references: bool = True) -> st.SearchStrategy[Raw]:
    leaf = st.one_of(leaves(), st.sampled_from([{"$ref": pointer} for pointer in DEFINITIONS])) if references else leaves()
    return st.recursive(leaf, lambda inner: st.one_of(arrays(inner), objects(inner), combinations(inner)), max_leaves=6)


@st.composite
def documents(draw: st.DrawFn) -> Raw:
    """Parameters with the one slot ``v``; their definitions may be recursive."""
    definitions = {"one": draw(schemas()), "two": draw(schemas())}
    return {"type": "object", "properties": {"v": draw(schemas())}, "$defs": definitions}


@st.composite
def instances(draw: st.DrawFn, raw: Any, document: Raw, depth: int = 0) -> JsonValue:
    """A value that is likely to fit: some keywords are obeyed, others left to chance."""
    if depth > 8 or not isinstance(raw, dict) or draw(st.integers(0, 15)) == 0:
        return draw(values)

    def inner(schema: Any) -> JsonValue:
        return draw(instances(schema, document, depth + 1))

    if "$ref" in raw:
        return inner(document["$defs"][raw["$ref"].rpartition("/")[2]])
    if "const" in raw or "enum" in raw:
        return raw["const"] if "const" in raw else draw(st.sampled_from(raw["enum"]))
    for word in ("anyOf", "oneOf", "allOf"):
        if word in raw:
            return inner(draw(st.sampled_from(raw[word])))
    kinds = raw.get("type", "string")
    match draw(st.sampled_from(kinds)) if isinstance(kinds, list) else kinds:
        case "integer" | "number":
            return draw(st.sampled_from(NUMBERS))
        case "string":
            return draw(st.sampled_from(STRINGS))
        case "boolean":
            return draw(st.booleans())
        case "array":
            parts = [*raw.get("prefixItems", []), *[raw["items"]] * 3]
            return [inner(part) for part in parts[: draw(st.integers(raw.get("minItems", 0), max(3, raw.get("minItems", 0))))]]
        case "object":
            said = [n for n in raw["properties"] if n in raw["required"] or draw(st.booleans())]
            return {name: inner(raw["properties"][name]) for name in said}
        case _:
            return None
