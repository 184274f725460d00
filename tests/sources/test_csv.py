"""CSV: types that hold, nulls, quotes, bad rows and their exact lines."""

import datetime
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import unscaled.sources.blocks
import unscaled.sources.csv_columns
from unscaled.errors import DataError
from unscaled.sources import open_stream
from unscaled.sources.text import arrow_buffer

from .writing import places, read, rows

BlockBytes = Callable[[int], None]


def csv(text: str | bytes, name: str = "bank.csv") -> str:
    Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
    return name


def types(batches: list) -> list[list[pa.DataType]]:  # type: ignore[type-arg]
    return [batch.table.schema.types for batch in batches]


TEXT = pa.dictionary(pa.int32(), pa.string())


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_delimiter_is_told_by_the_header(mark: str) -> None:
    assert rows(csv(f'"a{"," if mark != "," else ";"}x"{mark}b\n1{mark}2\n')) == [
        {"a,x" if mark != "," else "a;x": 1.0, "b": 2.0}
    ]


def test_tsv_is_cut_at_tabs_only() -> None:
    assert rows(csv("a,b,c\td\n1\t2\n", "x.tsv")) == [{"a,b,c": 1.0, "d": 2.0}]


def test_header_with_mark_quotes_returns_and_empty_names() -> None:
    data = b'\xef\xbb\xbf\r\n"a ""b""",,"c\r\nd"\r\n1,2,3\r\n'
    assert rows(csv(data)) == [{'a "b"': 1.0, "column2": 2.0, "c\r\nd": 3.0}]
    assert places("bank.csv") == ["bank.csv:4"]


def test_one_column() -> None:
    assert rows(csv('a\n1\n\n""\n3')) == [{"a": 1.0}, {"a": None}, {"a": 3.0}]


def test_old_mac_line_breaks() -> None:
    assert rows(csv("a,b\r1,2\r\r3,4\r")) == [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}]
    assert places("bank.csv") == ["bank.csv:2", "bank.csv:4"]


def test_numbers_are_float64_from_the_first_block_on(block_bytes: BlockBytes) -> None:
    text = "i,f,s,b,d\n1,1.5,x,true,2024-02-03\n" + "2,2,5,false,2024-02-04\n" * 20
    for size in (30, 1 << 22):
        block_bytes(size)
        batches = read(csv(text))
        assert set(map(tuple, types(batches))) == {(pa.float64(), pa.float64(), TEXT, pa.bool_(), pa.date32())}
    assert rows("bank.csv")[1] == {"i": 2.0, "f": 2.0, "s": "5", "b": False, "d": datetime.date(2024, 2, 4)}


def test_text_in_a_number_column_makes_that_block_text(block_bytes: BlockBytes) -> None:
    block_bytes(4)
    batches = read(csv("a,b\n1,2\n3,?\nNA,5\n"))
    assert [b.table.to_pylist() for b in batches] == [
        [{"a": 1.0, "b": 2.0}], [{"a": 3.0, "b": "?"}], [{"a": None, "b": 5.0}]
    ]  # fmt: skip
    assert types(batches)[2] == [pa.float64(), pa.float64()]


def test_misfit_and_null_spelling_and_new_column_in_one_block(block_bytes: BlockBytes) -> None:
    block_bytes(8)
    first, second = read(csv("a,b,c\n1,2,\nNA,?,7\n"))
    assert first.table.schema.types == [pa.float64(), pa.float64(), pa.null()]
    assert second.table.to_pylist() == [{"a": None, "b": "?", "c": 7.0}]
    assert second.table.schema.types[2] == pa.float64()


def test_date_column_with_something_else_is_text(block_bytes: BlockBytes) -> None:
    block_bytes(8)
    assert rows(csv("d,b\n2024-02-03,true\nsoon,true\n,maybe\n")) == [
        {"d": datetime.date(2024, 2, 3), "b": True},
        {"d": "soon", "b": True},
        {"d": None, "b": "maybe"},
    ]


def test_nulls_of_numbers_and_of_text() -> None:
    spellings = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "#N/A"]
    got = rows(csv("n,s\n1,x\n" + "".join(f"{s},{s}\n" for s in spellings)))
    assert got[1:] == [{"n": None, "s": s or None} for s in spellings]
    assert rows(csv("a,b\n,\n,\n")) == [{"a": None, "b": None}] * 2
    assert types(read("bank.csv")) == [[pa.null(), pa.null()]]


