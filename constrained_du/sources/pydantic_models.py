"""Reads a class as a function: a pydantic 2 model, a dataclass or a TypedDict.

Its name is the label (a model's ``title`` in its config the human name), its docstring the
description, its fields the slots. Only this module and ``callables`` import pydantic, and
only when they are needed.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import warnings
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, PydanticUserError, TypeAdapter
from pydantic.json_schema import PydanticJsonSchemaWarning
from typing_extensions import is_typeddict

from constrained_du.errors import SpecError
from constrained_du.sources.plain import check_text, child, plain, printable, show
from constrained_du.sources.raw import RawFunction, names_from_label, read_description, read_parameters


def is_model(source: object) -> bool:
    """Whether the source is a class that pydantic can describe."""
    return isinstance(source, type) and (
        issubclass(source, BaseModel) or dataclasses.is_dataclass(source) or is_typeddict(source)
    )


def read_model(source: type[Any], path: str) -> RawFunction:
    """The function that a model class describes; SpecError where it is no object or has no schema."""
    label = check_text(source.__name__, path, "name of the class")
    schema = plain(json_schema(lambda: _schema(source), path, label), path)
    parameters = read_parameters(schema, path)
    title = parameters.pop("title", None)
    written = parameters.pop("description", None)
    extras = {
        key: parameters.pop(key) for key in list(parameters) if key.startswith("x-") or key == "examples"
    }
    return RawFunction(
        path=path,
        label=label,
        names=(title,) if isinstance(title, str) and title not in ("", label) else names_from_label(label),
        description=read_description(written or _docstring(source), child(path, "description")),
        parameters=parameters,
        parameters_path=path,
        extras=extras,
    )


def json_schema(make: Callable[[], Any], path: str, label: str) -> Any:
    """What ``make`` returns, with pydantic's many ways to fail mapped to SpecError."""
    try:
        with warnings.catch_warnings():
            # A default that JSON cannot hold is left out; it is an annotation only.
            warnings.simplefilter("ignore", PydanticJsonSchemaWarning)
            made = make()
        # Defaults such as Decimal or date come out as JSON after this round.
        return json.loads(json.dumps(made, ensure_ascii=False))
    except RecursionError:
        problem = f"the types of {show(label)} are nested too deep - flatten them"
    except (PydanticUserError, TypeError, ValueError, NameError, AttributeError) as error:
        reason = printable(str(error)).strip().splitlines() or [type(error).__name__]
        problem = (
            f"the types of {show(label)} have no JSON Schema ({reason[0]}) - use JSON's types or pydantic's"
        )
    raise SpecError(path, problem)


def _schema(source: type[Any]) -> dict[str, Any]:
    if issubclass(source, BaseModel):
        return source.model_json_schema()
    return TypeAdapter(source).json_schema()


def _docstring(source: type[Any]) -> str:
    """The class's own docstring, not that of a base or the one that ``dataclass`` writes."""
    written = vars(source).get("__doc__")
    if not isinstance(written, str) or written.startswith(f"{source.__name__}("):
        return ""
    return inspect.cleandoc(written)
