"""Whether probabilities mean what they say: of rows that were given 70 %, are 70 % of the class?

    python benchmarks/calibration.py [--data FOLDER]

FOLDER holds sets as .npz files, as `python benchmarks/real_data.py --output FOLDER` writes them; those with classes
are used, in file order and shuffled. Probabilities are those before each update. Rows go into twenty bins by the
probability of a class, and the error of calibration is the mean distance of a bin's mean probability and its share of
the class, weighted by its rows (Naeini et al. 2015); with many classes, each row counts once for each of them. Shown
beside the rule nag at its default rate, and the same in the later half of each stream.
"""

import argparse
from pathlib import Path

import numpy as np
from recording import machine, print_table, write_csv
from rivals import Task, from_margins

from unscaled import Learner

BINS = 20
CLASSES_AT_MOST = 26
RULES = ("auto", "nag")


def tasks(folder: Path) -> list[tuple[str, Task]]:
    """The sets with classes."""
    found = []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path, allow_pickle=False) as file:
            X, y = file["X"], file["y"]
        if len(np.unique(y)) <= CLASSES_AT_MOST:
            found.append((path.stem, Task(X, y, "binary" if y.min() < 0 else "classes")))
    return found


def shuffled(task: Task) -> Task:
    """The same rows in a random order."""
    order = np.random.default_rng(2013).permutation(len(task.y))
    return Task(task.X[order], task.y[order], task.kind)


def probabilities(task: Task, rule: str) -> np.ndarray:
    """Of each class, before each update."""
    classes = list(range(task.classes)) if task.kind == "classes" else None
    scores = Learner(rule, "logistic", classes=classes).learn(task.X, task.codes if classes else task.y)
    return from_margins(scores)


def calibration_error(shares: np.ndarray, codes: np.ndarray) -> float:
    """The mean distance of what was said and what came."""
    came = (codes[:, None] == np.arange(shares.shape[1])).astype(float)
    said, came = shares.ravel(), came.ravel()
    place = np.minimum((said * BINS).astype(int), BINS - 1)
    rows = np.bincount(place, minlength=BINS)
    distance = np.abs(np.bincount(place, said, BINS) - np.bincount(place, came, BINS))
    return float(distance.sum() / rows.sum())


def measured(name: str, order: str, task: Task) -> dict[str, str | int | float]:
    """One line of the record."""
    half = len(task.y) // 2
    line: dict[str, str | int | float] = {"set": name, "order": order, "rows": len(task.y), "classes": task.classes}
    for rule in RULES:
        shares = probabilities(task, rule)
        line[rule] = round(calibration_error(shares, task.codes), 4)
        line[f"{rule}, later half"] = round(calibration_error(shares[half:], task.codes[half:]), 4)
    return line


def main() -> None:
    """Measures, prints and writes the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    lines = []
    for name, task in tasks(given.data):
        lines += [measured(name, "file", task), measured(name, "shuffled", shuffled(task))]
    print_table(lines)
    write_csv("calibration", lines, machine(["numpy", "numba"]))


if __name__ == "__main__":
    main()
