"""Tables of predictions written as CSV, Parquet, Arrow or JSON lines; a file appears whole or not at all."""

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from unscaled.errors import UnscaledError, UsageError


class _Lines:
    """JSON lines."""

    def __init__(self, file: BinaryIO, schema: pa.Schema) -> None:
        self._file = file

    def write_table(self, table: pa.Table) -> None:
        """Writes an object a row."""
        import json

        for row in table.to_pylist():
            self._file.write(json.dumps(row).encode() + b"\n")

    def close(self) -> None:
        """There is nothing left to write."""


_CSV = pa.csv.WriteOptions(quoting_style="needed")

MAKERS: dict[str, Callable[[BinaryIO, pa.Schema], Any]] = {
    ".csv": lambda file, schema: pa.csv.CSVWriter(file, schema, write_options=_CSV),
    ".parquet": pq.ParquetWriter,
    ".arrow": pa.ipc.new_file,
    ".jsonl": _Lines,
}


class Writer:
    """Tables of one schema into one file, whose columns are those of the first table."""

    def __init__(self, file: BinaryIO, make: Callable[[BinaryIO, pa.Schema], Any]) -> None:
        self._file = file
        self._make = make
        self._writer: Any = None

    def write(self, table: pa.Table) -> None:
        """Writes one more table."""
        if self._writer is None:
            self._writer = self._make(self._file, table.schema)
            self._schema = table.schema
        self._writer.write_table(table.cast(self._schema))

    def close(self) -> None:
        """Finishes the file."""
        if self._writer is not None:
            self._writer.close()


@contextmanager
def open_writer(output: str) -> Iterator[Writer]:
    """A writer to a file of a known suffix, or `-` for CSV on standard output."""
    if output == "-":
        writer = Writer(sys.stdout.buffer, MAKERS[".csv"])
        yield writer
        writer.close()
        return
    make = MAKERS.get(Path(output).suffix.lower())
    special = Path(output).exists() and not stat.S_ISREG(os.stat(output).st_mode)
    if make is None and not special:
        raise UsageError(f"--output {output}: the suffix must be one of {', '.join(MAKERS)}, or give - for CSV")
    place = Path(output) if special else Path(output).with_name(f".{Path(output).name}.{os.getpid()}.part")
    try:
        with open(place, "wb") as file:
            writer = Writer(file, make or MAKERS[".csv"])
            yield writer
            writer.close()
        if not special:
            os.replace(place, output)
    except OSError as error:
        raise UnscaledError(f"cannot write {output}: {error.strerror or error}") from None
    finally:
        if not special:
            place.unlink(missing_ok=True)
