"""The right-hand sides are what the paper says, and where the paper slips there is an example that shows it."""

from math import sqrt
from typing import Any

import numpy as np
import pytest

from unscaled.errors import UsageError
from unscaled.theory import bounds
from unscaled.theory.adversaries import ADVERSARIES, Game, game
from unscaled.theory.algorithms import conditioner, descend, inwards, projection, transductive
from unscaled.theory.ellipsoid import half_axes
from unscaled.theory.hindsight import best
from unscaled.theory.losses import CONVEX, ConvexLoss

BALLS = pytest.mark.parametrize("q", [1, 2])


def sums(seed: int, d: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return 10.0 ** rng.uniform(-6.0, 6.0, d), 10.0 ** rng.uniform(-6.0, 6.0, d)


@pytest.mark.parametrize("projected", [False, True])
@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("loss", CONVEX.values(), ids=list(CONVEX))
def test_lemma1(loss: ConvexLoss, adversary: str, projected: bool) -> None:
    """For any w* without a projection, for any w* of the ball with it."""
    played = game(adversary, np.random.default_rng(0), (10, 30, 3))
    s = half_axes(played.X, np.inf)
    known = np.broadcast_to(s[:, None, :], played.X.shape)
    w, A, Pi = [np.zeros_like(s)], [], projection(1.0, np.inf)

    def watched(wished: Any, A_t: Any, axes: Any) -> Any:
        A.append(A_t)
        w.append(Pi(wished, A_t, axes) if projected else wished)
        return w[-1]

    run = descend(played, loss, known, conditioner(1.0), watched)
    weights, conditioners = np.stack(w[:-1], axis=1), np.stack(A, axis=1)
    rng = np.random.default_rng(1)
    for _ in range(20):
        w_star = rng.normal(size=s.shape)
        if projected:
            w_star /= np.maximum(1.0, np.abs(w_star * s).sum(axis=1, keepdims=True))
        regret = np.sum(run.losses - loss.value(np.einsum("ntd,nd->nt", run.X, w_star), run.y), axis=1)
        g = run.slopes[..., None] * run.X
        assert np.all(regret <= bounds.lemma1(weights, w_star, conditioners, g) * (1.0 + 1e-9))


def test_lemma1_as_it_is_stated_is_false() -> None:
    """Two rounds of x = 1 and absolute loss, w* = 0: with w_t for w_{t+1} the growth of A at w_2 is forgotten."""
    A1, A2, y = 1.0, 100.0, np.array([10.0, -10.0])
    w1, w2 = 0.0, 0.0 + 1.0 / A1
    regret = abs(w1 - y[0]) + abs(w2 - y[1]) - 20.0
    as_stated = 0.5 * (w1**2 * A1 + w1**2 * (A2 - A1) + 1.0 / A1 + 1.0 / A2)
    w, A, g = (np.array(each)[:, None] for each in ([w1, w2], [A1, A2], [-1.0, 1.0]))
    assert as_stated < regret <= bounds.lemma1(w, np.zeros(1), A, g)


@pytest.mark.parametrize("seed", range(5))
def test_lemma2_is_the_least_of_its_trace_bound(seed: int) -> None:
    (G, s), C = sums(seed), 3.0
    A = bounds.best_conditioner(G, s, C)
    least = bounds.trace_objective(A, G, s, C)
    assert least == pytest.approx(bounds.lemma2(G, s, C))
    factors = np.exp(np.random.default_rng(seed).normal(0.0, 1.0, (1000, 4)))
    assert np.all(bounds.trace_objective(A * factors, G, s, C) >= least)


@BALLS
@pytest.mark.parametrize("seed", range(5))
def test_lemma2_states_a_minimax_which_has_another_solution(seed: int, q: int) -> None:
    (G, s), C = sums(seed), 3.0
    w = np.random.default_rng(seed).normal(size=(3000, 4))
    w = np.vstack([w / np.linalg.norm(w, q, axis=1, keepdims=True), np.eye(4)]) * C / s
    A = bounds.minimax_conditioner(G, s, C)
    least = bounds.minimax_objective(A, G, s, C)
    assert least == pytest.approx(bounds.lemma2_tight(G, s, C))
    for other in A * np.exp(np.random.default_rng(seed).normal(0.0, 1.0, (200, 4))):
        assert bounds.minimax_objective(other, G, s, C) >= least
        by_hand = np.max(0.5 * np.sum(other * w**2 + G / other, axis=1))
        assert bounds.minimax_objective(other, G, s, C) == pytest.approx(by_hand)
    stated = bounds.minimax_objective(bounds.best_conditioner(G, s, C), G, s, C)
    assert least < stated <= bounds.lemma2(G, s, C) <= 2.0 * least


def test_the_best_fixed_conditioner_keeps_its_promise() -> None:
    """Lemma 2's regret, by a run with A* from the gradients of that very run: a fixed point, found by iteration."""
    played = game("linear", np.random.default_rng(0), (20, 40, 2), decades=6.0)
    loss, s = CONVEX["logistic"], half_axes(played.X, np.inf)
    known = np.broadcast_to(s[:, None, :], played.X.shape)
    for make, bound in (
        (bounds.best_conditioner, bounds.lemma2),
        (bounds.minimax_conditioner, bounds.lemma2_tight),
    ):
        G = transductive(played, loss, 1.0).G[:, -1]
        for _ in range(100):
            A = make(G, s, 1.0)
            run = descend(played, loss, known, lambda _, axes, A=A: A, lambda w, A_t, axes: w)
            G = run.G[:, -1]
        assert np.allclose(make(G, s, 1.0), A, rtol=1e-6)
        least = [best(X, y, loss, 1.0, axes).loss for X, y, axes in zip(run.X, run.y, s, strict=True)]
        assert np.all(run.losses.sum(axis=1) - least <= bound(G, s, 1.0))


def test_the_special_case_of_the_ellipsoid() -> None:
    for adversary in ADVERSARIES:
        played = game(adversary, np.random.default_rng(0), (20, 40, 4), p=2, decades=6.0)
        run = transductive(played, CONVEX["squared"], 2.0, p=2)
        s = half_axes(run.X, 2)
        assert np.all(bounds.lemma2(run.G[:, -1], s, 2.0) <= bounds.special_case(run.slopes, 4, 2.0) * (1 + 1e-12))
        assert np.all(
            bounds.lemma2_tight(run.G[:, -1], s, 2.0) <= bounds.special_case(run.slopes, 1, 2.0) * (1 + 1e-12)
        )


def test_theorem2_without_growth_is_theorem1() -> None:
    G, s = sums(0)
    assert bounds.theorem1(G, s, 2.0) == pytest.approx(2.0 * sqrt(2.0) * bounds.lemma2(G, s, 2.0))
    assert bounds.theorem2(G, s, np.ones(4), 2.0) == pytest.approx(bounds.theorem1(G, s, 2.0))
    X = np.array([[0.0, 1.0, 0.0], [2.0, -4.0, 0.0], [-8.0, 3.0, 0.0], [1.0, 1.0, 0.0]])
    assert bounds.delta_of(X).tolist() == [4.0, 4.0, 0.0]
    assert bounds.delta_of(X, tau=2).tolist() == [4.0, 1.0, 0.0]
    assert bounds.delta_of(X, tau=1).tolist() == [4.0, 4.0, 0.0]


def test_delta_is_bounded_by_a_quantile_with_the_probability_of_corollary1() -> None:
    rng = np.random.default_rng(0)
    d, T, risk, nu = 3, 60, 0.3, 0.2
    X = rng.exponential(size=(T, d)) ** 3
    tau = bounds.tau(d, risk, nu)
    assert (tau, bounds.rounds_before(d, risk, nu)) == (12, 11)
    orders = np.stack([X[rng.permutation(T)] for _ in range(3000)])
    held = np.all(bounds.delta_of(orders, tau) <= bounds.quantile_delta(X, nu), axis=1).mean()
    assert held >= 1.0 - risk
    assert held < 1.0
    assert bounds.quantile_delta(np.array([[0.0], [1.0]]), 1.0) == np.inf


@pytest.mark.parametrize("loss", CONVEX.values(), ids=list(CONVEX))
@pytest.mark.parametrize("C", [0.4, 1.0, 5.0])
def test_no_round_costs_more_than_r_max(loss: ConvexLoss, C: float) -> None:
    z = np.linspace(-C, C, 401)
    for y in loss.labels(np.array([-7.0, -0.3, 0.0, 2.0])):
        values = loss.value(z, np.full_like(z, y))
        most = bounds.R_max(loss.name, C, np.array([y]))
        assert values.max() - values.min() <= most * (1.0 + 1e-12)
        if loss.name == "squared" and abs(y) >= C:
            assert values.max() - values.min() == pytest.approx(most)
    with pytest.raises(UsageError, match='no R_max is known for the loss "poisson"'):
        bounds.R_max("poisson", C, np.ones(1))


def test_predictors_bounded_on_the_examples_alone_are_too_many() -> None:
    """x_t = (1, 1 - z_t/100) and y_t = C z_t: of all w with |w·x_t| ≤ C one knows everything, at w_2 = -100 C.

    No predictor of the dual ball sees the z_t. So the regret is T, against a bound of order √T: the paper's equality
    {w : w·x_t ≤ C} = {w : ||S^(-1/2) w||_1 ≤ C} is about all x of the ball, and the theorems are about the latter.
    """
    T, C, loss = 300, 1.0, CONVEX["absolute"]
    z = np.random.default_rng(0).choice([-1.0, 1.0], T)
    X = np.stack([np.ones(T), 1.0 - z / 100.0], axis=1)
    s = half_axes(X, np.inf)
    run = transductive(Game(s[None], X[None], lambda t, p: z[None, t]), loss, C)
    bound = bounds.theorem1(run.G[0, -1], s, C)
    dual, observed = (best(X, z, loss, C, s, within) for within in (1, "observed"))
    assert run.losses.sum() - (dual.loss - dual.gap) <= bound
    assert observed.loss < 1e-3
    assert run.losses.sum() - observed.loss > 2.5 * bound


@pytest.mark.parametrize("loss", CONVEX.values(), ids=list(CONVEX))
def test_truncation_keeps_lemma1_only_with_slopes_that_pointinwards(loss: ConvexLoss) -> None:
    """ℓ(cut p) - ℓ(p*) ≤ g' (p - p*) for all |p*| ≤ C. With the slope at cut p as it is, labels beyond C break it."""
    C, rng = 1.0, np.random.default_rng(0)
    p, p_star = rng.normal(0.0, 5.0, 20_000), rng.uniform(-C, C, 20_000)
    y = loss.labels(rng.normal(0.0, 3.0, 20_000))
    cut = np.clip(p, -C, C)
    excess = loss.value(cut, y) - loss.value(p_star, y)
    slope = loss.slope(cut, y)
    assert np.all(excess <= inwards(slope, p, C) * (p - p_star) + 1e-12)
    broken = excess > slope * (p - p_star) + 1e-12
    assert np.any(broken) == (loss.name != "hinge")  # its slope ends at a margin of 1, which is C here
    assert not np.any(broken & (np.abs(y) <= C)) or loss.name == "logistic"
