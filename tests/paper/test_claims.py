"""What the paper prints, and the bound by which it prints bold."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unscaled.datasets import DATASETS
from unscaled.paper.claims import CLAIMS, RAW, TABLE_2, TABLE_3, TABLES, Cell, cells
from unscaled.paper.significance import bounds, is_better, relative_entropy
from unscaled.paper.verdicts import SLACK


def test_every_data_set_has_its_cells():
    for rule, scaling, printed in TABLES.values():
        assert list(printed) == [(name, how) for name in DATASETS for how in (RAW, scaling)]
        assert all(Cell(name, each, how) in CLAIMS for name, how in printed for each in (rule, "ag"))
    assert len(CLAIMS) == 7 * len(DATASETS)


def test_both_tables_print_the_same_for_ag_on_raw_features():
    for name in DATASETS:
        assert TABLE_2[name, RAW][1] == TABLE_3[name, RAW][1]


def test_a_cell_of_both_tables_is_run_once():
    assert len(cells("bank", (1, 2, 3))) == 7
    assert len(cells("bank", (2,))) == len(cells("bank", (3,))) == 4
    assert cells("bank", (1,)) == []


means = st.floats(0.0, 1.0)
counts = st.integers(1, 10**6)


@given(mean=st.floats(0.01, 0.99), n=st.integers(20, 10**6))
def test_the_bounds_are_where_the_relative_entropy_says(mean, n):
    low, high = bounds(mean, n)
    assert low < mean < high
    for edge in (low, high):
        assert n * relative_entropy(mean, edge) == pytest.approx(math.log(20.0), rel=1e-6)


@given(mean=means, n=counts)
def test_the_bounds_stay_among_what_can_be(mean, n):
    low, high = bounds(mean, n)
    assert 0.0 <= low <= mean <= high <= 1.0


@given(mean=st.floats(0.01, 0.99))
def test_more_rows_leave_less_doubt(mean):
    widths = [high - low for low, high in (bounds(mean, n) for n in (100, 10_000, 1_000_000))]
    assert widths[0] > widths[1] > widths[2] > 0.0


def test_the_papers_bold_numbers_are_significant_and_its_plain_ones_are_not():
    """Where the rounding of its three digits leaves no doubt."""
    bold = {("bank", "nag"), ("covertype", "nag"), ("bank", "snag"), ("covertype", "snag"), ("shuttle", "snag")}
    plain = {("shuttle", "nag")}
    for name, rule in bold | plain:
        printed = TABLE_2 if rule == "nag" else TABLE_3
        ours, ag = printed[name, RAW]
        assert is_better(ours.loss, ag.loss, DATASETS[name].rows) == ((name, rule) in bold), (name, rule)
    assert SLACK < 0.009  # what tells nag from ag on bank
