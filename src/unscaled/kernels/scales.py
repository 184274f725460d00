"""Step 2.(a) of the algorithms: a row's values meet the scales, and leave as u = x / s.

    for each feature of the row
        if |x| is beyond the scale's limit:  the scale moves, v and Γ are squashed
        u = x / s

A rule whose scale is a maximum rarely moves it: one comparison of eight values at a time tells whether a row does,
and only then is the row gone through value by value. A rule whose scale moves with every value leaves the factor
on Γ in scratch.fade, to be applied where Γ is read anyway.
"""

from typing import NamedTuple

import numpy as np

from unscaled.kernels.compiled import chosen, inner
from unscaled.kernels.formulas import (
    adaptive,
    beyond,
    limit,
    moving,
    normalised,
    squash_G,
    squash_v,
    stretch,
)
from unscaled.kernels.rows import LARGEST, DenseRows, expand
from unscaled.kernels.simd import (
    LANES,
    any8,
    between,
    fill8,
    first,
    gather8,
    load8,
    load_part8,
    not_within,
    or8,
    positive8,
    store8,
    sum8,
    where8,
)


class State(NamedTuple):
    """What is known of the features, slot by slot, without units; v and G have a column a lane if there are many.

    Each may be an array of its own or a column of one table, as the rows go (`Numbers.lay_out`).
    """

    scale: np.ndarray
    inverse: np.ndarray  # 1 / scale, or 1 for a rule that does not know scales; 0 for a feature never seen
    count: np.ndarray  # the rows in which the feature was there
    v: np.ndarray
    G: np.ndarray  # Γ


BAD = -1.0
"""In place of Σ u² for a row with an infinite value, from which nothing may be learned."""


def meet(rule, state, rows, i, h, scratch):
    """Row i meets the scales. Gives its number of features and Σ u², or BAD."""
    raise NotImplementedError("only compiled code calls this")


@chosen(meet)
def _(rule, state, rows, i, h, scratch):
    if rows.instance_class is not DenseRows:
        return _meet_listed
    return _meet_dense_moving if rule.instance_class.moving else _meet_dense


def _meet_dense(rule, state, rows, i, h, scratch):
    m = rows.values.shape[1] + 1
    within, squares = read_dense(state, rows, i, scratch.u)
    if within:
        return m, squares
    if not clean_dense(rows, i, scratch.x):
        return m, BAD
    for j in range(m):
        meet_value(rule, state, j, scratch.x[j], h, scratch, j)
    return m, sum_squares(scratch.u, m)


def _meet_dense_moving(rule, state, rows, i, h, scratch):
    m = rows.values.shape[1] + 1
    if not clean_dense(rows, i, scratch.x):
        return m, BAD
    for j in range(0, m, LANES):
        x, s = load8(scratch.x, j), load8(state.scale, j)
        if any8(not_within(abs(x), limit(rule, s))):
            for k in range(j, min(j + LANES, m)):
                meet_value(rule, state, k, scratch.x[k], h, scratch, k)
            continue
        grown = stretch(rule, x * load8(state.inverse, j), h)
        s = s * grown
        inverse = where8(positive8(s), 1.0 / s, fill8(0.0))
        store8(state.scale, j, s)
        store8(state.inverse, j, inverse)
        store8(scratch.u, j, x * inverse)
        store8(scratch.fade, j, squash_G(rule, 1.0 / grown))
    return m, sum_squares(scratch.u, m)


def _meet_listed(rule, state, rows, i, h, scratch):
    m = expand(rows, i, scratch)
    if m < 0:
        return m, BAD
    if not moving(rule):
        within, squares = read_listed(state, scratch, m)
        if within:
            return m, squares
    blank_last(scratch.u, m)
    for j in range(m):
        meet_value(rule, state, scratch.slots[j], scratch.x[j], h, scratch, j)
    return m, sum_squares(scratch.u, m)


@inner
def meet_value(rule, state, slot, x, h, scratch, j):
    """One value meets its scale: the lines of step 2.(a)."""
    s = state.scale[slot]
    if not abs(x) <= limit(rule, s):
        new = beyond(rule, x, h)
        squash(rule, state, slot, s / new, scratch, j)
        state.scale[slot] = new
        state.inverse[slot] = 1.0 / new if normalised(rule) else 1.0
    elif moving(rule):
        grown = stretch(rule, x * state.inverse[slot], h)
        scratch.fade[j] = squash_G(rule, 1.0 / grown)
        s = s * grown
        state.scale[slot] = s
        state.inverse[slot] = 1.0 / s if s > 0.0 else 0.0
    scratch.u[j] = x * state.inverse[slot]


