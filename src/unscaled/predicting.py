"""Predictions for the rows of a stream, as tables."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from unscaled.errors import BadRowError, DataError, UsageError
from unscaled.learner import Learner
from unscaled.losses import SIGN
from unscaled.options import nearest
from unscaled.scores import as_prediction, class_codes, class_probabilities, has_probabilities, probability
from unscaled.sources import Batch, Stream
from unscaled.training import with_known_columns, with_remedy


def predicted_table(
    learner: Learner,
    stream: Stream,
    batch: Batch,
    keep: Sequence[str] = (),
    raw: bool = False,
    interval: float | None = None,
) -> pa.Table:
    """The predictions for a batch, after the columns to keep. Rows that cannot be used are left out.

    With an interval, the columns `low` and `high` are its ends.
    """
    bad: list[int] = []

    def note(row: int, why: str) -> None:
        stream.skipped.reject(f"{batch.where.row(row)}: {with_remedy(why, ())}")
        bad.append(row)

    table = batch.table
    for name in keep:
        if name not in table.schema.names and not stream.format.loose:
            raise UsageError(f"--keep: no column {name!r}{nearest(name, table.schema.names)}")
    try:
        scores = learner.predict(_features(learner, stream, table, keep), on_bad_row=note, interval=interval)
    except BadRowError:
        raise
    except DataError as error:
        raise DataError(f"{batch.where.row(0)}: {error}") from None
    columns = {name: table[name] if name in table.schema.names else pa.nulls(len(scores)) for name in keep}
    if interval is not None:
        columns |= interval_columns(learner, scores)
    else:
        columns |= raw_columns(learner, scores) if raw else readable_columns(learner, scores)
    whole = pa.table(columns)
    return whole.take(pa.array(np.setdiff1d(np.arange(len(scores)), bad))) if bad else whole


def readable_columns(learner: Learner, scores: np.ndarray) -> dict[str, pa.Array]:
    """Numbers, rates, or classes with their probabilities. With several learning rates, those of the first."""
    loss, classes = learner.options.loss, learner.classes
    first = scores[..., 0] if len(learner.options.rates) > 1 else scores
    if classes is not None:
        codes = class_codes(first)
        columns = {"prediction": pa.array([classes[code] if code >= 0 else None for code in codes])}
        if has_probabilities(loss) and classes:
            chances = class_probabilities(loss, first)
            columns |= {f"probability[{name}]": chances[:, k] for k, name in enumerate(classes)}
        return columns
    columns = _per_target(learner, "prediction", as_prediction(loss, first))
    if getattr(loss, "labels", None) == SIGN and has_probabilities(loss):
        columns |= _per_target(learner, "probability", probability(loss, first))
    return columns


def interval_columns(learner: Learner, around: np.ndarray) -> dict[str, pa.Array]:
    """A prediction and the ends of its interval, for each target."""
    columns: dict[str, pa.Array] = {}
    for k, name in enumerate(("prediction", "low", "high")):
        columns |= _per_target(learner, name, around[..., k])
    return columns


def raw_columns(learner: Learner, scores: np.ndarray) -> dict[str, pa.Array]:
    """A score a class, target and learning rate."""
    from unscaled.weights import lane_suffixes  # noqa: PLC0415

    flat = scores.reshape(len(scores), -1)
    return {f"score{suffix}": flat[:, k] for k, suffix in enumerate(lane_suffixes(learner))}


def _per_target(learner: Learner, name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    if values.ndim == 1:
        return {name: values}
    targets = learner.attached.get("roles", {}).get("targets") or range(values.shape[1])
    return {f"{name}[{target}]": values[:, k] for k, target in enumerate(targets)}


def _features(learner: Learner, stream: Stream, table: pa.RecordBatch, keep: Sequence[str]) -> pa.RecordBatch:
    """The columns that the model was trained with, and those that it will say it does not know."""
    roles = learner.attached.get("roles", {})
    others = {
        *roles.get("targets", ()),
        roles.get("weight"),
        *roles.get("ignored", ()),
        *keep,
        *stream.format.ignored,
    }
    others |= {stream.format.target, stream.format.weight}
    known = getattr(learner._features, "columns", {})
    wanted = [name for name in table.schema.names if name not in others or (isinstance(known, dict) and name in known)]
    return with_known_columns(table.select(wanted), learner, stream.format.loose)
