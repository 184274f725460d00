"""What a contest ends with: the winner, the table of all, and what is to be said of it."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from unscaled.errors import DataError
from unscaled.learner import Learner
from unscaled.progressive import Progressive
from unscaled.tuning.candidates import Candidate, Standing
from unscaled.tuning.metrics import METRICS


class Curve(NamedTuple):
    """A candidate's metric at each of its rates; the rate is None if it finds its own."""

    rule: str
    loss: str
    interactions: str
    rates: tuple[float | None, ...]
    values: list[float]
    standing: Standing

    @property
    def name(self) -> str:
        """What tells it from all others."""
        return f"{self.rule}, {self.loss}, interactions {self.interactions}"

    @property
    def best_rate(self) -> float | None:
        """The rate of its best value."""
        return self.rates[self.standing.place]


@dataclass(frozen=True)
class Tuned:
    """What `tune` found.

    `table` has a row for each rule, loss, kind of interactions and rate, with the progressive metrics of each, and
    `winner` is the number of the best row by `metric`. `curves` are the same by candidate, and `notes` say what to
    beware of.
    """

    metric: str
    table: pa.Table
    curves: tuple[Curve, ...]
    winner: int
    notes: tuple[str, ...]
    _progressive: Progressive

    @cached_property
    def best(self) -> Learner:
        """The learner that won, as if it had learned alone; it predicts and learns on."""
        return self._progressive.learner

    @property
    def best_row(self) -> dict[str, Any]:
        """The row of the table that won."""
        row: dict[str, Any] = self.table.slice(self.winner, 1).to_pylist()[0]
        return row

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the winner's model with its metrics: `unscaled train --resume` goes on with both."""
        self._progressive.save(path)

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draws the metric over the learning rate: .png, .svg or .pdf, or .html for a page with the table."""
        from unscaled.tuning.chart import write_chart  # noqa: PLC0415

        write_chart(self, os.fspath(path))

    def __repr__(self) -> str:
        row = self.best_row
        named = ", ".join(f"{name}={row[name]!r}" for name in ("rule", "loss", "interactions", "rate"))
        return f"Tuned({named}, {self.metric}={self.curves_best:.6g}, of {self.table.num_rows})"

    @property
    def curves_best(self) -> float:
        """The value of the metric that won."""
        return min((curve.standing for curve in self.curves), key=lambda standing: standing.badness).value


def outcome_of(candidates: Sequence[Candidate], metric: str) -> Tuned:
    """The outcome so far; of equals the first is the winner."""
    curves = tuple(
        Curve(each.rule, each.loss, each.interactions, each.rates, each.values(metric), each.standing(metric))
        for each in candidates
    )
    if not candidates[0].learner.weight:
        raise DataError("nothing was learned: there was no row, or none had a weight above 0")
    best = min(range(len(curves)), key=lambda k: curves[k].standing.badness)
    standing = curves[best].standing
    if standing.badness == np.inf:
        why = "AUC is for two classes" if metric == "auc" else "all have diverged; try lower learning rates"
        raise DataError(f"no candidate has a {metric} that is a number: {why}")
    winner = sum(len(curve.rates) for curve in curves[:best]) + standing.place
    return Tuned(metric, _table(candidates), curves, winner, _notes(curves[best]), candidates[best].at(standing.place))


def _table(candidates: Sequence[Candidate]) -> pa.Table:
    rows = [row for each in candidates for row in _rows(each)]
    names = [name for known in METRICS.values() for name in known]
    numbers = [name for name in dict.fromkeys(names) if any(row.get(name) is not None for row in rows)]
    schema = [(name, pa.string()) for name in ("rule", "loss", "interactions")]
    schema += [(name, pa.float64()) for name in ("rate", "progressive_loss", *numbers)]
    return pa.Table.from_pylist(rows, schema=pa.schema(schema))


def _rows(candidate: Candidate) -> list[dict[str, Any]]:
    losses = np.atleast_1d(candidate.learner.progressive_loss).tolist()
    names = {"rule": candidate.rule, "loss": candidate.loss, "interactions": candidate.interactions}
    return [
        {**names, "rate": rate, "progressive_loss": loss, **candidate.progressive.metrics(place)}
        for place, (rate, loss) in enumerate(zip(candidate.rates, losses, strict=True))
    ]


def _notes(best: Curve) -> tuple[str, ...]:
    """A best rate at an end of the grid says that the grid is too narrow."""
    if best.standing.end is None or best.best_rate is None:
        return ()
    beyond = best.best_rate * (100.0 if best.standing.end == "highest" else 0.01)
    return (
        f"the best rate, {best.best_rate:g}, is the {best.standing.end} of those tried: a better one may lie beyond, "
        f"so try rates to {beyond:g}",
    )


def order_of(curves: Sequence[Curve]) -> list[Curve]:
    """The best first."""
    return sorted(curves, key=lambda curve: curve.standing.badness)
