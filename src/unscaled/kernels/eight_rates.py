"""Adaptive descent at eight learning rates at once: for each feature a vector of eight numbers, one a rate.

    p = Σ v u                       score_rates
    Γ ← Γ + square u²,  a = u / √Γ  condition_rates, which also gives Σ u a
    v ← v - size a                  step_rates

v and Γ have a row a feature and eight columns an output; `start` is the first of an output's. As in many_lanes.py, but
there is no last vector that is not full.
"""

from unscaled.kernels.compiled import inner
from unscaled.kernels.simd import LANES, fill8, inverse_root8, load8, store8


@inner
def score_rates(v, slots, u, m, start):
    """Σ v u at each rate."""
    width = v.shape[1]
    one, other = fill8(0.0), fill8(0.0)
    for j in range(0, m - 1, 2):  # two sums, for one would wait for itself
        one = one + load8(v, slots[j] * width + start) * u[j]
        other = other + load8(v, slots[j + 1] * width + start) * u[j + 1]
    if m % 2 == 1:
        one = one + load8(v, slots[m - 1] * width + start) * u[m - 1]
    return one + other


@inner
def condition_rates(G, slots, u, m, start, square, a):
    """Adds square * u² to Γ, writes a = u / √Γ and gives Σ u a, at each rate."""
    width = G.shape[1]
    total = fill8(0.0)
    for j in range(m):
        part = fill8(u[j])
        place = slots[j] * width + start
        gamma = load8(G, place) + part * part * square
        store8(G, place, gamma)
        own = part * inverse_root8(gamma)
        store8(a, j * LANES, own)
        total = total + part * own
    return total


@inner
def step_rates(v, slots, a, m, start, size):
    """v ← v - size a at each rate."""
    width = v.shape[1]
    for j in range(m):
        place = slots[j] * width + start
        store8(v, place, load8(v, place) - load8(a, j * LANES) * size)


@inner
def rescale_rates(v, G, slot, ratio):
    """A feature is read as so many times less: its weights change by that ratio, Γ by 1 / ratio²."""
    narrowed = 1.0 / (ratio * ratio)
    for k in range(v.shape[1]):
        v[slot, k] *= ratio
        G[slot, k] *= narrowed
