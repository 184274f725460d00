"""The examples in the docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import unscaled.sources

MODULES = [name for _, name, _ in pkgutil.iter_modules(unscaled.sources.__path__, "unscaled.sources.")]


@pytest.mark.parametrize("name", ["unscaled.sources", *MODULES])
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
