"""Every test runs in a folder of its own, so that messages hold bare file names."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest

import unscaled.sources.blocks


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def block_bytes(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    return lambda size: monkeypatch.setattr(unscaled.sources.blocks, "BLOCK_BYTES", size)


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    def feed(data: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    return feed
