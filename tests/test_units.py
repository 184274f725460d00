"""The claim of the paper: units do not matter. To the last bit, where the units are powers of two."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from streams import LABELS, linear_stream, state_of, steps, streams
from unscaled import Learner
from unscaled.losses import REAL
from unscaled.rules import RULES

NORMALISED = [name for name, rule in RULES.items() if rule.normalised]
CARRIED = ("ng", "auto", "newton")
OTHERS = [name for name in RULES if name not in NORMALISED]


def as_table(X):
    """Named columns, of which one is text, so that rows are listed; and zeros are there, not absent."""
    columns = {f"c{j}": X[:, j] for j in range(X.shape[1])}
    return pa.table({**columns, "text": [f"t{i % 3}" for i in range(len(X))]})


def as_plain_table(X):
    return pa.table({f"c{j}": X[:, j] for j in range(X.shape[1])})


LAYOUTS = {"dense": np.asarray, "csr": csr_matrix, "table": as_table, "plain table": as_plain_table}


def same(p, q):
    """Bit for bit, NaN included."""
    return np.asarray(p).tobytes() == np.asarray(q).tobytes()


@pytest.mark.parametrize("interactions", [1, 2])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("rule", NORMALISED)
@given(
    stream=streams(REAL, exponents=st.integers(-3, 3)),
    powers=st.lists(st.integers(-300, 300), min_size=4, max_size=4),
    importance_aware=st.booleans(),
    l2=st.sampled_from([0.0, 0.0, 0.1]),
)
def test_powers_of_two_change_no_bit(rule, layout, interactions, stream, powers, importance_aware, l2):
    options = {"rule": rule, "interactions": interactions, **steps(rule, importance_aware=importance_aware, l2=l2)}
    units = 2.0 ** np.array(powers[: stream.X.shape[1]])
    ours, theirs = Learner(**options), Learner(**options)
    y = stream.Y[:, 0]
    p = ours.learn(layout(stream.X), y, stream.weights)
    assert same(p, theirs.learn(layout(stream.X * units), y, stream.weights))
    assert same(ours.predict(layout(3.0 * stream.X)), theirs.predict(layout(3.0 * stream.X * units)))
    assert same(ours.progressive_loss, theirs.progressive_loss)
    assert np.isfinite(p).all()


@pytest.mark.parametrize("rule", NORMALISED)
@given(powers=st.lists(st.integers(-300, 300), min_size=5, max_size=5))
def test_powers_of_two_change_no_bit_of_many_lanes(rule, powers):
    stream = linear_stream(1, outputs=3)
    units = 2.0 ** np.array(powers)
    ours, theirs = Learner(rule), Learner(rule)
    assert same(ours.learn(stream.X, stream.Y), theirs.learn(stream.X * units, stream.Y))
    assert same(ours.predict(stream.X), theirs.predict(stream.X * units))


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("rule", OTHERS)
def test_the_other_rules_do_care(rule, layout):
    stream = linear_stream(2)
    X = stream.X / np.abs(stream.X).max(axis=0)
    p = Learner(rule).learn(layout(X), stream.Y[:, 0])
    q = Learner(rule).learn(layout(X * [1.0, 1024.0, 1.0, 1.0, 1.0]), stream.Y[:, 0])
    assert np.abs(p - q).max() > 0.01


@pytest.mark.parametrize("rule", NORMALISED)
def test_any_units_change_little(rule):
    """Other units than powers of two round, and that is all that they do."""
    stream = linear_stream(3)
    p = Learner(rule).learn(stream.X, stream.Y[:, 0])
    q = Learner(rule).learn(stream.X * [1e-5, 0.3048, 1e5, 2.54, 7e10], stream.Y[:, 0])
    np.testing.assert_allclose(q, p, rtol=1e-9, atol=1e-9)


EXTREMES = [0.0, 1.0, -1.0, 5e-324, -5e-324, 2.0**-1022, 1e-300, 1e300, -1e300, 1e-160, 1e160]


@pytest.mark.parametrize("interactions", [1, 2])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("rule", NORMALISED)
@given(
    X=st.lists(st.lists(st.sampled_from(EXTREMES), min_size=3, max_size=3), min_size=1, max_size=12),
    data=st.data(),
)
def test_extreme_values_give_finite_predictions(rule, layout, interactions, X, data):
    X = np.array(X)
    y = np.array(data.draw(st.lists(LABELS[REAL], min_size=len(X), max_size=len(X))))
    learner = Learner(rule, interactions=interactions)
    assert np.isfinite(learner.learn(layout(X), y)).all()
    assert np.isfinite(learner.predict(layout(X))).all()
    assert np.isfinite(learner.progressive_loss)


@pytest.mark.parametrize("interactions", [1, 2])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("rule", NORMALISED)
def test_the_largest_values_there_are_give_finite_predictions(rule, layout, interactions):
    """Even where the sum of their squares, or their product, is beyond the largest double."""
    largest = np.finfo(np.float64).max
    X = largest * np.array([[1, 0], [1, -1], [0.5, 1], [-1, -1], [1, 1], [1, 0.1], [0.25, 1], [1, 1.0]])
    y = np.arange(8.0)
    learner = Learner(rule, interactions=interactions)
    assert np.isfinite(learner.learn(layout(X), y)).all()
    assert np.isfinite(learner.predict(layout(X))).all()


@pytest.mark.parametrize("layout", [np.asarray, csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("rule", RULES)
def test_zero_and_constant_columns(rule, layout):
    stream = linear_stream(4)
    X = stream.X / np.abs(stream.X).max(axis=0)
    y = stream.Y[:, 0]
    p = Learner(rule).learn(layout(X), y)
    assert np.isfinite(Learner(rule).learn(layout(np.zeros((60, 2))), y)).all()
    assert np.isfinite(Learner(rule).learn(layout(np.full((60, 2), 7.0)), y)).all()
    with_zeros = Learner(rule).learn(layout(np.column_stack([X, np.zeros((60, 2))])), y)
    np.testing.assert_allclose(with_zeros, p, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("layout", [np.asarray, csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("rule", NORMALISED)
def test_one_huge_value_cannot_blow_up_the_prediction_that_it_is_part_of(rule, layout):
    """Vowpal Wabbit predicts first and squashes afterwards, and predicts about 1000 here.

    A second moment is at least |x| / √t, so there x / s can be √t at most: 2 in the fourth row.
    """
    most = 2.0 if RULES[rule].moving else 1.0 + (1e-12 if rule in CARRIED else 0.0)
    taught = Learner(rule, intercept=False)
    taught.learn(layout(np.ones((3, 1))), np.ones(3))
    huge = layout(np.array([[1000.0]]))
    before = taught._numbers.scale.copy(), taught._numbers.v.copy(), taught._numbers.totals.copy()
    predicted = taught.predict(huge)
    assert 0.0 <= predicted[0] <= most
    for was, now in zip(before, (taught._numbers.scale, taught._numbers.v, taught._numbers.totals), strict=True):
        assert same(was, now)
    assert 0.0 <= taught.learn(huge, [1.0])[0] <= most


@pytest.mark.parametrize("importance_aware", [True, False])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("rule", RULES)
@given(stream=streams(REAL, weighted=False, exponents=st.integers(-2, 2)))
def test_predict_gives_what_learn_gives(rule, layout, importance_aware, stream):
    """Row by row: the last bit may differ only where a scale that moves carries the weight along."""
    learner = Learner(rule, **steps(rule, importance_aware=importance_aware, learning_rate=0.1))
    learner.learn(layout(stream.X), stream.Y[:, 0])
    rows = layout(stream.X * 1.7)
    for i in range(len(stream.X)):
        row = rows.slice(i, 1) if isinstance(rows, pa.Table) else rows[i : i + 1]
        predicted = learner.predict(row)
        learned = learner.learn(row, stream.Y[i, :1])
        if rule in CARRIED:
            np.testing.assert_allclose(learned, predicted, rtol=1e-12, atol=1e-12 * np.abs(stream.Y).max())
        else:
            assert same(learned, predicted)


@pytest.mark.parametrize("rule", RULES)
def test_predict_gives_what_learn_gives_in_many_lanes(rule):
    stream = linear_stream(5, outputs=3)
    X = stream.X / np.abs(stream.X[:30]).max(axis=0)
    learner = Learner(rule)
    for i in range(60):
        if i:
            predicted = learner.predict(X[i : i + 1])
        learned = learner.learn(X[i : i + 1], stream.Y[i : i + 1])
        if i and rule in CARRIED:
            np.testing.assert_allclose(learned, predicted, rtol=1e-12, atol=1e-12)
        elif i:
            assert same(learned, predicted)


@pytest.mark.parametrize("rule", RULES)
def test_predict_leaves_the_model_as_it_is(rule):
    stream = linear_stream(6)
    learner = Learner(rule)
    learner.learn(stream.X / np.abs(stream.X).max(axis=0), stream.Y[:, 0])
    before = state_of(learner)
    learner.predict(stream.X * 100.0)
    assert state_of(learner) == before
    assert learner.examples == 60
