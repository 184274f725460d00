"""What may be given as rows: arrays, CSR matrices, and anything that speaks Arrow's C interface."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from unscaled.errors import DataError, UsageError

BLOCK_ROWS = 8192


def is_table(X: Any) -> bool:
    """Whether X has named columns: pyarrow, polars, pandas, DuckDB and others that export Arrow data."""
    return hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")


def record_batches(X: Any) -> Iterator[pa.RecordBatch]:
    """The rows of a table as record batches, without an index that pandas may have added."""
    try:
        if isinstance(X, pa.RecordBatch):
            reader = pa.RecordBatchReader.from_batches(X.schema, [X])
        elif hasattr(X, "__arrow_c_stream__"):
            reader = pa.RecordBatchReader.from_stream(X)
        else:
            single = pa.record_batch(X)
            reader = pa.RecordBatchReader.from_batches(single.schema, [single])
        index = _pandas_index(reader.schema)
        for batch in reader:
            yield from _in_blocks(batch.drop_columns(index) if index else batch)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(f"the table cannot be read: {error}") from None


def _in_blocks(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """A batch in slices that stay in the cache while their columns are turned into rows."""
    if batch.num_rows <= BLOCK_ROWS:
        yield batch
        return
    for begin in range(0, batch.num_rows, BLOCK_ROWS):
        yield batch.slice(begin, BLOCK_ROWS)


def as_matrix(X: Any) -> Any:
    """X as a two-dimensional NumPy array or as a SciPy sparse matrix."""
    if hasattr(X, "tocsr"):
        return X
    try:
        array = np.asarray(X)
        array = array if array.dtype.kind == "f" else array.astype(np.float64)
    except (ValueError, TypeError):
        raise DataError(
            "X has values that are not numbers; to learn from text and categories, pass a table with named "
            "columns (pandas, polars, pyarrow)"
        ) from None
    if array.ndim != 2:
        raise UsageError(
            f"X has {array.ndim} dimension{'s' * (array.ndim != 1)}, it must have two: rows and columns; "
            "a single row is X.reshape(1, -1)"
        )
    return array


def _pandas_index(schema: pa.Schema) -> list[str]:
    """The columns that hold the index of a pandas frame."""
    described = (schema.metadata or {}).get(b"pandas")
    if described is None:
        return []
    index = json.loads(described).get("index_columns", [])
    return [name for name in index if isinstance(name, str) and name in schema.names]
