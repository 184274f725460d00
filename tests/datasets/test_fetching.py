"""Fetching, from a server of the test's own: what arrives is checked, and what fails leaves nothing behind."""

import dataclasses
import socket
import sys

import pytest

from tiny_datasets import ROWS, archive_of, make_tiny, put
from unscaled import datasets
from unscaled.datasets import DATASETS
from unscaled.errors import DataError, UsageError


class Told:
    """What a bar is told."""

    total = None

    def __init__(self):
        self.calls = []

    def update(self, amount):
        self.calls.append(amount)

    def reset(self):
        self.calls.append("reset")

    def close(self):
        self.calls.append("close")


@pytest.mark.parametrize("name", DATASETS)
def test_every_set_is_fetched_once(name, server, nothing_here, monkeypatch):
    facts, content = make_tiny(name, monkeypatch, download=server.address)
    server.content = archive_of(facts, content)
    told = Told()
    path = datasets.fetch(name, told)
    assert path == nothing_here / name / facts.members[-1]
    assert [each for each in nothing_here.rglob("*") if each.is_file()] == [path]
    assert told.total == len(server.content)
    assert told.calls[-3:] == ["reset", told.total, "close"]
    loaded = datasets.load(name)
    assert loaded.paths == (path,)
    assert loaded.whole
    assert len(loaded.y) == ROWS
    assert datasets.fetch(name) == path
    assert server.asked == 1


def test_a_set_in_the_named_folder_is_not_fetched(tmp_path, server, monkeypatch):
    facts, content = make_tiny("bank", monkeypatch, download=server.address)
    monkeypatch.setenv("UNSCALED_DATA", str(tmp_path))
    put(tmp_path, "bank/bank-full.csv", content)
    assert datasets.fetch("bank") == tmp_path / "bank" / facts.file
    assert server.asked == 0


def failure(name):
    with pytest.raises(DataError) as caught:
        datasets.fetch(name)
    said = str(caught.value)
    assert "\n" not in said
    assert said.startswith(DATASETS[name].download)
    assert f"or put {DATASETS[name].file} from {DATASETS[name].page} into a folder named {name}" in said
    assert "UNSCALED_DATA" in said
    return said


@pytest.fixture
def nothing_left(nothing_here):
    yield
    assert not [*nothing_here.rglob("*")]


@pytest.mark.usefixtures("nothing_left")
class TestNothingIsLeftBy:
    @pytest.fixture
    def bank(self, server, monkeypatch):
        facts, content = make_tiny("bank", monkeypatch, download=server.address)
        server.content = archive_of(facts, content)
        return facts, content

    def test_a_wrong_checksum(self, bank, server):
        facts, content = bank
        server.content = archive_of(facts, content.replace(b"a 1", b"a 2"))
        assert "gave a bad bank-full.csv: its checksum is not that of UCI's file" in failure("bank")

    def test_a_missing_column(self, bank, server):
        facts, content = bank
        server.content = archive_of(facts, content.replace(b'"pdays"', b'"days"'))
        assert "gave a bad bank-full.csv: the header lacks 'pdays'" in failure("bank")

    @pytest.mark.parametrize("name", DATASETS)
    def test_too_few_rows(self, name, server, monkeypatch):
        facts, content = make_tiny(name, monkeypatch, download=server.address)
        server.content = archive_of(facts, content[: content.rindex(b"\n", 0, -1) + 1])
        assert "rows and should have" in failure(name)

    @pytest.mark.usefixtures("bank")
    def test_a_download_that_breaks_off(self, server):
        server.missing_bytes = 100
        assert "cannot be fetched (ChunkedEncodingError)" in failure("bank")

    @pytest.mark.usefixtures("bank")
    def test_an_archive_that_is_cut_short(self, server):
        server.content = server.content[:-100]
        assert "is not the archive it was" in failure("bank")

    @pytest.mark.parametrize("name", DATASETS)
    def test_an_archive_without_the_file(self, name, server, monkeypatch):
        facts, content = make_tiny(name, monkeypatch, download=server.address)
        *outer, file = facts.members
        server.content = archive_of(dataclasses.replace(facts, members=(*outer, "other")), content)
        assert f"is not the archive it was: it lacks {file};" in failure(name)

    @pytest.mark.usefixtures("bank")
    def test_a_page_that_is_gone(self, server):
        server.status = 404
        assert "cannot be fetched (the server says 404 Not Found)" in failure("bank")

    @pytest.mark.usefixtures("bank")
    def test_no_network(self, monkeypatch):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        make_tiny("bank", monkeypatch, download=f"http://127.0.0.1:{port}/set.zip")
        assert "cannot be fetched (ConnectionError)" in failure("bank")


def test_without_pooch_there_is_no_fetching(monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(UsageError, match=r"^fetching needs pooch: pip install 'unscaled\[datasets\]'$"):
        datasets.fetch("bank")
