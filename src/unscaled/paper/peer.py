"""Vowpal Wabbit on the same rows, in the same order, with the same features; an optional peer."""

import importlib.metadata
import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unscaled.errors import UnscaledError
from unscaled.paper.claims import Claim
from unscaled.paper.protocol import Rows

FLAGS = {"nag": ["--adaptive", "--normalized"], "ag": ["--adaptive"]}
"""What makes Vowpal Wabbit follow a rule, in plain steps. It has no snag."""

_STEPS = 10.0 ** (np.arange(-3, 4) / 6)
"""The rates that are tried, as multiples of our best one."""


class Settings(NamedTuple):
    """How Vowpal Wabbit is run, and how features are handed over.

    Columns usually have names that are not numbers. Vowpal Wabbit takes a number for a place in its table, and then the
    product of columns 0 and 7 falls on the place of column 7.
    """

    importance_aware: bool = False
    constant: bool = True
    numbered: bool = False


def version() -> str | None:
    """The version that is installed, if any."""
    if importlib.util.find_spec("vowpalwabbit") is None:
        return None
    return importlib.metadata.version("vowpalwabbit")


class VowpalWabbit:
    """A data set as a file of text, and runs over it."""

    def __init__(self, rows: Rows, settings: Settings = Settings()) -> None:  # noqa: B008  # it cannot be changed
        self._rows, self._settings = rows, settings
        self._folder = tempfile.TemporaryDirectory(prefix="unscaled-paper-")
        self._file = Path(self._folder.name, "rows.vw")
        with open(self._file, "w", encoding="ascii") as file:
            file.writelines(_lines(rows, settings.numbered))

    def __enter__(self) -> "VowpalWabbit":
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def best(self, rule: str, around: float, few: bool = False) -> Claim:
        """The best of some rates around one, or of few."""
        rates = around * (_STEPS[1:-1:2] if few else _STEPS)
        claims = [Claim(rate, self.loss(rule, rate)) for rate in rates.tolist()]
        return min(claims, key=lambda claim: claim.loss)

    def loss(self, rule: str, rate: float) -> float:
        """The progressive loss at a rate, counted from its predictions as ours is."""
        scores = self._predictions(rule, rate)
        rows = self._rows
        if not len(rows.codes):
            return float(np.mean(np.square(scores - rows.labels[:, 0]))) / rows.worst
        if rows.labels.shape[1] == 1:
            return float(np.mean((scores > 0.0) != (rows.labels[:, 0] > 0.0)))
        return float(np.mean(scores != rows.codes + 1))

    def _predictions(self, rule: str, rate: float) -> NDArray[np.float64]:
        with tempfile.NamedTemporaryFile(dir=self._folder.name, suffix=".txt") as file:
            classes = self._rows.labels.shape[1]
            command = [
                *(sys.executable, "-m", "vowpalwabbit", "--quiet", "-d", str(self._file), "-p", file.name),
                *("-b", "22", "-q", "::", "-l", repr(rate), *FLAGS[rule]),
                *(["--oaa", str(classes)] if classes > 1 else []),
                *(["--invariant"] if self._settings.importance_aware else []),
                *([] if self._settings.constant else ["--noconstant"]),
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise UnscaledError(f"Vowpal Wabbit failed: {' '.join(command[3:])}: {done.stderr.strip()[-500:]}")
            return np.loadtxt(file.name, usecols=0, ndmin=1)


def _lines(rows: Rows, numbered: bool) -> Iterator[str]:
    """A line a row, without the zeros, which change nothing."""
    names = [f" {'' if numbered else 'f'}{j}:" for j in range(rows.X.shape[1])]
    for X, labels, here in rows.parts():
        marks = rows.codes[here] + 1 if labels.shape[1] > 1 else labels[:, 0]
        for values, mark in zip(X.tolist(), marks.tolist(), strict=True):
            present = [f"{name}{value:.9g}" for name, value in zip(names, values, strict=True) if value]
            yield f"{mark:.17g} |{''.join(present)}\n"
