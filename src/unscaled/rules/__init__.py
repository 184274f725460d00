"""The update rules of the paper: one file each.

A rule says how large a feature's scale is, what a new scale does to what was learned, and how fast to go. The
kernels keep, for a feature i with weight w, scale s and sum of squared gradients G,

    v = w s        so that v x / s = w x, and a new scale leaves most rules' v alone
    Γ = G / s²     (G for the rules that do not know scales)

and read every value as u = x / s. Neither v nor Γ has the unit of x, so nothing can overflow, and multiplying a
column by a power of two changes no bit of what is predicted. A rule is a NamedTuple of its parameters with

    normalised         False if u is x itself (sgd, ag)
    adaptive           True if the step on v is divided by √Γ, False if Γ is not kept
    moving             True if the scale moves with every value, False if only a value beyond it moves it
    limit(s)           the values up to which a scale s stands, or moves by `stretch`
    beyond(x, h)       the scale after a value x beyond that limit, never below the smallest normal double
    stretch(z, h)      new scale / old scale for a moving rule, where z = x / old scale
    squash_v(ratio)    the factor on v, and
    squash_G(ratio)    the factor on Γ, when ratio = old scale / new scale
    gain(t)            p = gain * Σ v u
    pace(t, N)         the step is learning_rate * pace * slope * u, divided by √Γ if adaptive

t is the number of examples so far, this one included, and N the sum of u² over them (times gain²). An importance
weight h counts as h examples. The formulas work on a float and on eight of them (kernels/simd.py) alike.
"""

from typing import Any, ClassVar, Protocol

from unscaled.rules.ag import AG
from unscaled.rules.experts import Auto, Newton
from unscaled.rules.nag import NAG
from unscaled.rules.ng import NG
from unscaled.rules.sgd import SGD
from unscaled.rules.snag import SNAG

__all__ = ["AG", "NAG", "NG", "PAPER", "RULES", "SGD", "SNAG", "Auto", "Newton", "Rule"]


class Rule(Protocol):
    """What every rule has."""

    normalised: ClassVar[bool]
    adaptive: ClassVar[bool]
    moving: ClassVar[bool]

    def limit(self, s: float) -> float:
        """The values up to which the scale s stands, or moves by `stretch`."""

    def beyond(self, x: float, h: float) -> float:
        """The scale after a value beyond its limit."""

    def stretch(self, z: float, h: float) -> float:
        """New scale / old scale."""

    def squash_v(self, ratio: float) -> float:
        """The factor on v."""

    def squash_G(self, ratio: float) -> float:
        """The factor on Γ."""

    def gain(self, t: float) -> float:
        """p = gain * Σ v u."""

    def pace(self, t: float, N: float) -> float:
        """The pace of the steps."""


PAPER: dict[str, type[Rule]] = {"sgd": SGD, "ag": AG, "ng": NG, "nag": NAG, "snag": SNAG}
"""The rules of the paper and the two that they grew from, which are given a learning rate."""

RULES: dict[str, Any] = {"auto": Auto, "newton": Newton, **PAPER}
"""Every rule by the name that Learner, the estimators and the command line know it by."""
