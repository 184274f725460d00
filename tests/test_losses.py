"""Every loss against its definition: slope, convexity, minimum, flow, identities; plain and compiled."""

import itertools
import math
from typing import NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from unscaled import Learner, UsageError
from unscaled.kernels import formulas
from unscaled.losses import COUNT, LOSSES, REAL, SIGN, Absolute, Huber, Logistic, Poisson, Quantile, Squared, damping

# More than the default parameters, for the losses that have some; those without need no mention.
MORE = {"quantile": [(0.1,), (0.9,), (0.999,)], "huber": [(0.01,), (3.0,), (math.inf,)]}
VARIANTS = [maker(*given) for name, maker in LOSSES.items() for given in [(), *MORE.get(name, [])]]
LABELS = {REAL: [-30.0, -1.0, 0.0, 0.5, 7.0], SIGN: [-1.0, 1.0], COUNT: [0.0, 0.1, 1.0, 3.0, 40.0]}
SCORES = [-20.0, -3.0, -1.0, -0.4, 0.0, 0.3, 1.0, 2.5, 19.0]

every_loss = pytest.mark.parametrize("loss", VARIANTS, ids=str)


scores = st.floats(-30, 30)
times = st.floats(1e-6, 1e4)


def labels_of(loss):
    return st.sampled_from(LABELS[loss.labels])


def points(loss):
    return list(itertools.product(SCORES, LABELS[loss.labels]))


def has_kink(loss, p, y, near):
    """Whether the slope jumps within `near` of p; Huber's slope is continuous, only its own slope jumps."""
    return abs(loss.slope(p + near, y) - loss.slope(p - near, y)) > 0.05 * (1.0 + abs(loss.slope(p, y)))


def test_every_loss_with_parameters_is_tried_with_several():
    assert set(MORE) == {name for name, loss in LOSSES.items() if loss._fields}


def test_every_kind_of_label_is_known():
    assert {loss.labels for loss in LOSSES.values()} == set(LABELS)


@every_loss
def test_the_slope_is_the_derivative_of_the_value(loss):
    for p, y in points(loss):
        step = 1e-6 * max(1.0, abs(p))
        if has_kink(loss, p, y, 2 * step):
            continue
        numeric = (loss.value(p + step, y) - loss.value(p - step, y)) / (2 * step)
        largest = max(loss.value(p + step, y), loss.value(p - step, y), 1.0)
        assert loss.slope(p, y) == pytest.approx(numeric, rel=1e-6, abs=1e-9 * largest)


@every_loss
@given(p=scores, q=scores, part=st.floats(0, 1), data=st.data())
def test_the_value_is_convex(loss, p, q, part, data):
    y = data.draw(labels_of(loss))
    between = loss.value(part * p + (1 - part) * q, y)
    chord = part * loss.value(p, y) + (1 - part) * loss.value(q, y)
    assert between <= chord + 1e-9 * (1.0 + abs(chord))


@every_loss
@given(p=scores, q=scores, data=st.data())
def test_the_slope_is_a_subgradient_everywhere(loss, p, q, data):
    """Also at kinks: the tangent is below the loss."""
    y = data.draw(labels_of(loss))
    q = data.draw(st.sampled_from([q, p, y, -y]))
    tangent = loss.value(p, y) + loss.slope(p, y) * (q - p)
    assert loss.value(q, y) >= tangent - 1e-9 * (1.0 + abs(loss.value(q, y)) + abs(loss.value(p, y)))


@every_loss
def test_the_value_is_least_where_the_label_says(loss):
    for y in LABELS[loss.labels]:
        if loss.labels == REAL:
            assert loss.value(y, y) == 0.0
            assert loss.slope(y, y) == 0.0
            best = y
        elif loss.labels == COUNT:
            best = math.log(y) if y else -700.0
            assert loss.slope(best, y) == pytest.approx(0.0, abs=1e-12 * (1 + y))
        else:
            best = y * 700.0
            assert loss.value(best, y) == pytest.approx(0.0, abs=1e-300)
        for p in SCORES:
            assert loss.value(p, y) >= loss.value(best, y)
            if p != best:
                assert loss.slope(p, y) * (p - best) >= 0.0


