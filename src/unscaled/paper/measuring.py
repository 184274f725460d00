"""Measures everything, data set by data set, on as many threads as are wanted: the loops leave the GIL alone."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from unscaled import datasets
from unscaled.datasets.dataset import Dataset
from unscaled.errors import DataError
from unscaled.paper import peer, toy
from unscaled.paper.claims import CLAIMS, RAW, TABLES, Cell, cells
from unscaled.paper.findings import Agreement, Findings, Result, Setting, Sizes
from unscaled.paper.imitation import imitated_scores
from unscaled.paper.protocol import Protocol, prepared
from unscaled.paper.searching import losses_of, mistakes, rates_for

Tell = Callable[[str], None]
Task = Callable[[], Any]

COMPARED = ("bank", "census", "shuttle")
"""On these Vowpal Wabbit is run at equal settings; its imitation takes a minute for a million rows."""

AWARE = "importance-aware steps"
CHANGES: dict[str, dict[str, Any]] = {
    "predictions not cut": {"clip": None},
    AWARE: {"importance_aware": True},
    "no products": {"interactions": 1},
    "no intercept": {"intercept": False},
    "logistic loss": {"loss": "logistic", "clip": None},
    "hinge loss": {"loss": "hinge", "clip": None},
    "the other order": {},
}
"""Settings of the protocol, changed one at a time."""

THREES = "products of three as well"
WITH_TEXT = "with the categories, no products"
"""Changes that some sets are too wide for, or have no columns for."""

AS_ABOVE, NUMBERED = "as above", "importance-aware, columns named 0, 1, 2, …"
PEER_CHANGES = {
    AS_ABOVE: peer.Settings(),
    AWARE: peer.Settings(importance_aware=True),
    "importance-aware, no constant": peer.Settings(importance_aware=True, constant=False),
    NUMBERED: peer.Settings(importance_aware=True, numbered=True),
}
"""Ways to run Vowpal Wabbit on the same rows; its own default is importance-aware."""


@dataclass(frozen=True)
class Plan:
    """What is wanted."""

    names: Sequence[str]
    tables: tuple[int, ...] = (1, 2, 3)
    quick: bool = False
    with_peer: bool = True
    threads: int = 2

    @property
    def protocol(self) -> Protocol:
        """The settings; a quick look takes the first rows only."""
        return Protocol(most_rows=10_000 if self.quick else None)

    @property
    def learns(self) -> bool:
        """Whether any table takes learning."""
        return bool({*self.tables} & {*TABLES})

    def a_decade(self, rule: str) -> int:
        """How densely learning rates are tried."""
        return 4 if self.quick else {"ag": 8}.get(rule, 16)


def measure(plan: Plan, tell: Tell) -> Findings:
    """All that the plan asks for; what is not here is told and left out."""
    begin = time.perf_counter()
    findings = Findings(plan.protocol)
    if plan.with_peer and plan.learns:
        findings.peer_version = peer.version()
        if findings.peer_version is None:
            findings.missing.append("Vowpal Wabbit is not installed (pip install 'unscaled[peers]'): left out.")
            tell(findings.missing[-1])
    if plan.learns:
        tell("two features, one of which changes its unit")
        findings.toy = toy.play()
    for name in plan.names:
        try:
            data = datasets.load(name)
        except DataError as error:
            findings.missing.append(f"{error}.")
            tell(f"{error}; going on without it")
            continue
        low, high = float(data.scales.min()), float(data.scales.max())
        findings.sizes.append(Sizes(name, len(data.y), data.X.shape[1], (low, high), data.whole))
        _measure_set(data, plan, findings, tell)
    findings.seconds = time.perf_counter() - begin
    return findings


def _measure_set(data: Dataset, plan: Plan, findings: Findings, tell: Tell) -> None:
    with_peer = findings.peer_version is not None
    scalings = dict.fromkeys(cell.scaling for cell in cells(data.name, plan.tables))
    tasks: list[Task] = [partial(_cells, data, scaling, plan, with_peer, tell) for scaling in scalings]
    if plan.learns and data.whole:
        tasks += [partial(_changed, data, change, plan, tell) for change in _changes(data)]
        if with_peer and data.name in COMPARED:
            tasks += [partial(_agreements, data, plan, tell), partial(_peer_settings, data, plan, tell)]
    with ThreadPoolExecutor(plan.threads) as pool:
        found = [each for part in pool.map(lambda task: task(), tasks) for each in part]
    findings.results += [each for each in found if isinstance(each, Result)]
    findings.agreements += [each for each in found if isinstance(each, Agreement)]
    findings.settings += [each for each in found if isinstance(each, Setting)]


def _cells(data: Dataset, scaling: str, plan: Plan, with_peer: bool, tell: Tell) -> list[Result]:
    """The cells of one data set whose features are scaled in one way."""
    rows = prepared(data, plan.protocol, scaling)
    found = []
    for cell in cells(data.name, plan.tables):
        if cell.scaling == scaling:
            losses = losses_of(rows, cell.rule, rates_for(cell.rule, plan.a_decade(cell.rule)), plan.protocol)
            tell(f"{data.name}, {scaling}, {cell.rule}: {losses.best.loss:.4g} at {losses.best.rate:.3g}")
            found.append(Result(cell, len(rows), data.whole, losses, None))
    if not with_peer:
        return found
    with peer.VowpalWabbit(rows) as wabbit:
        return [_with_peer(each, wabbit, plan, tell) for each in found]


def _with_peer(result: Result, wabbit: peer.VowpalWabbit, plan: Plan, tell: Tell) -> Result:
    if result.cell.rule not in peer.FLAGS:
        return result
    best = wabbit.best(result.cell.rule, result.best.rate, few=plan.quick)
    tell(f"{', '.join(result.cell[::2])}, {result.cell.rule}, Vowpal Wabbit: {best.loss:.4g} at {best.rate:.3g}")
    return Result(result.cell, result.rows, result.whole, result.losses, best)


def _changes(data: Dataset) -> list[str]:
    """What is changed; losses for classes only where there are classes."""
    has_text = len(data.facts.columns) > len(data.facts.features) + 1 and data.task == "classes"
    wanted = [name for name, settings in CHANGES.items() if data.task == "classes" or "loss" not in settings]
    return [*wanted, *([THREES] if data.name in COMPARED else []), *([WITH_TEXT] if has_text else [])]


def _changed(data: Dataset, change: str, plan: Plan, tell: Tell) -> list[Setting]:
    """The three rules when one setting is another."""
    protocol = plan.protocol.changed(**{THREES: {"interactions": 3}, WITH_TEXT: {"interactions": 1}, **CHANGES}[change])
    if change == "the other order":
        shuffled = tuple({*protocol.shuffled} ^ {data.name})
        protocol = protocol.changed(shuffled=shuffled)
    rows = prepared(data, protocol, with_text=change == WITH_TEXT)
    found = []
    for rule in ("nag", "snag", "ag"):
        best = losses_of(rows, rule, rates_for(rule, 4), protocol).best
        found.append(Setting(data.name, change, "unscaled", rule, best))
    tell(f"{data.name}, {change}: " + ", ".join(f"{each.rule} {each.best.loss:.4g}" for each in found))
    return found


def _peer_settings(data: Dataset, plan: Plan, tell: Tell) -> list[Setting]:
    """Vowpal Wabbit on the same rows in several ways."""
    rows, found = prepared(data, plan.protocol), []
    for change, settings in PEER_CHANGES.items():
        with peer.VowpalWabbit(rows, settings) as wabbit:
            for rule in peer.FLAGS:
                best = wabbit.best(rule, CLAIMS[Cell(data.name, rule, RAW)].rate)
                found.append(Setting(data.name, change, "Vowpal Wabbit", rule, best))
    tell(f"{data.name}, Vowpal Wabbit in {len(PEER_CHANGES)} ways")
    return found


def _agreements(data: Dataset, plan: Plan, tell: Tell) -> list[Agreement]:
    """At the paper's rate, and at ten times more and less of it: ours, Vowpal Wabbit's, and its imitation."""
    rows, found = prepared(data, plan.protocol), []
    with peer.VowpalWabbit(rows) as wabbit:
        for rule in peer.FLAGS:
            for rate in (CLAIMS[Cell(data.name, rule, RAW)].rate * np.array([0.1, 1.0, 10.0])).tolist():
                ours = losses_of(rows, rule, np.array([rate]), plan.protocol).losses[0]
                scores = imitated_scores(rows, rule, rate)
                imitation = float(mistakes(scores[:, :, None], rows.labels, rows.codes)[0]) / len(rows)
                found.append(Agreement(data.name, rule, rate, float(ours), wabbit.loss(rule, rate), imitation))
    tell(f"{data.name}, Vowpal Wabbit at equal settings")
    return found
