"""What the paper prints: its tables 2 and 3, cell by cell. Table 1 stands with the data sets."""

from typing import NamedTuple

RAW, MAX_NORM, SQUARE_NORM = "raw", "max norm", "square norm"
"""How features are scaled before anyone learns: as they come, or divided by their maximum or their root mean square."""


class Cell(NamedTuple):
    """One learner on one data set: what is looked for is its best learning rate in hindsight."""

    data: str
    rule: str
    scaling: str


class Claim(NamedTuple):
    """A learning rate and the progressive loss that it gives."""

    rate: float
    loss: float


TABLE_2 = {
    ("bank", RAW): (Claim(0.55, 0.098), Claim(5.5e-5, 0.109)),
    ("bank", MAX_NORM): (Claim(0.55, 0.099), Claim(0.061, 0.099)),
    ("census", RAW): (Claim(0.2, 0.050), Claim(1.2e-6, 0.054)),
    ("census", MAX_NORM): (Claim(0.25, 0.050), Claim(8.3e-3, 0.051)),
    ("covertype", RAW): (Claim(1.5, 0.27), Claim(5.6e-7, 0.32)),
    ("covertype", MAX_NORM): (Claim(1.5, 0.27), Claim(0.2, 0.27)),
    ("ct_slice", RAW): (Claim(2.7, 0.0023), Claim(0.022, 0.0023)),
    ("ct_slice", MAX_NORM): (Claim(2.7, 0.0023), Claim(0.022, 0.0023)),
    ("msd", RAW): (Claim(9.0, 0.0110), Claim(5.5e-7, 0.0130)),
    ("msd", MAX_NORM): (Claim(9.0, 0.0110), Claim(6.0, 0.0108)),
    ("shuttle", RAW): (Claim(7.4, 0.036), Claim(7.5e-4, 0.040)),
    ("shuttle", MAX_NORM): (Claim(7.4, 0.036), Claim(16.4, 0.035)),
}
"""nag and ag."""

TABLE_3 = {
    ("bank", RAW): (Claim(0.3, 0.098), Claim(5.5e-5, 0.109)),
    ("bank", SQUARE_NORM): (Claim(0.3, 0.098), Claim(0.033, 0.097)),
    ("census", RAW): (Claim(0.11, 0.050), Claim(1.2e-6, 0.054)),
    ("census", SQUARE_NORM): (Claim(0.11, 0.050), Claim(1.6e-3, 0.048)),
    ("covertype", RAW): (Claim(2.2, 0.28), Claim(5.6e-7, 0.32)),
    ("covertype", SQUARE_NORM): (Claim(2.7, 0.28), Claim(0.04, 0.28)),
    ("ct_slice", RAW): (Claim(2.7, 0.0019), Claim(0.022, 0.0023)),
    ("ct_slice", SQUARE_NORM): (Claim(2.7, 0.0019), Claim(0.0067, 0.0019)),
    ("msd", RAW): (Claim(7.4, 0.0119), Claim(5.5e-7, 0.0130)),
    ("msd", SQUARE_NORM): (Claim(7.4, 0.0118), Claim(0.05, 0.0120)),
    ("shuttle", RAW): (Claim(11.0, 0.026), Claim(7.5e-4, 0.040)),
    ("shuttle", SQUARE_NORM): (Claim(9.0, 0.026), Claim(0.818, 0.026)),
}
"""snag and ag."""

TABLES = {2: ("nag", MAX_NORM, TABLE_2), 3: ("snag", SQUARE_NORM, TABLE_3)}
"""Of each table the rule that is set against ag, the scaling that it makes unnecessary, and what is printed."""

CLAIMS = {
    Cell(data, rule, scaling): claim
    for normalised, _, printed in TABLES.values()
    for (data, scaling), claims in printed.items()
    for rule, claim in zip((normalised, "ag"), claims, strict=True)
}
"""All cells."""


def cells(data: str, tables: tuple[int, ...]) -> list[Cell]:
    """The cells of a data set that the tables ask for, each once."""
    wanted = [
        Cell(data, rule, scaling)
        for number in tables
        if number in TABLES
        for rule in (TABLES[number][0], "ag")
        for scaling in (RAW, TABLES[number][1])
    ]
    return list(dict.fromkeys(wanted))
