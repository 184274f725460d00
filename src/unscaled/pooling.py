"""What two learners of auto or newton know, made one; merging.py does it for the paper's rules.

Where both know something, sums and counts add, and means are weighted by what stands behind them. Matrices add as
information: P is the inverse of a sum over rows, so P⁻¹ adds, and θ is the mean that has these matrices for weights.
"""

import numpy as np

from unscaled.experts import ExpertNumbers
from unscaled.kernels import LANES, Lanes, mixture_state, yardsticks
from unscaled.kernels.mixture_state import Mixture, SecondOrder

_OF_A_REST = [
    mixture_state.WITH,
    mixture_state.UNTIL,
    mixture_state.LENGTH,
    mixture_state.LOSS_BEFORE,
    mixture_state.LOSS_NOW,
]

_MEANS = (
    mixture_state.CENTRE,
    mixture_state.LAST_LABEL,
    mixture_state.USUAL,
    mixture_state.ERROR,
    mixture_state.ERROR_BEFORE,
)
"""What of the levels is a mean over labels."""


def pool(ours: ExpertNumbers, theirs: ExpertNumbers, slots: np.ndarray, lanes: np.ndarray, centred: bool) -> None:
    """Adds what `theirs` knows to `ours`: slot i of theirs is slots[i], and output k of ours is theirs lanes[k]."""
    theirs = _as_ours(theirs, ours.slots, slots, lanes)
    for side in (ours, theirs):
        _wake(side)
    for side in (ours, theirs):
        side.totals[mixture_state.WIDEST] = max(_widest(ours), _widest(theirs))
        side._resize_second_order()
    centre = _mean(ours.mixture.levels, theirs.mixture.levels, mixture_state.CENTRE)
    features = _pooled_yardsticks(ours.features, theirs.features)
    for side in (ours, theirs):
        _read_at(side, features[:, yardsticks.SCALE])
        if centred:
            _move_centre(side, int(ours.totals[mixture_state.INTERCEPT]), centre)
    there, more = ours.count[:, None], theirs.count[:, None]
    both = np.maximum(there + more, 1.0)
    ours.v[:] = (ours.v * there + theirs.v * more) / both
    ours.gamma += theirs.gamma
    ours.second = SecondOrder(*_added_information(ours.second, theirs.second))
    ours.features = features
    ours.mixture = _pooled_mixture(ours.mixture, theirs.mixture)
    slots_of_ours = [mixture_state.WIDEST, mixture_state.INTERCEPT]
    ours.totals += np.where(np.isin(np.arange(mixture_state.TOTALS), slots_of_ours), 0.0, theirs.totals)
    ours.lanes = Lanes(
        ours.lanes.learning_rate,
        np.minimum(ours.lanes.low, theirs.lanes.low),
        np.maximum(ours.lanes.high, theirs.lanes.high),
        ours.lanes.loss + theirs.lanes.loss,
    )


def _wake(side: ExpertNumbers) -> None:
    """Ends the rest of experts: they begin with what the one that went on alone knows."""
    known = min(side.second.theta.shape[1], len(side.v))
    for k in side.resting():
        side.v[:known, k * LANES : (k + 1) * LANES] = side.second.theta[k, :known, None]
    side.mixture.levels[:, _OF_A_REST] = 0.0


def _widest(numbers: ExpertNumbers) -> int:
    """The slots that rows have reached up to; where there is no second-order expert any more, it stays so."""
    if numbers.totals[mixture_state.WIDEST] > mixture_state.MOST_SECOND_ORDER:
        return int(numbers.totals[mixture_state.WIDEST])
    return int(np.flatnonzero(numbers.scale).max(initial=-1)) + 1


