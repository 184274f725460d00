"""What the experts of a mixture say of a row, and the one prediction that comes of it."""

import math

from unscaled.kernels.compiled import inner
from unscaled.kernels.eight_rates import score_rates
from unscaled.kernels.formulas import is_linked, is_quadratic, is_real, mixes, unlink
from unscaled.kernels.mixture_state import (
    CENTRE,
    ERROR,
    ERROR_BEFORE,
    EXPERTS,
    INPUTS,
    LAST,
    LAST_LABEL,
    LEVEL,
    MEAN,
    MENDED,
    NEWTON,
    TWIN,
    USUAL,
    WIDE,
    WITH,
    has_second_order,
    limited,
    prior,
    usual_weight,
    within_reason,
)
from unscaled.kernels.opinions import links
from unscaled.kernels.resting import rests
from unscaled.kernels.second_order import reach, score
from unscaled.kernels.simd import LANES, store8


@inner
def second_opinion(model, k, slots, m, unseen, room):
    """The second-order expert's two opinions, of which the first is yet to be limited; gives θ' u and q.

    The one on a number is hedged, as the forecaster's is, and its twin is not bound to the range of the labels: without
    noise, the best prediction may lie beyond it. For likelihoods the twin is hedged: by what q says of the variance
    of θ' u, after MacKay (1992).
    """
    second, f = model.second, room.f
    q = reach(second.P, k, slots, room.u, m, room.z) + unseen * prior(model, k)
    raw = score(second.theta, k, slots, room.u, m)
    unsure = q * usual_weight(model.totals)
    f[NEWTON] = raw / (1.0 + 2.0 * unsure) if is_quadratic(model.loss) else raw
    if is_real(model.loss):
        f[TWIN] = f[NEWTON]
    else:
        f[TWIN] = limited(model.mixture.levels, k, raw / math.sqrt(1.0 + math.pi / 8.0 * unsure))
    return raw, q


@inner
def mix(model, k, slots, m, widest, room):
    """Writes all opinions but the second-order one, which is there, then the mean and the mended one. Gives q' z'."""
    levels, shares, f, inputs = model.mixture.levels, model.mixture.shares, room.f, room.inputs
    store8(f, 0, score_rates(model.v, slots, room.u, m, k * LANES))
    f[LAST] = levels[k, LAST_LABEL] - levels[k, CENTRE]
    f[LEVEL] = levels[k, USUAL]
    for j in range(EXPERTS):
        if j != TWIN:
            f[j] = limited(levels, k, f[j])
    f[MEAN] = average(model.loss, f, shares, k, 0, EXPERTS, room.seen)
    for j in range(EXPERTS):
        inputs[j] = f[j] - f[MEAN]
    if not has_second_order(model, k, widest):
        inputs[NEWTON] = inputs[TWIN] = 0.0
    if is_real(model.loss):
        inputs[MEAN], inputs[MENDED] = levels[k, ERROR], levels[k, ERROR_BEFORE]
    else:
        inputs[MEAN], inputs[MENDED] = f[MEAN], 1.0
    f[MENDED] = f[MEAN]
    for j in range(INPUTS):
        f[MENDED] += model.mixture.mending[k, j] * inputs[j]


@inner
def average(loss, f, shares, k, begin, end, seen):
    """The mean of opinions as the user reads them."""
    if is_linked(loss):
        links(loss, f, WIDE, seen)
    mean = 0.0
    for j in range(begin, end):
        if shares[k, j] > 0.0:
            mean += shares[k, j] * (seen[j] if is_linked(loss) else f[j])
    return unlink(loss, mean) if is_linked(loss) else mean


@inner
def offer(model, k, slots, m, unseen, widest, row, room):
    """All opinions on a row, and the one that comes of them; of the second-order one also the raw one, and q."""
    levels, f = model.mixture.levels, room.f
    raw, q = 0.0, 0.0
    f[NEWTON] = f[TWIN] = 0.0
    if has_second_order(model, k, widest):
        raw, q = second_opinion(model, k, slots, m, unseen, room)
    if not mixes(model.rule):
        return f[TWIN] if is_real(model.loss) else limited(levels, k, f[NEWTON]), raw, q
    if rests(model, k, widest, row):
        return f[TWIN] if levels[k, WITH] == TWIN else limited(levels, k, f[NEWTON]), raw, q
    mix(model, k, slots, m, widest, room)
    mended = f[MENDED]
    f[MENDED] = within_reason(levels, k, mended, f[MEAN])
    p = average(model.loss, f, model.mixture.shares, k, MEAN, MENDED + 1, room.seen)
    f[MENDED] = mended
    return p, raw, q
