"""What a run shows: a table at doubling counts, a bar on a terminal only, a summary, JSON, charts, completion."""

import json
import os
import pty
import re
import select
import shlex
import subprocess
import time
from pathlib import Path
from typing import IO

import pyarrow.parquet as pq
import pytest

from .conftest import COMMAND, classes_csv, complaint, good, numbers_csv, run, shell, write


def table_of(shown: str) -> list[list[str]]:
    lines = [line.split() for line in shown.splitlines()]
    return [line for line in lines if line and line[0].replace(",", "").isdigit()]


def test_silent_when_piped() -> None:
    numbers_csv()
    result = good("train a.csv --target y --model m")
    assert result.err == ""
    assert result.out.splitlines()[-1] == "the model is in m"
    assert good("predict m a.csv --output p.csv").out == good("predict m a.csv --output p.csv").err == ""
    assert good("predict m a.csv").err == ""


def test_the_summary() -> None:
    numbers_csv(100)
    told = good("train a.csv --target y --json").json
    first, loss, metrics, held, strongest = good("train a.csv --target y").out.splitlines()
    assert re.fullmatch(r"100 examples, 3 features, \d+\.\d\d s \([\d,]+ rows/s\), rule auto, loss squared", first)
    assert loss == f"progressive squared loss  {told['progressive_loss']:.6g}"
    assert metrics.startswith(f"progressive MSE {told['metrics']['mse']:.5g}   RMSE ")
    assert held == f"90 % intervals held {told['interval_coverage']['0.9']:.1%} of the labels"
    assert re.fullmatch(r"strongest: x \([\d.]+\), .*", strongest)


def test_json_is_one_object() -> None:
    numbers_csv()
    result = good("train a.csv --target y --json --progress")
    assert result.err == ""
    told = result.json
    assert list(told) == [
        "examples", "features", "progressive_loss", "metrics", "interval_coverage", "drift", "seconds", "rows",
        "skipped", "skipped_first", "targets", "classes", "options", "model",
    ]  # fmt: skip
    assert (told["examples"], told["features"], told["rows"], told["targets"]) == (50, 3, 50, ["y"])
    assert 0.0 < told["seconds"] < 60.0
    assert told["options"]["rule"] == "auto"
    assert told["model"] is None


@pytest.mark.parametrize("data", ["a.csv --target y", "c.csv --target k", "a.csv --target y --learning-rate 0.1,0.5"])
@pytest.mark.parametrize("rows", [1, 2, 100, 128])
def test_the_table_of_progress(data: str, rows: int) -> None:
    """At 1, 2, 4, …, and at the end; each line is what a run over just these rows would say."""
    numbers_csv(rows)
    classes_csv(rows)
    result = good(f"train {data} --progress")
    assert result.err.split()[:6] == ["examples", "loss", "so", "far", "since", "last"]
    lines = table_of(result.err)
    doubling = [2**k for k in range(10) if 2**k <= rows]
    expected = sorted({*doubling, rows})
    assert [int(line[0].replace(",", "")) for line in lines] == expected
    total = 0.0
    for begin, line in zip([0, *expected], lines, strict=False):
        numbers_csv(int(line[0]), "a.csv")
        classes_csv(int(line[0]), "c.csv")
        told = good(f"train {data} --json").json
        loss = told["progressive_loss"]
        loss = loss[0] if isinstance(loss, list) else loss
        assert float(line[1]) == pytest.approx(loss, rel=1e-5)
        examples = int(line[0])
        assert float(line[2]) == pytest.approx((loss * examples - total) / (examples - begin), rel=1e-5, abs=1e-9)
        metric = told["metrics"]["error" if "error" in told["metrics"] else "rmse"]
        assert float(line[3]) == pytest.approx(metric, rel=1e-4, abs=1e-9)
        assert int(line[4]) == told["features"]
        total = loss * examples


def test_the_table_does_not_depend_on_batches() -> None:
    whole = numbers_csv(300).read_text().splitlines()
    expected = good("train a.csv --target y --progress").err
    for k in range(30):
        write(f"part/{k:02}.csv", "\n".join([whole[0], *whole[1 + 10 * k : 11 + 10 * k]]) + "\n")
    assert good("train part --target y --progress").err == expected


