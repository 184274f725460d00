"""Whether the losses of a stream have really risen, and where: warnings for a report.

kernels/drift.py holds the test and says why its alarms can be trusted.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from unscaled.kernels import drift
from unscaled.losses import LOSSES, Loss

MOST_KEPT = 20
"""Alarms beyond this are only counted."""


@dataclass(frozen=True)
class Rise:
    """The loss rose at about this example, counted from 1, to within a block of 64; it was clear at `noticed`."""

    example: int
    noticed: int
    before: float
    after: float


class Drift:
    """Watches the losses of rows, one after the other, in bounded memory; batches change nothing."""

    def __init__(self, kept: dict[str, Any] | None = None) -> None:
        kept = kept or {}
        self.rises = [Rise(**rise) for rise in kept.get("rises", ())]
        self._counts = np.zeros(drift.BINS)
        for place, count in kept.get("counts", {}).items():
            self._counts[int(place)] = count
        self._tree = drift.planted(self._counts)
        self._bets = np.array(kept.get("bets", np.zeros((drift.BETS, drift.BET_WIDTH))))
        self._totals = np.array(kept.get("totals", np.zeros(drift.TOTALS)))

    @property
    def alarms(self) -> int:
        """How often the loss rose."""
        return int(self._totals[drift.ALARMS])

    def watch(self, losses: np.ndarray, weights: np.ndarray) -> None:
        """Takes in the losses of rows; those of weight 0 do not count."""
        i = 0
        while True:
            i = drift.watch(losses, weights, self._counts, self._tree, self._bets, self._totals, i)
            if i >= len(losses):
                return
            self._raise_alarm()
            i += 1

    def _raise_alarm(self) -> None:
        """Notes a rise; what comes after it is compared with nothing before it."""
        best = self._bets[int(self._totals[drift.TOLD_BY])]
        if len(self.rises) < MOST_KEPT:
            places = int(best[drift.START]), int(self._totals[drift.ALL_ROWS])
            self.rises.append(Rise(*places, float(best[drift.MEAN_BEFORE]), float(best[drift.MEAN_AFTER])))
        self._totals[drift.ALARMS] += 1.0
        self._totals[[drift.SEEN, drift.MEAN]] = 0.0
        for table in (self._counts, self._tree, self._bets):
            table[:] = 0.0

    def report(self) -> dict[str, Any]:
        """What a summary holds: how often the loss rose, and where."""
        return {"alarms": self.alarms, "rises": [asdict(rise) for rise in self.rises]}

    def describe(self) -> dict[str, Any]:
        """What a model file keeps."""
        return {
            "rises": [asdict(rise) for rise in self.rises],
            "counts": {str(place): self._counts[place] for place in np.flatnonzero(self._counts).tolist()},
            "bets": self._bets.tolist(),
            "totals": self._totals.tolist(),
        }


def row_losses(loss: Loss, labels: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The loss of each row, the mean over its targets."""
    if type(loss) not in LOSSES.values():
        return np.asarray(np.vectorize(loss.value, otypes=[float])(scores, labels).mean(axis=1))
    losses = np.empty(len(labels))
    drift.row_losses(loss, np.ascontiguousarray(labels), np.ascontiguousarray(scores), losses)
    return losses
