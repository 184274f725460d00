"""Drawn data: CSV survives a round trip in any blocks, and no bytes end in anything but a DataError."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import unscaled.sources.blocks
from unscaled.errors import DataError
from unscaled.sources import FORMATS, Format, open_stream

from .writing import WRITERS, places, rows

TEXT_FORMATS = [known for known in FORMATS if known.name not in ("parquet", "arrow")]
every_text_format = pytest.mark.parametrize("known", TEXT_FORMATS, ids=lambda known: known.name)

drawn = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)

words = st.text(st.sampled_from("ab,;\"'\n\r\t|é漢😀 ") | st.characters(codec="utf-8", exclude_characters="\0"))
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(words, min_size=width, max_size=width), min_size=1, max_size=8)
)
noise = st.binary(max_size=60) | st.lists(
    st.sampled_from([b"1", b"-", b".5", b" ", b"\n", b'"', b",", b"|", b":", b"{", b"}", b"[", b"a", b"\r",
                     b"\0", b"\xff", b"\\u", b"true", b"qid:", b"#", b"'", b"NA", b"2024-01-01", b"1e999"]),
    max_size=40,
).map(b"".join)  # fmt: skip


@drawn
@given(table=tables, size=st.integers(1, 40), delimiter=st.sampled_from(",;\t|"))
def test_csv_round_trip_in_any_blocks(table: list[list[str]], size: int, delimiter: str) -> None:
    names = [f"c{position}" for position in range(len(table[0]))]
    letters = ["x"] * len(names)  # the first row makes every column text
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([names, letters, *table])
    Path("a.csv").write_bytes(text.getvalue().encode())
    expected = [dict(zip(names, [cell or None for cell in row], strict=True)) for row in [letters, *table]]
    lines = places("a.csv")
    assert rows("a.csv") == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unscaled.sources.blocks, "BLOCK_BYTES", size)
        assert rows("a.csv") == expected
        assert places("a.csv") == lines


@every_text_format
@drawn
@given(data=noise, size=st.integers(1, 40))
def test_noise_is_read_or_refused(known: Format, data: bytes, size: int) -> None:
    _check_noise(known, data, size)


@every_text_format
@drawn
@given(data=noise, where=st.integers(0, 300), size=st.integers(1, 300))
def test_noise_amid_sound_rows(known: Format, data: bytes, where: int, size: int) -> None:
    WRITERS[known.name](Path("sound"))
    sound = Path("sound").read_bytes()
    _check_noise(known, sound[:where] + data + sound[where:], size)


def _check_noise(known: Format, data: bytes, size: int) -> None:
    """Read in large and in small blocks: the same rows, places and skipped rows, or a DataError for both."""
    Path("noise").write_bytes(data)
    whole = _outcome(known)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unscaled.sources.blocks, "BLOCK_BYTES", size)
        assert _outcome(known) == whole


def _outcome(known: Format) -> object:
    try:
        with open_stream(["noise"], format=known.name, bad_rows="skip") as stream:
            batches = list(stream)
            lines = [batch.where.row(row) for batch in batches for row in range(batch.table.num_rows)]
            return len(lines), lines, stream.skipped.count, stream.skipped.examples
    except DataError as error:
        return str(error)
