"""What fuzzing found, each once more: an error of the package where another exception came out."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz_world import EXEMPLARS, RECOGNIZERS, SPECS
from scripted_world import scripted_world

from constrained_du import ArtifactError, CandidateError, Converter, InputError
from constrained_du.grammar.compile import entity_keys
from constrained_du.grammar.emit import to_gbnf
from constrained_du.patterns import expressions
from constrained_du.specs.spec import read_specs
from constrained_du.storage import artifact


def deep(levels: int = 3000) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


def garden() -> Converter:
    converter = Converter("scripted").add_function_specs(SPECS).add_exemplars(EXEMPLARS).add_recognizers(RECOGNIZERS)
    return converter.finalize()


ARGUMENTS: list[tuple[str, dict[str, Any], type[Exception]]] = [
    ("entities too deep to be shown", {"entities": deep()}, CandidateError),
    ("spans too deep to be shown", {"entities": {"bed": {"a": deep()}}}, CandidateError),
    ("a span too deep to be shown", {"entities": {"bed": [deep()]}}, CandidateError),
    ("a value too deep to be shown", {"entities": {"bed": [(0, 1, deep())]}}, CandidateError),
    ("a key that is no text", {"entities": {(1, 2): []}}, CandidateError),
    ("expectations too deep to be shown", {"expectations": {"a": deep()}}, CandidateError),
    ("an expectation of a list", {"expectations": [(deep(), deep())]}, CandidateError),
    ("history too deep to be shown", {"history": {"a": deep()}}, InputError),
    ("functions too deep to be shown", {"functions": [deep()]}, InputError),
    ("now as something deep", {"now": deep()}, InputError),
    ("a tool choice too deep to be shown", {"tool_choice": deep()}, InputError),
    ("max_calls as something deep", {"max_calls": deep()}, InputError),
    ("n_best beyond what can be printed", {"n_best": -(10**5000)}, InputError),
]


@pytest.mark.parametrize(("given", "error"), [row[1:] for row in ARGUMENTS], ids=[row[0] for row in ARGUMENTS])
def test_an_argument_that_cannot_be_shown_is_refused_all_the_same(given: dict[str, Any], error: type[Exception]) -> None:
    with scripted_world():
        converter = garden()
        with pytest.raises(error) as caught:
            converter.convert("water the roses", **given)
        assert len(str(caught.value)) < 400
        assert converter.convert("let the dog out")[0].name == "open_gate"


def test_more_answers_than_can_be_counted_are_as_many_as_there_are() -> None:
    with scripted_world():
        one = garden()
        few = one.convert("open the gate", functions=["open_gate"], n_best=10_000)
        assert one.convert("open the gate", functions=["open_gate"], n_best=10**30, max_calls=10**30).alternatives == few.alternatives


@pytest.mark.parametrize("caution", ["0.5", [], float("nan"), 1.5, True])
def test_a_caution_that_is_no_rate_is_an_input_error(caution: Any) -> None:
    with scripted_world(), pytest.raises(InputError, match="caution"):
        Converter("scripted", caution=caution)


def test_a_context_beyond_all_models_is_an_input_error() -> None:
    with scripted_world(), pytest.raises(InputError, match="context"):
        Converter("scripted", context=2**33)


# -- artifacts whose digests were made to fit, as only somebody who means it does -------------


def _document(name: str, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    def harm(place: Path) -> None:
        (place / name).write_bytes(json.dumps(change(json.loads((place / name).read_bytes()))).encode())

    return harm


def _array(name: str, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    def harm(place: Path) -> None:
        arrays = artifact._unpacked(place, (place / artifact.ARRAYS).read_bytes())
        arrays[name] = change(arrays[name])
        (place / artifact.ARRAYS).write_bytes(artifact._packed(arrays))

    return harm


def _bytes(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda place: _written(place / name, content)


def _written(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _bomb() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bias.npy", bytes(1 << 26))
    return held.getvalue()


def _pickled() -> bytes:
    held = io.BytesIO()
    np.savez(held, bias=np.array([{"a": 1}], dtype=object))
    return held.getvalue()


def _manifest(**changes: Any) -> Callable[[Path], None]:
    return _document("manifest.json", lambda manifest: {**manifest, **changes})


def _layout(place: Any) -> Callable[[Path], None]:
    return _document("manifest.json", lambda m: {**m, "layout": {**m["layout"], "direct": place}})


HARMS: list[tuple[str, Callable[[Path], None]]] = [
    ("a place that is null", _layout([0, None])),
    ("a place of three numbers", _layout([0, 1, 2])),
    ("a place beyond the file", _layout([0, 1 << 40])),
    ("a place before the file", _layout([-5, 3])),
    ("a layout that is a list", _manifest(layout=[])),
    ("files that are a list", _manifest(files=["arrays.npz"])),
    ("a file elsewhere", _document("manifest.json", lambda m: {**m, "files": {**m["files"], "../manifest.json": "0"}})),
    ("a file with a NUL in its name", _document("manifest.json", lambda m: {**m, "files": {**m["files"], "a\0": "0"}})),
    ("a manifest nested beyond reason", _bytes("manifest.json", b'{"format": 1, "a": ' + b"[" * 900 + b"]" * 900 + b"}")),
    ("settings of another kind", _manifest(settings={"caution": "high"})),
    ("settings that are a text", _manifest(settings="none")),
    ("a model without a digest", _manifest(model={"name": "scripted"})),
    ("a document that is no UTF-8", _bytes("terms.json", b'["\xd4\x00"]')),
    ("a document nested beyond reason", _bytes("terms.json", b"[" * 90_000)),
    ("a grammar that is no UTF-8", _bytes("grammar.gbnf", b"\xff\xfe")),
    ("terms that are null", _document("terms.json", lambda terms: {**terms, "names": None})),
    ("terms that are numbers", _document("terms.json", lambda terms: {**terms, "names": [1, 2]})),
    ("a term twice", _document("terms.json", lambda terms: {**terms, "names": ["a", "a"]})),
    ("tokens that are texts", _document("tokens.json", lambda tokens: {**tokens, "direct": ["a"]})),
    ("no tokens", _document("tokens.json", lambda tokens: {**tokens, "direct": []})),
    ("a token beyond all vocabularies", _document("tokens.json", lambda tokens: {**tokens, "direct": [2**40]})),
    ("specs that are none", _document("specs.json", lambda specs: [7])),
    ("a function less", _document("specs.json", lambda specs: specs[1:])),
    ("exemplars of another function", _document("exemplars.json", lambda all: [{"owner": "fly", "template": "fly"}])),
    ("a bias of lists", _array("bias", lambda bias: bias.reshape(-1, 1))),
    ("a bias too short", _array("bias", lambda bias: bias[:-1])),
    ("a bias that is no number", _array("bias", lambda bias: bias * float("nan"))),
    ("starts beyond the columns", _array("names.starts", lambda starts: starts + 10**6)),
    ("starts that go backwards", _array("names.starts", lambda starts: starts[::-1].copy())),
    ("no columns", _array("names.columns", lambda columns: columns[:0])),
    ("columns of no function", _array("names.columns", lambda columns: columns + np.int32(100))),
    ("weights of another kind", _array("names.idf", lambda idf: idf.astype("U4"))),
    ("weights in another shape", _array("names.term_weights", lambda weights: np.resize(weights, (2, 2)))),
    ("packed arrays that grow", _bytes(artifact.ARRAYS, _bomb())),
    ("arrays that hold a pickle", _bytes(artifact.ARRAYS, _pickled())),
    ("arrays that are no archive", _bytes(artifact.ARRAYS, b"PK\x03\x04nothing")),
]


def fit(place: Path) -> None:
    """The digests of changed files, as if they belonged there."""
    path = place / artifact.MANIFEST
    manifest = json.loads(path.read_bytes())
    if isinstance(manifest.get("files"), dict):
        for name in manifest["files"]:
            if "\0" not in name and (place / name).is_file():
                manifest["files"][name] = sha256((place / name).read_bytes()).hexdigest()
    path.write_text(json.dumps({**manifest, "digest": artifact._manifest_digest(manifest)}))


@pytest.mark.parametrize("harm", [row[1] for row in HARMS], ids=[row[0] for row in HARMS])
def test_an_artifact_made_to_harm_is_an_artifact_error(harm: Callable[[Path], None], tmp_path: Path) -> None:
    with scripted_world():
        garden().finalize(tmp_path / "garden")
        assert Converter.load_from_disk(tmp_path / "garden").convert("let the dog out")[0].name == "open_gate"
        harm(tmp_path / "garden")
        if harm is not HARMS[8][1]:
            fit(tmp_path / "garden")
        with pytest.raises(ArtifactError, match="finalize it again"):
            Converter.load_from_disk(tmp_path / "garden")


def test_objects_within_objects_are_looked_at_once_each() -> None:
    """A visit for every level above was 2 ** 24 visits: minutes."""
    schema: dict[str, Any] = {"type": "string"}
    for level in range(24):
        schema = {"type": "object", "properties": {f"level{level}": schema}}
    [function] = read_specs([{"name": "dig", "parameters": {"properties": {"hole": schema}}}])
    assert {"level0", "level23"} <= entity_keys([function])


def test_a_set_of_characters_is_made_once_however_many_states_use_it() -> None:
    """A pattern near the most states was made anew for every step: three seconds a notation."""
    text = {"type": "string", "pattern": "^[a-p]*(qu[a-p]*)*$"}
    with scripted_world():
        converter = Converter("scripted", strings="free")
        converter.add_function_specs([{"name": "dig", "parameters": {"properties": {"hole": text}}}])
        expressions.characters.cache_clear()
        written = to_gbnf(converter.grammar("dig a hole"))
    asked = expressions.characters.cache_info()
    assert len(written) > 5_000 and asked.misses < 10 < asked.hits