def test_first_value_in_a_later_block_decides(block_bytes: BlockBytes) -> None:
    block_bytes(4)
    batches = read(csv("a,b\n,1\nx,2\n"))
    assert types(batches) == [[pa.null(), pa.float64()], [TEXT, pa.float64()]]


def test_infinite_huge_and_odd_numbers() -> None:
    got = rows(csv("a\n1e400\n-inf\n00123\n99999999999999999999\n +5\n"))
    assert [row["a"] for row in got] == [float("inf"), float("-inf"), 123.0, 1e20, 5.0]


def test_one_and_zero_are_never_true_and_false(block_bytes: BlockBytes) -> None:
    block_bytes(4)
    assert [row["b"] for row in rows(csv("a,b\n7,true\n7,1\n7,FALSE\n7,0\n"))] == [True, "1", False, "0"]


def test_hexadecimal_is_text_in_a_later_block_too(block_bytes: BlockBytes) -> None:
    block_bytes(4)
    assert rows(csv("a,b\n1,\nx,0x1F\n")) == [{"a": 1.0, "b": None}, {"a": "x", "b": "0x1F"}]


def test_hexadecimal_is_text() -> None:
    assert rows(csv("a\n0x1F\n7\n")) == [{"a": "0x1F"}, {"a": "7"}]


TRICKY = 'a,b\n\n1,"x\n\ny"\n\n2,5" pipe\r\n3,"say ""hi"""\n4,"\n"\n5,it"s\n"6",",\n,"\n7,\n'
TRICKY_ROWS = [
    (1.0, "x\n\ny"), (2.0, '5" pipe'), (3.0, 'say "hi"'), (4.0, "\n"), (5.0, 'it"s'), (6.0, ",\n,"),
    (7.0, None),
]  # fmt: skip
TRICKY_LINES = [3, 7, 8, 9, 11, 12, 14]


@pytest.mark.parametrize("size", [*range(1, 20), 1 << 22])
def test_quotes_and_lines_do_not_depend_on_blocks(size: int, block_bytes: BlockBytes) -> None:
    block_bytes(size)
    assert [(row["a"], row["b"]) for row in rows(csv(TRICKY))] == TRICKY_ROWS
    assert places("bank.csv", batch_rows=2) == [f"bank.csv:{line}" for line in TRICKY_LINES]


@pytest.mark.parametrize("size", [1, 5, 11, 1 << 22])
def test_bad_rows_are_skipped_and_told(size: int, block_bytes: BlockBytes) -> None:
    block_bytes(size)
    csv(b'a,b\n1,"x\ny"\n\n2\n3,\xe9t\xe9\n4,5,6\n7,z\n\0,8\n9,w\n')
    with open_stream(["bank.csv"], bad_rows="skip") as stream:
        got = [(row, batch.where.row(i)) for batch in stream for i, row in enumerate(batch.table.to_pylist())]
        assert got == [
            ({"a": 1.0, "b": "x\ny"}, "bank.csv:2"),
            ({"a": 7.0, "b": "z"}, "bank.csv:8"),
            ({"a": 9.0, "b": "w"}, "bank.csv:10"),
        ]
        assert stream.skipped.count == 4
        save = "save the file as UTF-8 or skip such rows with --bad-rows skip"
        mend = "mend the row or skip such rows with --bad-rows skip"
        assert stream.skipped.examples == [
            f"bank.csv:5: 1 cell where the header has 2; {mend}",
            f'bank.csv:6: column "b" is not UTF-8; {save}',
            f"bank.csv:7: 3 cells where the header has 2; {mend}",
            'bank.csv:9: column "a" holds a NUL byte; mend the file or skip such rows with --bad-rows skip',
        ]
        first = stream.skipped.examples[0]
    with pytest.raises(DataError) as raised:
        rows("bank.csv")
    assert str(raised.value) == first


def test_column_of_a_byte_amid_a_quoted_cell() -> None:
    with pytest.raises(DataError, match=r'^bank.csv:2: column "b" is not UTF-8'):
        rows(csv(b'a,b,c\n"x,y","p,\xff,q",z\n'))


def test_a_broken_header_is_never_skipped() -> None:
    with pytest.raises(DataError, match=r"^bank.csv:1: the quote opened here is never closed"):
        rows(csv('"a,b\n1,2\n3,4\n'), bad_rows="skip")


def test_only_five_examples_are_kept() -> None:
    csv("a,b\n1,2\n" + "x\n" * 9)
    with open_stream(["bank.csv"], bad_rows="skip") as stream:
        list(stream)
        assert (stream.skipped.count, len(stream.skipped.examples)) == (9, 5)


