"""Two learners of the same kind made one, which knows what both knew.

For each feature and lane: the scale is the larger of the two (second moments add). G adds, as do the counts, N and t.
The weight, read at the common scale, is the average of the two, each with the count of the rows in which it was there:
the amount of evidence, which two shards of one stream share in proportion to their sizes. The order does not matter,
and a learner that has learned nothing changes nothing.
"""

from typing import TYPE_CHECKING

import numpy as np

from unscaled import pooling
from unscaled.errors import DataError, UsageError
from unscaled.experts import ExpertNumbers
from unscaled.kernels import Lanes
from unscaled.rules import Rule
from unscaled.state import Numbers
from unscaled.targets import Classes

if TYPE_CHECKING:
    from unscaled.learner import Learner

WIDEST = 1e100
"""A weight learned at a scale so much smaller than the common one is not carried over in full: it would overflow."""


def merged(left: "Learner", right: "Learner") -> "Learner":
    """What both know; neither is changed."""
    if left.options != right.options:
        different = [name for name in vars(left.options) if vars(left.options)[name] != vars(right.options)[name]]
        raise UsageError(f"learners with different options cannot be merged: {', '.join(different)}")
    whole = left._copy()
    if right._features is None:
        return whole
    if whole._features is None:
        return right._copy()
    slots = _common_slots(whole, right)
    lanes = _common_lanes(whole, right)
    ours, theirs = whole._numbers, right._numbers
    if isinstance(ours, ExpertNumbers) and isinstance(theirs, ExpertNumbers):
        pooling.pool(ours, theirs, slots, lanes, whole.options.intercept)
    if isinstance(ours, Numbers) and isinstance(theirs, Numbers):
        _pool(whole.options.rule, ours, theirs, slots, lanes)
    whole._intervals = left._intervals.merged(right._intervals)
    whole.examples += right.examples
    whole.weight += right.weight
    return whole


def _common_slots(whole: "Learner", right: "Learner") -> np.ndarray:
    """Where each slot of the right learner stands in the whole one."""
    ours, theirs = whole._features, right._features
    if ours is None or theirs is None or ours.kind != theirs.kind:
        raise DataError("a learner taught with tables cannot be merged with one taught with plain arrays")
    base = ours.adopt(theirs)  # type: ignore[arg-type]  # they are of one kind
    whole._numbers.make_room(whole._crossing.table_size(ours.base))
    used = np.flatnonzero(right._numbers.count)
    slots = np.zeros(right._numbers.slots, np.int64)
    slots[used] = whole._crossing.slots(base[right._crossing.factors(used)])
    return slots


def _common_lanes(whole: "Learner", right: "Learner") -> np.ndarray:
    """The lane of the right learner that each lane of the whole one is pooled with."""
    ours, theirs, rates = whole._target, right._target, len(whole.options.rates)
    if isinstance(ours, Classes) and isinstance(theirs, Classes) and ours.is_open:
        new = [name for name in theirs.classes if name not in ours.classes]
        ours.classes += new
        whole._numbers.widen(whole.options, ours.lanes, is_open=True)
        unseen = len(theirs.classes)
        outputs = [theirs.classes.index(name) if name in theirs.classes else unseen for name in ours.classes]
        outputs.append(unseen)
        return (np.array(outputs)[:, None] * rates + np.arange(rates)).ravel()
    if whole._numbers.width != right._numbers.width:
        raise UsageError("learners with different numbers of targets cannot be merged")
    return np.arange(whole._numbers.width)


def _pool(rule: Rule, ours: Numbers, theirs: Numbers, slots: np.ndarray, lanes: np.ndarray) -> None:
    """Adds the right learner's numbers to the whole one's."""
    used = np.flatnonzero(theirs.count)
    at = slots[used]
    old, new = ours.scale[at], theirs.scale[used]
    scale = np.hypot(old, new) if rule.moving else np.maximum(old, new)
    t = ours.totals[0] + theirs.totals[0]
    if rule.moving:  # w = gain v / s: a larger t for all of our features, also those that the other side never met
        ours.v *= rule.gain(ours.totals[0]) / rule.gain(t)
    parts = []
    for side, was, places, columns in (
        (ours, old, at, np.arange(ours.width)),
        (theirs, new, used, lanes),
    ):
        ratio = np.divide(was, scale, out=np.ones(len(was)), where=(scale > 0) & (was > 0))[:, None]
        wider = 1.0 / ratio if rule.normalised else np.ones_like(ratio)
        if rule.moving and side is theirs:
            wider = wider * (rule.gain(theirs.totals[0]) / rule.gain(t))
        v = side.v[places][:, columns] * np.minimum(wider, WIDEST)
        gamma = side.gamma[places][:, columns] * rule.squash_G(ratio) if rule.adaptive else np.zeros(0)
        parts.append((v, gamma, side.count[places][:, None]))
    (v, gamma, count), (their_v, their_gamma, their_count) = parts
    ours.v[at] = (v * count + their_v * their_count) / (count + their_count)
    if rule.adaptive:
        ours.gamma[at] = gamma + their_gamma
    ours.scale[at] = scale
    with np.errstate(divide="ignore"):
        ours.inverse[at] = np.where(scale > 0, 1.0 / scale if rule.normalised else 1.0, 0.0)
    ours.count[at] += theirs.count[used]
    ours.totals += theirs.totals
    mine, other = ours.lanes, theirs.lanes
    ours.lanes = Lanes(
        mine.learning_rate,
        np.minimum(mine.low, other.low[lanes]),
        np.maximum(mine.high, other.high[lanes]),
        mine.loss + other.loss[lanes],
    )
