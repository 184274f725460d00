"""Intervals and warnings of drift, as the command line shows them."""

from pathlib import Path

import numpy as np
import pytest

from unscaled.learner import load

from .conftest import classes_csv, complaint, good, numbers_csv, write
from .test_predict import features, read


def noisy_csv(rows: int, change: float, name: str = "n.csv") -> None:
    """Labels whose noise changes at half time."""
    random = np.random.default_rng(0)
    x = random.normal(size=rows)
    y = 3.0 * x + random.normal(size=rows) * np.where(np.arange(rows) < rows // 2, 1.0, change)
    write(name, "x,y\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(x.tolist(), y.tolist(), strict=True)))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_predict_adds_low_and_high(suffix: str) -> None:
    numbers_csv(90)
    good("train a.csv --target y --model m")
    good(f"predict m a.csv --interval 0.8 --keep y --output p{suffix}")
    rows = read(f"p{suffix}")
    assert [list(row) for row in rows] == [["y", "prediction", "low", "high"]] * 90
    expected = load("m").predict(features("a.csv"), interval=0.8)
    assert [[row["prediction"], row["low"], row["high"]] for row in rows] == expected.tolist()


def test_several_targets() -> None:
    lines = "".join(f"{i % 5},{i % 5 * 2},{i % 3}\n" for i in range(60))
    write("t.csv", "x,a,b\n" + lines)
    good("train t.csv --target a --target b --model m")
    good("predict m t.csv --interval 0.5 --output p.csv")
    columns = ["prediction[a]", "prediction[b]", "low[a]", "low[b]", "high[a]", "high[b]"]
    assert list(read("p.csv")[0]) == columns


def test_what_has_no_intervals() -> None:
    classes_csv()
    good("train c.csv --target k --model m")
    assert "classes have probabilities" in complaint("predict m c.csv --interval 0.9", 2)
    numbers_csv()
    good("train a.csv --target y --model n")
    assert "between 0 and 1" in complaint("predict n a.csv --interval 90", 2)
    assert "--raw" in complaint("predict n a.csv --interval 0.9 --raw", 2)


def test_train_says_what_intervals_held_and_where_the_loss_rose() -> None:
    noisy_csv(8000, 10.0)
    told = good("train n.csv --target y --json --model m").json
    assert told["interval_coverage"]["0.9"] == pytest.approx(0.9, abs=0.02)
    (rise,) = told["drift"]["rises"]
    assert told["drift"]["alarms"] == 1
    assert rise["example"] == pytest.approx(4000, abs=500)
    assert rise["before"] < 3.0 < rise["after"]
    shown = good("train n.csv --target y").out
    assert f"90 % intervals held {told['interval_coverage']['0.9']:.1%} of the labels\n" in shown
    assert f"warning: the loss rose from {rise['before']:.3g} to {rise['after']:.3g} around example" in shown


def test_no_warning_without_a_change() -> None:
    noisy_csv(8000, 1.0)
    assert good("train n.csv --target y --json").json["drift"] == {"alarms": 0, "rises": []}
    assert "warning" not in good("train n.csv --target y").out


def test_classes_have_no_intervals_in_the_report() -> None:
    classes_csv()
    assert good("train c.csv --target k --json").json["interval_coverage"] == {}
    assert "intervals" not in good("train c.csv --target k").out


def test_a_resumed_run_knows_both() -> None:
    noisy_csv(8000, 10.0)
    whole = good("train n.csv --target y --json").json
    lines = Path("n.csv").read_text().splitlines(keepends=True)
    write("1.csv", "".join(lines[:4301]))
    write("2.csv", "".join([lines[0], *lines[4301:]]))
    good("train 1.csv --target y --model m")
    resumed = good("train 2.csv --resume m --json").json
    for key in ("interval_coverage", "drift"):
        assert resumed[key] == whole[key]
