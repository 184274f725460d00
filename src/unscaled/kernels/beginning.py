"""The first labels of an output: if one of them is far from all others, what it taught is forgotten."""

from unscaled.kernels.compiled import inner
from unscaled.kernels.formulas import is_quadratic, mixes
from unscaled.kernels.mixture_state import (
    CENTRE,
    ERROR,
    ERROR_BEFORE,
    FIRST_LABELS,
    HIGH,
    JUDGED,
    LABELS,
    LAST_LABEL,
    LENGTH,
    LOW,
    MENDING_UNIT,
    OUTLYING,
    UNIT,
    UNTIL,
    WEIGHT,
    WIDE,
    prior,
)
from unscaled.kernels.simd import LANES
from unscaled.kernels.yardsticks import LABEL_CUT, LONG, SCALE, take_in


@inner
def look_back(model, k, intercept, y):
    """Keeps the first eight labels. If one of them is far from all others then, what it taught is forgotten."""
    firsts, levels = model.mixture.firsts, model.mixture.levels
    n = int(levels[k, LABELS])
    firsts[k, n - 1] = y
    if n < FIRST_LABELS:
        return
    centre = middle(firsts, k, 0.0, False)
    deviation = middle(firsts, k, centre, True)
    if not model.centred or deviation == 0.0:
        return
    outlying = False
    for j in range(FIRST_LABELS):
        outlying |= abs(firsts[k, j] - centre) > OUTLYING * deviation
    if outlying:
        start_anew(model, k, centre, OUTLYING * deviation)


@inner
def middle(firsts, k, centre, of_distances):
    """The lower median of the first labels, or of their distances from a centre: by counting, as they are few."""
    for j in range(FIRST_LABELS):
        own = abs(firsts[k, j] - centre) if of_distances else firsts[k, j]
        below, equal = 0, 0
        for i in range(FIRST_LABELS):
            other = abs(firsts[k, i] - centre) if of_distances else firsts[k, i]
            below += other < own
            equal += other == own
        if below < FIRST_LABELS // 2 <= below + equal:
            return own
    return centre


@inner
def start_anew(model, k, centre, most):
    """An output as if it had seen nothing but the labels that are within `most` of the centre."""
    mixture, levels, second = model.mixture, model.mixture.levels, model.second
    forget(model, k)
    levels[k, CENTRE] = levels[k, LAST_LABEL] = levels[k, LOW] = levels[k, HIGH] = centre
    levels[k, WEIGHT] = 1.0
    for j in range(FIRST_LABELS):
        y = mixture.firsts[k, j]
        if abs(y - centre) <= most:
            take_in(mixture.labels, k, y - centre, LABEL_CUT, LONG)
            levels[k, LOW], levels[k, HIGH] = min(levels[k, LOW], y), max(levels[k, HIGH], y)
    if k < second.P.shape[0]:
        for i in range(second.P.shape[1]):
            if model.features[i, SCALE] > 0.0:
                second.P[k, i, i] = prior(model, k)


@inner
def forget(model, k):
    """Zeros for all that an output has learned."""
    mixture, levels, second = model.mixture, model.mixture.levels, model.second
    for place in (ERROR, ERROR_BEFORE, JUDGED, MENDING_UNIT, UNTIL, LENGTH):
        levels[k, place] = 0.0
    if not is_quadratic(model.loss):
        levels[k, UNIT] = 0.0
    for j in range(WIDE):
        mixture.losses[k, j] = 0.0
        mixture.mending[k, j] = 0.0
        for i in range(WIDE):
            mixture.mending_P[k, j, i] = 0.0
    for j in range(LANES):
        mixture.labels[k, j] = 0.0
        mixture.errors[k, j] = 0.0
    if mixes(model.rule):
        for slot in range(model.v.shape[0]):
            for j in range(k * LANES, (k + 1) * LANES):
                model.v[slot, j] = 0.0
                model.G[slot, j] = 0.0
    if k < second.P.shape[0]:
        for i in range(second.P.shape[1]):
            second.theta[k, i] = 0.0
            for j in range(second.P.shape[1]):
                second.P[k, i, j] = 0.0
