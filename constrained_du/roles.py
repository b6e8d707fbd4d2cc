"""Which slot a span is like: the meaning of the span against the words of the slots.

One embedding for each span worth asking about; the slots' own were made at ``finalize``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from constrained_du.backend import Embedder
from constrained_du.fillings import Filling
from constrained_du.prompt import slot_name
from constrained_du.spec import Function
from constrained_du.types import Span

MOST_SPANS = 12  # embedded for one function and utterance: 4 ms each
WORTH = -2.5  # log odds below which a span is not asked about
SCALE = 10.0  # cosines of short texts differ by a few hundredths


def slot_texts(function: Function) -> list[str]:
    return [f"{slot_name(slot)}: {slot.description}" if slot.description else slot_name(slot) for slot in function.slots]


def roles(
    embedder: Embedder, text: str, slots: NDArray[np.float32], names: Sequence[str], fillings: Sequence[Sequence[Filling]]
) -> Mapping[tuple[str, Span], tuple[float, float]]:
    """``slots`` (n, size) are the slots' vectors; ``fillings`` their options so far.

    For each (slot, span): by how much (scaled) the slot's cosine with the span exceeds the
    mean of all slots', and 1 if it is the largest.
    """
    scores: dict[Span, float] = {}
    for own in fillings:
        for filling in own[:3]:
            if filling.score > WORTH and len(filling.spans) == 1:
                span = filling.spans[0][1]
                if isinstance(filling.value, int | float):
                    continue  # a number is like no slot of numbers more than another
                scores[span] = max(filling.score, scores.get(span, filling.score))
    found: dict[tuple[str, Span], tuple[float, float]] = {}
    for span in sorted(scores, key=lambda s: (-scores[s], s))[:MOST_SPANS]:
        cosines = slots @ embedder.embed(text[span.start : span.end])
        centred = SCALE * (cosines - cosines.mean())
        for index, name in enumerate(names):
            found[name, span] = (float(centred[index]), float(index == int(cosines.argmax())))
    return found
