"""What a fault in a stream costs: one value, one label or one change of units that is wrong, and what is lost by it.

    python benchmarks/faults.py [--rows 20000] [--seed 2013] [--contenders NAME ...]

The target is linear in 5 features, with little noise or very little; for classes, it is the sign of a target with much
noise. Each fault is put into a copy of the clean stream, which everyone learns with default settings. Reported are the
progressive loss, from the second row on, and the mean loss over the last twentieth of the rows, long after the fault;
the squared error is in units of the target. `cost` is the latter over the same contender's on the clean stream.

A few faults (marked with *) change what can be known at all, such as missing values. Their cost, and that of the
clean stream itself, is over the best fit in hindsight to the same rows, with 0 where a value is missing or absurd.
Rows with an infinite value and those whose label is a fault are in the stream but not in the losses.
"""

import argparse
from collections.abc import Collection, Iterator
from functools import partial
from importlib.util import find_spec
from itertools import groupby
from typing import NamedTuple

import numpy as np
from faulty_streams import Fault, Stream, faults, make_stream
from recording import machine, print_table, significant, write_csv, write_markdown
from rivals import NO_OPTION, Contender, Runs, Task, river, scikit_learn, unscaled_untuned, vowpal_wabbit
from sklearn.linear_model import LinearRegression, LogisticRegression

NOISES = {"regression, noise 0.1": 0.1, "regression, noise 0.01": 0.01, "classes": 1.0}
COSTLY = 1.1
LOST = 1_000.0
"""Who loses so many times what one would by guessing the median label has diverged."""

CUT = 1e-6


class Line(NamedTuple):
    """A result. No loss is one of who refuses such rows."""

    stream: str
    fault: str
    beside: str  # what the cost is over
    contender: str
    progressive: float
    last: float
    cost: float
    outcome: str


# Contenders.


def scikit_learn_default(task: Task) -> Runs:
    """In batches of 100 at the default rate, or nothing: it takes no value that is not finite."""
    if np.isfinite(task.X).all():
        yield from scikit_learn(task, (100,), (0.01,) if task.kind == "regression" else (None,))


CONTENDERS = [
    Contender(NO_OPTION, unscaled_untuned),
    *(Contender(rule, partial(unscaled_untuned, rule=rule)) for rule in ("newton", "nag", "snag")),
    Contender("vw", partial(vowpal_wabbit, options=("",))),
    Contender("vw --coin", partial(vowpal_wabbit, options=("--coin",))),
    Contender("scikit-learn", scikit_learn_default),
    Contender("river", partial(river, rates=(0.01,))),
]


NEEDS = {"vw": "vowpalwabbit", "vw --coin": "vowpalwabbit", "river": "river"}
"""Packages that Unscaled does not bring."""


def installed(names: Collection[str]) -> list[Contender]:
    """Those of these names that can run here; of the others it is said that they are skipped."""
    missing = {name: NEEDS[name] for name in names if name in NEEDS and find_spec(NEEDS[name]) is None}
    for name, package in missing.items():
        print(f"{name} is skipped: pip install {package}")
    return [each for each in CONTENDERS if each.name in names and each.name not in missing]


# Losses.


def losses(stream: Stream, predictions: np.ndarray) -> np.ndarray:
    """Squared errors in units of the target, or log losses; NaN where a prediction is, and 0 where none is judged."""
    with np.errstate(all="ignore"):
        if stream.kind == "regression":
            each = ((predictions - stream.y) / stream.unit) ** 2
        else:
            each = -np.log(np.clip(predictions[np.arange(len(stream.y)), (stream.y > 0).astype(int)], CUT, 1.0 - CUT))
    return np.where(judged(stream), each, 0.0)


def judged(stream: Stream) -> np.ndarray:
    """Which rows count."""
    is_judged = ~np.isinf(stream.X).any(axis=1)
    is_judged[0] = False
    is_judged[stream.excused] = False
    return is_judged


