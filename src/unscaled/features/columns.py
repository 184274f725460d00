"""One Arrow column as numbers, as categories or as bags: what a cell means, whatever type it came in.

    numbers, booleans            the number; dates and times are seconds (units do not matter, but they must agree)
    strings, dictionaries        a category: the feature `column=value` is 1
    lists of strings             a bag: each element is a category
    lists of numbers             a vector: the i-th element is the number `column[i]`
    maps from strings to numbers a bag with values: the feature `column=key` has the value
    nulls, NaN, empty strings    absent

A cell of text in a column of numbers is a number if it reads as one and else a category; a number in a column of
categories is the category of that name. So a column may change its type in mid-stream.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unscaled.errors import DataError

NUMBER, CATEGORY, BAG, VECTOR = "number", "category", "bag", "vector"
KINDS = (NUMBER, CATEGORY, BAG, VECTOR)

NO_NUMBER = ("nan", "na", "n/a", "null", "none", "")
"""Texts that say that a number is missing, in lower case."""

SECONDS_A_DAY = 86400.0
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


class Cells(NamedTuple):
    """Named features of a column: row rows[k] has the feature column + names[codes[k]] with the value values[k].

    A name tells what it is of: `=admin` a category, `:alice` a key, `[3]` a place in a list.
    """

    rows: np.ndarray
    codes: np.ndarray
    names: list[str]
    values: np.ndarray


def kind_of(kind: pa.DataType) -> str | None:
    """How a column of this type is read; None if the type says nothing (all null)."""
    if pa.types.is_null(kind):
        return None
    if _is_numeric(kind):
        return NUMBER
    if pa.types.is_map(kind):
        return BAG
    if _is_list(kind):
        return VECTOR if _is_numeric(kind.value_type) else BAG
    if pa.types.is_dictionary(kind):
        return kind_of(kind.value_type)
    if _is_text(kind):
        return CATEGORY
    raise DataError(f"columns of type {kind} cannot be read; turn it into numbers, text or lists of these")


def _is_numeric(kind: pa.DataType) -> bool:
    return (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_temporal(kind)
    )


def _is_text(kind: pa.DataType) -> bool:
    return (
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_binary_view(kind)
    )


def _is_list(kind: pa.DataType) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)


def numbers(column: pa.Array) -> np.ndarray:
    """A column of kind NUMBER as float64; missing values are NaN, dates and times seconds."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return numbers(column.dictionary_decode())
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    per_second = 1.0
    if pa.types.is_date32(kind):
        column, per_second = column.cast(pa.int32()), 1.0 / SECONDS_A_DAY
    elif pa.types.is_date64(kind):
        column, per_second = column.cast(pa.int64()), 1e3
    elif pa.types.is_time32(kind):
        column, per_second = column.cast(pa.int32()), _PER_SECOND[kind.unit]
    elif pa.types.is_timestamp(kind) or pa.types.is_time64(kind) or pa.types.is_duration(kind):
        column, per_second = column.cast(pa.int64()), _PER_SECOND[kind.unit]
    elif pa.types.is_interval(kind):
        raise DataError("columns of calendar intervals cannot be read; turn it into numbers")
    plain = pc.cast(column, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return plain if per_second == 1.0 else plain / per_second


def cells(column: pa.Array) -> Cells:
    """A column of categories, bags or vectors; what is missing or empty is left out."""
    kind = kind_of(column.type)
    if kind == BAG:
        return _keyed(column) if pa.types.is_map(column.type) else _bag(column)
    if kind == VECTOR:
        return _vector(column)
    codes, keys = encoded(column)
    there = np.flatnonzero(codes >= 0)
    return Cells(there, codes[there], _prefixed("=", keys), np.ones(len(there)))


def parsed(column: pa.Array) -> tuple[np.ndarray, Cells]:
    """Text in a column of numbers: what reads as a number, and the rest as categories."""
    codes, keys = encoded(column)
    as_numbers = np.array([_number_or_nan(key) for key in keys] + [np.nan])
    is_category = np.isnan(as_numbers) & [key.strip().lower() not in NO_NUMBER for key in [*keys, "nan"]]
    rest = np.flatnonzero(is_category[codes])
    return as_numbers[codes], Cells(rest, codes[rest], _prefixed("=", keys), np.ones(len(rest)))


def _keyed(column: pa.MapArray) -> Cells:
    begin, end = column.offsets[0].as_py(), column.offsets[-1].as_py()
    lengths = np.where(column.is_null().to_numpy(zero_copy_only=False), 0, np.diff(column.offsets.to_numpy()))
    codes, keys = encoded(column.keys[begin:end])
    values = numbers(column.items[begin:end])
    there = np.flatnonzero((codes >= 0) & ~np.isnan(values))
    rows = np.repeat(np.arange(len(column)), lengths)
    return _summed(Cells(rows[there], codes[there], _prefixed(":", keys), values[there]))


def _bag(column: pa.Array) -> Cells:
    rows = np.repeat(np.arange(len(column)), _lengths(column))
    codes, keys = encoded(pc.list_flatten(column))
    there = np.flatnonzero(codes >= 0)
    return _summed(Cells(rows[there], codes[there], _prefixed("=", keys), np.ones(len(there))))


def _summed(cells: Cells) -> Cells:
    """What a row has more than once, it has once with the sum of the values: a feature stands once in a row."""
    places = cells.rows * max(1, len(cells.names)) + cells.codes
    different, firsts, of = np.unique(places, return_index=True, return_inverse=True)
    if len(different) == len(places):
        return cells
    order = np.argsort(firsts, kind="stable")
    kept = firsts[order]
    sums = np.bincount(of, cells.values)[order]
    return Cells(cells.rows[kept], cells.codes[kept], cells.names, sums)


def _vector(column: pa.Array) -> Cells:
    lengths = _lengths(column)
    rows = np.repeat(np.arange(len(column)), lengths)
    places = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    values = numbers(pc.list_flatten(column))
    there = np.flatnonzero(~np.isnan(values))
    names = [f"[{place}]" for place in range(int(lengths.max(initial=0)))]
    return Cells(rows[there], places[there], names, values[there])


def _lengths(column: pa.Array) -> np.ndarray:
    return np.nan_to_num(numbers(pc.list_value_length(column))).astype(np.int64)


def _prefixed(prefix: str, keys: list[str]) -> list[str]:
    return [prefix + key for key in keys]


def encoded(column: pa.Array) -> tuple[np.ndarray, list[str]]:
    """Codes into a list of distinct texts, -1 for what is missing or empty."""
    if pa.types.is_null(column.type):
        return np.full(len(column), -1), []
    if not pa.types.is_dictionary(column.type):
        column = pc.dictionary_encode(column if _is_text(column.type) else _as_text(column))
    codes = pc.fill_null(column.indices.cast(pa.int64()), -1).to_numpy()
    dictionary = column.dictionary
    if len(dictionary) > len(column):  # a slice of a large table brings the dictionary of the whole
        used, codes = np.unique(codes, return_inverse=True)
        absent = int(len(used) > 0 and used[0] < 0)
        dictionary, codes = dictionary.take(pa.array(used[absent:])), codes - absent
    keys = ["" if key is None else _text(key) for key in dictionary.to_pylist()]
    if "" in keys:
        empty = np.array([key == "" for key in keys] + [False])
        codes = np.where(empty[codes], -1, codes)
    return codes, keys


def _as_text(column: pa.Array) -> pa.Array:
    """Numbers as the names of categories: 12, not 12.0."""
    if pa.types.is_boolean(column.type) or pa.types.is_integer(column.type):
        return column.cast(pa.string())
    texts = [None if number != number else _number_name(number) for number in numbers(column).tolist()]
    return pa.array(texts, pa.string())


def _number_name(number: float) -> str:
    return str(int(number)) if number.is_integer() and abs(number) < 1e16 else repr(number)


def _text(key: object) -> str:
    if isinstance(key, bytes):
        return key.decode("utf-8", "backslashreplace")
    return _number_name(key) if isinstance(key, float) else str(key)


def _number_or_nan(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan
