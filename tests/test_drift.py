"""A loss that rises is told, where it rises; one that does not is not, whatever its law."""

import numpy as np
import pytest

from unscaled import Learner
from unscaled.drift import Drift, row_losses
from unscaled.losses import LOSSES, Huber
from unscaled.progressive import Progressive

LAWS = {
    "normal squared": lambda random, n: random.normal(size=n) ** 2,
    "Cauchy squared": lambda random, n: random.standard_cauchy(size=n) ** 2,
    "zero or one": lambda random, n: (random.random(n) < 0.05) * 1.0,
    "always the same": lambda random, n: np.ones(n),
    "always zero": lambda random, n: np.zeros(n),
}
RISES = {
    "noise": (lambda random, n: random.normal(size=n) ** 2, lambda random, n: 4.0 * random.normal(size=n) ** 2),
    "error": (lambda random, n: (random.random(n) < 0.12) * 1.0, lambda random, n: (random.random(n) < 0.31) * 1.0),
}


def watched(losses):
    drift = Drift()
    drift.watch(losses, np.ones(len(losses)))
    return drift


@pytest.mark.parametrize("law", LAWS)
def test_no_alarm_without_a_change(law):
    alarms = [watched(LAWS[law](np.random.default_rng(seed), 20_000)).alarms for seed in range(200)]
    assert np.count_nonzero(alarms) <= 3  # 2 of 200 are allowed on average, and there are fewer


@pytest.mark.parametrize("law", ["normal squared", "Cauchy squared"])
def test_no_alarm_while_it_falls(law):
    fall = 1.0 / np.arange(1.0, 20_001.0)
    assert not any(watched(LAWS[law](np.random.default_rng(seed), 20_000) * fall).alarms for seed in range(20))


@pytest.mark.parametrize("rise", RISES)
@pytest.mark.parametrize("half", [5_000, 50_000])
def test_a_rise_is_told_soon_and_where_it_was(rise, half):
    before, after = RISES[rise]
    places = []
    for seed in range(10):
        random = np.random.default_rng(seed)
        drift = watched(np.concatenate([before(random, half), after(random, half)]))
        assert drift.alarms == 1
        (found,) = drift.rises
        assert half < found.noticed < half + 1000
        places.append(found.example - half)
        assert found.before == pytest.approx(before(random, half).mean(), rel=0.15)
        assert found.after > 1.3 * found.before
    assert abs(np.median(places)) < 300
    assert np.abs(places).max() < 1500


def test_several_rises_are_told():
    random = np.random.default_rng(0)
    sizes = np.repeat([1.0, 4.0, 16.0], 5000)
    drift = watched(random.normal(size=15_000) ** 2 * sizes)
    assert [round(rise.example / 5000) for rise in drift.rises] == [1, 2]


def test_units_change_no_bit():
    random = np.random.default_rng(0)
    losses = random.normal(size=6000) ** 2 * np.repeat([1.0, 9.0], 3000)
    one, other = watched(losses), watched(losses * 2.0**40)
    assert one.alarms
    assert [(rise.example, rise.noticed, rise.after * 2.0**40) for rise in one.rises] == [
        (rise.example, rise.noticed, rise.after) for rise in other.rises
    ]


@pytest.mark.parametrize("size", [1, 63, 64, 1000])
def test_neither_batches_nor_a_file_change_anything(size):
    random = np.random.default_rng(1)
    losses = random.normal(size=4000) ** 2 * np.repeat([1.0, 9.0], 2000)
    weights = random.choice([0.0, 1.0, 3.0], 4000)
    whole, parts = Drift(), Drift()
    whole.watch(losses, weights)
    for begin in range(0, 4000, size):
        parts.watch(losses[begin : begin + size], weights[begin : begin + size])
        if begin % 9 == 0:
            parts = Drift(parts.describe())
    assert whole.alarms
    assert whole.describe() == parts.describe()


def test_rows_of_no_weight_are_not_there():
    losses = np.random.default_rng(1).normal(size=4000) ** 2 * np.repeat([1.0, 9.0], 2000)
    weights = np.tile([0.0, 2.0], 4000)
    drift = Drift()
    drift.watch(np.repeat(losses, 2), weights)
    assert drift.describe() == watched(losses).describe()


def test_losses_that_are_no_numbers_are_the_largest():
    losses = np.random.default_rng(1).normal(size=8000) ** 2
    losses[4000::2] = np.nan
    losses[4001::2] = np.inf
    assert watched(losses).rises[0].example == pytest.approx(4000, abs=500)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_loss_of_a_row(loss):
    made = LOSSES[loss](*([0.5] if loss in ("quantile", "huber") else []))
    random = np.random.default_rng(0)
    scores, labels = random.normal(size=(9, 2)), random.choice([1.0, -1.0] if made.labels == "sign" else [1.0], (9, 2))
    expected = [
        np.mean([made.value(*pair) for pair in zip(*each, strict=True)]) for each in zip(scores, labels, strict=True)
    ]
    np.testing.assert_allclose(row_losses(made, labels, scores), expected, rtol=1e-12)

    class Own(Huber):
        pass

    if loss == "huber":
        np.testing.assert_allclose(row_losses(Own(0.5), labels, scores), expected, rtol=1e-12)


CASES = {
    "numbers": ({}, lambda score: score),
    "signs": ({"loss": "logistic"}, np.sign),
    "classes": ({"loss": "logistic", "classes": "auto"}, lambda score: np.digitize(score, [-1.0, 1.0])),
    "hinge": ({"loss": "hinge", "classes": [False, True]}, lambda score: score > 0.0),
}


@pytest.mark.parametrize("case", CASES)
def test_a_change_of_the_data_is_told_and_saved(case, tmp_path):
    from unscaled import load

    options, labelled = CASES[case]
    random = np.random.default_rng(0)
    X = random.normal(size=(16_000, 3))
    score = X @ [1.0, -2.0, 0.5]
    y = labelled(np.where(np.arange(16_000) < 8000, score, random.permutation(score)))
    steady, broken = Progressive(Learner(**options)), Progressive(Learner(**options))
    steady.learn(X, labelled(score))
    broken.learn(X[:9000], y[:9000])
    broken.save(tmp_path / "m")
    broken = Progressive(load(tmp_path / "m"))
    broken.learn(X[9000:], y[9000:])
    assert steady.drift.alarms == 0
    assert broken.drift.rises[0].example == pytest.approx(8000, abs=1000)
