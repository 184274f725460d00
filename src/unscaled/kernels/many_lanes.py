"""Steps 2.(b) to 2.(d) for many predictors of the same rows: eight lanes at a time, feature by feature.

The same three loops as in one_lane.py, where a vector holds one feature's numbers in eight lanes instead of one
lane's numbers of eight features. v and G have a row a feature and a column a lane; `start` is the first lane.
"""

from unscaled.kernels.compiled import inner
from unscaled.kernels.formulas import adaptive, moving
from unscaled.kernels.rows import at
from unscaled.kernels.simd import LANES, fill8, first, inverse_root8, load8, load_part8, store8, store_part8


@inner
def score_lanes(v, u, slots, m, start):
    """Σ v u in each lane."""
    width = v.shape[1]
    lanes = first(width - start)
    total = fill8(0.0)
    for j in range(m):
        total = total + load_part8(v, at(slots, j) * width + start, lanes) * u[j]
    return total


@inner
def condition_lanes(rule, G, scratch, m, start, square):
    """Adds square * u² to Γ, writes a = u / √Γ and gives Σ u a, in each lane."""
    width = G.shape[1]
    lanes = first(width - start)
    total = fill8(0.0)
    for j in range(m):
        u = fill8(scratch.u[j])
        a = u
        if adaptive(rule):
            place = at(scratch.slots, j) * width + start
            gamma = load_part8(G, place, lanes)
            if moving(rule):
                gamma = gamma * scratch.fade[j]
            gamma = gamma + u * u * square
            store_part8(G, place, lanes, gamma)
            a = u * inverse_root8(gamma)
        store8(scratch.a, j * LANES, a)
        total = total + u * a
    return total


@inner
def step_lanes(v, a, slots, m, start, size):
    """v ← v - size a in each lane."""
    width = v.shape[1]
    lanes = first(width - start)
    for j in range(m):
        place = at(slots, j) * width + start
        store_part8(v, place, lanes, load_part8(v, place, lanes) - load8(a, j * LANES) * size)
