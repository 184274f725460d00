"""Streams of examples: drawn by hypothesis, or by a seeded generator where only their size matters."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from unscaled.experts import ExpertNumbers
from unscaled.losses import COUNT, LOSSES, REAL, SIGN
from unscaled.rules import PAPER

LABELS = {
    REAL: st.sampled_from([-7.5, -1.0, -0.25, 0.0, 0.5, 2.0, 31.0]),
    SIGN: st.sampled_from([-1.0, 1.0]),
    COUNT: st.sampled_from([0.0, 1.0, 2.0, 5.0]),
}
"""Labels for each kind that a loss may ask for."""

ANY_UNITS = st.integers(-6, 6)
NORMAL_DIGITS = st.sampled_from([-2.7, -1.0, -0.3, 0.3, 1.0, 1.7, 2.7])


class Stream(NamedTuple):
    """Rows, labels (a column a target) and weights."""

    X: np.ndarray
    Y: np.ndarray
    weights: np.ndarray


def kind_of_labels(loss: str | tuple) -> str:
    """What labels a loss takes."""
    return (LOSSES[loss.split("(")[0]] if isinstance(loss, str) else type(loss)).labels


@st.composite
def values(draw, rows, columns, exponents=ANY_UNITS):
    """A matrix of few values of many magnitudes, with zeros, repeated values, and columns that come late."""
    pool = draw(st.lists(st.tuples(NORMAL_DIGITS, exponents), min_size=1, max_size=6))
    numbers = [0.0] + [digits * 10.0**exponent for digits, exponent in pool]
    cells = draw(st.lists(st.sampled_from(numbers), min_size=rows * columns, max_size=rows * columns))
    X = np.array(cells).reshape(rows, columns)
    for column in range(columns):
        X[: draw(st.integers(0, rows // 2)), column] = 0.0
    return X


@st.composite
def streams(draw, labels, outputs=1, weighted=None, exponents=ANY_UNITS):
    """A short stream of rows for labels of a kind; weights may be 0."""
    rows, columns = draw(st.integers(1, 9)), draw(st.integers(1, 4))
    X = draw(values(rows, columns, exponents))
    Y = draw(st.lists(LABELS[labels], min_size=rows * outputs, max_size=rows * outputs))
    some_weights = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 7.3]), min_size=rows, max_size=rows)
    weighted = draw(st.booleans()) if weighted is None else weighted
    weights = draw(some_weights) if weighted else [1.0] * rows
    return Stream(X, np.array(Y).reshape(rows, outputs), np.array(weights))


def linear_stream(seed, rows=60, columns=5, outputs=1, labels=REAL, absent=0.2):
    """Rows of a linear target with columns of many units and some values absent."""
    generator = np.random.default_rng(seed)
    units = 10.0 ** generator.integers(-3, 4, columns)
    Z = generator.normal(size=(rows, columns)) * (generator.random((rows, columns)) > absent)
    target = Z @ generator.normal(size=(columns, outputs)) + 0.1 * generator.normal(size=(rows, outputs))
    if labels == SIGN:
        target = np.where(target > 0, 1.0, -1.0)
    if labels == COUNT:
        target = np.floor(np.exp(np.clip(target, -2, 2)))
    return Stream(Z * units, target, generator.choice([0.5, 1.0, 3.0], rows))


def labels_1d(stream):
    """The labels of a stream of one target."""
    return stream.Y[:, 0]


def in_batches(learner, X, y, size, weights=None):
    """Learns in batches of a size and gives all the predictions."""
    parts = []
    for begin in range(0, len(y), size):
        here = slice(begin, begin + size)
        rows = X.slice(begin, size) if hasattr(X, "slice") else X[here]
        parts.append(learner.learn(rows, y[here], None if weights is None else weights[here]))
    return np.concatenate(parts)


def learned(learner):
    """Everything that a learner has learned, by the names of its features: for comparing to the last bit.

    A product is known by its factors in the order of the alphabet.
    """
    columns = [name for name in learner.weights().column_names if name not in ("effect", "feature")]
    by_name = {
        " * ".join(sorted(row["feature"].split(" * "))): tuple(row[name] for name in columns)
        for row in learner.weights().to_pylist()
    }
    lanes = [lane.tolist() for lane in learner._numbers.lanes]
    return by_name, learner.examples, learner.weight, learner._numbers.totals.tolist(), lanes


def steps(rule, **options):
    """Options of the steps that a rule takes, for the rules that do not find them themselves."""
    return options if rule.split("(")[0] in PAPER else {}


def state_of(learner):
    """All numbers that a learner keeps, as bytes."""
    numbers = learner._numbers
    if isinstance(numbers, ExpertNumbers):
        arrays = [numbers.features, numbers.v, numbers.gamma, *numbers.second, *numbers.mixture]
    else:
        arrays = [numbers.scale, numbers.inverse, numbers.count, numbers.v, numbers.gamma]
    return [np.array(array).tobytes() for array in (*arrays, *numbers.lanes, numbers.totals)]
