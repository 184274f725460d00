"""What a run shows: a table at doubling counts, a bar on a terminal, and a summary."""

import math
import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import click

from unscaled.cli.rows import told_of_skipped

HEADINGS = ("examples", "loss so far", "since last")
METRICS = {"error": "error", "rmse": "RMSE"}
NAMES = {
    "mse": "MSE",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
    "error": "error",
    "log_loss": "log loss",
    "auc": "AUC",
}

STRONGEST, RISES = 5, 3


class Reporter:
    """Follows a training. Progress goes to standard error, so that standard output holds results only."""

    def __init__(self, training: Any, quiet: bool, wanted: bool | None) -> None:
        on_terminal = sys.stderr.isatty()
        self._training = training
        self._shown = not quiet and (on_terminal if wanted is None else wanted)
        self._bar: Any = make_bar() if self._shown and on_terminal else None
        self._task: Any = None
        self._stream: Any = None
        self._since = (0.0, 0.0)
        self._printed = -1
        self._start_weight = training.learner.weight
        self._start_loss = self._loss_sum()
        self._since = (self._start_loss, self._start_weight)

    def __enter__(self) -> "Reporter":
        if self._bar is not None:
            self._bar.start()
        if self._shown:
            self._print(_heading(self._training))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def follow(self, stream: Any, number: int, passes: int) -> None:
        """Shows how far this stream is read from now on."""
        self._stream = stream
        if self._bar is not None:
            if self._task is not None:
                self._bar.remove_task(self._task)
            name = "learning" if passes == 1 else f"pass {number} of {passes}"
            total = None if stream.fraction() is None else 1.0
            self._task = self._bar.add_task(name, total=total, rows=0, began=time.perf_counter())
            self._rows_before = self._training.rows

    def next_stop(self, examples: int) -> int:
        """The next power of two."""
        return 1 << examples.bit_length() if self._shown else 1 << 62

    def at_stop(self) -> None:
        """Moves the bar, and writes a line if a power of two has been reached."""
        examples = self._training.learner.examples
        if self._shown and examples and examples & (examples - 1) == 0:
            self._line(examples)
        if self._bar is not None:
            rows = self._training.rows - self._rows_before
            fraction = self._stream.fraction()
            self._bar.update(self._task, completed=fraction or 0.0, rows=rows)

    def last_line(self) -> None:
        """The line of the last example."""
        if self._shown:
            self._line(self._training.learner.examples)

    def conclude(self, summary: dict[str, Any]) -> None:
        """The results, for people."""
        for line in _conclusion(summary, self._training.learner):
            click.echo(line)

    def _line(self, examples: int) -> None:
        if examples == self._printed:
            return
        self._printed = examples
        learner = self._training.learner
        loss, weight = self._loss_sum(), learner.weight
        last_loss, last_weight = self._since
        self._since = (loss, weight)
        so_far = loss / weight if weight else float("nan")
        since = (loss - last_loss) / (weight - last_weight) if weight > last_weight else float("nan")
        metrics = self._training.progressive.metrics()
        extra = "".join(f"{metrics[name]:>12.5g}" for name in METRICS if name in metrics) or f"{'–':>12}"
        self._print(f"{examples:>13,} {so_far:>12.6g} {since:>12.6g}{extra}{learner.features:>12,}")

    def _loss_sum(self) -> float:
        learner = self._training.learner
        return float(first_rate(learner.progressive_loss)) * learner.weight if learner.weight else 0.0

    def _print(self, line: str) -> None:
        if self._bar is not None:
            self._bar.console.print(line, highlight=False, markup=False)
        else:
            click.echo(line, err=True)


def first_rate(loss: Any) -> Any:
    """Of the losses of several learning rates the first, to which the metrics belong too."""
    return loss[0] if hasattr(loss, "__len__") else loss


