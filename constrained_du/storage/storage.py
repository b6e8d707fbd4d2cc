"""What a converter has compiled, as an artifact and back.

Joins the domain and the prepared evidence with the disk; knows which parts there are and
that they fit each other, not how bytes are written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constrained_du.decoding.backend import Prefix
from constrained_du.domain.domain import Domain
from constrained_du.errors import ArtifactError, ConstrainedDuError
from constrained_du.functions.preparing import Prepared
from constrained_du.functions.retrieval import Retrieval
from constrained_du.recognizers.lists import read_recognizers
from constrained_du.slots.senses import names_held
from constrained_du.specs.exemplars import Exemplar, read_exemplars
from constrained_du.specs.spec import read_specs
from constrained_du.storage.artifact import Artifact
from constrained_du.text.terms import TermIndex
from constrained_du.types import JsonValue


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Which model file an artifact was made for."""

    name: str
    digest: str

    def to_json(self) -> dict[str, JsonValue]:
        return {"name": self.name, "sha256": self.digest}

    @classmethod
    def from_json(cls, value: JsonValue) -> ModelIdentity | None:
        """None where none is named. Raises ArtifactError for half a name."""
        if value is None:
            return None
        if not isinstance(value, dict) or not all(isinstance(value.get(key), str) for key in ("name", "sha256")):
            raise ArtifactError(f"the artifact does not say for which model it was made ({str(value)[:80]}) - finalize it again")
        return cls(value["name"], value["sha256"])


def pack(domain: Domain, prepared: Prepared | None, about: Mapping[str, JsonValue], texts: Mapping[str, str]) -> Artifact:
    """``prepared`` is None where a model elsewhere judges: then there is nothing but the domain."""
    documents: dict[str, JsonValue] = {
        "specs.json": [dict(function.native) for function in domain.functions],
        "exemplars.json": _written(domain.exemplars),
        "recognizers.json": {
            "recognizers": {kind: recognizer.to_native() for kind, recognizer in domain.recognizers.items()},
            "slots": dict(domain.slot_types),
        },
    }
    if prepared is None:
        return Artifact(about, documents, texts)
    prefixes = {"direct": prepared.direct, "generic": prepared.generic}
    prefixes |= {f"channel-{index}": prefix for index, prefix in enumerate(prepared.channels)}
    prefixes |= {f"head-{index}": prefix for index, prefix in prepared.heads.items()}
    arrays: dict[str, NDArray[Any]] = {"bias": np.array(prepared.bias, np.float64)}
    arrays |= {f"slots.{index}": vectors for index, vectors in enumerate(prepared.slots)}
    arrays |= {f"values.{index}": vectors for index, vectors in enumerate(prepared.values)}
    vocabularies: dict[str, list[str]] = {}
    for name, retrieval in _retrievals(prepared).items():
        arrays |= {f"{name}.{key}": array for key, array in _retrieval_arrays(retrieval).items()}
        vocabularies[name] = list(retrieval.terms.vocabulary)
    documents |= {"terms.json": vocabularies, "tokens.json": {name: list(prefix.tokens) for name, prefix in prefixes.items()}}
    return Artifact(about, documents, texts, arrays, {name: prefix.state for name, prefix in prefixes.items()})


def unpack_domain(artifact: Artifact, strings_free: bool) -> Domain:
    try:
        functions = tuple(read_specs(artifact.documents["specs.json"], strings_free=strings_free))
        recognizers, slot_types = read_recognizers(artifact.documents["recognizers.json"])
        slots = {function.label: frozenset(function.slot) for function in functions}
        exemplars = read_exemplars(artifact.documents["exemplars.json"], slots) if functions else []
    except ArtifactError:
        raise
    except (ConstrainedDuError, KeyError, TypeError, ValueError, AttributeError) as problem:
        raise ArtifactError(f"the artifact's documents do not fit this version ({problem}) - finalize it again") from None
    return Domain(functions, tuple(exemplars), recognizers, slot_types)


def unpack_prepared(artifact: Artifact, domain: Domain) -> Prepared:
    count = len(domain.functions)
    try:
        prefixes = {
            name: Prefix(_tokens(tokens), artifact.blobs[name]) for name, tokens in artifact.documents["tokens.json"].items()
        }
        channels = tuple(prefixes[f"channel-{index}"] for index in range(count))
        heads = {index: prefixes[f"head-{index}"] for index in domain.readable if f"head-{index}" in prefixes}
        found = {name: _retrieval(artifact, name, count) for name in ("portraits", "names", "retrieval")}
        bias = tuple(_shaped(artifact.arrays["bias"], np.float64, count).tolist())
        slots = tuple(
            _shaped(artifact.arrays[f"slots.{index}"], np.float32, len(function.slots), -1)
            for index, function in enumerate(domain.functions) if "slots.0" in artifact.arrays
        )  # fmt: skip
        values = tuple(
            _shaped(artifact.arrays[f"values.{index}"], np.float32, names_held(domain.places[function.label].values()), -1)
            for index, function in enumerate(domain.functions) if "values.0" in artifact.arrays
        )  # fmt: skip
        return Prepared(prefixes["direct"], prefixes["generic"], channels, bias, heads=heads, slots=slots, values=values, **found)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as problem:
        raise ArtifactError(f"the artifact's parts do not fit each other ({problem!r}) - finalize it again") from None


