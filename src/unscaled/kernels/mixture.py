"""auto: experts side by side, and one prediction out of theirs, without a rate and without a unit.

    for each example (x, y) of weight h
        read the features as u = x / s, cut                                   yardsticks.py
        each expert offers an opinion f:
            0 … 7     adaptive descent at eight rates                         eight_rates.py
            NEWTON    the second-order forecaster                             second_order.py
            TWIN      the same, with another view of the limits of its knowledge
            LAST      the label before;  LEVEL  the mean label
        mean = Σ share f,  mended = mean + θ' (f - mean, the last two errors)
        p = the mean of these two, with shares of their own
        judge all by their losses;  teach all;  measure the features

Shares follow from the sums L of losses, discounted by 0.999 a row. For labels that are any numbers a share is in
proportion to L^(-n/2): the mixture that errors of a normal law of unknown variance give, in which no unit is left. For
the losses that are likelihoods it is e^(-L). Opinions are averaged as the user reads them: as probabilities or rates.

Mending is regression itself, by a small second-order learner whose inputs are the experts: where one is better than
all on a part of the rows, or all lag behind a drift, that is what it learns.

Labels that are any numbers are read as o = y - centre, where the centre is their running mean: when it moves, the
intercepts move against it. An error beyond 100 times the usual one is cut, so that one label of 1e6 among labels of 1
does little; before the eighth label there is no usual one, and if the first labels turn out to be outliers then,
learning starts anew. No formula here knows a label before its row has been predicted.
"""

import numpy as np

from unscaled.kernels.compiled import inner, kernel, uncached
from unscaled.kernels.examples import bound
from unscaled.kernels.formulas import mixes, value
from unscaled.kernels.judging import judge
from unscaled.kernels.mixture_state import CENTRE, INTERCEPT, LOOK, ROWS, WIDEST, has_second_order
from unscaled.kernels.opining import offer
from unscaled.kernels.reading import glimpse, measure_row, meet
from unscaled.kernels.resting import look_around, rests, watch
from unscaled.kernels.teaching import mend, observed, remember, teach_rates, teach_second
from unscaled.kernels.yardsticks import clipped


def _learn(model, listed, labels, weights, predictions, room, rows):
    for i in range(rows):
        begin, end = listed.starts[i], listed.starts[i + 1]
        slots, x = listed.slots[begin:end], listed.values[begin:end]
        if weights[i] == 0.0:
            unseen, widest = glimpse(model, slots, x, end - begin, room.u)
            for k in range(labels.shape[1]):
                predict_output(model, k, slots, end - begin, unseen, widest, room, predictions, i)
            continue
        is_cut = meet(model, slots, x, end - begin, weights[i], room.u)
        for k in range(labels.shape[1]):
            learn_output(model, k, slots, end - begin, labels[i, k], weights[i], is_cut, room, predictions, i)
        measure_row(model, slots, x, room.u, end - begin)


def _predict(model, listed, predictions, room, rows):
    for i in range(rows):
        begin, end = listed.starts[i], listed.starts[i + 1]
        slots = listed.slots[begin:end]
        unseen, widest = glimpse(model, slots, listed.values[begin:end], end - begin, room.u)
        for k in range(predictions.shape[1]):
            predict_output(model, k, slots, end - begin, unseen, widest, room, predictions, i)


learn, predict = kernel(_learn), kernel(_predict)
learn_foreign, predict_foreign = uncached(_learn), uncached(_predict)
"""The same for a loss that is not of this package."""


@inner
def predict_output(model, k, slots, m, unseen, widest, room, predictions, i):
    """The prediction that the next example would get before its update."""
    p, _, _ = offer(model, k, slots, m, unseen, widest, model.totals[ROWS] + 1.0, room)
    predictions[i, k] = bound(model.lanes, k, model.mixture.levels[k, CENTRE] + p)


@inner
def learn_output(model, k, slots, m, y, h, is_cut, room, predictions, i):
    """Predicts, and then everything learns from the label."""
    levels, lanes = model.mixture.levels, model.lanes
    p, raw, q = offer(model, k, slots, m, np.int64(0), model.totals[WIDEST], model.totals[ROWS], room)
    shown = bound(lanes, k, levels[k, CENTRE] + p)
    predictions[i, k] = shown
    lanes.loss[k] += h * value(model.loss, shown, y)
    if model.follow_labels:
        lanes.low[k], lanes.high[k] = min(lanes.low[k], y), max(lanes.high[k], y)
    o, most = observed(model, k, y, p, is_cut)
    centre = levels[k, CENTRE]
    if mixes(model.rule) and rests(model, k, model.totals[WIDEST], model.totals[ROWS]):
        watch(model, k, value(model.loss, centre + p, centre + o))
    elif mixes(model.rule):
        judge(model, k, centre, o, h, room)
        mend(model, k, centre, o, most, h, room)
        teach_rates(model, k, slots, m, centre, o, h, room)
        if model.totals[ROWS] % LOOK == 0.0:
            look_around(model, k)
    if has_second_order(model, k, model.totals[WIDEST]):
        teach_second(model, k, slots, m, centre, raw + clipped(o - raw, most), h, raw, q, room)
    remember(model, k, int(model.totals[INTERCEPT]), o, h, o - p)
