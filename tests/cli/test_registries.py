"""Whatever is registered can be reached from the command line and is told of in its help."""

from dataclasses import fields
from pathlib import Path

import pytest

from unscaled.cli import commands
from unscaled.cli.reporting import NAMES
from unscaled.losses import LOSSES
from unscaled.options import Options, option_fields
from unscaled.rules import RULES
from unscaled.sources import FORMATS

from .conftest import classes_csv, complaint, good, numbers_csv, run, write

OPTIONS = [each.name for each in fields(Options)]

# for each hyperparameter: what is given, how --json tells it, and a value that makes no sense
VALUES = {
    "rule": ("--rule snag", "snag", "--rule nagg"),
    "loss": ("--loss 'quantile(0.9)'", "quantile(0.9)", "--loss squered"),
    "learning_rate": ("--learning-rate 0.25", 0.25, "--learning-rate -1"),
    "intercept": ("--no-intercept", False, "--intercept=5"),
    "importance_aware": ("--no-importance-aware", False, "--importance-aware=5"),
    "clip": ("--clip 0,9.5", [0.0, 9.5], "--clip 5,1"),
    "l1": ("--l1 0.01", 0.01, "--l1 -1"),
    "l2": ("--l2 0.01", 0.01, "--l2 nan"),
    "interactions": ("--interactions x:t --interactions 't:*'", [["x", "t"], ["t", "*"]], "--interactions 4"),
    "hash_bits": ("--hash-bits 8", 8, "--hash-bits 99"),
    "missing_indicator": ("--missing-indicator", True, "--missing-indicator=5"),
    "dtype": ("--dtype float32", "float32", "--dtype float16"),
    "classes": ("--classes auto", "auto", "--classes one"),
}


def flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def help_of(command: str) -> str:
    return " ".join(good(f"{command} --help").out.split())


def test_every_hyperparameter_is_tested_here() -> None:
    assert list(VALUES) == OPTIONS


@pytest.mark.parametrize("name", OPTIONS)
def test_every_hyperparameter_is_an_option(name: str) -> None:
    numbers_csv()
    text, told, _ = VALUES[name]
    default = good("train a.csv --target y --json").json
    chosen = good(f"train a.csv --target y --json {text}").json
    assert chosen["options"][name] == told != default["options"][name]


@pytest.mark.parametrize("name", [name for name in OPTIONS if name not in ("dtype", "classes")])
def test_every_hyperparameter_reaches_the_learner(name: str) -> None:
    lines = ["x,t,y\n", *(f"{i * i % 7 if i % 3 else ''},{'abc'[i % 3]},{i % 7 - 3}\n" for i in range(60))]
    write("a.csv", "".join(lines))
    text, _, _ = VALUES[name]
    text = "--hash-bits 1" if name == "hash_bits" else text  # without a collision nothing changes
    default, chosen = (good(f"train a.csv --target y --json {each}").json for each in ("", text))
    assert chosen["progressive_loss"] != default["progressive_loss"]


@pytest.mark.parametrize("name", OPTIONS)
def test_every_hyperparameter_is_in_the_help(name: str) -> None:
    shown = help_of("train")
    assert f" {flag(name)} " in shown
    assert " ".join(option_fields()[name].split()) in shown
    default = next(each.default for each in fields(Options) if each.name == name)
    assert default is None or f"[default: {default}]" in shown


@pytest.mark.parametrize("name", OPTIONS)
def test_a_senseless_value_names_the_option(name: str, untouched) -> None:  # type: ignore[no-untyped-def]
    numbers_csv()
    untouched("old.model")
    result = run(f"train a.csv --target y --model old.model {VALUES[name][2]}")
    assert (result.code, result.out) == (2, "")
    assert name in result.err.replace("-", "_")


@pytest.mark.parametrize("command", commands.commands)
def test_every_option_has_a_help(command: str) -> None:
    for parameter in commands.commands[command].params:
        if parameter.param_type_name == "option":
            assert parameter.help, parameter.name  # type: ignore[attr-defined]
            assert parameter.opts[0] in help_of(command)


