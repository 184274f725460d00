"""What is said of the results: the tables beside the paper's, what holds, and why the rest does not."""

from collections.abc import Iterator
from pathlib import Path

from unscaled.datasets import describe
from unscaled.pages import Block, Heading, Picture, Points, Table, Text, as_html, as_markdown
from unscaled.paper import figures
from unscaled.paper.claims import MAX_NORM, TABLES, Claim
from unscaled.paper.findings import Findings, Result
from unscaled.paper.records import write_records
from unscaled.paper.remarks import remarks
from unscaled.paper.significance import is_better
from unscaled.paper.verdicts import verdicts

TITLE = "Normalized online learning, run again"
PARTIAL = "needs the full set"


def write_report(findings: Findings, folder: Path, command: str, machine: str) -> Path:
    """Writes the report as README.md and index.html, pictures beside it and records below it."""
    folder.mkdir(parents=True, exist_ok=True)
    blocks = [*_head(findings, command, machine), *_body(findings)]
    for block in blocks:
        if isinstance(block, Picture):
            (folder / f"{block.name}.svg").write_text(block.svg, encoding="utf-8")
    (folder / "README.md").write_text(as_markdown(blocks), encoding="utf-8")
    page = folder / "index.html"
    page.write_text(as_html(blocks, TITLE), encoding="utf-8")
    write_records(findings, folder / "records")
    return page


def _head(findings: Findings, command: str, machine: str) -> Iterator[Block]:
    yield Heading(1, TITLE)
    yield Text(
        "The tables and figures of S. Ross, P. Mineiro and J. Langford, *Normalized online learning* (UAI 2013), on "
        f"the paper's data. Made by `{command}` in {findings.seconds:,.0f} s ({machine}); the numbers are in "
        "`records/`."
    )
    if findings.protocol.most_rows:
        yield Text(
            f"**A quick look**: only the first {findings.protocol.most_rows:,} rows of each set, and few learning "
            "rates. Nothing here can be compared with the paper's numbers, which are beside it all the same."
        )
    if findings.missing:
        yield Points(findings.missing)


def _body(findings: Findings) -> Iterator[Block]:
    if findings.results and not findings.protocol.most_rows:
        yield from _claims(findings)
    yield from _table_1(findings)
    if findings.results:
        yield from _settings(findings)
        for number in TABLES:
            yield from _table(findings, number)
        yield from _figures(findings)
        yield from _agreement(findings)
        yield from _changes(findings)
        yield from remarks(findings)


def _claims(findings: Findings) -> Iterator[Block]:
    yield Heading(2, "What holds")
    rows = [
        (each.claim, f"{each.cases - len(each.misses)} of {each.cases}", "; ".join(each.misses) or "–")
        for each in verdicts(findings)
    ]
    yield Table(("claim, on the sets that are here in full", "holds", "but not"), rows)


def _table_1(findings: Findings) -> Iterator[Block]:
    yield Heading(2, "Table 1: the data")
    rows = []
    for each in findings.sizes:
        paper = describe(each.name).paper
        here = "" if each.whole else f" ({PARTIAL})"
        rows.append(
            (
                each.name,
                f"{each.rows:,}{here}",
                f"{paper.rows:,}",
                str(each.features),
                str(paper.features),
                "{:,.4g} to {:,.6g}".format(*each.scales),
                "{:,.4g} to {:,.6g}".format(*paper.scales),
            )
        )
    yield Table(("set", "rows", "paper", "features", "paper", "scales (smallest, largest max |x|)", "paper"), rows)


def _settings(findings: Findings) -> Iterator[Block]:
    protocol = findings.protocol
    yield Heading(2, "The settings")
    yield Text(
        f"One protocol for all sets: {protocol.loss} loss on labels of −1 and +1, one against all for more than two "
        "classes; the features and the products of all pairs of them, squares included; an intercept; the plain steps "
        "of algorithm 2; predictions cut to the range of the labels seen before. What the paper does not tell is as "
        "in Vowpal Wabbit, its authors' program, plus `-q ::`. Rows come in the order of their file, but for "
        f"{', '.join(protocol.shuffled)}, which is ordered in space and is shuffled once. Losses are progressive: 0-1 "
        "for classes, squared over (max − min)² for numbers. All learning rates run side by side, as lanes of one "
        "learner, in one pass: 16 a decade from 0.003 to 100 for nag and snag, 8 a decade from 10⁻¹⁰ to 300 for ag."
    )
    if findings.peer_version:
        yield Text(
            f"Beside it Vowpal Wabbit {findings.peer_version} on the same rows in the same order with the same "
            "features, at the best of seven rates around our best one. It has no snag."
        )