@pytest.mark.parametrize("size", [1, 6, 1 << 22])
def test_quote_never_closed(size: int, block_bytes: BlockBytes) -> None:
    block_bytes(size)
    csv('a,b\n1,"x\ny"\n2,"z\n3,4\n')
    with pytest.raises(DataError, match=r"^bank.csv:4: the quote opened here is never closed; mend the row"):
        rows("bank.csv")
    assert places("bank.csv", bad_rows="skip") == ["bank.csv:2", "bank.csv:5"]


def test_quote_not_closed_within_the_limit(block_bytes: BlockBytes, monkeypatch: pytest.MonkeyPatch) -> None:
    block_bytes(64)
    monkeypatch.setattr(unscaled.sources.blocks, "RECORD_LIMIT", 1000)
    csv('a,b\n1,2\n3,"' + "x\n" * 5000 + '"\n')
    with pytest.raises(DataError, match=r"^bank.csv:3: the quote opened here is never closed"):
        rows("bank.csv")
    csv("a,b\n1,2\n" + "x" * 5000)
    with pytest.raises(DataError, match=r"^bank.csv:3: this line is longer than"):
        rows("bank.csv")


@pytest.mark.parametrize("part", range(20, 40))
def test_seams_between_parallel_parts(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unscaled.sources.csv_columns, "PARALLEL_BYTES", part)
    for line_break in ("\n", "\r\n"):
        cell = f"x{line_break}y"
        assert rows(csv("a,b\n" + f'1,"{cell}"{line_break}' * 9)) == [{"a": 1.0, "b": cell}] * 9


def test_record_longer_than_a_parallel_part() -> None:
    long = "x" * (5 << 20)
    assert rows(csv(f'a,b\n1,y\n2,"{long}"\n3,{long}\n4,z\n')) == [
        {"a": 1.0, "b": "y"}, {"a": 2.0, "b": long}, {"a": 3.0, "b": long}, {"a": 4.0, "b": "z"}
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a,b,a,b,c\n1,2\n", 'bank.csv:1: the header names "a", "b" more than once; rename all but one'),
        (b"column2,\n1,2\n", 'bank.csv:1: the header names "column2" more than once; rename all but one'),
        (b"a,b\n", "bank.csv has a header but no rows"),
        (b"a,b\n\n\r\n", "bank.csv has a header but no rows"),
        (b"a,b", "bank.csv has a header but no rows"),
        (b"", "bank.csv is empty"),
        (b"\xef\xbb\xbf", "bank.csv is empty"),
        (b"\n\n", "bank.csv is empty"),
        (b"\xff\xfea\0", "bank.csv: this is UTF-16 text; save it as UTF-8"),
        (b'"a,b\n1,2\n', "bank.csv:1: the quote opened here is never closed; "
         "mend the row or skip such rows with --bad-rows skip"),
        (b"\xe9,b\n1,2\n", "bank.csv:1: the header is not UTF-8; save the file as UTF-8"),
        (b"a\0,b\n1,2\n", "bank.csv:1: the header holds a NUL byte; mend the file"),
    ],
)  # fmt: skip
def test_messages(text: bytes, message: str) -> None:
    with pytest.raises(DataError) as raised:
        rows(csv(text))
    assert str(raised.value) == message


def test_no_good_row_at_all() -> None:
    with pytest.raises(DataError, match=r"^no row was good; the first of 2: bank.csv:2: 1 cell where"):
        rows(csv("a,b\n1\n2\n"), bad_rows="skip")


def test_files_with_other_columns_follow_each_other() -> None:
    first, second = csv("a,b\n1,2\n"), csv("b;c\n3;x\n", "more.csv")
    with open_stream([first, second]) as stream:
        assert [batch.table.to_pylist() for batch in stream] == [
            [{"a": 1.0, "b": 2.0}],
            [{"b": 3.0, "c": "x"}],
        ]


def test_a_batch_keeps_its_places_when_the_stream_has_moved_on(block_bytes: BlockBytes) -> None:
    block_bytes(3)
    batches = read(csv("a\n" + "1\n" * 30))
    assert [batch.where.row(0) for batch in batches][-1] == "bank.csv:31"


def test_arrow_parses_no_memory_of_pythons() -> None:
    """Its threads may outlive the interpreter, which must not be asked for memory then."""
    data = bytes(range(256)) * 100
    before = sys.getrefcount(data)
    buffer = arrow_buffer(data)
    assert buffer.to_pybytes() == data
    assert sys.getrefcount(data) == before
