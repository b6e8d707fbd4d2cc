"""Same input, same bytes: with the default model, whatever was asked before, wherever and by whom.

Compared are answers with their scores, confidences, evidence and costs, to the last bit.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from constrained_du import Converter, Result

TESTS = Path(__file__).resolve().parent
TEXT = {"type": "string", "description": "what is to be kept"}
SPECS: list[dict[str, Any]] = [
    {"name": "switch_lamp", "description": "Turn a lamp on or off", "parameters": {"type": "object", "properties": {
        "room": {"type": "string", "description": "the room"}, "on": {"type": "boolean", "description": "true for on"}}}},
    {"name": "set_timer", "description": "Count down some minutes", "parameters": {"type": "object", "properties": {
        "minutes": {"type": "integer", "minimum": 1, "maximum": 90, "description": "how many minutes"}}}},
    {"name": "write_note", "description": "Write something down", "parameters": {"type": "object", "properties": {
        "text": TEXT, "title": {"type": "string", "maxLength": 12, "x-value": "free", "description": "a short title"}}}},
]  # fmt: skip
ASKED: tuple[dict[str, Any], ...] = (
    {"utterance": "it is too dark in the kitchen"},
    {"utterance": "tell me when twelve minutes are over"},
    {"utterance": "please keep in mind that Anna likes figs", "functions": ["write_note", "set_timer"]},
    {"utterance": "how tall is the Eiffel tower", "n_best": 3},
    {"utterance": "lamp off and count to five minutes", "max_calls": 2},
)


def shown(result: Result) -> bytes:
    """All of an answer but the seconds it took."""
    cost = (result.stats.tokens_evaluated, result.stats.forward_passes)
    why = result.explain()
    return repr((result.calls, result.confidence, result.alternatives, why.functions, why.grounds, str(why), cost)).encode()


def answers(du: Converter, asked: Sequence[dict[str, Any]] = ASKED) -> list[bytes]:
    return [shown(du.convert(**request)) for request in asked]


def compiled(target: Path) -> Converter:
    return Converter().add_function_specs(SPECS).finalize(target)


@pytest.fixture(scope="module")
def place(model_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An artifact for the default model."""
    assert model_path.exists()
    return tmp_path_factory.mktemp("determinism") / "artifact"


@pytest.fixture(scope="module")
def cold(place: Path) -> list[bytes]:
    """The first answers of a converter that was never asked."""
    return answers(compiled(place))


@pytest.fixture(scope="module")
def du(place: Path, cold: list[bytes]) -> Converter:
    """The converter that was read back."""
    assert cold
    return Converter.load_from_disk(place)


def test_the_model_was_asked_and_the_answers_differ(du: Converter, cold: list[bytes]) -> None:
    """Else nothing here is tested."""
    assert len(set(cold)) == len(cold)
    assert sum(du.convert(**request).stats.tokens_evaluated > 0 for request in ASKED) >= 3


def test_cold_reloaded_and_warm_answers_are_the_same(du: Converter, cold: list[bytes]) -> None:
    assert answers(du) == cold
    assert answers(du) == cold


def test_no_order_of_requests_changes_an_answer(du: Converter, cold: list[bytes]) -> None:
    for order in list(permutations(range(len(ASKED))))[7::30]:
        assert answers(du, [ASKED[number] for number in order]) == [cold[number] for number in order]


def test_a_long_request_in_between_changes_no_answer(du: Converter, cold: list[bytes]) -> None:
    du.convert("and then " * 120 + "the lamp", functions=["switch_lamp", "set_timer"])
    assert answers(du) == cold


def test_a_batch_gives_what_single_requests_give(du: Converter, cold: list[bytes]) -> None:
    texts = [request["utterance"] for request in ASKED]
    arguments = {
        "functions": [request.get("functions") for request in ASKED], "n_best": [request.get("n_best", 1) for request in ASKED],
        "max_calls": [request.get("max_calls", 1) for request in ASKED],
    }  # fmt: skip
    assert list(map(shown, du.convert_batch(texts, **arguments))) == cold


def test_threads_give_what_one_gives(du: Converter, place: Path, cold: list[bytes]) -> None:
    """Over two converters that share one model."""
    converters = (du, Converter.load_from_disk(place))
    work = [(converters[number % 2], number % len(ASKED)) for number in range(2 * len(ASKED))]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda one: shown(one[0].convert(**ASKED[one[1]])), work))
    assert found == [cold[number] for _, number in work]


ELSEWHERE = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from test_determinism import Converter, answers, compiled, digests
own = Path(sys.argv[3])
compiled(own)
sys.stdout.buffer.write(b"\\n".join([*answers(Converter.load_from_disk(sys.argv[2])), digests(own).encode()]))
"""


def digests(place: Path) -> str:
    return " ".join(f"{path.name}:{sha256(path.read_bytes()).hexdigest()}" for path in sorted(place.iterdir()))


def test_other_processes_with_other_hash_seeds_answer_and_compile_the_same(place: Path, cold: list[bytes], tmp_path: Path) -> None:
    for seed in ("0", "random"):
        command = [sys.executable, "-c", ELSEWHERE, str(TESTS), str(place), str(tmp_path / seed)]
        done = subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        assert done.stdout.split(b"\n") == [*cold, digests(place).encode()], seed
