"""Rest: where the second-order expert is as good as all together, the others learn nothing new."""

from unscaled.kernels.compiled import inner
from unscaled.kernels.mixture_state import (
    AFTER_A_JUMP,
    AS_GOOD,
    INPUTS,
    JUDGED,
    LABELS,
    LENGTH,
    LONGEST_REST,
    LOOK,
    LOSS_BEFORE,
    LOSS_NOW,
    MEAN,
    MENDED,
    NEWTON,
    RECENT,
    ROWS,
    SHORTEST_REST,
    TWIN,
    UNTIL,
    WIDEST,
    WITH,
    WORSE,
    has_second_order,
)
from unscaled.kernels.simd import LANES


@inner
def rests(model, k, widest, row):
    """Whether the other experts of an output rest in this row."""
    return row < model.mixture.levels[k, UNTIL] and has_second_order(model, k, widest)


@inner
def look_around(model, k):
    """Sends the other experts to rest if one second-order opinion has lost no more than all together."""
    levels, losses = model.mixture.levels, model.mixture.losses
    if levels[k, LABELS] < 4.0 * LOOK or not has_second_order(model, k, model.totals[WIDEST]):
        return
    best = TWIN if losses[k, TWIN] <= losses[k, NEWTON] else NEWTON
    if not losses[k, best] <= AS_GOOD * min(losses[k, MEAN], losses[k, MENDED]):
        levels[k, LENGTH] = 0.0
        return
    levels[k, WITH] = best
    levels[k, LENGTH] = min(max(2.0 * levels[k, LENGTH], SHORTEST_REST), LONGEST_REST)
    levels[k, UNTIL] = model.totals[ROWS] + levels[k, LENGTH]
    levels[k, LOSS_BEFORE] = levels[k, LOSS_NOW] = losses[k, best] / levels[k, JUDGED]


@inner
def watch(model, k, loss):
    """What the expert that goes on alone loses. If that is more than before, the others are woken.

    They also are at the end of the rest. All begin with what it knows by then, and their losses count from anew.
    """
    levels = model.mixture.levels
    levels[k, LOSS_NOW] += (1.0 - RECENT) * (loss - levels[k, LOSS_NOW])
    if levels[k, LOSS_NOW] > WORSE * levels[k, LOSS_BEFORE]:
        levels[k, UNTIL] = levels[k, LENGTH] = 0.0
    if model.totals[ROWS] + 1.0 < levels[k, UNTIL]:
        return
    for slot in range(min(model.v.shape[0], model.second.theta.shape[1])):
        for j in range(k * LANES, (k + 1) * LANES):
            model.v[slot, j] = model.second.theta[k, slot]
    count_less(model, k)


@inner
def count_less(model, k):
    """After errors of another kind, those from before say little of who is right."""
    levels, losses = model.mixture.levels, model.mixture.losses
    levels[k, JUDGED] *= AFTER_A_JUMP
    for j in range(INPUTS):
        losses[k, j] *= AFTER_A_JUMP
