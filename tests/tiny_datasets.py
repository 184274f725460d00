"""Tiny files in UCI's layout for every data set, so that the tests of loading and fetching need no data."""

import dataclasses
import gzip
import hashlib
import io
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from unscaled.datasets import DATASETS, Facts

ROWS = 9
ROWS_AFTER = 4


@pytest.fixture
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No data set is here, and what is fetched goes into a folder of the test: this one."""
    monkeypatch.delenv("UNSCALED_DATA", raising=False)
    monkeypatch.setattr("pooch.os_cache", lambda project: tmp_path / "cache" / project)
    return tmp_path / "cache" / "unscaled"


class Server(ThreadingHTTPServer):
    """A server on this machine that gives one archive to all who ask."""

    content = b""
    missing_bytes = 0
    status = 200
    asked = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/set.zip"


class _Answer(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked += 1
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(self.server.content) + self.server.missing_bytes))
        self.end_headers()
        self.wfile.write(self.server.content)

    def log_message(self, *_: object) -> None:
        """Nothing on standard error."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server(("127.0.0.1", 0), _Answer) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def cell(facts: Facts, row: int, name: str) -> str:
    """What stands in a cell: numbers differ in every cell, classes are two, text is text."""
    place = facts.columns.index(name)
    if name in facts.features or (name == facts.target and facts.task == "regression"):
        return str(place * 100 + row if place % 2 else -0.25 * (place + row))
    return f"{'ab'[row % 2]}{place}" if facts.separator == " " else f"{'ab'[row % 2]} {place}"


def content_of(facts: Facts) -> bytes:
    """A file as UCI has it, decompressed, with few rows."""
    quote = '"' if facts.name == "bank" else ""
    between = ", " if facts.name == "census" else facts.separator
    lines = [facts.separator.join(f"{quote}{name}{quote}" for name in facts.columns)] if facts.header else []
    for row in range(ROWS + (ROWS_AFTER if facts.rows_after else 0)):
        lines.append(between.join(cell(facts, row, name) for name in facts.columns))
    return "".join(f"{line}\n" for line in lines).encode()


def make_tiny(name: str, monkeypatch: pytest.MonkeyPatch, **changes: object) -> tuple[Facts, bytes]:
    """Registers a data set as if UCI's file were a tiny one; what is known of it, and the file."""
    facts = DATASETS[name]
    content = content_of(facts)
    checksum = hashlib.sha256(content).hexdigest() if facts.sha256 else None
    after = ROWS_AFTER if facts.rows_after else 0
    tiny = dataclasses.replace(facts, **{"rows": ROWS, "rows_after": after, "sha256": checksum, **changes})
    monkeypatch.setitem(DATASETS, name, tiny)
    return tiny, content


def put(folder: Path, name: str, content: bytes) -> Path:
    """Writes a file as its suffix says."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(PACKERS.get(path.suffix, bytes)(content))
    return path


def archive_of(facts: Facts, content: bytes) -> bytes:
    """The archive as UCI gives it: the file in the archives that are in one another."""
    *outer, member = facts.members
    packed = PACKERS.get(Path(member).suffix, bytes)(content)
    for name in reversed(outer):
        packed, member = (_tar(member, packed) if name.endswith(".tar.gz") else _zip(member, packed)), name
    return _zip(member, packed)


def _zip(member: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as opened:
        opened.writestr("Index", "what is in here")
        opened.writestr(member, content)
    return stream.getvalue()


def _tar(member: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as opened:
        entry = tarfile.TarInfo(f"./{member}")
        entry.size = len(content)
        opened.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


def compress(content: bytes, most: int = 16, clear_when_full: bool = True) -> bytes:
    """A .Z file, as Unix `compress` writes it."""
    packed = bytearray([0x1F, 0x9D, most | 0x80])
    codes: list[int] = []
    width = 9

    def end_group() -> None:
        groups = [codes[at : at + 8] for at in range(0, len(codes), 8)]
        for group in groups:
            number = sum(code << place * width for place, code in enumerate(group))
            packed.extend(number.to_bytes(width, "little"))
        codes.clear()

    table = {bytes([byte]): byte for byte in range(256)}
    known = 257  # what a reader knows, who learns of each string one code later
    string = b""
    written = 0
    for byte in content:
        longer = string + bytes([byte])
        if longer in table:
            string = longer
            continue
        codes.append(table[string])
        written += 1
        known += written > 1 and known < 1 << most
        if known == 1 << width and width < most:
            end_group()
            width += 1
        if len(table) + 1 < 1 << most:
            table[longer] = len(table) + 1
        elif clear_when_full and known == 1 << most:
            codes.append(256)
            end_group()
            table = {bytes([each]): each for each in range(256)}
            known, width, written = 257, 9, 0
        string = bytes([byte])
    if string:
        codes.append(table[string])
    bits = len(codes) % 8 * width
    end_group()
    cut = (width * 8 - bits) // 8 if bits else 0
    return bytes(packed[: len(packed) - cut])


PACKERS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".Z": compress}
