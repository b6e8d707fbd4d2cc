"""Continuations of a prefix as a token trie, laid out as the rows of one evaluation, and read back.

Which tokens are evaluated, for which sequences, and whose scores are read; what fits together
into one evaluation. Numbers only: it knows no library that evaluates them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from constrained_du.decoding.backend import Passage, Query, log_sum_exp
from constrained_du.errors import ContextOverflowError

Row: TypeAlias = tuple[int, int, tuple[int, ...], bool]
"""Token, position, the sequences that it belongs to, whether its scores are wanted."""


class Trie:
    """The continuations of one query as batch rows."""

    def __init__(self, query: Query, first_sequence: int, first_row: int) -> None:
        base = len(query.prefix.tokens) - 1
        self.query = query
        lead = () if query.prefix.state else query.prefix.tokens[:-1]  # no saved state: evaluated here
        children: list[dict[int, int]] = [{}]
        token_of, depth, leaves_of = [query.prefix.tokens[-1]], [0], [list[int]()]
        self._paths: list[list[int]] = []
        for tokens in query.continuations:
            node, path = 0, [0]
            for token in tokens:
                if token not in children[node]:
                    children[node][token] = len(children)
                    children.append({})
                    token_of.append(token)
                    depth.append(depth[node] + 1)
                    leaves_of.append([])
                node = children[node][token]
                path.append(node)
            self._paths.append(path)
        ends = {path[-1] for path in self._paths}
        tips = [node for node in sorted(ends) if not children[node]] or [0]
        number = {node: first_sequence + i for i, node in enumerate(tips)}
        self.leaves = len(tips)
        for path in self._paths:
            if path[-1] in number:
                for node in path:
                    if number[path[-1]] not in leaves_of[node]:
                        leaves_of[node].append(number[path[-1]])
        if not leaves_of[0]:
            leaves_of[0] = [first_sequence]
        # A node without children is not evaluated: its probability is its parent's row.
        kept = [node for node in range(len(children)) if children[node] or node == 0]
        self._row = {node: first_row + len(lead) + i for i, node in enumerate(kept)}
        everywhere = tuple(sorted(leaves_of[0]))
        self.rows: list[Row] = [(token, position, everywhere, False) for position, token in enumerate(lead)]
        self.rows += [
            (token_of[n], base + depth[n], tuple(sorted(leaves_of[n])), bool(children[n]) and depth[n] >= query.given)
            for n in kept
        ]
        self.asked = {self._row[n]: tuple(children[n]) for n in kept}
        """For each row the tokens that follow it in some continuation."""
        self._token_of = token_of

    def read(self, logs: Mapping[int, Mapping[int, float]]) -> list[list[float]]:
        """For each continuation the log-probability of each scored token; ``logs``: row → token → that."""
        return [
            [logs[self._row[parent]][self._token_of[node]] for parent, node in list(pairwise(path))[self.query.given :]]
            for path in self._paths
        ]


class Line:
    """One passage as batch rows: a trie without branches, asked along the way."""

    leaves = 1

    def __init__(self, passage: Passage, first_sequence: int, first_row: int) -> None:
        lead = () if passage.prefix.state else passage.prefix.tokens[:-1]  # no saved state: evaluated here
        tokens = (*lead, passage.prefix.tokens[-1], *passage.tokens)
        start = len(passage.prefix.tokens) - 1 - len(lead)
        own = len(lead) + 1  # the row of the passage's first token
        self._places = [(first_row + own + index, among) for index, among in passage.asked]
        wanted = {row for row, _ in self._places}
        self.rows: list[Row] = [
            (token, start + n, (first_sequence,), first_row + n in wanted) for n, token in enumerate(tokens)
        ]
        self.asked = dict(self._places)

    def read(self, logs: Mapping[int, Mapping[int, float]]) -> list[list[float]]:
        """For each place the log-probability of each token asked about, among these."""
        found: list[list[float]] = []
        for row, among in self._places:
            scores = np.array([logs[row][token] for token in among])
            found.append((scores - log_sum_exp(scores)).tolist())
        return found


def log_probabilities(logits: NDArray[np.float32], tokens: Sequence[int]) -> dict[int, float]:
    """Natural log-probabilities of these tokens, given the logits of the whole vocabulary."""
    normaliser = log_sum_exp(logits)
    return {token: float(logits[token]) - normaliser for token in tokens}


Asked = TypeVar("Asked", Query, Passage)


def groups(queries: Sequence[Asked], context: int, most: int, room: int) -> list[list[Asked]]:
    """What is evaluated together, in order: at most ``most`` sequences, and ``room`` tokens of memory unless
    one alone needs more; ``context`` is what there can be."""
    found: list[list[Asked]] = []
    sequences = cells = 0
    for query in queries:
        if query.leaves > most:
            raise ValueError(f"at most {most} continuations a query, not {query.leaves}")
        if query.cells > context:
            raise ContextOverflowError(
                f"{query.cells} tokens are needed and the context holds {context} tokens - shorten the input or raise context="
            )
        if not found or sequences + query.leaves > most or cells + query.cells > room:
            found.append([])
            sequences = cells = 0
        found[-1].append(query)
        sequences += query.leaves
        cells += query.cells
    return found
