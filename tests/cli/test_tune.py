"""`unscaled tune`: what `unscaled train` gives for each candidate, the best of which becomes an ordinary model."""

import re
import shlex
import signal
import subprocess
import time
from dataclasses import fields
from pathlib import Path

import pytest

from unscaled.cli.hyperparameters import TRIED
from unscaled.options import Options
from unscaled.rules import RULES

from .conftest import classes_csv, complaint, good, numbers_csv, run, start, write
from .test_output import on_terminal
from .test_registries import VALUES, flag, help_of

SHARED = [each.name for each in fields(Options) if each.name not in TRIED]


def train_as(row: dict) -> str:
    words = ["--rule", row["rule"], "--loss", row["loss"]]
    words += [] if row["rate"] is None else ["--learning-rate", str(row["rate"])]
    for each in row["interactions"].split(","):
        words += ["--interactions", each]
    return shlex.join(words)


@pytest.mark.parametrize(
    ("data", "tried"),
    [
        ("a.csv --target y", "--interactions 1 --interactions x:t,t:* --rates 0.1,1 --rule nag --rule sgd"),
        ("a.csv --target y --target x", "--rates 0.1,1"),
        ("c.csv --target k --weight z", "--loss logistic --loss hinge --loss squared --rates 0.1:10:3"),
    ],
)
def test_every_candidate_is_what_train_gives(data: str, tried: str) -> None:
    numbers_csv(60)
    classes_csv(60)
    told = good(f"tune {data} {tried} --json").json
    for row in told["candidates"]:
        classes = "--classes auto" if row["loss"] == "squared" and "c.csv" in data else ""
        alone = good(f"train {data} {train_as(row)} {classes} --json").json
        assert row["progressive_loss"] == pytest.approx(alone["progressive_loss"], rel=1e-12)
        for name, value in alone["metrics"].items():
            assert name == "recall" or row[name] == pytest.approx(value, rel=1e-12, abs=1e-12)
    best = min(told["candidates"], key=lambda row: row[told["metric"]])
    assert told["best"] == best
    assert (told["options"]["learning_rate"], told["examples"]) == (best["rate"], 60 if "c.csv" not in data else 40)


def test_json_is_one_object() -> None:
    numbers_csv()
    result = good("tune a.csv --target y --json --progress --model m --plot p.svg")
    assert result.err == ""
    assert list(result.json) == [
        "examples", "features", "metric", "best", "options", "candidates", "notes", "seconds", "rows", "skipped",
        "skipped_first", "targets", "classes", "model", "plot",
    ]  # fmt: skip
    assert (result.json["model"], result.json["plot"]) == ("m", "p.svg")


