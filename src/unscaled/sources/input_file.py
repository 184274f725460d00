"""One file, pipe or standard input as a decompressed stream of bytes that knows how far it has been read."""

import os
import select
import stat
import sys
import tempfile
from typing import BinaryIO, Protocol

import pyarrow as pa

from unscaled.errors import DataError, one_line

HEAD_BYTES = 1 << 16
COPY_BYTES = 1 << 22
QUIET_SECONDS = 0.05  # how long nothing must come before what has come is handed out

MAGIC_BYTES = {
    "gzip": (b"\x1f\x8b\x08",),
    "zstd": (b"\x28\xb5\x2f\xfd",),
    # a block's mark, and the mark of an empty archive; "BZh" alone may begin a text
    "bz2": tuple(b"BZh%d" % level + mark for level in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90")),
}
COMPRESSED_SUFFIXES = (".gz", ".zst", ".bz2")
LONGEST_MAGIC = 10


class Readable(Protocol):
    """Anything that hands out bytes."""

    def read(self, nbytes: int, /) -> bytes:
        """Return up to `nbytes` bytes, none at the end."""


class _Rejoined:
    """A stream whose first bytes were taken off to look at, whole again."""

    closed = False

    def __init__(self, head: bytes, rest: Readable) -> None:
        self._head = head
        self._rest = rest

    def read(self, nbytes: int) -> bytes:
        if self._head:
            part, self._head = self._head[:nbytes], self._head[nbytes:]
            return part
        return self._rest.read(nbytes)

    def close(self) -> None:
        """Leave the stream open: whoever opened it closes it."""


class _Pipe:
    """A pipe or a terminal: hands out what has come once nothing more comes, so that a live stream is heard at once.

    From a quick writer blocks are as large as they were asked for.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def read(self, nbytes: int) -> bytes:
        parts: list[bytes] = []
        missing = nbytes
        while missing and (not parts or self.has_more()):
            part = os.read(self._descriptor, missing)
            if not part:
                break
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def has_more(self) -> bool:
        """Whether something, perhaps the end, comes at once."""
        return bool(select.select([self._descriptor], [], [], QUIET_SECONDS)[0])


class InputFile:
    """A named source of bytes; `path` None is standard input."""

    def __init__(self, name: str, path: str | None) -> None:
        self.name = name
        self.path = path
        self.size = _regular_size(path)  # None for pipes
        self.compression: str | None = None
        self.progress: float | None = None  # set by readers that count rows instead of bytes
        self._raw: BinaryIO | None = None
        self._pipe: _Pipe | None = None
        self._stream: Readable | None = None
        self._head = b""
        self._spooled: BinaryIO | None = None

    def head(self) -> bytes:
        """Return the first bytes without using them up."""
        while len(self._head) < HEAD_BYTES:
            if b"\n" in self._head and self.pauses():
                break
            part = self._read_stream(HEAD_BYTES)
            if not part:
                break
            self._head += part
        return self._head

    def read(self, nbytes: int) -> bytes:
        """Return up to `nbytes` decompressed bytes, none only at the end."""
        if self._head:
            part, self._head = self._head[:nbytes], self._head[nbytes:]
            return part
        return self._read_stream(nbytes)

    def pauses(self) -> bool:
        """Whether this is a live stream that has nothing to say just now, nor its end."""
        return self._pipe is not None and not self._pipe.has_more()

    def random_access(self) -> str | BinaryIO:
        """Return the path of a plain file, or a temporary copy of a pipe or a compressed one."""
        self.head()
        if self.path is not None and self.size is not None and self.compression is None:
            return self.path
        try:
            self._spooled = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
            while part := self.read(COPY_BYTES):
                self._spooled.write(part)
            self._spooled.seek(0)
        except OSError as error:
            raise DataError(
                f"{self.name}: no temporary copy of it can be written ({error.strerror}); name another folder in TMPDIR"
            ) from error
        return self._spooled

    def fraction(self) -> float:
        """How much of a regular file has been read, 0 to 1."""
        if self.progress is not None:
            return self.progress
        return self._raw.tell() / self.size if self._raw is not None and self.size else 0.0

    def close(self) -> None:
        """Close what was opened; a regular file can then be read again from its start."""
        if self._spooled is not None:
            self._spooled.close()
        if self._raw is not None and self.path is not None:
            self._raw.close()
        self._raw = self._stream = self._spooled = self.progress = None
        self._head = b""

    def _read_stream(self, nbytes: int) -> bytes:
        if self._stream is None:
            self._stream = self._open()
        try:
            return self._stream.read(nbytes)
        except (OSError, pa.ArrowException) as error:
            if self.compression is None:
                raise DataError(f"{self.name}: cannot be read ({one_line(error)})") from error
            raise DataError(
                f"{self.name}: the {self.compression} data is broken or cut off ({one_line(error)}); "
                "fetch the file anew"
            ) from error

    def _open(self) -> Readable:
        try:
            self._raw = sys.stdin.buffer if self.path is None else _opened(self.path)
        except OSError as error:
            raise DataError(f"{self.name}: cannot be opened ({error.strerror})") from error
        self._pipe = _pipe(self._raw)
        source: Readable = self._pipe or self._raw
        magic = b""
        while _may_begin_a_mark(magic) and (part := source.read(LONGEST_MAGIC - len(magic))):
            magic += part
        rejoined = _Rejoined(magic, source)
        codecs = (codec for codec, marks in MAGIC_BYTES.items() if magic.startswith(marks))
        self.compression = next(codecs, None)
        if self.compression is None:
            return rejoined
        stream: Readable = pa.CompressedInputStream(pa.PythonFile(rejoined, mode="r"), self.compression)
        return stream


def _may_begin_a_mark(magic: bytes) -> bool:
    """Whether more bytes are needed to tell a compression: a live stream may have no more to give."""
    return any(len(magic) < len(mark) and mark.startswith(magic) for marks in MAGIC_BYTES.values() for mark in marks)


def _pipe(raw: BinaryIO) -> _Pipe | None:
    """The file as a pipe, unless it is a regular one or none of the system's; Windows cannot wait for a pipe."""
    try:
        descriptor = raw.fileno()
    except (OSError, AttributeError):
        return None
    return None if os.name == "nt" or stat.S_ISREG(os.fstat(descriptor).st_mode) else _Pipe(descriptor)


def _opened(path: str) -> BinaryIO:
    # unbuffered, so that its position is how much has been used; InputFile.close() closes it
    return open(path, "rb", buffering=0)


def _regular_size(path: str | None) -> int | None:
    if path is None:
        return None
    try:
        status = os.stat(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be opened ({error.strerror})") from error
    return status.st_size if stat.S_ISREG(status.st_mode) else None