@every_loss
def test_zero_is_the_slope_at_a_kink_if_it_is_a_subgradient(loss):
    for y in LABELS[loss.labels]:
        for p in {y, 1.0, -1.0}:
            left, right = loss.slope(p - 1e-9, y), loss.slope(p + 1e-9, y)
            if left < 0.0 < right:
                assert loss.slope(p, y) == pytest.approx(0.0, abs=1e-6)


def after(loss, p, y, h, q):
    """Where the flow takes p."""
    return p - q * loss.flow(p, y, h, q)


@every_loss
@pytest.mark.parametrize("q", [0.3, 2.0])
def test_the_flow_solves_its_differential_equation(loss, q):
    """Against the classical Runge-Kutta method in small steps, which shivers where p rests on a kink."""
    steps = 500
    for p, y in points(loss):
        z, begin = p, 0.0
        for end in (1e-3, 0.1, 1.0, 5.0):
            step = q * (end - begin) / steps
            if loss.labels == COUNT and max(math.exp(z), y) * step > 0.05:
                break  # too stiff for steps of this size
            for _ in range(steps):
                a = loss.slope(z, y)
                b = loss.slope(z - step / 2 * a, y)
                c = loss.slope(z - step / 2 * b, y)
                d = loss.slope(z - step * c, y)
                z -= step * (a + 2 * b + 2 * c + d) / 6
            begin = end
            shiver = step * abs(loss.slope(z + step, y) - loss.slope(z - step, y))
            assert after(loss, p, y, end, q) == pytest.approx(z, rel=1e-6, abs=1e-6 + 2 * shiver), (p, y, end)


@every_loss
@given(p=scores, data=st.data(), h=st.floats(1e-3, 1e3))
def test_a_short_flow_is_a_plain_step(loss, p, data, h):
    y = data.draw(labels_of(loss))
    slope = loss.slope(p, y)
    steepest = max(1.0, abs(slope), math.exp(p) if loss.labels == COUNT else 1.0)
    q = 1e-9 / (h * steepest)
    assume(not has_kink(loss, p, y, 1e-6 * (1 + abs(p))))
    assert loss.flow(p, y, h, q) == pytest.approx(h * slope, rel=1e-6, abs=1e-300)
    assert loss.flow(p, y, h, 0.0) == pytest.approx(h * slope, rel=1e-12, abs=1e-300)


@every_loss
@given(p=scores, which=st.integers(0, 4), h=times, q=times)
@example(p=-19.0, which=4, h=1.0, q=1.0)
def test_the_flow_never_overshoots_the_label(loss, p, which, h, q):
    y = LABELS[loss.labels][which % len(LABELS[loss.labels])]
    if loss.labels == COUNT:
        best = math.log(y) if y else -math.inf
    else:
        best = y if loss.labels == REAL else y * math.inf
    end = after(loss, p, y, h, q)
    rounding = 1e-12 * (1.0 + abs(p) + (abs(best) if math.isfinite(best) else 0.0))
    assert min(p, best) - rounding <= end <= max(p, best) + rounding
    assert loss.value(end, y) <= loss.value(p, y) + 1e-9 * (1 + abs(loss.value(p, y)))


@every_loss
@given(p=scores, data=st.data(), h=times, longer=st.floats(1.0, 100.0), q=times)
def test_the_flow_goes_on_with_time(loss, p, data, h, longer, q):
    y = data.draw(labels_of(loss))
    short, long = loss.flow(p, y, h, q), loss.flow(p, y, h * longer, q)
    assert abs(long) >= abs(short) * (1.0 - 1e-9)
    assert short * long >= 0.0
    assert short * loss.slope(p, y) >= 0.0


@every_loss
@given(p=scores, which=st.integers(0, 4), h1=times, h2=times, q=st.floats(1e-3, 100.0))
@example(p=-19.0, which=4, h1=1.0, h2=1.0, q=1.0)
def test_the_flow_for_two_times_is_the_flow_for_their_sum(loss, p, which, h1, h2, q):
    y = LABELS[loss.labels][which % len(LABELS[loss.labels])]
    middle = after(loss, p, y, h1, q)
    end = after(loss, middle, y, h2, q)
    at_once = after(loss, p, y, h1 + h2, q)
    assert end == pytest.approx(at_once, rel=1e-8, abs=1e-8 * (1.0 + abs(p)))


