"""`unscaled.tune`: its table is what each candidate gives alone, and its winner is the learner that it would be."""

import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import unscaled
from streams import learned, linear_stream, streams
from unscaled.learner import Learner
from unscaled.losses import COUNT, LOSSES, REAL, SIGN
from unscaled.progressive import Progressive
from unscaled.rules import PAPER
from unscaled.rules.nag import NAG
from unscaled.tuning import Contest
from unscaled.tuning.candidates import default_rates
from unscaled.tuning.chart import TITLES
from unscaled.tuning.metrics import HIGHER_IS_BETTER, MEANS, METRICS, OWN_LOSS

RATES = [0.1, 1.0, 10.0]
CLASSES = ["ant", "bee", "cow"]


def a_table(rows: int, seed: int = 0) -> pd.DataFrame:
    """Numbers of many units with gaps, and a category."""
    stream = linear_stream(seed, rows=rows, columns=3)
    table = pd.DataFrame(stream.X, columns=["a", "b", "c"])
    table.loc[::5, "b"] = None
    return table.assign(kind=[CLASSES[i * i % 3] for i in range(rows)])


def labels_for(loss: str, rows: int = 60) -> np.ndarray:
    return linear_stream(0, rows=rows, columns=3, labels=LOSSES[loss].labels).Y[:, 0]


def alone(X, y, weights=None, **options) -> Progressive:
    progressive = Progressive(Learner(**options))
    progressive.learn(X, y, weights)
    return progressive


def close(mine, other) -> bool:
    return mine == other or mine == pytest.approx(other, rel=1e-12, abs=1e-12)


def assert_table_is_what_each_gives_alone(found, X, y, weights=None, **options) -> None:
    for row in found.table.to_pylist():
        names = {"rule": row["rule"], "loss": row["loss"], "interactions": int(row["interactions"])}
        one = alone(X, y, weights, learning_rate=row["rate"], **names, **options)
        assert close(row["progressive_loss"], one.learner.progressive_loss)
        metrics = one.metrics()
        for name in found.table.column_names[5:]:
            assert close(row[name], metrics.get(name)), name


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("rule", PAPER)
def test_the_table_is_what_each_candidate_gives_alone(rule: str, loss: str) -> None:
    X, y, weights = a_table(60), labels_for(loss), linear_stream(0).weights
    found = unscaled.tune(X, y, rules=rule, losses=loss, learning_rates=RATES, sample_weight=weights)
    assert found.table.num_rows == len(RATES)
    assert_table_is_what_each_gives_alone(found, X, y, weights)


@pytest.mark.parametrize("classes", ["auto", CLASSES, CLASSES[:2]])
def test_the_table_of_classes_and_interactions(classes: str | list[str]) -> None:
    X = a_table(60)
    y = [CLASSES[i * 7 % 5 % (2 if len(classes) == 2 else 3)] for i in range(60)]
    tried = {"losses": ["logistic", "squared"], "interactions": [1, 2], "learning_rates": RATES}
    found = unscaled.tune(X, y, classes=classes, l2=0.01, **tried)
    assert found.table.num_rows == 2 * 2 * 2 * len(RATES)  # auto cannot have a penalty
    assert found.metric == "log_loss"
    assert_table_is_what_each_gives_alone(found, X, y, classes=classes, l2=0.01)


@given(streams(REAL), st.integers(1, 4))
def test_any_stream_in_any_batches_gives_the_same(stream, size: int) -> None:
    y = stream.Y[:, 0]
    if not stream.weights.any():
        return
    whole = unscaled.tune(stream.X, y, sample_weight=stream.weights, learning_rates=RATES)
    parts = [slice(begin, begin + size) for begin in range(0, len(y), size)]
    batches = ((stream.X[here], y[here], stream.weights[here]) for here in parts)
    again = unscaled.tune(batches, learning_rates=RATES)
    assert again.table.equals(whole.table)
    assert learned(again.best) == learned(whole.best)
    assert_table_is_what_each_gives_alone(whole, stream.X, y, stream.weights)


