"""The kernels, by way of Learner, against the paper in plain Python."""

import copy
import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from streams import kind_of_labels, linear_stream, streams
from unscaled import Learner, reference
from unscaled.losses import COUNT, LOSSES, REAL, SIGN
from unscaled.options import named
from unscaled.rules import PAPER as RULES

ORACLES = {
    "squared": reference.squared,
    "logistic": reference.logistic,
    "hinge": reference.hinge,
    "absolute": reference.absolute,
    "quantile": reference.quantile,
    "huber": reference.huber,
    "poisson": reference.poisson,
}
PARAMETERS = {"quantile": "(0.8)", "huber": "(0.5)"}

INTERCEPT = "(intercept)"

# Where the oracle itself is exact to 1e-9: beyond this, e^p overflows in it or eats its digits.
TAMEST = {REAL: 1e6, SIGN: 30.0, COUNT: 4.0}


def test_every_loss_has_an_oracle():
    assert set(ORACLES) == set(LOSSES)


def test_every_rule_has_an_oracle():
    assert set(reference.ALGORITHMS) == set(RULES)


def oracle(rule, loss, rate, importance_aware=True, clip=None):
    """The reference for a rule and a loss by their names."""
    made_loss, made_rule = named("loss", loss, LOSSES), named("rule", rule, RULES)
    return reference.ALGORITHMS[rule.split("(")[0]](
        eta=rate,
        loss=ORACLES[loss.split("(")[0]](*made_loss),
        importance_aware=importance_aware,
        C=math.inf if clip is None else clip,
        **made_rule._asdict(),
    )


class Lane:
    """A reference that is shown the rows on which it is exact itself, and what it said to each."""

    def __init__(self, algorithm, labels):
        self.algorithm, self.labels = algorithm, labels
        self.predictions, self.sizes, self.losses = [], [], []
        self.touched = set()

    def tried(self, x, y, h):
        """The algorithm after a row, what it predicted, and whether it is exact there; it stays as it is."""
        trial, flows = copy.deepcopy(self.algorithm), []
        trial.flow = lambda *of: flows.append(of) or type(trial).flow(trial, *of)
        try:
            p = trial.learn(x, y, h or 1.0)
            del trial.flow
        except (OverflowError, ValueError):  # beyond the reach of exp and log
            return trial, 0.0, False
        return trial, p, self.is_exact(p, y, flows, self.touched.isdisjoint(x))

    def is_exact(self, p, y, flows, untouched):
        """Away from kinks, where a rounding decides the slope, from overflow, and from steps that round away.

        With untouched weights the prediction is an exact 0, which may stand on a kink.
        """
        loss = self.algorithm.loss
        if not abs(p) < TAMEST[self.labels]:
            return False
        near = 1e-7 * (abs(p) + abs(y) + 1e-3)
        jump = abs(loss.slope(p + near, y) - loss.slope(p - near, y))
        if jump > 0.1 and not untouched:
            return False
        for p_, y_, h, q in flows:
            moved = abs(p_ - loss.flow(p_, y_, q * h)) if self.algorithm.importance_aware else 1.0
            size = max(abs(p_), abs(y_), float(self.labels == COUNT))  # the flow of counts goes by way of e^p
            if loss.slope(p_, y_) != 0.0 and q > 0.0 and moved < 1e-5 * size:
                return False
        return True

    def take(self, trial, p, x, y, h):
        """A row that all lanes are exact on."""
        if h > 0.0:
            self.algorithm = trial
            self.touched |= {i for i in x if trial.w[i] != 0.0}
        self.predictions.append(p)
        self.losses.append(h * self.algorithm.loss.value(p, y))
        self.sizes.append(abs(p) + sum(abs(self.algorithm.w[i] * x[i]) for i in x))


def features_of(row, intercept, products=lambda x: x):
    x = {f"x{j}": float(v) for j, v in enumerate(row) if v != 0.0 and not np.isnan(v)}
    return products({**({INTERCEPT: 1.0} if intercept else {}), **x})


