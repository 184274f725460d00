"""Sixteen quantiles of a stream of residuals, followed row by row in units of their own running size.

With e = y - p the residual of a prediction made before its row was learned from, S the running size of |e|, and
r = S ρ the end at level τ, each row does

    r = S nested(ρ);  miss if e is outside                        before anything moves
    t = min(age, 45 + age / 10)                                   how many of the last rows count
    ρ ← ρ + (τ - 1[e below r]) / (min(τ, 1 - τ) t + T)            Gibbs and Candès 2021; Angelopoulos et al. 2023
    S ← S + (min(|e|, 16 S) - S) / (t + 1)                        their size
    age ← age + 1 until t is HORIZON, but it stands still while |e| > 16 S
    M ← M + (how many of the eight intervals missed - M) / 40
    age ← RESTART                                                 if M leaves [FEW, MANY]; 1.182 is what it should be

Quantiles that are followed one by one may cross. The intervals that are given do not: from the middle outwards, an end
goes at least as far as the one inside it, and the two of the first interval meet halfway. It is their misses that move
ρ, and no ρ is moved for the sake of order, since that would be a step which no miss pays for.

The long-run coverage of such a step is what was asked for whatever the residuals do, since ρ moves against each row
that is out. 1 / min(τ, 1 - τ) is the best step for residuals of Laplace's law, for which the quantiles start too.
M tells a change from the coverage itself, which no outlier can move far; then the steps are large again. They shrink
slowly from t = 50 on. A learner needs longer than its intervals to recover from a change, and n rows are off by as much
as t / n times the way that ρ goes in them: a step that is small too early leaves the misses of the change unpaid.
Everything is compared with S times a number: labels times a power of two scale all bits of S and leave the rest alone.
"""

import numpy as np

from unscaled.kernels.compiled import inner, kernel
from unscaled.kernels.simd import LANES, fill8, load8, not_within, room8, store8, sum8, where8

COVERAGES = np.array([0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.998])
"""Of the intervals between a lower and an upper quantile that are followed: one vector of each."""

LOWER, UPPER, MISSED_BELOW, MISSED_ABOVE, ROWS, AGE, SIZE, MISSING, BEYOND, WIDTH = 0, 8, 16, 24, 32, 33, 34, 35, 36, 37
"""Where a tracker, which is a row of WIDTH numbers, keeps what. BEYOND counts labels outside the clip."""

TAILS = (1.0 - COVERAGES) / 2.0
EXPECTED = float((1.0 - COVERAGES).sum())
"""How many of the eight intervals should miss a label."""

HORIZON, RESTART, FIRST, CUT = 1000.0, 4.0, 2.0, 16.0
NIMBLE, GROWTH = 50.0, 0.1
"""The horizon up to which it grows by a row each row, and how much it grows from there on."""

OLDEST = NIMBLE + (HORIZON - NIMBLE) / GROWTH
"""The age at which the horizon is HORIZON."""

SHORT, FEW, MANY = 1.0 / 40.0, 0.5, 2.0
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


def nested(tracker: np.ndarray) -> np.ndarray:
    """The ends of the intervals in units of the size: the lower ones in a row, and the upper ones."""
    ends = room8(2 * LANES)
    _nested(tracker, ends)
    return ends.reshape(2, LANES)


def follow(
    trackers: np.ndarray, labels: np.ndarray, predictions: np.ndarray, weights: np.ndarray, clip: tuple[float, float]
) -> None:
    """Goes through rows, a column a target. Rows of weight 0 and NaN predictions do not count.

    A label outside `clip` is missed by every interval, as intervals are cut to it.
    """
    _follow(trackers, room8(2 * LANES), TAILS, labels, predictions, weights, *clip)


@kernel
def _nested(tracker, ends):
    _nest(tracker, ends)


@kernel
def _follow(trackers, ends, tails, labels, predictions, weights, least, most):
    for k in range(labels.shape[1]):
        _follow_one(trackers[k], ends, tails, labels[:, k], predictions[:, k], weights, least, most)


@inner
def _horizon(age):
    return min(age, NIMBLE + GROWTH * (age - NIMBLE))


@inner
def _cross(tracker):
    """Whether an end does not go as far as the one inside it: rarely, and a processor need not wait for a no."""
    crossed = tracker[LOWER] > tracker[UPPER]
    for j in range(LANES - 1):
        crossed |= tracker[LOWER + j] < tracker[LOWER + j + 1]
        crossed |= tracker[UPPER + j] > tracker[UPPER + j + 1]
    return crossed


@inner
def _nest(tracker, ends):
    """Writes the lower and then the upper ends of intervals that hold each other, in units of the size."""
    halfway = 0.5 * (tracker[LOWER] + tracker[UPPER])
    low, high = halfway, halfway
    for j in range(LANES):
        low, high = min(low, tracker[LOWER + j]), max(high, tracker[UPPER + j])
        ends[j], ends[LANES + j] = low, high


@inner
def _steps(tail, horizon):
    return 1.0 / (tail * horizon + FIRST)


@inner
def _follow_one(tracker, ends, tails, labels, predictions, weights, least, most):
    tail = load8(tails, 0)
    lower, upper = load8(tracker, LOWER), load8(tracker, UPPER)
    below, above = load8(tracker, MISSED_BELOW), load8(tracker, MISSED_ABOVE)
    none, full, minus = fill8(0.0), fill8(1.0), tail - 1.0
    age, size, missing = tracker[AGE], tracker[SIZE], tracker[MISSING]
    horizon = _horizon(age)
    steps = _steps(tail, horizon)
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
        low, high = lower, upper
        if _cross(tracker):
            _nest(tracker, ends)
            low, high = load8(ends, 0), load8(ends, LANES)
        under, over = not_within(low * size, residual), not_within(residual, high * size)
        below = below + where8(under, one, none)
        above = above + where8(over, one, none)
        if size == 0.0:
            size = abs(e)
            continue
        lower = lower + where8(under, minus, tail) * steps
        upper = upper - where8(over, minus, tail) * steps
        store8(tracker, LOWER, lower)
        store8(tracker, UPPER, upper)
        a, was = abs(e), size
        size += (min(a, CUT * was) - was) / (horizon + 1.0)
        missing += (sum8(where8(under, full, none) + where8(over, full, none)) - missing) * SHORT
        moved = a <= CUT * was and age < OLDEST
        if moved:
            age += 1.0
        if age > YOUNG and (missing > MANY or missing < FEW):
            age, missing, moved = RESTART, EXPECTED, True
        if moved:
            horizon = _horizon(age)
            steps = _steps(tail, horizon)
    store8(tracker, MISSED_BELOW, below)
    store8(tracker, MISSED_ABOVE, above)
    tracker[AGE], tracker[SIZE], tracker[MISSING] = age, size, missing
