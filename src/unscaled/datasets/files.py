"""Where the files of data sets are: in the folder that UNSCALED_DATA names, or among those that were fetched."""

import os
from pathlib import Path
from typing import NamedTuple

from unscaled.datasets.facts import FETCH, Facts
from unscaled.errors import DataError

VARIABLE = "UNSCALED_DATA"
PACKED = ("", ".gz", ".Z")


class Found(NamedTuple):
    """The files that hold a data set, or a part of it."""

    paths: tuple[Path, ...]
    whole: bool


def find(facts: Facts) -> Found | None:
    """The files of a data set, if they are here. All of it in either place goes before a part of it."""
    places = [folder / facts.name for folder in folders()]
    for place in places:
        for name in (facts.file, *facts.aliases):
            if path := _packed_or_not(place / name):
                return Found((path,), whole=True)
    for place in places:
        paths = [path for name in facts.part if (path := _packed_or_not(place / name))]
        if paths and len(paths) == len(facts.part):
            return Found(tuple(paths), whole=False)
    return None


def found(facts: Facts) -> Found:
    """The files of a data set, or an error that says how to get them."""
    here = find(facts)
    if here is None:
        raise DataError(
            f"data set {facts.name!r} is not here: get it with `{FETCH} {facts.name}`, or put {facts.file} into a "
            f"folder named {facts.name} and set {VARIABLE} to the folder that holds it"
        )
    return here


def folders() -> list[Path]:
    """The folders that hold a folder for each data set, in the order in which they are looked in."""
    named = os.environ.get(VARIABLE)
    if named and not Path(named).is_dir():
        raise DataError(f"{VARIABLE} is {named}, which is not a folder; set it to the one that holds the data sets")
    return [*([Path(named)] if named else []), *fetched_folder()]


def fetched_folder() -> list[Path]:
    """The folder of what was fetched; none without pooch, which knows where it is."""
    try:
        import pooch  # noqa: PLC0415
    except ImportError:
        return []
    return [Path(pooch.os_cache("unscaled"))]


def _packed_or_not(path: Path) -> Path | None:
    candidates = (path.with_name(path.name + suffix) for suffix in PACKED)
    return next((each for each in candidates if each.is_file()), None)
