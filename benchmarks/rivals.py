"""The rivals on real data: each gives its progressive predictions, once for each of its settings.

Predictions are numbers for a regression, else a probability for each class, before the row is learned. All know
the classes in advance but River. Every rival is fed raw rows and scales them in its own way. A missing value, NaN, is
left out where a row names its columns, for Vowpal Wabbit and River.

Vowpal Wabbit's predictions are those of its own pass. They are cut to the range of the labels up to and with the
row's own, so they peek (with squared loss). To tell how much that is worth, there is also one whose raw predictions are
cut to the range of the labels before.
"""

import functools
import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unscaled import Learner, UsageError

if TYPE_CHECKING:
    from river.base import Classifier, Regressor

RATES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)
"""For the normalized rules; 0.5 is the default. They are in units of the target, so that a regression's are times the
power of ten that is next to its spread, known in hindsight as the best of them is."""

FEW_RATES = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
"""For plain descent on scaled columns; 0.01 is the default of both peers."""

MANY_ROWS = 300_000
RIVER_RATES_ON_MANY_ROWS = {"regression": FEW_RATES[:4], "binary": FEW_RATES[2:6], "classes": FEW_RATES[2:6]}
"""River is by far the slowest: on so many rows it tries fewer rates, the low ones for numbers, where it may diverge."""

ALL = ("regression", "binary", "classes")


class Task:
    """Rows in an order, with labels as `real_data` gives them."""

    def __init__(self, X: np.ndarray, y: np.ndarray, kind: str) -> None:
        self.X, self.y, self.kind = X, y, kind
        self.codes = (y > 0).astype(np.int64) if kind == "binary" else y.astype(np.int64)
        self.classes = 0 if kind == "regression" else int(self.codes.max()) + 1


Runs = Iterator[tuple[str, np.ndarray]]
"""A setting and the predictions with it."""


class Contender(NamedTuple):
    """A name for the record, how to run it, and what it can learn."""

    name: str
    run: Callable[[Task], Runs]
    tasks: tuple[str, ...] = ALL


def from_margins(margins: np.ndarray) -> np.ndarray:
    """Probabilities: of one margin, or of one a class, divided by their sum as Vowpal Wabbit does."""
    each = np.exp(-np.logaddexp(0.0, -margins))
    if each.ndim == 1:
        return np.stack([1.0 - each, each], axis=1)
    return each / np.maximum(each.sum(axis=1, keepdims=True), 1e-300)


def rates_for(task: Task) -> list[float]:
    """RATES in the units of the target."""
    unit = 10.0 ** round(np.log10(task.y.std())) if task.kind == "regression" else 1.0
    return [float(f"{rate * unit:g}") for rate in RATES]


def unscaled(task: Task, rule: str) -> Runs:
    """All rates at once, side by side."""
    rates = rates_for(task)
    loss = "squared" if task.kind == "regression" else "logistic"
    classes = list(range(task.classes)) if task.kind == "classes" else None
    learner = Learner(rule=rule, loss=loss, learning_rate=rates, classes=classes)
    scores = learner.learn(task.X, task.codes if classes else task.y)
    for place, rate in enumerate(rates):
        yield f"{rate:g}", scores[:, place] if task.kind == "regression" else from_margins(scores[..., place])


def unscaled_untuned(task: Task, **options: str) -> Runs:
    """One run without tuning: besides what the task is, only these options are given. Rows with inf are passed over.

    Who refuses so many columns, as newton does, has said nothing.
    """
    loss = "squared" if task.kind == "regression" else "logistic"
    classes = list(range(task.classes)) if task.kind == "classes" else None
    labels = task.codes if classes else task.y
    learner = Learner(loss=loss, classes=classes, **options)
    try:
        scores = learner.learn(task.X, labels, on_bad_row=lambda row, why: None)
    except UsageError:
        scores = np.full(len(labels), np.nan)
    yield "default", scores if task.kind == "regression" else from_margins(scores)


def vowpal_wabbit_rates(task: Task) -> Runs:
    """Each of the rates."""
    return vowpal_wabbit(task, tuple(f"-l {rate:g}" for rate in rates_for(task)))


def vowpal_wabbit_unpeeking(task: Task) -> Runs:
    """Each of the rates, a raw prediction cut to the range of zero and the labels before its row."""
    lowest = np.minimum.accumulate(np.concatenate([[0.0], task.y[:-1]]).clip(max=0.0))
    highest = np.maximum.accumulate(np.concatenate([[0.0], task.y[:-1]]).clip(min=0.0))
    raw = Path(_vowpal_files(task).name, "raw")
    for setting, _ in vowpal_wabbit(task, tuple(f"-l {rate:g} -r {raw}" for rate in rates_for(task))):
        predictions = np.array(raw.read_text().split(), dtype=np.float64)
        yield setting.partition(" -r")[0], np.clip(np.nan_to_num(predictions), lowest, highest)


