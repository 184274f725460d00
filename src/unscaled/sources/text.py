"""What all text formats share: damaged text is found before it is parsed, and tables are cut into batches."""

from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

TEXT = pa.dictionary(pa.int32(), pa.string())  # the type of text columns


class Damage(NamedTuple):
    """The first byte of some text that cannot be text."""

    offset: int
    trouble: str
    remedy: str

    @property
    def complaint(self) -> str:
        """What is wrong with a row, which can be passed over."""
        return f"{self.trouble}; {self.remedy} or skip such rows with --bad-rows skip"


def arrow_buffer(data: bytes) -> pa.Buffer:
    """Copy some bytes to memory that is Arrow's own, for its parsers.

    A parser's threads may still hold the last of the memory when Python ends. To give back Python's own they would have
    to wait for an interpreter that is gone, which ends the process with "terminate called" after all its work is done.
    """
    stream = pa.BufferOutputStream()
    stream.write(data)
    return stream.getvalue()


def damage(data: bytes) -> Damage | None:
    """Find the first NUL byte or byte that is not UTF-8, None if there is none."""
    nul = data.find(b"\0")
    if nul >= 0:
        return Damage(nul, "holds a NUL byte", "mend the file")
    if data.isascii():
        return None
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return Damage(error.start, "is not UTF-8", "save the file as UTF-8")
    return None


def slices(table: pa.Table, batch_rows: int) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Cut a table into record batches, each with the number of its first row in the table."""
    first_row = 0
    for batch in table.to_batches(max_chunksize=batch_rows):
        if batch.num_rows:
            yield first_row, batch
        first_row += batch.num_rows
