"""Reads the MATLAB files in which parts of MSD are passed on: a matrix whose name ends in x and a vector in y."""

from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.io import loadmat

from unscaled.datasets.facts import Facts


def read_matlab(facts: Facts, path: Path) -> pa.Table:
    """The features and the target of a file as a table, or a ValueError."""
    try:
        content = loadmat(path)
    except Exception as error:  # whatever SciPy's parser stumbles upon
        raise ValueError(f"it cannot be read as a MATLAB file: {error}") from None
    arrays = {name[-1]: value for name, value in content.items() if not name.startswith("_")}
    if set(arrays) != {"x", "y"}:
        raise ValueError(f"it has the variables {', '.join(sorted(content))} and should have one each in x and y")
    X, y = arrays["x"], arrays["y"].ravel()
    if X.shape != (len(y), len(facts.features)):
        raise ValueError(f"it has {' by '.join(map(str, X.shape))} numbers for {len(y)} rows of {len(facts.features)}")
    numbers = {facts.target: y, **dict(zip(facts.features, X.T, strict=True))}
    return pa.table({name: pa.array(np.ascontiguousarray(column, float)) for name, column in numbers.items()})