@pytest.mark.parametrize("rule", PAPER)
@pytest.mark.parametrize("options", [{}, {"classes": "auto", "loss": "logistic"}, {"clip": "labels", "l1": 0.001}])
def test_one_rate_of_many_learns_on_as_if_it_had_been_alone(rule: str, options: dict) -> None:
    X, y = a_table(90), labels_for("squared", 90)
    y = [CLASSES[i * 7 % 5 % 3] for i in range(90)] if "classes" in options else y
    grid = Learner(rule=rule, learning_rate=RATES, **options)
    grid.learn(X[:40], y[:40])
    before = grid.predict(X)
    for place, rate in enumerate(RATES):
        single = Learner(rule=rule, learning_rate=rate, **options)
        single.learn(X[:40], y[:40])
        taken = grid.at_rate(rate)
        assert taken.options == single.options
        np.testing.assert_array_equal(taken.progressive_loss, grid.progressive_loss[place])
        np.testing.assert_allclose(taken.learn(X[40:], y[40:]), single.learn(X[40:], y[40:]), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(taken.predict(X), single.predict(X), rtol=1e-12, atol=1e-12)
        if "classes" in options:  # several lanes alone too: the same loops, the same bits
            assert learned(taken) == learned(single)
    np.testing.assert_array_equal(grid.predict(X), before)  # what was taken out is a copy


def test_a_rate_that_is_not_there() -> None:
    with pytest.raises(unscaled.UsageError, match=r"no lane learns at the rate 0\.3; there are 0\.1, 1\.0, 10\.0"):
        Learner(learning_rate=RATES).at_rate(0.3)
    assert Learner(learning_rate=0.3).at_rate(0.3).options.learning_rate == 0.3


def test_several_targets() -> None:
    stream = linear_stream(3, outputs=2)
    found = unscaled.tune(stream.X, stream.Y, learning_rates=RATES)
    assert_table_is_what_each_gives_alone(found, stream.X, stream.Y)
    assert found.best.predict(stream.X).shape == (60, 2)


@pytest.mark.parametrize("kind", ["array", "csr", "pandas", "arrow", "reader", "lists"])
def test_any_kind_of_rows(kind: str) -> None:
    stream = linear_stream(1, rows=20_000, columns=4)
    X, y = stream.X, stream.Y[:, 0]
    table = pa.table({f"x{k}": X[:, k] for k in range(4)})
    given_rows = {
        "array": X,
        "csr": scipy.sparse.csr_matrix(X),
        "pandas": table.to_pandas(),
        "arrow": table,
        "reader": pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=777)),
        "lists": X.tolist(),
    }[kind]
    labels = pa.chunked_array([y]) if kind == "arrow" else pd.Series(y) if kind == "pandas" else y
    found = unscaled.tune(given_rows, labels)
    expected = Learner(rule=found.best.options.rule, learning_rate=found.best.options.learning_rate)
    expected.learn(X, y)
    assert found.best.examples == 20_000
    assert found.best.progressive_loss == pytest.approx(expected.progressive_loss, rel=1e-9)


def test_the_winner_is_the_best_row_and_goes_on_from_its_file(tmp_path) -> None:
    X, y = a_table(90), [CLASSES[i * 7 % 5 % 3] for i in range(90)]
    found = unscaled.tune(X[:50], y[:50], classes="auto", interactions=[1, 2])
    assert found.best_row["log_loss"] == min(found.table["log_loss"].to_pylist())
    found.save(tmp_path / "m")
    loaded = unscaled.load(tmp_path / "m")
    assert Progressive(loaded).metrics()["log_loss"] == found.best_row["log_loss"]
    np.testing.assert_array_equal(loaded.learn(X[50:], y[50:]), found.best.learn(X[50:], y[50:]))
    assert learned(loaded) == learned(found.best)


@pytest.mark.parametrize("metric", HIGHER_IS_BETTER)
def test_the_highest_wins_where_higher_is_better(metric: str) -> None:
    X = a_table(60)
    y, options = (labels_for("squared"), {}) if metric == "r2" else (labels_for("hinge"), {"losses": "hinge"})
    found = unscaled.tune(X, y, metric=metric, **options)
    assert found.best_row[metric] == max(found.table[metric].to_pylist())


@pytest.mark.parametrize(("options", "metric"), [
    ({}, "mse"),
    ({"losses": "squared"}, "mse"),
    ({"losses": ["squared", "absolute"]}, "mse"),
    ({"losses": "quantile(0.9)"}, OWN_LOSS),
    ({"losses": ["huber(1)", "huber(2)"]}, "mse"),
    ({"losses": ["poisson"]}, OWN_LOSS),
    ({"losses": ["logistic"]}, "log_loss"),
    ({"losses": ["logistic", "hinge"]}, "error"),
    ({"classes": "auto"}, "log_loss"),
    ({"classes": "auto", "losses": ["squared", "logistic"]}, "log_loss"),
    ({"classes": "auto", "losses": ["hinge"]}, "error"),
    ({"metric": "mae"}, "mae"),
    ({"metric": "loss", "losses": ["absolute"]}, "loss"),
])  # fmt: skip
def test_what_candidates_are_compared_by(options: dict, metric: str) -> None:
    assert Contest(**options).metric == metric


