"""The readers of the real data sets: from the bytes of a file to columns of numbers and a target.

Each keeps what was known before the target was: arrival times do not tell a delay. Times become numbers, and where
a day has a rhythm that no straight line follows, its hours are one-hot.
"""

import bz2
import io
import lzma
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

Table = tuple[np.ndarray, np.ndarray]
"""X of float64 with NaN for what is missing, and the target."""


def columns(frame: pd.DataFrame, target: str, drop: Sequence[str] = (), one_hot: Sequence[str] = ()) -> Table:
    """The numbers of a frame, with some columns one-hot, and the target."""
    wanted = frame.drop(columns=[target, *drop])
    wide = pd.get_dummies(wanted, columns=list(one_hot), dtype=np.float64)
    return wide.to_numpy(dtype=np.float64, na_value=np.nan), frame[target].to_numpy()


def csv(content: bytes, **options: object) -> pd.DataFrame:
    """A CSV file's frame."""
    return pd.read_csv(io.BytesIO(content), **options)


def r_data(content: bytes) -> pd.DataFrame:
    """The only frame in a file of R."""
    import pyreadr  # noqa: PLC0415

    with tempfile.NamedTemporaryFile(suffix=".rda") as file:
        Path(file.name).write_bytes(content)
        (frame,) = pyreadr.read_r(file.name).values()
    return frame


def two_valued(column: pd.Series, one: object) -> np.ndarray:
    """1 for this value, else 0, NaN where nothing is known."""
    return np.where(column.isna(), np.nan, (column == one).astype(float))


def with_calendar(frame: pd.DataFrame, times: pd.Series) -> pd.DataFrame:
    """Year, month, weekday and hour beside the other columns."""
    return frame.assign(year=times.dt.year, month=times.dt.month, weekday=times.dt.weekday, hour=times.dt.hour)


def flights(content: bytes) -> Table:
    frame = _flights(content)[[*_BEFORE_DEPARTURE, "dep_delay", "arr_delay"]]
    return columns(frame, "arr_delay", one_hot=("carrier", "origin"))


def late(content: bytes) -> Table:
    frame = _flights(content)
    frame["late"] = two_valued(frame.dep_delay > 15, True)
    frame.loc[frame.dep_delay.isna(), "late"] = np.nan
    return columns(frame[[*_BEFORE_DEPARTURE, "late"]], "late", one_hot=("carrier", "origin"))


_BEFORE_DEPARTURE = (
    *("month", "day", "sched_dep_time", "sched_arr_time", "distance", "hour", "minute", "flight"),
    *("carrier", "origin"),
)


def _flights(content: bytes) -> pd.DataFrame:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return csv(archive.read("flights.csv"))


def traffic(content: bytes) -> Table:
    frame = csv(content, keep_default_na=False)
    frame = with_calendar(frame, pd.to_datetime(frame.date_time))
    frame["holiday"] = (frame.holiday != "None").astype(float)
    return columns(frame, "traffic_volume", ("weather_description", "date_time"), ("weather_main", "hour"))


def bikes(content: bytes) -> Table:
    frame = csv(content)
    frame = with_calendar(frame, pd.to_datetime(frame.ts))
    return columns(frame, "count", ("date", "ts"), ("hour",))


def beijing(content: bytes) -> Table:
    return columns(csv(content), "pm2.5", ("No",), ("cbwd",))


def appliances(content: bytes) -> Table:
    frame = csv(lzma.decompress(content)).rename(columns=str.strip)
    frame = with_calendar(frame, pd.to_datetime(frame.date))
    return columns(frame, "Appliances", ("date", "rv1", "rv2"))  # two columns of noise, put in by the authors


def parking(content: bytes) -> Table:
    frame = csv(content)
    frame = with_calendar(frame, pd.to_datetime(frame.LastUpdated))
    return columns(frame, "Occupancy", ("LastUpdated", "year"), ("SystemCodeNumber",))


def _of_pydataset(content: bytes) -> pd.DataFrame:
    return csv(content).iloc[:, 1:]  # the first column is R's row names


def diamonds(content: bytes) -> Table:
    return columns(_of_pydataset(content), "price", one_hot=("cut", "color", "clarity"))


def movies(content: bytes) -> Table:
    # The shares of votes r1 to r10 make up the rating; the budget is mostly missing.
    return columns(_of_pydataset(content), "rating", ("title", "budget", "mpaa", *(f"r{i}" for i in range(1, 11))))


def doctors(content: bytes) -> Table:
    return columns(_of_pydataset(content), "mdu", one_hot=("health", "sex"))


def computers(content: bytes) -> Table:
    frame = _of_pydataset(content)
    for name in ("cd", "multi", "premium"):
        frame[name] = two_valued(frame[name], "yes")
    return columns(frame, "price")


def insured(content: bytes) -> Table:
    frame = _of_pydataset(content)
    for name in ("hhi", "hhi2", "hispanic"):
        frame[name] = two_valued(frame[name], "yes")
    return columns(frame, "whi", one_hot=("education", "race", "region"))


def murders(content: bytes) -> Table:
    # Without what is made of the target, and of years that know of arrests.
    made_of_target = ("murdrate", "arrestrate", "arrests", "countyid", "execrate")
    return columns(csv(bz2.decompress(content), na_values="."), "murders", made_of_target)


def fifa(content: bytes) -> Table:
    return columns(csv(content), "value_eur", ("short_name", "nationality"))


def wages(content: bytes) -> Table:
    return columns(r_data(content), "earnings", one_hot=("gender", "region"))


def spam(content: bytes) -> Table:
    return columns(r_data(content), "type")


def letters(content: bytes) -> Table:
    return columns(r_data(content), "lettr")


def satellite(content: bytes) -> Table:
    return columns(r_data(content), "classes")


def caravan(content: bytes) -> Table:
    return columns(csv(content), "Purchase")


def keel(content: bytes) -> Table:
    """A file of KEEL: lines of @ describe it, then come the rows, the class last."""
    lines = [line for line in content.decode().splitlines() if line and not line.startswith("@")]
    frame = csv("\n".join(lines).encode(), header=None, skipinitialspace=True)
    return columns(frame.rename(columns=str), str(frame.columns[-1]))
