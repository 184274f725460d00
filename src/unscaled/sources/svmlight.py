"""svmlight: `label index:value index:value … # comment`, one row a line."""

import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from unscaled.sources.batch import Batch
from unscaled.sources.format import Format, Reading
from unscaled.sources.line_rows import LineError, Parsed, number, quoted, read_lines
from unscaled.sources.map_column import FEATURES, Entries
from unscaled.sources.text import damage

FIRST_ROW = re.compile(rb"\s*+(#[^\n]*\n\s*+)*+[+-]?[\d.][^\s:]*[ \t]+(qid:\S+[ \t]+)?\d+:[^\s:]+(\s|\Z)")


def read_svmlight(reading: Reading) -> Iterator[Batch]:
    """Yield the batches of an svmlight file."""
    return read_lines(reading, parse_svmlight)


def parse_svmlight(data: bytes) -> Parsed:
    """Parse lines into the columns `label`, `qid` (if a line has one) and `features`.

    >>> parse_svmlight(b"1 3:0.5 7:2 # first").table.to_pylist()
    [{'label': 1.0, 'features': [('3', 0.5), ('7', 2.0)]}]
    """
    labels: list[float | None] = []
    queries: list[bytes | None] = []
    lines: list[int] = []
    bad: list[tuple[int, str]] = []
    features = Entries()
    damaged = damage(data) is not None
    for position, line in enumerate(data.split(b"\n")):
        try:
            tokens = _tokens(line, damaged)
            if not tokens:
                continue
            label, query = _label(tokens), _query(tokens)
            features.extend(len(lines), *_features(tokens))
        except LineError as error:
            bad.append((position, str(error)))
            continue
        labels.append(label)
        queries.append(query)
        lines.append(position)
    columns = {"label": pa.array(labels, pa.float64())}
    if any(query is not None for query in queries):
        columns["qid"] = pa.array(queries, pa.string())
    columns[FEATURES] = features.column(len(lines))
    return Parsed(pa.table(columns), np.array(lines, np.int64), bad)


def _tokens(line: bytes, damaged: bool) -> list[bytes]:
    if damaged and (found := damage(line)) is not None:
        raise LineError(f"this line {found.complaint.partition(';')[0]}")
    return line.partition(b"#")[0].split()


def _label(tokens: list[bytes]) -> float | None:
    """Take the label, if there is one, off the front of the tokens."""
    if b":" in tokens[0]:
        return None
    token = tokens.pop(0)
    if b"," in token:
        raise LineError(f"several labels in one row, as in {quoted(token)}, are not supported")
    label = number(token)
    if label is None:
        raise LineError(f"label {quoted(token)} is not a number")
    return label


def _query(tokens: list[bytes]) -> bytes | None:
    """Take the query, if there is one, off the front of the tokens."""
    return tokens.pop(0)[len(b"qid:") :] if tokens and tokens[0].startswith(b"qid:") else None


def _features(tokens: list[bytes]) -> tuple[list[bytes], list[float]]:
    parts = [token.partition(b":") for token in tokens]
    keys = [key for key, _, _ in parts]
    try:
        values = [float(value) for _, _, value in parts]
        sound = all(keys) and not any(b"_" in value for _, _, value in parts)
    except ValueError:
        sound = False
    if not sound or (keys and not b"".join(keys).isdigit()):
        raise LineError(next(filter(None, map(_complaint, tokens))))
    return keys, values


def _complaint(token: bytes) -> str | None:
    key, _, value = token.partition(b":")
    if not key.isdigit() or number(value) is None:
        return f"{quoted(token)} is not index:value"
    return None


def _is_svmlight(head: bytes) -> bool:
    return FIRST_ROW.match(head) is not None


SVMLIGHT = Format(
    name="svmlight",
    suffixes=(".svm", ".svmlight", ".libsvm"),
    help="label index:value …, one row a line",
    recognises=_is_svmlight,
    read=read_svmlight,
    target="label",
    ignored=("qid",),
)