def test_every_metric_is_known() -> None:
    """Those that can be chosen are those that are measured, and each has a title."""
    y = labels_for("hinge")
    for kind, options in (("RegressionMetrics", {}), ("ClassMetrics", {"classes": [-1, 1]}),
                          ("SignMetrics", {"loss": "logistic"})):  # fmt: skip
        measured = alone(a_table(60), y.astype(int), **{"loss": "logistic", **options} if options else {}).metrics()
        names = next(names for known, names in METRICS.items() if known.__name__ == kind)
        assert set(names) == {name for name, value in measured.items() if not isinstance(value, dict)}
    assert set(TITLES) == {OWN_LOSS, *(name for names in METRICS.values() for name in names)}
    assert {*HIGHER_IS_BETTER, *MEANS} <= set(TITLES)


def test_default_rates() -> None:
    assert default_rates(NAG()) == (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
    for rule in PAPER.values():
        rates = default_rates(rule())
        assert len(rates) % 8 == 0  # whole vectors of lanes
        assert (rates[0] < 1e-8) == (not rule.normalised)


@pytest.mark.parametrize(("rates", "end"), [([1e-3, 1e-2], "highest"), ([300.0, 900.0], "lowest"), ([1.0], None)])
def test_a_best_rate_at_an_end_is_told(rates: list[float], end: str | None) -> None:
    stream = linear_stream(0, rows=300)
    found = unscaled.tune(stream.X, stream.Y[:, 0], rules="nag", learning_rates=rates)
    assert bool(found.notes) == (end is not None)
    if end is not None:
        assert f"is the {end} of those tried" in found.notes[0]


class Fixed(NamedTuple):
    """A rule that takes no list of rates, as one that aggregates them itself."""

    several_rates = False
    normalised, adaptive, moving = NAG.normalised, NAG.adaptive, NAG.moving
    limit, beyond, stretch = NAG.limit, NAG.beyond, NAG.stretch
    squash_v, gain, pace = NAG.squash_v, NAG.gain, NAG.pace
    squash_G = NAG.squash_G  # noqa: N815


def test_a_rule_that_finds_its_rate_itself_has_one_lane(tmp_path) -> None:
    stream = linear_stream(0)
    y = stream.Y[:, 0]
    found = unscaled.tune(stream.X, y, rules=[Fixed(), "snag"], learning_rates=RATES)
    assert found.table["rate"].to_pylist() == [None, *RATES]
    expected = alone(stream.X, y, rule=Fixed()).metrics()["mse"]
    assert found.table["mse"][0].as_py() == pytest.approx(expected, rel=1e-12)
    only = unscaled.tune(stream.X, y, rules=Fixed())
    assert "rate=None" in repr(only)
    assert only.best.options.learning_rate == Learner(Fixed()).options.learning_rate
    for each in (found, only):
        each.plot(tmp_path / "a.html")
        assert "its own" in (tmp_path / "a.html").read_text()


def test_a_row_that_some_cannot_take_is_for_none() -> None:
    """A label below 0 is fine for squared and not for Poisson: who skips it must not be compared with who does not."""
    stream = linear_stream(0, labels=COUNT)
    y = stream.Y[:, 0].copy()
    y[[3, 7]] = -1.0
    contest = Contest(losses=["squared", "poisson"])
    told = []
    contest.learn(stream.X, y, on_bad_row=lambda row, why: told.append((row, why)))
    assert [row for row, _ in told] == [3, 7]
    assert told[0][1] == "label -1 is negative; a count cannot be"
    assert {each.learner.examples for each in contest.candidates} == {58}
    kept = np.delete(np.arange(60), [3, 7])
    found = unscaled.tune(stream.X[kept], y[kept], losses=["squared", "poisson"])
    assert contest.outcome().table.equals(found.table)


def test_a_candidate_that_diverges_does_not_win() -> None:
    X = linear_stream(0).X * 1e6
    y = linear_stream(0).Y[:, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = unscaled.tune(X, y, rules=["sgd", "nag"], importance_aware=False)
    values = found.table["mse"].to_numpy()
    assert not np.isfinite(values).all()
    assert found.best_row["mse"] == np.nanmin(values)
    with pytest.raises(unscaled.DataError, match=r"no candidate has a mse that is a number: all have diverged"):
        unscaled.tune(X, y, rules="sgd", importance_aware=False, learning_rates=[100.0, 300.0])


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf", "html"])
def test_the_plot(suffix: str, tmp_path) -> None:
    import matplotlib as mpl

    backend = mpl.get_backend(auto_select=False)
    X, y = a_table(60), labels_for("squared")
    found = unscaled.tune(X, y, interactions=[1, [("a", "*"), ("b*", "c")]], losses=["squared", "absolute"])
    path = tmp_path / f"chart.{suffix}"
    found.plot(path)
    begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "html": b"<!doctype html>"}[suffix]
    assert path.read_bytes().startswith(begins)
    assert mpl.get_backend(auto_select=False) == backend
    if suffix == "html":
        page = path.read_text()
        assert "<svg" in page
        assert "http" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
            "http://creativecommons.org", ""
        ).replace("https://matplotlib.org", "")
        assert "src=" not in page
        assert "a:∗,b∗:c" in page
        assert page.count("<tr>") == 1 + 12 + 1 + found.table.num_rows


