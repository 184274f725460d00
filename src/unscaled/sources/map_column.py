"""Builds the map columns of the sparse formats: each row's features, name to value."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

FEATURES = "features"


class Entries:
    """The features of some rows, one after the other."""

    def __init__(self) -> None:
        self._keys: list[bytes] = []
        self._values: list[float] = []
        self._rows: list[int] = []

    def extend(self, row: int, keys: list[bytes], values: list[float]) -> None:
        """Add features of `row`, which is not before the row of the last call."""
        self._keys += keys
        self._values += values
        self._rows += [row] * len(keys)

    def column(self, row_count: int) -> pa.MapArray:
        """Return a map for each of `row_count` rows; the values of a repeated key are summed."""
        keys = pa.array(self._keys, pa.string()).dictionary_encode()
        codes = keys.indices.to_numpy()
        rows, codes, values = _summed(
            np.array(self._rows, np.int64), codes, np.array(self._values, np.float64), len(keys.dictionary)
        )
        offsets = np.zeros(row_count + 1, np.int32)
        np.cumsum(np.bincount(rows, minlength=row_count), out=offsets[1:])
        return pa.MapArray.from_arrays(
            pa.array(offsets),
            pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), keys.dictionary),
            pa.array(values),
        )


def _summed(
    rows: npt.NDArray[np.int64], codes: npt.NDArray[np.int32], values: npt.NDArray[np.float64], keys: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    cells = rows * keys + codes
    ordered = np.sort(cells)
    if not np.any(ordered[1:] == ordered[:-1]):
        return rows, codes, values
    _, first, inverse = np.unique(cells, return_index=True, return_inverse=True)
    order = np.argsort(first)
    sums = np.bincount(inverse, weights=values)[order]
    return rows[first[order]], codes[first[order]], sums.astype(np.float64)
