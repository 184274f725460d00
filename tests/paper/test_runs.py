"""The machinery of the runs: rows as the protocol wants them, all rates at once, Vowpal Wabbit and its imitation."""

import numpy as np
import pytest

from unscaled import Learner, datasets
from unscaled.datasets import DATASETS
from unscaled.datasets.dataset import Dataset
from unscaled.paper import peer, toy
from unscaled.paper.claims import MAX_NORM, RAW, SQUARE_NORM
from unscaled.paper.imitation import imitated_scores
from unscaled.paper.protocol import Protocol, divisors, prepared
from unscaled.paper.searching import losses_of, mistakes, rates_for

needs_wabbit = pytest.mark.skipif(peer.version() is None, reason="Vowpal Wabbit is not installed")


def made(classes: int, rows: int = 600) -> Dataset:
    """A data set with features of very different scales, whose largest values come late; no classes is a regression."""
    random = np.random.default_rng(classes)
    X = random.standard_normal((rows, 3)) * [1e-3, 1.0, 1e3] * np.linspace(0.2, 2.0, rows)[:, None]
    X[random.random(X.shape) < 0.2] = 0.0
    hidden = X @ random.standard_normal((3, max(2, classes))) / [1e-3, 1.0, 1e3][1]
    y = hidden[:, 0] * 3.0 + 7.0 if not classes else hidden.argmax(axis=1).astype(str)
    return Dataset(DATASETS["shuttle" if classes else "msd"], X, y, True, ())


@pytest.mark.parametrize("name", DATASETS)
def test_any_data_set_is_prepared(tiny, name):
    data = datasets.load(name)
    for scaling, size in ((RAW, None), (MAX_NORM, np.abs), (SQUARE_NORM, np.square)):
        rows = prepared(data, Protocol(), scaling)
        assert len(rows) == len(data.y) == len(rows.labels)
        if size is not None:
            assert set(np.round(size(rows.X).max(axis=0) if size is np.abs else size(rows.X).mean(axis=0), 12)) <= {
                0,
                1,
            }
    if data.task == "classes":
        assert set(np.unique(rows.labels)) == {-1.0, 1.0}
        assert len(rows.codes) == len(rows)
    else:
        assert (rows.labels[:, 0] == data.y).all()
        assert rows.worst == (data.y.max() - data.y.min()) ** 2


def test_only_covertype_is_shuffled_and_always_in_the_same_way(tiny):
    for name in DATASETS:
        data = datasets.load(name)
        once, twice = prepared(data, Protocol()).X, prepared(data, Protocol()).X
        assert (once == twice).all()
        assert (once == data.X).all() == (name != "covertype")
        assert np.sort(once, axis=0).tolist() == np.sort(data.X, axis=0).tolist()


def test_a_feature_that_is_always_zero_is_divided_by_one():
    X = np.array([[0.0, -3.0], [0.0, 4.0]])
    assert divisors(X, MAX_NORM).tolist() == [1.0, 4.0]
    assert divisors(X, SQUARE_NORM).tolist() == [1.0, np.sqrt(12.5)]


@pytest.mark.parametrize("classes", [0, 2, 4])
@pytest.mark.parametrize("rule", ["nag", "snag", "ag"])
def test_all_rates_at_once_give_what_each_gives_alone(classes, rule):
    rows, protocol = prepared(made(classes), Protocol()), Protocol()
    rates = np.array([0.01, 0.3, 2.0])
    together = losses_of(rows, rule, rates, protocol)
    for k, rate in enumerate(rates.tolist()):
        p = Learner(rule, learning_rate=rate, **protocol.options()).learn(rows.X, rows.labels.squeeze())
        p = p.reshape(rows.labels.shape)
        if classes == 0:
            expected = np.mean((p - rows.labels) ** 2) / rows.worst
        elif classes == 2:
            expected = np.mean((p > 0.0) != (rows.labels > 0.0))
        else:
            expected = np.mean(p.argmax(axis=1) != rows.codes)
        assert together.losses[k] == pytest.approx(expected, rel=1e-9)
    assert together.best.loss == together.losses.min()


def test_the_search_says_when_it_ends_too_early():
    rows = prepared(made(2), Protocol())
    assert losses_of(rows, "nag", np.array([1e-9, 1e-8]), Protocol()).ends
    assert not losses_of(rows, "nag", np.array([1e-9, 0.3, 1e6]), Protocol()).ends


@pytest.mark.parametrize("rule", ["nag", "snag", "ag"])
def test_rates_are_evenly_spaced(rule):
    rates = rates_for(rule, 4)
    assert np.diff(np.log10(rates)) == pytest.approx(0.25)
    assert (rates.min() <= 0.01 and rates.max() >= 20.0) or rule == "ag"


def test_the_toy_shows_what_the_paper_says():
    found = toy.play()
    for rule in ("nag", "snag"):
        assert np.ptp(found.in_hindsight(rule)) < 1e-9
        assert np.ptp(found.at_one_rate(rule)) < 1e-9
    assert found.in_hindsight("ag").max() > 10.0 * found.in_hindsight("nag").max()
    assert (found.at_one_rate("ag") >= found.in_hindsight("ag")).all()


@needs_wabbit
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("rule", peer.FLAGS)
def test_the_imitation_is_vowpal_wabbit(classes, rule):
    rows = prepared(made(classes), Protocol())
    with peer.VowpalWabbit(rows) as wabbit:
        for rate in (0.05, 1.0):
            scores = imitated_scores(rows, rule, rate)
            wrong = mistakes(scores[:, :, None], rows.labels, rows.codes)[0]
            assert abs(wabbit.loss(rule, rate) * len(rows) - wrong) <= 1  # it computes in float32


@needs_wabbit
def test_the_imitation_is_not_the_paper():
    """Else it would explain nothing: the order of events matters on these rows."""
    rows = prepared(made(2), Protocol())
    scores = imitated_scores(rows, "nag", 1.0)
    ours = Learner("nag", learning_rate=1.0, **Protocol().options()).learn(rows.X, rows.labels[:, 0])
    assert np.abs(scores[:, 0] - ours).max() > 0.01


@needs_wabbit
def test_vowpal_wabbit_on_a_regression():
    rows = prepared(made(0), Protocol())
    with peer.VowpalWabbit(rows) as wabbit:
        best = wabbit.best("nag", 1.0)
        assert 0.0 < best.loss < 0.2
        assert best.loss <= wabbit.loss("nag", 1.0)


@needs_wabbit
def test_a_run_of_vowpal_wabbit_that_fails_says_so(monkeypatch):
    from unscaled.errors import UnscaledError

    monkeypatch.setitem(peer.FLAGS, "nag", ["--no-such-flag"])
    with peer.VowpalWabbit(prepared(made(2), Protocol())) as wabbit, pytest.raises(UnscaledError, match="no-such-flag"):
        wabbit.loss("nag", 1.0)
