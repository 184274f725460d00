"""What candidates are compared by: one metric, the same for all of them."""

import math
from collections.abc import Sequence

from unscaled.errors import UsageError
from unscaled.options import Options, nearest
from unscaled.progressive import ClassMetrics, Metrics, RegressionMetrics, SignMetrics, metrics_kind
from unscaled.scores import has_probabilities

OWN_LOSS = "loss"
"""The mean of the loss that is learned with: fair among candidates of one loss only."""

METRICS: dict[type[Metrics], tuple[str, ...]] = {
    RegressionMetrics: ("mse", "rmse", "mae", "r2"),
    ClassMetrics: ("error", "log_loss", "auc"),
    SignMetrics: ("error", "log_loss", "auc"),
}
"""The metrics that are one number each."""

HIGHER_IS_BETTER = ("r2", "auc")

MEANS = ("mse", "mae", "error", "log_loss", OWN_LOSS)
"""Metrics of which that of some rows and that of the rows after them make that of all."""


def chosen_metric(given: str | None, candidates: Sequence[Options]) -> str:
    """The metric that was asked for, if all candidates have it, or the one that suits them.

    For numbers it is the mean squared error, or the loss itself if all candidates learn with the same one; for classes
    the log loss if every candidate says probabilities, and else the error.
    """
    kinds = {metrics_kind(options) for options in candidates}
    if len(kinds) > 1:
        raise UsageError(
            "losses for numbers and losses for labels of -1 and +1 cannot be compared; with classes (as "
            "classes='auto') all candidates learn classes"
        )
    losses = {(type(options.loss).__name__, options.loss) for options in candidates}
    probabilities = all(has_probabilities(options.loss) for options in candidates)
    kind = kinds.pop()
    if given is None:
        return _suitable(kind, {name for name, _ in losses}, len(losses), probabilities)
    known = (*METRICS[kind], OWN_LOSS)
    if given not in known:
        raise UsageError(f"no metric {given!r} for this task{nearest(given, known)}")
    if given == OWN_LOSS and len(losses) > 1:
        raise UsageError(f"metric 'loss': losses differ and cannot be compared; take {' or '.join(METRICS[kind])}")
    if given == "log_loss" and not probabilities:
        without = next(name for name, loss in losses if not has_probabilities(loss))
        raise UsageError(f"metric 'log_loss' needs probabilities, which {without.lower()} does not say; take 'error'")
    return given


def _suitable(kind: type[Metrics], names: set[str], losses: int, probabilities: bool) -> str:
    if kind is not RegressionMetrics:
        return "log_loss" if probabilities else "error"
    return OWN_LOSS if losses == 1 and names != {"Squared"} else "mse"


def badness(metric: str, value: float | None) -> float:
    """What is to be as small as it can be; infinite for a candidate that has diverged."""
    if value is None or not math.isfinite(value):
        return math.inf
    return -value if metric in HIGHER_IS_BETTER else value
