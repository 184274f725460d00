"""Data sets by name: those of the paper, from UCI's archive.

They are looked for in the folder that the environment variable UNSCALED_DATA names, in a folder for each set, and then
among those that `unscaled data fetch` has fetched. Nothing is fetched that was not asked for.
"""

from typing import TYPE_CHECKING

from unscaled.datasets.bank import BANK
from unscaled.datasets.census import CENSUS
from unscaled.datasets.covertype import COVERTYPE
from unscaled.datasets.ct_slice import CT_SLICE
from unscaled.datasets.facts import Facts, Paper
from unscaled.datasets.msd import MSD
from unscaled.datasets.shuttle import SHUTTLE
from unscaled.errors import UsageError
from unscaled.options import nearest

if TYPE_CHECKING:
    from pathlib import Path

    from unscaled.datasets.dataset import Dataset
    from unscaled.datasets.fetching import Progress

__all__ = ["DATASETS", "Facts", "Paper", "describe", "fetch", "load", "names"]

DATASETS: dict[str, Facts] = {
    each.name: each
    for each in (
        BANK,
        CENSUS,
        COVERTYPE,
        CT_SLICE,
        MSD,
        SHUTTLE,
    )
}


def names() -> list[str]:
    """The names of all data sets.

    >>> names()
    ['bank', 'census', 'covertype', 'ct_slice', 'msd', 'shuttle']
    """
    return list(DATASETS)


def describe(name: str) -> Facts:
    """What is known about a data set, whether it is here or not.

    >>> covertype = describe("covertype")
    >>> covertype.rows, len(covertype.features), covertype.paper.scales
    (581012, 54, (1, 7173))
    """
    if name not in DATASETS:
        raise UsageError(f"unknown data set {name!r}{nearest(name, DATASETS)}")
    return DATASETS[name]


def load(name: str) -> "Dataset":
    """A data set from the files that are here: `X`, `y`, `table`, and whether it is `whole`.

    A DataError says how to get it if it is not here, and what is wrong if a file is not as it should be.
    """
    from unscaled.datasets.dataset import load_from_files  # noqa: PLC0415

    return load_from_files(describe(name))


def fetch(name: str, progress: "Progress | None" = None) -> "Path":
    """Fetches a data set unless all of it is here already, and says where it is.

    `progress` is told how far it is, as tqdm is.
    """
    from unscaled.datasets.fetching import fetch_from_uci  # noqa: PLC0415

    return fetch_from_uci(describe(name), progress)
