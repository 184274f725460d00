"""The contenders: Unscaled and its peers behind one face, each fed in the way that suits it best.

A maker takes a task and prepares what its system wants (a file, dictionaries), which is not timed. It gives a
run, which learns the task from nothing and gives the predictions made before each update. A peer that learns
without predicting does so if no predictions are wanted: it is timed at its best.
"""

import functools
import importlib.util
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from unscaled import Learner


@dataclass(frozen=True, eq=False)
class Task:
    """Rows, labels, and the loss to learn them with: squared, or logistic for labels -1 and +1."""

    X: np.ndarray
    y: np.ndarray
    loss: str

    def head(self, rows: int) -> "Task":
        """The first rows."""
        return replace(self, X=self.X[:rows], y=self.y[:rows])


Run = Callable[[float, bool], np.ndarray | None]
"""Learns at a learning rate; gives the predictions if they are wanted."""


class Contender(NamedTuple):
    """A system with a way to feed it."""

    name: str
    package: str
    default_rate: float
    make: Callable[[Task], Run]
    timed_rows: int = 1_000_000_000  # slow systems are timed on fewer rows

    @property
    def is_installed(self) -> bool:
        """Whether it can run here."""
        return importlib.util.find_spec(self.package) is not None


def installed(contenders: list[Contender]) -> list[Contender]:
    """Those that can run here; of the others it is said that they are skipped."""
    for each in contenders:
        if not each.is_installed:
            print(f"{each.name} is skipped: pip install {each.package.replace('sklearn', 'scikit-learn')}")
    return [each for each in contenders if each.is_installed]


def unscaled(task: Task, rule: str = "nag", batch: int | None = None, from_first_row: bool = False) -> Run:
    """Learner.learn over all rows at once or over batches; if asked, of rows less the first one."""
    size = batch or len(task.y)
    X = task.X - task.X[0] if from_first_row else task.X

    def run(rate: float, predicting: bool) -> np.ndarray:
        learner = Learner(rule=rule, loss=task.loss, learning_rate=rate)
        parts = [learner.learn(X[i : i + size], task.y[i : i + size]) for i in range(0, len(task.y), size)]
        return np.concatenate(parts)

    return run


def scikit_learn(task: Task, batch: int, scaled: bool) -> Run:
    """partial_fit over batches, each predicted before; if scaled, after StandardScaler's partial_fit.

    Rows are learned in their order, as by all others. The default, a shuffle of each batch, is random: two
    runs over the same rows would differ, and the difference would pass for one of units.
    """
    from sklearn.linear_model import SGDClassifier, SGDRegressor  # noqa: PLC0415
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415

    def run(rate: float, predicting: bool) -> np.ndarray:
        if task.loss == "logistic":  # "optimal" is the default schedule, which knows no rate
            model = SGDClassifier(loss="log_loss", shuffle=False)
            score, more = "decision_function", {"classes": [-1.0, 1.0]}
        else:
            model, score, more = SGDRegressor(eta0=rate, shuffle=False), "predict", {}
        scaler = StandardScaler()
        predictions = np.zeros(len(task.y))
        for i in range(0, len(task.y), batch):
            X, y = task.X[i : i + batch], task.y[i : i + batch]
            X = scaler.partial_fit(X).transform(X) if scaled else X
            if predicting and i > 0:
                predictions[i : i + batch] = getattr(model, score)(X)
            try:
                model.partial_fit(X, y, **more)
            except ValueError:  # weights that are no longer finite
                if not predicting:  # what stops early must not be timed
                    raise
                predictions[i + batch :] = np.nan
                break
        return predictions

    return run


def river(task: Task, scaled: bool) -> Run:
    """learn_one over dictionaries, each predicted before; if scaled, after preprocessing.StandardScaler."""
    from river import linear_model, optim, preprocessing  # noqa: PLC0415

    names = [f"x{j}" for j in range(task.X.shape[1])]
    rows = [dict(zip(names, row, strict=True)) for row in task.X.tolist()]
    is_logistic = task.loss == "logistic"
    labels = (task.y > 0).tolist() if is_logistic else task.y.tolist()

    def run(rate: float, predicting: bool) -> np.ndarray:
        kind = linear_model.LogisticRegression if is_logistic else linear_model.LinearRegression
        model = kind(optimizer=optim.SGD(rate))
        model = preprocessing.StandardScaler() | model if scaled else model
        predictions = np.zeros(len(rows))
        for i, (row, label) in enumerate(zip(rows, labels, strict=True)):
            if predicting and is_logistic:
                # A probability and not a margin, so it saturates: only its sign compares with the others.
                predictions[i] = model.predict_proba_one(row)[True] - 0.5
            elif predicting:
                predictions[i] = model.predict_one(row)
            model.learn_one(row, label)
        return predictions

    return run


def vowpal_wabbit(task: Task, cached: bool, one_core: bool = False) -> Run:
    """The driver over a text or a cache file; its learner and parser are two threads, on one core if asked.

    `--onethread`, the best way to read a cache, is not among the options of the Python package.
    """
    from vowpalwabbit import Workspace  # noqa: PLC0415

    folder = Path(_vowpal_files(task).name)
    source = f"-d {folder}/rows.vw" + (f" --cache_file {folder}/rows.cache" if cached else "")

    def run(rate: float, predicting: bool) -> np.ndarray | None:
        cores = os.sched_getaffinity(0)
        if one_core:
            os.sched_setaffinity(0, {min(cores)})
        output = f"-p {folder}/predictions" if predicting else ""
        Workspace(f"{source} --quiet --loss_function {task.loss} -l {rate} {output}").finish()
        os.sched_setaffinity(0, cores)
        return np.loadtxt(folder / "predictions") if predicting else None

    return run


@functools.cache
def _vowpal_files(task: Task) -> tempfile.TemporaryDirectory[str]:
    """A folder with the task as text and as a cache; zeros are left out, as the parser would drop them."""
    from vowpalwabbit import Workspace  # noqa: PLC0415

    folder = tempfile.TemporaryDirectory()
    text = Path(folder.name, "rows.vw")
    with text.open("w") as file:
        for label, row in zip(task.y.tolist(), task.X, strict=True):
            there = np.flatnonzero(row)
            cells = " ".join(map("{}:{:.8g}".format, there.tolist(), row[there].tolist()))
            file.write(f"{label:.8g} | {cells}\n")
    Workspace(f"-d {text} -c -k --cache_file {folder.name}/rows.cache --quiet").finish()
    return folder
