"""One data set in all formats, however it is stored and found, gives one model."""

import bz2
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from unscaled.sources import FORMATS, format_names

from .conftest import good, write

ROWS = 150


def table(rows: int = ROWS, begin: int = 0) -> pa.Table:
    rng = np.random.default_rng(3)
    a, b, y = rng.normal(size=rows), 1e6 * rng.random(rows), rng.normal(size=rows)
    whole = pa.table(
        {
            "a": pa.array(a, mask=rng.random(rows) < 0.2),
            "b": b,
            "t": pa.array(rng.choice(["Ulm", "Łódź", "NA", "a,b"], size=rows)),
            "y": np.nan_to_num(a) + b / 1e6 + 0.1 * y,
        }
    )
    return whole.slice(begin)


TOWNS = ["Ulm", "Łódź", "NA", "a,b"]


def write_sparse(data: pa.Table, path: str, names: dict[str, str], towns: list[str], bar: str) -> None:
    """svmlight and vw: a category is a feature of the value 1."""
    lines = []
    for row in data.to_pylist():
        pairs = [f"{names[name]}:{row[name]!r}" for name in ("a", "b") if row[name] is not None]
        lines.append(f"{row['y']!r} {bar}{' '.join(pairs)} {towns[TOWNS.index(row['t'])]}:1\n")
    write(path, "".join(lines))


def write_arrow(data: pa.Table, path: str) -> None:
    with pa.ipc.new_file(path, data.schema) as writer:
        writer.write_table(data, max_chunksize=40)


WRITERS: dict[str, Callable[[pa.Table, str], Any]] = {
    "csv": csv.write_csv,
    "tsv": lambda data, path: csv.write_csv(data, path, csv.WriteOptions(delimiter="\t")),
    "parquet": lambda data, path: pq.write_table(data, path, row_group_size=40),
    "arrow": write_arrow,
    "jsonl": lambda data, path: write(path, "".join(json.dumps(row) + "\n" for row in data.to_pylist())),
    "svmlight": lambda data, path: write_sparse(data, path, {"a": "1", "b": "2"}, ["3", "4", "5", "6"], ""),
    "vw": lambda data, path: write_sparse(
        data, path, {"a": "a", "b": "b"}, [f"t={town}" for town in TOWNS], "|features "
    ),
}

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}

SVMLIGHT = {"features:1": "a", "features:2": "b"} | {f"features:{3 + k}": f"t={town}" for k, town in enumerate(TOWNS)}


def plain_name(name: str) -> str:
    return SVMLIGHT.get(name, name.removeprefix("features:"))


def target(name: str) -> str:
    return "" if name in ("svmlight", "vw") else "--target y"


def learned(line: str) -> tuple[dict[str, Any], dict[str, dict[str, float]]]:
    """What --json tells, and the weights, scales and counts by feature."""
    told = good(f"train {line} --json --model m").json
    rows = good("inspect m --all --json").json["weights"]
    numbers = ("weight", "scale", "count", "effect")
    return told, {plain_name(row["feature"]): {name: row[name] for name in numbers} for row in rows}


def write_in(name: str, data: pa.Table, path: str = "data") -> str:
    full = path + next(known.suffixes[0] for known in FORMATS if known.name == name)
    WRITERS[name](data, full)
    return full


@pytest.fixture
def expected() -> tuple[dict[str, Any], dict[str, dict[str, float]]]:
    csv.write_csv(table(), "expected.csv")
    found = learned("expected.csv --target y")
    Path("expected.csv").unlink()
    return found


def assert_same(found: Any, expected: Any, exactly: bool = False) -> None:
    (told, weights), (expected_told, expected_weights) = found, expected
    near: Any = (lambda value: value) if exactly else (lambda value: pytest.approx(value, rel=1e-12, abs=1e-12))
    assert set(weights) == set(expected_weights)
    for feature, numbers in expected_weights.items():
        assert weights[feature] == near(numbers), feature
    assert told["metrics"] == near(expected_told["metrics"])
    assert told["progressive_loss"] == near(expected_told["progressive_loss"])
    for name in ("examples", "features", "options", "rows", "skipped", "classes"):
        assert told[name] == expected_told[name]


def test_every_format_has_a_writer_here() -> None:
    assert set(WRITERS) == set(format_names())


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("name", WRITERS)
def test_every_format(name: str, packing: str, expected: Any) -> None:
    path = Path(write_in(name, table()))
    packed = path.rename(f"{path}{packing}")
    packed.write_bytes(PACKERS[packing](packed.read_bytes()))
    assert_same(learned(f"{packed} {target(name)}"), expected)


@pytest.mark.parametrize("name", WRITERS)
def test_without_a_suffix_and_through_standard_input(name: str, expected: Any) -> None:
    content = Path(write_in(name, table())).read_bytes()
    write("unnamed", content)
    assert_same(learned(f"unnamed {target(name)}"), expected)
    assert_same(learned(f"unnamed {target(name)} --format {name}"), expected)
    for data in (content, gzip.compress(content)):
        told = good(f"train - {target(name)} --json", stdin=data).json
        assert told["metrics"] == pytest.approx(expected[0]["metrics"], rel=1e-12)


@pytest.mark.parametrize("name", WRITERS)
def test_in_parts(name: str, expected: Any) -> None:
    """Several files, a folder, a glob: as if they were one, whichever way."""
    Path("parts").mkdir()
    paths = [write_in(name, table().slice(begin, 60), f"parts/{begin:03}") for begin in (0, 60, 120)]
    suffix = Path(paths[0]).suffix
    for files in (" ".join(paths), "parts", f"'parts/*{suffix}'", f"{paths[0]} {paths[1]} 'parts/1*{suffix}'"):
        assert_same(learned(f"{files} {target(name)}"), expected)


def test_passes_over_every_format_are_the_same() -> None:
    found = {}
    for name in WRITERS:
        path = write_in(name, table())
        found[name] = learned(f"{path} {target(name)} --passes 3")
    for name in WRITERS:
        assert_same(found[name], found["csv"])


@pytest.mark.parametrize("name", WRITERS)
def test_predictions_are_the_same_for_every_format(name: str) -> None:
    path = write_in(name, table())
    good(f"train {path} {target(name)} --model m")
    found = [float(line) for line in good(f"predict m {path}").out.splitlines()[1:]]
    csv.write_csv(table(), "expected.csv")
    good("train expected.csv --target y --model expected.m")
    expected = [float(line) for line in good("predict expected.m expected.csv").out.splitlines()[1:]]
    assert found == pytest.approx(expected, rel=1e-12)
    assert len(found) == ROWS