@every_loss
def test_huge_scores_are_finite(loss):
    for p, y, h, q in itertools.product(
        [-700.0, 700.0, -1e5, 1e5], LABELS[loss.labels], [1e-6, 1.0, 1e6], [1e-9, 1.0, 1e9]
    ):
        assert math.isfinite(loss.value(p, y))
        assert math.isfinite(loss.slope(p, y))
        assert math.isfinite(loss.flow(p, y, h, q)), (p, y, h, q)
        if hasattr(loss, "link"):
            assert math.isfinite(loss.link(max(-700.0, min(700.0, p))))


@given(p=scores, y=scores, h=times, q=times)
def test_absolute_is_twice_the_median(p, y, h, q):
    median, absolute = Quantile(0.5), Absolute()
    assert absolute.value(p, y) == 2 * median.value(p, y)
    assert absolute.slope(p, y) == 2 * median.slope(p, y)
    assert absolute.flow(p, y, h, q) == pytest.approx(median.flow(p, y, 2 * h, q), rel=1e-12)


@given(p=scores, y=scores, h=times, q=times)
def test_huber_without_bound_is_squared(p, y, h, q):
    for huber in (Huber(math.inf), Huber(1e9)):
        assert huber.value(p, y) == Squared().value(p, y)
        assert huber.slope(p, y) == Squared().slope(p, y)
        assert huber.flow(p, y, h, q) == pytest.approx(Squared().flow(p, y, h, q), rel=1e-12, abs=1e-300)


@given(p=scores, y=scores, tau=st.floats(0.01, 0.99))
def test_quantiles_mirror_each_other(p, y, tau):
    assert Quantile(tau).value(p, y) == pytest.approx(Quantile(1 - tau).value(-p, -y))


@given(p=scores)
def test_the_link_of_logistic_is_the_probability_whose_log_is_the_loss(p):
    loss = Logistic()
    assert loss.link(p) + loss.link(-p) == pytest.approx(1.0, rel=1e-15)
    assert -math.log(loss.link(p)) == pytest.approx(loss.value(p, 1.0), rel=1e-9, abs=1e-15)
    assert loss.slope(p, 1.0) == pytest.approx(loss.link(p) - 1.0, rel=1e-9, abs=1e-15)
    assert loss.link(0.0) == 0.5


@given(p=scores, y=st.sampled_from(LABELS[COUNT]))
def test_the_link_of_poisson_is_the_rate(p, y):
    assert Poisson().link(p) == math.exp(p)
    assert Poisson().slope(p, y) == Poisson().link(p) - y


def test_damping_is_the_mean_of_what_decays():
    times = np.concatenate([10.0 ** np.random.default_rng(1).uniform(-18, 2, 5000), [0.25, 0.5, 40.0]])
    for x in times.tolist():
        assert damping(x) == pytest.approx(-math.expm1(-x) / x, rel=1e-15)
    assert damping(0.0) == 1.0
    assert damping(math.inf) == 0.0


@every_loss
def test_compiled_equals_plain(loss):
    @numba.njit(error_model="numpy")
    def compiled(loss, points, out):
        for i in range(len(points)):
            p, y, h, q = points[i]
            out[i, 0] = formulas.value(loss, p, y)
            out[i, 1] = formulas.slope(loss, p, y)
            out[i, 2] = formulas.flow(loss, p, y, h, q)

    many = [
        (p, y, h, q)
        for p, y, h, q in itertools.product(
            [*SCORES, -700.0, 700.0], LABELS[loss.labels], [1e-6, 1.0, 30.0], [1e-9, 0.3, 50.0]
        )
    ]
    out = np.empty((len(many), 3))
    compiled(loss, np.array(many), out)
    plain = [(loss.value(p, y), loss.slope(p, y), loss.flow(p, y, h, q)) for p, y, h, q in many]
    np.testing.assert_allclose(out, plain, rtol=1e-12, atol=1e-300)


# Losses of the user's own.

ROWS = np.random.default_rng(0).normal(size=(30, 3))
TARGET = ROWS @ [1.0, -2.0, 3.0]


class WithFlow(NamedTuple):
    factor: float = 1.0

    def value(self, p: float, y: float) -> float:
        return self.factor * (p - y) * (p - y)

    def slope(self, p: float, y: float) -> float:
        return self.factor * 2.0 * (p - y)

    def flow(self, p: float, y: float, h: float, q: float) -> float:
        return h * self.factor * 2.0 * (p - y) * damping(2.0 * h * q * self.factor)


