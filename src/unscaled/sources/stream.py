"""A stream of batches out of one or more files of the same format."""

from collections import Counter
from collections.abc import Generator, Iterator
from types import TracebackType

import pyarrow as pa

from unscaled.errors import DataError, UsageError
from unscaled.sources.batch import Batch
from unscaled.sources.format import Format, Reading, Skipped
from unscaled.sources.input_file import InputFile


class Stream:
    """The batches of some files in order; it can be iterated once and closes its files at the end."""

    def __init__(self, file_format: Format, files: list[InputFile], *, skip: bool, batch_rows: int) -> None:
        self.format = file_format
        self.skipped = Skipped(stop=not skip)
        self._files = files
        self._batch_rows = batch_rows
        self._bytes_behind = 0
        self._current: InputFile | None = None
        self._peeked: list[Batch] = []
        self._batches = self._read_all()
        self._iterated = False

    def __iter__(self) -> Iterator[Batch]:
        """Yield the batches; a second time is refused."""
        if self._iterated:
            raise UsageError("this stream has been read already; open the files again with open_stream")
        self._iterated = True
        return self._replay()

    def __enter__(self) -> "Stream":
        """Return the stream itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the files."""
        self.close()

    def close(self) -> None:
        """Close the files; nothing can be read from the stream afterwards."""
        self._iterated = True
        self._peeked.clear()
        self._batches.close()
        for file in self._files:
            file.close()

    def column_names(self) -> list[str]:
        """Return the names of the first batch's columns, reading it if need be."""
        names: list[str] = self.first_table().schema.names
        return names

    def first_table(self) -> pa.RecordBatch:
        """Return the rows of the first batch, reading it if need be; the stream still begins with them."""
        if not self._peeked and not self._iterated:
            self._peeked += [batch for batch in [next(self._batches, None)] if batch is not None]
        if not self._peeked:
            raise UsageError("the first batch can be looked at only before the stream is read")
        return self._peeked[0].table

    def fraction(self) -> float | None:
        """How much of the bytes has been read, 0 to 1; None if there is a pipe among the files."""
        sizes = [file.size for file in self._files if file.size is not None]
        if len(sizes) < len(self._files):
            return None
        done = float(self._bytes_behind)
        if self._current is not None and self._current.size is not None:
            done += self._current.size * self._current.fraction()
        return min(done / max(sum(sizes), 1), 1.0)

    def _replay(self) -> Iterator[Batch]:
        while self._peeked:
            yield self._peeked.pop()
        yield from self._batches

    def _read_all(self) -> Generator[Batch, None, None]:
        rows = 0
        for file in self._files:
            self._current = file
            for batch in self._read(file):
                rows += batch.table.num_rows
                yield batch
            self._current = None
            self._bytes_behind += file.size or 0
            file.close()
        if not rows:
            raise DataError(f"no row was good; the first of {self.skipped.count}: {self.skipped.examples[0]}")

    def _read(self, file: InputFile) -> Iterator[Batch]:
        rows, skipped_before = 0, self.skipped.count
        if not file.head():
            raise DataError(f"{file.name} is empty")
        try:
            for batch in self.format.read(Reading(file, self._batch_rows, self.skipped)):
                self._check_names(batch)
                rows += batch.table.num_rows
                yield batch
        except pa.ArrowException as error:
            raise DataError(f"{file.name}: cannot be read as {self.format.name} ({error})") from error
        if not rows and self.skipped.count == skipped_before:
            raise DataError(f"{file.name} has no rows")

    def _check_names(self, batch: Batch) -> None:
        names = batch.table.schema.names
        if len(set(names)) < len(names):
            twice = [name for name, count in Counter(names).items() if count > 1]
            raise DataError(f"{batch.where.row(0)}: more than one column is called {', '.join(twice)}")
