"""Sets of functions are compiled once, kept within bounds, and a failure is not kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from constrained_du import Converter, SpecError
from constrained_du.server import Limits
from constrained_du.server.compiled import Documents, Shelf

pytestmark = pytest.mark.model


def one(name: str, functions: int = 1) -> Documents:
    specs: list[dict[str, Any]] = [{"name": f"{name}_{n}", "description": f"Do {name}."} for n in range(functions)]
    return Documents(specs)


@pytest.fixture(scope="module")
def settings(model_path: object) -> Any:
    return Converter(embedder=None).settings


def test_many_who_ask_for_one_set_get_the_same(settings: Any) -> None:
    shelf = Shelf(Limits())
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: shelf.get(one("jump"), settings), range(8)))
    assert len({id(converter) for converter in made}) == 1 and len(shelf) == 1
    assert shelf.find(one("jump").digest(settings)) is made[0]


def test_what_differs_in_one_letter_is_another_set(settings: Any) -> None:
    digests = {one("jump").digest(settings), one("dump").digest(settings), one("jump", 2).digest(settings)}
    assert len(digests) == 3


BOUNDS = [("so many sets", Limits(kept_sets=2), 1, 2), ("so many functions", Limits(kept_functions=5), 2, 2)]


@pytest.mark.parametrize(("limits", "functions", "kept"), [row[1:] for row in BOUNDS], ids=[row[0] for row in BOUNDS])
def test_the_least_recently_used_make_room(settings: Any, limits: Limits, functions: int, kept: int) -> None:
    shelf = Shelf(limits)
    for name in ("run", "walk"):
        shelf.get(one(name, functions), settings)
    shelf.get(one("run", functions), settings)
    shelf.get(one("swim", functions), settings)
    assert len(shelf) == kept
    assert shelf.find(one("run", functions).digest(settings)) is not None
    assert shelf.find(one("walk", functions).digest(settings)) is None


def test_a_failure_is_raised_and_not_kept(settings: Any) -> None:
    shelf = Shelf(Limits())
    for _ in range(2):
        with pytest.raises(SpecError):
            shelf.get(Documents([{"description": "no name"}]), settings)
    assert len(shelf) == 0


def test_legal_oddities_come_back_as_warnings(settings: Any) -> None:
    odd = {"type": "object", "properties": {"city": {"type": "city"}}, "required": ["x"]}
    told = " ".join(Shelf(Limits()).get(Documents([{"name": "go", "parameters": odd}]), settings).warnings)
    assert "city" in told and "x" in told
