"""Every error names the file as the user gave it and says what to do."""

import contextlib
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from unscaled.errors import BadRowError, DataError, UnscaledError, UsageError
from unscaled.sources import FORMATS, format_names, open_stream

from .writing import COMPRESSORS, WRITERS, read, rows

every_name = pytest.mark.parametrize("name", format_names())


def suffix(name: str) -> str:
    return next(known.suffixes[0] for known in FORMATS if known.name == name)


def message(kind: type[UnscaledError], path: object, **options: object) -> str:
    with pytest.raises(kind) as raised:
        read(path, **options)
    assert type(raised.value) in (kind, BadRowError)
    return str(raised.value)


def test_no_such_file() -> None:
    Path("data").mkdir()
    Path("data/bank.csv").touch()
    assert message(DataError, "data/bnak.csv") == "no such file: data/bnak.csv; did you mean data/bank.csv?"
    assert message(DataError, "zebra") == "no such file: zebra"
    assert message(DataError, "nowhere/bank.csv") == "no such file: nowhere/bank.csv (there is no folder nowhere)"


def test_folders_and_globs_without_files() -> None:
    Path("data").mkdir()
    Path("data/notes.txt").write_text("x")
    kinds = "parquet or arrow or jsonl or vw or svmlight or tsv or csv"
    assert message(DataError, "data") == f"data: this folder holds no {kinds} file"
    assert message(DataError, "data", format="csv") == "data: this folder holds no csv file"
    assert message(DataError, "data/*.csv") == "no file matches data/*.csv"


@pytest.mark.skipif(os.geteuid() != 0, reason="the test is for those who cannot take the right from themselves")
def test_permission_denied_as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.csv").write_text("a\n1\n")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert message(DataError, "a.csv") == "a.csv: cannot be opened (Permission denied)"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_permission_denied() -> None:
    Path("a.csv").write_text("a\n1\n")
    Path("a.csv").chmod(0)
    assert message(DataError, "a.csv") == "a.csv: cannot be opened (Permission denied)"


@every_name
def test_empty(name: str, stdin: Callable[[bytes], None]) -> None:
    path, full = Path(f"a{suffix(name)}"), Path(f"b{suffix(name)}")
    WRITERS[name](full)
    path.touch()
    assert message(DataError, path) == f"{path} is empty"
    with pytest.raises(DataError, match=f"^{path} is empty$"):
        open_stream([full, path])
    packed = Path(f"{path}.gz")
    packed.write_bytes(COMPRESSORS[".gz"](b""))
    assert message(DataError, packed) == f"{packed} is empty"
    stdin(b"")
    assert message(DataError, "-", format=name) == "standard input is empty"


@pytest.mark.parametrize("name", ["jsonl", "vw", "svmlight"])
def test_blank_lines_only(name: str) -> None:
    Path(f"a{suffix(name)}").write_text("\n\n")
    assert message(DataError, f"a{suffix(name)}") == f"a{suffix(name)} has no rows"


@pytest.mark.parametrize("name", ["parquet", "arrow"])
def test_no_rows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from . import writing

    monkeypatch.setattr(writing, "TABLE", writing.TABLE.slice(0, 0))
    WRITERS[name](Path(f"a{suffix(name)}"))
    assert message(DataError, f"a{suffix(name)}") == f"a{suffix(name)} has no rows"


@pytest.mark.parametrize("name", ["parquet", "arrow"])
@pytest.mark.parametrize("part", [0.05, 0.5, 0.99])
def test_truncated(name: str, part: float) -> None:
    path = Path(f"a{suffix(name)}")
    WRITERS[name](path)
    path.write_bytes(path.read_bytes()[: int(part * path.stat().st_size)])
    kind = {"parquet": "Parquet", "arrow": "Arrow IPC"}[name]
    assert re.match(f"{path}: not a readable {kind} file \\(.+\\); write it anew or", message(DataError, path))


def test_a_broken_parquet_file_is_told_of_in_one_line() -> None:
    WRITERS["parquet"](Path("a.parquet"))
    sound = Path("a.parquet").read_bytes()
    complaints = []
    for place in range(4, len(sound), 7):
        Path("b.parquet").write_bytes(sound[:place] + bytes([sound[place] ^ 0x0F]) + sound[place + 1 :])
        with contextlib.suppress(DataError):
            rows("b.parquet")
            continue
        complaints.append(message(DataError, "b.parquet"))
    assert any("thrift" in complaint for complaint in complaints)
    assert not any("\n" in complaint for complaint in complaints)


@pytest.mark.parametrize("packing", COMPRESSORS)
def test_truncated_compression(packing: str) -> None:
    path = Path(f"a.csv{packing}")
    path.write_bytes(COMPRESSORS[packing](b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(999)))[:-99])
    assert re.match(rf"{path}: the (gzip|bz2|zstd) data is broken or cut off \(.+\); fetch", message(DataError, path))


