"""The real files, where they are: what is stated of them is so, and agrees with table 1 of the paper."""

import os

import numpy as np
import pytest

from unscaled import datasets
from unscaled.datasets import DATASETS
from unscaled.datasets.files import VARIABLE, find

FOLDER = os.environ.get(VARIABLE)  # before a test takes it away


@pytest.fixture(scope="module", params=DATASETS)
def loaded(request):
    if not FOLDER:
        pytest.skip(f"{VARIABLE} names no folder")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, FOLDER)
        if find(DATASETS[request.param]) is None:
            pytest.skip(f"{request.param} is not in {VARIABLE}")
        return datasets.load(request.param)


def test_sizes(loaded):
    rows, features = loaded.X.shape
    assert features == len(loaded.facts.features)
    assert (rows == loaded.facts.rows) == loaded.whole
    assert rows == len(loaded.y) == loaded.table.num_rows
    assert np.isfinite(loaded.X).all()


def test_scales_are_those_of_the_paper(loaded):
    low, high = loaded.facts.paper.scales
    if loaded.whole:
        assert (loaded.scales[loaded.scales > 0].min(), loaded.scales.max()) == pytest.approx((low, high), rel=2e-3)
    else:
        assert loaded.scales.max() <= high * 1.00001


def test_labels(loaded):
    if loaded.task == "regression":
        assert loaded.y.dtype == np.float64
        assert np.isfinite(loaded.y).all()
    else:
        classes = {"bank": 2, "census": 2, "covertype": 7, "shuttle": 7}
        assert len(np.unique(loaded.y)) == classes[loaded.name]


def test_rows_are_those_of_the_table(loaded):
    table = loaded.table
    for row in (0, len(loaded.y) // 2, len(loaded.y) - 1):
        cells = table.slice(row, 1).to_pylist()[0]
        assert [cells[name] for name in loaded.columns] == loaded.X[row].tolist()
        assert cells[loaded.facts.target] == loaded.y[row]
