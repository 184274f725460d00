"""`unscaled paper` as a whole on tiny data sets, what its report says, and what it makes of results that are bad."""

import csv
import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest

from cli.conftest import complaint, good
from unscaled.datasets import DATASETS
from unscaled.pages import Heading, Picture, Points, Table, Text, as_html, as_markdown
from unscaled.paper.claims import CLAIMS, MAX_NORM, RAW, Cell
from unscaled.paper.findings import Findings, Result
from unscaled.paper.protocol import Protocol
from unscaled.paper.searching import Losses
from unscaled.paper.verdicts import verdicts


def lines(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_quick_run_writes_the_report_and_its_records(tiny, tmp_path):
    done = good(f"paper --quick --no-vw --set bank --set shuttle --output {tmp_path}/report")
    assert "the report is in" in done.out
    folder = tmp_path / "report"
    assert {each.name for each in folder.iterdir()} == {
        *("README.md", "index.html", "records", "toy.svg", "against.svg", "rates.svg", "curves.svg")
    }
    cells = lines(folder / "records" / "cells.csv")
    assert [(each["data"], each["rule"], each["scaling"]) for each in cells] == [
        tuple(cell) for name in ("bank", "shuttle") for cell in sorted(CLAIMS, key=str) if cell.data == name
    ] or len(cells) == 14
    text = (folder / "README.md").read_text()
    for each in cells:
        assert f"{float(each['rate']):.3g}" in text
    page = (folder / "index.html").read_text()
    assert page.count("<svg") == 4
    assert "unscaled paper --set bank --set shuttle --quick --no-vw" in page
    assert "A quick look" in page


def test_only_what_was_asked_for_is_run(tiny, tmp_path):
    done = good(f"paper --quick --no-vw --set bank --table 2 --json --output {tmp_path}/report")
    assert {each["rule"] for each in done.json["cells"]} == {"nag", "ag"}
    assert good(f"paper --table 1 --set msd --output {tmp_path}/sizes").out.startswith("msd")
    assert not (tmp_path / "sizes" / "records" / "cells.csv").exists()


def test_a_set_that_is_not_here_is_told_and_left_out(tiny, tmp_path):
    (tiny / "census" / DATASETS["census"].file).unlink()
    done = good(f"paper --quick --no-vw --set census --set bank --table 2 --output {tmp_path}/report")
    assert "'census' is not here" in done.err
    assert "'census' is not here" in (tmp_path / "report" / "README.md").read_text()
    assert "bank, nag, raw" in done.out


def test_a_folder_that_cannot_be_made_is_told_before_the_work(tiny, tmp_path):
    (tmp_path / "file").write_text("")
    assert "cannot write to" in complaint(f"paper --quick --no-vw --output {tmp_path}/file/report", 1)


def test_an_unknown_set_is_a_usage_error(tiny):
    assert "did you mean 'bank'?" in complaint("paper --set bnak", 2)


LOSSES = Losses(np.array([0.1, 1.0, 10.0]), np.array([0.3, 0.09, 0.2]), np.array([0.3, 0.2, 0.2]))


def findings(**losses: float) -> Findings:
    """As good as the paper on bank, but for the losses given as nag_raw."""
    results = []
    for cell, claim in CLAIMS.items():
        if cell.data == "bank":
            key = f"{cell.rule}_{cell.scaling.split()[0]}"
            low = losses.get(key, claim.loss)
            rates = np.array([0.5, 1.0, 2.0]) * losses.get(f"{key}_rate", 1.0)
            results.append(Result(cell, 45_211, True, Losses(rates, np.array([0.9, low, 0.9]), LOSSES.squared), None))
    return Findings(Protocol(), results=results)


def missed(found: Findings) -> list[str]:
    return [f"{each.claim}: {miss}" for each in verdicts(found) for miss in each.misses]


def test_the_papers_own_numbers_hold():
    found = verdicts(findings(nag_max=0.098, ag_raw_rate=1e-5))
    assert [each for each in found if not each.holds] == []
    assert [each.cases for each in found] == [4, 2, 2, 2, 2, 4, 1]


@pytest.mark.parametrize(
    ("losses", "claims"),
    [
        ({"nag_raw": 0.1021, "nag_max": 0.1021}, ["at most the paper's", "within 0.002"]),
        ({"snag_raw": 0.11, "snag_square": 0.11}, ["at most the paper's", "no worse than ag", "within 0.002"]),
        ({"ag_raw": 0.09, "nag_max": 0.098}, ["no worse than ag", "nor significantly worse"]),
        ({"ag_max": 0.08, "nag_max": 0.098}, ["within 0.002"]),
        ({"nag_max": 0.0986}, ["normalising changes"]),
        ({"nag_raw_rate": 50.0, "nag_max": 0.098}, ["best rates of nag"]),
        ({"ag_raw_rate": 1e-3}, ["best rates of ag"]),
    ],
)
def test_what_does_not_hold_is_said(losses, claims):
    misses = missed(findings(**losses))
    for claim in claims:
        assert any(claim in miss for miss in misses), (claim, misses)


def test_sets_that_are_here_in_part_are_not_judged():
    found = findings(nag_raw=0.5)
    found.results = [dataclasses.replace(each, whole=False) for each in found.results]
    assert verdicts(found) == []


def test_a_report_says_the_same_as_markdown_and_as_html():
    drawing = '<?xml version="1.0"?>\n<svg><text>a &lt; b</text></svg>'
    blocks = [
        Heading(2, "max |x|"),
        Text("**bold** and *slanted* and `<code>`"),
        Points(["one", "two"]),
        Table(("a|b", "c"), [("1", "**2**")]),
        Picture("drawn", drawing, "what it shows"),
    ]
    assert as_markdown(blocks) == (
        "## max |x|\n\n**bold** and *slanted* and `<code>`\n\n- one\n- two\n\n"
        "| a\\|b | c |\n| --- | ---: |\n| 1 | **2** |\n\n![what it shows](drawn.svg)\n\n*what it shows*\n"
    )
    page = as_html(blocks, "A & B")
    assert "<title>A &amp; B</title>" in page
    assert "<p><strong>bold</strong> and <em>slanted</em> and <code>&lt;code&gt;</code></p>" in page
    assert "<tr><td>1</td><td><strong>2</strong></td></tr>" in page
    assert "<?xml" not in page
    assert re.search(r"<figure><svg>.*<figcaption>what it shows", page, re.DOTALL)


def test_the_search_of_a_cell_is_found():
    found = findings()
    assert found.result("bank", "nag", MAX_NORM).cell == Cell("bank", "nag", MAX_NORM)
    assert found.result("census", "nag", RAW) is None
