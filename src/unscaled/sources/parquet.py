"""Parquet: read batch by batch, never a whole file."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from unscaled.errors import DataError, one_line
from unscaled.sources.batch import Batch, RowPlaces
from unscaled.sources.format import Format, Reading
from unscaled.sources.input_file import InputFile
from unscaled.sources.soundness import require_sound

MAGIC = b"PAR1"
BUFFER_BYTES = 1 << 16  # of each column


def read_parquet(reading: Reading) -> Iterator[Batch]:
    """Yield the batches of a Parquet file."""
    file = reading.file
    try:
        with _opened(file) as parquet:
            rows = 0
            for batch in parquet.iter_batches(batch_size=reading.batch_rows):
                require_sound(batch)
                if batch.num_rows:
                    first_row, rows = rows, rows + batch.num_rows
                    file.progress = rows / parquet.metadata.num_rows
                    yield Batch(batch, RowPlaces(file.name, first_row + 1))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"{file.name}: not a readable Parquet file ({one_line(error)}); "
            "write it anew or name its format with --format"
        ) from error


def _opened(file: InputFile) -> pq.ParquetFile:
    # by default all that is going to be read of a row group is held in memory beforehand, and more
    return pq.ParquetFile(file.random_access(), pre_buffer=False, buffer_size=BUFFER_BYTES)


def _is_parquet(head: bytes) -> bool:
    return head.startswith(MAGIC)


PARQUET = Format(
    name="parquet",
    suffixes=(".parquet", ".pq"),
    help="Apache Parquet",
    recognises=_is_parquet,
    read=read_parquet,
)
