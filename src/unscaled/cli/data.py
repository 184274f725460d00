"""`unscaled data`: which data sets there are, what is known about one, and fetching them."""

import json
import sys
from dataclasses import asdict
from typing import Any

import click

from unscaled import datasets
from unscaled.cli.reporting import as_json
from unscaled.errors import UsageError

HEADINGS = ("name", "task", "rows", "features", "here")


def complete_names(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """The names of data sets for a shell."""
    return [name for name in datasets.names() if name.startswith(typed)]


@click.group()
def data() -> None:
    """List, show and fetch the data sets of the paper.

    They are looked for in the folder that the environment variable UNSCALED_DATA names, and then among those that
    were fetched.

    \b
      unscaled data list
      unscaled data show covertype
      unscaled data fetch covertype shuttle
    """


@data.command("list")
@click.option("--json", "in_json", is_flag=True, help="Print JSON.")
def list_sets(in_json: bool) -> None:
    """List all data sets, and where they are if they are here."""
    known = [datasets.describe(name) for name in datasets.names()]
    if in_json:
        sets = [
            {"name": each.name, "task": each.task, "rows": each.rows, "features": len(each.features), **_place(each)}
            for each in known
        ]
        click.echo(json.dumps({"datasets": sets}))
        return
    rows = [(each.name, each.task, f"{each.rows:,}", str(len(each.features)), _here(each)) for each in known]
    for name, task, count, features, here in [HEADINGS, *rows]:
        click.echo(f"{name:<12}{task:<12}{count:>9}{features:>10}  {here}")


@data.command()
@click.argument("name", shell_complete=complete_names, metavar="NAME")
@click.option("--json", "in_json", is_flag=True, help="Print JSON.")
def show(name: str, in_json: bool) -> None:
    """Show what is known about the data set NAME, and what its numbers are like if it is here."""
    facts = datasets.describe(name)
    measured = _measured(datasets.load(name)) if _place(facts)["paths"] else {}
    if in_json:
        click.echo(json.dumps(as_json({**asdict(facts), **_place(facts), "measured": measured or None})))
        return
    click.echo(facts.about)
    for title, value in _lines(facts, measured):
        click.echo(f"{title:<12}{value}")


@data.command()
@click.argument("names", nargs=-1, shell_complete=complete_names, metavar="NAME...")
@click.option("--all", "everything", is_flag=True, help="Fetch all data sets.")
def fetch(names: tuple[str, ...], everything: bool) -> None:
    """Fetch the data sets NAME... from UCI's archive, unless they are here.

    They are checked and kept in the user's folder for caches. This needs pooch: pip install 'unscaled[datasets]'.
    """
    if everything == bool(names):
        raise UsageError("data fetch: give names of data sets, or --all and no names")
    wanted = [datasets.describe(name).name for name in (datasets.names() if everything else names)]
    for name in wanted:
        with _Bar(name) as bar:
            path = datasets.fetch(name, bar)
        click.echo(f"{name} is in {path}")


class _Bar:
    """A bar on standard error, if that is a terminal, which is moved as pooch moves tqdm's."""

    def __init__(self, name: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
        self._task = self._bar.add_task(name, total=None)
        self.total: float | None = None

    def __enter__(self) -> "_Bar":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def update(self, amount: int) -> None:
        # a server that does not say how much there is gives a total of 0
        self._bar.update(self._task, advance=amount, total=self.total or None)

    def reset(self) -> None:
        self._bar.reset(self._task)

    def close(self) -> None:
        """The bar ends when its command does: the file is still to be unpacked and checked."""


def _place(facts: datasets.Facts) -> dict[str, Any]:
    from unscaled.datasets.files import find

    here = find(facts)
    return {"paths": [str(path) for path in here.paths] if here else [], "whole": here.whole if here else None}


def _here(facts: datasets.Facts) -> str:
    place = _place(facts)
    paths = ", ".join(place["paths"])
    return (paths if place["whole"] else f"in part: {paths}") if paths else "no"


def _measured(loaded: Any) -> dict[str, Any]:
    """What the rows that are here are like: their number, their scales, and their labels."""
    import numpy as np

    rows = {"rows": len(loaded.y), "scales": [loaded.scales.min(), loaded.scales.max()]}
    if loaded.task == "regression":
        return {**rows, "target": [loaded.y.min(), loaded.y.max()]}
    classes, counts = np.unique(loaded.y, return_counts=True)
    return {**rows, "classes": dict(zip(classes.tolist(), counts.tolist(), strict=True))}


def _lines(facts: datasets.Facts, measured: dict[str, Any]) -> list[tuple[str, str]]:
    """What is shown: a title and a line for each fact."""
    others = [name for name in facts.columns if name not in (*facts.features, facts.target)]
    paper = facts.paper
    return [
        ("task", f"{facts.task} of {facts.target!r}"),
        ("rows", f"{facts.rows:,}; in the paper {paper.rows:,}"),
        ("features", f"{len(facts.features)}; in the paper {paper.features}: {_listed(facts.features)}"),
        ("others", _listed(others) or "none"),
        ("scales", f"in the paper {_range(paper.scales)}"),
        ("from", facts.page),
        ("download", f"{facts.download}, {' / '.join(facts.members)}"),
        ("SHA-256", facts.sha256 or "not known"),
        ("licence", facts.licence),
        ("cite", f"{facts.citation} https://doi.org/{facts.doi}"),
        ("here", _here(facts)),
        *(_measured_lines(measured) if measured else ()),
    ]


def _measured_lines(measured: dict[str, Any]) -> list[tuple[str, str]]:
    shares = [f"{name} {count / measured['rows']:.2%}" for name, count in measured.get("classes", {}).items()]
    return [
        ("  rows", f"{measured['rows']:,}"),
        ("  scales", _range(measured["scales"])),
        ("  classes", ", ".join(shares)) if shares else ("  target", _range(measured["target"], "g")),
    ]


def _listed(names: Any) -> str:
    return ", ".join(names) if len(names) <= 60 else f"{', '.join(names[:3])}, … {names[-1]}"


def _range(bounds: Any, style: str = ",.6g") -> str:
    return " to ".join(f"{number:{style}}" for number in bounds)
