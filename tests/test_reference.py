"""The oracle itself: by hand, and on its own."""

import ast
import doctest
import inspect
import math
import sys

import pytest

from unscaled import reference
from unscaled.reference import AG, ALGORITHMS, NAG, NG, SGD, SNAG, Loss

LOSSES = [
    reference.squared(),
    reference.logistic(),
    reference.hinge(),
    reference.quantile(0.3),
    reference.absolute(),
    reference.huber(0.7),
    reference.poisson(),
]


def test_its_examples_run():
    results = doctest.testmod(reference)
    assert results.failed == 0
    assert results.attempted >= 2


def test_it_imports_nothing_of_ours_nor_of_others():
    tree = ast.parse(inspect.getsource(reference))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(node.module.split(".")[0])
    assert names <= set(sys.stdlib_module_names)
    assert "unscaled" not in names


def test_there_is_a_case_here_for_every_loss():
    makers = [
        each
        for name, each in vars(reference).items()
        if inspect.isfunction(each) and inspect.signature(each).return_annotation is Loss
    ]
    assert len(makers) == len(LOSSES)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("y", [-1.0, 1.0])
@pytest.mark.parametrize("p", [-2.2, -0.45, 0.25, 1.9])
def test_slopes_and_flows(loss, p, y):
    if loss is LOSSES[-1]:
        y = y + 1.0
    step = 1e-6
    numeric = (loss.value(p + step, y) - loss.value(p - step, y)) / (2 * step)
    assert loss.slope(p, y) == pytest.approx(numeric, abs=1e-7)
    z, steps = p, 20000
    for _ in range(steps):
        z -= 0.5 / steps * loss.slope(z, y)
    assert loss.flow(p, y, 0.5) == pytest.approx(z, abs=3e-4)
    assert loss.flow(p, y, 0.0) == pytest.approx(p, abs=1e-12)


def test_algorithm_1_by_hand():
    """Squared loss, η = 1/4: two rows of two features in different units."""
    ng = NG(eta=0.25, loss=reference.squared())
    assert ng.learn({"a": 2.0, "b": 100.0}, 3.0) == 0.0
    # t = 1, s = (2, 100), N = 2; η_1 = 0.25 √(1/2), pace = η_1 t / N; the slope is -6.
    pace = 0.25 * math.sqrt(1 / 2) * 1 / 2
    wa, wb = pace * 6 * 2 / 4, pace * 6 * 100 / 10000
    assert ng.w == pytest.approx({"a": wa, "b": wb})
    assert (ng.t, ng.N) == (1.0, 2.0)
    assert ng.s == {"a": 2.0, "b": 100.0}
    # a = 4 is a new scale: w_a shrinks by (2/4)².
    p = wa / 4 * 4 + wb * 50
    assert ng.learn({"a": 4.0, "b": 50.0}, 1.0) == pytest.approx(p)
    N = 2 + 1 + 0.25
    assert ng.N == N
    pace = 0.25 * math.sqrt(1 / 3) * 2 / N
    slope = 2 * (p - 1)
    assert ng.w == pytest.approx({"a": wa / 4 - pace * slope * 4 / 16, "b": wb - pace * slope * 50 / 10000})


def test_algorithm_2_by_hand():
    nag = NAG(eta=0.5, loss=reference.squared())
    assert nag.learn({"a": 2.0, "b": 100.0}, 3.0) == 0.0
    # The slope is -6: G = (12², 600²), N = 2, pace = 0.5 √(1/2), and each weight goes by pace / s.
    pace = 0.5 * math.sqrt(1 / 2)
    wa, wb = pace / 2, pace / 100
    assert nag.w == pytest.approx({"a": wa, "b": wb})
    assert pytest.approx({"a": 144.0, "b": 360000.0}) == nag.G
    p = wa / 2 * 4 + wb * 50
    assert nag.learn({"a": 4.0, "b": 50.0}, 1.0) == pytest.approx(p)
    slope, N = 2 * (p - 1), 3.25
    Ga, Gb = 144 + (4 * slope) ** 2, 360000 + (50 * slope) ** 2
    pace = 0.5 * math.sqrt(2 / N)
    assert nag.w == pytest.approx(
        {
            "a": wa / 2 - pace * slope * 4 / (4 * math.sqrt(Ga)),
            "b": wb - pace * slope * 50 / (100 * math.sqrt(Gb)),
        }
    )


def test_snag_by_hand():
    snag = SNAG(eta=0.5, loss=reference.squared())
    assert snag.learn({"a": 2.0}, 3.0) == 0.0
    wa = 0.5 / 2
    assert snag.w["a"] == pytest.approx(wa)
    # An absent feature's scale falls and its weight grows: s = √(4 / 2).
    assert snag.learn({"b": 1.0}, 0.0) == 0.0
    assert snag.s == pytest.approx({"a": math.sqrt(2), "b": math.sqrt(1 / 2)})
    assert snag.w["a"] == pytest.approx(wa * 2 / math.sqrt(2))
    s = math.sqrt((4 + 9) / 3)
    assert snag.learn({"a": 3.0}, 0.0) == pytest.approx(wa * 2 / s * 3)


def test_sgd_and_ag_by_hand():
    sgd = SGD(eta=0.5, loss=reference.squared())
    sgd.learn({"a": 2.0}, 3.0)
    assert sgd.w["a"] == pytest.approx(0.5 * math.sqrt(1 / 2) * 12)
    ag = AG(eta=0.5, loss=reference.squared())
    ag.learn({"a": 2.0}, 3.0)
    assert ag.w["a"] == pytest.approx(0.5)
    assert ag.predict({"a": 2.0}) == pytest.approx(1.0)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_truncation(name):
    algorithm = ALGORITHMS[name](eta=5.0, loss=reference.squared(), C=0.5)
    for _ in range(3):
        algorithm.learn({"a": 1.0}, 9.0)
    assert algorithm.predict({"a": 1.0}) == 0.5
    assert algorithm.predict({"a": -1.0}) == -0.5


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_importance_aware_step_does_not_pass_the_label(name):
    algorithm = ALGORITHMS[name](eta=1e3, loss=reference.squared(), importance_aware=True)
    algorithm.learn({"a": 1.0}, 9.0, h=1e6)
    assert algorithm.predict({"a": 1.0}) == pytest.approx(9.0)


@pytest.mark.parametrize("name", ["sgd", "ng", "nag", "snag", "ag"])
def test_weights_count_as_so_many_examples(name):
    algorithm = ALGORITHMS[name](eta=0.1, loss=reference.squared())
    algorithm.learn({"a": 2.0}, 3.0, h=5.0)
    assert algorithm.t == 5.0
    if algorithm.G:
        assert algorithm.G["a"] == pytest.approx(5.0 * (6.0 * 2.0) ** 2)
