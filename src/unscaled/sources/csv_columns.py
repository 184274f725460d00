"""Turns blocks of CSV records into tables whose column types, once inferred, hold for the rest of the file.

A number column is float64 from the first block on, so that 1 in one block and 1.5 in a later one agree. A
later block that does not fit, such as one with text in a number column, has that column delivered as text.
"""

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from unscaled.sources.text import TEXT, arrow_buffer

NUMBER = pa.float64()
NO_NUMBER = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "#N/A"]
TRUE, FALSE = ["true", "True", "TRUE"], ["false", "False", "FALSE"]  # but not 1 and 0, which are numbers

PARALLEL_BYTES = 1 << 21


class CsvColumns:
    """The columns of one file: their names, and their types as far as they are known."""

    def __init__(self, names: list[str], delimiter: bytes) -> None:
        self.names = names
        self._delimiter = delimiter.decode()
        self._types: dict[str, pa.DataType] = {}

    def parse(self, data: bytes) -> pa.Table:
        """Parse records; a pa.ArrowInvalid means that a record or a cell does not fit."""
        table = self._read(data, self._types)
        if self._learn(table):
            table = self._read(data, self._types)
        return _without_empty_text(table)

    def parse_as_far_as_it_fits(self, data: bytes) -> pa.Table:
        """Parse records as text, then convert each column whose every cell fits its type."""
        table = self._read(data, self._as_text(), parallel=False)
        if self._learn(table):
            table = self._read(data, self._as_text(), parallel=False)
        for position, name in enumerate(self.names):
            column = table.column(position)
            if pa.types.is_string(column.type):
                table = table.set_column(position, name, _converted(column, self._types[name]))
        return _without_empty_text(table)

    def _learn(self, table: pa.Table) -> bool:
        """Declare the types of columns whose first values are in `table`; tell whether there are any."""
        columns = zip(self.names, table.schema.types, strict=True)
        inferred = {
            name: _declared(kind) for name, kind in columns if name not in self._types and not pa.types.is_null(kind)
        }
        self._types.update(inferred)
        return bool(inferred)

    def _as_text(self) -> dict[str, pa.DataType]:
        return {name: TEXT if kind == TEXT else pa.string() for name, kind in self._types.items()}

    def _read(self, data: bytes, types: dict[str, pa.DataType], *, parallel: bool = True) -> pa.Table:
        """Parse `data`, in parallel only if no record is longer than PARALLEL_BYTES."""
        # at a seam between its parts pyarrow 26 drops the \n of a quoted \r\n
        seams = parallel and not (b'"' in data and b"\r" in data)
        return csv.read_csv(
            arrow_buffer(data),
            read_options=csv.ReadOptions(
                column_names=self.names, block_size=PARALLEL_BYTES if seams else len(data) + 1
            ),
            parse_options=csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=b'"' in data),
            convert_options=csv.ConvertOptions(
                column_types=types,
                null_values=NO_NUMBER,
                true_values=TRUE,
                false_values=FALSE,
                strings_can_be_null=False,
                auto_dict_encode=True,
            ),
        ).combine_chunks()


def _declared(inferred: pa.DataType) -> pa.DataType:
    if pa.types.is_integer(inferred) or pa.types.is_floating(inferred):
        return NUMBER
    if pa.types.is_dictionary(inferred) or pa.types.is_string(inferred):
        return TEXT
    return inferred


def _converted(texts: pa.ChunkedArray, declared: pa.DataType) -> pa.ChunkedArray:
    cells = pc.utf8_trim_whitespace(texts)
    present = pc.invert(pc.is_in(texts, value_set=pa.array(NO_NUMBER)))
    if pa.types.is_boolean(declared) and pc.any(pc.is_in(cells, value_set=pa.array(["0", "1"]))).as_py():
        return pc.if_else(present, texts, None)
    try:
        return pc.if_else(present, cells, None).cast(declared)
    except pa.ArrowInvalid:
        return pc.if_else(present, texts, None)


def _without_empty_text(table: pa.Table) -> pa.Table:
    """Make empty text null; pyarrow can only treat all its null spellings alike, and NA may be a country."""
    for position, field in enumerate(table.schema):
        if field.type != TEXT:
            continue
        column = table.column(position)
        cleared = [_without_empty_entry(chunk) for chunk in column.chunks]
        table = table.set_column(position, field.name, pa.chunked_array(cleared, TEXT))
    return table


def _without_empty_entry(array: pa.DictionaryArray) -> pa.DictionaryArray:
    empty = pc.index(array.dictionary, "").as_py()
    if empty < 0:
        return array
    indices = pc.if_else(pc.equal(array.indices, empty), None, array.indices)
    return pa.DictionaryArray.from_arrays(indices, array.dictionary)
