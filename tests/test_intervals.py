"""Intervals hold what they promise, follow changes, and are kept to the bit through batches, files and merges."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unscaled
from streams import in_batches, linear_stream, streams
from unscaled import DataError, Learner, OnlineRegressor, UsageError, load
from unscaled.kernels import quantiles
from unscaled.losses import COUNT, LOSSES, REAL

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(6000, 3)) * [1e-6, 1.0, 1e6]
TARGET = X @ [1e6, -2.0, 0.5e-6]
NOISE = {
    "normal": RANDOM.normal(size=6000),
    "of three degrees": RANDOM.standard_t(3, size=6000),
    "of Cauchy": RANDOM.standard_cauchy(size=6000),
    "skewed": RANDOM.exponential(size=6000),
}
Y = TARGET + NOISE["normal"]


def taught(y=Y, rows=X, **options):
    learner = Learner(**options)
    learner.learn(rows, y)
    return learner


def held(learner, rows, y, level):
    _, low, high = learner.predict(rows, interval=level).T
    return np.mean((low <= y) & (y <= high))


def around(learner, rows=X):
    return b"".join(learner.predict(rows, interval=level).tobytes() for level in (0.1, 0.5, 0.77, 0.9, 0.999))


@pytest.mark.parametrize("noise", NOISE)
def test_labels_are_held_as_often_as_was_asked(noise):
    y = TARGET + NOISE[noise]
    # Cauchy's noise has no mean: what auto makes of it never rests, and intervals that stand still cannot follow.
    learner = taught(y[:4000], X[:4000], rule="nag" if noise == "of Cauchy" else "auto")
    assert list(learner.interval_coverage) == quantiles.COVERAGES.tolist()
    for level, share in learner.interval_coverage.items():
        assert share == pytest.approx(level, abs=0.02)
    for level in (*LEVELS, 0.3, 0.75):
        assert held(learner, X[4000:], y[4000:], level) == pytest.approx(level, abs=0.04 if level > 0.75 else 0.06)


def changed(change):
    late = np.arange(len(X)) >= 3000
    return {
        "noise x 10": TARGET + NOISE["normal"] * np.where(late, 10.0, 1.0),
        "noise / 10": TARGET + NOISE["normal"] * np.where(late, 0.1, 1.0),
        "offset": Y + np.where(late, 50.0, 0.0),
        "units x 1000": Y * np.where(late, 1000.0, 1.0),
        "other weights": np.where(late, -TARGET, TARGET) + NOISE["normal"],
    }[change]


@pytest.mark.parametrize("options", [{}, {"rule": "nag", "learning_rate": 1.0}], ids=["auto", "nag"])
@pytest.mark.parametrize("change", ["noise x 10", "noise / 10", "offset", "units x 1000", "other weights"])
def test_labels_are_held_also_after_a_change(change, options):
    y = changed(change)
    learner = taught(y[:3000], X[:3000], **options)
    before = learner.interval_coverage
    learner.learn(X[3000:3600], y[3000:3600])
    for level in LEVELS:  # of so few rows, in which the learner must change, too
        share = (learner.interval_coverage[level] * 3600 - before[level] * 3000) / 600
        assert share == pytest.approx(level, abs=0.08)
    learner.learn(X[3600:], y[3600:])
    for level in LEVELS:
        share = (learner.interval_coverage[level] * 6000 - before[level] * 3000) / 3000
        assert share == pytest.approx(level, abs=0.03 if level == 0.5 else 0.02)


def followed(trackers, residuals):
    """What share of these residuals the intervals held, by level, each interval from before its row."""
    n, rows = len(residuals), residuals[:, None]
    ends = slice(quantiles.MISSED_BELOW, quantiles.ROWS)
    before = trackers[0, ends].copy()
    quantiles.follow(trackers, rows, np.zeros_like(rows), np.ones(n), (-np.inf, np.inf))
    missed = (trackers[0, ends] - before).reshape(2, -1).sum(axis=0)
    return dict(zip(quantiles.COVERAGES.tolist(), 1.0 - missed / n, strict=True))


@pytest.mark.parametrize("rows", [20_000, 60_000])
@pytest.mark.parametrize("law", ["normal", "of three degrees", "of Laplace"])
@pytest.mark.parametrize("recovery", [30, 100])
def test_misses_are_made_up_for_in_a_tenth_of_the_stream_after_a_change(rows, law, recovery):
    """A learner that a change surprises makes large errors, all of a sign, which fade over some rows."""
    random = np.random.default_rng(0)
    made = {
        "normal": random.normal(size=rows),
        "of three degrees": random.standard_t(3, size=rows),
        "of Laplace": random.laplace(size=rows),
    }
    since = np.arange(rows) - rows // 2
    residuals = made[law] + np.where(since >= 0, 50.0 * np.exp(-np.maximum(since, 0) / recovery), 0.0)
    trackers = quantiles.new_trackers(1)
    for part in np.split(residuals, [rows // 2, rows // 2 + rows // 10]):
        shares = followed(trackers, part)
        assert {level: shares[level] for level in LEVELS} == pytest.approx({level: level for level in LEVELS}, abs=0.02)


def test_widths_are_steady_where_nothing_changes():
    residuals, trackers = np.random.default_rng(0).normal(size=100_000), quantiles.new_trackers(1)
    widths = []
    for part in np.split(residuals, 1000):
        followed(trackers, part)
        ends = quantiles.nested(trackers[0]) * trackers[0, quantiles.SIZE]
        widths.append(dict(zip(quantiles.COVERAGES.tolist(), ends[1] - ends[0], strict=True)))
    for level, width in {0.5: 1.349, 0.8: 2.563, 0.9: 3.290, 0.95: 3.920, 0.99: 5.152}.items():
        after = np.array([each[level] for each in widths[200:]])
        assert after.mean() == pytest.approx(width, rel=0.02)
        assert after.std() < 0.05 * width


def test_an_outlier_hardly_moves_them():
    y = Y.copy()
    learner = taught(y[:5000], X[:5000], rule="snag")
    before = np.diff(learner.predict(X[:1], interval=0.9)[0, 1:])
    learner._intervals.observe(np.array([[1e12]]), np.zeros((1, 1)), np.ones(1))
    assert np.diff(learner.predict(X[:1], interval=0.9)[0, 1:]) == pytest.approx(before, rel=0.05)


def test_wider_for_more_and_never_crossed():
    learner = taught(Y[:40], X[:40])
    asked = [0.001, 0.2, 0.5, 0.51, 0.8, 0.9, 0.97, 0.99, 0.998, 0.9999]
    ends = np.array([learner.predict(X[:5], interval=level) for level in asked])
    assert (ends[:, :, 1] <= ends[:, :, 2]).all()
    assert (np.diff(ends[:, :, 1], axis=0) <= 0.0).all()
    assert (np.diff(ends[:, :, 2], axis=0) >= 0.0).all()


@pytest.mark.parametrize("exponent", [-30, -1, 7, 200])
def test_powers_of_two_of_the_label_change_no_bit(exponent):
    residuals, zeros, ones = (TARGET + NOISE["of Cauchy"])[:, None], np.zeros((6000, 1)), np.ones(6000)
    one, other = Learner()._intervals, Learner()._intervals
    one.observe(residuals, zeros, ones)
    other.observe(residuals * 2.0**exponent, zeros, ones)
    for level in LEVELS:
        p = one.around(zeros, np.full(1, 1.0), np.full(1, -1.0), level)
        q = other.around(zeros, np.full(1, 1.0), np.full(1, -1.0), level)
        assert (p * 2.0**exponent).tobytes() == q.tobytes()
    assert one.coverage() == other.coverage()


@pytest.mark.parametrize("loss", [name for name, loss in LOSSES.items() if loss.labels in (REAL, COUNT)])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_batches_change_no_bit(loss, size):
    stream = linear_stream(5, rows=300, outputs=2, labels=LOSSES[loss].labels)
    rows = stream.X / np.abs(stream.X).max(axis=0)
    whole, parts = Learner(loss=loss), Learner(loss=loss)
    whole.learn(rows, stream.Y, stream.weights)
    in_batches(parts, rows, stream.Y, size, stream.weights)
    assert whole.predict(rows, interval=0.9).shape == (300, 2, 3)
    assert around(whole, rows) == around(parts, rows)
    assert whole.interval_coverage == parts.interval_coverage


@given(stream=streams(REAL, weighted=True), cut=st.integers(1, 9))
def test_saved_and_loaded_to_the_bit(tmp_path_factory, stream, cut):
    path = tmp_path_factory.mktemp("saved") / "model.parquet"
    y = stream.Y[:, 0]
    learner = Learner()
    learner.learn(stream.X[:cut], y[:cut], stream.weights[:cut])
    learner.save(path)
    again = load(path)
    for each in (learner, again):
        each.learn(stream.X, y, stream.weights + 1.0)
    assert around(again, stream.X) == around(learner, stream.X)
    assert again.interval_coverage == learner.interval_coverage


def test_a_model_file_without_them_can_still_be_read(tmp_path, monkeypatch):
    from unscaled import learner as module

    whole = module._contents

    def older(learner):
        contents = whole(learner)
        del contents.described["intervals"]
        return contents

    monkeypatch.setattr(module, "_contents", older)
    learner = taught()
    learner.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.predict(X).tobytes() == learner.predict(X).tobytes()
    with pytest.raises(UsageError, match="no intervals yet"):
        again.predict(X, interval=0.9)
    again.learn(X, Y)
    assert again.interval_coverage[0.9] == pytest.approx(0.9, abs=0.02)


def test_merging_does_not_depend_on_the_order_and_nothing_adds_nothing():
    left, right = taught(Y[:2500], X[:2500]), taught(Y[2500:], X[2500:])
    before = around(left), around(right)
    assert around(left.merge(right)) == around(right.merge(left))
    assert left.merge(right).interval_coverage == right.merge(left).interval_coverage
    assert (around(left), around(right)) == before
    for merged in (left.merge(Learner()), Learner().merge(left)):
        assert around(merged) == around(left)
        assert merged.interval_coverage == left.interval_coverage
    both = left.merge(right)
    assert held(both, X, Y, 0.9) == pytest.approx(0.9, abs=0.04)
    assert around(copy.deepcopy(both)) == around(both)


def test_a_label_does_not_move_its_own_interval():
    """What held a row's label was there before the row: only whether it held it may depend on the label."""
    for label, counted in ((0.0, True), (1e9, False)):
        learner = taught(Y[:500], X[:500])
        row, before = X[500:501], learner.interval_coverage
        _, low, high = learner.predict(row, interval=0.9)[0]
        learner.learn(row, [(low + high) / 2 + label])
        expected = (before[0.9] * 500 + counted) / 501
        assert learner.interval_coverage[0.9] == pytest.approx(expected, abs=1e-12)


