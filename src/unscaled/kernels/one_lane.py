"""Steps 2.(b) to 2.(d) for a single predictor: eight features at a time.

    p = Σ v u                                       score
    Γ ← Γ + h slope² u²                             condition, which also gives
    a = u / √Γ                                        the step for a unit slope and
    q = Σ u a                                         how far it moves the prediction
    v ← v - size a                                  step

Short loops over a row that is in the nearest cache by then. The features of a dense row stand side by side. Those of a
listed one are read eight at a time and written one by one: that is quicker than a scatter on most machines, and right
also if two of them share a slot of a hashed table.
"""

from numba import types

from unscaled.kernels.compiled import chosen, inner
from unscaled.kernels.formulas import adaptive, moving
from unscaled.kernels.simd import (
    LANES,
    fill8,
    gather8,
    inverse_root8,
    load8,
    nonzero8,
    store8,
    sum8,
    where8,
)


def read(state, slots, j):
    """What stands in `state` for the features j to j + 7 of the row."""
    raise NotImplementedError("only compiled code calls this")


@chosen(read)
def _(state, slots, j):
    if isinstance(slots, types.NoneType):
        return lambda state, slots, j: load8(state, j)
    return lambda state, slots, j: gather8(state, slots, j)


@inner
def score(v, u, slots, m):
    """Σ v u."""
    total = fill8(0.0)
    for j in range(0, m, LANES):
        total = total + read(v, slots, j) * load8(u, j)
    return sum8(total)


@inner
def condition(rule, G, scratch, m, square):
    """Adds square * u² to Γ, writes a = u / √Γ and gives Σ u a."""
    if adaptive(rule):
        prepare(rule, G, scratch, m, square)
    total = fill8(0.0)
    for j in range(0, m, LANES):
        u = load8(scratch.u, j)
        a = u
        if adaptive(rule):
            gamma = grown(rule, G, scratch, j, square)
            a = u * inverse_root8(gamma)
        store8(scratch.a, j, a)
        total = total + u * a
    return sum8(total)


def prepare(rule, G, scratch, m, square):
    """For a listed row: Γ ← fade Γ + square u², whose new values are left in scratch.gamma. For a dense row nothing."""
    raise NotImplementedError("only compiled code calls this")


@chosen(prepare)
def _(rule, G, scratch, m, square):
    return _prepare_nothing if _is_dense(scratch) else _prepare_listed


def _prepare_nothing(rule, G, scratch, m, square):
    return


def _prepare_listed(rule, G, scratch, m, square):
    for j in range(m):
        u = scratch.u[j]
        gamma = float(G[scratch.slots[j]])
        if moving(rule):
            gamma = gamma * scratch.fade[j]
        gamma = gamma + u * u * square
        G[scratch.slots[j]] = gamma
        scratch.gamma[j] = gamma


def grown(rule, G, scratch, j, square):
    """The new Γ of the features j to j + 7: fade Γ + square u²."""
    raise NotImplementedError("only compiled code calls this")


@chosen(grown)
def _(rule, G, scratch, j, square):
    return _grown_dense if _is_dense(scratch) else _grown_listed


def _grown_dense(rule, G, scratch, j, square):
    u = load8(scratch.u, j)
    gamma = load8(G, j)
    if moving(rule):
        gamma = gamma * load8(scratch.fade, j)
    gamma = gamma + u * u * square
    store8(G, j, gamma)
    return gamma


def _grown_listed(rule, G, scratch, j, square):
    return load8(scratch.gamma, j)


def _is_dense(scratch):
    return isinstance(scratch.types[scratch.fields.index("slots")], types.NoneType)


def step(v, a, slots, m, size):
    """v ← v - size a."""
    raise NotImplementedError("only compiled code calls this")


@chosen(step)
def _(v, a, slots, m, size):
    return _step_dense if isinstance(slots, types.NoneType) else _step_listed


def _step_dense(v, a, slots, m, size):
    for j in range(0, m, LANES):
        store8(v, j, load8(v, j) - load8(a, j) * size)


def _step_listed(v, a, slots, m, size):
    for j in range(m):
        v[slots[j]] -= a[j] * size


def count(counts, u, slots, m):
    """One more row for each feature that is there."""
    raise NotImplementedError("only compiled code calls this")


@chosen(count)
def _(counts, u, slots, m):
    return _count_dense if isinstance(slots, types.NoneType) else _count_listed


def _count_dense(counts, u, slots, m):
    for j in range(0, m, LANES):
        there = where8(nonzero8(load8(u, j)), fill8(1.0), fill8(0.0))
        store8(counts, j, load8(counts, j) + there)


def _count_listed(counts, u, slots, m):
    for j in range(m):
        counts[slots[j]] += 1.0 if u[j] != 0.0 else 0.0
