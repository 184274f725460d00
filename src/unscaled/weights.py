"""What a model has learned, in the user's units: one row a feature."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from unscaled.learner import Learner


def weights_table(learner: "Learner") -> pa.Table:
    """Name, weight, scale, count and effect of every feature that was there, the strongest effect first.

    The effect is |weight| * scale: what the feature moves the prediction by when it is as large as usual. With
    several lanes there is a weight for each, and the effect is that of the lane in which it is largest.
    """
    slots = learned_slots(learner)
    weights, scales = in_user_units(learner, slots)
    effect = effects(learner, slots)
    order = np.argsort(-effect, kind="stable")
    columns: dict[str, Any] = {
        **feature_columns(learner, slots[order]),
        **weight_columns(learner, weights[order]),
        "scale": scales[order],
        "count": learner._numbers.count[slots][order],
        "effect": effect[order],
    }
    return pa.table(columns)


def learned_slots(learner: "Learner") -> np.ndarray:
    """The slots of features that were there in some row."""
    return np.flatnonzero(learner._numbers.count)


def in_user_units(learner: "Learner", slots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights, a column a lane that is shown, and scales as the rule defines them."""
    weights, scales = learner._numbers.read_weights(learner.options, slots)
    return weights[:, : _shown_lanes(learner)], scales


def effects(learner: "Learner", slots: np.ndarray) -> np.ndarray:
    """|weight| * scale of the lane in which it is largest."""
    return learner._numbers.effects(learner.options, slots, _shown_lanes(learner))


def _shown_lanes(learner: "Learner") -> int:
    return learner._shown_outputs * len(learner.options.rates)


def feature_columns(learner: "Learner", slots: np.ndarray) -> dict[str, Any]:
    """The features' names, their columns, and the categories or keys within these."""
    features, crossing = learner._features, learner._crossing
    if features is None:
        return {"feature": [], "column": [], "value": []}
    names, columns, values = [], [], []
    for factors in crossing.factors(slots).tolist():
        real = [i for i in factors if i != features.first] or [features.first]
        # By name, for the numbers of features depend on how the rows came in batches.
        names.append(" * ".join(sorted(features.name(i) for i in real)))
        # A hashed slot may be shared by columns: it is of none.
        columns.append(features.column(real[0]) if len(real) == 1 and real[0] >= features.first else None)
        values.append(features.value(real[0]) if len(real) == 1 else None)
    return {
        "feature": pa.array(names, pa.string()),
        "column": pa.array(columns, pa.string()),
        "value": pa.array(values, pa.string()),
    }


def weight_columns(learner: "Learner", weights: np.ndarray) -> dict[str, np.ndarray]:
    """A column of weights for each lane that is shown."""
    return {f"weight{suffix}": lane for suffix, lane in zip(lane_suffixes(learner), weights.T, strict=False)}


def lane_suffixes(learner: "Learner") -> list[str]:
    """What tells the lanes apart: nothing if there is one, else `[class]`, `[target]`, `[rate]` or two of these."""
    outputs = learner._shown_outputs
    classes = learner.classes
    if classes and outputs == len(classes):
        by_output = [str(name) for name in classes]
    else:
        by_output = [str(k) for k in range(outputs)] if outputs > 1 else [""]
    by_rate = [f"rate {rate:g}" for rate in learner.options.rates] if len(learner.options.rates) > 1 else [""]
    labels = [", ".join(filter(None, (output, rate))) for output in by_output for rate in by_rate]
    return [f"[{label}]" if label else "" for label in labels]
