"""What auto and newton have learned, as arrays that grow with their features and their outputs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pyarrow as pa

from unscaled import kernels
from unscaled.errors import UsageError
from unscaled.foreign import double_of, is_foreign
from unscaled.kernels import Lanes, mixture, mixture_state
from unscaled.kernels.mixture_state import Experts, Mixture, SecondOrder
from unscaled.kernels.yardsticks import COUNT, KNOWN, SCALE
from unscaled.losses import COUNT as COUNTS
from unscaled.losses import REAL
from unscaled.modelfile import Contents
from unscaled.options import FOLLOW_LABELS, Options
from unscaled.rules import Auto, Newton
from unscaled.state import bounds_of

_WIDTHS: dict[str, tuple[int, ...]] = {
    "levels": (mixture_state.LEVELS,),
    "losses": (mixture_state.WIDE,),
    "shares": (mixture_state.WIDE,),
    "labels": (kernels.LANES,),
    "errors": (kernels.LANES,),
    "firsts": (mixture_state.FIRST_LABELS,),
    "mending": (mixture_state.WIDE,),
    "mending_P": (mixture_state.WIDE, mixture_state.WIDE),
}
"""How many numbers each array of a mixture has of an output."""


@dataclass
class ExpertNumbers:
    """A yardstick a slot, v and Γ a slot, output and rate, and what is known of each output."""

    features: np.ndarray
    v: np.ndarray
    gamma: np.ndarray
    second: SecondOrder
    mixture: Mixture
    lanes: Lanes
    totals: np.ndarray

    interleaved = False

    @classmethod
    def nothing(cls, options: Options) -> "ExpertNumbers":
        """No slots and no outputs."""
        none, table = np.zeros(0), np.zeros((0, 0), options.dtype)
        second = SecondOrder(kernels.room8((0, 0)), kernels.room8((0, 0, 0)))
        outputs = _empty_mixture(0)
        return cls(
            np.zeros((0, kernels.LANES)),
            table,
            table,
            second,
            outputs,
            Lanes(none, none, none, none),
            np.zeros(mixture_state.TOTALS),
        )

    @property
    def slots(self) -> int:
        """How many slots there is room for."""
        return len(self.features)

    @property
    def width(self) -> int:
        """How many outputs there are."""
        return len(self.lanes.loss)

    @property
    def scale(self) -> np.ndarray:
        """The scale of each slot."""
        return self.features[:, SCALE]

    @property
    def count(self) -> np.ndarray:
        """The rows in which the feature was there."""
        return self.features[:, COUNT]

    def make_room(self, slots: int) -> None:
        """Grows to at least so many slots, by at least a half, so that growing often costs little."""
        if slots > self.slots:
            self._resize(max(slots, self.slots + self.slots // 2), self.v.shape[1])

    def _resize(self, slots: int, columns: int) -> None:
        self.features = _grown(self.features, (slots, kernels.LANES))
        self.v, self.gamma = (_grown(old, (slots, columns)) for old in (self.v, self.gamma))
        self._resize_second_order()

    def _resize_second_order(self) -> None:
        """Room for as many slots as have a second-order expert; none once there are too many."""
        size = min(mixture_state.MOST_SECOND_ORDER, kernels.padded(self.slots))
        outputs = self.width
        if self.totals[mixture_state.WIDEST] > mixture_state.MOST_SECOND_ORDER:
            size = outputs = 0
            self.second = SecondOrder(kernels.room8((0, 0)), kernels.room8((0, 0, 0)))
        if self.second.P.shape != (outputs, size, size):
            self.second = SecondOrder(
                _grown(self.second.theta, (outputs, size)), _grown(self.second.P, (outputs, size, size))
            )

    def widen(self, options: Options, outputs: int, is_open: bool) -> None:
        """Grows to so many outputs; new classes start as copies of the output for classes unseen."""
        missing = outputs - self.width
        if missing <= 0:
            return
        copied = self.width - 1 if self.width and is_open else None
        rates = lanes_of(options)
        columns = self.v.shape[1]
        low, high = bounds_of(options)
        fresh = Lanes(np.ones(missing), np.full(missing, low), np.full(missing, high), np.zeros(missing))
        parts = fresh if copied is None else Lanes(*(np.repeat(lane[copied], missing) for lane in self.lanes))
        self.lanes = Lanes(*(np.concatenate(both) for both in zip(self.lanes, parts, strict=True)))
        more = _nothing_known(options, missing) if copied is None else self._repeated(copied, missing)
        self.mixture = Mixture(*(_joined(both) for both in zip(self.mixture, more, strict=True)))
        self._resize(self.slots, columns + missing * rates)
        if copied is None:
            return
        for old in (self.v, self.gamma):
            old[:, columns:] = np.tile(old[:, columns - rates : columns], missing)
        for old in self.second if copied < len(self.second.P) else ():
            old[copied + 1 :] = old[copied]

    def _repeated(self, output: int, times: int) -> Mixture:
        return Mixture(*(np.repeat(each[output : output + 1], times, axis=0) for each in self.mixture))

    def of_lanes(self, chosen: slice) -> "ExpertNumbers":
        """A copy: there is one lane an output, of no rate."""
        return self.copy()

    def copy(self) -> "ExpertNumbers":
        """One that shares nothing with this one."""
        return replace(
            self,
            features=_grown(self.features, self.features.shape),
            v=self.v.copy(),
            gamma=self.gamma.copy(),
            second=SecondOrder(*(_grown(each, each.shape) for each in self.second)),
            mixture=Mixture(*(_grown(each, each.shape) for each in self.mixture)),
            lanes=Lanes(*(each.copy() for each in self.lanes)),
            totals=self.totals.copy(),
        )

    def learning(
        self, options: Options, rows: Any, first: int, labels: np.ndarray, weights: np.ndarray, out: np.ndarray
    ) -> Callable[[int], int]:
        """A function that learns from a row on, and gives the first with an infinite value or the row count."""
        model = self._model(options)
        learn = mixture.learn_foreign if is_foreign(options) else mixture.learn
        room = mixture_state.make_room(kernels.listing.longest_row(rows))

        def learn_block(listed: Any, here: slice, done: int) -> None:
            learn(model, listed, labels[here], weights[here], out[here], room, done)

        def learn_from(begin: int) -> int:
            stopped = _in_blocks(rows, first, begin, learn_block)
            if self.totals[mixture_state.WIDEST] > mixture_state.MOST_SECOND_ORDER:
                self._resize_second_order()
                if isinstance(options.rule, Newton):
                    raise UsageError(_TOO_WIDE)
            return stopped

        return learn_from

    def predicting(self, options: Options, rows: Any, first: int, out: np.ndarray) -> Callable[[int], int]:
        """The same to predict only."""
        model = self._model(options)
        predict = mixture.predict_foreign if is_foreign(options) else mixture.predict
        room = mixture_state.make_room(kernels.listing.longest_row(rows))

        def predict_block(listed: Any, here: slice, done: int) -> None:
            predict(model, listed, out[here], room, done)

        return lambda begin: _in_blocks(rows, first, begin, predict_block)

    def _model(self, options: Options) -> Experts:
        """The arrays as the kernels take them."""
        return Experts(
            cast(Any, options.rule),
            double_of(options.loss),
            options.intercept,
            options.clip == FOLLOW_LABELS,
            self.features,
            self.v,
            self.gamma,
            self.second,
            self.mixture,
            self.lanes,
            self.totals,
        )

    # As people see it.

    def read_weights(self, options: Options, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The weights of the mean of the experts, a column an output, and the scales.

        What mending adds is not in them: it knows opinions, not features.
        """
        scales = self.scale[slots]
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            return np.where(scales[:, None] > 0.0, self._mixed(options, slots) / scales[:, None], 0.0), scales

    def effects(self, options: Options, slots: np.ndarray, outputs: int) -> np.ndarray:
        """|weight| * scale of the output in which it is largest: |v| of the mixture, which is finite."""
        return np.abs(self._mixed(options, slots)[:, :outputs]).max(axis=1, initial=0.0)

    def resting(self) -> np.ndarray:
        """The outputs of which one second-order expert goes on alone in the next row."""
        return np.flatnonzero(self.totals[mixture_state.ROWS] + 1.0 < self.mixture.levels[:, mixture_state.UNTIL])

    def _mixed(self, options: Options, slots: np.ndarray) -> np.ndarray:
        """v of the mixture: each expert's times its share, and the centre in the intercept, whose scale is 1."""
        mixed = np.zeros((len(slots), self.width))
        alone = range(self.width) if not self.v.shape[1] else self.resting()
        for k in range(self.width):
            counts_for = self.mixture.shares[k].copy()
            if k in alone:
                counts_for[:] = 0.0
                counts_for[mixture_state.NEWTON] = 1.0
            if self.v.shape[1]:
                lanes = slice(k * kernels.LANES, (k + 1) * kernels.LANES)
                mixed[:, k] = self.v[slots, lanes].astype(np.float64) @ counts_for[: kernels.LANES]
            if k < len(self.second.theta):
                known = slots < self.second.theta.shape[1]
                second = counts_for[mixture_state.NEWTON] + counts_for[mixture_state.TWIN]
                mixed[known, k] += second * self.second.theta[k, slots[known]]
        if options.intercept:
            mixed[slots == self.totals[mixture_state.INTERCEPT]] += self.mixture.levels[:, mixture_state.CENTRE]
        return mixed

    # A model file.

    def columns(self, options: Options, slots: np.ndarray) -> dict[str, Any]:
        """What a file keeps of each slot, exact to the bit; of the second-order experts the row of P."""
        columns: dict[str, Any] = {"slot": slots}
        for place, name in enumerate(_YARDSTICK):
            columns[name] = self.features[slots, place]
        for column in range(self.v.shape[1]):
            columns[f"v{column}"] = self.v[slots, column]
            columns[f"gamma{column}"] = self.gamma[slots, column]
        size = self.second.P.shape[1]
        inside = slots[slots < size]
        for k in range(len(self.second.P)):
            columns[f"theta{k}"] = pa.array(np.append(self.second.theta[k, inside], np.zeros(len(slots) - len(inside))))
            rows = [self.second.P[k, slot, inside] if slot < size else [] for slot in slots.tolist()]
            columns[f"P{k}"] = pa.array(rows, pa.list_(pa.float64()))
        return columns

    def described(self) -> dict[str, Any]:
        """What a file keeps of all slots."""
        return {
            "lanes": [each.tolist() for each in self.lanes],
            "totals": self.totals.tolist(),
            "outputs": {name: each.tolist() for name, each in self.mixture._asdict().items()},
        }

    def restore(self, options: Options, contents: Contents) -> None:
        """Takes back what `columns` and `described` gave; there is room for the slots."""
        described, slots = contents.described, contents.column("slot")
        self.widen(options, len(described["lanes"][0]), is_open=False)
        self.lanes = Lanes(*map(np.array, described["lanes"]))
        self.totals[:] = described["totals"]
        outputs = {name: np.array(each) for name, each in described["outputs"].items()}
        self.mixture = Mixture(**{name: _grown(each, each.shape) for name, each in outputs.items()})
        self._resize_second_order()
        for place, name in enumerate(_YARDSTICK):
            self.features[slots, place] = contents.column(name)
        for column in range(self.v.shape[1]):
            self.v[slots, column] = contents.column(f"v{column}")
            self.gamma[slots, column] = contents.column(f"gamma{column}")
        inside = slots[slots < self.second.P.shape[1]]
        for k in range(len(self.second.P)):
            self.second.theta[k, inside] = contents.column(f"theta{k}")[: len(inside)]
            rows = contents.table[f"P{k}"].to_pylist()
            for slot, row in zip(inside.tolist(), rows, strict=False):
                self.second.P[k, slot, inside] = row


