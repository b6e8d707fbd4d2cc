"""A softmax classifier over unit vectors, fitted by L-BFGS: small, exact, deterministic.

Knows arrays only.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
PENALTY = 0.5  # L2, divided by the number of examples; design.md's "a few steps" in closed form
STEPS = 40
SCALE = 8.0  # unit vectors are close together; this lets weights of order one tell them apart


def fit(
    vectors: NDArray[np.float32], owners: NDArray[np.int64], classes: int, weights: Matrix | None = None
) -> NDArray[np.float32]:
    """Weights (classes, dimensions + 1), the last column a bias, for examples (n, dimensions).

    ``weights`` are the examples' weights (n,), by default such that classes count alike.
    """
    features = np.hstack([vectors.astype(np.float64) * SCALE, np.ones((len(vectors), 1))])
    targets = np.zeros((len(vectors), classes))
    targets[np.arange(len(vectors)), owners] = 1.0
    if weights is None:
        weights = 1.0 / np.maximum(1, np.bincount(owners, minlength=classes))[owners]
    share = (weights / weights.sum())[:, None]
    penalty = PENALTY / len(vectors)

    def loss(flat: Matrix) -> tuple[float, Matrix]:
        table = flat.reshape(classes, -1)
        logs = log_softmax(features @ table.T)
        gradient = ((np.exp(logs) - targets) * share).T @ features + penalty * table
        value = -float((targets * logs * share).sum()) + penalty / 2 * float((table * table).sum())
        return value, gradient.ravel()

    return minimise(loss, np.zeros(classes * features.shape[1]), STEPS).reshape(classes, -1).astype(np.float32)


def logits(weights: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scores (classes,) of one unit vector."""
    scores: NDArray[np.float32] = weights[:, :-1] @ (vector * np.float32(SCALE)) + weights[:, -1]
    return scores


def log_softmax(scores: Matrix) -> Matrix:
    shifted = scores - scores.max(axis=-1, keepdims=True)
    result: Matrix = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return result


def minimise(loss: Callable[[Matrix], tuple[float, Matrix]], start: Matrix, steps: int, memory: int = 8) -> Matrix:
    """L-BFGS with backtracking (Nocedal & Wright, algorithm 7.5)."""
    point = start
    value, gradient = loss(point)
    history: list[tuple[Matrix, Matrix, float]] = []
    for _ in range(steps):
        direction = -_two_loops(gradient, history)
        slope = float(direction @ gradient)
        if slope >= 0 or float(np.abs(gradient).max()) < 1e-6:
            break
        step = 1.0 if history else min(1.0, 1.0 / float(np.abs(gradient).sum()))
        for _ in range(25):
            trial = point + step * direction
            trial_value, trial_gradient = loss(trial)
            if trial_value <= value + 1e-4 * step * slope:
                break
            step /= 2
        else:
            break
        moved, turned = trial - point, trial_gradient - gradient
        curvature = float(moved @ turned)
        if curvature > 1e-12:
            history = [*history[-(memory - 1) :], (moved, turned, 1.0 / curvature)]
        point, value, gradient = trial, trial_value, trial_gradient
    return point


def _two_loops(gradient: Matrix, history: list[tuple[Matrix, Matrix, float]]) -> Matrix:
    direction: Matrix = gradient.copy()
    shares: list[float] = []
    for moved, turned, inverse in reversed(history):
        share = inverse * float(moved @ direction)
        direction = direction - share * turned
        shares.append(share)
    if history:
        moved, turned, _ = history[-1]
        direction = direction * (float(moved @ turned) / float(turned @ turned))
    for (moved, turned, inverse), share in zip(history, reversed(shares), strict=True):
        direction += (share - inverse * float(turned @ direction)) * moved
    return direction
