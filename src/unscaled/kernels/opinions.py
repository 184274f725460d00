"""Formulas of losses for all opinions of a mixture at once, eight at a time where that was worth a formula of its own.

    slopes(loss, f, n, centre, o, out)          out[j] = loss.slope(centre + f[j], centre + o)
    values(loss, f, n, centre, o, out)          out[j] = loss.value(centre + f[j], centre + o)
    flows(loss, f, n, centre, o, h, q, out)     out[j] = loss.flow(centre + f[j], centre + o, h, q[j])
    links(loss, f, n, out)                      out[j] = loss.link(f[j])

n is a multiple of eight. For squared and logistic loss exp8 and log8 save two thirds of a row's time; out may be q.
"""

import math

from unscaled.kernels.compiled import chosen, inner
from unscaled.kernels.formulas import flow, link, slope, value
from unscaled.kernels.simd import LANES, exp8, fill8, load8, log8, not_within, store8, where8
from unscaled.losses import Logistic, Squared

NEAR = 1e-3
"""Below this a series of four terms is exact, where 1 - e^(-x) would lose digits."""

FLOW_STEPS = 5


def slopes(loss, f, n, centre, o, out):
    """Slopes of n opinions."""
    raise NotImplementedError("only compiled code calls this")


def values(loss, f, n, centre, o, out):
    """Losses of n opinions."""
    raise NotImplementedError("only compiled code calls this")


def flows(loss, f, n, centre, o, h, q, out):
    """Flows of n opinions."""
    raise NotImplementedError("only compiled code calls this")


def links(loss, f, n, out):
    """n opinions as the user reads them."""
    raise NotImplementedError("only compiled code calls this")


# One by one.


def _slopes(loss, f, n, centre, o, out):
    for j in range(n):
        out[j] = slope(loss, centre + f[j], centre + o)


def _values(loss, f, n, centre, o, out):
    for j in range(n):
        out[j] = value(loss, centre + f[j], centre + o)


def _flows(loss, f, n, centre, o, h, q, out):
    for j in range(n):
        out[j] = flow(loss, centre + f[j], centre + o, h, q[j])


def _links(loss, f, n, out):
    for j in range(n):
        out[j] = link(loss, f[j])


# Squared: what matters is f - o, in which the centre cancels.


def _slopes_squared(loss, f, n, centre, o, out):
    for j in range(0, n, LANES):
        store8(out, j, (load8(f, j) - o) * 2.0)


def _values_squared(loss, f, n, centre, o, out):
    for j in range(0, n, LANES):
        error = load8(f, j) - o
        store8(out, j, error * error)


def _flows_squared(loss, f, n, centre, o, h, q, out):
    for j in range(0, n, LANES):
        store8(out, j, (load8(f, j) - o) * damping8(load8(q, j) * (2.0 * h)) * (2.0 * h))


@inner
def damping8(x):
    """(1 - e^(-x)) / x, as losses.damping."""
    series = fill8(1.0) - x * (fill8(0.5) - x * (fill8(1.0 / 6.0) - x * (1.0 / 24.0)))
    far = not_within(x, fill8(NEAR))
    safe = where8(far, x, fill8(1.0))
    return where8(far, (fill8(1.0) - exp8(fill8(0.0) - safe)) / safe, series)


# Logistic: the margin m = o f, and e^(-|m|), which cannot overflow.


@inner
def share_against(m):
    """1 / (1 + e^m)."""
    decay = exp8(fill8(0.0) - abs(m))
    larger = fill8(1.0) / (decay + 1.0)
    return where8(not_within(m, fill8(0.0)), decay * larger, larger)


def _slopes_logistic(loss, f, n, centre, o, out):
    for j in range(0, n, LANES):
        store8(out, j, share_against(load8(f, j) * o) * -o)


def _values_logistic(loss, f, n, centre, o, out):
    for j in range(0, n, LANES):
        m = load8(f, j) * o
        rest = log8(exp8(fill8(0.0) - abs(m)) + 1.0)
        store8(out, j, where8(not_within(m, fill8(0.0)), rest, rest - m))


def _links_logistic(loss, f, n, out):
    for j in range(0, n, LANES):
        store8(out, j, share_against(fill8(0.0) - load8(f, j)))


def _flows_logistic(loss, f, n, centre, o, h, q, out):
    """The margin ends at the root w of w + e^w = c, where c = m + e^m + h q: Newton's method from above."""
    for j in range(0, n, LANES):
        m, reach = load8(f, j) * o, load8(q, j)
        c = m + exp8(m) + reach * h
        w = where8(not_within(c, fill8(1.0)), log8(where8(not_within(c, fill8(1.0)), c, fill8(1.0))), lesser(c, 0.0))
        for _ in range(FLOW_STEPS):
            steep = exp8(w)
            w = w - (w + steep - c) / (steep + 1.0)
        far = not_within(reach * h, fill8(1e-9))
        plain = share_against(m) * h
        store8(out, j, where8(far, (w - m) / where8(far, reach, fill8(1.0)), plain) * -o)


@inner
def lesser(x, most):
    """min(x, most)."""
    return where8(not_within(x, fill8(most)), fill8(most), x)


_OWN = {
    Squared: {"slopes": _slopes_squared, "values": _values_squared, "flows": _flows_squared},
    Logistic: {
        "slopes": _slopes_logistic,
        "values": _values_logistic,
        "flows": _flows_logistic,
        "links": _links_logistic,
    },
}


def _pick(stub, usual):
    @chosen(stub)
    def _(loss, *arguments):
        return _OWN.get(loss.instance_class, {}).get(stub.__name__, usual)


for _stub, _usual in ((slopes, _slopes), (values, _values), (flows, _flows), (links, _links)):
    _pick(_stub, _usual)

assert math.isclose(NEAR**4 / 120.0, 0.0, abs_tol=1e-14)
