"""Records: tables of results in records/, with the facts of the machine that they were measured on."""

import csv
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

RECORDS = Path(__file__).parent / "records"

Row = Mapping[str, str | int | float]


def machine(packages: Iterable[str]) -> dict[str, str]:
    """What a number depends on besides the code: the processor, the versions and the day."""
    versions = {name: _version(name) for name in packages}
    return {
        "cpu": f"{_processor()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        **{name: found for name, found in versions.items() if found},
        "date": datetime.now(UTC).date().isoformat(),
    }


def write_csv(name: str, rows: Sequence[Row], facts: Mapping[str, str]) -> None:
    """One line a result, with the facts in every line: lines of several machines can be put together."""
    RECORDS.mkdir(exist_ok=True)
    with (RECORDS / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0], *facts], lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, **facts} for row in rows)


def write_markdown(name: str, rows: Sequence[Row], facts: Mapping[str, str], above: str = "") -> None:
    """A table that a page can include, under what there is to say above it, and at last where it comes from."""
    facts_line = ", ".join(f"{key} {value}" for key, value in facts.items())
    text = "\n".join([*([above, ""] if above else []), markdown_table(rows), facts_line])
    (RECORDS / f"{name}.md").write_text(text + "\n", encoding="utf-8")


def markdown_table(rows: Sequence[Row]) -> str:
    """The rows as a table of a page."""
    lines = [_markdown_line(rows[0]), _markdown_line(["---"] * len(rows[0]))]
    return "\n".join([*lines, *(_markdown_line(row.values()) for row in rows)]) + "\n"


def print_table(rows: Sequence[Row]) -> None:
    """The rows, aligned: the first column to the left, the others to the right."""
    cells = [list(rows[0]), *([str(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        padded = [line[0].ljust(widths[0])]
        padded += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        print("  ".join(padded).rstrip())


def significant(number: float, digits: int = 3) -> str:
    """A number as a table shows it: 1,234,000 or 0.0123."""
    if number == 0.0 or abs(number) >= 1e15:
        return f"{number:.{digits - 1}g}"
    rounded = float(f"{number:.{digits - 1}e}")
    return f"{rounded:,.0f}" if abs(rounded) >= 10 ** (digits - 1) else f"{rounded:.{digits}g}"


def _markdown_line(cells: Iterable[object]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
