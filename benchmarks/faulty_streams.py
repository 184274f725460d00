"""Linear streams with something wrong: one value, one label or one change of units, and what the clean one was.

A fault takes a stream and gives a copy that has it; `faults` names them all.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

WEIGHTS = np.array([2.0, -1.0, 0.5, 1.0, -1.5])
"""Faults of one feature are put into the first, which matters most."""


@dataclass(frozen=True, eq=False)
class Stream:
    """Rows, their labels and the unit of these, and which rows do not count in the losses."""

    X: np.ndarray
    y: np.ndarray
    kind: str
    unit: float = 1.0
    excused: range = range(0)


Damage = Callable[[Stream], Stream]


class Fault(NamedTuple):
    """A name for the record and what it does."""

    name: str
    damage: Damage
    of_labels: bool = False
    moves_floor: bool = False


def make_stream(rows: int, noise: float, kind: str, seed: int) -> Stream:
    """The clean one."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, len(WEIGHTS)))
    target = X @ WEIGHTS + noise * rng.standard_normal(rows)
    return Stream(X, target if kind == "regression" else np.sign(target), kind)


def clean(stream: Stream) -> Stream:
    """None."""
    return stream


def cell(row: int, value: float, stream: Stream) -> Stream:
    """One value of the first feature, in a place counted from the first row."""
    X = stream.X.copy()
    X[row, 0] = value
    return replace(stream, X=X)


def often(every: int, value: float, is_excused: bool, stream: Stream) -> Stream:
    """One value of the first feature, again and again; if excused, the rows with it do not count themselves."""
    X = stream.X.copy()
    X[every::every, 0] = value
    return replace(stream, X=X, excused=range(every, len(X), every) if is_excused else stream.excused)


def whole_row(row: int, value: float, stream: Stream) -> Stream:
    """All values of a row."""
    X = stream.X.copy()
    X[row] = value
    return replace(stream, X=X)


def missing(share: float, stream: Stream) -> Stream:
    """This share of all cells is NaN."""
    X = stream.X.copy()
    X[np.random.default_rng(5).random(X.shape) < share] = np.nan
    return replace(stream, X=X)


def early_units(features: slice, unit: float, stream: Stream) -> Stream:
    """The first ten rows are in other units."""
    X = stream.X.copy()
    X[:10, features] *= unit
    return replace(stream, X=X)


def later_units(unit: float, stream: Stream) -> Stream:
    """The first feature is in other units from half time on."""
    X = stream.X.copy()
    X[len(X) // 2 :, 0] *= unit
    return replace(stream, X=X)


def scaled(units: tuple[float, ...], stream: Stream) -> Stream:
    """Features in these units, all the time."""
    return replace(stream, X=stream.X * np.resize(units, stream.X.shape[1]))


def with_constant(stream: Stream) -> Stream:
    """One more column, which is always the same."""
    return replace(stream, X=np.column_stack([stream.X, np.full(len(stream.X), 7.0)]))


def doubled(stream: Stream) -> Stream:
    """Every column twice."""
    return replace(stream, X=np.hstack([stream.X, stream.X]))


def label(row: int, value: float, stream: Stream) -> Stream:
    """One label."""
    y = stream.y.copy()
    y[row] = value
    return replace(stream, y=y, excused=range(row, row + 1))


def other_labels(unit: float, offset: float, stream: Stream) -> Stream:
    """All labels, all the time."""
    return replace(stream, y=stream.y * unit + offset, unit=unit)


def faults(rows: int) -> list[Fault]:
    """All of them, the clean stream first. Several are in early rows: who knows little is fooled most easily."""
    soon, late = rows // 20, rows - rows // 10
    one, every = slice(1), slice(None)
    huge = [
        Fault(f"one value of {value:g} in row {row}", partial(cell, row, value))
        for row, values in ((soon, (1e2, 1e4, 1e12)), (0, (1e2, 1e4, 1e12)), (3, (1e4,)), (late, (1e4,)))
        for value in values
    ]
    early = [
        Fault(f"first 10 rows of {whose} in units of {unit:g}", partial(early_units, which, unit))
        for whose, which in (("one feature", one), ("all features", every))
        for unit in (1e-6, 1e6)
    ]
    change = [
        Fault(f"one feature in units of {unit:g} from half time", partial(later_units, unit))
        for unit in (1e-3, 3.28, 1e3, 1e6)
    ]
    labels = [
        Fault(f"one label of 1e6 in row {row}", partial(label, row, 1e6), of_labels=True) for row in (0, 8, soon, late)
    ]
    return [
        Fault("clean", clean, moves_floor=True),
        *huge,
        Fault("a value of 1e5 every 500 rows", partial(often, 500, 1e5, False), moves_floor=True),
        Fault("a value of 1e5 every 500 rows, without their loss", partial(often, 500, 1e5, True)),
        *early,
        *change,
        Fault("NaN in 5 % of all cells", partial(missing, 0.05), moves_floor=True),
        *(Fault(f"all NaN in row {row}", partial(whole_row, row, np.nan)) for row in (0, soon)),
        *(Fault(f"inf in row {row}", partial(cell, row, np.inf)) for row in (0, soon)),
        Fault("a constant column", with_constant),
        Fault("every column twice", doubled),
        Fault("all features in units of 1e150", partial(scaled, (1e150,))),
        Fault("all features in units of 1e-150", partial(scaled, (1e-150,))),
        Fault("units of 1e150 and 1e-150 in turn", partial(scaled, (1e150, 1e-150))),
        *labels,
        Fault("labels + 100", partial(other_labels, 1.0, 100.0), of_labels=True),
        Fault("labels x 1e6", partial(other_labels, 1e6, 0.0), of_labels=True),
    ]
