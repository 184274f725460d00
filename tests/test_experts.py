"""auto and newton: against the oracle, and what they promise about units, outliers and rates."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from streams import kind_of_labels, linear_stream, streams
from test_oracle import INTERCEPT, ORACLES, PARAMETERS, features_of
from unscaled import Learner, UsageError, load, reference_experts
from unscaled.kernels.mixture_state import LENGTH, LOSS_BEFORE, LOSS_NOW, ROWS, UNTIL, WITH
from unscaled.losses import LOSSES, REAL, damping
from unscaled.options import named

RULES = {"auto": reference_experts.Auto, "newton": reference_experts.Newton}
LAYOUTS = {"dense": np.asarray, "csr": csr_matrix}
ALL_LOSSES = [name + PARAMETERS.get(name, "") for name in LOSSES]


def logistic_curvature(p, y):
    q = 1.0 / (1.0 + math.exp(-p))
    return q * (1.0 - q)


def kind_of(loss):
    """What the oracle knows of a loss: written out here, so as to owe nothing to losses.py."""
    name = loss.split("(")[0]
    plain = ORACLES[name](*named("loss", loss, LOSSES))
    labels = kind_of_labels(loss)
    more = {
        "squared": {"curvature": lambda p, y: 2.0, "quadratic": True},
        "logistic": {
            "curvature": logistic_curvature,
            "link": lambda p: 1.0 / (1.0 + math.exp(-p)),
            "unlink": lambda q: math.log(q / (1.0 - q)),
        },
        "huber": {"curvature": lambda p, y: 2.0 if abs(p - y) <= 0.5 else 1.0 / abs(p - y)},
        "poisson": {"curvature": lambda p, y: math.exp(p), "link": math.exp, "unlink": math.log},
    }
    return reference_experts.Kind(plain, labels, **more.get(name, {}))


def oracle_predictions(rule, loss, stream, intercept, k=0):
    """What the oracle says, and the rows before its curved functions overflow or it stands on a kink."""
    output, said = RULES[rule](kind_of(loss)), []
    for row, y, h in zip(stream.X, stream.Y[:, k].tolist(), stream.weights.tolist(), strict=True):
        if h > 0.0:
            said.append(output.learn(features_of(row, intercept), y, h))
    return output, np.array(said)


SMOOTH = ["squared", "logistic", "huber(0.5)", "poisson"]
"""Of the others a rounding decides on which side of a kink an opinion stands: no two computations agree for long."""


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("rule", RULES)
def test_it_does_what_the_oracle_does(rule, loss, intercept, layout):
    for seed, rows in ((5, 40), (6, 150)):
        stream = linear_stream(seed, rows=rows, labels=kind_of_labels(loss))
        learner = Learner(rule, loss, intercept=intercept)
        p = learner.learn(layout(stream.X), stream.Y[:, 0], stream.weights)
        output, said = oracle_predictions(rule, loss, stream, intercept)
        np.testing.assert_allclose(p, said, rtol=1e-7, atol=1e-7 * np.abs(stream.Y).max())
        for name, stick in output.sticks.items():
            slot = 0 if name == INTERCEPT else int(name[1:]) + 1
            assert learner._numbers.scale[slot] == pytest.approx(stick.s, rel=1e-9)


def faulty_stream(seed, rows=400):
    """Heavy tails, a huge first value, absurd ones, a change of units, and a label out of all bounds."""
    random = np.random.default_rng(seed)
    Z = random.standard_t(2, size=(rows, 4))
    y = Z @ [1.0, -2.0, 0.5, 0.0] + 0.1 * random.normal(size=rows)
    Z[0, 0], Z[90, 1], Z[91, 2] = 1e9, 1e12, -200.0
    Z[rows // 2 :, 3] *= 1000.0
    Z[rows // 3 :, 2] /= 1000.0
    y[5], y[150] = 1e6, -1e5
    return Z, y


@pytest.mark.parametrize("rule", RULES)
def test_it_does_what_the_oracle_does_about_faults(rule):
    X, y = faulty_stream(7)
    output = RULES[rule](kind_of("squared"))
    said = [output.learn(features_of(row, True), label) for row, label in zip(X, y.tolist(), strict=True)]
    learner = Learner(rule)
    p = learner.learn(X, y)
    np.testing.assert_allclose(p, said, rtol=1e-6, atol=1e-6)
    moves = {name: stick.s for name, stick in output.sticks.items() if name != INTERCEPT}
    assert {f"x{j}": learner._numbers.scale[j + 1] for j in range(4)} == pytest.approx(moves, rel=1e-9)


def long_stream(rows=6200):
    """A stream on which the second-order expert is best for so long that the others are sent to rest; then a change."""
    random = np.random.default_rng(3)
    X = random.uniform(-1.0, 1.0, (rows, 1))
    y = X[:, 0] * np.where(np.arange(rows) < 5500, 2.0, -2.0) + 0.1 * random.normal(size=rows)
    return X, y


def test_it_rests_and_wakes_as_the_oracle_does():
    X, y = long_stream()
    output, said, resting = RULES["auto"](kind_of("squared")), [], []
    for row, label in zip(X, y.tolist(), strict=True):
        said.append(output.learn(features_of(row, True), label))
        resting.append(output.rows < output.rest_until)
    learner = Learner()
    np.testing.assert_allclose(learner.learn(X, y), said, rtol=1e-6, atol=1e-6)
    assert not any(resting[:5119])
    assert all(resting[5119:5500])
    assert not any(resting[5700:])


@pytest.mark.parametrize("size", [1, 500])
def test_rest_does_not_depend_on_batches_and_files(tmp_path, size):
    X, y = long_stream()
    whole, parts = Learner(), Learner()
    p = whole.learn(X, y)
    parts.learn(X[:5110], y[:5110])
    for begin in range(5110, 6200, size):
        here = slice(begin, min(begin + size, 6200))
        if begin < 5130 or size > 1:
            parts.save(tmp_path / "m")
            parts = load(tmp_path / "m")
        predicted = parts.predict(X[here][:1])
        assert parts.learn(X[here], y[here]).tobytes() == p[here].tobytes()
        assert predicted == pytest.approx(p[begin : begin + 1], rel=1e-9)


def resting_learner(seed=3, rows=5400):
    X, _ = long_stream()
    order = np.random.default_rng(seed).permutation(rows)
    learner = Learner()
    learner.learn(X[order], 2.0 * X[order, 0] + 0.1 * np.random.default_rng(seed).normal(size=rows))
    assert learner._numbers.totals[ROWS] + 1 < learner._numbers.mixture.levels[0, UNTIL]
    return learner


def test_weights_at_rest_are_those_of_the_expert_that_goes_on():
    numbers = resting_learner()
    shown = {row["feature"]: row["weight"] for row in numbers.weights().to_pylist()}
    theta, scale = numbers._numbers.second.theta[0, 1], numbers._numbers.scale[1]
    assert shown["x0"] == pytest.approx(theta / scale, rel=1e-12)


def test_learners_at_rest_are_merged_awake():
    left, right = resting_learner(3), resting_learner(4)
    whole = left.merge(right)
    levels = whole._numbers.mixture.levels[0]
    assert levels[[WITH, UNTIL, LENGTH, LOSS_BEFORE, LOSS_NOW]].tolist() == [0.0] * 5
    assert whole._numbers.v[1].tolist() == pytest.approx([whole._numbers.second.theta[0, 1]] * 8, rel=0.02)
    X = np.linspace(-1.0, 1.0, 50)[:, None]
    np.testing.assert_allclose(whole.predict(X), 2.0 * X[:, 0], atol=0.02)


# The units of the target.


@pytest.mark.parametrize("rule", RULES)
@given(stream=streams(REAL), power=st.integers(-200, 200))
@settings(max_examples=30)
def test_labels_times_a_power_of_two_change_no_other_bit(rule, stream, power):
    ours, theirs, y = Learner(rule), Learner(rule), stream.Y[:, 0]
    p, q = (
        learner.learn(stream.X, labels, stream.weights) for learner, labels in ((ours, y), (theirs, y * 2.0**power))
    )
    assert (p * 2.0**power).tobytes() == q.tobytes()
    assert (ours.predict(stream.X) * 2.0**power).tobytes() == theirs.predict(stream.X).tobytes()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("a", "b"), [(1.8, 32.0), (-1e6, 0.0), (1e-3, 1e3), (1.0, 1e5)])
def test_predictions_follow_the_units_of_the_labels(rule, a, b):
    stream = linear_stream(8, rows=500)
    y = stream.Y[:, 0]
    p, q = Learner(rule).learn(stream.X, y), Learner(rule).learn(stream.X, a * y + b)
    np.testing.assert_allclose(q[1:], a * p[1:] + b, rtol=1e-6, atol=1e-6 * abs(a) * y.std())


# Faults.

RANDOM = np.random.default_rng(1)
CLEAN = RANDOM.uniform(-1.7, 1.7, (12_000, 5))
TARGET = CLEAN @ [1.0, -2.0, 0.5, 0.0, 3.0] + 0.1 * RANDOM.normal(size=12_000)


def with_values(X, **values):
    """A copy with some values set: r100 is row 100."""
    changed = X.copy()
    for row, value in values.items():
        changed[int(row[1:])] = value
    return changed


def one(row, value):
    changed = CLEAN.copy()
    changed[row, 1] = value
    return changed


def times(factor, rows, columns=1):
    changed = CLEAN.copy()
    changed[rows, columns] *= factor
    return changed


FAULTS = {
    **{f"{value:g} in row {row}": (one(row, value), TARGET) for value in (1e2, 1e4, 1e12) for row in (0, 3, 1023)},
    **{f"a label of 1e6 in row {row}": (CLEAN, with_values(TARGET, **{f"r{row}": 1e6})) for row in (0, 1, 7, 8, 192)},
    "first rows of a column in 1e-6": (times(1e-6, slice(0, 10)), TARGET),
    "first rows of all columns in 1e6": (times(1e6, slice(0, 10), slice(None)), TARGET),
    "millimetres from half time": (times(1e3, slice(6000, None)), TARGET),
    "kilometres from half time": (times(1e-3, slice(6000, None)), TARGET),
    "feet from half time": (times(3.28, slice(6000, None)), TARGET),
    "a value missing": (one(1000, np.nan), TARGET),
    "1e5 every 500 rows": (times(1e5, slice(250, None, 500)), TARGET),
    "a constant column": (np.column_stack([CLEAN, np.full(12_000, 7.0)]), TARGET),
    "a column twice": (np.column_stack([CLEAN, CLEAN[:, 1]]), TARGET),
    "columns from 1e-150 to 1e150": (CLEAN * [1e150, 1e-150, 1.0, 1e-80, 1e80], TARGET),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_costs_little_in_the_end(fault):
    X, y = FAULTS[fault]
    spared = np.arange(12_000) >= 11_000
    spared[250::500] = False
    losses = [
        np.mean((Learner().learn(rows, labels) - TARGET)[spared] ** 2) for rows, labels in ((CLEAN, TARGET), (X, y))
    ]
    assert losses[1] <= 1.1 * losses[0]


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_makes_it_diverge(fault):
    X, y = FAULTS[fault]
    p = Learner("newton").learn(X, y)
    assert np.isfinite(p).all()
    assert np.median(np.abs(p - TARGET)[-1000:]) < 1.0  # the spread of the target is 3.8


def test_rows_with_an_infinite_value_are_passed_over_as_if_they_were_not_there():
    X, told = one(1000, np.inf), []
    p = Learner().learn(X, TARGET, on_bad_row=lambda row, why: told.append(row))
    assert told == [1000]
    rest = np.arange(12_000) != 1000
    assert p[rest].tobytes() == Learner().learn(CLEAN[rest], TARGET[rest]).tobytes()


@pytest.mark.parametrize("weight", [1e-3, 63.0, 64.0, 1e6])
def test_weights_that_are_all_the_same_change_little(weight):
    p = Learner().learn(CLEAN, TARGET, np.full(12_000, weight))
    assert np.mean((p - TARGET)[-1000:] ** 2) < 0.012


# Second order.


def late_width(rows=300, columns=400):
    """Few columns at first, many later, in CSR."""
    random = np.random.default_rng(9)
    dense = random.normal(size=(rows, columns)) * (random.random((rows, columns)) < 0.05)
    dense[: rows // 2, 20:] = 0.0
    return csr_matrix(dense), dense[:, :5].sum(axis=1)


def test_newton_refuses_more_columns_than_it_can_take():
    X, y = late_width()
    with pytest.raises(UsageError, match="takes up to 127 of them, and there are more; take auto or nag"):
        Learner("newton").learn(X, y)


@pytest.mark.parametrize("size", [1, 7, 100])
def test_too_many_columns_end_the_second_order_in_the_same_row_whatever_the_batch(size):
    X, y = late_width()
    whole, parts = Learner(), Learner()
    p = whole.learn(X, y)
    assert parts.learn(X[:1], y[:1]).tobytes() == p[:1].tobytes()
    for begin in range(1, len(y), size):
        here = slice(begin, begin + size)
        assert parts.learn(X[here], y[here]).tobytes() == p[here].tobytes()
    assert parts.predict(X).tobytes() == whole.predict(X).tobytes()


def test_a_new_column_far_out_is_predicted_as_it_is_learned():
    """There is no second-order expert any more in a row that has too many columns, also if it is only predicted."""
    X, y = late_width()
    learner = Learner()
    learner.learn(X[:100], y[:100])
    far = csr_matrix((np.ones(1), ([0], [390])), shape=(1, 400))
    predicted = learner.predict(far)
    assert predicted == pytest.approx(learner.learn(far, [0.0]), rel=1e-12)


def test_many_classes_that_appear_late():
    random = np.random.default_rng(2)
    X, classes = random.normal(size=(300, 3)), np.arange(300) * 7 % 80
    whole, parts = (Learner(loss="logistic", classes="auto") for _ in range(2))
    p = whole.learn(X, classes)
    for begin in range(0, 300, 50):
        q = parts.learn(X[begin : begin + 50], classes[begin : begin + 50])
        assert q.tobytes() == p[begin : begin + 50, : q.shape[1]].tobytes()


@pytest.mark.parametrize("rule", RULES)
def test_rows_of_nothing_and_of_weight_zero(rule):
    X = np.zeros((20, 2))
    X[10:, 0] = 1.0
    weights = np.repeat([0.0, 1.0], 10)
    for intercept in (True, False):
        for rows in (X, csr_matrix(X)):
            learner = Learner(rule, intercept=intercept)
            assert np.isfinite(learner.learn(rows, np.arange(20.0), weights)).all()
            assert np.isfinite(learner.predict(rows)).all()


# No rate.


def test_it_is_as_good_as_the_best_rate_in_hindsight():
    for seed in (1, 2, 3):
        stream = linear_stream(seed, rows=3000, absent=0.5)
        y = stream.Y[:, 0] + np.random.default_rng(seed).normal(size=3000)
        grid = Learner("nag", learning_rate=np.geomspace(0.01, 100.0, 15).tolist())
        grid.learn(stream.X, y)
        auto = Learner()
        auto.learn(stream.X, y)
        assert auto.progressive_loss < 1.01 * grid.progressive_loss.min()


def test_what_has_a_rate_is_nag():
    for options in ({"learning_rate": 0.1}, {"l1": 0.1}, {"l2": 0.1}, {"importance_aware": False}):
        assert Learner(**options).options == Learner("nag", **options).options
        with pytest.raises(UsageError, match=f"{next(iter(options))}: newton finds its steps itself"):
            Learner("newton", **options)


# A loss of the user's own.


class Mine(NamedTuple):
    """The squared loss, with all that ours has."""

    labels = REAL
    quadratic = True

    def value(self, p: float, y: float) -> float:
        return (p - y) * (p - y)

    def slope(self, p: float, y: float) -> float:
        return 2.0 * (p - y)

    def curvature(self, p: float, y: float) -> float:
        return 2.0

    def flow(self, p: float, y: float, h: float, q: float) -> float:
        return h * 2.0 * (p - y) * damping(2.0 * h * q)


class Bare(NamedTuple):
    """The same without what is optional."""

    def value(self, p: float, y: float) -> float:
        return (p - y) * (p - y)

    def slope(self, p: float, y: float) -> float:
        return 2.0 * (p - y)


@pytest.mark.parametrize("rule", RULES)
def test_a_loss_of_the_users_own(rule):
    p = Learner(rule).learn(CLEAN, TARGET)
    np.testing.assert_allclose(Learner(rule, loss=Mine()).learn(CLEAN, TARGET), p, rtol=1e-9, atol=1e-9)
    bare = Learner(rule, loss=Bare()).learn(CLEAN, TARGET)
    assert np.mean((bare - TARGET)[-1000:] ** 2) < 0.03
