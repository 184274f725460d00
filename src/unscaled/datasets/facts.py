"""What is stated about a data set: all that loading, fetching and showing it need to know."""

from dataclasses import dataclass
from typing import Literal

FETCH = "unscaled data fetch"


@dataclass(frozen=True, kw_only=True)
class Paper:
    """What table 1 of the paper says of a data set."""

    rows: int
    features: int
    scales: tuple[float, float]
    """The smallest and the largest of the features' scales, where a scale is the largest |x| of a column."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """A data set as it is at UCI and as the paper uses it: each file of this package states one."""

    name: str
    about: str
    task: Literal["classes", "regression"]
    rows: int
    columns: tuple[str, ...]
    """All columns, in the order of the file."""

    features: tuple[str, ...]
    """The numeric columns that the paper learns from; all others but the target hold text."""

    target: str
    paper: Paper

    page: str
    download: str
    members: tuple[str, ...]
    """The way to the file through the archives in one another, from the outermost."""

    citation: str
    doi: str
    licence: str = "CC BY 4.0"

    file: str
    """UCI's name of the file; a copy may also end in .gz or .Z."""

    aliases: tuple[str, ...] = ()
    """What the same file is called elsewhere."""

    part: tuple[str, ...] = ()
    """Files that together hold a part of the rows, for those who do not have them all."""

    separator: str = ","
    header: bool = False
    rows_after: int = 0
    """Rows at the end of the file that are not the paper's."""

    sha256: str | None
    """Of UCI's file, decompressed; None if it is not known."""
