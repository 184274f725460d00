"""Predictions are written whole or not at all, in every kind of file, with what they are to be kept beside."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unscaled.cli.writing import MAKERS
from unscaled.learner import load
from unscaled.scores import class_codes, class_probabilities

from .conftest import classes_csv, complaint, good, numbers_csv, run, write


def read(path: str) -> list[dict[str, Any]]:
    if path.endswith(".csv"):
        from pyarrow import csv

        return csv.read_csv(path).to_pylist()
    if path.endswith(".jsonl"):
        return [json.loads(line) for line in Path(path).read_text().splitlines()]
    return (pq.read_table(path) if path.endswith(".parquet") else pa.ipc.open_file(path).read_all()).to_pylist()


def features(path: str) -> Any:
    from pyarrow import csv

    table = csv.read_csv(path)
    return table.select([name for name in table.column_names if name not in ("y", "k", "n", "s", "s2")])


@pytest.mark.parametrize("suffix", MAKERS)
def test_every_kind_of_output(suffix: str) -> None:
    numbers_csv(90)
    good("train a.csv --target y --model m")
    result = good(f"predict m a.csv --output p{suffix} --keep t --keep y")
    assert (result.out, result.err) == ("", "")
    rows = read(f"p{suffix}")
    scores = load("m").predict(features("a.csv"))
    assert [list(row) for row in rows] == [["t", "y", "prediction"]] * 90
    assert [row["prediction"] for row in rows] == scores.tolist()
    assert [(row["t"], row["y"]) for row in rows[:3]] == [("a", 0), ("b", 3), ("a", 4)]
    assert sorted(os.listdir()) == ["a.csv", "m", f"p{suffix}"]


def test_standard_output_is_csv() -> None:
    numbers_csv(20)
    good("train a.csv --target y --model m")
    good("predict m a.csv --output p.csv")
    for line in ("predict m a.csv", "predict m a.csv --output -"):
        assert good(line).out == Path("p.csv").read_text()
    assert good("predict m - --format csv", stdin=Path("a.csv").read_bytes()).out == Path("p.csv").read_text()


def test_classes_and_their_probabilities() -> None:
    classes_csv(90, classes="low mid,dle high")
    write("c.csv", Path("c.csv").read_text().replace("mid,dle", '"mid,dle"'))
    good("train c.csv --target k --model m")
    good("predict m c.csv --output p.csv")
    learner = load("m")
    scores = learner.predict(features("c.csv"))
    chances = class_probabilities(learner.options.loss, scores)
    assert learner.classes is not None
    for row, code, chance in zip(read("p.csv"), class_codes(scores), chances, strict=True):
        assert row["prediction"] == learner.classes[code]
        told = [row[f"probability[{name}]"] for name in learner.classes]
        assert told == pytest.approx(chance.tolist())
        assert sum(told) == pytest.approx(1.0)
        assert learner.classes[int(np.argmax(told))] == row["prediction"]
    raw = good("predict m c.csv --raw").out.splitlines()
    assert raw[0] == ",".join(f'"score[{name}]"' for name in learner.classes)
    assert [float(cell) for cell in raw[1].split(",")] == pytest.approx(scores[0].tolist())


def test_margins_have_no_probabilities() -> None:
    classes_csv(90)
    good("train c.csv --target k --loss hinge --model m")
    assert good("predict m c.csv").out.startswith('"prediction"\n"')


def test_rates_and_several_targets_and_learning_rates() -> None:
    lines = "".join(f"{i % 5},{i % 3},{i % 7},{(-1) ** i},{1 - 2 * (i % 3 > 1)}\n" for i in range(60))
    write("a.csv", "x,n,y,s,s2\n" + lines)
    good("train a.csv --target n --loss poisson --model m --ignore y --ignore s --ignore s2")
    rates = [float(line) for line in good("predict m a.csv").out.splitlines()[1:]]
    assert rates == pytest.approx(np.exp(load("m").predict(features("a.csv"))).tolist())
    assert min(rates) > 0.0
    good("train a.csv --target n --target y --model m --ignore s --ignore s2")
    assert good("predict m a.csv").out.startswith('"prediction[n]","prediction[y]"\n')
    good("train a.csv --target s --target s2 --loss logistic --model m --ignore n --ignore y")
    header = good("predict m a.csv").out.splitlines()[0]
    assert header == '"prediction[s]","prediction[s2]","probability[s]","probability[s2]"'
    good("train a.csv --target y --learning-rate 0.1,0.5 --model m --ignore s --ignore s2 --ignore n")
    first = [float(line) for line in good("predict m a.csv").out.splitlines()[1:]]
    assert first == load("m").predict(features("a.csv"))[:, 0].tolist()
    assert good("predict m a.csv --raw").out.startswith('"score[rate 0.1]","score[rate 0.5]"\n')


def test_bad_rows_are_left_out_and_told_of() -> None:
    numbers_csv()
    good("train a.csv --target y --model m")
    write("b.csv", "x,t\n1,a\ninf,a\n2\n3,b\n")
    said = "b.csv:3: x is infinite; mend the value or leave it out, or skip such rows with --bad-rows skip"
    write("c.csv", "x,t\n1,a\ninf,a\n")
    assert complaint("predict m c.csv --output p.csv", 1) == said.replace("b.csv", "c.csv")
    assert not Path("p.csv").exists()
    result = good("predict m b.csv --bad-rows skip --keep x")
    assert [line.split(",")[0] for line in result.out.splitlines()] == ['"x"', "1", "3"]
    assert result.err.splitlines()[0] == "unscaled: skipped 2 bad rows, of which the first:"
    assert f"  {said}" in result.err.splitlines()


@pytest.mark.parametrize("suffix", MAKERS)
def test_a_run_that_fails_midway_leaves_the_old_output(suffix: str) -> None:
    numbers_csv()
    good("train a.csv --target y --model m")
    write("b.csv", "x,t\ninf,a\n")
    before = write(f"p{suffix}", "old").read_bytes()
    complaint(f"predict m a.csv b.csv --output p{suffix}", 1)
    assert Path(f"p{suffix}").read_bytes() == before
    assert sorted(os.listdir()) == ["a.csv", "b.csv", "m", f"p{suffix}"]


def test_what_cannot_be_asked_for() -> None:
    numbers_csv()
    good("train a.csv --target y --model m")
    assert complaint("predict m a.csv --keep tt", 2) == "--keep: no column 'tt'; did you mean 't'?"
    known = ", ".join(MAKERS)
    said = complaint("predict m a.csv --output p.txt", 2)
    assert said == f"--output p.txt: the suffix must be one of {known}, or give - for CSV"
    assert complaint("predict m a.csv --output no/p.csv", 1).startswith("cannot write no/p.csv: there is no folder ")
    assert run("predict m").code == 2


STRANGE = {
    "list": pa.array([[1, 2], [3]]),
    "map": pa.array([[("a", 1.0)], []], pa.map_(pa.string(), pa.float64())),
    "bytes": pa.array([b"x\xff", b"y"]),
    "date": pa.array([0, 1], pa.date32()),
    "decimal": pa.array([1, 2], pa.decimal128(5, 2)),
    "bool": pa.array([True, None]),
    "dictionary": pa.array(["a", None]).dictionary_encode(),
}


@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("suffix", MAKERS)
def test_columns_of_every_type_are_kept_or_refused_in_a_sentence(suffix: str, kind: str) -> None:
    numbers_csv()
    good("train a.csv --target y --model m")
    pq.write_table(pa.table({"x": [1.0, 2.0], "t": ["a", "b"], "id": STRANGE[kind]}), "b.parquet")
    result = run(f"predict m b.parquet --keep id --output p{suffix}")
    if suffix == ".csv" and kind in ("list", "map", "bytes"):
        assert result.code == 1
        assert result.err.startswith("unscaled: these rows cannot be written to this kind of file (")
        assert result.err.endswith("); write .jsonl\n")
        assert not Path("p.csv").exists()
    else:
        assert (result.code, result.err) == (0, "")
        assert len(read(f"p{suffix}")) == 2


@pytest.mark.parametrize("suffix", MAKERS)
def test_a_kept_column_that_changes_its_type(suffix: str) -> None:
    numbers_csv()
    good("train a.csv --target y --model m")
    write("b1.csv", "id,x,t\n1,1,a\n")
    write("b2.csv", "id,x,t\nfoo,1,b\n")
    line = f"predict m b1.csv b2.csv --keep id --output p{suffix}"
    if suffix == ".jsonl":
        assert good(line).err == ""
        assert [row["id"] for row in read("p.jsonl")] == [1.0, "foo"]
    else:
        assert complaint(line, 1) == (
            "--keep id: its values are double at first and string later, which this kind of file cannot hold; "
            "write .jsonl"
        )
        assert not Path(f"p{suffix}").exists()


def test_a_kept_column_that_some_objects_lack() -> None:
    write("a.jsonl", '{"y": 1, "x": 2}\n{"y": 2, "x": 3}\n')
    good("train a.jsonl --target y --model m")
    write("b.jsonl", '{"x": 2}\n{"x": 3}\n')
    assert [line.split(",")[0] for line in good("predict m b.jsonl --keep id").out.splitlines()] == ['"id"', "", ""]


def test_unknown_columns_are_noted_once_and_kept_ones_are_not() -> None:
    numbers_csv()
    good("train a.csv --target y --model m")
    write("b.csv", "id,extra,x,t\n1,2,1,a\n")
    note = "unscaled: note: ignoring columns that the model does not know: "
    assert good("predict m b.csv b.csv b.csv --keep id").err == f"{note}'extra'\n"


def test_values_beyond_all_seen_count_as_the_largest() -> None:
    """As the help of predict says."""
    write("a.csv", "x,y\n" + "".join(f"{i % 9 - 4},{i % 9}\n" for i in range(90)))
    good("train a.csv --target y --rule nag --model m")
    write("b.csv", "x\n4\n5\n1e300\n-4\n-1e300\n")
    four, five, huge, low, lowest = (float(line) for line in good("predict m b.csv").out.splitlines()[1:])
    assert four == five == huge != low == lowest
