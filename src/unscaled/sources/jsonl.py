"""JSON lines: one object a line; the key of a value is its column.

pyarrow parses a block whose objects are flat and agree about types; Python's slower json parses the others,
and finds the bad lines.
"""

import json
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import json as arrow_json

from unscaled.sources.batch import Batch, BlockLines, LinePlaces
from unscaled.sources.blocks import Block, BlockReader, PlainLines
from unscaled.sources.format import Format, Reading
from unscaled.sources.json_columns import Json, columns_of
from unscaled.sources.line_rows import LineError, Parsed
from unscaled.sources.text import TEXT, arrow_buffer, damage, slices

DEEPEST = 64  # pyarrow's parser recurses on brackets without a limit
BLANK = b" \t\r\n"


def read_jsonl(reading: Reading) -> Iterator[Batch]:
    """Yield the batches of a JSON lines file."""
    for block in BlockReader(reading, PlainLines()):
        table, lines = _parse(reading, block)
        for first_row, batch in slices(table, reading.batch_rows):
            yield Batch(batch, LinePlaces(reading.file.name, lines, first_row))


def _parse(reading: Reading, block: Block) -> tuple[pa.Table, BlockLines]:
    """Parse one block, rejecting its bad lines."""
    table = _parse_flat(block.data)
    if table is not None:
        return table, BlockLines(lambda: _filled_lines(block.data) + block.first_line)
    parsed = parse_jsonl(block.data)
    for line, complaint in parsed.bad:
        reading.skipped.reject(f"{reading.file.name}:{block.first_line + line}: {complaint}")
    return parsed.table, BlockLines(lambda: parsed.lines + block.first_line)


def _parse_flat(data: bytes) -> pa.Table | None:
    """Parse with pyarrow, None if that will not do."""
    rows = len(_filled_lines(data))
    # one { a line is a flat object a line; pyarrow itself does not mind where lines end
    if data.count(b"{") != rows or damage(data) is not None or _is_deep(data):
        return None
    try:
        table = _read_json(data, [])
        times = [field.name for field in table.schema if pa.types.is_temporal(field.type)]
        if times:
            # JSON has no times: the text as it stands, whatever pyarrow takes it for
            table = _read_json(data, times).select(table.schema.names)
    except pa.ArrowInvalid:
        return None
    return _in_our_types(table) if table.num_rows == rows and table.num_columns else None


def _read_json(data: bytes, texts: list[str]) -> pa.Table:
    return arrow_json.read_json(
        arrow_buffer(data),
        read_options=arrow_json.ReadOptions(block_size=len(data) + 1),
        parse_options=arrow_json.ParseOptions(explicit_schema=pa.schema([(name, pa.string()) for name in texts])),
    ).combine_chunks()


def parse_jsonl(data: bytes) -> Parsed:
    """Parse lines with Python's json.

    >>> parse_jsonl(b'{"age": 41, "town": "Ulm"}').table.to_pylist()
    [{'age': 41.0, 'town': 'Ulm'}]
    """
    rows: list[dict[str, Json]] = []
    lines: list[int] = []
    bad: list[tuple[int, str]] = []
    for position, line in enumerate(data.split(b"\n")):
        if not line.strip(BLANK):
            continue
        try:
            rows.append(_object(line))
            lines.append(position)
        except LineError as error:
            bad.append((position, str(error)))
    return Parsed(columns_of(rows), np.array(lines, np.int64), bad)


def _object(line: bytes) -> dict[str, Json]:
    if (found := damage(line)) is not None:
        raise LineError(f"this line {found.complaint}")
    try:
        value = _loads(line)
        if b"\\u" in line:
            json.dumps(value, ensure_ascii=False).encode()  # finds half of a surrogate pair
    except json.JSONDecodeError as error:
        reason = f"{error.msg} at column {error.colno}"
    except UnicodeEncodeError:
        reason = "half of a surrogate pair"
    except RecursionError:
        reason = "brackets nested too deeply"
    else:
        if isinstance(value, dict):
            return value
        kind = "a list" if isinstance(value, list) else "a single value"
        raise LineError(f"{kind} where an object is expected; write one object {{…}} a line")
    raise LineError(f"not JSON ({reason}); mend the line or skip such lines with --bad-rows skip")


def _loads(line: bytes) -> Json:
    try:
        value: Json = json.loads(line)
    except json.JSONDecodeError:
        raise
    except ValueError:  # Python refuses integers of thousands of digits; as a float it is infinite
        value = json.loads(line, parse_int=float)
    return value


def _filled_lines(data: bytes) -> npt.NDArray[np.int64]:
    lines = data.split(b"\n")
    return np.flatnonzero(np.fromiter((bool(line.strip(BLANK)) for line in lines), np.bool_, len(lines)))


def _is_deep(data: bytes) -> bool:
    return b"[" in data and any(line.count(b"[") > DEEPEST for line in data.split(b"\n"))


def _in_our_types(table: pa.Table) -> pa.Table | None:
    """Make numbers float64, None if there is a nested value that pyarrow reads otherwise than we do."""
    fields = []
    for field in table.schema:
        kind = field.type
        if pa.types.is_list(kind):
            item = kind.value_type
            if not (pa.types.is_primitive(item) or pa.types.is_string(item) or pa.types.is_null(item)):
                return None
            if pa.types.is_temporal(item):
                return None
            kind = pa.list_(pa.string() if pa.types.is_string(item) else pa.float64())
        elif pa.types.is_integer(kind):
            kind = pa.float64()
        elif pa.types.is_string(kind):
            kind = TEXT
        elif pa.types.is_nested(kind):
            return None
        fields.append(pa.field(field.name, kind))
    return table.cast(pa.schema(fields), safe=False)


def _is_jsonl(head: bytes) -> bool:
    return head.lstrip().startswith(b"{")


JSONL = Format(
    name="jsonl",
    suffixes=(".jsonl", ".ndjson", ".json"),
    help="JSON lines: one object a line",
    recognises=_is_jsonl,
    read=read_jsonl,
    loose=True,
)
