"""What kernels/mixture.py keeps, of features, of outputs and of a row; and what is asked of it everywhere."""

from typing import NamedTuple

import numpy as np

from unscaled.kernels.compiled import inner
from unscaled.kernels.examples import EXAMPLES, Lanes
from unscaled.kernels.formulas import is_real
from unscaled.kernels.simd import LANES, room8

RATES = np.geomspace(0.03, 256.0, LANES)
"""In units of the spread of the labels. The best of them was never at an end on 28 real sets."""

NEWTON, TWIN, LAST, LEVEL, EXPERTS = 8, 9, 10, 11, 12
MEAN, MENDED = 12, 13
INPUTS = 14
WIDE = 16
"""Room for the opinions in whole vectors."""

ROWS, WIDEST, INTERCEPT, TOTALS = 2, 3, 4, 5
"""In the totals, after EXAMPLES and NORM: rows learned from, the slots that they reach up to, the intercept's slot."""

CENTRE, LOW, HIGH, LAST_LABEL, USUAL, ERROR, ERROR_BEFORE, WEIGHT, JUDGED, UNIT, MENDING_UNIT, LABELS = range(12)
WITH, UNTIL, LENGTH, LOSS_BEFORE, LOSS_NOW = range(12, 17)
LEVELS = 24
"""What levels keep of an output. LOW and HIGH bound opinions, unless they are the wrong way round.

The last five are of a rest: which expert goes on alone, up to which row, how long the rest is, what it lost before and
what it loses.
"""

MOST_SECOND_ORDER = 128
"""Slots up to which there is a second-order expert: d² a row must not be felt (docs/decisions/auto.md)."""

MEMORY = 0.999
RIDGE_OF_NUMBERS, RIDGE_OF_LIKELIHOODS = 0.1, 0.3
LARGEST_OPINION = 13.8
"""Of a log-odds: one in a million."""

SUSPECT, SPREADS = 30.0, 6.0
"""The largest error that is believed: times the usual one if a value was cut; else never less than these spreads."""

LOOK, SHORTEST_REST, LONGEST_REST = 1024.0, 2048.0, 65_536.0
AS_GOOD, WORSE, RECENT = 1.001, 1.25, 0.998
"""Every so many rows it is looked whether a second-order expert is as good as all together: within a thousandth."""

RECALLED = 5.0
"""Of an error, times the usual one, what the next rows are told."""

AFTER_A_JUMP = 1.0 / 64.0
"""What losses from before a jump of the errors count."""

STEADY = 64
"""Rows after which shares are worked out anew only every eighth row."""

FIRST_LABELS, OUTLYING = 8, 100.0


INPUT_SLOTS = np.arange(INPUTS)


class Mixture(NamedTuple):
    """What is known of each output: a row each."""

    levels: np.ndarray
    losses: np.ndarray
    shares: np.ndarray
    labels: np.ndarray  # the yardstick of the labels, and
    errors: np.ndarray  # of the errors
    firsts: np.ndarray  # the first labels
    mending: np.ndarray  # θ and
    mending_P: np.ndarray  # noqa: N815


class SecondOrder(NamedTuple):
    """θ and P for each output."""

    theta: np.ndarray
    P: np.ndarray


class Experts(NamedTuple):
    """All that learning reads and writes. `centred` says whether there is an intercept to move with the centre."""

    rule: tuple
    loss: tuple
    centred: bool
    follow_labels: bool
    features: np.ndarray
    v: np.ndarray
    G: np.ndarray
    second: SecondOrder
    mixture: Mixture
    lanes: Lanes
    totals: np.ndarray


class Room(NamedTuple):
    """For one row: what it is read as, and what is worked out on the way."""

    u: np.ndarray
    a: np.ndarray
    z: np.ndarray
    f: np.ndarray
    inputs: np.ndarray
    mending_z: np.ndarray
    sizes: np.ndarray
    seen: np.ndarray


def make_room(longest: int) -> Room:
    """Room for rows of so many features."""
    widths = (longest, longest * LANES, MOST_SECOND_ORDER, WIDE, WIDE, WIDE, LANES, WIDE)
    return Room(*(room8(width + LANES) for width in widths))


@inner
def usual_weight(totals):
    """The mean weight of a row."""
    return totals[EXAMPLES] / totals[ROWS] if totals[ROWS] > 0.0 else 1.0


@inner
def prior(model, k):
    """What P starts with on its diagonal, in units of the usual weight of a row."""
    unit = model.mixture.levels[k, UNIT]
    ridge = RIDGE_OF_NUMBERS if is_real(model.loss) else RIDGE_OF_LIKELIHOODS
    return (unit if unit > 0.0 else 1.0) / (ridge * usual_weight(model.totals))


@inner
def has_second_order(model, k, widest):
    """Whether this output has a second-order expert, which is given up once there are too many features."""
    return k < model.second.P.shape[0] and widest <= model.second.P.shape[1]


@inner
def limited(levels, k, f):
    """An opinion within the range of the labels so far."""
    low, high = levels[k, LOW], levels[k, HIGH]
    if low > high:
        return f
    return max(low - levels[k, CENTRE], min(high - levels[k, CENTRE], f))


@inner
def within_reason(levels, k, mended, mean):
    """The mended opinion within the range of the labels so far, or as far out as the mean is."""
    within = limited(levels, k, mended)
    return max(within, min(mended, mean)) if mended > within else min(within, max(mended, mean))
