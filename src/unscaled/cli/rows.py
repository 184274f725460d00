"""The options that say which rows are learned from, and what is said of rows that are not."""

from typing import Any

import click

from unscaled.cli.hyperparameters import complete_formats
from unscaled.errors import DataError

STDIN = "-"

FILES = click.argument("files", nargs=-1, required=True, metavar="FILE...")
TARGET = click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="COL",
    help="The column to predict; several for several targets.",
)
WEIGHT = click.option("--weight", metavar="COL", help="The column of importance weights.")
IGNORED = click.option("--ignore", "ignored", multiple=True, metavar="COL", help="A column that is not a feature.")
BAD_ROWS = click.option(
    "--bad-rows",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="Whether a row that cannot be used ends the run or is counted and passed over.",
)
FORMAT = click.option(
    "--format",
    "file_format",
    metavar="NAME",
    shell_complete=complete_formats,
    help="csv, tsv, parquet, arrow, jsonl, svmlight or vw; by default told from the files.",
)
JSON = click.option("--json", "in_json", is_flag=True, help="Print one JSON object at the end and nothing else.")


def refuse_nothing(skipped: Any, examples: int) -> None:
    """A run that has passed over every row has failed."""
    if skipped.count and not examples:
        raise DataError(f"no row was good; the first of {skipped.count}: {skipped.examples[0]}")


def told_of_skipped(count: int, first: list[str]) -> list[str]:
    """How many rows were passed over, and why the first were."""
    return [f"skipped {count:,} bad rows, of which the first:", *(f"  {message}" for message in first)] if count else []