class WithFlowOfTheLibrary(NamedTuple):
    value, slope = Squared.value, Squared.slope

    def flow(self, p: float, y: float, h: float, q: float) -> float:
        if q <= 0.0:
            return h * 2.0 * (p - y)
        return (p - y) * (-math.expm1(-2.0 * h * q) / q)


def squared_times(factor):
    """A new class of the same name and fields for each call, as when a notebook's cell is run again."""

    class Mine(NamedTuple):
        def value(self, p: float, y: float) -> float:
            return factor * (p - y) * (p - y)

        def slope(self, p: float, y: float) -> float:
            return factor * 2.0 * (p - y)

    return Mine


def test_a_loss_of_the_users_own_with_a_flow():
    p = Learner("nag", loss=WithFlow()).learn(ROWS, TARGET)
    np.testing.assert_array_equal(p, Learner("nag", loss="squared").learn(ROWS, TARGET))
    q = Learner("nag", loss=WithFlowOfTheLibrary()).learn(ROWS, TARGET)
    np.testing.assert_allclose(p, q, rtol=1e-11, atol=1e-12)
    once, twice = (Learner("sgd", loss=WithFlow(factor), learning_rate=0.05) for factor in (1.0, 2.0))
    faster = Learner("sgd", learning_rate=0.1)
    assert not np.array_equal(once.learn(ROWS, TARGET), twice.learn(ROWS, TARGET))
    np.testing.assert_allclose(twice.predict(ROWS), (faster.learn(ROWS, TARGET), faster.predict(ROWS))[1], rtol=1e-12)


def test_a_loss_of_the_users_own_without_a_flow_takes_plain_steps():
    p = Learner("sgd", loss=squared_times(1.0)(), learning_rate=0.05).learn(ROWS, TARGET)
    plain = Learner("sgd", "squared", learning_rate=0.05, importance_aware=False).learn(ROWS, TARGET)
    np.testing.assert_array_equal(p, plain)


def test_two_losses_of_one_name_keep_their_own_code():
    first, second = squared_times(1.0), squared_times(3.0)
    assert first.__name__ == second.__name__
    for factor, loss in ((1.0, first), (3.0, second), (1.0, first)):
        learner = Learner("sgd", loss=loss(), learning_rate=0.05)
        p = learner.learn(ROWS, TARGET)
        plain = Learner("sgd", learning_rate=0.05 * factor, importance_aware=False)
        np.testing.assert_allclose(p, plain.learn(ROWS, TARGET), rtol=1e-12, atol=1e-13)
        assert learner.progressive_loss == pytest.approx(factor * plain.progressive_loss, rel=1e-12)


def test_a_loss_that_lacks_functions_is_told_so():
    class Half(NamedTuple):
        def value(self, p: float, y: float) -> float:
            return p - y

    with pytest.raises(UsageError, match=r"Half.*value, slope.*lacks slope"):
        Learner(loss=Half()).learn(ROWS, TARGET)


def test_a_rule_that_lacks_functions_is_told_so():
    class Still(NamedTuple):
        normalised = adaptive = moving = False

        def limit(self, s: float) -> float:
            return s

    with pytest.raises(UsageError, match=r"Still.*lacks beyond, gain, pace"):
        Learner(rule=Still()).learn(ROWS, TARGET)


def test_a_model_with_a_loss_of_the_users_own_is_saved_and_loaded_with_it(tmp_path):
    import unscaled

    ours = Learner(loss=WithFlow(2.0))
    ours.learn(ROWS[:20], TARGET[:20])
    ours.save(tmp_path / "model.parquet")
    with pytest.raises(UsageError, match="WithFlow"):
        unscaled.load(tmp_path / "model.parquet")
    loaded = unscaled.load(tmp_path / "model.parquet", loss=WithFlow(2.0))
    assert loaded.learn(ROWS[20:], TARGET[20:]).tobytes() == ours.learn(ROWS[20:], TARGET[20:]).tobytes()


def test_a_loss_without_fields_can_be_given_to_load(tmp_path):
    import unscaled

    loss = squared_times(1.0)()
    learner = Learner(loss=loss)
    learner.learn(ROWS, TARGET)
    learner.save(tmp_path / "model.parquet")
    assert unscaled.load(tmp_path / "model.parquet", loss=loss).options.loss == loss
