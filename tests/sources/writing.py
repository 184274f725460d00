"""Writes one table in every format; a format without a writer here fails the tests."""

import bz2
import gzip
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from unscaled.sources import Batch, open_stream

ROWS: list[dict[str, float | str | None]] = [
    {"y": 1.0, "height": 1.5, "town": "Ulm"},
    {"y": 0.0, "height": None, "town": "Łódź"},
    {"y": 1.0, "height": -2e300, "town": None},
    {"y": 0.0, "height": 7.0, "town": "Ulm"},
    {"y": 1.0, "height": 0.25, "town": "NA"},
] * 3
TABLE = pa.Table.from_pylist(ROWS, pa.schema([("y", pa.float64()), ("height", pa.float64()), ("town", pa.string())]))


def write_csv(path: Path) -> None:
    csv.write_csv(TABLE, path)


def write_tsv(path: Path) -> None:
    csv.write_csv(TABLE, path, csv.WriteOptions(delimiter="\t"))


def write_parquet(path: Path) -> None:
    pq.write_table(TABLE, path, row_group_size=4)


def write_arrow(path: Path) -> None:
    with pa.ipc.new_file(path, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=4)


def write_jsonl(path: Path) -> None:
    import json

    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS), encoding="utf-8")


def write_svmlight(path: Path) -> None:
    path.write_text("".join(f"{row['y']} {_pairs(row, '1', '2=')}\n" for row in ROWS))


def write_vw(path: Path) -> None:
    path.write_text("".join(f"{row['y']} | {_pairs(row, 'height', 'town=')}\n" for row in ROWS), encoding="utf-8")


def _pairs(row: dict[str, float | str | None], height: str, town: str) -> str:
    height_pair = f"{height}:{row['height']}" if row["height"] is not None else ""
    towns = {"Ulm": 2, "Łódź": 3, "NA": 4}
    name = f"{town}{row['town']}" if town == "town=" else str(towns.get(str(row["town"])))
    return f"{height_pair} {name}:1" if row["town"] is not None else height_pair


WRITERS: dict[str, Callable[[Path], None]] = {
    "csv": write_csv,
    "tsv": write_tsv,
    "parquet": write_parquet,
    "arrow": write_arrow,
    "jsonl": write_jsonl,
    "svmlight": write_svmlight,
    "vw": write_vw,
}

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}


def same_rows(batches: list[Batch]) -> list[dict[str, float | str | None]]:
    """Rows as in ROWS, whichever way a format lays out its features."""
    rows = [row for batch in batches for row in batch.table.to_pylist()]
    return [_dense(row) if "features" in row else row for row in rows]


def _dense(row: dict) -> dict[str, float | str | None]:  # type: ignore[type-arg]
    towns = {"2": "Ulm", "3": "Łódź", "4": "NA"}
    dense: dict[str, float | str | None] = {"y": row["label"], "height": None, "town": None}
    for key, value in row["features"]:
        if key in ("1", "height"):
            dense["height"] = value
        else:
            dense["town"] = towns.get(key, key.removeprefix("town="))
    return dense


def read(path: object, **options: object) -> list[Batch]:
    with open_stream([path], **options) as stream:  # type: ignore[list-item, arg-type]
        return list(stream)


def rows(path: object, **options: object) -> list[dict]:  # type: ignore[type-arg]
    return [row for batch in read(path, **options) for row in batch.table.to_pylist()]


def places(path: object, **options: object) -> list[str]:
    return [b.where.row(i) for b in read(path, **options) for i in range(b.table.num_rows)]