def vowpal_wabbit(task: Task, options: tuple[str, ...]) -> Runs:
    """Its own progressive predictions with each of some options."""
    from vowpalwabbit import Workspace  # noqa: PLC0415

    folder = _vowpal_files(task).name
    losses = {
        "regression": "--loss_function squared",
        "binary": "--loss_function logistic",
        "classes": f"--oaa {task.classes} --probabilities --loss_function logistic",
    }
    for option in options:
        source = f"-d {folder}/rows.vw --cache_file {folder}/rows.cache"
        Workspace(f"{source} --quiet {losses[task.kind]} {option} -p {folder}/predictions").finish()
        yield option or "default", _vowpal_predictions(Path(folder, "predictions"), task.kind)


def _vowpal_predictions(path: Path, kind: str) -> np.ndarray:
    text = path.read_text()
    if kind == "classes":  # a line is "1:0.25 2:0.75"
        numbers = np.array(text.replace(":", " ").split(), dtype=np.float64)
        return numbers.reshape(text.count("\n"), -1)[:, 1::2]
    numbers = np.array(text.split(), dtype=np.float64)
    return numbers if kind == "regression" else from_margins(numbers)


@functools.lru_cache(maxsize=1)
def _vowpal_files(task: Task) -> tempfile.TemporaryDirectory[str]:
    """A folder with the task as text and as a cache; zeros are left out, as the parser would drop them."""
    from vowpalwabbit import Workspace  # noqa: PLC0415

    folder = tempfile.TemporaryDirectory()
    text = Path(folder.name, "rows.vw")
    labels = (task.codes + 1 if task.kind == "classes" else task.y).tolist()
    with text.open("w") as file:
        for label, row in zip(labels, task.X, strict=True):
            there = np.flatnonzero((row != 0.0) & ~np.isnan(row))
            cells = " ".join(map("{}:{:.8g}".format, there.tolist(), row[there].tolist()))
            file.write(f"{label:.8g} | {cells}\n")
    oaa = f"--oaa {task.classes}" if task.kind == "classes" else ""
    Workspace(f"-d {text} -c -k --cache_file {folder.name}/rows.cache --quiet {oaa}").finish()
    return folder


def from_first(task: Task, run: Callable[[Task], Runs]) -> Runs:
    """With the first label subtracted from all: what one does by hand for a target far from zero."""
    for setting, predictions in run(Task(task.X, task.y - task.y[0], task.kind)):
        yield setting, np.concatenate([[0.0], predictions[1:] + task.y[0]])  # which is not known in the first row


def river(task: Task, scale_target: bool = False, rates: Sequence[float] | None = None) -> Runs:
    """StandardScaler | linear model by predict_one and learn_one; one against the rest for classes.

    The models of all rates share the scaler, which costs as much as a model and does the same for all: as in River's
    pipeline, a row is predicted with the columns' moments before it and learned with those after it.
    """
    from river import preprocessing  # noqa: PLC0415

    rates = rates or (RIVER_RATES_ON_MANY_ROWS[task.kind] if len(task.y) > MANY_ROWS else FEW_RATES)
    models = {place: _river_model(task.kind, rate, scale_target) for place, rate in enumerate(rates)}
    shape = (len(rates), len(task.y)) if task.kind == "regression" else (len(rates), len(task.y), task.classes)
    predictions = np.full(shape, np.nan)
    scaler = preprocessing.StandardScaler()
    for i, label in enumerate(_river_labels(task)):
        row = {column: x for column, x in enumerate(task.X[i].tolist()) if not math.isnan(x)}
        before = scaler.transform_one(row)
        scaler.learn_one(row)
        after = scaler.transform_one(row)
        for place, model in list(models.items()):
            try:
                predictions[place, i] = _river_prediction(model, before, task)
                model.learn_one(after, label)
            except (OverflowError, ZeroDivisionError):  # its weights are beyond all numbers
                del models[place]
    for rate, each in zip(rates, predictions, strict=True):
        yield f"{rate:g}", each


def _river_model(kind: str, rate: float, scale_target: bool) -> "Classifier | Regressor":
    from river import linear_model, multiclass, optim, preprocessing  # noqa: PLC0415

    if kind == "regression":
        regressor = linear_model.LinearRegression(optimizer=optim.SGD(rate))
        return preprocessing.TargetStandardScaler(regressor=regressor) if scale_target else regressor
    classifier = linear_model.LogisticRegression(optimizer=optim.SGD(rate))
    return classifier if kind == "binary" else multiclass.OneVsRestClassifier(classifier)


