"""The second-order expert: P, the inverse of λ I + Σ c u u', in place of a rate; d² numbers and steps a row.

    z = P u,  q = u' z                                            reach
    θ ← θ - step z,  P ← (P - z z' c / (1 + c q)) / memory        advance (Sherman and Morrison)

c is the curvature of the loss. For the squared loss this is ridge regression, kept up to date row by row, and with its
prediction divided by 1 + c q it is the forecaster of Vovk (2001) and of Azoury and Warmuth (2001); for the other losses
it is an online Newton step. u has no unit, so neither has P, and the smallness of λ is a matter of taste and not of
units. P stays symmetric to the bit: each product is that of the same two numbers on both sides.

Several matrices of the same size stand one after the other; k is the number of the one that is meant.
"""

import math

from unscaled.kernels.compiled import inner
from unscaled.kernels.simd import LANES, fill8, fma8, load8, store8


@inner
def reach(P, k, slots, u, m, z):
    """Writes z = P u and gives q = u' z, for a row of m features."""
    size = P.shape[1]
    start = k * size * size
    i = 0
    while i + 2 * LANES <= size:  # two columns of vectors at a time: sums wait for each other less
        one, other = fill8(0.0), fill8(0.0)
        for j in range(m):
            place = start + slots[j] * size + i
            part = fill8(u[j])
            one = fma8(load8(P, place), part, one)
            other = fma8(load8(P, place + LANES), part, other)
        store8(z, i, one)
        store8(z, i + LANES, other)
        i += 2 * LANES
    if i < size:
        one = fill8(0.0)
        for j in range(m):
            one = fma8(load8(P, start + slots[j] * size + i), fill8(u[j]), one)
        store8(z, i, one)
    q = 0.0
    for j in range(m):
        q += z[slots[j]] * u[j]
    return max(q, 0.0)


@inner
def advance(P, theta, k, z, step, shrink, memory):
    """θ ← θ - step z and P ← (P - shrink z z') / memory."""
    size = P.shape[1]
    for i in range(0, size, LANES):
        store8(theta, k * size + i, fma8(load8(z, i), fill8(-step), load8(theta, k * size + i)))
    if shrink == 0.0 and memory == 1.0:
        return
    root = math.sqrt(shrink)
    for i in range(0, size, LANES):
        store8(z, i, load8(z, i) * root)
    grow = 1.0 / memory
    for i in range(size):
        if z[i] == 0.0 and memory == 1.0:
            continue
        start = (k * size + i) * size
        back = fill8(-z[i])
        for j in range(0, size, LANES):
            part = fma8(load8(z, j), back, load8(P, start + j))
            store8(P, start + j, part if memory == 1.0 else part * grow)


@inner
def score(theta, k, slots, u, m):
    """θ' u."""
    p = 0.0
    for j in range(m):
        p += theta[k, slots[j]] * u[j]
    return p


@inner
def largest(P, k, size):
    """The largest number on the diagonal of the first rows of P."""
    most = 0.0
    for i in range(size):
        most = max(most, P[k, i, i])
    return most


@inner
def rescale(P, theta, k, i, ratio):
    """Feature i is read as so many times less: what was learned of it grows by that ratio."""
    theta[k, i] *= ratio
    for j in range(P.shape[1]):
        P[k, i, j] *= ratio
        P[k, j, i] *= ratio


@inner
def doubt(P, k, i, prior):
    """What was learned of feature i is a guess from now on, and says nothing of the others."""
    for j in range(P.shape[1]):
        P[k, i, j] = 0.0
        P[k, j, i] = 0.0
    P[k, i, i] = prior
