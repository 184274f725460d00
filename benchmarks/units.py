"""What units do to accuracy: covertype in raw units, and with every column in units that nobody chose.

    python benchmarks/units.py --data FOLDER [--rows 50000]

The task is class 2 or not, logistic loss, default settings, rows in one random order. Three versions of the
same rows: as they are, columns multiplied by random powers of two (2^±20), and by any factors (10^±6).
Measured are the share of rows whose sign is predicted wrongly before they are learned, and the largest change
of any prediction over the largest prediction.
FOLDER holds covertype/covtype.csv.gz; it may also be named by UNSCALED_DATA.
"""

import argparse
import os
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.csv
from contenders import Contender, Run, Task, installed, river, scikit_learn, unscaled, vowpal_wabbit
from recording import machine, print_table, write_csv, write_markdown

BATCH = 100

CONTENDERS = [
    Contender("Unscaled, nag", "unscaled", 0.5, unscaled),
    Contender("Unscaled, snag", "unscaled", 0.5, partial(unscaled, rule="snag")),
    Contender("Unscaled, nag, first row subtracted", "unscaled", 0.5, partial(unscaled, from_first_row=True)),
    Contender("Vowpal Wabbit", "vowpalwabbit", 0.5, partial(vowpal_wabbit, cached=False)),
    Contender("scikit-learn SGDClassifier", "sklearn", 0.0, partial(scikit_learn, batch=BATCH, scaled=False)),
    Contender(
        "scikit-learn StandardScaler + SGDClassifier",
        "sklearn", 0.0, partial(scikit_learn, batch=BATCH, scaled=True),
    ),
    Contender("River LogisticRegression", "river", 0.01, partial(river, scaled=False)),
    Contender("River StandardScaler | LogisticRegression", "river", 0.01, partial(river, scaled=True)),
]  # fmt: skip


def make_tasks(folder: Path, rows: int) -> dict[str, Task]:
    """The same rows in three kinds of units."""
    table = pyarrow.csv.read_csv(folder / "covertype" / "covtype.csv.gz")
    rng = np.random.default_rng(11)
    chosen = rng.permutation(table.num_rows)[:rows]
    names = [name for name in table.column_names if name != "Cover_Type"]
    X = np.column_stack([table[name].to_numpy()[chosen].astype(np.float64) for name in names])
    y = np.where(table["Cover_Type"].to_numpy()[chosen] == 2, 1.0, -1.0)
    powers = 2.0 ** rng.integers(-20, 21, X.shape[1])
    factors = 10.0 ** rng.uniform(-6, 6, X.shape[1])
    return {
        "raw units": Task(X, y, "logistic"),
        "powers of two": Task(X * powers, y, "logistic"),
        "any factors": Task(X * factors, y, "logistic"),
    }


def accuracy(contender: Contender, tasks: dict[str, Task]) -> dict[str, str | float]:
    """Error rates in all units, and how far predictions moved from those in raw units."""
    with np.errstate(all="ignore"):
        scores = {name: _run(contender.make(task), contender.default_rate) for name, task in tasks.items()}
    raw = scores["raw units"]
    line: dict[str, str | float] = {"contender": contender.name}
    line |= {name: error_rate(scores[name], task.y) for name, task in tasks.items()}
    line |= {f"moved, {name}": moved(raw, each) for name, each in scores.items() if name != "raw units"}
    return line


def error_rate(scores: np.ndarray, labels: np.ndarray) -> float:
    """The share of rows with a wrong sign; no sign is wrong, as is a score that is not a number."""
    return round(float(np.mean(~(np.sign(scores) == labels))), 6)


def moved(raw: np.ndarray, other: np.ndarray) -> float:
    """The largest difference of two predictions of the same row, relative to the largest prediction."""
    if not np.isfinite(other).all() or not np.isfinite(raw).all():
        return float("inf")
    return float(np.abs(raw - other).max() / np.abs(raw).max())


def _run(run: Run, rate: float) -> np.ndarray:
    scores = run(rate, True)
    assert scores is not None
    return scores


def shown(line: dict[str, str | float]) -> dict[str, str]:
    """A line as the page shows it."""
    numbers = {key: value for key, value in line.items() if isinstance(value, float)}
    cells = {key: _movement(value) if "moved" in key else f"{value:.4f}" for key, value in numbers.items()}
    return {"": str(line["contender"]), **cells}


def _movement(size: float) -> str:
    if size == 0.0:
        return "not a bit"
    return "no number" if size == np.inf else f"{size:.1e}"


def main() -> None:
    """Measures, prints and writes the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("UNSCALED_DATA"))
    parser.add_argument("--rows", type=int, default=50_000)
    given = parser.parse_args()
    if given.data is None:
        parser.error("name the folder of the data sets with --data or UNSCALED_DATA")
    tasks = make_tasks(Path(given.data), given.rows)
    lines = [accuracy(each, tasks) for each in installed(CONTENDERS)]
    facts = machine(["numpy", "scikit-learn", "vowpalwabbit", "river"])
    print_table([shown(line) for line in lines])
    write_csv("units", lines, facts)
    write_markdown("units", [shown(line) for line in lines], facts)


if __name__ == "__main__":
    main()
