"""Checks batches that come out of binary files, whose bytes pyarrow takes on trust."""

import pyarrow as pa


def require_sound(batch: pa.RecordBatch) -> None:
    """Raise a pa.ArrowInvalid or a UnicodeDecodeError where offsets lead astray or text is not UTF-8."""
    batch.validate(full=True)
    batch.schema.names  # noqa: B018 - decodes the names, which validate() does not look at
