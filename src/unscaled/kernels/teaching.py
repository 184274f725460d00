"""What the experts of a mixture learn from a label, and how much of the label is believed."""

import math

from unscaled.kernels.beginning import look_back
from unscaled.kernels.compiled import inner
from unscaled.kernels.eight_rates import condition_rates, step_rates
from unscaled.kernels.examples import EXAMPLES, NORM
from unscaled.kernels.formulas import curvature, flow, has_flow, is_count, is_quadratic, is_real, mixes, slope, value
from unscaled.kernels.mixture_state import (
    CENTRE,
    ERROR,
    ERROR_BEFORE,
    FIRST_LABELS,
    HIGH,
    INPUT_SLOTS,
    INPUTS,
    JUDGED,
    LABELS,
    LARGEST_OPINION,
    LAST_LABEL,
    LOW,
    MEMORY,
    MENDED,
    MENDING_UNIT,
    NEWTON,
    RATES,
    RECALLED,
    SPREADS,
    SUSPECT,
    UNIT,
    USUAL,
    WEIGHT,
    WIDEST,
    has_second_order,
    usual_weight,
)
from unscaled.kernels.opinions import flows, slopes
from unscaled.kernels.resting import count_less
from unscaled.kernels.second_order import advance, largest, reach
from unscaled.kernels.simd import LANES, load8, store8
from unscaled.kernels.yardsticks import ERROR_CUT, JUMPS, LABEL_CUT, LONG, SCALE, SHORT, clipped, take_in


@inner
def observed(model, k, y, p, is_cut):
    """The label as it is learned from: without what makes it an outlier, and for a number less the centre.

    And the most by which an opinion that was not limited may miss it.
    """
    levels, labels = model.mixture.levels, model.mixture.labels
    spread = labels[k, SCALE]
    if not is_real(model.loss):
        if not is_count(model.loss):
            return y, math.inf
        take_in(labels, k, y, LABEL_CUT, LONG)
        return min(y, LABEL_CUT * spread) if spread > 0.0 else y, math.inf
    is_first = levels[k, WEIGHT] == 0.0
    if is_first and model.centred:
        levels[k, CENTRE] = y
    o = y - levels[k, CENTRE]
    take_in(labels, k, o, LABEL_CUT, LONG)
    if spread > 0.0:
        o = clipped(o, LABEL_CUT * spread)
    if is_first:
        return o, math.inf
    most = believed(model.mixture.errors, k, spread, is_cut)
    if take_in(model.mixture.errors, k, o - p, ERROR_CUT, SHORT) == JUMPS:
        count_less(model, k)
    return p + clipped(o - p, most), most


@inner
def believed(errors, k, spread, is_cut):
    """How large an error is believed, by the usual ones; less if the row was read with a value cut."""
    usual = errors[k, SCALE]
    if usual == 0.0:
        return math.inf
    return SUSPECT * usual if is_cut else max(ERROR_CUT * usual, SPREADS * spread)


@inner
def mend(model, k, centre, o, most, h, room):
    """The second-order learner over the opinions."""
    mixture, levels, inputs = model.mixture, model.mixture.levels, room.inputs
    if levels[k, MENDING_UNIT] == 0.0:
        unit = mending_unit(model, k)
        if unit == 0.0:
            return
        levels[k, MENDING_UNIT] = unit
        for j in range(INPUTS):
            mixture.mending_P[k, j, j] = unit
    q = reach(mixture.mending_P, k, INPUT_SLOTS, inputs, INPUTS, room.mending_z)
    raw = room.f[MENDED]
    target = raw + clipped(o - raw, most)
    step, shrink = second_order_step(model, k, centre + raw, centre + target, h, q, MENDED)
    may_forget = largest(mixture.mending_P, k, INPUTS) < 100.0 * levels[k, MENDING_UNIT]
    advance(mixture.mending_P, mixture.mending, k, room.mending_z, step, shrink, MEMORY if may_forget else 1.0)


@inner
def mending_unit(model, k):
    """What P starts with: one over the square of the labels' spread, in the unit of the curvature."""
    if not is_real(model.loss):
        return 1.0
    spread, unit = model.mixture.labels[k, SCALE], model.mixture.levels[k, UNIT]
    return 0.5 * unit / (spread * spread * usual_weight(model.totals)) if spread > 0.0 else 0.0


