"""Rows of any kind as lists of slots and values, a block at a time: what kernels/mixture.py learns from.

The paper's loops are compiled for each kind of rows, as they are as fast as reading. The mixture has ten times as
much to do with a row, and takes as long to compile; so it knows one kind of rows only, and these loops, which are
short, make the others into it.
"""

from typing import NamedTuple

import numpy as np

from unscaled.kernels.compiled import chosen, inner, kernel
from unscaled.kernels.rows import Crossed, DenseRows, expand, list_row, row_count, row_total

ROOM = 16_384
"""Features in a block: slots and values of so many stay in the second cache."""


class Listed(NamedTuple):
    """A block of rows: row i has the features starts[i] to starts[i + 1], the intercept first, none 0 or missing."""

    starts: np.ndarray
    slots: np.ndarray
    values: np.ndarray


def room_for(rows: tuple) -> Listed:
    """Room for a block, which takes the longest row at least."""
    longest = longest_row(rows)
    room = max(longest, min(ROOM, longest * row_total(rows)))
    return Listed(np.zeros(room + 1, np.int64), np.zeros(room, np.int64), np.zeros(room))


def longest_row(rows: tuple) -> int:
    """How many features a row can have, the intercept and products included."""
    if isinstance(rows, Crossed):
        base = longest_row(rows.rows)
        return {2: base * (base + 1) // 2, 3: base * (base + 1) * (base + 2) // 6}[rows.order]
    if isinstance(rows, DenseRows):
        return rows.values.shape[1] + 1
    return int(np.diff(rows.starts).max(initial=0)) + 1


@kernel
def list_rows(rows, first, scratch, listed, begin):
    """Lists rows from `begin` on while there is room. Gives how many, and whether an infinite value ended it."""
    starts = listed.starts
    done = 0
    for i in range(begin, row_count(rows)):
        m = append_row(rows, i, first, scratch, listed, starts[done])
        if m < 0:
            return done, m == INFINITE
        starts[done + 1] = starts[done] + m
        done += 1
    return done, False


INFINITE, FULL = -1, -2
"""In place of a length: a value is infinite, or the block is full."""


def append_row(rows, i, first, scratch, listed, place):
    """Lists row i from `place` on and gives its length, or INFINITE or FULL."""
    raise NotImplementedError("only compiled code calls this")


@chosen(append_row)
def _(rows, i, first, scratch, listed, place):
    return _append_dense if rows.instance_class is DenseRows else _append_expanded


def _append_dense(rows, i, first, scratch, listed, place):
    if place + rows.values.shape[1] + 1 > listed.slots.shape[0]:
        return FULL
    slots, values = listed.slots[place:], listed.values[place:]
    m = list_row(rows, i, slots, values)
    if first != 0:
        for j in range(m):
            slots[j] += first
    return without_intercept(slots, values, m)


def _append_expanded(rows, i, first, scratch, listed, place):
    m = expand(rows, i, scratch)
    if m < 0:
        return INFINITE
    if place + m > listed.slots.shape[0]:
        return FULL
    n = place
    for j in range(m):
        if scratch.x[j] != 0.0:
            listed.slots[n] = np.int64(scratch.slots[j])
            listed.values[n] = scratch.x[j]
            n += 1
    return n - place


@inner
def without_intercept(slots, values, m):
    """The length of a row whose intercept, which comes first, is dropped if it is 0."""
    if m <= 0 or values[0] != 0.0:
        return m
    for j in range(1, m):
        slots[j - 1] = slots[j]
        values[j - 1] = values[j]
    return m - 1
