"""Which of the paper's claims hold here, as numbers say; only sets that are here in full are asked."""

from collections.abc import Callable
from typing import NamedTuple

from unscaled.paper.claims import MAX_NORM, RAW, SQUARE_NORM
from unscaled.paper.findings import Findings, Result
from unscaled.paper.significance import is_better

SLACK = 0.002
"""How much more than in the paper a loss may be: it prints three digits, and leaves settings open."""

LOWEST_RATE, HIGHEST_RATE = 0.01, 20.0

_NORMALISED = {"nag": MAX_NORM, "snag": SQUARE_NORM}


class Verdict(NamedTuple):
    """A claim, in how many of the cases it holds, and those in which it does not."""

    claim: str
    cases: int
    misses: list[str]

    @property
    def holds(self) -> bool:
        """Whether it holds wherever it could be tried."""
        return not self.misses


def verdicts(findings: Findings) -> list[Verdict]:
    """All claims, in the order of the paper."""
    found = [
        _each(f"losses of nag and snag are at most the paper's + {SLACK}", findings, _is_as_good_as_the_paper),
        _each("on raw features nag and snag are no worse than ag", findings, _beats_ag),
        _each("nor significantly worse (relative-entropy Chernoff bound at 0.1)", findings, _is_not_beaten_by_ag),
        _each(f"and within {SLACK} of ag on normalised features", findings, _obsoletes_normalising),
        _each("normalising changes no loss of nag and snag by more than 0.0005", findings, _needs_no_normalising),
        _each(f"best rates of nag and snag are from {LOWEST_RATE} to {HIGHEST_RATE:g}", findings, _has_a_tame_rate),
        _spread(findings),
    ]
    return [each for each in found if each.cases]


Judge = Callable[[Findings, Result], str | None]
"""What is wrong with a result of nag or snag: nothing is "", and None is that it does not apply."""


def _each(claim: str, findings: Findings, judge: Judge) -> Verdict:
    results = [each for each in findings.results if each.whole and each.cell.rule != "ag"]
    found = [(each, judge(findings, each)) for each in results]
    asked = [(each, wrong) for each, wrong in found if wrong is not None]
    misses = [f"{each.cell.data}, {each.cell.rule}, {each.cell.scaling}: {wrong}" for each, wrong in asked if wrong]
    return Verdict(claim, len(asked), misses)


def _is_as_good_as_the_paper(findings: Findings, result: Result) -> str:
    ours, paper = result.best.loss, result.paper.loss
    return "" if ours <= paper + SLACK else f"{ours:.4f}, not {paper:g}"


def _raw_ag(findings: Findings, result: Result) -> Result | None:
    return findings.result(result.cell.data, "ag", RAW) if result.cell.scaling == RAW else None


def _beats_ag(findings: Findings, result: Result) -> str | None:
    ag = _raw_ag(findings, result)
    if ag is None:
        return None
    return "" if result.best.loss <= ag.best.loss else f"{result.best.loss:.4f}, and ag {ag.best.loss:.4f}"


def _is_not_beaten_by_ag(findings: Findings, result: Result) -> str | None:
    ag = _raw_ag(findings, result)
    if ag is None:
        return None
    beaten = is_better(ag.best.loss, result.best.loss, result.rows)
    return f"{result.best.loss:.4f}, and ag {ag.best.loss:.4f}" if beaten else ""


def _obsoletes_normalising(findings: Findings, result: Result) -> str | None:
    ag = findings.result(result.cell.data, "ag", _NORMALISED[result.cell.rule])
    if ag is None or result.cell.scaling != RAW:
        return None
    close = result.best.loss <= ag.best.loss + SLACK
    return "" if close else f"{result.best.loss:.4f}, and ag {ag.best.loss:.4f}"


def _needs_no_normalising(findings: Findings, result: Result) -> str | None:
    raw = findings.result(result.cell.data, result.cell.rule, RAW)
    if raw is None or result.cell.scaling == RAW:
        return None
    change = abs(result.best.loss - raw.best.loss)
    return "" if change <= 0.0005 else f"{raw.best.loss:.4f} raw, {result.best.loss:.4f} normalised"


def _has_a_tame_rate(findings: Findings, result: Result) -> str:
    return "" if LOWEST_RATE <= result.best.rate <= HIGHEST_RATE else f"{result.best.rate:.3g}"


def _spread(findings: Findings) -> Verdict:
    """How far apart the best rates of ag are, whatever the features are divided by."""
    rates = [each.best.rate for each in findings.results if each.whole and each.cell.rule == "ag"]
    spread = max(rates) / min(rates) if rates else 1.0
    claim = "best rates of ag, raw and normalised, differ by a factor of 10,000 or more"
    return Verdict(claim, int(len(rates) > 1), [] if spread >= 1e4 else [f"only {spread:.3g}"])
