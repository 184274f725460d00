"""The loop over examples: algorithms 1 and 2 of the paper, with everything that varies handed in as a type.

    for each example (x, y) of weight h
        meet the scales, which gives u = x / s                        scales.py, step 2.(a)
        p = gain Σ v u                                                step 2.(b)
        N ← N + h gain² Σ u²                                          step 2.(c)
        Γ ← Γ + h slope² u²                                           step 2.(d).i
        v ← v - learning_rate pace flow u / √Γ                        step 2.(d).ii

The rule, the loss and the kind of rows are NamedTuples, so Numba compiles the loop for just that combination. One
lane has 1-D arrays, many lanes 2-D ones; that, too, is a type.
"""

from typing import NamedTuple

import numpy as np

from unscaled.kernels.compiled import chosen, inner, kernel, uncached
from unscaled.kernels.formulas import flow, gain, moving, pace, slope, value
from unscaled.kernels.many_lanes import condition_lanes, score_lanes, step_lanes
from unscaled.kernels.one_lane import condition, count, score, step
from unscaled.kernels.rows import at, row_count
from unscaled.kernels.scales import BAD, State, glimpse, meet
from unscaled.kernels.simd import LANES, first, load8, store8, store_part8

EXAMPLES, NORM = 0, 1
"""Where t and N stand in the totals."""


class Lanes(NamedTuple):
    """What each lane has of its own, apart from v and Γ."""

    learning_rate: np.ndarray
    low: np.ndarray  # predictions are cut to [low, high]; nothing is cut while low > high
    high: np.ndarray
    loss: np.ndarray  # the sum of the losses of the predictions made before each update, times the weights


class Settings(NamedTuple):
    """What is the same in every lane and fixed for the life of a learner."""

    importance_aware: bool
    follow_labels: bool  # low and high follow the labels, after the prediction
    l1: float
    l2: float


class Model(NamedTuple):
    """All that learning reads and writes. To predict, loss and settings may be None."""

    rule: tuple
    loss: tuple | None
    settings: Settings | None
    state: State
    lanes: Lanes
    totals: np.ndarray


class Batch(NamedTuple):
    """Rows with their labels and weights, and room for the predictions; a column a lane if there are many."""

    rows: tuple
    labels: np.ndarray
    weights: np.ndarray
    predictions: np.ndarray


def _learn(model, batch, scratch, begin):
    rule, totals = model.rule, model.totals
    for i in range(begin, row_count(batch.rows)):
        h = batch.weights[i]
        if h == 0.0:
            m = glimpse(rule, model.state, batch.rows, i, scratch)
            if m < 0:
                return i
            predict_row(model, batch.predictions, i, m, scratch)
            continue
        m, squares = meet(rule, model.state, batch.rows, i, h, scratch)
        if squares == BAD:
            return i
        totals[EXAMPLES] += h
        totals[NORM] += h * gain(rule, totals[EXAMPLES]) ** 2 * squares
        learn_row(model, batch, i, m, scratch)
        count(model.state.count, scratch.u, scratch.slots, m)
    return row_count(batch.rows)


def _predict(model, rows, scratch, predictions, begin):
    for i in range(begin, row_count(rows)):
        m = glimpse(model.rule, model.state, rows, i, scratch)
        if m < 0:
            return i
        predict_row(model, predictions, i, m, scratch)
    return row_count(rows)


learn = kernel(_learn)
"""Learns from rows `begin` and on; gives the index of the first row with an infinite value, or the row count."""

predict = kernel(_predict)
"""Predicts rows `begin` and on, likewise."""

learn_foreign, predict_foreign = uncached(_learn), uncached(_predict)
"""The same for a loss or a rule that is not of this package."""


@inner
def bound(lanes, k, p):
    """The truncation of corollary 1."""
    if lanes.low[k] > lanes.high[k]:
        return p
    return max(lanes.low[k], min(lanes.high[k], p))


@inner
def observe(model, k, p, y, h):
    """Counts the loss of a prediction and only then shows its label to the lane."""
    model.lanes.loss[k] += h * value(model.loss, p, y)
    if model.settings.follow_labels:
        model.lanes.low[k] = min(model.lanes.low[k], y)
        model.lanes.high[k] = max(model.lanes.high[k], y)


@inner
def pushed(model, k, p, y, g, h, reach):
    """How far along the slope lane k goes: a plain step, or the flow of the loss."""
    if not model.settings.importance_aware:
        return h * g
    own_gain = gain(model.rule, model.totals[EXAMPLES])
    return flow(model.loss, p, y, h, own_gain * current_rate(model, k) * reach)


@inner
def current_rate(model, k):
    """The learning rate of lane k times the pace of the rule; 0 before the first feature."""
    t, N = model.totals[EXAMPLES], model.totals[NORM]
    return model.lanes.learning_rate[k] * pace(model.rule, t, N) if N > 0.0 else 0.0


@inner
def must_step(model, any_slope):
    """Whether a row changes anything but the counts."""
    return any_slope or moving(model.rule) or penalised(model)


