"""auto and newton: the rules that find their rates themselves, by experts that learn side by side.

They are no steps on a weight, as the paper's rules are: kernels/mixture.py says what the experts are and how one
prediction comes from theirs. What they share with each other, and not with the paper, is how a scale is measured
(kernels/yardsticks.py): as a root mean square that no outlier can carry away.
"""

from typing import NamedTuple


class Auto(NamedTuple):
    """Eight learning rates, the second-order forecaster and two simple experts, mixed without a rate: the default."""

    normalised = True
    adaptive = True
    moving = False
    mixes = True
    several_rates = False


class Newton(NamedTuple):
    """The second-order forecaster alone: that of Vovk, Azoury and Warmuth, or an online Newton step."""

    normalised = True
    adaptive = False
    moving = False
    mixes = False
    several_rates = False