def test_each_row_counts_by_the_interval_that_predict_gives():
    learner, hits = Learner(), 0
    learner.learn(X[:1], Y[:1])
    start = learner.interval_coverage[0.9]
    for i in range(1, 400):
        _, low, high = learner.predict(X[i : i + 1], interval=0.9)[0]
        hits += low <= Y[i] <= high
        learner.learn(X[i : i + 1], Y[i : i + 1])
    assert learner.interval_coverage[0.9] * 400 == pytest.approx(hits + start)


def test_each_row_counts_by_the_interval_that_is_given_also_where_quantiles_cross():
    """Errors far from zero that differ little: steps, which are in units of their size, carry quantiles past others."""
    residuals = 100.0 + np.random.default_rng(0).normal(size=(2000, 1)) * np.repeat([[1.0], [10.0]], 1000, axis=0)
    intervals, zeros, none = Learner()._intervals, np.zeros((1, 1)), (np.ones(1), -np.ones(1))
    intervals.observe(residuals[:1], zeros, np.ones(1))
    hits, start, crossed = dict.fromkeys(LEVELS, 0), intervals.coverage(), 0
    for residual in residuals[1:]:
        for level in LEVELS:
            _, low, high = intervals.around(zeros, *none, level)[0, 0]
            assert low <= high
            hits[level] += low <= residual[0] <= high
        crossed += intervals._trackers[0, quantiles.LOWER] > intervals._trackers[0, quantiles.UPPER]
        intervals.observe(residual[None], zeros, np.ones(1))
    assert crossed > 0
    for level in LEVELS:
        assert intervals.coverage()[level] * 2000 == pytest.approx(hits[level] + start[level])
        assert intervals.coverage()[level] == pytest.approx(level, abs=0.02)


