"""The scikit-learn face: estimators that need no scaler, no encoder and no imputer in front of them."""

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target, unique_labels
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    _num_samples,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from unscaled.errors import UsageError
from unscaled.features import fingerprints
from unscaled.learner import Learner
from unscaled.losses import LOSSES, SIGN, Loss
from unscaled.options import OPEN_CLASSES, Clip, Interactions, named
from unscaled.rules import Rule
from unscaled.scores import as_prediction, class_codes, class_probabilities, has_probabilities, probability
from unscaled.tables import is_table, record_batches

MULTILABEL = "multilabel-indicator"

ENOUGH_VISITS, MOST_PASSES = 10_000, 20
"""`fit` goes over small data more than once unless told otherwise: up to 20 times, until 10,000 rows were visited."""


class _OnlineEstimator(BaseEstimator):
    """What regression and classification share: rows in, a learner kept, scores out."""

    def _begin(self, **more: Any) -> Learner:
        """A learner that knows nothing yet."""
        own = {"passes", "shuffle", "random_state"}
        return Learner(**{k: v for k, v in self.get_params(deep=False).items() if k not in own}, **more)

    def _rows(self, X: Any, reset: bool) -> Any:
        """X as the learner takes it: a table with names if it was fitted on one, else a matrix."""
        if not reset and hasattr(self, "n_features_in_"):
            X = self._as_fitted(X)
        if not is_table(X):
            return validate_data(
                self,
                X,
                reset=reset,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                ensure_all_finite="allow-nan",
                order="C",
            )
        table = pa.Table.from_batches(list(record_batches(X)))
        if reset:
            if table.num_rows == 0 or table.num_columns == 0:
                raise ValueError(f"Found array with shape ({table.num_rows}, {table.num_columns}): nothing to learn")
            self.n_features_in_ = table.num_columns
            self.feature_names_in_ = np.array(table.column_names, dtype=object)
        return table

    def _as_fitted(self, X: Any) -> Any:
        """Names are given to the columns of an array, or taken from those of a table, if fitting went without."""
        has_names = hasattr(self, "feature_names_in_")
        if has_names and not is_table(X):
            matrix = np.asarray(X, np.float64)
            if matrix.ndim == 2 and matrix.shape[1] == self.n_features_in_:
                warnings.warn(
                    f"X does not have valid feature names, but {type(self).__name__} was fitted with feature names",
                    stacklevel=4,
                )
                return pa.table({name: matrix[:, j] for j, name in enumerate(self.feature_names_in_)})
        if not has_names and is_table(X):
            warnings.warn(
                f"X has feature names, but {type(self).__name__} was fitted without feature names",
                stacklevel=4,
            )
            return np.asarray(X) if hasattr(X, "__array__") else pa.table(X).to_pandas().to_numpy()
        return X

    def _weights(self, sample_weight: Any, X: Any) -> np.ndarray | None:
        if sample_weight is None:
            return None
        rows = _num_samples(X)
        stand_in = X if not isinstance(X, pa.Table) else np.empty((rows, 1))
        weights = _check_sample_weight(sample_weight, stand_in, dtype=np.float64, ensure_non_negative=True)
        if not weights.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        return np.asarray(weights)

    def _fit(self, learner: Learner, X: Any, y: np.ndarray, weights: np.ndarray | None) -> Self:
        """Learns the rows in `passes` passes; the progressive loss is that of the first."""
        rows, weights = self._visits(X, y, np.ones(len(y)) if weights is None else weights)
        order = np.arange(len(rows))
        random = check_random_state(self.random_state)
        for done in range(self._pass_count(len(rows))):
            if self.shuffle:
                random.shuffle(order)
            for visits in np.array_split(order, -(-len(rows) // len(y))):  # never more rows than X has are copied
                here = rows[visits]
                self._learn(learner, _taken(X, here), y[here], weights[visits], progressive=done == 0)
        return self

    def _visits(self, X: Any, y: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows of one pass, and the weights with which they are learned.

        To be shuffled, a row of weight 3 counts as three, and rows come in an order that depends on what is in them:
        a model depends on the rows, their weights and `random_state`, and not on the order of the rows.
        """
        rows = np.flatnonzero(weights)
        if not self.shuffle:
            return rows, weights[rows]
        whole = max(1.0, weights.sum() / (MOST_PASSES * len(rows)))  # a visit's weight; 1 unless they are many
        times = np.ceil(weights[rows] / whole).astype(np.int64)
        _, labels = np.unique(y[rows], return_inverse=True)
        keys = [weights[rows], fingerprints(labels.reshape(len(rows), -1)), fingerprints(X)[rows]]
        order = np.lexsort(keys)
        order = np.repeat(order, times[order])
        return rows[order], (weights[rows] / times)[order]

    def _pass_count(self, visits: int) -> int:
        if self.passes is None:
            return max(1, min(MOST_PASSES, -(-ENOUGH_VISITS // visits)))
        if not isinstance(self.passes, Integral) or self.passes < 1:
            raise UsageError(f"passes must be None or a whole number of at least 1, not {self.passes!r}")
        return int(self.passes)

    def _learn(
        self, learner: Learner, X: Any, y: np.ndarray, weights: np.ndarray | None, progressive: bool = True
    ) -> None:
        learner.learn(X, y, weights, progressive=progressive)
        self.learner_ = learner
        self.progressive_loss_ = learner.progressive_loss

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self.learner_.predict(self._rows(X, reset=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.multi_output = True
        return tags


class OnlineRegressor(RegressorMixin, _OnlineEstimator):
    """Predicts one or several numbers from raw rows: no scaling, no encoding, no imputing.

    >>> import numpy as np
    >>> X = np.array([[1e-9, 3e6], [2e-9, 1e6], [3e-9, 2e6], [4e-9, 5e6]] * 50)
    >>> y = X[:, 0] * 2e9 - X[:, 1] * 1e-6
    >>> model = OnlineRegressor(learning_rate=1.0, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.98
    True

    X may be an array, a sparse matrix, or a table with text, categories, dates and lists in it; NaN is missing.
    `fit` starts anew and takes the rows in a random order, `passes` times: by default once, less than 10,000 rows
    up to 20 times. A row of weight 3 counts as three rows, and the order of the rows does not matter; with
    `shuffle=False` they are taken as they come. `partial_fit` goes on, in the order given. After either,
    `progressive_loss_` is the mean loss of the predictions made before each update, and `learner_` the `Learner`. The
    other parameters are those of `unscaled.options.Options`.
    """

    def __init__(
        self,
        rule: str | Rule = "auto",
        loss: str | Loss = "squared",
        learning_rate: None | float = None,
        intercept: bool = True,
        importance_aware: bool = True,
        clip: Clip = None,
        l1: float = 0.0,
        l2: float = 0.0,
        interactions: Interactions = 1,
        hash_bits: int | None = None,
        missing_indicator: bool = False,
        dtype: str = "float64",
        passes: int | None = None,
        shuffle: bool = True,
        random_state: Any = None,
    ) -> None:
        self.rule = rule
        self.loss = loss
        self.learning_rate = learning_rate
        self.intercept = intercept
        self.importance_aware = importance_aware
        self.clip = clip
        self.l1 = l1
        self.l2 = l2
        self.interactions = interactions
        self.hash_bits = hash_bits
        self.missing_indicator = missing_indicator
        self.dtype = dtype
        self.passes = passes
        self.shuffle = shuffle
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns from scratch."""
        X, y, weights = self._checked(X, y, sample_weight, reset=True)
        return self._fit(self._begin(), X, y, weights)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns on, row by row."""
        first = not hasattr(self, "learner_")
        X, y, weights = self._checked(X, y, sample_weight, reset=first)
        self._learn(self._begin() if first else self.learner_, X, y, weights)
        return self

    def predict(self, X: Any, interval: float | None = None) -> np.ndarray:
        """The predicted numbers: means, quantiles or, for the Poisson loss, rates.

        With an `interval`, such as 0.9, three numbers in a last dimension: the prediction and the ends of an interval
        that holds the label with that chance. After several passes it is as wide as in the first of them.
        """
        if interval is not None:
            check_is_fitted(self)
            return self.learner_.predict(self._rows(X, reset=False), interval=interval)
        scores = self._scores(X)
        return as_prediction(self.learner_.options.loss, scores)

    def _checked(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> tuple[Any, np.ndarray, Any]:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        X = self._rows(X, reset)
        y = _check_y(_plain(y), multi_output=True, y_numeric=True, estimator=self)
        y = y if y.ndim == 1 or y.shape[1] > 1 else column_or_1d(y, warn=True)
        _same_length(X, y)
        return X, y, self._weights(sample_weight, X)


class OnlineClassifier(ClassifierMixin, _OnlineEstimator):
    """Predicts classes, or several yes-or-nos (multi-label), from raw rows: no scaling, no encoding, no imputing.

    >>> import pandas as pd
    >>> pets = pd.DataFrame({"grams": [4e3, 3e4, 5e3, 2e4, 3e3, 4e4] * 5, "sound": ["meow", "woof"] * 15})
    >>> model = OnlineClassifier(random_state=0).fit(pets, ["cat", "dog"] * 15)
    >>> model.predict(pd.DataFrame({"sound": ["woof", "meow"], "grams": [1e4, None]})).tolist()
    ['dog', 'cat']

    One against all for more than two classes. `partial_fit` takes new classes in as they come: they are appended to
    `classes_`. The rest is as for `OnlineRegressor`.
    """

    def __init__(
        self,
        rule: str | Rule = "auto",
        loss: str | Loss = "logistic",
        learning_rate: None | float = None,
        intercept: bool = True,
        importance_aware: bool = True,
        clip: Clip = None,
        l1: float = 0.0,
        l2: float = 0.0,
        interactions: Interactions = 1,
        hash_bits: int | None = None,
        missing_indicator: bool = False,
        dtype: str = "float64",
        passes: int | None = None,
        shuffle: bool = True,
        random_state: Any = None,
    ) -> None:
        self.rule = rule
        self.loss = loss
        self.learning_rate = learning_rate
        self.intercept = intercept
        self.importance_aware = importance_aware
        self.clip = clip
        self.l1 = l1
        self.l2 = l2
        self.interactions = interactions
        self.hash_bits = hash_bits
        self.missing_indicator = missing_indicator
        self.dtype = dtype
        self.passes = passes
        self.shuffle = shuffle
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns from scratch the classes that are in y."""
        X, y, weights = self._checked(X, y, sample_weight, reset=True)
        if self._multilabel:
            return self._fit(self._begin(), X, y, weights)
        self.classes_ = unique_labels(y)
        # With a single class there is nothing to tell apart; an open target says so with certainty.
        known = self.classes_.tolist() if len(self.classes_) > 1 else OPEN_CLASSES
        return self._fit(self._begin(classes=known), X, y, weights)

    def partial_fit(self, X: Any, y: Any, classes: Sequence[Any] | None = None, sample_weight: Any = None) -> Self:
        """Learns on, row by row. `classes` may name classes to expect; others are taken in as they appear."""
        first = not hasattr(self, "learner_")
        X, y, weights = self._checked(X, y, sample_weight, reset=first)
        if first:
            learner = self._begin() if self._multilabel else self._begin(classes=OPEN_CLASSES)
            if classes is not None and not self._multilabel:
                learner.expect_classes(np.unique(classes).tolist())
        else:
            learner = self.learner_
        self._learn(learner, X, y, weights)
        if not self._multilabel:
            self.classes_ = np.array(learner.classes)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Margins: one a row for two classes, else one a class or label."""
        scores = self._scores(X)
        return scores[:, 1] if self._is_binary and scores.ndim == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The classes with the highest scores, or 1 for each label with a positive one."""
        scores = self._scores(X)
        if self._multilabel:
            return (scores > 0.0).astype(np.int64)
        return self.classes_[class_codes(scores)]

    def _can_say_probabilities(self) -> bool:
        return has_probabilities(named("loss", self.loss, LOSSES))

    @available_if(_can_say_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """A probability for each class, or that of 1 for each label."""
        scores, loss = self._scores(X), self.learner_.options.loss
        return probability(loss, scores) if self._multilabel else class_probabilities(loss, scores)

    @property
    def _is_binary(self) -> bool:
        return not self._multilabel and len(self.classes_) == 2

    def _checked(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> tuple[Any, np.ndarray, Any]:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        loss = named("loss", self.loss, LOSSES)
        if getattr(loss, "labels", SIGN) not in (SIGN, "real"):
            raise UsageError(f"loss {self.loss!r} is for counts; take logistic, hinge or squared to learn classes")
        X = self._rows(X, reset)
        y = _check_y(_plain(y), multi_output=True, y_numeric=False, estimator=self)
        check_classification_targets(y)
        multilabel = type_of_target(y) == MULTILABEL
        if reset:
            self._multilabel = multilabel
        if multilabel:
            y = 2.0 * (y.toarray() if hasattr(y, "toarray") else np.asarray(y)) - 1.0
            self.classes_ = np.arange(y.shape[1])
        else:
            y = column_or_1d(y, warn=True)
        _same_length(X, y)
        return X, y, self._weights(sample_weight, X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _plain(y: Any) -> Any:
    """Labels of a polars or pyarrow column as an array; others as they are."""
    if isinstance(y, (pa.Array, pa.ChunkedArray)):
        return y.to_numpy(zero_copy_only=False) if isinstance(y, pa.Array) else y.to_numpy()
    return y.to_numpy() if hasattr(y, "to_numpy") and not hasattr(y, "index") else y


def _taken(X: Any, order: np.ndarray) -> Any:
    return X.take(pa.array(order)) if isinstance(X, pa.Table) else X[order]


def _same_length(X: Any, y: np.ndarray) -> None:
    rows = X.num_rows if isinstance(X, pa.Table) else X.shape[0]
    if rows != len(y):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, len(y)]}")
