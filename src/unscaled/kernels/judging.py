"""Who of the experts is right: their losses, and the shares that follow from them."""

import math

from unscaled.kernels.compiled import inner
from unscaled.kernels.formulas import is_real
from unscaled.kernels.mixture_state import (
    EXPERTS,
    INPUTS,
    JUDGED,
    MEAN,
    MEMORY,
    MENDED,
    NEWTON,
    ROWS,
    STEADY,
    TWIN,
    WEIGHT,
    WIDE,
    WIDEST,
    has_second_order,
    within_reason,
)
from unscaled.kernels.opinions import values


@inner
def judge(model, k, centre, o, h, room):
    """Every opinion is charged its loss, and shares follow; a first number, which nobody can know, does not count."""
    levels, losses, f = model.mixture.levels, model.mixture.losses, room.f
    if is_real(model.loss) and levels[k, WEIGHT] == 0.0:
        return
    levels[k, JUDGED] = levels[k, JUDGED] * MEMORY + 1.0
    mended = f[MENDED]
    f[MENDED] = within_reason(levels, k, mended, f[MEAN])
    values(model.loss, f, WIDE, centre, o, room.seen)
    for j in range(INPUTS):
        losses[k, j] = losses[k, j] * MEMORY + h * room.seen[j]
    f[MENDED] = mended
    if model.totals[ROWS] <= STEADY or model.totals[ROWS] % 8.0 == 0.0:
        share_out(model, k, 0, EXPERTS)
        share_out(model, k, MEAN, MENDED + 1)


@inner
def share_out(model, k, begin, end):
    """The shares of the experts from `begin` to `end`, by their losses."""
    losses, shares = model.mixture.losses, model.mixture.shares
    least = math.inf
    for j in range(begin, end):
        if takes_part(model, k, j):
            least = min(least, losses[k, j])
    total = 0.0
    for j in range(begin, end):
        shares[k, j] = worth(model, k, losses[k, j], least) if takes_part(model, k, j) else 0.0
        total += shares[k, j]
    for j in range(begin, end):
        shares[k, j] /= total


@inner
def takes_part(model, k, j):
    """Whether there is such an expert."""
    return j not in (NEWTON, TWIN) or has_second_order(model, k, model.totals[WIDEST])


@inner
def worth(model, k, loss, least):
    """How likely an expert is beside the best."""
    if loss == least:
        return 1.0
    if not is_real(model.loss):
        return math.exp(least - loss)
    if least <= 0.0:
        return 0.0
    return math.exp(-0.5 * model.mixture.levels[k, JUDGED] * math.log(loss / least))