def test_the_commands_are_known_to_the_help() -> None:
    shown = help_of("")
    assert sorted(commands.commands) == ["completion", "data", "inspect", "paper", "predict", "theory", "train", "tune"]
    assert all(f" {name} " in shown for name in commands.commands)


@pytest.mark.parametrize("name", RULES)
def test_every_rule(name: str) -> None:
    numbers_csv()
    told = good(f"train a.csv --target y --rule {name} --json").json["options"]["rule"]
    assert told.partition("(")[0] == name
    assert name in help_of("train")


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("data", ["a.csv --target y", "c.csv --target k"])
def test_every_loss(name: str, data: str) -> None:
    numbers_csv()
    classes_csv()
    assert name in help_of("train")
    result = run(f"train {data} --loss {name} --json")
    if result.code == 0:
        assert result.json["options"]["loss"].partition("(")[0] == name
        assert isinstance(result.json["progressive_loss"], float)
    else:
        text_as_number = data.startswith("c") and getattr(LOSSES[name], "labels", "real") != "sign"
        assert text_as_number, result.err
        assert "c.csv:2: column \"k\": label 'no' is not a number; mend it, skip" in result.err


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_every_format_is_in_the_help(known) -> None:  # type: ignore[no-untyped-def]
    for command in ("train", "predict", "tune"):
        assert known.name in help_of(command).partition("--format NAME")[2]


def test_an_unknown_format_tells_all() -> None:
    numbers_csv()
    said = complaint("train a.csv --target y --format xls", 2)
    assert said == 'there is no format "xls"; known are ' + ", ".join(known.name for known in FORMATS)


def test_every_metric_is_shown_to_people() -> None:
    """The metrics of --json, but for recall, each have a name in the summary."""
    numbers_csv()
    classes_csv()
    met = set()
    for data in ("a.csv --target y", "c.csv --target k"):
        metrics = good(f"train {data} --json").json["metrics"]
        shown = good(f"train {data}").out
        met |= set(metrics) - {"recall"}
        for name, value in metrics.items():
            if name == "recall":
                assert all(f"{each} {share:.3f}" in shown for each, share in value.items())
            else:
                assert f"{NAMES[name]} {value:.5g}" in shown
    assert met == set(NAMES)


def test_examples_of_the_help_run() -> None:
    """What --help shows as commands is meant to be typed."""
    rows = "".join(f"{i},{i % 5},{'ab'[i % 2]}\n" for i in range(40))
    for name in ("bank.csv", "new.csv", "part2.csv"):
        write(name, "id,x,y\n" + rows)
    good("train bank.csv --target y --model bank.model")
    Path("rides").mkdir()
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"minutes": [1.0, 2.0], "trips": [1, 2], "x": [1.0, 3.0]}), "rides/1.parquet")
    good("train 'rides/*.parquet' --target minutes --loss absolute --weight trips")
    clicks = b"1 |user a |ad x\n-1 |user b |ad y\n" * 5
    told = good("train - --loss logistic --hash-bits 22 --interactions user:ad --json", stdin=clicks).json
    assert (told["examples"], told["features"]) == (10, 6)
    good("train part2.csv --target y --resume bank.model --model bank.model")
    good("predict bank.model new.csv --output scored.csv --keep id")
    assert Path("scored.csv").read_text().startswith('"id","prediction","probability[a]","probability[b]"\n0,')
    good("inspect bank.model")
    good("tune bank.csv --target y --model bank.model")
    good("tune bank.csv --target y --interactions 1 --interactions 2 --plot rates.html")
    pq.write_table(pa.table({"minutes": [1.0, 2.0], "x": [1.0, 3.0]}), "rides.parquet")
    good("tune rides.parquet --target minutes --loss huber --loss absolute --metric mae")
