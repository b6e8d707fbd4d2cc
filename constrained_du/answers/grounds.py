"""What the confidence in an answer is computed from: named numbers of one answer among its rivals.

Knows the slots as they were filled and the probabilities of functions; weights are elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp

from constrained_du.answers.confidence import LARGEST, log_odds
from constrained_du.answers.slots import Slots
from constrained_du.slots.fillings import Filling, surprise
from constrained_du.specs.spec import Function
from constrained_du.weights import SLOT_SHARPNESS

MANY_LEFT = 5  # content words that no slot takes
LONG = 20  # letters of a value that is plain words

LogProbabilities = Mapping[int | None, float]
"""Of functions by index; the key None is the fallback."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One candidate answer: a function with its slots, or the fallback (function None)."""

    function: Function | None
    fillings: tuple[Filling | None, ...]
    log_probability: float
    """What it is ranked by: the function's share, and how its slots compare with its best ones."""
    share: float
    """Its part, in [0, 1], of all that is likely: function and slots."""
    taken: float = 1.0
    """The slots' part of it."""


def grounds_of(slots: Slots, probabilities: LogProbabilities, best: Answer, is_replied: bool) -> dict[str, float]:
    """``is_replied``: whether the words are nothing but values, which settled the function."""
    domain, request = slots.domain, slots.request
    index = None if best.function is None else domain.index[best.function.label]
    shares = sorted((exp(share) for key, share in probabilities.items() if key != index), reverse=True)
    grounds = {
        "bias": 1.0,
        "function": log_odds(exp(probabilities[index]) if index in probabilities else 1.0),
        "rival": log_odds(shares[0]) if shares else -LARGEST,
        "shown": float(domain.shown > 0),
        "alone": float(len(request.allowed) == 1),
        "words": min(20.0, len(slots.view.units)) / 10,
    }
    if index is None or best.function is None:
        return grounds
    match, read = slots.match, slots.reader.known.get(index)
    chosen = _unmatched(slots.fillings(index), best.fillings) if match is not None and match.is_open else best.fillings
    filled = [filling for filling in chosen if filling is not None]
    return grounds | {
        "slots": log_odds(best.taken),
        "second": slots.lead(index),
        "doubt": surprise(slots.fillings(index), chosen, SLOT_SHARPNESS),
        "few": float(len(best.function.slots) == 0),
        "many": len(best.function.slots) / 10,
        "typed": float(sum(filling.typed for filling in filled)),
        "verbatim": float(sum(not filling.typed for filling in filled)),
        "weak": min((min(4.0, max(-4.0, filling.score)) for filling in filled), default=4.0),
        "exemplar": float(match is not None and not match.is_open),
        "open exemplar": float(match is not None and match.is_open),
        "replied": float(match is None and is_replied),
        "expected": float(any(e.function == best.function.label for e in request.expectations)),
        "missing": float(any(s.required and f is None for s, f in zip(best.function.slots, best.fillings, strict=True))),
        "meant": 0.0 if read is None else min(4.0, max(-4.0, read.meant)),
        "left": slots.held(index)["left"] * sum(slots.view.is_content) / MANY_LEFT,
        "longest": max((s.end - s.start for f in filled if not f.typed for s in f.located), default=0) / LONG,
    }


def _unmatched(every: Sequence[Sequence[Filling]], chosen: Sequence[Filling | None]) -> list[Filling | None]:
    """Fillings with the scores that their words have without the exemplar that matched."""
    return [
        None if filling is None
        else replace(filling, score=SLOT_SHARPNESS * max((f.score for f in own if f.value == filling.value), default=0.0))
        for own, filling in zip(every, chosen, strict=True)
    ]  # fmt: skip
