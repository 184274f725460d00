"""How a mixture reads a row: its values over their scales; and what happens to what was learned when these move."""

import math

from unscaled.kernels.compiled import inner
from unscaled.kernels.eight_rates import rescale_rates
from unscaled.kernels.examples import EXAMPLES, NORM
from unscaled.kernels.mixture_state import INTERCEPT, ROWS, WIDEST, prior
from unscaled.kernels.second_order import doubt, rescale
from unscaled.kernels.yardsticks import DRIFTS, FEATURE_CUT, LONG, SCALE, STANDS, begin, measure, read


@inner
def meet(model, slots, x, m, h, u):
    """Reads a row, and counts it. Says whether one of its values had to be cut."""
    sticks, totals = model.features, model.totals
    totals[EXAMPLES] += h
    totals[ROWS] += 1.0
    totals[INTERCEPT] = slots[0] if m > 0 else 0
    squares, is_cut = 0.0, False
    for j in range(m):
        slot = slots[j]
        if sticks[slot, SCALE] == 0.0:
            make_known(model, slot, x[j])
        u[j] = read(x[j], sticks[slot, SCALE], FEATURE_CUT)
        is_cut |= abs(x[j]) > FEATURE_CUT * sticks[slot, SCALE]
        squares += u[j] * u[j]
    totals[NORM] += h * squares
    return is_cut


@inner
def make_known(model, slot, x):
    """A feature that was never there before."""
    begin(model.features, slot, abs(x))
    model.totals[WIDEST] = max(model.totals[WIDEST], slot + 1.0)
    second = model.second
    if slot < second.P.shape[1]:
        for k in range(second.P.shape[0]):
            second.P[k, slot, slot] = prior(model, k)


@inner
def glimpse(model, slots, x, m, u):
    """As `meet`, but only to predict. Gives how many features are new, and the slots that there are with the row's."""
    sticks, widest = model.features, model.totals[WIDEST]
    unseen = 0
    for j in range(m):
        u[j] = read(x[j], sticks[slots[j], SCALE], FEATURE_CUT)
        if sticks[slots[j], SCALE] == 0.0:
            unseen += 1
            widest = max(widest, slots[j] + 1.0)
    return unseen, widest


@inner
def measure_row(model, slots, x, u, m):
    """The yardsticks take in a row that has been learned from; where a scale moves, what was learned moves along."""
    second = model.second
    for j in range(m):
        slot = slots[j]
        move, ratio = measure(model.features, slot, x[j], u[j], FEATURE_CUT, LONG)
        if move == STANDS:
            continue
        if move == DRIFTS and ratio < 1.0:
            rescale_rates(model.v, model.G, slot, ratio)
        if slot < second.P.shape[1]:
            for k in range(second.P.shape[0]):
                if move == DRIFTS:
                    rescale(second.P, second.theta, k, slot, widened(model, k, slot, ratio))
                else:
                    doubt(second.P, k, slot, prior(model, k))


@inner
def widened(model, k, slot, ratio):
    """A ratio by which the second-order expert may go along with a scale: it never becomes less sure than at first."""
    return min(ratio, max(1.0, math.sqrt(prior(model, k) / model.second.P[k, slot, slot])))