def test_the_table_of_a_resumed_run_begins_where_it_was() -> None:
    numbers_csv(100)
    good("train a.csv --target y --model m --rule nag")
    lines = table_of(good("train a.csv --resume m --progress").err)
    assert [line[0] for line in lines] == ["128", "200"]
    whole = good("train a.csv --resume m --json").json
    assert float(lines[-1][1]) == pytest.approx(whole["progressive_loss"], rel=1e-5)
    first = json.loads(good("inspect m --json").out)["progressive loss"] * 100
    since = (float(lines[0][1]) * 128 - first) / 28
    assert float(lines[0][2]) == pytest.approx(since, rel=1e-4)


def on_terminal(line: str, columns: int = 110) -> str:
    """Everything that a terminal is sent."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "40"}
    process = subprocess.Popen(
        [*COMMAND, *shlex.split(line)], stdin=follower, stdout=follower, stderr=follower, env=environment
    )
    os.close(follower)
    sent, until = b"", time.monotonic() + 60.0
    while time.monotonic() < until:
        if not select.select([leader], [], [], 1.0)[0]:
            continue
        try:
            part = os.read(leader, 1 << 16)
        except OSError:  # how Linux says that the other end is closed
            break
        if not part:
            break
        sent += part
    os.close(leader)
    assert process.wait(timeout=10) == 0, sent
    return sent.decode()


def test_a_terminal_shows_the_bar_and_the_table() -> None:
    numbers_csv(60_000)
    sent = on_terminal("train a.csv --target y --passes 2")
    assert "pass 2 of 2" in sent
    assert re.search(r"[\d,]+ rows  [\d,]+ rows/s", sent)
    assert "100%" in sent
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", sent)
    assert [line[0] for line in table_of(plain)][:3] == ["1", "2", "4"]
    assert "60,000" in [line[0] for line in table_of(plain)]
    assert plain.rstrip().splitlines()[-1].startswith("strongest: x (")


def test_a_terminal_without_progress() -> None:
    numbers_csv()
    for option in ("--no-progress", "--json"):
        sent = on_terminal(f"train a.csv --target y {option}")
        assert "\x1b" not in sent
        assert "since last" not in sent
    assert json.loads(sent)["examples"] == 50


def test_names_and_files_of_every_kind() -> None:
    name = "größe in m³ 'x' $a^$b"
    write("däta $1.csv", f'"{name}","zwei\nZeilen",y\n' + "".join(f"{i},{-i},{i % 3}\n" for i in range(9)))
    shown = good(["train", "däta $1.csv", "--target", "y", "--model", "mödel"]).out
    assert name in shown
    assert "zwei Zeilen" in shown
    assert shown.endswith("the model is in mödel\n")
    assert len(good("inspect mödel").out.split("\n\n")[1].splitlines()) == 4
    for suffix in ("png", "svg", "pdf"):
        assert good(["inspect", "mödel", "--plot", f"p.{suffix}"]).err == ""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_standard_output_that_knows_few_letters(encoding: str) -> None:
    write("a.csv", "größe,温度,y\n1,5,1\n2,1,3\n")
    result = shell(f"PYTHONIOENCODING={encoding} unscaled train a.csv --target y --model m")
    assert result.code == 0
    assert "progressive MSE" in result.out
    assert shell(f"PYTHONIOENCODING={encoding} unscaled inspect m --top 1").code == 0


def test_inspect() -> None:
    numbers_csv(90)
    good("train a.csv --target y --model m")
    facts, lines = good("inspect m").out.split("\n\n")
    assert "rule              auto\nloss              squared\nexamples          90\n" in facts
    header, *rows = [line.split() for line in lines.splitlines()]
    assert header == ["feature", "weight", "scale", "count", "effect"]
    told = good("inspect m --json").json
    assert [row[0] for row in rows] == [row["feature"] for row in told["weights"]]
    for row, of in zip(rows, told["weights"], strict=True):
        assert float(row[1]) == pytest.approx(of["weight"], rel=1e-3)
        assert of["effect"] == pytest.approx(abs(of["weight"]) * of["scale"])
    effects = [of["effect"] for of in told["weights"]]
    assert effects == sorted(effects, reverse=True)


def test_inspect_top_and_all() -> None:
    write("a.csv", ",".join([f"x{k}" for k in range(30)]) + ",y\n" + (",".join("1" * 31) + "\n") * 5)
    good("train a.csv --target y --model m")
    assert good("inspect m --top 3").out.endswith("\n… 28 more; --all shows them\n")
    assert len(good("inspect m").out.split("\n\n")[1].splitlines()) == 1 + 20 + 1
    assert len(good("inspect m --all").out.split("\n\n")[1].splitlines()) == 1 + 31
    assert len(good("inspect m --all --json").json["weights"]) == 31


def test_a_model_is_a_table_of_its_weights() -> None:
    """As inspect's help says: any tool that reads Parquet sees what inspect shows."""
    numbers_csv(90)
    good("train a.csv --target y --model m")
    shown = {row["feature"]: row["weight"] for row in good("inspect m --all --json").json["weights"]}
    rows = pq.read_table("m", columns=["feature", "weight", "count"]).to_pylist()
    assert {row["feature"]: row["weight"] for row in rows if row["count"]} == shown


