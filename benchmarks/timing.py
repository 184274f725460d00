"""Interleaved timing: every contender runs once a round, so that a busy moment hits all alike."""

import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np


class Seconds(NamedTuple):
    """What several rounds took: the median, the quartiles to tell how far it can be trusted, the fastest."""

    median: float
    low: float
    high: float
    fastest: float

    @property
    def spread(self) -> float:
        """The distance of the quartiles over the median."""
        return (self.high - self.low) / self.median


def interleaved(contenders: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, Seconds]:
    """Runs each contender once to warm up, then all of them in turn, round after round."""
    for work in contenders.values():
        work()
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, work in contenders.items():
            begin = time.perf_counter()
            work()
            taken[name].append(time.perf_counter() - begin)
    return {name: _summary(times) for name, times in taken.items()}


def _summary(times: list[float]) -> Seconds:
    low, median, high = np.percentile(times, [25, 50, 75]).tolist()
    return Seconds(median, low, high, min(times))
