"""svmlight and Vowpal Wabbit text: the columns that their lines become."""

import math
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from .writing import places, read, rows

MAP = pa.map_(pa.dictionary(pa.int32(), pa.string()), pa.float64())


def test_svmlight_lines() -> None:
    Path("a.svm").write_text("# made by hand\n+1 1:0.5 7:-2e3 # first\n\n3:4\r\n-1 #\n")
    assert rows("a.svm") == [
        {"label": 1.0, "features": [("1", 0.5), ("7", -2000.0)]},
        {"label": None, "features": [("3", 4.0)]},
        {"label": -1.0, "features": []},
    ]
    assert places("a.svm") == ["a.svm:2", "a.svm:4", "a.svm:5"]
    assert read("a.svm")[0].table.schema.types == [pa.float64(), MAP]


def test_svmlight_query_and_repeated_index() -> None:
    Path("a.svm").write_text("2 qid:5 9:1 1:2 9:3\n1 1:1\n")
    assert rows("a.svm") == [
        {"label": 2.0, "qid": "5", "features": [("9", 4.0), ("1", 2.0)]},
        {"label": 1.0, "qid": None, "features": [("1", 1.0)]},
    ]


def test_vw_lines() -> None:
    Path("a.vw").write_text(
        "1 2.5 'first|house:0.5 size:4 old |extra x\n"
        "| a b:-3 a\n"
        "-1 tag| \n"
        "0 0 |\t c:nan\n"
        "|house y:1 |house y:2 |features z\n"
    )
    got = rows("a.vw")
    assert math.isnan(dict(got[3].pop("features"))["c"])
    assert got == [
        {"label": 1.0, "weight": 2.5, "tag": "first", "house": [("size", 2.0), ("old", 0.5)],
         "extra": [("x", 1.0)], "features": []},
        {"label": None, "weight": 1.0, "tag": None, "house": [], "extra": [],
         "features": [("a", 2.0), ("b", -3.0)]},
        {"label": -1.0, "weight": 1.0, "tag": "tag", "house": [], "extra": [], "features": []},
        {"label": 0.0, "weight": 0.0, "tag": None, "house": [], "extra": []},
        {"label": None, "weight": 1.0, "tag": None, "house": [("y", 3.0)], "extra": [],
         "features": [("z", 1.0)]},
    ]  # fmt: skip
    kinds = read("a.vw")[0].table.schema
    assert [kinds.field(name).type for name in ("label", "weight", "tag")] == [pa.float64()] * 2 + [pa.string()]
    assert kinds.field("house").type == kinds.field("features").type == MAP


def test_a_namespace_that_comes_later_is_a_later_column(block_bytes: Callable[[int], None]) -> None:
    block_bytes(4)
    Path("a.vw").write_text("1 | a\n1 |n b\n")
    assert [batch.table.schema.names[3:] for batch in read("a.vw")] == [["features"], ["n"]]


@pytest.mark.parametrize(
    ("head", "format_name"),
    [
        ("1 1:2\n", "svmlight"),
        ("# x\n\n1,2 qid:3 1:2\n", "svmlight"),
        ("1:2 3:4\n", "csv"),
        ("1 | a\n", "vw"),
        ("|n a\n", "vw"),
        (' {"a": 1}\n', "jsonl"),
        ("a\tb\n1\t2\n", "tsv"),
        ("a,b\n1,2\n", "csv"),
        ("a|b\n1|2\n", "csv"),
    ],
)
def test_sniffing(head: str, format_name: str, stdin: Callable[[bytes], None]) -> None:
    from unscaled.sources import open_stream

    stdin(head.encode())
    assert open_stream(["-"]).format.name == format_name
