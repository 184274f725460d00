"""Turns parsed JSON objects into columns, also where pyarrow does not: mixed types, nested objects.

What the values of a key are decides its column: numbers float64, only true and false bool, lists a list of
float64 or of text, objects with numbers a map, other objects a struct, anything mixed text.
"""

import json
from collections.abc import Callable, Iterable
from typing import TypeAlias

import pyarrow as pa

from unscaled.sources.text import TEXT

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

WEIGHTS = pa.map_(TEXT, pa.float64())
LARGEST_PLAIN = 1e15


def columns_of(rows: list[dict[str, Json]]) -> pa.Table:
    """Return a table with a column for each key, in the order of their first appearance."""
    names = dict.fromkeys(name for row in rows for name in row)
    if not names:
        return pa.Table.from_batches([pa.RecordBatch.from_struct_array(pa.array(rows, pa.struct([])))])
    return pa.table({name: column_of([row.get(name) for row in rows]) for name in names})


def column_of(values: list[Json]) -> pa.Array:
    """Return the column that fits the values of one key."""
    present: list[Json] = [value for value in values if value is not None]
    for fits, build in _KINDS:
        if fits(present):
            return build(values)
    return _text_column(values)


def _is_number(value: Json) -> bool:
    return isinstance(value, (bool, int, float))


def _all(kind: type | tuple[type, ...]) -> Callable[[list[Json]], bool]:
    return lambda values: all(isinstance(value, kind) for value in values)


def _all_lists_of_numbers(values: list[Json]) -> bool:
    return all(isinstance(value, list) and _numbers_or_null(value) for value in values)


def _all_objects_of_numbers(values: list[Json]) -> bool:
    return all(isinstance(value, dict) and _numbers_or_null(value.values()) for value in values)


def _numbers_or_null(values: Iterable[Json]) -> bool:
    return all(value is None or _is_number(value) for value in values)


def _number(value: Json) -> float | None:
    if value is None:
        return None
    assert isinstance(value, (bool, int, float))
    try:
        return float(value)
    except OverflowError:  # only an int is too large for a float
        return float("inf") if value > 0 else float("-inf")


def _text(value: Json) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_PLAIN:
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def _number_column(values: list[Json]) -> pa.Array:
    return pa.array([_number(value) for value in values], pa.float64())


def _text_column(values: list[Json]) -> pa.Array:
    return pa.array([_text(value) for value in values], pa.string()).dictionary_encode()


def _number_lists(values: list[Json]) -> pa.Array:
    lists = [[_number(item) for item in value] if isinstance(value, list) else None for value in values]
    return pa.array(lists, pa.list_(pa.float64()))


def _text_lists(values: list[Json]) -> pa.Array:
    lists = [[_text(item) for item in value] if isinstance(value, list) else None for value in values]
    return pa.array(lists, pa.list_(pa.string()))


def _maps(values: list[Json]) -> pa.Array:
    entries = [
        [(key, _number(item)) for key, item in value.items()] if isinstance(value, dict) else None for value in values
    ]
    return pa.array(entries, pa.map_(pa.string(), pa.float64())).cast(WEIGHTS)


def _structs(values: list[Json]) -> pa.Array:
    rows = [value if isinstance(value, dict) else {} for value in values]
    table = columns_of(rows)
    absent = pa.array([value is None for value in values])
    return pa.StructArray.from_arrays(
        [column.combine_chunks() for column in table.columns], fields=list(table.schema), mask=absent
    )


# the first that fits; text fits all
_KINDS: tuple[tuple[Callable[[list[Json]], bool], Callable[[list[Json]], pa.Array]], ...] = (
    (lambda values: not values, lambda values: pa.nulls(len(values))),
    (_all(bool), lambda values: pa.array(values, pa.bool_())),
    (_all((bool, int, float)), _number_column),
    (_all(str), _text_column),
    (_all_lists_of_numbers, _number_lists),
    (_all(list), _text_lists),
    (_all_objects_of_numbers, _maps),
    (_all(dict), _structs),
)
