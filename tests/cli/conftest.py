"""Runs the command line: in this process where that will do, else as a program of its own."""

import contextlib
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import unscaled.cli

COMMAND = [sys.executable, "-m", "unscaled"]


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        lines = self.out.splitlines()
        assert len(lines) == 1, self.out
        return json.loads(lines[0], parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test runs in a folder of its own, so that messages hold bare file names."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextlib.contextmanager
def _process_as_it_was() -> Iterator[None]:
    """`main` is meant to be the last that a process does: it sets handlers and hooks."""
    handler, stdin, argv = signal.getsignal(signal.SIGTERM), sys.stdin, sys.argv
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            yield
    finally:
        signal.signal(signal.SIGTERM, handler)
        sys.stdin, sys.argv = stdin, argv


def run(line: str | list[str], stdin: bytes = b"") -> Result:
    """What `unscaled LINE` does; an exception that `main` lets through fails the test."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    code = None
    with _process_as_it_was(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        sys.argv = ["unscaled", *(shlex.split(line) if isinstance(line, str) else line)]
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
        try:
            unscaled.cli.main()
        except SystemExit as stop:
            code = stop.code
    shown, complained = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
    assert isinstance(code, int)
    assert "Traceback" not in complained
    assert "Exception ignored" not in complained
    return Result(code, shown, complained)


def good(line: str | list[str], stdin: bytes = b"") -> Result:
    """A run that must succeed."""
    result = run(line, stdin)
    assert result.code == 0, result.err
    return result


def complaint(line: str | list[str], code: int, stdin: bytes = b"") -> str:
    """What a run that must fail says, which is one line and all it says."""
    result = run(line, stdin)
    assert (result.code, result.out) == (code, ""), result
    assert result.err.startswith("unscaled: ")
    assert result.err.count("\n") == 1
    assert result.err.endswith("\n")
    return result.err.removeprefix("unscaled: ").rstrip("\n")


def start(line: str, command: Sequence[str] = COMMAND, **options: Any) -> "subprocess.Popen[bytes]":
    """`unscaled LINE` as a program, which hears Ctrl-C also where the tests run in the background and do not."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # what is ignored is inherited
    try:
        return subprocess.Popen([*command, *shlex.split(line)], **{**streams, **options})
    finally:
        signal.signal(signal.SIGINT, handler)


def ended(process: "subprocess.Popen[bytes]") -> Result:
    out, err = process.communicate(timeout=60)
    shown, complained = ((stream or b"").decode(errors="replace") for stream in (out, err))
    assert "Traceback" not in complained
    assert "Exception ignored" not in complained
    return Result(process.returncode, shown, complained)


def program(line: str, **options: Any) -> Result:
    return ended(start(line, **options))


def shell(line: str) -> Result:
    """A line of bash in which `unscaled` is ours; the exit code is that of the first program of a pipe."""
    script = f'unscaled() {{ {shlex.join(COMMAND)} "$@"; }}\n{line}; exit ${{PIPESTATUS[0]}}'
    return ended(subprocess.Popen(["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE))


def write(name: str, content: str | bytes) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def numbers_csv(rows: int = 50, name: str = "a.csv") -> Path:
    """Numbers and a category; y depends on both."""
    lines = (f"{i % 7},{'ab'[i % 2]},{i % 7 * 2 + i % 2}\n" for i in range(rows))
    return write(name, "x,t,y\n" + "".join(lines))


def classes_csv(rows: int = 50, name: str = "c.csv", classes: str = "no yes") -> Path:
    names = classes.split()
    lines = (f"{i**3 % 11},{i % 3},{names[(i**3 % 11) * len(names) // 11]}\n" for i in range(rows))
    return write(name, "x,z,k\n" + "".join(lines))


@pytest.fixture
def untouched() -> Iterator[Callable[[str], Path]]:
    """Puts a model somewhere and looks, at the end, whether it and its folder are as they were."""
    kept: dict[Path, tuple[bytes, int, set[str]]] = {}

    def keep(name: str) -> Path:
        numbers_csv(name=".untouched.csv")
        good(f"train .untouched.csv --target y --model {name}")
        Path(".untouched.csv").unlink()
        path = Path(name).resolve()
        kept[path] = (path.read_bytes(), path.stat().st_ino, set(os.listdir(path.parent)))
        return Path(name)

    yield keep
    for path, (content, inode, beside) in kept.items():
        assert path.read_bytes() == content
        assert path.stat().st_ino == inode
        assert not {name for name in set(os.listdir(path.parent)) - beside if name.endswith(".part")}