def run_oracle(lanes, stream, intercept, products=lambda x: x):
    """Shows the stream to all lanes; gives the numbers of the rows on which all of them are exact."""
    kept = []
    for i, (row, labels, h) in enumerate(zip(stream.X, stream.Y.tolist(), stream.weights.tolist(), strict=True)):
        x = features_of(row, intercept, products)
        trials = [lane.tried(x, y, h) for lane, y in zip(lanes, labels, strict=True)]
        if all(exact for _, _, exact in trials):
            kept.append(i)
            for lane, y, (trial, p, _) in zip(lanes, labels, trials, strict=True):
                lane.take(trial, p, x, y, h)
    return kept


def assert_close(ours, theirs, size, tolerance):
    """Relative to the terms of the sum that a prediction is, in which there may be cancellation."""
    ours, theirs, size = map(np.asarray, (ours, theirs, size))
    bad = np.abs(ours - theirs) > tolerance * np.maximum(size, 1e-300)
    assert not bad.any(), f"{ours[bad]} instead of {theirs[bad]}"


def compare(learner, lanes, X, stream, kept, tolerance=1e-9, weights=None):
    """Predictions, losses, weights and scales of a learner against those of the oracles."""
    assume(kept)
    Y, h = stream.Y[kept], stream.weights[kept]
    many = len(lanes) > 1
    weights = h if weights is None else weights
    p = learner.learn(X[kept], Y if Y.shape[1] > 1 else Y[:, 0], weights).reshape(len(kept), -1)
    assert p.shape == (len(kept), len(lanes))
    for k, lane in enumerate(lanes):
        assert_close(p[:, k], lane.predictions, np.maximum.accumulate(lane.sizes), tolerance)
    if not h.sum():
        return
    assert learner.examples == np.count_nonzero(h)
    total = np.array([sum(lane.losses) for lane in lanes])
    assert np.ravel(learner._numbers.lanes.loss) == pytest.approx(total, rel=100 * tolerance, abs=1e-12)
    table = {row["feature"]: row for row in learner.weights().to_pylist()}
    weight_columns = [name for name in learner.weights().column_names if name.startswith("weight")]
    for k, lane in enumerate(lanes):
        algorithm = lane.algorithm
        effect = max((abs(w) * table[i]["scale"] for i, w in algorithm.w.items() if i in table), default=0.0)
        for i, row in table.items():
            column = weight_columns[k if many else 0]
            allowed = 10 * tolerance * max(effect, *lane.sizes)
            assert abs(row[column] - algorithm.w[i]) * row["scale"] <= allowed, i
            if algorithm.s:
                assert row["scale"] == pytest.approx(algorithm.s[i], rel=tolerance)


combinations = pytest.mark.parametrize(
    ("rule", "loss"), list(itertools.product(RULES, [name + PARAMETERS.get(name, "") for name in LOSSES]))
)
choices = {
    "intercept": st.booleans(),
    "importance_aware": st.booleans(),
    "clip": st.sampled_from([None, None, 1.5]),
    "rate": st.sampled_from([0.05, 0.5, 3.0]),
}


@pytest.mark.parametrize("layout", [np.asarray, csr_matrix], ids=["dense", "csr"])
@combinations
@given(data=st.data(), **choices)
def test_one_lane(rule, loss, layout, data, intercept, importance_aware, clip, rate):
    labels = kind_of_labels(loss)
    stream = data.draw(streams(labels))
    lane = Lane(oracle(rule, loss, rate, importance_aware, clip), labels)
    kept = run_oracle([lane], stream, intercept)
    learner = Learner(rule, loss, rate, intercept, importance_aware, clip)
    compare(learner, [lane], layout(stream.X), stream, kept)


@combinations
@given(data=st.data(), **choices)
@settings(max_examples=10)
def test_many_lanes(rule, loss, data, intercept, importance_aware, clip, rate):
    """Ten lanes, more than go into one vector: five targets, each at two rates."""
    labels, rates = kind_of_labels(loss), (rate, 0.3 * rate)
    stream = data.draw(streams(labels, outputs=5))
    lanes = [Lane(oracle(rule, loss, each, importance_aware, clip), labels) for _ in range(5) for each in rates]
    doubled = stream._replace(Y=np.repeat(stream.Y, 2, axis=1))
    kept = run_oracle(lanes, doubled, intercept)
    learner = Learner(rule, loss, rates, intercept, importance_aware, clip)
    compare(learner, lanes, stream.X, stream, kept)


