"""Writes a call as a deep link, from the URL template that its function's spec has.

``x-link`` knows two forms of RFC 6570: ``{slot}`` puts a value into the path, ``{?a,b}``
makes a query. Slots without a value are left out; everything outside RFC 3986's
unreserved characters is percent-encoded as UTF-8. Knows calls, nothing of how they came about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from constrained_du.errors import SpecError
from constrained_du.types import Call, JsonValue, compact_json

KEY = "x-link"
_EXPRESSION = re.compile(r"\{([^{}]*)\}")
_OTHER_FORMS = "+#./;&|!@="
"""Operators of RFC 6570 that are not written here: a template with one is refused, not half expanded."""


def link(function_extras: Mapping[str, Any], call: Call) -> str | None:
    """The call's deep link; None where its function has no template (as ``do_not_understand``).

    Raises SpecError for a template that is no text or uses another form of RFC 6570.
    """
    template = function_extras.get(KEY)
    if template is None or not call.understood:
        return None
    if not isinstance(template, str):
        raise SpecError(f"$.{KEY}", f"a link template is a text, not {template!r}")
    if "{" in (rest := _EXPRESSION.sub("", template)) or "}" in rest:
        raise SpecError(f"$.{KEY}", f"a brace without its partner in {template!r} - write {{slot}} or {{?slot,slot}}")
    return _EXPRESSION.sub(lambda found: _expanded(found[1], call.arguments), template)


def _expanded(expression: str, arguments: Mapping[str, JsonValue]) -> str:
    if expression.startswith("?"):
        said = [(name, _text(arguments.get(name))) for name in _names(expression[1:], expression)]
        pairs = [f"{_encoded(name)}={value}" for name, value in said if value is not None]
        return f"?{'&'.join(pairs)}" if pairs else ""
    values = (_text(arguments.get(name)) for name in _names(expression, expression))
    return ",".join(value for value in values if value is not None)


def _names(listed: str, expression: str) -> list[str]:
    names = listed.split(",")
    if any(not name or name[0] in _OTHER_FORMS or name[-1] == "*" for name in names):
        raise SpecError(f"$.{KEY}", f"{{{expression}}} is no form known here - write {{slot}} or {{?slot,slot}}")
    return names


def _text(value: JsonValue) -> str | None:
    """A value as RFC 6570 writes it; None for what counts as undefined there."""
    match value:
        case None:
            return None
        case str():
            return _encoded(value)
        case list():
            items = [item for item in map(_text, value) if item is not None]
            return ",".join(items) if items else None
        case dict():
            pairs = [f"{_encoded(key)},{text}" for key, inner in value.items() if (text := _text(inner)) is not None]
            return ",".join(pairs) if pairs else None
        case _:
            return _encoded(compact_json(value))


def _encoded(text: str) -> str:
    return quote(text, safe="")