@pytest.mark.parametrize(
    "data", ["a.csv --target y", "a.csv --target y --target x", "c.csv --target k", "c.csv --target k --classes no,yes"]
)
def test_the_model_is_an_ordinary_one(data: str) -> None:
    """It predicts, shows, and goes on just as the model that the winner's options alone would have given."""
    numbers_csv(60)
    classes_csv(60)
    file = data.split(maxsplit=1)[0]
    told = good(f"tune {data} --interactions 1 --interactions 2 --model m --json").json
    classes = "--classes no,yes" if "--classes" in data else ""
    alone = good(f"train {data} {train_as(told['best'])} {classes} --model other --json").json
    assert told["options"] == alone["options"]
    assert told["classes"] == alone["classes"]
    for line in ("inspect {} --json", f"train {file} --resume {{}} --json", f"predict {{}} {file} --output -"):
        mine, others = (good(line.format(name)).out for name in ("m", "other"))
        numbers_here, numbers_there = (
            [float(each) for each in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", re.sub(r'"seconds": [\d.]+', "", text))]
            for text in (mine, others)
        )
        assert numbers_here == pytest.approx(numbers_there, rel=1e-9, abs=1e-9)


def test_the_table_for_people() -> None:
    numbers_csv(100)
    told = good("tune a.csv --target y --rule nag --rule ag --rates 0.01,0.03 --json").json
    result = good("tune a.csv --target y --rule nag --rule ag --rates 0.01,0.03 --model m --plot p.png")
    first, heading, winner, second, best, metrics, note, model, chart = result.out.splitlines()
    assert re.fullmatch(r"100 examples, 2 candidates at 4 learning rates in all, \d+\.\d\d s \([\d,]+ rows/s\)", first)
    assert heading.split() == ["rule", "loss", "interactions", "best", "rate", "MSE"]
    assert winner.split() == [told["best"]["rule"], "squared", "1", "0.03", f"{told['best']['mse']:.5g}",
                              "highest", "rate", "tried"]  # fmt: skip
    assert {winner.split()[0], second.split()[0]} == {"nag", "ag"}
    assert best == f"best by MSE: --rule {told['best']['rule']} --loss squared --interactions 1 --learning-rate 0.03"
    assert metrics.startswith(f"progressive MSE {told['best']['mse']:.5g}   RMSE ")
    assert note == f"note: {told['notes'][0]}"
    assert "so try rates to 3" in note
    assert (model, chart) == ("the model is in m", "the chart is in p.png")
    assert result.err == ""
    assert Path("p.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_told_as_best_can_be_typed() -> None:
    numbers_csv()
    shown = good("tune a.csv --target y --loss 'quantile(0.9)' --interactions x:t,t:t").out
    (options,) = re.findall(r"best by loss: (.*)", shown)
    best = good("tune a.csv --target y --loss 'quantile(0.9)' --interactions x:t,t:t --json").json["best"]
    alone = good(f"train a.csv --target y {options} --json").json
    assert alone["progressive_loss"] == pytest.approx(best["progressive_loss"], rel=1e-12)
    classes_csv()
    shown = good("tune c.csv --target k --loss squared --loss logistic --metric error --rates 0.5").out
    (options,) = re.findall(r"best by error: (.*)", shown)
    assert ("--classes auto" in options) == ("--loss squared" in options)
    assert good(f"train c.csv --target k {options} --json").json["classes"] == ["no", "yes"]


@pytest.mark.parametrize("data", ["a.csv --target y", "c.csv --target k --metric auc"])
def test_progress_when_piped(data: str) -> None:
    numbers_csv(100)
    classes_csv(100)
    lines = [line.split() for line in good(f"tune {data} --progress").err.splitlines()]
    assert lines[0] == ["examples", "so", "far", "since", "last", "leader"]
    assert [line[0] for line in lines[1:]] == ["1", "2", "4", "8", "16", "32", "64"]
    half, whole = lines[-2], lines[-1]
    numbers_csv(64)
    told = good("tune a.csv --target y --json").json
    if "auc" in data:  # that of the last rows does not follow from that of all
        assert whole[2] == "–"
        return
    assert float(whole[1]) == pytest.approx(told["best"]["mse"], rel=1e-4)
    numbers_csv(32)
    before = next(row for row in good("tune a.csv --target y --json").json["candidates"]
                  if (row["rule"], row["rate"]) == (told["best"]["rule"], told["best"]["rate"]))  # fmt: skip
    assert float(whole[2]) == pytest.approx(2 * told["best"]["mse"] - before["mse"], rel=1e-3)
    assert half[0] == "32"


def test_a_terminal_shows_the_candidates_and_the_bar() -> None:
    numbers_csv(60_000)
    sent = on_terminal("tune a.csv --target y --interactions 1 --interactions 2")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", sent)
    assert re.search(r"rule +loss +interactions +best rate +MSE +since last", plain)
    assert re.search(r"[\d,]+ rows  [\d,]+ rows/s", plain)
    assert "60,000 examples, 6 candidates at 34 learning rates in all" in plain
    for option in ("--no-progress", "--json"):
        assert "since last" not in on_terminal(f"tune a.csv --target y {option}")


@pytest.mark.parametrize("name", SHARED)
def test_every_other_hyperparameter_is_an_option(name: str) -> None:
    numbers_csv()
    text, told, senseless = VALUES[name]
    chosen = good(f"tune a.csv --target y --json --rule nag --rates 0.5 {text}").json
    assert chosen["options"][name] == told
    assert f" {flag(name)} " in help_of("tune")
    assert run(f"tune a.csv --target y {senseless}").code == 2


def test_every_metric_is_in_the_help() -> None:
    from unscaled.tuning.metrics import METRICS, OWN_LOSS

    shown = help_of("tune").partition("--metric NAME")[2].partition("--model")[0]
    assert all(re.search(rf"\b{name}\b", shown) for name in (OWN_LOSS, *(n for ns in METRICS.values() for n in ns)))


def test_the_defaults_are_in_the_help() -> None:
    from unscaled.tuning.candidates import DEFAULT_RULES, default_rates

    shown = help_of("tune")
    assert f"[default: {', '.join(DEFAULT_RULES[:-1])} and {DEFAULT_RULES[-1]}]" in shown
    narrow, wide = default_rates(RULES["nag"]()), default_rates(RULES["ag"]())
    assert f"[default: {narrow[0]:g} to {narrow[-1]:g}; for sgd and ag" in shown
    assert f"{wide[0]:.0e} to {wide[-1]:g}]".replace("e-0", "e-") in shown


def test_bad_rows_are_counted_once() -> None:
    write("a.csv", "x,y\n1,2\n2,-1\n3,maybe\n4,5\n" + "5,6\n" * 9)
    told = good("tune a.csv --target y --loss squared --loss poisson --bad-rows skip --json").json
    assert (told["examples"], told["rows"], told["skipped"]) == (11, 13, 2)
    assert "a.csv:3" in told["skipped_first"][0]
    assert "a count cannot be" in told["skipped_first"][0]
    assert "label 'maybe' is not a number" in told["skipped_first"][1]
    shown = good("tune a.csv --target y --loss squared --loss poisson --bad-rows skip").out
    assert "skipped 2 bad rows, of which the first:\n  a.csv:3: " in shown
    assert complaint("tune a.csv --target y --loss squared --loss poisson", 1).startswith("a.csv:3: column")
    assert complaint("tune a.csv --target y", 1).startswith("a.csv:4: column")
    write("b.csv", "x,y\n1,no\n")
    assert complaint("tune b.csv --target y --loss absolute --bad-rows skip", 1).startswith("no row was good; the fir")


@pytest.mark.parametrize(("options", "code", "said"), [
    ("--target z", 2, "--target: no column 'z'"),
    ("--target y --rates 1:2", 2, "--rates: give LOW:HIGH:COUNT, as 0.01:30:8, or a list of rates, not '1:2'"),
    ("--target y --rates 2:1:8", 2, "--rates: '2:1:8' must go up from above 0 in 2 to 1000 steps"),
    ("--target y --rates 1,a", 2, "--rates: 'a' is not a number"),
    ("--target y --rates 0", 2, "learning_rate must be a positive number, not 0.0"),
    ("--target y --rule nagg", 2, "unknown rule 'nagg'; did you mean 'nag' or 'snag' or 'ng'?"),
    ("--target y --loss huge", 2, "unknown loss 'huge'"),
    ("--target y --metric error", 2, "no metric 'error' for this task"),
    ("--target y --interactions 4", 2, "interactions must be 1, 2, 3 or up to"),
    ("--target y --interactions a:b:c", 2, "--interactions: give 1, 2, 3, or pairs"),
    ("--target y --plot p.txt", 2, "--plot p.txt: the suffix must be one of .png, .svg, .pdf, .html"),
    ("--target y --plot no/p.svg", 1, "cannot write no/p.svg: there is no folder"),
    ("--target y --model no/m", 1, "cannot write no/m: there is no folder"),
    ("--target y --model a.csv", 2, "--model a.csv: this file is read from"),
])  # fmt: skip
def test_what_is_refused_before_any_work(options: str, code: int, said: str) -> None:
    numbers_csv()
    before = Path("a.csv").read_bytes()
    assert complaint(f"tune a.csv {options}", code).startswith(said)
    assert Path("a.csv").read_bytes() == before


def test_a_plot_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers_csv()
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    said = "--plot needs matplotlib: pip install 'unscaled[matplotlib]'"
    assert complaint("tune a.csv --target y --plot p.svg", 2) == said
    good("tune a.csv --target y")


def test_a_failed_run_leaves_the_model(untouched) -> None:  # type: ignore[no-untyped-def]
    untouched("old.model")
    write("a.csv", "x,y\n1,2\n2,inf\n")
    complaint("tune a.csv --target y --model old.model", 1)


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_the_model(kind: signal.Signals, untouched) -> None:  # type: ignore[no-untyped-def]
    untouched("old.model")
    process = start("tune - --target y --format csv --model old.model", stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"x,y\n" + b"1,2\n" * 300_000)
    process.stdin.flush()
    time.sleep(3.0)
    process.send_signal(kind)
    process.stdin.close()
    process.stdin = None
    _, err = process.communicate(timeout=60)
    assert process.returncode == (130 if kind == signal.SIGINT else 143)
    assert re.search(rb"interrupted after [\d,]+ rows; nothing was saved", err)


def test_a_pipe_and_text_formats() -> None:
    clicks = b"1 |user a |ad x\n-1 |user b |ad y\n" * 20
    told = good("tune - --json --interactions user:ad --interactions 1", stdin=clicks).json
    assert (told["examples"], told["classes"], told["metric"]) == (40, None, "mse")
    told = good("tune - --json --loss logistic --loss hinge", stdin=clicks).json
    assert (told["metric"], sorted(told["classes"])) == ("error", ["-1", "1"])


def test_tried_rates_are_those_that_are_shown() -> None:
    numbers_csv()
    told = good("tune a.csv --target y --rule nag --rates 0.01:30:8 --json").json
    rates = [row["rate"] for row in told["candidates"]]
    assert (len(rates), rates[0], rates[-1]) == (8, 0.01, 30.0)
    assert all(float(f"{rate:g}") == rate for rate in rates)
