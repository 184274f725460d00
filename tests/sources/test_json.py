"""JSON lines: what the values of a key are decides its column."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from .writing import places, read, rows

TEXT = pa.dictionary(pa.int32(), pa.string())
WEIGHTS = pa.map_(TEXT, pa.float64())
NUMBERS, TEXTS = pa.list_(pa.float64()), pa.list_(pa.string())


def column(*values: object) -> tuple[pa.DataType, list[object]]:
    Path("a.jsonl").write_text("".join(json.dumps({"k": value}) + "\n" for value in values))
    (batch,) = read("a.jsonl")
    return batch.table.schema.field("k").type, batch.table.column("k").to_pylist()


def test_columns_of_one_kind() -> None:
    assert column(1, 2.5, None) == (pa.float64(), [1.0, 2.5, None])
    assert column(10**400, -(10**400)) == (pa.float64(), [float("inf"), float("-inf")])
    assert column(True, False, None) == (pa.bool_(), [True, False, None])
    assert column("x", None, "") == (TEXT, ["x", None, ""])
    assert column("2024-02-03", "2024-02-04") == (TEXT, ["2024-02-03", "2024-02-04"])
    assert column(None, None) == (pa.null(), [None, None])


def test_mixed_columns() -> None:
    assert column(1, True, None) == (pa.float64(), [1.0, 1.0, None])
    assert column(1, "x", 2.0, 2.5, 1e300, None, True) == (
        TEXT,
        ["1", "x", "2", "2.5", "1e+300", None, "true"],
    )
    assert column("x", [1], {"a": 1}) == (TEXT, ["x", "[1]", '{"a": 1}'])


def test_lists() -> None:
    assert column([1, 2], [], None) == (NUMBERS, [[1.0, 2.0], [], None])
    assert column([], []) == (NUMBERS, [[], []])
    assert column([True], [False]) == (NUMBERS, [[1.0], [0.0]])
    assert column(["a"], [None]) == (TEXTS, [["a"], [None]])
    assert column(["2024-02-03"], []) == (TEXTS, [["2024-02-03"], []])
    assert column([1, "a"], [2.0]) == (TEXTS, [["1", "a"], ["2"]])
    assert column([[1]], [[2]]) == (TEXTS, [["[1]"], ["[2]"]])


def test_objects() -> None:
    assert column({"a": 1, "b": 2.5}, {}, None) == (WEIGHTS, [[("a", 1.0), ("b", 2.5)], [], None])
    kind, values = column({"a": "x", "b": 1}, {"a": None}, None)
    assert kind == pa.struct([("a", TEXT), ("b", pa.float64())])
    assert values == [{"a": "x", "b": 1.0}, {"a": None, "b": None}, None]


@pytest.mark.parametrize("flat", [True, False])
def test_keys_in_the_order_first_seen(flat: bool) -> None:
    extra = "" if flat else ', "m": {"x": 1}'
    Path("a.jsonl").write_text(f'{{"b": 1, "d": "2024-02-03"}}\n\n{{"a": 2, "d": "x"{extra}}}\n')
    (batch,) = read("a.jsonl")
    assert batch.table.schema.names == ["b", "d", "a"] + ([] if flat else ["m"])
    assert places("a.jsonl") == ["a.jsonl:1", "a.jsonl:3"]


def test_dates_stay_text_and_in_place() -> None:
    Path("a.jsonl").write_text('{"b": 1, "d": "2024-02-03", "a": 2}\n')
    assert list(rows("a.jsonl")[0].items()) == [("b", 1.0), ("d", "2024-02-03"), ("a", 2.0)]


def test_empty_objects_are_rows() -> None:
    Path("a.jsonl").write_text("{}\n{}\n")
    assert [batch.table.num_rows for batch in read("a.jsonl")] == [2]


def test_new_keys_are_new_columns(block_bytes: Callable[[int], None]) -> None:
    block_bytes(4)
    Path("a.jsonl").write_text('{"a": 1}\n{"b": 2}\n')
    assert rows("a.jsonl") == [{"a": 1.0}, {"b": 2.0}]


def test_an_object_over_several_lines_is_refused() -> None:
    Path("a.jsonl").write_text('{"a":\n1}\n')
    with pytest.raises(ValueError, match=r"^a.jsonl:1: not JSON \(Expecting value at column 6\)"):
        rows("a.jsonl")


@pytest.mark.parametrize("more", ["", ', "m": {"x": 1}'])
def test_integers_of_thousands_of_digits_are_infinite(more: str) -> None:
    Path("a.jsonl").write_text(f'{{"a": -{"9" * 9999}{more}}}\n')
    assert rows("a.jsonl")[0]["a"] == float("-inf")
