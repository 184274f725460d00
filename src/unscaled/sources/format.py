"""What a file format is to the rest of the package, and what a reader of one is given."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from unscaled.errors import BadRowError
from unscaled.sources.batch import Batch
from unscaled.sources.input_file import InputFile

EXAMPLES_KEPT = 5


@dataclass
class Skipped:
    """The bad rows so far; with `stop` the first of them ends the run instead."""

    stop: bool = True
    count: int = 0
    examples: list[str] = field(default_factory=list)

    def reject(self, message: str) -> None:
        """Pass over a bad row, or raise if bad rows are to stop the run."""
        if self.stop:
            raise BadRowError(message)
        self.count += 1
        if len(self.examples) < EXAMPLES_KEPT:
            self.examples.append(message)


@dataclass(frozen=True)
class Reading:
    """One file about to be read, with the caller's wishes."""

    file: InputFile
    batch_rows: int
    skipped: Skipped


@dataclass(frozen=True)
class Format:
    """A file format: how it is named, recognised and read."""

    name: str
    suffixes: tuple[str, ...]
    help: str
    recognises: Callable[[bytes], bool]  # is this the beginning of such a file?
    read: Callable[[Reading], Iterator[Batch]]
    target: str | None = None
    weight: str | None = None
    ignored: tuple[str, ...] = ()
    infers: bool = False  # types are told from how the cells read
    loose: bool = False  # a column that a batch lacks is merely absent from its rows
