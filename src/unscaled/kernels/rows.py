"""Rows as the kernels read them: dense, sparse, or crossed on the fly with products of their own values.

Every row becomes a list of (slot, value) pairs in a scratch buffer. A slot is where a feature's state stands.

    DenseRows      column j stands in slot j + 1 and slot 0 is the intercept: no list of slots is needed
    SparseRows     the slots come with the values (CSR)
    Crossed(rows)  the products of a row's values, of order 2 or 3, made here row by row and never kept

With crossing, the intercept counts as one more base feature, number 0, whose value is 1: the pair (0, j) is
column j itself and (0, 0) the intercept. The pair i <= j stands in slot j (j + 1) / 2 + i, the triple i <= j <= k in
k (k + 1) (k + 2) / 6 + j (j + 1) / 2 + i. So a slot never moves when columns are added, and the table of order 2
holds order 1 too. In a hashed table, products stand where the hash of their base features says.
"""

from typing import NamedTuple

import numpy as np
from numba import types

from unscaled.kernels.compiled import chosen, inner
from unscaled.kernels.simd import (
    LANES,
    absent8,
    and8,
    any8,
    between,
    copy_slots8,
    fill8,
    first,
    load_part8,
    not_within,
    or8,
    padded,
    room8,
    store8,
)

LARGEST = np.finfo(np.float64).max


class DenseRows(NamedTuple):
    """Consecutive rows of a table of numbers; `constant` is the intercept's value, 1 or 0."""

    values: np.ndarray
    constant: float


class SparseRows(NamedTuple):
    """CSR: row i has the features slots[starts[i]:starts[i + 1]], counted from `offset` on."""

    starts: np.ndarray
    slots: np.ndarray
    values: np.ndarray
    offset: int
    constant_slot: int
    constant: float


class Crossed(NamedTuple):
    """Products of the values of a row up to an order.

    Pairs are limited to those of a left and a right group where `left` is not empty: feature i is in the groups
    whose bits are set in left[i] or right[i]. With `mask` other than 0, products are hashed into slots 0 … mask by
    the keys of their factors: keys[i] for the i-th base feature from the intercept on, the slot itself before that.
    """

    rows: DenseRows | SparseRows
    order: int
    left: np.ndarray
    right: np.ndarray
    mask: int
    keys: np.ndarray


class Scratch(NamedTuple):
    """Room for one row, made once for a batch: nothing is allocated inside the loops.

    x and u end in a whole vector, with zeros after the row's last feature.
    """

    slots: np.ndarray | None  # where each feature of the row stands; None if slot j is j
    x: np.ndarray  # its value
    u: np.ndarray  # its value over its scale
    fade: np.ndarray  # the factor on its Γ that the new scale asks for
    gamma: np.ndarray  # its Γ, this row included
    a: np.ndarray  # its step for a unit slope; eight to a feature if there are many lanes
    base_slots: np.ndarray  # the row before crossing
    base_x: np.ndarray
    slope: np.ndarray  # a number for each of eight lanes
    reach: np.ndarray


def row_total(rows: DenseRows | SparseRows | Crossed) -> int:
    """How many rows there are, outside compiled code."""
    if isinstance(rows, Crossed):
        return row_total(rows.rows)
    return rows.values.shape[0] if isinstance(rows, DenseRows) else len(rows.starts) - 1


