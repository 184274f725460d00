"""Who takes part: a learner for each rule, loss and kind of interactions, with its whole grid of rates as lanes."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from unscaled.errors import UsageError
from unscaled.learner import Learner
from unscaled.losses import LOSSES, Loss
from unscaled.options import Interactions, Options, named, spelled
from unscaled.progressive import Progressive
from unscaled.rules import Rule
from unscaled.tuning.metrics import OWN_LOSS, badness

DEFAULT_RULES = ("auto", "nag", "snag")

_HALF_DECADES = {True: range(-4, 4), False: range(-18, 6)}
"""By whether the rule is normalised. The best rate of one that is not depends on the units of the features, so the grid
must reach far. Both grids fill vectors of eight lanes."""


class Standing(NamedTuple):
    """How a candidate does at its best rate so far."""

    place: int
    value: float
    badness: float
    end: str | None
    """`lowest` or `highest` if the best rate stands at that end of those tried: a better one may lie beyond it."""


class Candidate:
    """One learner and the metrics of each of its rates."""

    def __init__(self, options: dict[str, Any], rates: Sequence[float] | None) -> None:
        given = {**options, **({} if rates is None else {"learning_rate": rates})}
        self.progressive = Progressive(Learner(**given), every_rate=True)
        self.learner = self.progressive.learner
        self.rates: tuple[float | None, ...] = (None,) if rates is None else self.learner.options.rates
        self.rule, self.loss = spelled(self.learner.options.rule), _spelled_with_fields(self.learner.options.loss)
        self.interactions = _spelled_interactions(self.learner.options.interactions)

    def values(self, metric: str) -> list[float]:
        """The metric so far at each rate, NaN where there is none."""
        if metric == OWN_LOSS:
            losses: list[float] = np.atleast_1d(self.learner.progressive_loss).tolist()
            return losses if self.learner.weight else [np.nan] * len(self.rates)
        found = [self.progressive.metrics(place).get(metric) for place in range(len(self.rates))]
        return [np.nan if value is None else value for value in found]

    def standing(self, metric: str) -> Standing:
        """The best rate so far; of equals the lowest."""
        values = self.values(metric)
        bad = [badness(metric, value) for value in values]
        place = int(np.argmin(bad))
        ends = {0: "lowest", len(bad) - 1: "highest"} if len(bad) > 1 and min(bad) < np.inf else {}
        return Standing(place, values[place], bad[place], ends.get(place))

    def at(self, place: int) -> Progressive:
        """The learner of one rate with its metrics."""
        return self.progressive.at_rate(self.learner.options.rates[place])


def default_rates(rule: Rule) -> tuple[float, ...]:
    """1, 3, 10, 30, …: from 0.01 to 30 for rules that do not care about units, from 1e-9 to 300 for those that do."""
    return tuple(float(f"{10.0 ** (k / 2):.0e}") for k in _HALF_DECADES[bool(rule.normalised)])


def candidates(
    rules: str | Rule | Iterable[str | Rule],
    losses: None | str | Loss | Iterable[str | Loss],
    interactions: int | Iterable[Interactions],
    learning_rates: Any,
    options: dict[str, Any],
) -> list[Candidate]:
    """All combinations, each with its own rates or with those given."""
    wrong = [name for name in ("rule", "loss", "learning_rate") if name in options]
    if wrong:
        raise UsageError(f"tune takes several of each: give {wrong[0]}s=[…] instead of {wrong[0]}=")
    losses = losses if losses is not None else ["logistic" if options.get("classes") is not None else "squared"]
    chosen = itertools.product(
        _unlike(Options(**{**options, "rule": each}).rule for each in _several(rules, "rules")),
        _unlike(named("loss", each, LOSSES) for each in _several(losses, "losses")),
        _unlike([interactions] if isinstance(interactions, int) else list(interactions)),
    )
    rates = None if learning_rates is None else tuple(sorted(set(Options(learning_rate=learning_rates).rates)))
    found = [
        Candidate({**options, "rule": rule, "loss": loss, "interactions": order}, _rates_for(rule, rates))
        for rule, loss, order in chosen
    ]
    if not found:
        raise UsageError("nothing to try: give at least one rule, one loss and one kind of interactions")
    return found


def _rates_for(rule: Rule, given: tuple[float, ...] | None) -> tuple[float, ...] | None:
    """None for a rule that finds its rate itself, which says so by `several_rates = False`."""
    if not getattr(rule, "several_rates", True):
        return None
    return default_rates(rule) if given is None else given


def _several(given: Any, name: str) -> list[Any]:
    """A name or a NamedTuple is one."""
    if isinstance(given, str) or hasattr(given, "_fields"):
        return [given]
    if not isinstance(given, Iterable):
        raise UsageError(f"{name} must be names or a list of them, not {given!r}")
    return list(given)


def _unlike(given: Iterable[Any]) -> list[Any]:
    """Without repetitions. NamedTuples of different classes can be equal, and mean different things."""
    return list({(type(each), repr(each)): each for each in given}.values())


def _spelled_with_fields(made: Any) -> str:
    """As `spelled`, and with parameters also if it is the user's own."""
    name = spelled(made)
    return name if "(" in name or not made else f"{name}({', '.join(f'{each:g}' for each in made)})"


def _spelled_interactions(given: Interactions) -> str:
    return str(given) if isinstance(given, int) else ",".join(":".join(pair) for pair in given)
