"""What a taught model says of the words of an utterance: which slot of a function each fills.

Log-probabilities in, features of spans out. Knows no model.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

MOST = 8.0  # log odds of one word at most
STEADY = 3.0  # the same where words are added up, so that none outweighs the others


class Tags:
    """``words[i][k]`` is the log-probability that unit i fills slot k of ``names``; the last column means none."""

    def __init__(self, names: Sequence[str], words: Sequence[Sequence[float]]) -> None:
        self.names = {name: column for column, name in enumerate(names)}
        table = np.array(words)
        none, slots = table[:, -1:], table[:, :-1]
        odds = np.clip(slots - none, -MOST, MOST)
        best = np.sort(slots, axis=1)
        top, second = best[:, -1:], best[:, -2:-1] if slots.shape[1] > 1 else np.full_like(none, -np.inf)
        others = np.where(slots >= top, second, top)
        ahead = np.clip(slots - others, -MOST, MOST)
        self._odds = odds.T.tolist()
        self._sums = [[0.0, *accumulate(column)] for column in self._odds]
        self._ahead = [[0.0, *accumulate(column)] for column in ahead.T.tolist()]
        self._steady = [[0.0, *accumulate(column)] for column in np.clip(odds, -STEADY, STEADY).T.tolist()]
        self._shares = np.exp(slots).T.tolist()
        self.size = len(words)

    def features(self, name: str, first: int, last: int) -> dict[str, float]:
        """For a span of units (inclusive) in a slot: the mean and the least log odds of its words against
        no slot, their sum, by how much the slot is ahead of the others, and how much it spreads beyond."""
        column = self.names.get(name)
        if column is None:
            return {}
        count, sums, ahead = last - first + 1, self._sums[column], self._ahead[column]
        shares, steady = self._shares[column], self._steady[column]
        return {
            "tagged": (sums[last + 1] - sums[first]) / count,
            "tagged least": min(self._odds[column][first : last + 1]),
            "tagged sum": steady[last + 1] - steady[first],
            "tagged ahead": (ahead[last + 1] - ahead[first]) / count,
            "tagged beyond": (shares[first - 1] if first else 0.0) + (shares[last + 1] if last + 1 < self.size else 0.0),
        }