@inner
def penalised(model):
    """Whether weights are penalised."""
    return model.settings.l1 > 0.0 or model.settings.l2 > 0.0


@inner
def penalise(settings, v, a, u, slots, m, rate):
    """The proximal step for l1 |v| + l2 v² / 2 on the row's features, each at its own rate; not the intercept.

    `rate` is the step on v for a unit slope by v and a unit of 1 / √Γ; the slope by v is gain * u times that by p.
    """
    for j in range(1, m):
        if u[j] == 0.0:
            continue
        own = rate * (a[j] / u[j])
        old = v[at(slots, j)]
        size = max(0.0, abs(old) - settings.l1 * own) / (1.0 + settings.l2 * own)
        v[at(slots, j)] = size if old > 0.0 else -size


def learn_row(model, batch, i, m, scratch):
    """Steps 2.(b) and 2.(d) in every lane."""
    raise NotImplementedError("only compiled code calls this")


@chosen(learn_row)
def _(model, batch, i, m, scratch):
    labels = batch.types[batch.fields.index("labels")]
    return _learn_row_one if labels.ndim == 1 else _learn_row_many


def _learn_row_one(model, batch, i, m, scratch):
    state, h, y = model.state, batch.weights[i], batch.labels[i]
    own_gain = gain(model.rule, model.totals[EXAMPLES])
    p = bound(model.lanes, 0, own_gain * score(state.v, scratch.u, scratch.slots, m))
    batch.predictions[i] = p
    observe(model, 0, p, y, h)
    g = slope(model.loss, p, y)
    if not must_step(model, g != 0.0):
        return
    reach = condition(model.rule, state.G, scratch, m, h * g * g)
    rate = current_rate(model, 0)
    step(state.v, scratch.a, scratch.slots, m, rate * pushed(model, 0, p, y, g, h, reach))
    if penalised(model):
        penalise(model.settings, state.v, scratch.a, scratch.u, scratch.slots, m, h * rate / own_gain)


def _learn_row_many(model, batch, i, m, scratch):
    for start in range(0, batch.labels.shape[1], LANES):
        learn_block(model, batch, i, m, scratch, start)


@inner
def learn_block(model, batch, i, m, scratch, start):
    """What `_learn_row_one` does, in eight lanes."""
    state, h = model.state, batch.weights[i]
    end = min(start + LANES, batch.labels.shape[1])
    lanes = first(end - start)
    raw = score_lanes(state.v, scratch.u, scratch.slots, m, start) * gain(model.rule, model.totals[EXAMPLES])
    store_part8(batch.predictions, i * batch.labels.shape[1] + start, lanes, raw)
    any_slope = False
    for k in range(start, end):
        y = batch.labels[i, k]
        p = bound(model.lanes, k, batch.predictions[i, k])
        batch.predictions[i, k] = p
        observe(model, k, p, y, h)
        g = slope(model.loss, p, y)
        any_slope |= g != 0.0
        scratch.slope[k - start] = g
    if not must_step(model, any_slope):
        return
    g = load8(scratch.slope, 0)
    reach = condition_lanes(model.rule, state.G, scratch, m, start, g * g * h)
    store8(scratch.reach, 0, reach)
    for k in range(start, end):
        p, y, g = batch.predictions[i, k], batch.labels[i, k], scratch.slope[k - start]
        push = pushed(model, k, p, y, g, h, scratch.reach[k - start])
        scratch.slope[k - start] = current_rate(model, k) * push
    step_lanes(state.v, scratch.a, scratch.slots, m, start, load8(scratch.slope, 0))
    if penalised(model):
        for k in range(start, end):
            a = scratch.a[k - start :: LANES]
            rate = h * current_rate(model, k) / gain(model.rule, model.totals[EXAMPLES])
            penalise(model.settings, state.v[:, k], a, scratch.u, scratch.slots, m, rate)


def predict_row(model, predictions, i, m, scratch):
    """The prediction that the next example would get before its update, in every lane."""
    raise NotImplementedError("only compiled code calls this")


@chosen(predict_row)
def _(model, predictions, i, m, scratch):
    return _predict_row_one if predictions.ndim == 1 else _predict_row_many


def _predict_row_one(model, predictions, i, m, scratch):
    own_gain = gain(model.rule, model.totals[EXAMPLES] + 1.0)
    predictions[i] = bound(model.lanes, 0, own_gain * score(model.state.v, scratch.u, scratch.slots, m))


def _predict_row_many(model, predictions, i, m, scratch):
    width = predictions.shape[1]
    own_gain = gain(model.rule, model.totals[EXAMPLES] + 1.0)
    for start in range(0, width, LANES):
        raw = score_lanes(model.state.v, scratch.u, scratch.slots, m, start) * own_gain
        store_part8(predictions, i * width + start, first(width - start), raw)
    for k in range(width):
        predictions[i, k] = bound(model.lanes, k, predictions[i, k])
