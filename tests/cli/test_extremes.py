"""Columns of any size work: the units of a column are nobody's business."""

import math

import pytest

from unscaled.rules import RULES

from .conftest import good, write

ROWS = 300


def told(scale: float, options: str = "", constant: str = "0") -> dict:  # type: ignore[type-arg]
    lines = (f"{(i * 7 % 13 - 6) * scale!r},{constant},{i * 7 % 13 * 2 + i % 3}\n" for i in range(ROWS))
    write("a.csv", "x,c,y\n" + "".join(lines))
    return good(f"train a.csv --target y --model m --json {options}").json


@pytest.mark.parametrize("rule", ["ng", "nag", "snag"])
@pytest.mark.parametrize("exponent", [-997, -500, 500, 996])
def test_any_power_of_two_gives_the_same_metrics(exponent: int, rule: str) -> None:
    assert told(2.0**exponent, f"--rule {rule}")["metrics"] == told(1.0, f"--rule {rule}")["metrics"]


@pytest.mark.parametrize("rule", ["ng", "nag", "snag"])
@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_300_powers_of_ten(scale: float, rule: str) -> None:
    found, expected = told(scale, f"--rule {rule}"), told(1.0, f"--rule {rule}")
    assert found["metrics"] == pytest.approx(expected["metrics"], rel=1e-9)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-300, 1e300])
def test_every_rule_survives(scale: float, rule: str) -> None:
    for loss in ("squared", "absolute", "poisson"):
        found = told(scale, f"--rule {rule} --loss {loss}")
        may_diverge = not RULES[rule].normalised  # the rules that the paper improves on
        assert may_diverge or None not in found["metrics"].values()
        for line in good("predict m a.csv").out.splitlines()[1:]:
            assert may_diverge or math.isfinite(float(line))
        assert good("inspect m --plot m.png").err == ""


def test_a_column_of_zeros_changes_nothing() -> None:
    write("a.csv", "x,y\n" + "".join(f"{i * 7 % 13 - 6},{i * 7 % 13 * 2 + i % 3}\n" for i in range(ROWS)))
    without = good("train a.csv --target y --json").json
    assert told(1.0)["metrics"] == without["metrics"]


@pytest.mark.parametrize("constant", ["1e300", "-1e-300", "3.5", "text"])
def test_the_size_of_a_constant_does_not_matter(constant: str) -> None:
    expected = told(1.0, constant="1")["metrics"]
    assert told(1.0, constant=constant)["metrics"] == pytest.approx(expected, rel=1e-9)


def test_a_constant_below_all_normal_numbers() -> None:
    """Scales are at least the smallest normal number, so that this is as good as none."""
    assert told(1.0, constant="5e-324")["metrics"] == pytest.approx(told(1.0)["metrics"], rel=1e-9)


def test_only_zeros_and_only_missing_values() -> None:
    for cell in ("0", ""):
        write("a.csv", "x,z,y\n" + f"{cell},{cell},3\n" * 50)
        found = good("train a.csv --target y --model m --json").json
        assert found["examples"] == 50
        assert found["metrics"]["rmse"] < 2.0
        assert float(good("predict m a.csv").out.splitlines()[1]) == pytest.approx(3.0, abs=0.3)
    write("a.csv", "y\n1\n2\n3\n")
    assert good("train a.csv --target y --json").json["features"] == 0


@pytest.mark.parametrize("label", [1e-300, 1e100, 5e-324])
def test_labels_of_any_size(label: float) -> None:
    write("a.csv", "x,y\n" + "".join(f"{i % 5},{i % 5 * label / 4!r}\n" for i in range(50)))
    assert good("train a.csv --target y --json").json["metrics"]["rmse"] <= label