def make_scratch(rows: DenseRows | SparseRows | Crossed, many_lanes: bool) -> Scratch:
    """Room for any of the rows."""
    plain, order = (rows.rows, rows.order) if isinstance(rows, Crossed) else (rows, 1)
    if isinstance(plain, DenseRows):
        base = plain.values.shape[1] + 1
    else:
        base = int(np.diff(plain.starts).max(initial=0)) + 1
    room = {1: base, 2: base * (base + 1) // 2, 3: base * (base + 1) * (base + 2) // 6}[order]
    room = padded(room)
    return Scratch(
        slots=None if isinstance(rows, DenseRows) else room8(room, np.uint64),
        x=room8(room),
        u=room8(room),
        fade=room8(room) + 1.0,
        gamma=room8(room),
        a=room8(room * (LANES if many_lanes else 1)),
        base_slots=room8(base, np.int64),
        base_x=room8(base),
        slope=room8(LANES),
        reach=room8(LANES),
    )


def row_count(rows):
    """How many rows there are."""
    raise NotImplementedError("only compiled code calls this")


@chosen(row_count)
def _(rows):
    if rows.instance_class is DenseRows:
        return lambda rows: rows.values.shape[0]
    if rows.instance_class is SparseRows:
        return lambda rows: rows.starts.shape[0] - 1
    return lambda rows: row_count(rows.rows)


def at(slots, j):
    """The slot of a row's j-th feature."""
    raise NotImplementedError("only compiled code calls this")


@chosen(at)
def _(slots, j):
    if isinstance(slots, types.NoneType):
        return lambda slots, j: j
    return lambda slots, j: slots[j]


def expand(rows, i, scratch):
    """Lists row i in scratch.slots and scratch.x.

    The intercept comes first. Gives the number of features, or -1 if a value is infinite.
    """
    raise NotImplementedError("only compiled code calls this")


@chosen(expand)
def _(rows, i, scratch):
    return _expand_crossed if rows.instance_class is Crossed else _expand_sparse


def _expand_sparse(rows, i, scratch):
    """Eight at a time, unless there are zeros or missing values among them, which are left out one by one."""
    start = rows.starts[i]
    m = rows.starts[i + 1] - start + 1
    finite, any_absent = True, first(0)
    for j in range(0, m, LANES):
        there = between(1 - j, m - j)
        value = load_part8(rows.values, start + j - 1, there)
        any_absent = or8(any_absent, and8(there, absent8(value)))
        finite &= not any8(not_within(abs(value), fill8(LARGEST)))
        store8(scratch.x, j, value)
        copy_slots8(scratch.slots, j, rows.slots, start + j - 1, there, rows.offset)
    if any8(any_absent):
        return expand_some(rows, i, scratch)
    scratch.x[0] = rows.constant
    scratch.slots[0] = rows.constant_slot
    return m if finite else -1


@inner
def expand_some(rows, i, scratch):
    """One by one, without zeros and missing values."""
    m = list_row(rows, i, scratch.slots, scratch.x)
    if m > 0:
        fill_up(scratch.slots, scratch.x, m)
    return m


def _expand_crossed(rows, i, scratch):
    m = list_row(rows.rows, i, scratch.base_slots, scratch.base_x)
    if m < 0:
        return -1
    n = cross(rows, scratch.base_slots, scratch.base_x, m, scratch.slots, scratch.x)
    fill_up(scratch.slots, scratch.x, n)
    return n


@inner
def fill_up(slots, x, m):
    """The list ends in a whole vector: after it, its first slot stands with the value 0."""
    while m % LANES != 0:
        slots[m] = slots[0]
        x[m] = 0.0
        m += 1


def list_row(rows, i, slots, x):
    """Writes the features of row i that are neither zero nor missing to slots and x, as `expand` does."""
    raise NotImplementedError("only compiled code calls this")


@chosen(list_row)
def _(rows, i, slots, x):
    return _list_dense if rows.instance_class is DenseRows else _list_sparse


def _list_dense(rows, i, slots, x):
    slots[0] = 0
    x[0] = rows.constant
    m = 1
    for j in range(rows.values.shape[1]):
        value = float(rows.values[i, j])
        if np.isinf(value):
            return -1
        if value != 0.0 and value == value:
            slots[m] = j + 1
            x[m] = value
            m += 1
    return m


def _list_sparse(rows, i, slots, x):
    slots[0] = rows.constant_slot
    x[0] = rows.constant
    m = 1
    for j in range(rows.starts[i], rows.starts[i + 1]):
        value = float(rows.values[j])
        if np.isinf(value):
            return -1
        if value != 0.0 and value == value:
            slots[m] = rows.slots[j] + rows.offset
            x[m] = value
            m += 1
    return m


@inner
def cross(rows, base_slots, base_x, m, slots, x):
    """All products of the m base features, the first of which is the intercept."""
    intercept = base_x[0]
    base_x[0] = 1.0
    if rows.order == 2:
        n = cross_pairs(rows, base_slots, base_x, m, slots, x)
    else:
        n = cross_triples(rows, base_slots, base_x, m, slots, x)
    # The product of the intercept with itself comes first.
    x[0] = intercept
    return n


@inner
def cross_pairs(rows, base_slots, base_x, m, slots, x):
    """The products of two, limited to the groups if there are any."""
    constant = base_slots[0]
    limited = rows.left.shape[0] > 0
    n = 0
    for j in range(m):
        for i in range(j + 1):
            if i > 0 and limited and not paired(rows, base_slots[i], base_slots[j]):
                continue
            slots[n] = pair_slot(rows, base_slots[i], base_slots[j], constant)
            x[n] = bounded(base_x[i] * base_x[j])
            n += 1
    return n


@inner
def cross_triples(rows, base_slots, base_x, m, slots, x):
    """The products of three."""
    constant = base_slots[0]
    n = 0
    for k in range(m):
        for j in range(k + 1):
            for i in range(j + 1):
                slots[n] = triple_slot(rows, base_slots[i], base_slots[j], base_slots[k], constant)
                x[n] = bounded(bounded(base_x[i] * base_x[j]) * base_x[k])
                n += 1
    return n


@inner
def paired(rows, i, j):
    """Whether base features i and j stand in the two groups of some pair."""
    return (rows.left[i] & rows.right[j]) | (rows.left[j] & rows.right[i]) != 0


@inner
def bounded(product):
    """A product of finite numbers is kept finite."""
    return max(-LARGEST, min(LARGEST, product))


@inner
def ordered(a, b, c):
    """Three numbers in ascending order."""
    return min(a, b, c), max(min(a, b), min(max(a, b), c)), max(a, b, c)


@inner
def pair_slot(rows, i, j, constant):
    """The slot of a pair of base features."""
    if rows.mask == 0:
        low, high = min(i, j), max(i, j)
        return high * (high + 1) // 2 + low
    if i == constant:
        return j
    if j == constant:
        return i
    a, b = key(rows, i, constant), key(rows, j, constant)
    return mixed(mixed(min(a, b)) ^ max(a, b)) & rows.mask


@inner
def triple_slot(rows, i, j, k, constant):
    """The slot of a triple of base features."""
    if rows.mask == 0:
        a, b, c = ordered(i, j, k)
        return c * (c + 1) * (c + 2) // 6 + b * (b + 1) // 2 + a
    if i == constant:
        return pair_slot(rows, j, k, constant)
    if j == constant:
        return pair_slot(rows, i, k, constant)
    if k == constant:
        return pair_slot(rows, i, j, constant)
    a, b, c = ordered(key(rows, i, constant), key(rows, j, constant), key(rows, k, constant))
    return mixed(mixed(mixed(a) ^ b) ^ c) & rows.mask


@inner
def key(rows, slot, constant):
    """What a base feature's products are hashed by."""
    return slot if slot < constant else rows.keys[slot - constant]


@inner
def mixed(number):
    """A one-to-one scrambling of 64 bits (the finaliser of SplitMix64, Steele, Lea and Flood 2014)."""
    z = np.uint64(number) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64(z ^ (z >> np.uint64(31)))
