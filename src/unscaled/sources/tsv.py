"""TSV: tab-separated text with a header line, quoted as CSV is."""

from collections.abc import Iterator

from unscaled.sources.batch import Batch
from unscaled.sources.csv import read_delimited
from unscaled.sources.format import Format, Reading


def read_tsv(reading: Reading) -> Iterator[Batch]:
    """Yield the batches of a TSV file."""
    return read_delimited(reading, b"\t")


def _is_tsv(head: bytes) -> bool:
    line = head.split(b"\n", 1)[0]
    return b"\t" in line and not any(mark in line for mark in (b",", b";", b"|"))


TSV = Format(
    name="tsv",
    suffixes=(".tsv", ".tab"),
    help="tab-separated text with a header line",
    recognises=_is_tsv,
    read=read_tsv,
    infers=True,
)