def _river_labels(task: Task) -> list[float] | list[bool] | list[int]:
    if task.kind == "regression":
        return task.y.tolist()
    return (task.y > 0).tolist() if task.kind == "binary" else task.codes.tolist()


def _river_prediction(model: "Classifier | Regressor", row: dict[int, float], task: Task) -> float | np.ndarray:
    if task.kind == "regression":
        return model.predict_one(row)
    shares = np.zeros(task.classes)
    told = model.predict_proba_one(row)
    for known, share in told.items():
        shares[int(known)] = share
    return shares if told else shares + 1.0 / task.classes


def scikit_learn(task: Task, sizes: Sequence[int] = (100, 1_000), rates: Sequence[float | None] | None = None) -> Runs:
    """StandardScaler and SGD by partial_fit: sizes of batches and rates, in all pairs.

    Batches double from one row to their size, so that the start is not predicted by a model that knows nothing.
    """
    if rates is None:
        # Without a rate, a classifier follows the default schedule "optimal".
        rates = FEW_RATES if task.kind == "regression" else (None, *FEW_RATES)
    for size in sizes:
        for rate in rates:
            with np.errstate(all="ignore"):
                yield f"batch {size} rate {rate or 'optimal'}", _scikit_learn(task, size, rate)


def _scikit_learn(task: Task, size: int, rate: float | None) -> np.ndarray:
    from sklearn.linear_model import SGDClassifier, SGDRegressor  # noqa: PLC0415
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415

    more: dict[str, object] = {}
    if task.kind == "regression":
        model, labels, predictions = SGDRegressor(eta0=rate, shuffle=False), task.y, np.zeros(len(task.y))
    else:
        schedule = {"eta0": rate, "learning_rate": "invscaling", "power_t": 0.25} if rate else {}
        model, labels = SGDClassifier(loss="log_loss", shuffle=False, **schedule), task.codes
        predictions = np.full((len(task.y), task.classes), 1.0 / task.classes)
        more = {"classes": np.arange(task.classes)}
    scaler, begin, batch = StandardScaler(), 0, 1
    while begin < len(labels):
        here = slice(begin, begin + batch)
        try:
            X = scaler.partial_fit(task.X[here]).transform(task.X[here])
            if begin > 0:
                predictions[here] = model.predict(X) if task.kind == "regression" else model.predict_proba(X)
            model.partial_fit(X, labels[here], **more)
        except ValueError:  # its scales or its weights are beyond all numbers
            predictions[begin + batch :] = np.nan
            break
        begin, batch = begin + batch, min(2 * batch, size)
    return predictions


_NAG = functools.partial(unscaled, rule="nag")
_SNAG = functools.partial(unscaled, rule="snag")
_VW = functools.partial(vowpal_wabbit, options=("",))
_VW_COIN = functools.partial(vowpal_wabbit, options=("--coin",))
_RIVER_TARGET = functools.partial(river, scale_target=True)

NO_OPTION = "auto, no option"

CONTENDERS = [
    Contender(NO_OPTION, unscaled_untuned),
    Contender("newton", functools.partial(unscaled_untuned, rule="newton")),
    Contender("nag, best of 15 rates", _NAG),
    Contender("snag, best of 15 rates", _SNAG),
    Contender("vw", _VW),
    Contender("vw, best of 15 rates", vowpal_wabbit_rates),
    Contender("vw --coin", _VW_COIN),
    Contender("scikit-learn, best of batches and rates", scikit_learn),
    Contender("river, best of rates", river),
    Contender("vw without a peek, best of 15 rates", vowpal_wabbit_unpeeking, ("regression",)),
    Contender("nag from first label, best of 15 rates", functools.partial(from_first, run=_NAG), ("regression",)),
    Contender("snag from first label, best of 15 rates", functools.partial(from_first, run=_SNAG), ("regression",)),
    Contender(
        "vw from first label, best of 15 rates", functools.partial(from_first, run=vowpal_wabbit_rates), ("regression",)
    ),
    Contender("river with scaled target, best of rates", _RIVER_TARGET, ("regression",)),
]

PEERS_TO_MEET = (
    "nag, best of 15 rates",
    "snag, best of 15 rates",
    "vw",
    "vw, best of 15 rates",
    "vw --coin",
    "scikit-learn, best of batches and rates",
    "river, best of rates",
    "newton",
)
"""Whose best, on each set, the default is to come within 1 % of. The others know more: where the target lies."""
