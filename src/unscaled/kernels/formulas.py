"""The functions of losses and rules as kernels call them: `slope(loss, p, y)` is `loss.slope(p, y)`.

Numba gives each NamedTuple class a type of its own but does not know its methods. An overload on the class hands
over the function of that name, which is then compiled for just that loss or rule and disappears into the loop.
"""

from collections.abc import Callable

from numba import types

from unscaled.kernels.compiled import chosen
from unscaled.losses import COUNT, REAL, damping


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


def mixes(self):
    """rule.mixes, a constant of the compiled code."""
    return _stub(self)


def is_quadratic(self):
    """loss.quadratic, a constant of the compiled code."""
    return _stub(self)


def is_linked(self):
    """Whether the loss has a link and its inverse, a constant of the compiled code."""
    return _stub(self)


def has_flow(self):
    """Whether the loss has a flow, a constant of the compiled code."""
    return _stub(self)


def is_real(self):
    """Whether labels are any numbers, a constant of the compiled code."""
    return _stub(self)


def is_count(self):
    """Whether labels are counts, a constant of the compiled code."""
    return _stub(self)


def curvature(self, p, y):
    """loss.curvature(p, y); for a loss without one -1."""
    return _stub(self, p, y)


def link(self, p):
    """loss.link(p)."""
    return _stub(self, p)


def unlink(self, mean):
    """loss.unlink(mean)."""
    return _stub(self, mean)


def _method(stub: Callable, required: bool) -> None:
    """Lets compiled code call the method of the stub's name; one that is not required may be missing and not called."""

    @chosen(stub)
    def _(self, *arguments):
        if isinstance(self, types.BaseNamedTuple):
            own = getattr(self.instance_class, stub.__name__, None)
            return _as_it_is if own is None and not required else own
        return None


def _constant(stub: Callable, holds: Callable[[type], bool]) -> None:
    """Lets compiled code know what holds for a class."""

    @chosen(stub)
    def _(self):
        if isinstance(self, types.BaseNamedTuple):
            return _always if holds(self.instance_class) else _never
        return None


def _as_it_is(self, p):
    return p


def _always(self):
    return True


def _never(self):
    return False


for _name in (value, slope, limit, beyond, stretch, squash_v, squash_G, gain, pace):
    _method(_name, required=True)
for _name in (link, unlink):
    _method(_name, required=False)
_constant(normalised, lambda rule: rule.normalised)
_constant(adaptive, lambda rule: rule.adaptive)
_constant(moving, lambda rule: rule.moving)
_constant(mixes, lambda rule: rule.mixes)
_constant(is_quadratic, lambda loss: getattr(loss, "quadratic", False))
_constant(is_linked, lambda loss: hasattr(loss, "link") and hasattr(loss, "unlink"))
_constant(has_flow, lambda loss: hasattr(loss, "flow"))
_constant(is_real, lambda loss: getattr(loss, "labels", REAL) == REAL)
_constant(is_count, lambda loss: getattr(loss, "labels", REAL) == COUNT)


@chosen(curvature)
def _(self, p, y):
    if isinstance(self, types.BaseNamedTuple):
        return getattr(self.instance_class, "curvature", _unknown_curvature)
    return None


def _unknown_curvature(self, p, y):
    return -1.0


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
