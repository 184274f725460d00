"""Sixteen quantiles of a stream of residuals, followed row by row in units of their own running size.

With e = y - p the residual of a prediction made before its row was learned from, S the running size of |e|, and
r = S ρ the quantile of level τ, each row does

    miss if e is outside                                          before anything moves
    ρ ← ρ + (τ - 1[e below r]) / (min(τ, 1 - τ) t + T)            Gibbs and Candès 2021; Angelopoulos et al. 2023
    S ← S + (min(|e|, 16 S) - S) / (t + 1)                        the size of the last HORIZON rows
    t ← min(t + 1, HORIZON), but it stands still while |e| > 16 S
    M ← M + (how many of the eight intervals missed - M) / 48
    t ← RESTART                                                   if M leaves [FEW, MANY]; 1.182 is what it should be

The long-run coverage of such a step is what was asked for whatever the residuals do, since ρ moves against each row
that is out. 1 / min(τ, 1 - τ) is the best step for residuals of Laplace's law, for which the quantiles start too.
M tells a change from the coverage itself, which no outlier can move far; then the steps are large again.
Everything is compared with S times a number: labels times a power of two scale all bits of S and leave the rest alone.
"""

import numpy as np

from unscaled.kernels.compiled import inner, kernel
from unscaled.kernels.simd import LANES, fill8, load8, not_within, store8, sum8, where8

COVERAGES = np.array([0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.998])
"""Of the intervals between a lower and an upper quantile that are followed: one vector of each."""

LOWER, UPPER, MISSED_BELOW, MISSED_ABOVE, ROWS, AGE, SIZE, MISSING, BEYOND, WIDTH = 0, 8, 16, 24, 32, 33, 34, 35, 36, 37
"""Where a tracker, which is a row of WIDTH numbers, keeps what. BEYOND counts labels outside the clip."""

TAILS = (1.0 - COVERAGES) / 2.0
EXPECTED = float((1.0 - COVERAGES).sum())
"""How many of the eight intervals should miss a label."""

HORIZON, RESTART, FIRST, CUT = 1000.0, 2.0, 2.0, 16.0
SHORT, FEW, MANY = 1.0 / 48.0, 0.5, 2.0
YOUNG = 16.0
"""Steps are large enough in the first rows."""

LARGEST = 1e300


def new_trackers(targets: int) -> np.ndarray:
    """Trackers that have seen nothing: quantiles of Laplace's law, of size 0."""
    trackers = np.zeros((targets, WIDTH))
    trackers[:, MISSING] = EXPECTED
    trackers[:, LOWER : LOWER + LANES] = np.log(2.0 * TAILS)
    trackers[:, UPPER : UPPER + LANES] = -np.log(2.0 * TAILS)
    return trackers


def follow(
    trackers: np.ndarray, labels: np.ndarray, predictions: np.ndarray, weights: np.ndarray, clip: tuple[float, float]
) -> None:
    """Goes through rows, a column a target. Rows of weight 0 and NaN predictions do not count.

    A label outside `clip` is missed by every interval, as intervals are cut to it.
    """
    _follow(trackers, TAILS, labels, predictions, weights, *clip)


@kernel
def _follow(trackers, tails, labels, predictions, weights, least, most):
    for k in range(labels.shape[1]):
        _follow_one(trackers[k], tails, labels[:, k], predictions[:, k], weights, least, most)


@inner
def _steps(tail, age):
    return 1.0 / (tail * age + FIRST)


@inner
def _follow_one(tracker, tails, labels, predictions, weights, least, most):
    tail = load8(tails, 0)
    lower, upper = load8(tracker, LOWER), load8(tracker, UPPER)
    below, above = load8(tracker, MISSED_BELOW), load8(tracker, MISSED_ABOVE)
    none, full, minus = fill8(0.0), fill8(1.0), tail - 1.0
    age, size, missing = tracker[AGE], tracker[SIZE], tracker[MISSING]
    steps = _steps(tail, age)
    for i in range(len(labels)):
        y = labels[i]
        e = y - predictions[i]
        if weights[i] == 0.0 or np.isnan(e):
            continue
        tracker[ROWS] += 1.0
        if y < least or y > most or abs(e) > LARGEST:
            tracker[BEYOND] += 1.0
            one = none
        else:
            one = full
        if abs(e) > LARGEST:
            continue
        residual = fill8(e)
        under, over = not_within(lower * size, residual), not_within(residual, upper * size)
        below = below + where8(under, one, none)
        above = above + where8(over, one, none)
        if size == 0.0:
            size = abs(e)
            continue
        lower = lower + where8(under, minus, tail) * steps
        upper = upper - where8(over, minus, tail) * steps
        a, was = abs(e), size
        size += (min(a, CUT * was) - was) / (age + 1.0)
        missing += (sum8(where8(under, full, none) + where8(over, full, none)) - missing) * SHORT
        moved = a <= CUT * was and age < HORIZON
        if moved:
            age += 1.0
        if age > YOUNG and (missing > MANY or missing < FEW):
            age, missing, moved = RESTART, EXPECTED, True
        if moved:
            steps = _steps(tail, age)
    store8(tracker, LOWER, lower)
    store8(tracker, UPPER, upper)
    store8(tracker, MISSED_BELOW, below)
    store8(tracker, MISSED_ABOVE, above)
    tracker[AGE], tracker[SIZE], tracker[MISSING] = age, size, missing
