"""What it costs to need no learning rate: rows a second of the default beside the rules, and of `unscaled train`.

    python benchmarks/default_cost.py [--rounds 9] [--rows 200000] [--csv-rows 300000]

Rows in memory are learned by a learner that is warm and kept, on one thread. All rules take turns on the same rows, and
`over nag` is the median time of a rule over that of nag in the same rounds. Of `unscaled train` the whole command is
timed, with the start of Python, reading the file and writing the model. auto and newton keep a matrix of all pairs of
features, but only up to 128 of them, so the widest rows do not cost the most.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow
import pyarrow.csv
from loops import sparse_rows
from recording import machine, print_table, significant, write_csv, write_markdown
from timing import Seconds, interleaved

from unscaled import Learner

RULES = {"nag": {"rule": "nag"}, "auto": {}, "newton": {"rule": "newton"}, "snag": {"rule": "snag"}}
"""The options of each: auto is what one gets without any."""

WIDTHS = (10, 50, 100, 200)
LOSSES = ("squared", "logistic")
MOST_VALUES = 10_000_000
MOST_FOR_NEWTON = 127
"""It refuses more columns."""

SPARSE_WIDTHS = (10_000, 1_000_000)
CSV_WIDTHS = (10, 50)

Works = dict[str, Callable[[], object]]


class Case(NamedTuple):
    """The same rows for all, and how each learns them."""

    name: str
    rows: int
    works: Works


def cases(rows: int, csv_rows: int, folder: Path) -> Iterator[Case]:
    """One after the other, so that there is one set of rows at a time."""
    rng = np.random.default_rng(1)
    for width in WIDTHS:
        some = min(rows, MOST_VALUES // width)
        yield from in_memory(f"dense float32, {width}", rng.standard_normal((some, width)).astype(np.float32), rng)
    for width in SPARSE_WIDTHS:
        yield from in_memory(f"CSR, 50 of {width:,}", sparse_rows(rows // 2, width, rng), rng)
    for width in CSV_WIDTHS:
        yield on_file(csv_rows, width, folder, rng)


def in_memory(name: str, X: Any, rng: np.random.Generator) -> Iterator[Case]:
    """With labels of each kind."""
    targets = X @ rng.standard_normal(X.shape[1]) + rng.standard_normal(X.shape[0])
    for loss in LOSSES:
        labels = targets if loss == "squared" else np.sign(targets)
        works = {
            rule: kept(Learner(loss=loss, **options), X, labels)
            for rule, options in RULES.items()
            if rule != "newton" or X.shape[1] <= MOST_FOR_NEWTON
        }
        yield Case(f"{name}, {loss}", X.shape[0], works)


def kept(learner: Learner, X: Any, labels: np.ndarray) -> Callable[[], object]:
    """One run over all rows, by a learner that remembers the last one."""
    return lambda: learner.learn(X, labels)


def on_file(rows: int, width: int, folder: Path, rng: np.random.Generator) -> Case:
    """The command line over a CSV file."""
    path = folder / f"{width}.csv"
    X = rng.standard_normal((rows, width)).round(4)
    columns = {f"x{j}": X[:, j] for j in range(width)}
    y = (X @ rng.standard_normal(width) + rng.standard_normal(rows)).round(4)
    pyarrow.csv.write_csv(pyarrow.table({**columns, "y": y}), path)
    return Case(f"unscaled train, CSV, {width}", rows, {rule: partial(train, path, rule) for rule in RULES})


def train(path: Path, rule: str) -> None:
    """The whole command."""
    chosen = [] if rule == "auto" else ["--rule", rule]
    model = str(path.with_suffix(f".{rule}.model"))
    command = [sys.executable, "-m", "unscaled", "train", str(path), "--target", "y", "--model", model, "--json"]
    subprocess.run([*command, *chosen], check=True, stdout=subprocess.DEVNULL)


def lines_of(case: Case, taken: dict[str, Seconds]) -> list[dict[str, str | float]]:
    """One line a rule."""
    return [
        {
            "case": case.name,
            "rule": rule,
            "rows": case.rows,
            "rows/s": round(case.rows / seconds.median),
            "fastest": round(case.rows / seconds.fastest),
            "spread": round(seconds.spread, 3),
            "over nag": round(seconds.median / taken["nag"].median, 3),
        }
        for rule, seconds in taken.items()
    ]


def shown(lines: list[dict[str, str | float]]) -> dict[str, str]:
    """The lines of a case as a row of the page."""
    speeds = {f"{rule} rows/s": "" for rule in RULES} | {
        f"{line['rule']} rows/s": significant(float(line["rows/s"])) for line in lines
    }
    ratios = {f"{rule} over nag": "" for rule in RULES if rule != "nag"} | {
        f"{line['rule']} over nag": f"{line['over nag']:.2f}" for line in lines if line["rule"] != "nag"
    }
    spread = max(float(line["spread"]) for line in lines)
    return {"": str(lines[0]["case"]), **speeds, **ratios, "largest spread": f"{spread:.2f}"}


def main() -> None:
    """Measures, prints and writes the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--csv-rows", type=int, default=300_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        each = [
            lines_of(case, interleaved(case.works, given.rounds))
            for case in cases(given.rows, given.csv_rows, Path(folder))
        ]
    page = [shown(lines) for lines in each]
    print_table(page)
    facts = machine(["numba", "numpy", "pyarrow"])
    write_csv("default_cost", [line for lines in each for line in lines], facts)
    write_markdown("default_cost", page, facts)


if __name__ == "__main__":
    main()
