"""The whole package on a scripted model: converters, artifacts and the server without weights.

Inside ``scripted_world`` every model name is that of a scripted one; nothing else is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from scripted import Script, ScriptedBackend, indifferent

from constrained_du import loading
from constrained_du.decoding.backend import Query
from constrained_du.loading import ModelFile

DIGEST = "0" * 64


class QuickBackend(ScriptedBackend):
    """Scores that are a number made of token and place: no arrays, so it is quick."""

    served_start = ScriptedBackend.start_tokens

    def score(self, queries: Sequence[Query]) -> list[list[list[float]]]:
        self.count.passes += 1
        return [
            [[-1.0 - (token * 31 + at) % 17 / 4 for at, token in enumerate(one)][query.given :] for one in query.continuations]
            for query in queries
        ]  # fmt: skip


@contextmanager
def scripted_world(script: Script = indifferent, backend: ScriptedBackend | None = None) -> Iterator[ScriptedBackend]:
    """All models are one scripted backend while this lasts."""
    model = backend or (QuickBackend() if script is indifferent else ScriptedBackend(script))
    with (
        patch.object(loading, "find_model", lambda settings: ModelFile("scripted", Path("scripted"))),
        patch.object(loading, "find_embedder", lambda settings: None),
        patch.object(loading, "digest", lambda file: DIGEST),
        patch.object(loading, "backend", lambda file, settings: model),
        patch.object(loading, "embedder", lambda file, settings: None),
    ):
        yield model