@inner
def squash(rule, state, slot, ratio, scratch, j):
    """What was learned at the old scale is carried over to the new one."""
    if moving(rule):
        scratch.fade[j] = squash_G(rule, ratio)
        return
    multiply(state.v, slot, squash_v(rule, ratio))
    if adaptive(rule):
        multiply(state.G, slot, squash_G(rule, ratio))


def multiply(state, slot, factor):
    """A feature's number, or its number in each lane, times a factor."""
    raise NotImplementedError("only compiled code calls this")


@chosen(multiply)
def _(state, slot, factor):
    return _multiply_one if state.ndim == 1 else _multiply_many


def _multiply_one(state, slot, factor):
    state[slot] *= factor


def _multiply_many(state, slot, factor):
    for k in range(state.shape[1]):
        state[slot, k] *= factor


def glimpse(rule, state, rows, i, scratch):
    """As `meet`, to predict only: the row is read as if it had met the scales, which stay as they are.

    Gives the number of features, or -1 if a value is infinite.
    """
    raise NotImplementedError("only compiled code calls this")


@chosen(glimpse)
def _(rule, state, rows, i, scratch):
    return _glimpse_dense if rows.instance_class is DenseRows else _glimpse_listed


def _glimpse_dense(rule, state, rows, i, scratch):
    m = rows.values.shape[1] + 1
    if not moving(rule) and read_dense(state, rows, i, scratch.u)[0]:
        return m
    if not clean_dense(rows, i, scratch.x):
        return -1
    for j in range(m):
        scratch.u[j] = glimpse_value(rule, state, j, scratch.x[j])
    return m


def _glimpse_listed(rule, state, rows, i, scratch):
    m = expand(rows, i, scratch)
    if m < 0 or (not moving(rule) and read_listed(state, scratch, m)[0]):
        return m
    blank_last(scratch.u, m)
    for j in range(m):
        scratch.u[j] = glimpse_value(rule, state, scratch.slots[j], scratch.x[j])
    return m


@inner
def glimpse_value(rule, state, slot, x):
    """The u that `meet_value` would give for a row of weight one, times what it would do to v."""
    s = state.scale[slot]
    if not abs(x) <= limit(rule, s):
        new = beyond(rule, x, 1.0)
        return x * (1.0 / new if normalised(rule) else 1.0) * squash_v(rule, s / new)
    if moving(rule):
        s = s * stretch(rule, x * state.inverse[slot], 1.0)
        return x * (1.0 / s) if s > 0.0 else 0.0
    return x * state.inverse[slot]


@inner
def read_dense(state, rows, i, u):
    """Writes u = x / s if all values of the row are within their scales. Gives whether they are, and Σ u²."""
    row = rows.values[i]
    m = row.shape[0] + 1
    # The intercept stands before the row's first value, wherever that lies in memory.
    x = where8(first(1), fill8(rows.constant), load_part8(row, -1, between(1, m)))
    part, beyond_any = read8(state, 0, x, u)
    total = part * part
    for j in range(LANES, m, LANES):
        part, beyond_scale = read8(state, j, load_part8(row, j - 1, first(m - j)), u)
        beyond_any = or8(beyond_any, beyond_scale)
        total = total + part * part
    return not any8(beyond_any), sum8(total)


@inner
def read8(state, j, x, u):
    """Writes x / s for eight features. Gives it, and which values are beyond their scales."""
    part = x * load8(state.inverse, j)
    store8(u, j, part)
    return part, not_within(abs(x), load8(state.scale, j))


@inner
def read_listed(state, scratch, m):
    """As `read_dense`, for a row that is listed in the scratch buffer."""
    beyond_any = first(0)
    total = fill8(0.0)
    for j in range(0, m, LANES):
        x = load8(scratch.x, j)
        beyond_any = or8(beyond_any, not_within(abs(x), gather8(state.scale, scratch.slots, j)))
        part = x * gather8(state.inverse, scratch.slots, j)
        total = total + part * part
        store8(scratch.u, j, part)
    return not any8(beyond_any), sum8(total)


@inner
def blank_last(u, m):
    """Zeros for the last vector of a row of m features."""
    store8(u, (m - 1) // LANES * LANES, fill8(0.0))


@inner
def clean_dense(rows, i, x):
    """Writes the intercept and the values of the row to x, missing ones as 0; says whether all are finite."""
    row = rows.values[i]
    m = row.shape[0] + 1
    finite = True
    for j in range(0, m, LANES):
        value = load_part8(row, j - 1, between(1 - j, m - j))
        value = where8(not_within(value, value), fill8(0.0), value)
        finite &= not any8(not_within(abs(value), fill8(LARGEST)))
        store8(x, j, value)
    x[0] = rows.constant
    return finite


@inner
def sum_squares(u, m):
    """Σ u²."""
    total = fill8(0.0)
    for j in range(0, m, LANES):
        part = load8(u, j)
        total = total + part * part
    return sum8(total)