def last(each: np.ndarray) -> float:
    """The mean over the last twentieth."""
    return float(each[-(len(each) // 20) :].mean())


def floor(stream: Stream) -> float:
    """The loss over the last twentieth of the best fit to all rows, in hindsight."""
    X = np.where(np.abs(stream.X) < 1e4, stream.X, 0.0)
    if stream.kind == "regression":
        return last(losses(stream, LinearRegression().fit(X, stream.y).predict(X)))
    return last(losses(stream, LogisticRegression(C=1e6).fit(X, stream.y).predict_proba(X)))


def measured(name: str, stream: Stream, fault: Fault, contender: Contender, clean_loss: float) -> Line:
    """One contender on one stream."""
    with np.errstate(all="ignore"):
        runs = [predictions for _, predictions in contender.run(Task(stream.X, stream.y, stream.kind))]
    beside, least = ("best fit", floor(stream)) if fault.moves_floor else ("clean stream", clean_loss)
    what = (name, fault.name, beside, contender.name)
    if not runs:
        return Line(*what, np.nan, np.nan, np.nan, "refused")
    each = losses(stream, runs[0])
    cost = last(each) / least
    return Line(*what, float(each.mean()), last(each), cost, outcome(stream, each, cost))


def outcome(stream: Stream, each: np.ndarray, cost: float) -> str:
    """What to call it. Log losses are bounded, so only what is no number can be said to diverge there."""
    distance = float(np.median(np.abs(stream.y - np.median(stream.y)))) / stream.unit
    most = LOST * distance**2 if stream.kind == "regression" else np.inf
    if not np.isfinite(each).all() or last(each) > most:
        return "diverged"
    return "costly" if cost > COSTLY else "borne"


def results(rows: int, seed: int, contenders: list[Contender]) -> Iterator[Line]:
    """All streams, faults and contenders."""
    for name, noise in NOISES.items():
        kind = name.partition(",")[0].replace("classes", "binary")
        stream = make_stream(rows, noise, kind, seed)
        clean_losses: dict[str, float] = {}
        for fault in faults(rows):
            if fault.of_labels and kind != "regression":
                continue
            damaged = fault.damage(stream)
            for each in contenders:
                line = measured(name, damaged, fault, each, clean_losses.get(each.name, np.nan))
                clean_losses.setdefault(each.name, line.last)
                yield line


# The page.


def table(lines: list[Line]) -> list[dict[str, str]]:
    """A row for each stream and fault, with every contender's cost."""
    return [
        {
            "stream": stream,
            "fault": fault + " *" * (beside == "best fit"),
            **{each.contender: shown(each) for each in group},
        }
        for (stream, fault, beside), group in groupby(lines, key=lambda line: line[:3])
    ]


def shown(line: Line) -> str:
    """A cost as the page has it, with what is costly in bold."""
    if line.outcome in {"refused", "diverged"}:
        return line.outcome
    text = f"{line.cost:.3f}" if line.cost < 10.0 else significant(line.cost)
    return f"**{text}**" if line.outcome == "costly" else text


def verdicts(lines: list[Line]) -> list[str]:
    """A sentence for each contender."""
    names = list(dict.fromkeys(line.contender for line in lines))
    return [
        _verdict(name, [line for line in lines if line.contender == name and line.fault != "clean"]) for name in names
    ]


def _verdict(name: str, lines: list[Line]) -> str:
    count = {what: sum(line.outcome == what for line in lines) for what in ("costly", "diverged", "refused")}
    taken = [line for line in lines if line.outcome not in {"diverged", "refused"}]
    worst = max(taken, key=lambda line: line.cost)
    return (
        f"{name}: of {len(lines)} faults {count['costly']} cost more than 10 % over the last rows, {count['diverged']} "
        f"made it diverge and {count['refused']} were refused. The costliest of the rest, a factor of "
        f"{significant(worst.cost)}: {worst.fault} ({worst.stream})."
    )


def main() -> None:
    """Measures, prints and writes the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=2013)
    names = [each.name for each in CONTENDERS]
    parser.add_argument("--contenders", nargs="+", default=names, metavar="NAME", help=", ".join(names))
    given = parser.parse_args()
    lines = list(results(given.rows, given.seed, installed(given.contenders)))
    page, said = table(lines), verdicts(lines)
    print_table(page)
    print(*said, sep="\n")
    if given.contenders != names:
        print("(no record is written of a part of the contenders)")
        return
    facts = machine(["numba", "numpy", "scikit-learn", "vowpalwabbit", "river"])
    write_csv("faults", [line._asdict() for line in lines], facts)
    write_markdown("faults", page, facts, above="\n".join(f"- {each}" for each in said))


if __name__ == "__main__":
    main()
