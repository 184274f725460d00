"""Arrow IPC: the file format, also known as Feather V2, and the stream format."""

from collections.abc import Iterator

import pyarrow as pa

from unscaled.errors import DataError, one_line
from unscaled.sources.batch import Batch, RowPlaces
from unscaled.sources.format import Format, Reading
from unscaled.sources.input_file import COPY_BYTES, InputFile
from unscaled.sources.soundness import require_sound
from unscaled.sources.text import slices

FILE_MAGIC = b"ARROW1"
STREAM_MAGIC = b"\xff\xff\xff\xff"


def read_arrow(reading: Reading) -> Iterator[Batch]:
    """Yield the batches of an Arrow IPC file or stream."""
    file, rows = reading.file, 0
    try:
        for written in _written_batches(file):
            require_sound(written)
            for first_row, batch in slices(pa.Table.from_batches([written]), reading.batch_rows):
                yield Batch(batch, RowPlaces(file.name, rows + first_row + 1))
            rows += written.num_rows
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"{file.name}: not a readable Arrow IPC file ({one_line(error)}); "
            "write it anew or name its format with --format"
        ) from error


def _written_batches(file: InputFile) -> Iterator[pa.RecordBatch]:
    if not file.head().startswith(FILE_MAGIC):
        with pa.ipc.open_stream(pa.PythonFile(_Unclosed(file), mode="r")) as stream:
            yield from stream
        return
    source = file.random_access()
    mapped = pa.memory_map(source) if isinstance(source, str) else pa.PythonFile(source, mode="r")
    with mapped, pa.ipc.open_file(mapped) as arrow:
        for position in range(arrow.num_record_batches):
            file.progress = (position + 1) / arrow.num_record_batches
            yield arrow.get_batch(position)


class _Unclosed:
    """Lets pyarrow read a file that someone else closes."""

    closed = False

    def __init__(self, file: InputFile) -> None:
        self._file = file

    def read(self, nbytes: int) -> bytes:
        parts = []
        # a damaged stream may ask for any number of bytes
        while nbytes and (part := self._file.read(min(nbytes, COPY_BYTES))):
            parts.append(part)
            nbytes -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        """Leave the file open."""


def _is_arrow(head: bytes) -> bool:
    return head.startswith((FILE_MAGIC, STREAM_MAGIC))


ARROW = Format(
    name="arrow",
    suffixes=(".arrow", ".arrows", ".ipc", ".feather"),
    help="Arrow IPC files and streams, Feather V2",
    recognises=_is_arrow,
    read=read_arrow,
)
