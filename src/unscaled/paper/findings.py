"""What was measured, before anything is said of it."""

from dataclasses import dataclass, field

from unscaled.paper.claims import CLAIMS, Cell, Claim
from unscaled.paper.protocol import Protocol
from unscaled.paper.searching import Losses
from unscaled.paper.toy import Toy


@dataclass(frozen=True)
class Sizes:
    """A line of table 1: a data set as it is here."""

    name: str
    rows: int
    features: int
    scales: tuple[float, float]
    whole: bool


@dataclass(frozen=True)
class Result:
    """A cell of tables 2 and 3."""

    cell: Cell
    rows: int
    whole: bool
    losses: Losses
    peer: Claim | None
    """Vowpal Wabbit's best, if it is installed and knows the rule."""

    @property
    def best(self) -> Claim:
        """Our best rate in hindsight, and its loss."""
        return self.losses.best

    @property
    def paper(self) -> Claim:
        """What the paper prints in this cell."""
        return CLAIMS[self.cell]


@dataclass(frozen=True)
class Agreement:
    """The losses of three programs at one rate, on the raw features."""

    name: str
    rule: str
    rate: float
    ours: float
    peer: float
    imitation: float


@dataclass(frozen=True)
class Setting:
    """The best loss of a rule on the raw features when one setting of the protocol is another."""

    name: str
    change: str
    program: str
    rule: str
    best: Claim


@dataclass
class Findings:
    """All that was measured."""

    protocol: Protocol
    sizes: list[Sizes] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    agreements: list[Agreement] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)
    toy: Toy | None = None
    missing: list[str] = field(default_factory=list)
    """A sentence for each data set or peer that was not here."""
    peer_version: str | None = None
    seconds: float = 0.0

    def result(self, name: str, rule: str, scaling: str) -> Result | None:
        """A cell, if it was measured."""
        return next((each for each in self.results if each.cell == Cell(name, rule, scaling)), None)