def _as_ours(theirs: ExpertNumbers, room: int, slots: np.ndarray, lanes: np.ndarray) -> ExpertNumbers:
    """A copy of theirs with our slots and our outputs."""
    twin = theirs.copy()
    used = np.flatnonzero(theirs.count)
    at = slots[used]
    twin.lanes = Lanes(*(each[lanes] for each in theirs.lanes))
    twin.mixture = Mixture(*(each[lanes].copy() for each in theirs.mixture))
    rates = theirs.v.shape[1] // max(theirs.width, 1)
    columns = (lanes[:, None] * rates + np.arange(rates)).ravel()
    twin.features = np.zeros((room, LANES))
    twin.features[at] = theirs.features[used]
    twin.v, twin.gamma = (np.zeros((room, len(columns)), each.dtype) for each in (theirs.v, theirs.gamma))
    twin.v[at], twin.gamma[at] = theirs.v[used][:, columns], theirs.gamma[used][:, columns]
    kept, size = lanes[lanes < len(theirs.second.P)], theirs.second.P.shape[1]
    inside = (used < size) & (at < mixture_state.MOST_SECOND_ORDER)
    wide = min(mixture_state.MOST_SECOND_ORDER, -(-room // LANES) * LANES)
    theta, P = np.zeros((len(kept), wide)), np.zeros((len(kept), wide, wide))
    theta[:, at[inside]] = theirs.second.theta[kept][:, used[inside]]
    P[:, at[inside][:, None], at[inside]] = theirs.second.P[kept][:, used[inside][:, None], used[inside]]
    twin.second = SecondOrder(theta, P)
    return twin


def _pooled_yardsticks(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """The root mean square of both; blocks that are not full are left out."""
    pooled = np.zeros_like(ours)
    pooled[:, yardsticks.COUNT] = ours[:, yardsticks.COUNT] + theirs[:, yardsticks.COUNT]
    known = ours[:, yardsticks.KNOWN] + theirs[:, yardsticks.KNOWN]
    larger = np.maximum(ours[:, yardsticks.SCALE], theirs[:, yardsticks.SCALE])
    squares = sum(
        side[:, yardsticks.KNOWN]
        * np.divide(side[:, yardsticks.SCALE], larger, out=np.zeros(len(ours)), where=larger > 0) ** 2
        for side in (ours, theirs)
    )
    pooled[:, yardsticks.KNOWN] = np.minimum(known, yardsticks.LONG)
    pooled[:, yardsticks.START] = pooled[:, yardsticks.COUNT]
    pooled[:, yardsticks.END] = pooled[:, yardsticks.COUNT] + np.minimum(known, yardsticks.BLOCK)
    pooled[:, yardsticks.SCALE] = larger * np.sqrt(np.divide(squares, known, out=np.zeros(len(ours)), where=known > 0))
    return pooled


def _read_at(side: ExpertNumbers, scale: np.ndarray) -> None:
    """What was learned at the side's own scales, at these: the weights in the units of the user stay."""
    seen = side.scale > 0.0
    ratio = np.divide(scale, side.scale, out=np.ones(len(scale)), where=seen)
    side.v *= ratio[:, None]
    side.gamma /= (ratio**2)[:, None]
    inside = ratio[: side.second.P.shape[1]]
    inside = np.append(inside, np.ones(side.second.P.shape[1] - len(inside)))
    side.second.theta[:] *= inside
    side.second.P[:] *= inside[:, None] * inside


def _move_centre(side: ExpertNumbers, intercept: int, centre: np.ndarray) -> None:
    by = centre - side.mixture.levels[:, mixture_state.CENTRE]
    rates = side.v.shape[1] // max(side.width, 1)
    side.v[intercept] -= np.repeat(by, rates)
    if intercept < side.second.theta.shape[1]:
        side.second.theta[:, intercept] -= by[: len(side.second.theta)]


def _added_information(ours: SecondOrder, theirs: SecondOrder) -> tuple[np.ndarray, np.ndarray]:
    """θ and P of both."""
    theta, P = np.zeros_like(ours.theta), np.zeros_like(ours.P)
    for k in range(len(P)):
        information, weighted = np.zeros(P.shape[1:]), np.zeros(P.shape[1])
        for side in (ours, theirs):
            known = np.flatnonzero(np.diagonal(side.P[k]))
            own = np.linalg.inv(side.P[k][np.ix_(known, known)])
            information[np.ix_(known, known)] += own
            weighted[known] += own @ side.theta[k, known]
        known = np.flatnonzero(np.diagonal(information))
        inverse = np.linalg.inv(information[np.ix_(known, known)])
        P[k][np.ix_(known, known)] = (inverse + inverse.T) / 2.0
        theta[k, known] = inverse @ weighted[known]
    return theta, P


def _mean(ours: np.ndarray, theirs: np.ndarray, place: int) -> np.ndarray:
    """The mean of a number of the levels, weighted by the labels behind it."""
    n, m = ours[:, mixture_state.WEIGHT], theirs[:, mixture_state.WEIGHT]
    total = n + m
    return np.divide(n * ours[:, place] + m * theirs[:, place], total, out=np.zeros(len(n)), where=total > 0)


def _pooled_mixture(ours: Mixture, theirs: Mixture) -> Mixture:
    """What is known of the outputs."""
    levels = ours.levels + theirs.levels
    for place in _MEANS:
        levels[:, place] = _mean(ours.levels, theirs.levels, place)
    levels[:, mixture_state.LOW] = np.minimum(ours.levels[:, mixture_state.LOW], theirs.levels[:, mixture_state.LOW])
    levels[:, mixture_state.HIGH] = np.maximum(ours.levels[:, mixture_state.HIGH], theirs.levels[:, mixture_state.HIGH])
    for place in (mixture_state.UNIT, mixture_state.MENDING_UNIT):
        levels[:, place] = np.maximum(ours.levels[:, place], theirs.levels[:, place])
    judged = [each.levels[:, mixture_state.JUDGED, None] for each in (ours, theirs)]
    total = judged[0] + judged[1]
    weighted = judged[0] * ours.shares + judged[1] * theirs.shares
    mending = SecondOrder(*_added_information(_mending(ours), _mending(theirs)))
    return Mixture(
        levels=levels,
        losses=ours.losses + theirs.losses,
        shares=np.where(total > 0.0, weighted / np.maximum(total, 1e-300), ours.shares),
        labels=_pooled_yardsticks(ours.labels, theirs.labels),
        errors=_pooled_yardsticks(ours.errors, theirs.errors),
        firsts=_first_labels(ours, theirs),
        mending=mending.theta,
        mending_P=mending.P,
    )


def _mending(known: Mixture) -> SecondOrder:
    return SecondOrder(known.mending, known.mending_P)


def _first_labels(ours: Mixture, theirs: Mixture) -> np.ndarray:
    """Those of both in ascending order, for neither came first; only as long as they are few do they matter."""
    firsts = np.zeros_like(ours.firsts)
    for k in range(len(firsts)):
        few = np.concatenate([each.firsts[k, : int(each.levels[k, mixture_state.LABELS])] for each in (ours, theirs)])
        few = np.sort(few)[: firsts.shape[1]]
        firsts[k, : len(few)] = few
    return firsts