def test_rows_of_no_weight_and_bad_rows_and_later_passes_do_not_count():
    plain = taught(Y[:300], X[:300])
    weights = np.ones(400)
    weights[300:] = 0.0
    one, other, third = Learner(), Learner(), Learner()
    one.learn(X[:400], Y[:400], weights)
    rows, labels = np.insert(X[:300], 7, np.inf, axis=0), np.insert(Y[:300], 7, 0.0)
    rows, labels = np.insert(rows, 50, 0.0, axis=0), np.insert(labels, 50, np.nan)
    other.learn(rows, labels, on_bad_row=lambda row, why: None)
    with pytest.raises(DataError, match="infinite"):
        third.learn(np.insert(X[:400], 300, np.inf, axis=0), Y[:401])
    for each in (one, other, third):
        assert around(each) == around(plain)
        assert each.interval_coverage == plain.interval_coverage
    kept = plain.interval_coverage
    plain.learn(X[:300], Y[:300], progressive=False)
    assert plain.interval_coverage == kept


def test_cut_where_predictions_are_cut():
    learner = taught(clip=(-1.0, 1.5))
    p, low, high = learner.predict(X, interval=0.9).T
    assert (min(low), max(high)) == (-1.0, 1.5)
    assert ((low <= p) & (p <= high)).all()
    assert learner.interval_coverage[0.998] < np.mean((Y >= -1.0) & (Y <= 1.5)) + 1e-9
    _, low, high = taught(clip="labels").predict(X, interval=0.998).T
    assert (min(low), max(high)) == (Y.min(), Y.max())


