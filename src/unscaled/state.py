"""The numbers that a learner has learned, as arrays that grow with its features and its lanes."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from unscaled.kernels import Lanes, Model, Settings, State
from unscaled.options import FOLLOW_LABELS, Options


@dataclass
class Numbers:
    """Scales and counts a slot, v and Γ a slot and lane, rates and bounds and losses a lane, and the totals t and N."""

    scale: np.ndarray
    inverse: np.ndarray
    count: np.ndarray
    v: np.ndarray
    gamma: np.ndarray
    lanes: Lanes
    totals: np.ndarray

    @classmethod
    def nothing(cls, options: Options) -> "Numbers":
        """No slots and no lanes."""
        none = np.zeros(0)
        table = np.zeros((0, 0), options.dtype)
        return cls(none, none, none, table, table, Lanes(none, none, none, none), np.zeros(2))

    @property
    def slots(self) -> int:
        """How many slots there is room for."""
        return len(self.scale)

    @property
    def width(self) -> int:
        """How many lanes there are."""
        return len(self.lanes.learning_rate)

    def make_room(self, slots: int) -> None:
        """Grows to at least so many slots, by at least a half, so that growing often costs little."""
        if slots <= self.slots:
            return
        more = max(slots, self.slots + self.slots // 2) - self.slots
        self.scale, self.inverse, self.count = (
            np.concatenate([old, np.zeros(more)]) for old in (self.scale, self.inverse, self.count)
        )
        self.v, self.gamma = (
            np.concatenate([old, np.zeros((more, old.shape[1]), old.dtype)]) for old in (self.v, self.gamma)
        )

    def widen(self, options: Options, outputs: int, is_open: bool) -> None:
        """Grows to a lane for each output and rate; new classes start as copies of the lane for classes unseen."""
        rates = len(options.rates)
        missing = outputs * rates - self.width
        if missing <= 0:
            return
        if self.width and is_open:
            copied = np.tile(np.arange(self.width - rates, self.width), missing // rates)
            self.v, self.gamma = (
                np.ascontiguousarray(np.concatenate([old, old[:, copied]], axis=1)) for old in (self.v, self.gamma)
            )
            self.lanes = Lanes(*(np.concatenate([old, old[copied]]) for old in self.lanes))
            return
        low, high = _bounds(options)
        self.v, self.gamma = (np.zeros((self.slots, missing), options.dtype) for _ in range(2))
        if not options.rule.adaptive:
            self.gamma = np.zeros((0, missing), options.dtype)
        self.lanes = Lanes(
            np.tile(np.array(options.rates), outputs),
            np.full(missing, low),
            np.full(missing, high),
            np.zeros(missing),
        )

    def model(self, options: Options, first: int, to_learn: bool) -> Model:
        """The arrays as the kernels take them, from slot `first` on."""
        one = self.width == 1
        v, gamma = (table[first:].reshape(-1) if one else table[first:] for table in (self.v, self.gamma))
        state = State(self.scale[first:], self.inverse[first:], self.count[first:], v, gamma)
        settings = Settings(options.importance_aware, options.clip == FOLLOW_LABELS, options.l1, options.l2)
        return Model(
            cast(Any, options.rule),
            cast(Any, options.loss) if to_learn else None,
            settings if to_learn else None,
            state,
            self.lanes,
            self.totals,
        )


def _bounds(options: Options) -> tuple[float, float]:
    if options.clip is None:
        return -np.inf, np.inf
    if options.clip == FOLLOW_LABELS:
        return np.inf, -np.inf
    assert not isinstance(options.clip, str)
    return options.clip