def _tokens(value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or not value or not all(type(token) is int and 0 <= token < 1 << 24 for token in value):
        raise ValueError("tokens are a list of whole numbers")
    return tuple(value)


def _shaped(array: NDArray[Any], kind: type[np.generic], *shape: int) -> NDArray[Any]:
    """The array, if it is of this kind and shape (−1: any length) and all its numbers are finite."""
    fits = array.dtype == kind and array.ndim == len(shape)
    if not fits or any(wanted not in (-1, size) for wanted, size in zip(shape, array.shape, strict=True)):
        raise ValueError(f"an array of {array.dtype} {array.shape} instead of {kind.__name__} {shape}")
    if not np.isfinite(array).all():
        raise ValueError("an array holds numbers that are none")
    return array


def _indices(array: NDArray[Any], kind: type[np.generic], below: int, *shape: int) -> NDArray[Any]:
    found = _shaped(array, kind, *shape)
    if found.size and not 0 <= int(found.min()) <= int(found.max()) < below:
        raise ValueError(f"an index of {int(found.min())} to {int(found.max())} among {below}")
    return found


def _retrievals(prepared: Prepared) -> dict[str, Retrieval]:
    return {"portraits": prepared.portraits, "names": prepared.names, "retrieval": prepared.retrieval}


def _retrieval_arrays(retrieval: Retrieval) -> dict[str, NDArray[Any]]:
    terms = retrieval.terms
    arrays: dict[str, NDArray[Any] | None] = {
        "idf": terms.idf, "starts": terms.starts, "columns": terms.columns, "term_weights": terms.weights,
        "descriptions": retrieval.descriptions, "exemplars": retrieval.exemplars, "owners": retrieval.owners,
        "weights": retrieval.weights, "radii": retrieval.radii, "held_out": retrieval.held_out,
    }  # fmt: skip
    return {name: array for name, array in arrays.items() if array is not None}


def _retrieval(artifact: Artifact, name: str, functions: int) -> Retrieval:
    part = {key.removeprefix(f"{name}."): a for key, a in artifact.arrays.items() if key.startswith(f"{name}.")}
    listed = artifact.documents["terms.json"][name]
    vocabulary = {term: index for index, term in enumerate(listed) if isinstance(term, str)}
    if len(vocabulary) != len(listed):
        raise ValueError("terms are a list of different texts")
    columns = _indices(part["columns"], np.int32, functions, -1)
    starts = _indices(part["starts"], np.int64, len(columns) + 1, len(listed) + 1)
    if (np.diff(starts) < 0).any():
        raise ValueError("places of terms that go backwards")
    terms = TermIndex(
        vocabulary, _shaped(part["idf"], np.float32, len(listed)), starts, columns,
        _shaped(part["term_weights"], np.float32, len(columns)), functions,
    )  # fmt: skip
    if "descriptions" not in part:
        return Retrieval(functions, terms)
    descriptions = _shaped(part["descriptions"], np.float32, functions, -1)
    size = descriptions.shape[1]
    exemplars = _shaped(part["exemplars"], np.float32, -1, size)
    owners = _indices(part["owners"], np.int64, functions, len(exemplars))
    weights = _shaped(part["weights"], np.float32, functions, size + 1) if "weights" in part else None
    radii = _shaped(part["radii"], np.float32, functions, 4) if "radii" in part else None
    held_out = _shaped(part["held_out"], np.float32, 2) if "held_out" in part else None
    return Retrieval(functions, terms, descriptions, exemplars, owners, weights, radii, held_out)


def _written(exemplars: tuple[Exemplar, ...]) -> JsonValue:
    """Opendu's form, one entry an exemplar, the order kept."""
    entries = []
    for exemplar in exemplars:
        entry: dict[str, JsonValue] = {"owner": exemplar.function, "template": exemplar.text, "owner_mode": exemplar.mode}
        if exemplar.context is not None:
            entry["context_frame"], slot = exemplar.context
            if slot is not None:
                entry["context_slot"] = slot
        if exemplar.arguments:
            entry["arguments"] = dict(exemplar.arguments)
        entries.append(entry)
    return json.loads(json.dumps(entries))
