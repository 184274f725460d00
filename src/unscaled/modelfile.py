"""A model is a table: one Parquet file with a row a feature, and everything else in the file's metadata.

The columns `feature`, `weight`, `scale` and `count` are for people, pandas and DuckDB; `slot`, `s`, `v` and `gamma`
are the learner's own state (kernels/scales.py), exact to the bit. A file is written beside its place and then moved
there, so a failed run leaves the old one. It holds its own checksum and the version of its format.
"""

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from unscaled.errors import ModelFileError, UnscaledError, one_line

FORMAT = 1
"""Raised whenever an older version could misread a file."""

_KEY = b"unscaled"
_MEND = "restore a copy or train it anew"


@dataclass(frozen=True)
class Contents:
    """A model file's table and its metadata."""

    table: pa.Table
    described: dict[str, Any]

    def column(self, name: str) -> np.ndarray:
        """A column of numbers."""
        return self.table[name].to_numpy()


def write(contents: Contents, path: str | os.PathLike[str]) -> None:
    """Writes a model file, whole or not at all."""
    described = {"format": FORMAT, **contents.described}
    described["checksum"] = _checksum(contents.table, described)
    table = contents.table.replace_schema_metadata({_KEY: json.dumps(described).encode()})
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            with open(target, "wb") as device:  # a pipe or a device must not be replaced by a file
                pq.write_table(table, device)
            return
        _write_and_move(table, target)
    except (OSError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnscaledError(f"cannot write the model {os.fspath(path)}: {reason}") from None


def _write_and_move(table: pa.Table, target: Path) -> None:
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(beside, "xb") as file:
            pq.write_table(table, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def read(path: str | os.PathLike[str]) -> Contents:
    """Reads a model file and checks that it is one, whole and unaltered."""
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            table = pq.read_table(file)
    except FileNotFoundError:
        raise ModelFileError(f"no such model file: {name}") from None
    except IsADirectoryError:
        raise ModelFileError(f"{name} is a folder, not a model file") from None
    except OSError as error:
        if error.errno is None:  # Arrow's own
            raise _broken(name, error) from None
        raise ModelFileError(f"cannot read the model file {name}: {error.strerror}") from None
    except (pa.ArrowException, ValueError) as error:
        raise _broken(name, error) from None
    described = _metadata(name, table)
    claimed = described.pop("checksum", None)
    try:
        whole = claimed == _checksum(table, described)
    except (pa.ArrowException, ValueError):  # text that is no text any more
        whole = False
    if not whole:
        raise ModelFileError(f"{name} has been altered or damaged: its checksum does not match its contents; {_MEND}")
    return Contents(table.replace_schema_metadata(None), described)


def _broken(name: str, error: Exception) -> ModelFileError:
    return ModelFileError(f"{name} is not a model file, or a broken one ({one_line(error)}); {_MEND}")


def _metadata(name: str, table: pa.Table) -> dict[str, Any]:
    raw = (table.schema.metadata or {}).get(_KEY)
    if raw is None:
        raise ModelFileError(f"{name} is a Parquet file, but not a model of unscaled")
    try:
        described = json.loads(raw)
    except ValueError:
        raise ModelFileError(f"{name} has been altered or damaged: its metadata cannot be read; {_MEND}") from None
    if not isinstance(described, dict) or not isinstance(described.get("format"), int):
        raise ModelFileError(f"{name} has been altered or damaged: its metadata are not those of a model; {_MEND}")
    if described["format"] > FORMAT:
        writer = described.get("version", "a newer version")
        raise ModelFileError(f"{name} was written by unscaled {writer}, which is newer than this one; update unscaled")
    return described


def _checksum(table: pa.Table, described: Mapping[str, Any]) -> str:
    """A hash of all that the file says, whatever way Parquet chose to store it."""
    digest = hashlib.sha256(json.dumps(described, sort_keys=True).encode())
    for name, column in zip(table.column_names, table.columns, strict=True):
        digest.update(name.encode())
        if pa.types.is_string(column.type):
            digest.update(json.dumps(column.to_pylist()).encode())
        elif pa.types.is_list(column.type):
            rows = column.combine_chunks()
            digest.update(rows.value_lengths().to_numpy().tobytes() + rows.flatten().to_numpy().tobytes())
        else:
            digest.update(column.to_numpy().tobytes())
    return digest.hexdigest()
