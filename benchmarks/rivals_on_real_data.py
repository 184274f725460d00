"""What the peers lose on real data: each set in the order of its file and shuffled, each peer at its best.

    python benchmarks/rivals_on_real_data.py [--folder FOLDER] [--sets NAME ...] [--contenders NAME ...]

Losses are progressive: of the predictions made before each update, over all rows. For a regression it is the mean
squared error over the variance of the target; for classes the mean log loss of the probabilities, cut to
[10^-6, 1 - 10^-6], and beside it the share of wrong classes. `later` is a regression's loss without its first row,
which nobody can know and which a target far from zero makes large. Whoever has options gets the best of several in
hindsight, for the loss and for the share apart.

Results go to records/real_data_rivals.csv as they come; what is there already is not run again. Several runs of
this file may share the record. The page records/real_data_rivals.md says above its table how near the default, which
tunes nothing, comes to the best of them (`judging.py`).
"""

import argparse
import csv
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import real_data
import rivals
from judging import verdict
from real_data import Loaded
from recording import machine, significant, write_markdown

RECORD = Path(__file__).parent / "records" / "real_data_rivals.csv"
ORDERS = ("file", "shuffled")
SEED = 2013
CUT = 1e-6
KEY = ("set", "order", "contender")
FIELDS = (*KEY, "rows", "columns", "loss", "later", "error", "setting", "error_setting", "seconds")
PACKAGES = ("numpy", "scikit-learn", "vowpalwabbit", "river")


class Score(NamedTuple):
    """The loss, for a regression also without the first row, for classes also the share of wrong ones."""

    loss: float
    later: float
    error: float


def score(task: rivals.Task, predictions: np.ndarray) -> Score:
    """Of predicted numbers for a regression, else of a probability for each class."""
    with np.errstate(all="ignore"):
        if task.kind == "regression":
            squares = (predictions - task.y) ** 2 / np.var(task.y)
            loss, later = (
                float(np.nan_to_num(part.mean(), nan=np.inf, posinf=np.inf)) for part in (squares, squares[1:])
            )
            return Score(loss, later, np.nan)
        right = predictions[np.arange(len(task.y)), task.codes]
        loss = float(-np.log(np.clip(np.nan_to_num(right, nan=CUT), CUT, 1.0 - CUT)).mean())
        wrong = ~(predictions.argmax(axis=1) == task.codes) | np.isnan(right)
        return Score(loss, np.nan, float(wrong.mean()))


def measured(task: rivals.Task, contender: rivals.Contender) -> dict[str, str | float]:
    """The best loss of all settings and the best error of all settings."""
    begin = time.perf_counter()
    scores = {setting: score(task, each) for setting, each in contender.run(task)}
    loss = min(scores, key=lambda setting: scores[setting].loss)
    error = min(scores, key=lambda setting: scores[setting].error)
    is_regression = task.kind == "regression"
    return {
        "loss": f"{scores[loss].loss:.6g}",
        "later": f"{scores[loss].later:.6g}" if is_regression else "",
        "error": "" if is_regression else f"{scores[error].error:.6f}",
        "setting": loss,
        "error_setting": "" if is_regression else error,
        "seconds": f"{time.perf_counter() - begin:.1f}",
    }


def ordered(data: Loaded, order: str) -> rivals.Task:
    """The rows in this order."""
    rows = np.arange(len(data.y)) if order == "file" else np.random.default_rng(SEED).permutation(len(data.y))
    return rivals.Task(data.X[rows], data.y[rows], data.task)


def recorded() -> list[dict[str, str]]:
    """The lines of the record."""
    if not RECORD.exists():
        return []
    with RECORD.open() as file:
        return list(csv.DictReader(file))


def finished() -> set[tuple[str, ...]]:
    """What need not be run again."""
    return {tuple(line[key] for key in KEY) for line in recorded()}


def append(line: dict[str, str | float]) -> None:
    """One more line, written at once."""
    is_new = not RECORD.exists()
    with RECORD.open("a", newline="", buffering=1) as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(line)


def run_set(name: str, contenders: list[rivals.Contender], folder: Path) -> None:
    """All that is still missing for a set."""
    missing = [
        (order, each)
        for order in ORDERS
        for each in contenders
        if (name, order, each.name) not in finished()
    ]  # fmt: skip
    if not missing:
        return
    data = real_data.load(name, folder)
    missing = [(order, each) for order, each in missing if data.task in each.tasks]
    for order in {order: None for order, _ in missing}:
        task = ordered(data, order)
        for contender in (each for its_order, each in missing if its_order == order):
            rows, columns = data.X.shape
            line = {"set": name, "order": order, "contender": contender.name, "rows": rows, "columns": columns}
            line |= measured(task, contender)
            append(line)
            print(*line.values(), flush=True)


def table() -> list[dict[str, str]]:
    """A line for each set and order, with every contender's loss, the best in bold."""
    losses: dict[tuple[str, str], dict[str, str]] = {}
    for line in recorded():
        losses.setdefault((line["set"], line["order"]), {})[line["contender"]] = line["loss"]
    names = [each.name for each in rivals.CONTENDERS]
    keys = [(name, order) for name in real_data.NAMES for order in ORDERS if (name, order) in losses]
    return [{"set": name, "order": order, **_with_best(losses[name, order], names)} for name, order in keys]


def _with_best(losses: dict[str, str], names: list[str]) -> dict[str, str]:
    best = min(map(float, losses.values()))
    texts = {name: significant(float(loss)) for name, loss in losses.items()}
    return {
        name: f"**{texts[name]}**" if float(losses.get(name, "inf")) == best else texts.get(name, "") for name in names
    }


def main() -> None:
    """Fills the gaps of the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--folder", type=Path, default=real_data.FOLDER, help="for the downloaded packages")
    parser.add_argument("--sets", nargs="+", default=real_data.NAMES, metavar="NAME")
    names = [each.name for each in rivals.CONTENDERS]
    parser.add_argument("--contenders", nargs="+", default=names, metavar="NAME", help=", ".join(names))
    given = parser.parse_args()
    contenders = [each for each in rivals.CONTENDERS if each.name in given.contenders]
    for name in given.sets:
        run_set(name, contenders, given.folder)
    judged = verdict(recorded())
    print(judged)
    write_markdown("real_data_rivals", table(), machine(PACKAGES), above=judged)


if __name__ == "__main__":
    main()
