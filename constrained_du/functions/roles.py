"""Which slot a span is like: the meaning of the span against the words of the slots.

One embedding for each span worth asking about; the slots' own were made at ``finalize``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from constrained_du.decoding.backend import Embedder
from constrained_du.decoding.prompt import slot_name
from constrained_du.slots.evidence import Features
from constrained_du.slots.fillings import Filling
from constrained_du.specs.spec import Function
from constrained_du.types import Span

MOST_SPANS = 12  # embedded for one function and utterance: 4 ms each
WORTH = -2.5  # log odds below which a span is not asked about
SCALE = 10.0  # cosines of short texts differ by a few hundredths


def slot_texts(function: Function) -> list[str]:
    return [f"{slot_name(slot)}: {slot.description}" if slot.description else slot_name(slot) for slot in function.slots]


def roles(
    embedder: Embedder,
    text: str,
    slots: NDArray[np.float32],
    function: NDArray[np.float32],
    names: Sequence[str],
    fillings: Sequence[Sequence[Filling]],
) -> Mapping[tuple[str, Span], Features]:
    """``slots`` (n, size) and ``function`` (size,) are vectors; ``fillings`` the slots' options so far.

    For each (slot, span): ``role``, by how much (scaled) the slot's cosine with the span exceeds the
    mean of all slots'; ``best role``, 1 if it is the largest of several; ``about``, the span's cosine with the
    function as a whole (scaled): a "cab" is what is hired, and no place.
    """
    scores: dict[Span, float] = {}
    for own in fillings:
        for filling in own[:3]:
            if filling.score > WORTH and len(filling.spans) == 1:
                span = filling.spans[0][1]
                if isinstance(filling.value, int | float):
                    continue  # a number is like no slot of numbers more than another
                scores[span] = max(filling.score, scores.get(span, filling.score))
    found: dict[tuple[str, Span], Features] = {}
    for span in sorted(scores, key=lambda s: (-scores[s], s))[:MOST_SPANS]:
        vector = embedder.embed(text[span.start : span.end])
        cosines = slots @ vector
        centred, best = SCALE * (cosines - cosines.mean()), int(cosines.argmax()) if len(names) > 1 else -1
        about = SCALE * float(function @ vector)
        for index, name in enumerate(names):
            found[name, span] = {"role": float(centred[index]), "best role": float(index == best), "about": about}
    return found