def drawn(options: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], list[float], str]:
    """The names, the bars and the label of the x-axis of a chart."""
    from matplotlib.figure import Figure

    kept: list[Figure] = []
    save = Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda figure, *a, **k: (kept.append(figure), save(figure, *a, **k)))
    good(f"inspect m --plot chart.png {options}")
    assert Path("chart.png").read_bytes().startswith(b"\x89PNG")
    (axes,) = kept[0].axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    return names, [bar.get_width() for bar in axes.patches], axes.get_xlabel()


def test_the_chart_of_a_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers_csv(90)
    good("train a.csv --target y --model m")
    weights = good("inspect m --json").json["weights"]
    names, bars, label = drawn("", monkeypatch)
    assert names == [row["feature"] for row in weights]
    assert bars == pytest.approx([row["weight"] * row["scale"] for row in weights])
    assert label == "weight × scale: effect on the score"


@pytest.mark.parametrize("options", ["", "--classes no,yes", "--classes no,yes --learning-rate 0.5,0.1",
                                     "--learning-rate 0.5,0.1"])  # fmt: skip
def test_the_chart_of_two_classes_is_of_the_second(options: str, monkeypatch: pytest.MonkeyPatch) -> None:
    classes_csv(90)
    good(f"train c.csv --target k --model m {options}")
    names, bars, label = drawn("", monkeypatch)
    assert label == "weight × scale: effect on the score — positive speaks for yes, negative for no"
    effects = dict(zip(names, bars, strict=True))
    assert set(effects) == {"(intercept)", "x", "z"}
    assert effects["x"] > 0.0  # large x are yes
    assert [abs(bar) for bar in bars] == sorted(map(abs, bars), reverse=True)
    rows = {row["feature"]: row for row in good("inspect m --json").json["weights"]}
    column = {
        "": "weight[yes]",
        "--classes no,yes": "weight",
        "--classes no,yes --learning-rate 0.5,0.1": "weight[rate 0.5]",
        "--learning-rate 0.5,0.1": "weight[yes, rate 0.5]",
    }[options]
    assert effects["x"] == pytest.approx(rows["x"][column] * rows["x"]["scale"])


def test_the_chart_of_seven_classes_names_the_strongest(monkeypatch: pytest.MonkeyPatch) -> None:
    classes_csv(300, classes="a b c d e f g")
    good("train c.csv --target k --model m")
    names, bars, _ = drawn("", monkeypatch)
    for row, name, bar in zip(good("inspect m --json").json["weights"], names, bars, strict=True):
        weights = {key[7:-1]: value for key, value in row.items() if key.startswith("weight[")}
        assert len(weights) == 7
        strongest = max(weights, key=lambda key: abs(weights[key]))
        assert name == f"{row['feature']} → {strongest}"
        assert bar == pytest.approx(weights[strongest] * row["scale"])
        assert abs(bar) == pytest.approx(row["effect"])


