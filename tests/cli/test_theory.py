"""`unscaled theory`: a table, JSON, a picture, and one sentence when something is missing."""

import sys
from pathlib import Path
from typing import Any

import pytest

from unscaled.cli import plotting
from unscaled.theory.adversaries import ADVERSARIES
from unscaled.theory.curves import ALGORITHMS
from unscaled.theory.losses import CONVEX

from .conftest import complaint, good, program

SMALL = "theory --rounds 30 --features 2"


def test_the_table() -> None:
    heading, *rows = [line.split() for line in good(SMALL).out.splitlines()]
    assert heading == ["algorithm", "regret", "rescaled", "bound", "difference"]
    assert [" ".join(row[:-4]) for row in rows] == list(ALGORITHMS)
    for *name, regret, rescaled, bound, difference in rows:
        assert (regret == rescaled and difference == "0") == (name not in (["ag"], ["sgd"]))
        assert bound == "–" or float(bound) > float(regret)


@pytest.mark.parametrize("loss", CONVEX)
@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_every_adversary_and_loss_is_played_and_in_the_help(adversary: str, loss: str) -> None:
    told = good(f"{SMALL} --adversary {adversary} --loss {loss} --rescale 3 --seed 5 --json").json
    assert (told["adversary"], told["loss"], told["rounds"], told["rescale"]) == (adversary, loss, 30, 3.0)
    assert list(told["algorithms"]) == list(ALGORITHMS)
    for curve in told["algorithms"].values():
        assert len(curve["regret"]) == len(told["times"])
        assert len(curve["rescaled"]) == 3
    shown = " ".join(good("theory --help").out.split())
    assert ", ".join(ADVERSARIES) in shown
    assert ", ".join(CONVEX) in shown


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("A.PDF", b"%PDF")])
def test_the_picture(name: str, start: bytes) -> None:
    assert good(f"{SMALL} --output {name}").out.endswith(f"the chart is in {name}\n")
    assert Path(name).read_bytes().startswith(start)


def test_the_picture_shows_every_algorithm_in_all_units(monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    kept: list[Any] = []
    save = Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda figure, *a, **k: (kept.append(figure), save(figure, *a, **k)))
    good(f"{SMALL} --adversary drifting --output a.png")
    names = [name for family in plotting.FAMILIES.values() for name in family]
    assert names == list(ALGORITHMS)
    lines = {line.get_label(): line for axes in kept[0].axes for line in axes.lines}
    assert {"bound of theorem 1", "bound of theorem 2", *names, *(f"{name}, other units" for name in names)} <= set(
        lines
    )
    for axes in kept[0].axes:
        low, high = axes.get_ylim()
        drawn = [y for line in axes.lines for y in line.get_ydata() if abs(y) < plotting.OFF_THE_PAPER]
        assert low < min(drawn)
        assert max(drawn) < high


def test_what_cannot_be_played() -> None:
    assert complaint("theory --adversary nice", 2).startswith('there is no adversary "nice"; known are linear')
    assert complaint("theory --loss poisson", 2).startswith('there is no convex loss "poisson" in the theory; known')
    assert complaint("theory --rescale 99", 2) == "features can be rescaled by 10^0 to 10^60, not by 10^99"
    assert complaint("theory --rescale nan", 2) == "features can be rescaled by 10^0 to 10^60, not by 10^nan"
    assert complaint("theory --output a.txt", 2) == "--output a.txt: the suffix must be one of .png, .svg, .pdf"
    assert complaint(f"{SMALL} --output no/a.png", 1) == "cannot write no/a.png: No such file or directory"


@pytest.mark.parametrize(("module", "said"), [
    ("cvxpy", "regret in hindsight needs cvxpy: pip install 'unscaled[theory]'"),
    ("matplotlib", "--output needs matplotlib: pip install 'unscaled[matplotlib]'"),
])  # fmt: skip
def test_an_extra_that_is_not_installed(module: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    assert complaint(f"{SMALL} --output a.png", 2) == said


def test_help_imports_nothing_that_is_slow() -> None:
    script = """
import atexit, sys, unscaled.cli
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
sys.argv[1:] = ["theory", "--help"]
unscaled.cli.main()
"""
    loaded = set(program("", command=[sys.executable, "-c", script]).err.split())
    assert "unscaled.cli.theory" in loaded
    assert not loaded & {"numpy", "numba", "pyarrow", "matplotlib", "cvxpy", "scipy"}
