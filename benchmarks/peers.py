"""Rows a second and accuracy of Unscaled and its peers on the same dense rows, in columns of many units.

    python benchmarks/peers.py [--rows 200000] [--rounds 5]

The label is linear in 50 float32 columns plus noise, which is 2 % of its variance; the columns are in units
from 10^-3 to 10^3. Accuracy is the mean squared error of the predictions made before each update over the
variance of the label: at the default learning rate, and at the best of five rates chosen in hindsight.
"""

import argparse
from functools import partial

import numpy as np
from contenders import Contender, Run, Task, installed, river, scikit_learn, unscaled, vowpal_wabbit
from recording import machine, print_table, significant, write_csv, write_markdown
from timing import Seconds, interleaved

COLUMNS = 50
BATCH = 10_000
RATES = (0.1, 0.3, 1.0, 3.0, 10.0)
"""Times the default rate."""

DIVERGED = 1e6
"""An error this many times that of the label's mean is not worth its digits."""

CONTENDERS = [
    Contender("Unscaled, one call", "unscaled", 0.5, unscaled),
    Contender("Unscaled, batches of 10,000", "unscaled", 0.5, partial(unscaled, batch=BATCH)),
    Contender("Unscaled, batches of 100", "unscaled", 0.5, partial(unscaled, batch=100)),
    Contender("Unscaled, snag, one call", "unscaled", 0.5, partial(unscaled, rule="snag")),
    Contender(
        "scikit-learn SGDRegressor, batches of 10,000",
        "sklearn", 0.01, partial(scikit_learn, batch=BATCH, scaled=False),
    ),
    Contender(
        "scikit-learn StandardScaler + SGDRegressor, batches of 10,000",
        "sklearn", 0.01, partial(scikit_learn, batch=BATCH, scaled=True),
    ),
    Contender(
        "scikit-learn StandardScaler + SGDRegressor, batches of 100",
        "sklearn", 0.01, partial(scikit_learn, batch=100, scaled=True),
    ),
    Contender("Vowpal Wabbit, text file", "vowpalwabbit", 0.5, partial(vowpal_wabbit, cached=False)),
    Contender("Vowpal Wabbit, cache file", "vowpalwabbit", 0.5, partial(vowpal_wabbit, cached=True)),
    Contender(
        "Vowpal Wabbit, cache file, one core",
        "vowpalwabbit", 0.5, partial(vowpal_wabbit, cached=True, one_core=True),
    ),
    Contender("River StandardScaler | LinearRegression", "river", 0.01, partial(river, scaled=True), 20_000),
]  # fmt: skip


def make_task(rows: int) -> Task:
    """Linear data, noise, and units that nobody chose."""
    rng = np.random.default_rng(7)
    plain = rng.standard_normal((rows, COLUMNS))
    label = plain @ rng.standard_normal(COLUMNS)
    noise = np.sqrt(0.02 / 0.98) * label.std() * rng.standard_normal(rows)
    units = 10.0 ** rng.uniform(-3, 3, COLUMNS)
    return Task((plain * units).astype(np.float32), label + noise, "squared")


def error(run: Run, rate: float, task: Task) -> float:
    """Progressive squared error over the variance; inf if predictions are no longer numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        predictions = run(rate, True)
        mean = float(np.mean((predictions - task.y) ** 2) / np.var(task.y))
    return mean if np.isfinite(mean) else np.inf


def accuracy(contender: Contender, task: Task) -> dict[str, float]:
    """At the default rate and at the best."""
    run = contender.make(task)
    rates = [contender.default_rate * factor for factor in RATES]
    errors = {rate: error(run, rate, task) for rate in rates}
    best = min(errors, key=errors.__getitem__)
    return {"error": errors[contender.default_rate], "best error": errors[best], "best rate": round(best, 6)}


def speeds(contenders: list[Contender], task: Task, rounds: int) -> dict[str, dict[str, float]]:
    """Rows a second, all contenders taking turns: the median round, the fastest, and the spread."""
    short = {rows: task.head(rows) for rows in {each.timed_rows for each in contenders} if rows < len(task.y)}
    heads = {each.name: short.get(each.timed_rows, task) for each in contenders}
    works = {each.name: partial(each.make(heads[each.name]), each.default_rate, False) for each in contenders}
    with np.errstate(all="ignore"):
        taken = interleaved(works, rounds)
    return {name: _speed(len(heads[name].y), seconds) for name, seconds in taken.items()}


def _speed(rows: int, taken: Seconds) -> dict[str, float]:
    fastest = round(rows / taken.fastest)
    return {"rows/s": round(rows / taken.median), "fastest": fastest, "spread": round(taken.spread, 3)}


def shown(line: dict[str, str | float]) -> dict[str, str]:
    """A line as the page shows it."""
    texts = {key: significant(value) for key, value in line.items() if not isinstance(value, str)}
    lost = [key for key in ("error", "best error") if float(line[key]) > DIVERGED]
    texts |= dict.fromkeys(lost, "diverges") | ({"best rate": "none"} if "best error" in lost else {})
    return {"": str(line["contender"]), **texts}


def main() -> None:
    """Measures, prints and writes the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    task, contenders = make_task(given.rows), installed(CONTENDERS)
    speed = speeds(contenders, task, given.rounds)
    lines: list[dict[str, str | float]] = []
    for each in contenders:
        lines.append({"contender": each.name, **speed[each.name], **accuracy(each, task)})
    facts = machine(["numba", "numpy", "scikit-learn", "vowpalwabbit", "river"])
    print_table([shown(line) for line in lines])
    write_csv("peers", lines, facts)
    write_markdown("peers", [shown(line) for line in lines], facts)


if __name__ == "__main__":
    main()
