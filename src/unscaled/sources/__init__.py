"""Reads files of every supported format as one stream of batches, in row order and in bounded memory."""

import os
from collections.abc import Sequence
from typing import Literal

from unscaled.errors import UsageError
from unscaled.sources.arrow import ARROW
from unscaled.sources.batch import Batch, Where
from unscaled.sources.choosing import choose_format, has_suffix_of
from unscaled.sources.csv import CSV
from unscaled.sources.format import Format, Skipped
from unscaled.sources.jsonl import JSONL
from unscaled.sources.parquet import PARQUET
from unscaled.sources.paths import find_files
from unscaled.sources.stream import Stream
from unscaled.sources.svmlight import SVMLIGHT
from unscaled.sources.tsv import TSV
from unscaled.sources.vw import VW

__all__ = ["FORMATS", "Batch", "Format", "Skipped", "Stream", "Where", "format_names", "open_stream"]

# in the order in which a file without a known suffix is tried: the surest marks first
FORMATS: tuple[Format, ...] = (
    PARQUET,
    ARROW,
    JSONL,
    VW,
    SVMLIGHT,
    TSV,
    CSV,
)


def format_names() -> list[str]:
    """Return the names of all formats."""
    return [known.name for known in FORMATS]


def open_stream(
    paths: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
    *,
    format: str | None = None,
    bad_rows: Literal["stop", "skip"] = "stop",
    batch_rows: int = 8192,
) -> Stream:
    """Open files, folders, globs or `-` (standard input) as one stream of batches.

    The format is told by `format`, by the suffix or, failing both, by the first bytes. Rows that cannot be
    read raise a DataError, or are counted in `skipped` if `bad_rows` is "skip".

    >>> import pathlib, tempfile
    >>> bank = pathlib.Path(tempfile.mkdtemp(), "bank.csv")
    >>> _ = bank.write_text("age;town\\n41;Ulm\\n;Bonn\\n")
    >>> with open_stream([bank]) as stream:
    ...     for batch in stream:
    ...         batch.table.to_pylist()
    ...         batch.where.row(1).removeprefix(str(bank.parent))
    [{'age': 41.0, 'town': 'Ulm'}, {'age': None, 'town': 'Bonn'}]
    '/bank.csv:3'
    """
    if bad_rows not in ("stop", "skip"):
        raise UsageError(f'bad_rows is "{bad_rows}"; it can be "stop" or "skip"')
    if batch_rows < 1:
        raise UsageError(f"batch_rows is {batch_rows}; it must be at least 1")
    named = _format_named(format) if format is not None else None
    candidates = FORMATS if named is None else (named,)
    kinds = " or ".join(candidate.name for candidate in candidates)
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    files = find_files(several, lambda name: has_suffix_of(name, candidates), kinds)
    chosen = named or choose_format(files, FORMATS)
    return Stream(chosen, files, skip=bad_rows == "skip", batch_rows=batch_rows)


def _format_named(name: str) -> Format:
    for known in FORMATS:
        if known.name == name:
            return known
    raise UsageError(f'there is no format "{name}"; known are {", ".join(format_names())}')
