"""Models come by name, whole or not at all: pulled here from wheels that the tests build themselves.

The real pip client runs on a folder of wheels, the real llama.cpp requantises; what goes wrong
is in test_pull_faults.py.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from wheels import ZEROS, World, quiet, wheel

from constrained_du.errors import ModelError
from constrained_du.gguf_files.gguf_header import read_header
from constrained_du.models import models

# --- the shipped registry


def test_the_shipped_registry_pins_every_file() -> None:
    found = models.registry()
    names = ["smollm2-135m-instruct", "gemma3-270m", "all-minilm-l6-v2"]
    assert [name for name in found if name in names] == names
    for name in names:
        model = found[name]
        assert model.licence and model.licence_url.startswith("https://") and model.languages
        assert all("==" in wheel for wheel in model.wheels) and len(model.wheels) == len(model.files)
    assert (
        found["smollm2-135m-instruct"].sha256.startswith("b179c9523d0e")
        and len(found["gemma3-270m"].files) == 4
    )
    assert found["gemma3-270m"].size == 253_113_024


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tiny", "is not TOML"),
        ("[tiny]\nkind = 'language'", "wrong entry"),
        ("[Tiny]\nkind = 'language'", "small letters"),
        ("tiny = 3", "wrong entry"),
        ("[tiny]\nfiles = [{origin='a==1', member='b', sha256='XY', size=1}]", "sha256"),
        ("[tiny]\nfiles = [{origin='a==1', member='b', sha256='" + ZEROS + "', size=-1}]", "size -1"),
        ("[tiny]\nfiles = []", "no files"),
        ("[tiny]\nbuild = 'sh'\nfiles = [{origin='a', member='b', sha256='" + ZEROS + "', size=1}]", "'sh'"),
    ],
)  # fmt: skip
def test_a_wrong_registry_of_ones_own_is_refused_with_its_path(world: World, text: str, words: str) -> None:
    (world.home / "registry.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=words) as caught:
        models.registry()
    assert str(world.home / "registry.toml") in str(caught.value)


def test_ones_own_registry_cannot_redefine_a_shipped_name(world: World) -> None:
    own = world.home / "registry.toml"
    own.write_text(own.read_text().replace("tiny", "gemma3-270m"), encoding="utf-8")
    with pytest.raises(ModelError, match="redefines 'gemma3-270m'"):
        models.registry()


# --- pull


def test_parts_in_several_wheels_are_joined(world: World) -> None:
    for number, (member, part) in enumerate(world.parts.items(), 1):
        wheel(world.wheels, f"tiny_{number}", {member: part})
    world.register(("tiny-1==1.0", "tiny-2==1.0"))
    assert models.pull("tiny", plain=True, say=quiet).read_bytes() == world.source


def test_a_hub_is_asked_through_its_own_client(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.register(("someone/tiny@main", "someone/tiny"), source="hub")
    with monkeypatch.context() as bare:
        bare.setitem(sys.modules, "huggingface_hub", None)
        with pytest.raises(ModelError, match="pip install huggingface_hub"):
            models.pull("tiny", say=quiet)
    client = world.home / "client"
    client.mkdir()
    (client / "huggingface_hub.py").write_text(
        "import pathlib, zipfile\n"
        "def hf_hub_download(*, repo_id, filename, revision, local_dir):\n"
        "    assert (repo_id, revision) in (('someone/tiny', 'main'), ('someone/tiny', None))\n"
        f"    return zipfile.ZipFile({str(world.wheel)!r}).extract(filename, local_dir)\n",
        encoding="utf-8",
    )
    monkeypatch.delitem(sys.modules, "huggingface_hub", raising=False)
    monkeypatch.syspath_prepend(str(client))
    try:
        assert models.pull("tiny", plain=True, say=quiet).read_bytes() == world.source
    finally:
        sys.modules.pop("huggingface_hub", None)
    assert world.left_over() == ["tiny"]


def test_a_pull_brings_a_requantised_model_that_can_be_located_and_verified(world: World) -> None:
    said: list[str] = []
    stages: list[str] = []
    path = models.pull("tiny", lambda stage, done, total: stages.append(stage), say=said.append)
    assert path == world.folder / "tiny.Q8_0.gguf" == models.locate("tiny")
    assert said == ["tiny: licence CC0-1.0 (https://example.org/cc0)"]
    assert {stage.split()[0] for stage in stages} == {"download", "unpack", "requantise", "digest"}
    assert {t.type for t in read_header(path).tensors} == {0, 8}
    record = models.pulled("tiny")
    assert record is not None and record.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (record.quantisation, record.mode, record.licence) == ("Q8_0", "default", "CC0-1.0")
    models.verify("tiny")
    assert world.left_over() == ["tiny"] and sorted(p.name for p in world.folder.iterdir()) == [
        "record.json",
        "tiny.Q8_0.gguf",
    ]


def test_a_second_pull_changes_nothing_and_needs_no_wheels(world: World) -> None:
    path = models.pull("tiny", say=quiet)
    before = path.stat()
    for file in world.wheels.iterdir():
        file.unlink()
    assert models.pull("tiny", say=lambda line: pytest.fail(line)) == path
    assert path.stat().st_mtime_ns == before.st_mtime_ns and path.stat().st_ino == before.st_ino


def test_requantising_the_same_source_twice_gives_the_same_bytes(world: World) -> None:
    first = models.pull("tiny", say=quiet).read_bytes()
    assert models.pull("tiny", say=quiet, fresh=True).read_bytes() == first


def test_a_plain_pull_keeps_the_bytes_of_the_source(world: World) -> None:
    assert models.pull("tiny", plain=True, say=quiet).read_bytes() == world.source
    assert models.pull("tiny", say=quiet).name == "tiny.F32.gguf", "what is there is left as it is"
    assert models.pull("tiny", say=quiet, fresh=True).name == "tiny.Q8_0.gguf"
    assert not (world.folder / "tiny.F32.gguf").exists()


@pytest.mark.parametrize(
    ("seconds", "winner"),
    [
        ({"Q8_0": 1.0, "IQ4_NL": 0.8, "Q4_0": 0.76}, "Q8_0"),
        ({"Q8_0": 1.0, "IQ4_NL": 0.7, "Q4_0": 0.6}, "IQ4_NL"),
        ({"Q8_0": 1.0, "IQ4_NL": 0.7, "Q4_0": 0.5}, "Q4_0"),
    ],
)
def test_the_chooser_gives_up_quality_only_for_a_quarter_of_the_time(
    world: World, seconds: dict[str, float], winner: str
) -> None:
    def measure(path: Path) -> float:
        return seconds[path.name.split(".")[-2]]

    assert models.pull("tiny", choose=models.fastest(measure), say=quiet).name == f"tiny.{winner}.gguf"
    record = models.pulled("tiny")
    assert record is not None and (record.quantisation, record.mode) == (winner, "chosen")
    assert world.left_over() == ["tiny"]


@pytest.mark.parametrize(
    ("seconds", "best"), [([4.0, 2.0, 1.0, 0.95], 4), ([4.0, 3.9, 1.0, 1.0], 1), ([4.0, 2.0, 2.5, 0.1], 2), ([4.0, 2.0, 1.0, 0.5], 8)]
)
def test_threads_are_doubled_while_that_pays(
    world: World, monkeypatch: pytest.MonkeyPatch, seconds: list[float], best: int
) -> None:
    monkeypatch.setattr(models, "_threads", lambda: 8)
    times = dict(zip((1, 2, 4, 8), seconds, strict=True))
    count = models.quickest_threads(lambda path, threads: times[threads])
    models.pull("tiny", choose=models.fastest(lambda path: 1.0), count=count, say=quiet)
    record = models.pulled("tiny")
    assert record is not None and record.threads == best


def test_the_real_probe_measures_something(world: World) -> None:
    path = models.pull("tiny", say=quiet)
    assert 0 < models.batch_seconds(path) < 5


def test_two_pulls_at_once_wait_for_one_another(world: World) -> None:
    running = [world.run("print(models.pull('tiny'))") for _ in range(3)]
    ended = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], ended
    assert len({out for out, _ in ended}) == 1
    assert sum("licence" in error for _, error in ended) == 1, "only one of them fetched"
    models.verify("tiny")


# --- locate and verify


def test_a_model_that_was_not_pulled_names_the_command(world: World) -> None:
    for name in ("tiny", "smollm2-135m-instruct"):
        with pytest.raises(ModelError, match=f"`constrained-du models pull {name}`"):
            models.locate(name)
        with pytest.raises(ModelError, match=f"`constrained-du models pull {name}`"):
            models.verify(name)


def test_unknown_names_and_paths_are_told_apart(world: World) -> None:
    with pytest.raises(ModelError, match="neither a file nor a model's name.*smollm2-135m-instruct"):
        models.locate("smolm2")
    for path in ("./absent", "absent.gguf", world.home / "absent"):
        with pytest.raises(ModelError, match="does not exist"):
            models.locate(path)
    with pytest.raises(ModelError, match="no model is named 'nobody'"):
        models.verify("nobody")


def test_any_gguf_file_is_located_by_its_path(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = world.home / "tiny"
    path.write_bytes(world.source)
    assert models.locate(path) == path and models.locate(str(path)) == path
    monkeypatch.chdir(world.home)
    assert models.locate("./tiny") == Path("tiny")
    with pytest.raises(ModelError, match="models pull tiny"):
        models.locate("tiny")  # the name, not the file
    path.write_bytes(world.source[:-100])
    with pytest.raises(ModelError, match="cut off"):
        models.locate(path)


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)


def flip_and_set_the_clock_back(path: Path) -> None:
    found = path.stat()
    flip(path)
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def cut(path: Path) -> None:
    os.truncate(path, 1000)


def remove(path: Path) -> None:
    path.unlink()


def spoil_record(path: Path) -> None:
    (path.parent / "record.json").write_text('{"format": 1, "name": []}', encoding="utf-8")


@pytest.mark.parametrize("spoil", [flip, flip_and_set_the_clock_back, cut, remove, spoil_record])
def test_a_pulled_file_that_changed_is_refused_until_it_is_pulled_again(
    world: World, spoil: Callable[[Path], None]
) -> None:
    path = models.pull("tiny", say=quiet)
    whole = path.read_bytes()
    os.utime(path, (1, 1))
    models.locate("tiny")
    spoil(path)
    for use in (models.locate, models.verify):
        with pytest.raises(ModelError, match="run `constrained-du models pull tiny`"):
            use("tiny")
    assert models.pull("tiny", say=quiet).read_bytes() == whole
    models.verify("tiny")


# --- digests


def test_a_digest_is_remembered_until_the_file_changes(world: World) -> None:
    path = world.home / "big"
    path.write_bytes(b"one")
    assert models.digest(path) == hashlib.sha256(b"one").hexdigest()
    path.write_bytes(b"two")
    assert models.digest(path) == hashlib.sha256(b"two").hexdigest()


def test_a_remembered_digest_is_used_and_a_damaged_memory_is_not(world: World) -> None:
    path = world.home / "big"
    path.write_bytes(b"one")
    found = path.stat()
    mark = [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
    memory = world.home / "digests.json"
    memory.write_text(json.dumps({str(path): [*mark, "f" * 64]}), encoding="utf-8")
    assert models.digest(path) == "f" * 64
    for damage in ("", "[]", "{", '{"a": 3}', json.dumps({str(path): [*mark, 7]}), "\ud800"):
        memory.write_bytes(damage.encode("utf-8", "surrogatepass"))
        assert models.digest(path) == hashlib.sha256(b"one").hexdigest(), damage


def test_a_digest_of_nothing_is_a_model_error(world: World) -> None:
    for path in (world.home / "absent", world.home):
        with pytest.raises(ModelError, match="cannot be read"):
            models.digest(path)


# --- home


def test_the_home_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONSTRAINED_DU_HOME", str(tmp_path / "x"))
    assert models.home() == tmp_path / "x"
    monkeypatch.delenv("CONSTRAINED_DU_HOME")
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert models.home() == tmp_path / "constrained_du"
        monkeypatch.setenv("XDG_CACHE_HOME", "relative")
        assert models.home() == Path.home() / ".cache" / "constrained_du"
