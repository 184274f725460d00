"""How the candidates of `unscaled tune` stand: a live table on a terminal, and the final one."""

import shlex
import sys
import time
from types import TracebackType
from typing import Any

import click

from unscaled.cli.reporting import NAMES, aligned, make_bar
from unscaled.cli.rows import told_of_skipped
from unscaled.losses import SIGN
from unscaled.options import OPEN_CLASSES

REFRESH = 0.2
MOST_ROWS = 20

HEADINGS = ("rule", "loss", "interactions", "best rate")


class Board:
    """Follows a contest. While it goes on, everything is shown on standard error and gone afterwards."""

    def __init__(self, training: Any, contest: Any, quiet: bool, wanted: bool | None) -> None:
        on_terminal = sys.stderr.isatty()
        self._training, self._contest = training, contest
        self._shown = not quiet and (on_terminal if wanted is None else wanted)
        self._bar: Any = make_bar() if self._shown and on_terminal else None
        self._live: Any = None
        self._stream: Any = None
        self._due = 0.0
        self._since: list[tuple[float, list[float]]] = [(0.0, [0.0] * len(each.rates)) for each in contest.candidates]

    def __enter__(self) -> "Board":
        if self._bar is not None:
            from rich.live import Live

            self._live = Live(self._bar, console=self._bar.console, transient=True)
            self._live.start()
        elif self._shown:
            click.echo(f"{'examples':>13} {'so far':>12} {'since last':>12}  leader", err=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def follow(self, stream: Any) -> None:
        """Shows how far this stream is read."""
        self._stream = stream
        if self._bar is not None:
            total = None if stream.fraction() is None else 1.0
            self._task = self._bar.add_task("tuning", total=total, rows=0, began=time.perf_counter())

    def next_stop(self, examples: int) -> int:
        """The next power of two."""
        return 1 << examples.bit_length() if self._shown else 1 << 62

    def at_stop(self) -> None:
        """Shows how all stand; at powers of two, what is `since last` begins anew."""
        if not self._shown:
            return
        examples = self._training.learner.examples
        doubled = bool(examples) and examples & (examples - 1) == 0
        if self._live is not None and (doubled or time.perf_counter() >= self._due):
            self._bar.update(self._task, completed=self._stream.fraction() or 0.0, rows=self._training.rows)
            self._live.update(self._table())
            self._due = time.perf_counter() + REFRESH
        if doubled:
            if self._live is None:
                self._line(examples)
            self._begin_anew()

    def _rows(self) -> list[tuple[Any, Any, float]]:
        """Each candidate, how it stands, and its metric over the rows since the last power of two; the best first."""
        metric = self._contest.metric
        rows = []
        for candidate, since in zip(self._contest.candidates, self._since, strict=True):
            standing = candidate.standing(metric)
            rows.append((candidate, standing, self._recent(candidate, standing, *since)))
        return sorted(rows, key=lambda row: row[1].badness)

    def _recent(self, candidate: Any, standing: Any, weight: float, sums: list[float]) -> float:
        from unscaled.tuning.metrics import MEANS

        more = candidate.learner.weight - weight
        if self._contest.metric not in MEANS or more <= 0.0:
            return float("nan")
        return float((standing.value * candidate.learner.weight - sums[standing.place]) / more)

    def _begin_anew(self) -> None:
        self._since = [
            (each.learner.weight, [value * each.learner.weight for value in each.values(self._contest.metric)])
            for each in self._contest.candidates
        ]

    def _table(self) -> Any:
        from rich.console import Group
        from rich.table import Table

        rows = self._rows()
        name = _named(self._contest.metric)
        table = Table(title=f"{self._training.learner.examples:,} examples", title_justify="left", box=None)
        for heading in HEADINGS[:3]:
            table.add_column(heading)
        for heading in (HEADINGS[3], name, "since last"):
            table.add_column(heading, justify="right")
        for number, (candidate, standing, recent) in enumerate(rows[:MOST_ROWS]):
            cells = _names(candidate, standing.place)
            style = "bold green" if number == 0 else None
            table.add_row(*cells, _number(standing.value), _number(recent), style=style)
        if len(rows) > MOST_ROWS:
            table.add_row(f"… {len(rows) - MOST_ROWS} more")
        return Group(table, self._bar)

    def _line(self, examples: int) -> None:
        candidate, standing, recent = self._rows()[0]
        rule, loss, order, rate = _names(candidate, standing.place)
        leader = f"{rule}, {loss}, interactions {order}" + ("" if rate == "its own" else f", rate {rate}")
        click.echo(f"{examples:>13,} {_number(standing.value):>12} {_number(recent):>12}  {leader}", err=True)

    def conclude(self, tuned: Any, summary: dict[str, Any]) -> None:
        """The results, for people."""
        for line in _conclusion(tuned, summary):
            click.echo(line)


def _conclusion(tuned: Any, summary: dict[str, Any]) -> list[str]:
    from unscaled.tuning.outcome import order_of

    seconds = max(summary["seconds"], 1e-9)
    curves = order_of(tuned.curves)
    candidates = f"{len(curves)} candidate{'s' * (len(curves) != 1)}"
    lines = [
        f"{summary['examples']:,} examples, {candidates} at {tuned.table.num_rows} learning rates in all, "
        f"{summary['seconds']:.2f} s ({summary['rows'] / seconds:,.0f} rows/s)",
    ]
    rows = [(*HEADINGS, _named(tuned.metric))]
    rows += [(*_names(curve, curve.standing.place), _number(curve.standing.value)) for curve in curves]
    ends = ["", *(f"{curve.standing.end} rate tried" if curve.standing.end else "" for curve in curves)]
    table = aligned(list(zip(*rows, strict=True)), left=2)
    lines += [f"{line}  {end}".rstrip() for line, end in zip(table, ends, strict=True)]
    lines.append(f"best by {_named(tuned.metric)}: {_as_options(tuned)}")
    others = {name: tuned.best_row[name] for name in NAMES if tuned.best_row.get(name) is not None}
    lines.append("progressive " + "   ".join(f"{NAMES[name]} {value:.5g}" for name, value in others.items()))
    lines += [f"note: {note}" for note in tuned.notes]
    lines += told_of_skipped(summary["skipped"], summary["skipped_first"])
    lines += [f"the model is in {summary['model']}"] if summary["model"] else []
    lines += [f"the chart is in {summary['plot']}"] if summary["plot"] else []
    return lines


def _as_options(tuned: Any) -> str:
    """The winner as what `unscaled train` would be given."""
    row = tuned.best_row
    words = ["--rule", row["rule"], "--loss", row["loss"]]
    for each in row["interactions"].split(","):
        words += ["--interactions", each]
    words += [] if row["rate"] is None else ["--learning-rate", f"{row['rate']:.12g}"]
    options = tuned.best.options
    words += (
        ["--classes", OPEN_CLASSES]
        if options.classes == OPEN_CLASSES and getattr(options.loss, "labels", None) != SIGN
        else []
    )
    return shlex.join(words)


def _names(candidate: Any, place: int) -> tuple[str, str, str, str]:
    """Of a candidate or of its curve: rule, loss, interactions and the rate at a place."""
    rate = candidate.rates[place]
    return candidate.rule, candidate.loss, candidate.interactions, "its own" if rate is None else f"{rate:g}"


def _named(metric: str) -> str:
    return NAMES.get(metric, metric)


def _number(value: float) -> str:
    return "–" if value != value else f"{value:.5g}"
