"""A test of whether the losses of a stream have risen: a sum of bets against the ranks of their block means.

Losses are averaged over blocks of 64 rows. If rows come in no particular order, the rank of a block among all before
it says nothing: the share p of blocks with a larger mean is uniform, so a bet b(p) that falls with p and has the mean 1
gains nothing on average. (With ties p lies somewhere between two numbers, and b is its mean between them.) For each bet
and each block at which a change may have come, with weights w that sum to 1, one stake goes on from there:

    R ← (R + w(t)) b(p)

Then R plus the stakes to come is a martingale, and the chance that R ever reaches 1/a is at most a, over the whole
stream and whatever the law of the losses is (Ville's inequality; Vovk et al. 2021, "Retrain or not retrain"). Only
ranks count, so heavy tails raise no alarm; a learner that still gets better only lowers them. A learner's own short
bad spells, after a value that moves a scale, are ranked with the spells before them: rows one by one would not be.

Means are counted in 32 bins to a power of two, in a Fenwick tree: p costs thirty additions a block.
"""

import math

import numpy as np

from unscaled.kernels.compiled import inner, kernel
from unscaled.kernels.formulas import value

BLOCK = 64
BINS = 1 << 16
DEEPEST, PARTS = -1000, 32

BETS, GAIN, RUN, START, BLOCKS_AFTER, MEAN_AFTER, MEAN_BEFORE, BET_WIDTH = 4, 0, 1, 2, 3, 4, 5, 6
"""For each bet: its R, the gain since its latest start, that start, and the mean losses since and before."""

SEEN, ALARMS, MEAN, ALL_ROWS, BLOCK_ROWS, BLOCK_LOSS, TOLD_BY, TOTALS = 0, 1, 2, 3, 4, 5, 6, 7
"""Blocks in the bins, alarms so far, the blocks' mean loss, rows of all times, the block that is not yet full, and
the bet that says where the loss rose."""

FALSE_ALARM = 0.01
"""The chance of any alarm in a stream without a change; alarm j may use 1 / (j (j + 1)) of it."""

CUT, LARGEST = 1000.0, 1e300


@kernel
def watch(losses, weights, counts, tree, bets, totals, begin):
    """Goes through rows `begin` and on; gives the index of the row at which the alarm is raised, or the row count."""
    for i in range(begin, len(losses)):
        if weights[i] == 0.0:
            continue
        totals[BLOCK_LOSS] += losses[i] if losses[i] < LARGEST else LARGEST  # also if it is not a number
        totals[BLOCK_ROWS] += 1.0
        totals[ALL_ROWS] += 1.0
        if totals[BLOCK_ROWS] == BLOCK:
            loss = totals[BLOCK_LOSS] / BLOCK
            totals[BLOCK_ROWS] = totals[BLOCK_LOSS] = 0.0
            if is_rise(bets, totals, ranked(counts, tree, bets, totals, loss)):
                return i
    return len(losses)


@inner
def ranked(counts, tree, bets, totals, loss):
    """Ranks the mean loss of a block, plays all bets and gives the sum of what they have."""
    place, n = bin_of(loss), totals[SEEN]
    larger, as_large = n - below(tree, place + 1), n + 1.0 - below(tree, place)
    gain = stake(bets, totals, larger / (n + 1.0), as_large / (n + 1.0), loss)
    totals[SEEN] += 1.0
    totals[MEAN] = mean_with(totals[MEAN], totals[SEEN], loss)
    counts[place] += 1.0
    add(tree, place)
    return gain


@inner
def is_rise(bets, totals, gain):
    """Whether the bets have gained enough for the next alarm, and the mean loss is larger than it was, too."""
    j = totals[ALARMS] + 1.0
    if gain * FALSE_ALARM < j * (j + 1.0) * BETS:
        return False
    k = latest(bets)
    totals[TOLD_BY] = k
    return bets[k, MEAN_AFTER] > bets[k, MEAN_BEFORE]


@inner
def latest(bets):
    """Of the bets that have gained most, to within a tenth, the one that started last: bold ones soon start anew."""
    best, most = 0, bets[np.argmax(bets[:, GAIN]), GAIN]
    for k in range(BETS):
        if bets[k, GAIN] >= 0.1 * most and (bets[best, GAIN] < 0.1 * most or bets[k, START] > bets[best, START]):
            best = k
    return best


@inner
def stake(bets, totals, low, high, loss):
    """Plays all bets on a block and gives the sum of what they have."""
    t = totals[SEEN] + math.e
    w = 1.0 / (t * math.log(t) ** 2)
    gain = 0.0
    for k in range(BETS):
        if bets[k, RUN] <= 1.0:
            bets[k, RUN], bets[k, START] = 1.0, totals[ALL_ROWS] - BLOCK + 1.0
            bets[k, BLOCKS_AFTER], bets[k, MEAN_BEFORE] = 0.0, totals[MEAN]
        b = odds(k, low, high)
        bets[k, GAIN] = (bets[k, GAIN] + w) * b
        bets[k, RUN] *= b
        bets[k, BLOCKS_AFTER] += 1.0
        bets[k, MEAN_AFTER] = mean_with(bets[k, MEAN_AFTER], bets[k, BLOCKS_AFTER], loss)
        gain += bets[k, GAIN]
    return gain


@inner
def odds(k, low, high):
    """The mean of a bet between two p. Three are straight, for small rises and for large ones; one is 1 / (2 √p)."""
    if k == 0:
        return 1.0 + 0.05 * (1.0 - low - high)
    if k == 1:
        return 1.0 + 0.25 * (1.0 - low - high)
    if k == 2:
        return 2.0 - low - high
    return 1.0 / (math.sqrt(low) + math.sqrt(high))


@inner
def mean_with(mean, n, loss):
    """The mean of n blocks, each cut at a thousand times the mean before it: one huge loss alone does not make it."""
    if n <= 1.0:
        return loss
    return mean + (min(loss, CUT * mean) - mean) / n if mean > 0.0 else loss / n


@inner
def bin_of(loss):
    """The bin of a mean loss; 0 holds what is nothing."""
    if loss <= 0.0:
        return 0
    part, power = math.frexp(loss)
    place = 1 + (power - DEEPEST) * PARTS + int((part - 0.5) * 2.0 * PARTS)
    return max(1, min(BINS - 1, place))


@inner
def below(tree, place):
    """How many are in bins before this one."""
    total = 0.0
    while place > 0:
        total += tree[place]
        place &= place - 1
    return total


@inner
def add(tree, place):
    """One more in this bin."""
    place += 1
    while place < len(tree):
        tree[place] += 1.0
        place += place & -place


def planted(counts: np.ndarray) -> np.ndarray:
    """The Fenwick tree of counts: tree[i] is the sum of as many bins before i as the lowest bit of i says."""
    sums = np.concatenate([[0.0], np.cumsum(counts)])
    places = np.arange(len(sums))
    return sums - sums[places - (places & -places)]


@kernel
def row_losses(loss, labels, scores, losses):
    """Writes the loss of each row, the mean over its targets.

    A prediction that is right to nine digits is right: what is left where there is no noise is rounding.
    """
    for i in range(len(losses)):
        total = 0.0
        for k in range(labels.shape[1]):
            p, y = scores[i, k], labels[i, k]
            total += value(loss, y if abs(p - y) <= 1e-9 * abs(y) else p, y)
        losses[i] = total / labels.shape[1]
