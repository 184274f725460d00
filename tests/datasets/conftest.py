"""The tests of data sets see none but those that they write."""

import pytest

from tiny_datasets import nothing_here, server

__all__ = ["nothing_here", "server"]


@pytest.fixture(autouse=True)
def _nothing_here(nothing_here):
    return nothing_here
