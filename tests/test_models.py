"""Models come by name, whole or not at all: pulled here from wheels that the tests build themselves.

The real pip client runs on a folder of wheels, the real llama.cpp requantises. Faults are
real ones: a process killed at every stage, a limit on file sizes, bytes changed on disk.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from constrained_du import models
from constrained_du.errors import ModelError
from constrained_du.gguf_header import read_header

REPOSITORY = Path(__file__).resolve().parent.parent
ZEROS = "0" * 64
STAGES = ("download", "unpack", "digest")


def small_llama(path: Path) -> bytes:
    """A model of architecture llama that llama.cpp can requantise; random weights, fixed seed."""
    width, inner, tokens = 64, 128, [f"t{n}" for n in range(254)] + ["<s>", "</s>"]
    draw = np.random.default_rng(1)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(1)
    writer.add_context_length(256)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(32)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types([1] * 254 + [3, 3])
    writer.add_token_merges(["t 0"])
    writer.add_bos_token_id(254)
    writer.add_eos_token_id(255)
    shapes = {"token_embd": (len(tokens), width), "output_norm": (width,)}
    shapes |= {f"blk.0.{part}": (width, width) for part in ("attn_q", "attn_k", "attn_v", "attn_output")}
    shapes |= {
        "blk.0.ffn_gate": (inner, width),
        "blk.0.ffn_up": (inner, width),
        "blk.0.ffn_down": (width, inner),
    }
    shapes |= {"blk.0.attn_norm": (width,), "blk.0.ffn_norm": (width,)}
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", draw.normal(0, 0.1, shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path.read_bytes()


def wheel(folder: Path, name: str, members: dict[str, bytes]) -> None:
    info = f"{name}-1.0.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Dist: never-to-be-fetched\n"
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


@dataclass(frozen=True, slots=True)
class World:
    """A home with a registry of one model, ``tiny``: two parts in one wheel of a local folder."""

    home: Path
    wheels: Path
    source: bytes

    @property
    def folder(self) -> Path:
        return self.home / "models" / "tiny"

    @property
    def parts(self) -> dict[str, bytes]:
        return {"data/1": self.source[:20_000], "data/2": self.source[20_000:]}

    @property
    def wheel(self) -> Path:
        return self.wheels / "tiny-1.0-py3-none-any.whl"

    def register(self, origins: tuple[str, str] = ("tiny==1.0", "tiny==1.0"), **changes: Any) -> None:
        lines = ["[tiny]"]
        facts = {
            "kind": "language",
            "source": "wheels",
            "sha256": hashlib.sha256(self.source).hexdigest(),
            "licence": "CC0-1.0",
            "licence_url": "https://example.org/cc0",
            "quantisation": "Q8_0",
            "source_quantisation": "F32",
        }
        lines += [f"{key} = {json.dumps(value)}" for key, value in (facts | changes).items()]
        for origin, (member, part) in zip(origins, self.parts.items(), strict=True):
            lines += ["[[tiny.files]]", f'origin = "{origin}"', f'member = "{member}"']
            lines += [f'sha256 = "{hashlib.sha256(part).hexdigest()}"', f"size = {len(part)}"]
        (self.home / "registry.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def run(self, code: str, **options: Any) -> subprocess.Popen[str]:
        """A separate process that has imported ``models``."""
        environment = os.environ | {"PYTHONPATH": str(REPOSITORY)} | options.pop("env", {})
        return subprocess.Popen(
            [sys.executable, "-c", f"import os, signal, sys\nfrom constrained_du import models\n{code}"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, **options,
        )  # fmt: skip

    def left_over(self) -> list[str]:
        return sorted(p.name for p in (self.home / "models").glob("*") if p.name != ".tiny.lock")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    source = small_llama(tmp_path / "source.gguf")
    made = World(tmp_path / "home", tmp_path / "wheels", source)
    made.home.mkdir()
    wheel(made.wheels, "tiny", made.parts)
    made.register()
    monkeypatch.setenv("CONSTRAINED_DU_HOME", str(made.home))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(made.wheels))
    return made


def quiet(line: str) -> None:
    """Where the licence goes when a test does not read it."""


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


# --- what goes wrong


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
