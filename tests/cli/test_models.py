"""Model files that are broken, foreign or newer are refused in a sentence, by every command."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from .conftest import complaint, good, numbers_csv, run, write

COMMANDS = ["inspect {}", "predict {} a.csv", "train a.csv --resume {} --model old.model"]
MEND = "restore a copy or train it anew"
Untouched = Callable[[str], Path]


@pytest.fixture(autouse=True)
def model(untouched: Untouched) -> bytes:
    numbers_csv()
    content = untouched("old.model").read_bytes()
    write("m", content)
    return content


def altered(change: Callable[[pa.Table, dict], pa.Table]) -> None:  # type: ignore[type-arg]
    table = pq.read_table("m")
    described = json.loads(table.schema.metadata[b"unscaled"])
    table = change(table, described)
    pq.write_table(table.replace_schema_metadata({b"unscaled": json.dumps(described).encode()}), "m")


def heavier(table: pa.Table, described: dict) -> pa.Table:  # type: ignore[type-arg]
    return table.set_column(table.column_names.index("v0"), "v0", pa.array([9.0] * table.num_rows))


def longer(table: pa.Table, described: dict) -> pa.Table:  # type: ignore[type-arg]
    described["examples"] += 1
    return table


def newer(table: pa.Table, described: dict) -> pa.Table:  # type: ignore[type-arg]
    described.update(format=99, version="9.5")
    return table


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("change", [heavier, longer])
def test_altered(command: str, change: Callable) -> None:  # type: ignore[type-arg]
    altered(change)
    said = complaint(command.format("m"), 1)
    assert said == "m has been altered or damaged: its checksum does not match its contents; " + MEND


@pytest.mark.parametrize("command", COMMANDS)
def test_newer(command: str) -> None:
    altered(newer)
    said = complaint(command.format("m"), 1)
    assert said == "m was written by unscaled 9.5, which is newer than this one; update unscaled"


@pytest.mark.parametrize("command", COMMANDS)
def test_no_model(command: str) -> None:
    assert complaint(command.format("none"), 1) == "no such model file: none"
    write("none", "")
    assert complaint(command.format("none"), 1).startswith("none is not a model file, or a broken one (")
    write("none", "x,y\n1,2\n")
    assert complaint(command.format("none"), 1).startswith("none is not a model file, or a broken one (")
    pq.write_table(pa.table({"x": [1]}), "none")
    assert complaint(command.format("none"), 1) == "none is a Parquet file, but not a model of unscaled"
    Path("sub").mkdir()
    result = run(command.format("sub"))
    assert result.code == 2
    assert "'sub' is a directory" in result.err


@pytest.mark.parametrize("part", [0.0, 0.01, 0.3, 0.7, 0.99])
@pytest.mark.parametrize("command", COMMANDS)
def test_truncated(command: str, part: float, model: bytes) -> None:
    write("m", model[: int(part * len(model))])
    assert complaint(command.format("m"), 1).startswith("m is not a model file, or a broken one (")


@pytest.mark.parametrize("metadata", [b"[]", b"5", b'{"format": null}', b'{"format": "x"}'])
def test_foreign_metadata(metadata: bytes) -> None:
    pq.write_table(pq.read_table("m").replace_schema_metadata({b"unscaled": metadata}), "m")
    assert complaint("inspect m", 1).startswith("m ")


def test_unreadable_metadata() -> None:
    pq.write_table(pq.read_table("m").replace_schema_metadata({b"unscaled": b"{"}), "m")
    assert complaint("inspect m", 1) == "m has been altered or damaged: its metadata cannot be read; " + MEND


def test_no_flipped_bit_ends_in_a_traceback_or_in_another_model(model: bytes) -> None:
    """A bit that changes nothing of what is read, such as one of Parquet's statistics, may pass."""
    shown = good("inspect m --json").out
    randomly = random.Random(5)
    refused = 0
    for _ in range(250):
        place = randomly.randrange(len(model))
        write("m", model[:place] + bytes([model[place] ^ (1 << randomly.randrange(8))]) + model[place + 1 :])
        result = run("inspect m --json")
        assert (result.code, result.out) in ((0, shown), (1, "")), result
        assert result.err.count("\n") == result.code
        refused += result.code
    assert refused > 100


def test_what_a_model_remembers() -> None:
    """Its columns' roles: predict and --resume need not be told again."""
    write("b.csv", "x,t,w,id,y\n" + "".join(f"{i % 7},{'ab'[i % 2]},{i % 3},{i},{i % 7 - i % 2}\n" for i in range(90)))
    good("train b.csv --target y --weight w --ignore id --model b")
    again = good("train b.csv --resume b --model c --json").json
    assert (again["targets"], again["features"], again["examples"]) == (["y"], 3, 120)
    with_roles = good("predict c b.csv")
    assert with_roles.err == ""
    write("new.csv", "t,x\nb,3\na,4\n")
    assert good("predict c new.csv").out.count("\n") == 3
    facts = good("inspect c --json").json
    assert (facts["target"], facts["examples"]) == ("y", 120)


def test_a_resumed_model_whose_ignored_columns_are_gone() -> None:
    write("b.csv", "x,id,y\n1,1,2\n2,2,3\n")
    good("train b.csv --target y --ignore id --model b")
    write("new.csv", "x,y\n1,2\n")
    assert good("train new.csv --resume b --json").json["examples"] == 3