def test_the_curves_that_are_drawn_are_the_table(tmp_path, monkeypatch) -> None:
    from matplotlib.figure import Figure

    kept = []
    save = Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda figure, *a, **k: (kept.append(figure), save(figure, *a, **k)))
    found = unscaled.tune(a_table(60), labels_for("squared"), rules=["nag", "ag"])
    found.plot(tmp_path / "a.png")
    (axes,) = kept[0].axes
    drawn = {line.get_label().split(" (")[0]: line for line in axes.lines}
    for rule in ("nag", "ag"):
        rows = [row for row in found.table.to_pylist() if row["rule"] == rule]
        line = drawn[f"{rule}, squared, interactions 1"]
        np.testing.assert_array_equal(line.get_xdata(), [row["rate"] for row in rows])
        np.testing.assert_array_equal(line.get_ydata(), [row["mse"] for row in rows])
    assert axes.get_ylabel() == "progressive mean squared error"
    assert axes.get_xscale() == "log"


def test_names_with_dollars_are_drawn_as_they_are(tmp_path) -> None:
    X = pd.DataFrame({"$a^$": [1.0, 2.0], "b$_$": [1.0, 3.0]})
    found = unscaled.tune(X, [1.0, 2.0], interactions=[[("$a^$", "b$_$")]])
    found.plot(tmp_path / "a.html")
    assert "$a^$:b$_$" in (tmp_path / "a.html").read_text().partition("<table>")[0]


@pytest.mark.parametrize(("given_options", "said"), [
    ({"rules": "nagg"}, "unknown rule 'nagg'; did you mean 'nag'"),
    ({"rules": 5}, "rules must be names or a list of them, not 5"),
    ({"rules": []}, "nothing to try: give at least one rule"),
    ({"losses": ["squared", "logistic"]}, "cannot be compared; with classes"),
    ({"losses": ["squared", "absolute"], "metric": "loss"}, "losses differ and cannot be compared; take mse or rmse"),
    ({"classes": "auto", "losses": "hinge", "metric": "log_loss"}, "needs probabilities, which hinge does not say"),
    ({"metric": "error"}, "no metric 'error' for this task"),
    ({"learning_rates": [0.0]}, "learning_rate must be a positive number, not 0.0"),
    ({"learning_rate": 0.5}, r"give learning_rates=\[…\] instead of learning_rate="),
    ({"interactions": 4}, "interactions must be 1, 2, 3 or up to"),
])  # fmt: skip
def test_what_cannot_be_tuned(given_options: dict, said: str) -> None:
    with pytest.raises(unscaled.UsageError, match=said):
        unscaled.tune(np.ones((2, 1)), [1.0, 2.0], **given_options)


def test_rows_that_cannot_be_used() -> None:
    X, y = np.ones((9000, 2)), np.ones(9000)
    with pytest.raises(unscaled.UsageError, match="X has 9000 rows, but there are 9001 labels"):
        unscaled.tune(X, np.ones(9001))
    with pytest.raises(unscaled.UsageError, match=r"X has more rows than there are labels \(8999\)"):
        unscaled.tune(X, y[:-1])
    with pytest.raises(unscaled.UsageError, match="y is missing"):
        unscaled.tune(X)
    with pytest.raises(unscaled.UsageError, match="each batch of a stream must be a tuple"):
        unscaled.tune([X])
    with pytest.raises(unscaled.UsageError, match="brings its weights itself"):
        unscaled.tune([(X, y)], sample_weight=y)
    with pytest.raises(unscaled.DataError, match="row 8999: weight -1 is not"):
        unscaled.tune(X, y, sample_weight=np.append(y[:-1], -1.0))
    with pytest.raises(unscaled.DataError, match="row 8999: label nan is not a number"):
        unscaled.tune(X, np.append(y[:-1], np.nan))
    with pytest.raises(unscaled.DataError, match="row 8999: x1 is infinite"):
        unscaled.tune(np.concatenate([X[:-1], [[1.0, np.inf]]]), y)
    with pytest.raises(unscaled.DataError, match="nothing was learned"):
        unscaled.tune(X, y, sample_weight=np.zeros(9000))
    with pytest.raises(unscaled.DataError, match="AUC is for two classes"):
        unscaled.tune(X[:9], CLASSES * 3, classes="auto", metric="auc")


def test_signs_are_all_of_one_kind() -> None:
    assert Contest(losses=[name for name in LOSSES if LOSSES[name].labels == SIGN]).metric == "error"
