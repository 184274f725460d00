"""The results as CSV: a table a kind, each line with what it was measured with."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unscaled.paper.findings import Findings

Lines = Sequence[dict[str, Any]]


def write_records(findings: Findings, folder: Path) -> None:
    """Writes all tables that have a line."""
    tables = {
        "cells": _cells(findings),
        "rates": _rates(findings),
        "agreement": [each.__dict__ for each in findings.agreements],
        "settings": _settings(findings),
        "toy": _toy(findings),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in tables.items():
        if lines:
            _write(folder / f"{name}.csv", lines)


def _write(path: Path, lines: Lines) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, lines[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _short(value) for key, value in line.items()} for line in lines)


def _short(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float) else value


def _cells(findings: Findings) -> Lines:
    return [
        {
            **result.cell._asdict(),
            "rows": result.rows,
            "whole": result.whole,
            "rate": result.best.rate,
            "loss": result.best.loss,
            "paper_rate": result.paper.rate,
            "paper_loss": result.paper.loss,
            "vw_rate": result.peer.rate if result.peer else "",
            "vw_loss": result.peer.loss if result.peer else "",
        }
        for result in findings.results
    ]


def _rates(findings: Findings) -> Lines:
    return [
        {**result.cell._asdict(), "rate": rate, "loss": loss, "squared_loss": squared}
        for result in findings.results
        for rate, loss, squared in zip(*map(list, result.losses), strict=True)
    ]


def _settings(findings: Findings) -> Lines:
    return [
        {
            "data": each.name,
            "change": each.change,
            "program": each.program,
            "rule": each.rule,
            "rate": each.best.rate,
            "loss": each.best.loss,
        }
        for each in findings.settings
    ]


def _toy(findings: Findings) -> Lines:
    if findings.toy is None:
        return []
    factors, rates, losses = findings.toy
    return [
        {"rule": rule, "factor": factor, "best_loss": best, "loss_at_one_rate": one}
        for rule in rates
        for factor, best, one in zip(
            factors.tolist(),
            findings.toy.in_hindsight(rule).tolist(),
            findings.toy.at_one_rate(rule).tolist(),
            strict=True,
        )
        if losses[rule].size
    ]