def test_usage() -> None:
    Path("a.csv").write_text("a\n1\n")
    Path("b.vw").write_text("1 | a\n")
    with pytest.raises(UsageError, match=r"^no file is given; name one or more, or - for standard input$"):
        open_stream([])
    with pytest.raises(UsageError, match=r"^standard input \(-\) is given more than once"):
        open_stream(["-", "-"])
    with pytest.raises(UsageError, match=r"^a.csv is csv and b.vw is vw; read one format at a time, or"):
        open_stream(["a.csv", "b.vw"])
    known = "parquet, arrow, jsonl, vw, svmlight, tsv, csv"
    assert message(UsageError, "a.csv", format="xls") == f'there is no format "xls"; known are {known}'
    assert message(UsageError, "a.csv", bad_rows="x") == 'bad_rows is "x"; it can be "stop" or "skip"'
    assert message(UsageError, "a.csv", batch_rows=0) == "batch_rows is 0; it must be at least 1"


def test_columns_after_reading() -> None:
    Path("a.csv").write_text("a\n1\n")
    stream = open_stream(["a.csv"])
    list(stream)
    with pytest.raises(UsageError, match=r"^the first batch can be looked at only before"):
        stream.column_names()


def test_a_closed_stream_is_not_read() -> None:
    Path("a.csv").write_text("a\n1\n")
    with open_stream(["a.csv"]) as stream:
        pass
    with pytest.raises(UsageError, match="has been read already"):
        iter(stream)


def test_columns_of_the_same_name() -> None:
    import pyarrow as pa

    table = pa.table([[1], [2]], names=["a", "a"])
    with pa.ipc.new_file("a.arrow", table.schema) as writer:
        writer.write_table(table)
    assert message(DataError, "a.arrow") == "a.arrow row 1: more than one column is called a"


SKIP = "mend it or skip such rows with --bad-rows skip"
SKIP_LINES = "mend the line or skip such lines with --bad-rows skip"


@pytest.mark.parametrize(
    ("name", "line", "complaint"),
    [
        ("a.svm", "1,3 1:2", f'several labels in one row, as in "1,3", are not supported; {SKIP}'),
        ("a.svm", "spam 1:2", f'label "spam" is not a number; {SKIP}'),
        ("a.svm", "1 a:2", f'"a:2" is not index:value; {SKIP}'),
        ("a.svm", "1 2:1_0", f'"2:1_0" is not index:value; {SKIP}'),
        ("a.svm", "1 2:x", f'"2:x" is not index:value; {SKIP}'),
        ("a.svm", "1 2", f'"2" is not index:value; {SKIP}'),
        ("a.svm", "1 2:" + "9" * 99 + "x", f'"2:{"9" * 38}…" is not index:value; {SKIP}'),
        ("a.svm", "1 \udcff", f"this line is not UTF-8; {SKIP}"),
        ("a.vw", "1 2", f"there is no | before the features; {SKIP}"),
        ("a.vw", "1 2 0.5 | a", f'an initial prediction, as in "1 2 0.5", is not supported; {SKIP}'),
        ("a.vw", "x | a", f'label "x" is not a number; {SKIP}'),
        ("a.vw", "1 x | a", f'weight "x" is not a number; {SKIP}'),
        ("a.vw", "1 -2 | a", f'weight "-2" is not 0 or more; {SKIP}'),
        ("a.vw", "1 nan | a", f'weight "nan" is not 0 or more; {SKIP}'),
        ("a.vw", "1 | a:abc", f'"a:abc" is not feature or feature:value; {SKIP}'),
        ("a.vw", "1 | :3", f'":3" is not feature or feature:value; {SKIP}'),
        ("a.vw", "1 |n:x a", f'namespace "n:x" is scaled by something that is not a number; {SKIP}'),
        ("a.vw", "1 |tag a", f'a namespace cannot be called "tag", as that is a column; rename it; {SKIP}'),
        ("a.vw", "1 | \udcff", f"this line is not UTF-8; {SKIP}"),
        ("a.json", "{'a': 1}", "not JSON (Expecting property name enclosed in double quotes at column 2); "
         + SKIP_LINES),
        ("a.json", "[1]", "a list where an object is expected; write one object {…} a line"),
        ("a.json", "1", "a single value where an object is expected; write one object {…} a line"),
        ("a.json", '{"a":1}{"a":2}', f"not JSON (Extra data at column 8); {SKIP_LINES}"),
        ("a.json", '{"a":"\\ud800"}', f"not JSON (half of a surrogate pair); {SKIP_LINES}"),
        ("a.json", '{"a":' + "[" * 9999, f"not JSON (brackets nested too deeply); {SKIP_LINES}"),
        ("a.json", '{"a":"\udcff"}', "this line is not UTF-8; "
         "save the file as UTF-8 or skip such rows with --bad-rows skip"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [3, 1 << 22])
def test_bad_lines(name: str, line: str, complaint: str, size: int, block_bytes: Callable[[int], None]) -> None:
    good = {"a.svm": "1 1:2", "a.vw": "1 | a", "a.json": '{"a": 1}'}[name]
    block_bytes(size)
    Path(name).write_bytes(f"\n{good}\n{line}\n{good}\n".encode("utf-8", "surrogateescape"))
    assert message(DataError, name) == f"{name}:3: {complaint}"
    assert len(rows(name, bad_rows="skip")) == 2
