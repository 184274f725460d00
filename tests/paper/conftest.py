"""The tests of the paper's runs see tiny data sets: what is tested is the machinery, not the numbers."""

from pathlib import Path

import pytest

from tiny_datasets import make_tiny, put
from unscaled.datasets import DATASETS


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every data set, with a few rows."""
    monkeypatch.setenv("UNSCALED_DATA", str(tmp_path))
    for name in DATASETS:
        facts, content = make_tiny(name, monkeypatch)
        put(tmp_path / name, facts.file, content)
    return tmp_path