def test_the_chart_of_very_many_features(monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.csv", "t,y\n" + "".join(f"name{i},{i % 5}\n" for i in range(2000)))
    good("train a.csv --target y --model m")
    names, _, _ = drawn("--all", monkeypatch)
    assert len(names) == 200


def test_charts_that_cannot_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers_csv()
    good("train a.csv --target y --model m")
    assert complaint("inspect m --plot m.txt", 2) == "--plot m.txt: the suffix must be one of .png, .svg, .pdf"
    assert complaint("inspect m --plot no/m.png", 1) == "cannot write no/m.png: No such file or directory"
    write("m.png", "an older chart")

    def full(image: object, file: IO[bytes], **_: object) -> None:
        file.write(b"half a chart")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("PIL.Image.Image.save", full)
        assert complaint("inspect m --plot m.png", 1) == "cannot write m.png: No space left on device"
    assert Path("m.png").read_text() == "an older chart"
    assert sorted(os.listdir()) == ["a.csv", "m", "m.png"]
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    said = complaint("inspect m --plot m.png", 2)
    assert said == "--plot needs matplotlib: pip install 'unscaled[matplotlib]'"


@pytest.mark.parametrize("kind", ["bash", "zsh", "fish"])
def test_completion_scripts(kind: str) -> None:
    script = good(f"completion {kind}").out
    assert "_UNSCALED_COMPLETE" in script
    assert "unscaled" in script


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("unscaled ", ["completion", "data", "inspect", "paper", "predict", "theory", "train", "tune"]),
        ("unscaled data show c", ["census", "covertype", "ct_slice"]),
        ("unscaled data fetch b", ["bank"]),
        ("unscaled train --rul", ["--rule"]),
        ("unscaled train --rule n", ["newton", "ng", "nag"]),
        ("unscaled train --loss qu", ["quantile"]),
        ("unscaled train --bad-rows s", ["stop", "skip"]),
        ("unscaled train --dtype f", ["float64", "float32"]),
        ("unscaled train --format p", ["parquet"]),
        ("unscaled predict --format v", ["vw"]),
        ("unscaled theory --adversary s", ["signs", "spiking"]),
        ("unscaled theory --loss h", ["hinge"]),
        ("unscaled tune --rule n", ["newton", "ng", "nag"]),
        ("unscaled tune --loss qu", ["quantile"]),
        ("unscaled tune --metric m", ["mse", "mae"]),
        ("unscaled tune --format p", ["parquet"]),
    ],
)
def test_completions(words: str, offered: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_UNSCALED_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    shown = good("").out.split()
    assert [line.partition(",")[2] for line in shown] == offered


def test_the_script_of_bash_completes() -> None:
    write("bin/unscaled", f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n').chmod(0o755)
    script = """PATH="$PWD/bin:$PATH"; eval "$(unscaled completion bash)"
COMP_WORDS=(unscaled train --rule s); COMP_CWORD=3; _unscaled_completion unscaled; echo "${COMPREPLY[@]}" """
    shown = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["sgd", "snag"]


def test_no_command_and_a_misspelt_one() -> None:
    bare, misspelt = run(""), run("tarin")
    assert (bare.code, misspelt.code) == (2, 2)
    assert "unscaled train bank.csv" in bare.err + bare.out
    assert "'tarin'. Did you mean 'train'?" in misspelt.err
    import unscaled

    assert unscaled.__version__ in good("--version").out


def test_help_is_worth_reading() -> None:
    """Fits a terminal of 80 columns but for the examples, and ends with what the exit codes mean."""
    groups = ("", "data", "data list", "data show", "data fetch")
    for command in (*groups, "train", "tune", "predict", "inspect", "completion"):
        shown = good(f"{command} --help").out
        assert all(len(line) <= 100 for line in shown.splitlines())
    assert "Exit codes: 0 done, 1 " in good("--help").out
