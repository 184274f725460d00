"""How many labels intervals hold, beside how many they promise: real streams, made ones, and streams that change.

    python benchmarks/intervals.py [--data FOLDER] [--rule auto]

FOLDER holds raw sets as .npz files with X and y, of which those with numbers for labels are used; the regression sets
of the paper are read from the folder that UNSCALED_DATA names. Each set is learned in file order and shuffled, as it
is and with a change at half time: the noise grows or falls to ten times or a tenth, the label moves by ten standard
deviations, or it comes in units a thousand times smaller. Measured are, for five levels, the share of labels that lay
in the interval that stood before their row was learned from: over the whole stream, and over the rows after the
change, a tenth of the stream. `blocks` are intervals that `predict` gave for a twentieth of the stream at a time,
before any of its rows was learned, from the second block on.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from recording import machine, print_table, write_csv

import unscaled
from unscaled import datasets

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
FEWEST_LABELS = 30
MADE_ROWS = 40_000

Rows = tuple[np.ndarray, np.ndarray]


def real_sets(folder: Path | None) -> Iterator[tuple[str, Rows]]:
    """The regression sets that are here, by name."""
    if os.environ.get("UNSCALED_DATA"):
        for name in ("ct_slice", "msd"):
            found = datasets.load(name)
            yield name, (found.X, np.asarray(found.y, np.float64))
    for path in sorted(folder.glob("*.npz")) if folder else []:
        with np.load(path, allow_pickle=False) as file:
            X, y = file["X"], file["y"]
        is_known = os.environ.get("UNSCALED_DATA") and path.stem in ("ct_slice", "msd")
        if not is_known and y.dtype.kind in "fiu" and len(np.unique(y)) >= FEWEST_LABELS:
            yield path.stem, (X, y.astype(np.float64))


def made_sets() -> Iterator[tuple[str, Rows]]:
    """A linear target of ten columns in many units, with noise of one law or another."""
    random = np.random.default_rng(0)
    Z = random.normal(size=(MADE_ROWS, 10))
    X, target = Z * 10.0 ** random.integers(-3, 4, 10), Z @ random.normal(size=10)
    yield "made, normal noise", (X, target + random.normal(size=MADE_ROWS))
    yield "made, t noise of 2 degrees", (X, target + random.standard_t(2, size=MADE_ROWS))
    yield "made, skewed noise", (X, target + random.exponential(size=MADE_ROWS))


def changes(X: np.ndarray, y: np.ndarray) -> Iterator[tuple[str, Rows]]:
    """The stream as it is, and with a change at half time."""
    noise = np.random.default_rng(1).normal(size=len(y)) * y.std()
    late = np.arange(len(y)) >= len(y) // 2
    yield "none", (X, y)
    yield "noise x 10", (X, y + noise * np.where(late, 3.0, 0.3))
    yield "noise / 10", (X, y + noise * np.where(late, 0.3, 3.0))
    yield "offset", (X, y + np.where(late, 10.0 * y.std(), 0.0))
    yield "units x 1000", (X, np.where(late, 1000.0, 1.0) * y)


def orders(rows: Rows) -> Iterator[tuple[str, Rows]]:
    """File order, and a random one."""
    X, y = rows
    yield "file", rows
    order = np.random.default_rng(2).permutation(len(y))
    yield "shuffled", (X[order], y[order])


def shares(rows: Rows, rule: str) -> dict[str, dict[float, float]]:
    """The share of labels held, by level: over the stream, after half time, and of blocks that were predicted."""
    (X, y), learner = rows, unscaled.Learner(rule)
    half, after = len(y) // 2, len(y) // 2 + len(y) // 10
    held = [dict.fromkeys(LEVELS, 0.0)]
    for begin, end in ((0, half), (half, after), (after, len(y))):
        learner.learn(X[begin:end], y[begin:end])
        held.append({level: learner.interval_coverage[level] * end for level in LEVELS})
    return {
        "whole": {level: held[3][level] / len(y) for level in LEVELS},
        "after": {level: (held[2][level] - held[1][level]) / (after - half) for level in LEVELS},
        "blocks": in_blocks(rows, rule),
    }


def in_blocks(rows: Rows, rule: str) -> dict[float, float]:
    """Intervals from `predict`, for a twentieth of the rows at a time."""
    learner, held, total = unscaled.Learner(rule), dict.fromkeys(LEVELS, 0), 0
    for number, here in enumerate(np.array_split(np.arange(len(rows[1])), 20)):
        X, y = rows[0][here], rows[1][here]
        if number:
            total += len(y)
            for level in LEVELS:
                _, low, high = learner.predict(X, interval=level).T
                held[level] += int(((low <= y) & (y <= high)).sum())
        learner.learn(X, y)
    return {level: count / total for level, count in held.items()}


def measured(name: str, rows: Rows, rule: str) -> Iterator[dict[str, str | int | float]]:
    """The lines of a set."""
    for order, ordered in orders(rows):
        for change, stream in changes(*ordered):
            for where, found in shares(stream, rule).items():
                if where == "whole" or (where == "after") == (change != "none"):
                    about = {"set": name, "rows": len(rows[1]), "order": order, "change": change, "where": where}
                    yield about | {f"{level:g}": round(share, 4) for level, share in found.items()}


def main() -> None:
    """Measures, prints and writes the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rule", default="auto")
    given = parser.parse_args()
    sets = [*real_sets(given.data), *made_sets()]
    lines = [line for name, rows in sets for line in measured(name, rows, given.rule)]
    print_table(lines)
    write_csv("intervals", lines, {"rule": given.rule, **machine(["numpy", "numba"])})


if __name__ == "__main__":
    main()