def _table(findings: Findings, number: int) -> Iterator[Block]:
    rule, scaling, printed = TABLES[number]
    rows = []
    for name, how in printed:
        ours, ag = findings.result(name, rule, how), findings.result(name, "ag", how)
        if ours is not None and ag is not None:
            partial = "" if ours.whole else f" ({PARTIAL})"
            rows.append((f"{name}, {how}{partial}", *_columns(ours, ag), *_columns(ag, ours)))
    if not rows:
        return
    heads = [f"{one}: {what}" for one in (rule, "ag") for what in ("rate", "loss", "paper", "Vowpal Wabbit")]
    yield Heading(2, f"Table {number}: {rule} and ag, raw and divided by the {_normaliser(scaling)}")
    yield Table(("set", *heads), rows)
    yield Text(
        "Best rate in hindsight and its loss. **Bold**: significantly less than the other of the same line, by a "
        f"relative-entropy Chernoff bound at 0.1. *{PARTIAL}*: only a part of the rows is here, so the number says "
        "little."
    )


def _normaliser(scaling: str) -> str:
    return "largest |x|" if scaling == MAX_NORM else "root mean square"


def _columns(result: Result, other: Result) -> tuple[str, str, str, str]:
    loss = _number(result.best.loss)
    if is_better(result.best.loss, other.best.loss, result.rows):
        loss = f"**{loss}**"
    at_the_end = " (end of the search)" if result.losses.ends else ""
    return (
        f"{result.best.rate:.3g}{at_the_end}",
        loss,
        f"{result.paper.loss:g} at {result.paper.rate:g}",
        _claim(result.peer) if result.peer else "–",
    )


def _claim(claim: Claim) -> str:
    return f"{_number(claim.loss)} at {claim.rate:.3g}"


def _number(loss: float) -> str:
    return f"{loss:.4f}" if loss >= 0.02 else f"{loss:.5f}"


def _figures(findings: Findings) -> Iterator[Block]:
    yield Heading(2, "The figures")
    if findings.toy is not None:
        yield Picture(
            "toy",
            figures.toy(findings.toy),
            "Figure 1: two features, the first in other and other units. nag and snag do not notice; ag is lost at "
            "either end even at the best rate for each unit, and more so at the rate that is best in equal units.",
        )
    yield Picture(
        "against",
        figures.against(findings),
        "Figure 2: nag and snag on raw features against ag on normalised ones: on the line they are the same.",
    )
    yield Picture(
        "rates",
        figures.rates(findings),
        "Figure 3: where the best learning rates lie; faint marks are of sets that are here in part.",
    )
    yield Picture("curves", figures.curves(findings), "The loss over the learning rate, which the paper does not show.")


def _agreement(findings: Findings) -> Iterator[Block]:
    if not findings.agreements:
        return
    yield Heading(2, "Vowpal Wabbit at equal settings")
    yield Text(
        "0-1 losses at the same rate on the raw features. The *imitation* (`unscaled/paper/imitation.py`) is "
        "algorithm 2 in NumPy with Vowpal Wabbit's order of events: it predicts first and moves scales, N and G "
        "afterwards, only after a row with a loss, and for each class apart. Where it has Vowpal Wabbit's loss, that "
        "is all there is to the difference from ours."
    )
    rows = [
        (
            f"{each.name}, {each.rule}",
            f"{each.rate:.2g}",
            f"{each.ours:.5f}",
            f"{each.peer:.5f}",
            f"{each.ours / each.peer - 1:+.2%}",
            f"{each.imitation:.5f}",
            f"{each.imitation / each.peer - 1:+.2%}",
        )
        for each in findings.agreements
    ]
    yield Table(("", "rate", "ours", "Vowpal Wabbit", "difference", "imitation", "difference"), rows)


def _changes(findings: Findings) -> Iterator[Block]:
    rules = ("nag", "snag", "ag")
    found = {(each.name, each.program, each.change, each.rule): each for each in findings.settings}
    rows = []
    for name, program, change in dict.fromkeys(key[:3] for key in found):
        best = [found.get((name, program, change, rule)) for rule in rules]
        rows.append((f"{name}: {change}", program, *(_claim(each.best) if each else "–" for each in best)))
    if rows:
        yield Heading(2, "One setting changed at a time")
        yield Text(
            "Best losses on the raw features, at four rates a decade; Vowpal Wabbit's at seven around the paper's."
        )
        yield Table(("", "program", *rules), rows)
