"""How large numbers of a kind usually are: a root mean square that no outlier and no change of units can spoil.

Each feature has a yardstick, and so have the labels and the errors. With z = |x| / s, every number that is not 0 does

    add min(z, cut)² to the squares of its block; note log z if it is far (z > 6)
    once the block is as long as what was known before, or 64 numbers:
        a quarter of it was far          the units have changed: s ← s times the geometric mean of the far ones
        its root mean square is < 1/30   the same, downwards:    s ← s times that
        else                             s ← s √((known + squares) / (known + fresh)), a drift, unless it is below 1 %

A single value of 1e12 counts as `cut` times the scale and is soon outweighed; the first value of all may be one too, as
the block after eight more is all below. When the units have changed, what was learned holds for x / s as it stands.
After a drift it holds for x, and the caller multiplies it by the ratio of the scales; but not without end, for a scale
that outliers lift again and again, and that jumps back in between, must not lift the weights with it.

Scales move in blocks, not with each number, so that rows in between cost a comparison and a sum; and only ratios of
numbers are compared, so that multiplying them all by a power of two moves no bit of anything but s. A row counts once,
whatever its weight: a single row of weight 100 is no reason to believe that the units have changed.
"""

import math

from unscaled.kernels.compiled import inner
from unscaled.rules.largest import SMALLEST_SCALE

SCALE, COUNT, KNOWN, START, END, SQUARES, FAR, LOGS = range(8)
"""Where a yardstick, which is one line of the cache, keeps what. A block goes from START to END of the COUNT."""

WIDTH = 8

LEAST_DRIFT, MOST_DRIFT = 0.01, 2.0
"""Below the first a scale need not move, and beyond the other it is an outlier that moves it."""

BLOCK, FAR_FROM, FAR_SHARE, TINY = 64.0, 6.0, 0.25, 1.0 / 30.0
FEWEST_FAR, FEWEST_TINY = 2.0, 8.0
"""Fewer do not tell a change of units from an outlier."""

FEATURE_CUT, LABEL_CUT, ERROR_CUT = 30.0, 50.0, 100.0
"""Measured on real sets: cut features at 6 and heavy tails are lost, never, and one value silences a feature."""

ABSURD = 10.0
"""Times the cut: what lies beyond is no tail, and counts the less the farther out it is."""

LONG, SHORT = 4096.0, 256.0
"""What is known counts as so many numbers at most: features and labels stand, errors shrink as a learner learns."""

STANDS, DRIFTS, JUMPS = 0, 1, 2

_LARGEST_SCALE = 2.0**1020
_LARGEST_RATIO = 2.0**1000
_SMALLEST_RATIO = 2.0**-500


@inner
def measure(sticks, i, x, u, cut, longest):
    """x, which is not 0 and was read as u, meets yardstick i.

    Gives whether the scale stands, drifts or jumps, and by what ratio.
    """
    count = sticks[i, COUNT] + 1.0
    sticks[i, COUNT] = count
    if abs(x) <= FAR_FROM * sticks[i, SCALE]:  # nearly always
        sticks[i, SQUARES] += u * u
    else:
        z = min(abs(x) / sticks[i, SCALE], _LARGEST_RATIO)
        sticks[i, SQUARES] += min(z, cut) ** 2
        sticks[i, FAR] += 1.0
        sticks[i, LOGS] += math.log(z)
    if count < sticks[i, END]:
        return STANDS, 1.0
    return close(sticks, i, longest)


@inner
def take_in(sticks, i, x, cut, longest):
    """The same for a number that may be 0, or the first, and was not read before."""
    if x == 0.0:
        return STANDS
    if sticks[i, SCALE] == 0.0:
        begin(sticks, i, abs(x))
    move, _ = measure(sticks, i, x, read(x, sticks[i, SCALE], cut), cut, longest)
    return move


@inner
def begin(sticks, i, size):
    """The first number is the scale."""
    sticks[i, SCALE] = max(size, SMALLEST_SCALE)


@inner
def close(sticks, i, longest):
    """The end of a block: the scale may move, and another block begins."""
    s, known, squares, far = sticks[i, SCALE], sticks[i, KNOWN], sticks[i, SQUARES], sticks[i, FAR]
    fresh, own = sticks[i, COUNT] - sticks[i, START], 1.0
    move = JUMPS
    if far >= max(FEWEST_FAR, FAR_SHARE * fresh):
        own = math.exp(sticks[i, LOGS] / far)
    elif fresh >= FEWEST_TINY and squares < TINY * TINY * fresh:
        own = max(math.sqrt(squares / fresh), _SMALLEST_RATIO)
    else:
        own = min(math.sqrt((known + squares) / (known + fresh)), MOST_DRIFT)
        move = STANDS if abs(own - 1.0) < LEAST_DRIFT else DRIFTS
    start(sticks, i, fresh if move == JUMPS else min(known + fresh, longest))
    if move == STANDS:
        return STANDS, 1.0
    sticks[i, SCALE] = max(SMALLEST_SCALE, min(_LARGEST_SCALE, s * own))
    return move, sticks[i, SCALE] / s


@inner
def start(sticks, i, known):
    """Another block."""
    sticks[i, KNOWN] = known
    sticks[i, START] = sticks[i, COUNT]
    sticks[i, END] = sticks[i, COUNT] + min(known, BLOCK)
    sticks[i, SQUARES] = sticks[i, FAR] = sticks[i, LOGS] = 0.0


@inner
def read(x, scale, cut):
    """x over its scale: cut, and back towards 0 where it is absurd; 0 if there is no scale."""
    if scale == 0.0:
        return 0.0
    z = x / scale
    size = abs(z)
    if size <= cut:
        return z
    u = cut * squared(min(1.0, ABSURD * cut / size))
    return u if z > 0.0 else -u


@inner
def squared(x):
    """x²."""
    return x * x


@inner
def clipped(x, most):
    """x cut to ±most."""
    return max(-most, min(most, x))