def as_json(value: Any) -> Any:
    """What JSON can hold: lists for arrays, and null for what is not finite."""
    if isinstance(value, dict):
        return {key: as_json(each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [as_json(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def one_line(name: str) -> str:
    """A name without the line breaks that would break a table."""
    return " ".join(name.split())


def aligned(columns: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """The lines of a table whose first columns are flush left, and numbers to the right."""
    widths = [max(map(len, column)) for column in columns]
    return [
        "  ".join(
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in zip(*columns, strict=True)
    ]


def _heading(training: Any) -> str:
    from unscaled.progressive import RegressionMetrics, metrics_kind

    metric = "RMSE" if metrics_kind(training.learner.options) is RegressionMetrics else "error"
    return f"{HEADINGS[0]:>13} {HEADINGS[1]:>12} {HEADINGS[2]:>12}{metric:>12}{'features':>12}"


def make_bar() -> Any:
    """A bar with rows and rows a second, whose tasks have the fields `rows` and `began`."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Speed(ProgressColumn):
        """Rows so far and rows a second."""

        def render(self, task: Any) -> Text:
            rows = task.fields["rows"]
            seconds = max(time.perf_counter() - task.fields["began"], 1e-9)
            return Text(f"{rows:,} rows  {rows / seconds:,.0f} rows/s")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        Speed(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _conclusion(summary: dict[str, Any], learner: Any) -> list[str]:
    seconds = max(summary["seconds"], 1e-9)
    loss = summary["options"]["loss"]
    lines = [
        f"{summary['examples']:,} examples, {summary['features']:,} features, {summary['seconds']:.2f} s "
        f"({summary['rows'] / seconds:,.0f} rows/s), rule {summary['options']['rule']}, loss {loss}",
        f"progressive {loss} loss  {_losses(learner)}",
    ]
    metrics = {name: value for name, value in summary["metrics"].items() if name in NAMES and value is not None}
    if metrics:
        lines.append("progressive " + "   ".join(f"{NAMES[name]} {value:.5g}" for name, value in metrics.items()))
    if summary["interval_coverage"]:
        lines.append(f"90 % intervals held {summary['interval_coverage']['0.9']:.1%} of the labels")
    lines += _recalls(summary["metrics"].get("recall", {}))
    table = learner.weights().slice(0, STRONGEST)
    strongest = [f"{name} ({effect:.3g})" for name, effect in zip(*_named_effects(table), strict=True)]
    if strongest:
        lines.append("strongest: " + ", ".join(strongest))
    lines += _warnings(summary["drift"])
    lines += told_of_skipped(summary["skipped"], summary["skipped_first"])
    if summary["model"]:
        lines.append(f"the model is in {summary['model']}")
    return lines


def _warnings(drift: dict[str, Any]) -> list[str]:
    """A line a rise of the loss, of the first few."""
    lines = [
        f"warning: the loss rose from {rise['before']:.3g} to {rise['after']:.3g} around example {rise['example']:,}; "
        "the data may have changed"
        for rise in drift["rises"][:RISES]
    ]
    more = drift["alarms"] - len(lines)
    return [*lines, f"warning: and {more:,} more such rises (--json tells where)"] if more > 0 else lines


def _losses(learner: Any) -> str:
    loss, rates = learner.progressive_loss, learner.options.rates
    if len(rates) == 1:
        return f"{loss:.6g}" if learner.weight else "– (no example was learned)"
    told = [f"{each:.6g} (rate {rate:g})" for each, rate in zip(loss, rates, strict=True)] if learner.weight else []
    return "   ".join(told) or "–"


def _named_effects(table: Any) -> tuple[list[str], list[float]]:
    return [one_line(name) for name in table["feature"].to_pylist()], table["effect"].to_pylist()


def _recalls(recall: dict[str, float | None]) -> list[str]:
    if not recall:
        return []
    shown = [f"{name} {value:.3f}" if value is not None else f"{name} –" for name, value in recall.items()]
    more = f" and {len(shown) - 10} more" if len(shown) > 10 else ""
    return ["recall      " + "   ".join(shown[:10]) + more]