_TOO_WIDE = (
    f"newton keeps a number for each pair of features and takes up to {mixture_state.MOST_SECOND_ORDER - 1} of them, "
    "and there are more; take auto or nag"
)

_YARDSTICK = ("s", "count", "known", "start", "end", "squares", "far", "logs")
"""The columns of a file for what a yardstick keeps, in its order."""

assert _YARDSTICK.index("count") == COUNT
assert _YARDSTICK.index("known") == KNOWN


def lanes_of(options: Options) -> int:
    """How many columns of v an output has: one a learning rate."""
    return kernels.LANES if isinstance(options.rule, Auto) else 0


def _grown(old: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A copy with more room, at the start of a line of the cache."""
    new = kernels.room8(shape, old.dtype)
    new[tuple(slice(0, size) for size in old.shape)] = old
    return new


def _joined(parts: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    whole = np.concatenate(parts)
    return _grown(whole, whole.shape)


def _empty_mixture(outputs: int) -> Mixture:
    return Mixture(**{name: np.zeros((outputs, *width)) for name, width in _WIDTHS.items()})


def _labels(options: Options) -> str:
    return getattr(options.loss, "labels", REAL)


def _nothing_known(options: Options, outputs: int) -> Mixture:
    """What is known of outputs before their first label."""
    fresh = _empty_mixture(outputs)
    fresh.shares[:, : mixture_state.EXPERTS] = 1.0 / mixture_state.EXPERTS
    fresh.shares[:, [mixture_state.MEAN, mixture_state.MENDED]] = 0.5
    bound = mixture_state.LARGEST_OPINION
    low, high = {REAL: (np.inf, -np.inf), COUNTS: (-bound, 1.0)}.get(_labels(options), (-bound, bound))
    fresh.levels[:, mixture_state.LOW], fresh.levels[:, mixture_state.HIGH] = low, high
    if _labels(options) != REAL or getattr(options.loss, "quadratic", False):
        fresh.levels[:, mixture_state.UNIT] = 1.0
    return fresh


def _in_blocks(rows: Any, first: int, begin: int, each: Callable[[Any, slice, int], None]) -> int:
    """Lists rows block by block from `begin` on; gives the first with an infinite value, or the row count."""
    listed = kernels.listing.room_for(rows)
    scratch = kernels.make_scratch(rows, many_lanes=False)
    total = kernels.row_total(rows)
    while begin < total:
        done, is_infinite = kernels.listing.list_rows(rows, first, scratch, listed, begin)
        each(listed, slice(begin, begin + done), done)
        begin += done
        if is_infinite:
            return begin
    return total
