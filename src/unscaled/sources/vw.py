"""Vowpal Wabbit text: `label weight 'tag|namespace:scale feature:value feature …`, one row a line.

The grammar is https://github.com/VowpalWabbit/vowpal_wabbit/wiki/Input-format. A token that touches the first
bar is the tag even without an apostrophe.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from unscaled.sources.batch import Batch
from unscaled.sources.format import Format, Reading
from unscaled.sources.line_rows import LineError, Parsed, number, quoted, read_lines
from unscaled.sources.map_column import FEATURES, Entries
from unscaled.sources.text import damage

COLUMNS = ("label", "weight", "tag")


class _Row(NamedTuple):
    label: float | None
    weight: float
    tag: bytes | None


def read_vw(reading: Reading) -> Iterator[Batch]:
    """Yield the batches of a Vowpal Wabbit file."""
    return read_lines(reading, parse_vw)


def parse_vw(data: bytes) -> Parsed:
    """Parse lines into `label`, `weight`, `tag` and one column of features for each namespace.

    >>> parse_vw(b"1 0.5 'x|house:2 size:3 old").table.to_pylist()
    [{'label': 1.0, 'weight': 0.5, 'tag': 'x', 'house': [('size', 6.0), ('old', 2.0)]}]
    """
    rows: list[_Row] = []
    lines: list[int] = []
    bad: list[tuple[int, str]] = []
    namespaces: dict[str, Entries] = {}
    damaged = damage(data) is not None
    for position, line in enumerate(data.split(b"\n")):
        if not line.strip():
            continue
        try:
            row, sections = _parse_line(line, damaged)
        except LineError as error:
            bad.append((position, str(error)))
            continue
        for name, keys, values in sections:
            namespaces.setdefault(name, Entries()).extend(len(rows), keys, values)
        rows.append(row)
        lines.append(position)
    columns = {
        "label": pa.array([row.label for row in rows], pa.float64()),
        "weight": pa.array([row.weight for row in rows], pa.float64()),
        "tag": pa.array([row.tag for row in rows], pa.string()),
    } | {name: entries.column(len(rows)) for name, entries in namespaces.items()}
    return Parsed(pa.table(columns), np.array(lines, np.int64), bad)


def _parse_line(line: bytes, damaged: bool) -> tuple[_Row, list[tuple[str, list[bytes], list[float]]]]:
    if damaged and (found := damage(line)) is not None:
        raise LineError(f"this line {found.complaint.partition(';')[0]}")
    head, *sections = line.split(b"|")
    if not sections:
        raise LineError("there is no | before the features")
    return _head(head), [_section(section) for section in sections]


def _head(text: bytes) -> _Row:
    tokens = text.split()
    tag = None
    if tokens and (tokens[-1].startswith(b"'") or not text[-1:].isspace()):
        tag = tokens.pop().removeprefix(b"'")
    if len(tokens) > 2:
        raise LineError(f"an initial prediction, as in {quoted(b' '.join(tokens))}, is not supported")
    numbers = [number(token) for token in tokens]
    for what, token, value in zip(COLUMNS, tokens, numbers, strict=False):
        if value is None:
            raise LineError(f"{what} {quoted(token)} is not a number")
    label = numbers[0] if numbers else None
    weight = numbers[1] if len(numbers) > 1 else None
    if weight is not None and not weight >= 0:
        raise LineError(f"weight {quoted(tokens[1])} is not 0 or more")
    return _Row(label, 1.0 if weight is None else weight, tag)


def _section(text: bytes) -> tuple[str, list[bytes], list[float]]:
    tokens = text.split()
    name, scale = FEATURES, 1.0
    if tokens and not text[:1].isspace():
        name, scale = _namespace(tokens.pop(0))
    keys, values = [], []
    for token in tokens:
        key, colon, value = token.partition(b":")
        weight = number(value) if colon else 1.0
        if weight is None or not key:
            raise LineError(f"{quoted(token)} is not feature or feature:value")
        keys.append(key)
        values.append(scale * weight)
    return name, keys, values


def _namespace(token: bytes) -> tuple[str, float]:
    name, colon, value = token.partition(b":")
    scale = number(value) if colon else 1.0
    if scale is None:
        raise LineError(f"namespace {quoted(token)} is scaled by something that is not a number")
    if name.decode() in COLUMNS:
        raise LineError(f"a namespace cannot be called {quoted(name)}, as that is a column; rename it")
    return name.decode() or FEATURES, scale


def _is_vw(head: bytes) -> bool:
    line = head.lstrip().split(b"\n", 1)[0]
    return line.startswith(b"|") or b" |" in line


VW = Format(
    name="vw",
    suffixes=(".vw",),
    help="Vowpal Wabbit text: label weight 'tag|namespace feature:value …, one row a line",
    recognises=_is_vw,
    read=read_vw,
    target="label",
    weight="weight",
    ignored=("tag",),
    loose=True,
)
