"""The functions of losses and rules as kernels call them: `slope(loss, p, y)` is `loss.slope(p, y)`.

Numba gives each NamedTuple class a type of its own but does not know its methods. An overload on the class hands
over the function of that name, which is then compiled for just that loss or rule and disappears into the loop.
"""

from collections.abc import Callable

from numba import types

from unscaled.kernels.compiled import chosen
from unscaled.losses import damping


def _stub(*_: float) -> float:
    raise NotImplementedError("only compiled code calls this")


def value(self, p, y):
    """loss.value(p, y)."""
    return _stub(self, p, y)


def slope(self, p, y):
    """loss.slope(p, y)."""
    return _stub(self, p, y)


def flow(self, p, y, h, q):
    """loss.flow(p, y, h, q); for a loss without a flow the plain step h * slope."""
    return _stub(self, p, y, h, q)


def limit(self, s):
    """rule.limit(s)."""
    return _stub(self, s)


def beyond(self, x, h):
    """rule.beyond(x, h)."""
    return _stub(self, x, h)


def stretch(self, z, h):
    """rule.stretch(z, h)."""
    return _stub(self, z, h)


def squash_v(self, ratio):
    """rule.squash_v(ratio)."""
    return _stub(self, ratio)


def squash_G(self, ratio):
    """rule.squash_G(ratio)."""
    return _stub(self, ratio)


def gain(self, t):
    """rule.gain(t)."""
    return _stub(self, t)


def pace(self, t, N):
    """rule.pace(t, N)."""
    return _stub(self, t, N)


def normalised(self):
    """rule.normalised, a constant of the compiled code."""
    return _stub(self)


def adaptive(self):
    """rule.adaptive, a constant of the compiled code."""
    return _stub(self)


def moving(self):
    """rule.moving, a constant of the compiled code."""
    return _stub(self)


def _method(stub: Callable) -> None:
    """Lets compiled code call the method of the stub's name."""

    @chosen(stub)
    def _(self, *arguments):
        if isinstance(self, types.BaseNamedTuple):
            return getattr(self.instance_class, stub.__name__)
        return None


def _constant(stub: Callable) -> None:
    """Lets compiled code read the class attribute of the stub's name."""

    @chosen(stub)
    def _(self):
        if isinstance(self, types.BaseNamedTuple):
            return _always if getattr(self.instance_class, stub.__name__) else _never
        return None


def _always(self):
    return True


def _never(self):
    return False


for _name in (value, slope, limit, beyond, stretch, squash_v, squash_G, gain, pace):
    _method(_name)
for _name in (normalised, adaptive, moving):
    _constant(_name)


@chosen(damping)
def _(x):
    return damping


@chosen(flow)
def _(self, p, y, h, q):
    if isinstance(self, types.BaseNamedTuple):
        return getattr(self.instance_class, "flow", _plain_step)
    return None


def _plain_step(self, p, y, h, q):
    return h * slope(self, p, y)
