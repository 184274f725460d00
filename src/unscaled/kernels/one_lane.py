"""Steps 2.(b) to 2.(d) for a single predictor: eight features at a time if the row is dense.

    p = Σ v u                                       score
    Γ ← Γ + h slope² u²                             condition, which also gives
    a = u / √Γ                                        the step for a unit slope and
    q = Σ u a                                         how far it moves the prediction
    v ← v - size a                                  step

Three short loops over a row that is in the nearest cache by then.
"""

import math

from numba import types

from unscaled.kernels.compiled import chosen

from unscaled.kernels.formulas import adaptive, moving
from unscaled.kernels.simd import LANES, fill8, first, load8, nonzero8, positive8, store8, sum8, where8


def score(v, u, slots, m):
    """Σ v u."""
    raise NotImplementedError("only compiled code calls this")


@chosen(score)
def _(v, u, slots, m):
    return _score_dense if isinstance(slots, types.NoneType) else _score_listed


def _score_dense(v, u, slots, m):
    total = fill8(0.0)
    for j in range(0, m, LANES):
        part = first(m - j)
        total = total + load8(v, j, part) * load8(u, j, part)
    return sum8(total)


def _score_listed(v, u, slots, m):
    total = 0.0
    for j in range(m):
        total += v[slots[j]] * u[j]
    return total


def condition(rule, G, scratch, slots, m, square):
    """Adds square * u² to Γ, writes a = u / √Γ and gives Σ u a."""
    raise NotImplementedError("only compiled code calls this")


@chosen(condition)
def _(rule, G, scratch, slots, m, square):
    return _condition_dense if isinstance(slots, types.NoneType) else _condition_listed


def _condition_dense(rule, G, scratch, slots, m, square):
    total = fill8(0.0)
    for j in range(0, m, LANES):
        part = first(m - j)
        u = load8(scratch.u, j, part)
        a = u
        if adaptive(rule):
            gamma = load8(G, j, part)
            if moving(rule):
                gamma = gamma * load8(scratch.fade, j, part)
            gamma = gamma + u * u * square
            store8(G, j, part, gamma)
            a = u * where8(positive8(gamma), 1.0 / math.sqrt(gamma), fill8(0.0))
        store8(scratch.a, j, part, a)
        total = total + u * a
    return sum8(total)


def _condition_listed(rule, G, scratch, slots, m, square):
    total = 0.0
    for j in range(m):
        u = scratch.u[j]
        a = u
        if adaptive(rule):
            gamma = G[slots[j]]
            if moving(rule):
                gamma = gamma * scratch.fade[j]
            gamma = gamma + u * u * square
            G[slots[j]] = gamma
            a = u * (1.0 / math.sqrt(gamma)) if gamma > 0.0 else 0.0
        scratch.a[j] = a
        total += u * a
    return total


def step(v, a, slots, m, size):
    """v ← v - size a."""
    raise NotImplementedError("only compiled code calls this")


@chosen(step)
def _(v, a, slots, m, size):
    return _step_dense if isinstance(slots, types.NoneType) else _step_listed


def _step_dense(v, a, slots, m, size):
    for j in range(0, m, LANES):
        part = first(m - j)
        store8(v, j, part, load8(v, j, part) - load8(a, j, part) * size)


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
        part = first(m - j)
        there = where8(nonzero8(load8(u, j, part)), fill8(1.0), fill8(0.0))
        store8(counts, j, part, load8(counts, j, part) + there)


def _count_listed(counts, u, slots, m):
    for j in range(m):
        counts[slots[j]] += 1.0 if u[j] != 0.0 else 0.0
