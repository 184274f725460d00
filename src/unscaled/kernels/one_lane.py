"""Steps 2.(b) to 2.(d) for a single predictor: eight features at a time.

    p = Σ v u                                       score
    Γ ← Γ + h slope² u²                             condition, which also gives
    a = u / √Γ                                        the step for a unit slope and
    q = Σ u a                                         how far it moves the prediction
    v ← v - size a                                  step

Three short loops over a row that is in the nearest cache by then. The features of a dense row stand side by side;
those of a listed one are gathered and scattered. If two of them share a slot of a hashed table within eight, both
count in the prediction and one of them learns.
"""

import math

from numba import types

from unscaled.kernels.compiled import chosen, inner
from unscaled.kernels.formulas import adaptive, moving
from unscaled.kernels.simd import (
    LANES,
    fill8,
    first,
    gather8,
    load8,
    nonzero8,
    positive8,
    scatter8,
    store8,
    sum8,
    where8,
)


def read(state, slots, j, part):
    """What stands in `state` for the features j to j + 7 of the row."""
    raise NotImplementedError("only compiled code calls this")


@chosen(read)
def _(state, slots, j, part):
    if isinstance(slots, types.NoneType):
        return lambda state, slots, j, part: load8(state, j, part)
    return lambda state, slots, j, part: gather8(state, slots, j, part)


def write(state, slots, j, part, number):
    """Puts back what `read` gave."""
    raise NotImplementedError("only compiled code calls this")


@chosen(write)
def _(state, slots, j, part, number):
    if isinstance(slots, types.NoneType):
        return lambda state, slots, j, part, number: store8(state, j, part, number)
    return lambda state, slots, j, part, number: scatter8(state, slots, j, part, number)


@inner
def score(v, u, slots, m):
    """Σ v u."""
    total = fill8(0.0)
    for j in range(0, m, LANES):
        part = first(m - j)
        total = total + read(v, slots, j, part) * load8(u, j, part)
    return sum8(total)


@inner
def condition(rule, G, scratch, m, square):
    """Adds square * u² to Γ, writes a = u / √Γ and gives Σ u a."""
    total = fill8(0.0)
    for j in range(0, m, LANES):
        part = first(m - j)
        u = load8(scratch.u, j, part)
        a = u
        if adaptive(rule):
            gamma = read(G, scratch.slots, j, part)
            if moving(rule):
                gamma = gamma * load8(scratch.fade, j, part)
            gamma = gamma + u * u * square
            write(G, scratch.slots, j, part, gamma)
            a = u * where8(positive8(gamma), 1.0 / math.sqrt(gamma), fill8(0.0))
        store8(scratch.a, j, part, a)
        total = total + u * a
    return sum8(total)


@inner
def step(v, a, slots, m, size):
    """v ← v - size a."""
    for j in range(0, m, LANES):
        part = first(m - j)
        write(v, slots, j, part, read(v, slots, j, part) - load8(a, j, part) * size)


@inner
def count(counts, u, slots, m):
    """One more row for each feature that is there."""
    for j in range(0, m, LANES):
        part = first(m - j)
        there = where8(nonzero8(load8(u, j, part)), fill8(1.0), fill8(0.0))
        write(counts, slots, j, part, read(counts, slots, j, part) + there)
