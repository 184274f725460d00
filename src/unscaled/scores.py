"""Raw scores as users want to read them: means, rates, classes and probabilities."""

import numpy as np

from unscaled.losses import LARGEST_LOG_RATE, SIGN, Logistic, Loss, Poisson, Squared


def as_prediction(loss: Loss, scores: np.ndarray) -> np.ndarray:
    """What a regression predicts: the rate for Poisson, else the score itself."""
    if isinstance(loss, Poisson):
        return np.asarray(np.exp(np.minimum(scores, LARGEST_LOG_RATE)))
    return scores


def has_probabilities(loss: Loss) -> bool:
    """Whether a margin learned with this loss says a probability."""
    return isinstance(loss, (Logistic, Squared)) or (getattr(loss, "labels", None) == SIGN and hasattr(loss, "link"))


def probability(loss: Loss, margins: np.ndarray) -> np.ndarray:
    """The probability of +1 for each margin."""
    if isinstance(loss, Squared):
        return np.clip((1.0 + margins) / 2.0, 0.0, 1.0)
    if isinstance(loss, Logistic):
        return np.asarray(np.exp(-np.logaddexp(0.0, -margins)))
    return np.asarray(np.vectorize(loss.link, otypes=[float])(margins))  # type: ignore[attr-defined]


def class_probabilities(loss: Loss, scores: np.ndarray) -> np.ndarray:
    """A probability for each class, from one margin for the second of two or from one a class.

    One against all gives each class a probability of its own; they are divided by their sum. A class that was not
    known yet has the score -inf and the probability 0.
    """
    if scores.ndim == 1:
        second = probability(loss, scores)
        return np.stack([1.0 - second, second], axis=1)
    each = np.where(np.isneginf(scores), 0.0, probability(loss, scores))
    total = each.sum(axis=1, keepdims=True)
    known = np.isfinite(scores)
    uniform = known / np.maximum(known.sum(axis=1, keepdims=True), 1)
    return np.where(total > 0.0, each / np.where(total > 0.0, total, 1.0), uniform)


def class_codes(scores: np.ndarray) -> np.ndarray:
    """The number of the class with the highest score; -1 if no class was known."""
    if scores.ndim == 1:
        return (scores > 0.0).astype(np.int64)
    if scores.shape[1] == 0:
        return np.full(len(scores), -1)
    best = scores.argmax(axis=1)
    return np.where(np.isneginf(scores.max(axis=1)), -1, best)
