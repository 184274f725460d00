"""The numbers that a learner has learned, as arrays that grow with its features and its lanes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from unscaled import kernels
from unscaled.foreign import adopted, is_foreign
from unscaled.kernels import Lanes, Model, Settings, State
from unscaled.modelfile import Contents
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
        """Grows to at least so many slots, by at least a half, so that growing often costs little.

        There is room for a whole vector after the last one: the kernels read and write nothing less.
        """
        slots += kernels.LANES
        if slots > self.slots:
            self._move(max(slots, self.slots + self.slots // 2), self.interleaved)

    @property
    def interleaved(self) -> bool:
        """Whether the numbers of a slot stand side by side."""
        return self.scale.strides[0] != self.scale.itemsize

    def lay_out(self, interleaved: bool) -> None:
        """Puts side by side the numbers of a slot, or all numbers of a kind.

        Listed rows touch a slot here and a slot there: one line of the cache should then hold all that they need.
        Dense rows go through the slots in order, eight at a time.
        """
        if interleaved != self.interleaved:
            self._move(self.slots, interleaved)

    def contiguous(self) -> "Numbers":
        """These numbers for dense rows to read: themselves, or a copy if they are interleaved."""
        if not self.interleaved:
            return self
        twin = replace(self)
        twin.lay_out(interleaved=False)
        return twin

    def _move(self, slots: int, interleaved: bool) -> None:
        room = _interleaved_room if interleaved else _contiguous_room
        new = room(slots, self.v.shape[1], self.v.dtype)
        for old, table in zip((self.scale, self.inverse, self.count, self.v, self.gamma), new, strict=True):
            table[: len(old)] = old
        self.scale, self.inverse, self.count, self.v, self.gamma = new

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
        low, high = bounds_of(options)
        self.v, self.gamma = (np.zeros((self.slots, missing), options.dtype) for _ in range(2))
        self.lanes = Lanes(
            np.tile(np.array(options.rates), outputs),
            np.full(missing, low),
            np.full(missing, high),
            np.zeros(missing),
        )

    def of_lanes(self, chosen: slice) -> "Numbers":
        """A copy with some of the lanes only: no lane knows of others."""
        lanes = Lanes(*(each[chosen].copy() for each in self.lanes))  # in one piece, as the kernels want them
        twin = replace(self, v=self.v[:, chosen], gamma=self.gamma[:, chosen], lanes=lanes, totals=self.totals.copy())
        twin._move(self.slots, interleaved=False)
        return twin

    def learning(
        self, options: Options, rows: Any, first: int, labels: np.ndarray, weights: np.ndarray, out: np.ndarray
    ) -> Callable[[int], int]:
        """A function that learns from a row on, and gives the first with an infinite value or the row count."""
        learn = kernels.learn_foreign if is_foreign(options) else kernels.learn
        one = self.width == 1
        self.lay_out(interleaved=not isinstance(rows, kernels.DenseRows))
        model = adopted(self.model(options, first, to_learn=True))
        batch = kernels.Batch(rows, labels[:, 0] if one else labels, weights, out[:, 0] if one else out)
        scratch = kernels.make_scratch(rows, many_lanes=not one)
        return lambda begin: learn(model, batch, scratch, begin)

    def predicting(self, options: Options, rows: Any, first: int, out: np.ndarray) -> Callable[[int], int]:
        """The same to predict only."""
        predict = kernels.predict_foreign if is_foreign(options) else kernels.predict
        one = self.width == 1
        numbers = self.contiguous() if isinstance(rows, kernels.DenseRows) else self
        model = adopted(numbers.model(options, first, to_learn=False))
        scratch = kernels.make_scratch(rows, many_lanes=not one)
        return lambda begin: predict(model, rows, scratch, out[:, 0] if one else out, begin)

    def read_weights(self, options: Options, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights, a column a lane, and scales as the paper defines them."""
        rule = options.rule
        gain = rule.gain(float(self.totals[0])) if rule.moving else 1.0
        with np.errstate(over="ignore"):  # the weight of a column of 1e-308 may be infinite
            weights = self.v[slots].astype(np.float64) * (gain * self.inverse[slots])[:, None]
        return weights, self.scale[slots] / max(gain, np.finfo(float).tiny)

    def effects(self, options: Options, slots: np.ndarray, lanes: int) -> np.ndarray:
        """|weight| * scale of the lane in which it is largest. This is |v|, which is finite where a weight is not."""
        v = np.abs(self.v[slots, :lanes]).max(axis=1, initial=0.0)
        return v if options.rule.normalised else v * self.scale[slots]

    def columns(self, options: Options, slots: np.ndarray) -> dict[str, Any]:
        """What a model file keeps of each slot, exact to the bit."""
        columns = {"count": self.count[slots], "slot": slots, "s": self.scale[slots]}
        for k in range(self.width):
            columns[f"v{k}"] = self.v[slots, k]
            if options.rule.adaptive:
                columns[f"gamma{k}"] = self.gamma[slots, k]
        return columns

    def described(self) -> dict[str, Any]:
        """What a model file keeps of all slots."""
        return {
            "totals": self.totals.tolist(),
            "lanes": [each.tolist() for each in self.lanes],
            "interleaved": self.interleaved,
        }

    def restore(self, options: Options, contents: Contents) -> None:
        """Takes back what `columns` and `described` gave; there is room for the slots."""
        described, slots = contents.described, contents.column("slot")
        self.widen(options, len(described["lanes"][0]) // len(options.rates), is_open=False)
        self.lay_out(described.get("interleaved", False))
        self.lanes = Lanes(*map(np.array, described["lanes"]))
        self.totals[:] = described["totals"]
        self.scale[slots], self.count[slots] = contents.column("s"), contents.column("count")
        seen = self.scale > 0
        self.inverse[seen] = 1.0 / self.scale[seen] if options.rule.normalised else 1.0
        for k in range(self.width):
            self.v[slots, k] = contents.column(f"v{k}")
            if options.rule.adaptive:
                self.gamma[slots, k] = contents.column(f"gamma{k}")

    def model(self, options: Options, first: int, to_learn: bool) -> Model:
        """The arrays as the kernels take them, from slot `first` on."""
        one = self.width == 1
        v, gamma = (table[first:, 0] if one else table[first:] for table in (self.v, self.gamma))
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


def _contiguous_room(slots: int, width: int, precision: np.dtype) -> tuple[np.ndarray, ...]:
    """Zeros for scales, inverses, counts, v and Γ."""
    return (
        *(kernels.room8(slots) for _ in range(3)),
        *(kernels.room8((slots, width), precision) for _ in range(2)),
    )


def _interleaved_room(slots: int, width: int, precision: np.dtype) -> tuple[np.ndarray, ...]:
    """The same as columns of one table; but v and Γ of several lanes, which fill lines of their own, stay apart."""
    if width != 1:
        table = kernels.room8((slots, 4))
        return (*table.T[:3], *_contiguous_room(slots, width, precision)[3:])
    narrow = precision.itemsize == 4
    table = kernels.room8(
        slots,
        np.dtype(
            {
                "names": ["scale", "inverse", "count", "v", "gamma"],
                "formats": ["f8", "f8", "f8", precision, precision],
                "offsets": [0, 8, 16, 24, 28 if narrow else 32],
                "itemsize": 32 if narrow else 64,  # a slot lies in one line of the cache
            }
        ),
    )
    return (*(table[name] for name in ("scale", "inverse", "count")), table["v"][:, None], table["gamma"][:, None])


def bounds_of(options: Options) -> tuple[float, float]:
    """What predictions are cut to at first: nothing if low > high."""
    if options.clip is None:
        return -np.inf, np.inf
    if options.clip == FOLLOW_LABELS:
        return np.inf, -np.inf
    assert not isinstance(options.clip, str)
    return options.clip
