"""Reads the files of a data set as an Arrow table, and tells a file that is not what it should be."""

import gzip
import hashlib
import zlib
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from unscaled.datasets import lzw
from unscaled.datasets.facts import FETCH, Facts
from unscaled.datasets.files import Found
from unscaled.errors import DataError

_UNPACKED_BY = {".gz": gzip.decompress, ".Z": lzw.decompress}


def read(facts: Facts, here: Found, columns: Sequence[str]) -> pa.Table:
    """These columns of a data set in this order: numbers are float64, all else is text."""
    table = pa.concat_tables([_read_file(facts, path, columns, here.whole) for path in here.paths])
    return table.slice(0, facts.rows).combine_chunks()


def _read_file(facts: Facts, path: Path, columns: Sequence[str], whole: bool) -> pa.Table:
    try:
        if path.suffix == ".mat":
            from unscaled.datasets.matlab import read_matlab  # noqa: PLC0415  # SciPy is slow to import

            return read_matlab(facts, path).select(columns)
        unpack = _UNPACKED_BY.get(path.suffix, bytes)
        content = _as_at_uci(facts, unpack(path.read_bytes()))
        table = _read_text(facts, content, columns)
        if whole:
            _check(facts, content, table.num_rows)
    except (pa.ArrowException, ValueError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        why = " ".join(str(error).split())
        raise DataError(f"{path}: {why}; remove the file and run `{FETCH} {facts.name}`") from None
    return table


def _as_at_uci(facts: Facts, content: bytes) -> bytes:
    """The content as UCI spells it, so that one checksum is good for all copies."""
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n")
    if not content.endswith(b"\n"):
        content += b"\n"
    if facts.separator.encode() not in content[: content.index(b"\n")]:
        content = content.replace(b",", facts.separator.encode())
    first_line = content[: content.index(b"\n") + 1]
    if not facts.header and _cells(facts, first_line)[0] == facts.columns[0]:
        content = content[len(first_line) :]
    return content


def _cells(facts: Facts, line: bytes) -> list[str]:
    return [cell.strip(' "') for cell in line.decode(errors="replace").rstrip("\n").split(facts.separator)]


def _read_text(facts: Facts, content: bytes, columns: Sequence[str]) -> pa.Table:
    if facts.header:
        _check_header(facts, _cells(facts, content[: content.index(b"\n")]))
    table = csv.read_csv(
        pa.BufferReader(content),
        csv.ReadOptions(column_names=facts.columns, skip_rows=int(facts.header)),
        csv.ParseOptions(delimiter=facts.separator),
        csv.ConvertOptions(
            column_types={name: column_type(facts, name) for name in facts.columns},
            include_columns=columns,
            null_values=[],
        ),
    )
    trimmed = [
        pc.utf8_trim_whitespace(column) if column.type == pa.string() else column  # Census has ", " between its cells
        for column in table.columns
    ]
    return pa.table(trimmed, names=table.column_names)


def column_type(facts: Facts, name: str) -> pa.DataType:
    """How a column is kept."""
    number = name in facts.features or (name == facts.target and facts.task == "regression")
    return pa.float64() if number else pa.string()


def _check_header(facts: Facts, header: list[str]) -> None:
    missing = [name for name in facts.columns if name not in header]
    if missing:
        raise ValueError(f"the header lacks {', '.join(map(repr, missing[:3]))}")
    if header != list(facts.columns):
        raise ValueError(f"the header is not {facts.separator.join(facts.columns[:3])} … {facts.columns[-1]}")


def _check(facts: Facts, content: bytes, rows: int) -> None:
    """That a file that should hold all rows holds them, and no others."""
    expected = facts.rows + facts.rows_after
    if rows != expected:
        raise ValueError(f"it has {rows:,} rows and should have {expected:,}")
    if facts.sha256 is not None and hashlib.sha256(content).hexdigest() != facts.sha256:
        raise ValueError("its checksum is not that of UCI's file, so it was altered")