@pytest.mark.parametrize("rule", RULES)
@given(data=st.data())
def test_many_lanes_of_sparse_rows(rule, data):
    stream = data.draw(streams(REAL))
    lanes = [Lane(oracle(rule, "squared", rate), REAL) for rate in (0.1, 1.0)]
    kept = run_oracle(lanes, stream._replace(Y=np.repeat(stream.Y, 2, axis=1)), True)
    compare(Learner(rule, learning_rate=(0.1, 1.0)), lanes, csr_matrix(stream.X), stream, kept)


@pytest.mark.parametrize("rule", ["sgd(0.2, 30)", "ng(1, 7)", "sgd(0)"])
@given(data=st.data())
def test_the_parameters_of_rules(rule, data):
    stream = data.draw(streams(REAL))
    lane = Lane(oracle(rule, "squared", 0.5), REAL)
    kept = run_oracle([lane], stream, True)
    compare(Learner(rule), [lane], stream.X, stream, kept)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("layout", [np.asarray, csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("rates", [0.5, (0.5, 0.1)], ids=["one", "many"])
def test_one_lane_of_many_is_as_if_alone(rule, layout, rates):
    """Directly, on a longer stream with rows of more than eight features."""
    stream = linear_stream(5, rows=80, columns=21, outputs=9)
    stream = stream._replace(X=stream.X / np.abs(stream.X).max(axis=0))
    X = layout(stream.X)
    together = Learner(rule, learning_rate=rates).learn(X, stream.Y, stream.weights)
    together = together.reshape(80, 9, -1)
    for output, k in itertools.product((0, 7, 8), range(together.shape[2])):
        rate = np.atleast_1d(rates)[k]
        alone = Learner(rule, learning_rate=rate).learn(X, stream.Y[:, output], stream.weights)
        np.testing.assert_allclose(together[:, output, k], alone, rtol=1e-9, atol=1e-9 * np.abs(alone).max())


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("layout", [np.asarray, csr_matrix], ids=["dense", "csr"])
def test_a_float32_state_is_close(rule, layout):
    stream = linear_stream(6, columns=11)
    stream = stream._replace(X=stream.X / np.abs(stream.X).max(axis=0))
    X, y = layout(stream.X), stream.Y[:, 0]
    exact, rough = Learner(rule), Learner(rule, dtype="float32")
    p, r = exact.learn(X, y, stream.weights), rough.learn(X, y, stream.weights)
    assert rough._numbers.v.dtype == np.float32
    assert not np.array_equal(p, r)
    np.testing.assert_allclose(r, p, rtol=0, atol=1e-4 * np.abs(p).max())
    rates = Learner(rule, learning_rate=(0.5, 1.0), dtype="float32").learn(X, y, stream.weights)
    np.testing.assert_allclose(rates[:, 0], p, rtol=0, atol=1e-4 * np.abs(p).max())


def products_of(order, may=lambda names: True):
    """All products of up to `order` features, with squares; those with the constant are always there."""

    def products(x):
        constant = x.get(INTERCEPT, 0.0)
        base = {INTERCEPT: 1.0, **x}
        crossed = {}
        for names in itertools.combinations_with_replacement(base, order):
            real = [name for name in names if name != INTERCEPT]
            if not real:
                if constant:
                    crossed[INTERCEPT] = constant
            elif len(real) == 1 or may(real):
                crossed[" * ".join(real)] = math.prod(base[name] for name in real)
        return crossed

    return products


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("layout", [np.asarray, csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("order", [2, 3])
@given(data=st.data(), intercept=st.booleans())
def test_interactions(rule, layout, order, data, intercept):
    stream = data.draw(streams(REAL, exponents=st.integers(-2, 2)))
    lane = Lane(oracle(rule, "squared", 0.5), REAL)
    kept = run_oracle([lane], stream, intercept, products_of(order))
    learner = Learner(rule, intercept=intercept, interactions=order)
    compare(learner, [lane], layout(stream.X), stream, kept)


@pytest.mark.parametrize(
    "pairs",
    [[("x0", "x1")], [("x1", "x1")], [("x[12]", "*")], [("x0", "x1"), ("x2", "x[03]")], [("none", "*")]],
)
@given(data=st.data(), intercept=st.booleans())
def test_pairs_of_patterns(pairs, data, intercept):
    def may(names):
        import fnmatch

        a, b = names
        either = [(a, b), (b, a)]
        return any(
            fnmatch.fnmatchcase(one, left) and fnmatch.fnmatchcase(other, right)
            for left, right in pairs
            for one, other in either
        )

    stream = data.draw(streams(REAL, exponents=st.integers(-2, 2)))
    lane = Lane(oracle("nag", "squared", 0.5), REAL)
    kept = run_oracle([lane], stream, intercept, products_of(2, may))
    learner = Learner("nag", intercept=intercept, interactions=pairs)
    compare(learner, [lane], stream.X, stream, kept)


@pytest.mark.parametrize("rule", RULES)
def test_many_lanes_of_interactions(rule):
    stream = linear_stream(7, columns=4, rows=40)
    stream = stream._replace(X=stream.X / np.abs(stream.X).max(axis=0))
    y = stream.Y[:, 0]
    both = Learner(rule, interactions=2, learning_rate=(0.5, 0.1)).learn(stream.X, y)
    alone = Learner(rule, interactions=2).learn(stream.X, y)
    np.testing.assert_allclose(both[:, 0], alone, rtol=1e-9, atol=1e-9 * np.abs(alone).max())


def penalised(rule, rate, stream, l1, l2):
    """Squared loss, plain steps, and after each the proximal step on v = w s of the row's features."""
    algorithm = oracle(rule, "squared", rate, importance_aware=False)
    predictions = []
    for row, y, h in zip(stream.X, stream.Y[:, 0].tolist(), stream.weights.tolist(), strict=True):
        x = features_of(row, intercept=True)
        rates = {}
        original = algorithm.descend

        def descend(x, y, h, p, rate, original=original, rates=rates):
            rates.update(rate)
            original(x, y, h, p, rate)

        algorithm.descend = descend
        predictions.append(algorithm.learn(x, y, h))
        algorithm.descend = original
        normalised = named("rule", rule, RULES).normalised
        for i in x:
            if i != INTERCEPT and rates.get(i):
                s = algorithm.s[i] if normalised else 1.0
                own = h * rates[i] * s * s
                v = algorithm.w[i] * s
                v = math.copysign(max(0.0, abs(v) - l1 * own) / (1.0 + l2 * own), v)
                algorithm.w[i] = v / s
    return predictions, algorithm


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("layout", [np.asarray, csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize(("l1", "l2"), [(0.3, 0.0), (0.0, 0.7), (0.1, 0.1)])
def test_penalties(rule, layout, l1, l2):
    stream = linear_stream(8, rows=40)
    stream = stream._replace(X=stream.X / np.abs(stream.X).max(axis=0))
    expected, algorithm = penalised(rule, 0.1, stream, l1, l2)
    options = {"rule": rule, "importance_aware": False, "l1": l1, "l2": l2}
    learner = Learner(learning_rate=0.1, **options)
    p = learner.learn(layout(stream.X), stream.Y[:, 0], stream.weights)
    np.testing.assert_allclose(p, expected, rtol=1e-9, atol=1e-9)
    for row in learner.weights().to_pylist():
        assert row["weight"] == pytest.approx(algorithm.w[row["feature"]], rel=1e-8, abs=1e-10)
    many = Learner(learning_rate=(0.4, 0.1), **options)
    p = many.learn(layout(stream.X), stream.Y[:, 0], stream.weights)
    np.testing.assert_allclose(p[:, 1], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rule", RULES)
def test_a_strong_l1_penalty_leaves_only_the_intercept(rule):
    stream = linear_stream(9)
    learner = Learner(rule, l1=1e6)
    learner.learn(stream.X / np.abs(stream.X).max(axis=0), stream.Y[:, 0] + 5.0)
    weights = {row["feature"]: row["weight"] for row in learner.weights().to_pylist()}
    assert weights.pop(INTERCEPT) != 0.0
    assert len(weights) == 5
    assert set(weights.values()) == {0.0}