@inner
def second_order_step(model, k, p, y, h, q, expert):
    """How far to go along z, and how much of z z' to take from P."""
    c = h * curved(model, k, p, y, expert)
    shrink = c / (1.0 + c * q)
    if is_quadratic(model.loss) or not has_flow(model.loss):
        return h * slope(model.loss, p, y) / (1.0 + c * q), shrink
    return flow(model.loss, p, y, h, q), shrink


@inner
def curved(model, k, p, y, expert):
    """The curvature of the loss at p, or for a loss without one the square of its slope over its usual size."""
    c = curvature(model.loss, p, y)
    if c >= 0.0:
        return c
    g = slope(model.loss, p, y)
    if not is_real(model.loss):
        return g * g
    judged = model.mixture.levels[k, JUDGED]
    usual = model.mixture.losses[k, expert] / judged if judged > 0.0 else value(model.loss, p, y)
    return g * g / usual if usual > 0.0 else 0.0


@inner
def teach_rates(model, k, slots, m, centre, o, h, room):
    """Adaptive descent at the eight rates, times the spread of the labels."""
    f, sizes, totals = room.f, room.sizes, model.totals
    spread = model.mixture.labels[k, SCALE] if is_real(model.loss) else 1.0
    if spread == 0.0 or totals[NORM] == 0.0:
        return
    slopes(model.loss, f, LANES, centre, o, sizes)
    g = load8(sizes, 0)
    reached = condition_rates(model.G, slots, room.u, m, k * LANES, g * g * h, room.a)
    rates = load8(RATES, 0) * (spread * math.sqrt(totals[EXAMPLES] / totals[NORM]))
    store8(sizes, 0, reached * rates)
    flows(model.loss, f, LANES, centre, o, h, sizes, sizes)
    step_rates(model.v, slots, room.a, m, k * LANES, load8(sizes, 0) * rates)


@inner
def teach_second(model, k, slots, m, centre, o, h, raw, q, room):
    """The second-order expert. Its unit, e² over the loss, is that of its first error."""
    levels, second = model.mixture.levels, model.second
    if levels[k, UNIT] == 0.0:
        loss = value(model.loss, centre + raw, centre + o)
        if not loss > 0.0:
            return
        levels[k, UNIT] = (o - raw) ** 2 / loss
        for i in range(second.P.shape[1]):
            second.P[k, i, i] *= levels[k, UNIT]
        q = reach(second.P, k, slots, room.u, m, room.z)
    step, shrink = second_order_step(model, k, centre + raw, centre + o, h, q, NEWTON)
    advance(second.P, second.theta, k, room.z, step, shrink, 1.0)


@inner
def remember(model, k, intercept, o, h, error):
    """What the next rows need to know of this one's label; at last the centre moves, and the intercepts against it."""
    levels = model.mixture.levels
    levels[k, WEIGHT] += h
    levels[k, LABELS] += 1.0
    levels[k, ERROR_BEFORE] = levels[k, ERROR]
    levels[k, ERROR] = clipped(error, RECALLED * model.mixture.errors[k, SCALE])
    if not is_real(model.loss):
        follow_score(model, k, o, h)
        return
    y = levels[k, CENTRE] + o
    levels[k, LAST_LABEL] = y
    levels[k, LOW], levels[k, HIGH] = min(levels[k, LOW], y), max(levels[k, HIGH], y)
    if model.centred:
        move_centre(model, k, intercept, h * o / levels[k, WEIGHT])
    if levels[k, LABELS] <= FIRST_LABELS:
        look_back(model, k, intercept, y)


@inner
def follow_score(model, k, y, h):
    """LAST and LEVEL for labels that are no numbers: scores that follow the loss quickly, and ever more slowly."""
    levels = model.mixture.levels
    for place, pace in ((LAST_LABEL, 4.0), (USUAL, 4.0 / levels[k, WEIGHT])):
        moved = levels[k, place] - pace * flow(model.loss, levels[k, place], y, h, pace)
        levels[k, place] = max(-LARGEST_OPINION, min(LARGEST_OPINION, moved))
    if is_count(model.loss):
        levels[k, HIGH] = max(levels[k, HIGH], math.log1p(y) + 1.0)


@inner
def move_centre(model, k, intercept, by):
    """The centre moves; opinions stay what they were."""
    model.mixture.levels[k, CENTRE] += by
    if mixes(model.rule):
        for j in range(k * LANES, (k + 1) * LANES):
            model.v[intercept, j] -= by
    if has_second_order(model, k, model.totals[WIDEST]):
        model.second.theta[k, intercept] -= by
