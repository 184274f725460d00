"""Tables of predictions as CSV, Parquet, Arrow or JSON lines, written whole or not at all."""

import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from unscaled.errors import DataError, UnscaledError, UsageError
from unscaled.whole_files import open_whole


class _Lines:
    """JSON lines."""

    def __init__(self, file: BinaryIO, schema: pa.Schema) -> None:
        self._file = file

    def write_table(self, table: pa.Table) -> None:
        """Writes an object a row."""
        import json

        for row in table.to_pylist():
            self._file.write(json.dumps(row, default=_text).encode() + b"\n")

    def close(self) -> None:
        """There is nothing left to write."""


def _text(value: Any) -> str:
    """What JSON has no type for: bytes, dates, decimals."""
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)


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
        try:
            if self._writer is None:
                self._writer = self._make(self._file, table.schema)
                self._schema = table.schema
            self._writer.write_table(self._fitted(table))
        except pa.ArrowException as error:
            reason = str(error).splitlines()[0]
            raise DataError(f"these rows cannot be written to this kind of file ({reason}); write .jsonl") from None

    def _fitted(self, table: pa.Table) -> pa.Table:
        """The table with the columns' first types; JSON lines have no types."""
        if self._make is _Lines:
            return table
        for name, kind in zip(self._schema.names, self._schema.types, strict=True):
            try:
                table[name].cast(kind)
            except pa.ArrowException:
                raise DataError(
                    f"--keep {name}: its values are {_plain(kind)} at first and {_plain(table[name].type)} later, "
                    "which this kind of file cannot hold; write .jsonl"
                ) from None
        return table.cast(self._schema)

    def close(self) -> None:
        """Finishes the file."""
        if self._writer is not None:
            self._writer.close()

    def give_up(self) -> None:
        """Closes the file, whatever it then holds; what else goes wrong is of no interest."""
        with suppress(Exception):
            self.close()


def _plain(kind: pa.DataType) -> str:
    return str(kind.value_type if pa.types.is_dictionary(kind) else kind)


def refuse_to_overwrite(output: str, option: str, inputs: Sequence[str]) -> None:
    """Refuses an output that is one of the inputs, and one in a folder that is not there, before any work is done."""
    for given in inputs:
        if given != "-" and os.path.isfile(output) and os.path.exists(given) and os.path.samefile(output, given):
            raise UsageError(f"{option} {output}: this file is read from; give another name")
    folder = os.path.dirname(os.path.realpath(output))
    if not os.path.isdir(folder):
        raise UnscaledError(f"cannot write {output}: there is no folder {folder}")
    if not os.access(folder, os.W_OK) and not os.access(output, os.W_OK):
        raise UnscaledError(f"cannot write {output}: Permission denied")


@contextmanager
def _closing(writer: Writer) -> Iterator[Writer]:
    try:
        yield writer
    except BaseException:
        writer.give_up()
        raise
    writer.close()


@contextmanager
def open_writer(output: str) -> Iterator[Writer]:
    """A writer to a file of a known suffix, or `-` for CSV on standard output."""
    if output == "-":
        with _closing(Writer(sys.stdout.buffer, MAKERS[".csv"])) as writer:
            yield writer
        return
    make = MAKERS.get(Path(output).suffix.lower())
    special = Path(output).exists() and not stat.S_ISREG(os.stat(output).st_mode)
    if make is None and not special:
        raise UsageError(f"--output {output}: the suffix must be one of {', '.join(MAKERS)}, or give - for CSV")
    with open_whole(output) as file, _closing(Writer(file, make or MAKERS[".csv"])) as writer:
        yield writer
