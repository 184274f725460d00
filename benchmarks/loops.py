"""Features a second of the compiled loops: rows in memory, one thread, beside merely summing the same array.

    python benchmarks/loops.py [--rounds 9] [--rows 200000]

A learner is warmed up with the rows and then learns them again in each round, so what is timed is the steady
state of `Learner.learn`, with all that it does around the loop. The intercept is not counted as a feature;
products are. Eight lanes learn every feature eight times, and it counts once.
"""

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from recording import machine, print_table, significant, write_csv
from scipy.sparse import csr_matrix
from timing import Seconds, interleaved

from unscaled import Learner

COLUMNS = 50
CROSSED_COLUMNS = 20
LANES = 8


class Case(NamedTuple):
    """A kind of rows and what is done with them."""

    name: str
    rows: Any
    labels: np.ndarray
    features: int  # in a row
    options: dict[str, Any]
    learns: bool = True

    def work(self) -> Callable[[], object]:
        """One run over all rows, by a learner that is kept."""
        learner = Learner(**{"rule": "nag", "loss": "squared", **self.options})
        learner.learn(self.rows, self.labels)
        if self.learns:
            return lambda: learner.learn(self.rows, self.labels)
        return lambda: learner.predict(self.rows)

    def values(self) -> np.ndarray:
        """The numbers that a run reads."""
        return np.asarray(self.rows.data if isinstance(self.rows, csr_matrix) else self.rows)


def sparse_rows(rows: int, columns: int, rng: np.random.Generator) -> csr_matrix:
    """COLUMNS non-zeros a row: one from each of as many equal parts of the columns."""
    part = columns // COLUMNS
    places = rng.integers(0, part, (rows, COLUMNS)) + part * np.arange(COLUMNS)
    values = rng.standard_normal(rows * COLUMNS).astype(np.float32)
    starts = np.arange(0, rows * COLUMNS + 1, COLUMNS, dtype=np.int32)
    return csr_matrix((values, places.ravel().astype(np.int32), starts), shape=(rows, columns))


def cases(rows: int) -> list[Case]:
    """All that is measured, over three arrays and two CSR matrices."""
    rng = np.random.default_rng(1)
    dense = rng.standard_normal((rows, COLUMNS)).astype(np.float32)
    double = dense.astype(np.float64)
    few = np.ascontiguousarray(dense[: rows // 4, :CROSSED_COLUMNS])
    products = (CROSSED_COLUMNS + 1) * (CROSSED_COLUMNS + 2) // 2 - 1
    some, many = (sparse_rows(rows // 2, columns, rng) for columns in (10_000, 1_000_000))
    y = double @ rng.standard_normal(COLUMNS) + rng.standard_normal(rows)
    targets = double @ rng.standard_normal((COLUMNS, LANES)) + rng.standard_normal((rows, LANES))
    return [
        Case("dense float32", dense, y, COLUMNS, {}),
        Case("dense float64", double, y, COLUMNS, {}),
        Case("dense float32, snag", dense, y, COLUMNS, {"rule": "snag"}),
        Case("dense float32, float32 state", dense, y, COLUMNS, {"dtype": "float32"}),
        Case("dense float32, 8 lanes", dense, targets, COLUMNS, {}),
        Case("dense float32, predict only", dense, y, COLUMNS, {}, learns=False),
        Case("20 columns, interactions=2", few, y[: len(few)], products, {"interactions": 2}),
        Case("CSR, 50 of 10,000", some, y[: rows // 2], COLUMNS, {}),
        Case("CSR, 50 of 10,000, snag", some, y[: rows // 2], COLUMNS, {"rule": "snag"}),
        Case("CSR, 50 of 1,000,000", many, y[: rows // 2], COLUMNS, {}),
        Case("CSR, 50 of 1,000,000, float32 state", many, y[: rows // 2], COLUMNS, {"dtype": "float32"}),
        Case("CSR, 50 of 10,000, predict only", some, y[: rows // 2], COLUMNS, {}, learns=False),
    ]


def measure(case: Case, rounds: int) -> dict[str, str | float]:
    """One line of the record; the sum runs between the runs of the case."""
    taken = interleaved({"case": case.work(), "sum": case.values().sum}, rounds)
    features = case.rows.shape[0] * case.features
    return {"case": case.name, **speeds(taken["case"], taken["sum"], features, case.values().size)}


def speeds(case: Seconds, summing: Seconds, features: int, values: int) -> dict[str, float]:
    """Millions a second of features learned and of values summed."""
    return {
        "M features/s": round(features / case.median / 1e6, 1),
        "ns/feature": round(case.median / features * 1e9, 3),
        "spread": round(case.spread, 3),
        "M values/s summed": round(values / summing.median / 1e6, 1),
        "learning / summing": round((case.median / features) / (summing.median / values), 2),
    }


def shown(value: str | float) -> str:
    """A cell of the printed table."""
    return value if isinstance(value, str) else significant(value)


def main() -> None:
    """Measures, prints and writes the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--rows", type=int, default=200_000)
    given = parser.parse_args()
    lines = [measure(case, given.rounds) for case in cases(given.rows)]
    print_table([{key: shown(value) for key, value in line.items()} for line in lines])
    write_csv("loops", lines, machine(["numba", "numpy"]))


if __name__ == "__main__":
    main()
