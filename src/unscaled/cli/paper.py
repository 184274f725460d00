"""`unscaled paper`: the paper's tables and figures, beside what it says and what Vowpal Wabbit says."""

import json
import time
from pathlib import Path
from typing import Any

import click

from unscaled import datasets
from unscaled.cli.reporting import as_json
from unscaled.errors import UnscaledError

TABLES = click.Choice(["1", "2", "3"])


@click.command()
@click.option(
    "--set",
    "names",
    multiple=True,
    metavar="NAME",
    shell_complete=lambda context, parameter, typed: [n for n in datasets.names() if n.startswith(typed)],
    help=f"A data set; may be given several times. All if none: {', '.join(datasets.names())}.",
)
@click.option("--table", "tables", multiple=True, type=TABLES, help="A table; may be given several times. All if none.")
@click.option("--quick", is_flag=True, help="A look at the first 10,000 rows of each set, at few learning rates.")
@click.option("--vw/--no-vw", "with_peer", default=True, help="Run Vowpal Wabbit too, if it is installed.")
@click.option("--threads", default=2, show_default=True, type=click.IntRange(min=1), help="How many runs at once.")
@click.option(
    "--output",
    default="paper-report",
    show_default=True,
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="Where the report and its records go.",
)
@click.option("--json", "in_json", is_flag=True, help="Print the cells of the tables as JSON.")
@click.pass_context
def paper(
    context: click.Context,
    names: tuple[str, ...],
    tables: tuple[str, ...],
    quick: bool,
    with_peer: bool,
    threads: int,
    output: str,
    in_json: bool,
) -> None:
    """Run the experiments of the paper again, and write a report.

    Data sets that are not here are told and left out: `unscaled data list` shows which are. The report is one page,
    index.html, and the same as README.md, with all numbers as CSV under records/.

    \b
      unscaled paper --quick
      unscaled paper --set bank --set shuttle --table 2
    """
    for name in names:
        datasets.describe(name)
    from unscaled.drawing import check_drawing
    from unscaled.paper.measuring import Plan, measure
    from unscaled.paper.report import write_report

    check_drawing("the report")
    _make_folder(output)
    plan = Plan(
        names=list(dict.fromkeys(names)) or datasets.names(),
        tables=tuple(sorted({int(number) for number in tables})) or (1, 2, 3),
        quick=quick,
        with_peer=with_peer,
        threads=threads,
    )
    findings = measure(plan, tell=_teller())
    page = write_report(findings, Path(output), _command(context), _machine())
    if in_json:
        click.echo(json.dumps(as_json(_told(findings, str(page)))))
        return
    for line in _lines(findings):
        click.echo(line)
    click.echo(f"the report is in {page}")


def _make_folder(output: str) -> None:
    """Before the work, not after it."""
    try:
        Path(output).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnscaledError(f"cannot write to {output}: {error.strerror or error}") from None


def _teller() -> Any:
    """Says on standard error what has been done, and when."""
    begin = time.perf_counter()
    return lambda line: click.echo(f"{time.perf_counter() - begin:7.1f} s  {line}", err=True)


def _command(context: click.Context) -> str:
    """The command line, without what does not change a number."""
    given = context.params
    words = ["unscaled paper"]
    words += [f"--set {name}" for name in given["names"]] + [f"--table {number}" for number in given["tables"]]
    words += ["--quick"] if given["quick"] else []
    words += [] if given["with_peer"] else ["--no-vw"]
    return " ".join(words)


def _machine() -> str:
    import os
    import platform
    from importlib.metadata import version

    versions = f"unscaled {version('unscaled')}, Python {platform.python_version()}, numba {version('numba')}"
    return f"{os.cpu_count()} cores, {versions}, {time.strftime('%Y-%m-%d')}"


def _told(findings: Any, page: str) -> dict[str, Any]:
    cells = [
        {
            **each.cell._asdict(),
            "rows": each.rows,
            "whole": each.whole,
            "best": each.best._asdict(),
            "paper": each.paper._asdict(),
            "vw": each.peer._asdict() if each.peer else None,
        }
        for each in findings.results
    ]
    return {"cells": cells, "missing": findings.missing, "seconds": findings.seconds, "report": page}


def _lines(findings: Any) -> list[str]:
    """A line a cell."""
    if not findings.results:
        return [f"{each.name:10} {each.rows:>9,} rows {each.features:>4} features" for each in findings.sizes]
    rows = [("", "rate", "loss", "paper", "Vowpal Wabbit")]
    for each in findings.results:
        peer = f"{each.peer.loss:.4f}" if each.peer else "–"
        name = ", ".join(each.cell) + ("" if each.whole else " (in part)")
        rows.append((name, f"{each.best.rate:.3g}", f"{each.best.loss:.4f}", f"{each.paper.loss:g}", peer))
    return [row[0].ljust(40) + "".join(cell.rjust(15) for cell in row[1:]) for row in rows]