def test_counts_have_intervals_of_rates():
    random = np.random.default_rng(0)
    Z = random.uniform(0.0, 3.0, size=(20_000, 1))
    y = random.poisson(np.exp(Z[:, 0])).astype(float)
    learner = taught(y, Z, loss="poisson")
    p, low, high = learner.predict(Z, interval=0.9).T
    np.testing.assert_array_equal(p, np.exp(learner.predict(Z)))
    assert low.min() >= 0.0
    assert learner.interval_coverage[0.9] == pytest.approx(0.9, abs=0.02)
    wide, narrow = ((high - low)[each] for each in (Z[:, 0] > 2.5, Z[:, 0] < 0.5))
    assert wide.mean() > 2.0 * narrow.mean()


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 90, float("nan"), "wide", True])
def test_a_level_that_is_none(level):
    with pytest.raises(UsageError, match="interval must be a share between 0 and 1"):
        taught().predict(X, interval=level)


def test_learners_that_have_none():
    with pytest.raises(UsageError, match="classes have probabilities"):
        taught(Y > 0, loss="logistic", classes=[False, True]).predict(X, interval=0.9)
    with pytest.raises(UsageError, match="classes have probabilities"):
        taught(np.sign(Y), loss="logistic").predict(X, interval=0.9)
    with pytest.raises(UsageError, match="several learning rates"):
        taught(rule="nag", learning_rate=[0.1, 1.0]).predict(X, interval=0.9)
    with pytest.raises(UsageError, match="no intervals yet"):
        Learner().predict(X, interval=0.9)
    assert taught(rule="nag", learning_rate=[0.1, 1.0]).interval_coverage == {}


def test_the_estimator_has_them_too():
    model = OnlineRegressor(random_state=0).fit(X, Y)
    p = model.predict(X, interval=0.9)
    assert p.shape == (6000, 3)
    assert p[:, 0].tobytes() == model.predict(X).tobytes()
    assert np.mean((p[:, 1] <= Y) & (p[:, 2] >= Y)) == pytest.approx(0.9, abs=0.04)
    assert OnlineRegressor(random_state=0).fit(X, np.stack([Y, -Y], axis=1)).predict(X, interval=0.9).shape == (
        6000,
        2,
        3,
    )
    assert unscaled.OnlineRegressor is OnlineRegressor


def test_one_rate_of_several_has_the_intervals_that_it_would_have_alone():
    random = np.random.default_rng(7)
    X = random.normal(size=(400, 3))
    y = X @ [1.0, -2.0, 3.0] + random.normal(size=400)
    grid, alone = Learner("nag", learning_rate=[0.1, 1.0]), Learner("nag", learning_rate=1.0)
    grid.learn(X, y)
    alone.learn(X, y)
    np.testing.assert_allclose(grid.at_rate(1.0).predict(X, interval=0.9), alone.predict(X, interval=0.9), rtol=1e-9)
    with pytest.raises(UsageError, match="several learning rates"):
        grid.predict(X, interval=0.9)
