"""The compiled loops over features, and the only place that knows Numba: plain arrays go in and come out."""

from unscaled.kernels import drift, listing, mixture, mixture_state, quantiles, yardsticks
from unscaled.kernels.examples import (
    EXAMPLES,
    NORM,
    Batch,
    Lanes,
    Model,
    Settings,
    learn,
    learn_foreign,
    predict,
    predict_foreign,
)
from unscaled.kernels.rows import Crossed, DenseRows, SparseRows, make_scratch, row_total
from unscaled.kernels.scales import State
from unscaled.kernels.simd import LANES, padded, room8

__all__ = [
    "EXAMPLES",
    "LANES",
    "NORM",
    "Batch",
    "Crossed",
    "DenseRows",
    "Lanes",
    "Model",
    "Settings",
    "SparseRows",
    "State",
    "drift",
    "learn",
    "learn_foreign",
    "listing",
    "make_scratch",
    "mixture",
    "mixture_state",
    "padded",
    "predict",
    "predict_foreign",
    "quantiles",
    "room8",
    "row_total",
    "yardsticks",
]
