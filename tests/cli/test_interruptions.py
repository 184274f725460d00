"""Signals, pipes, full disks: what is left behind is whole, and going on gives the model of an uninterrupted run."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import unscaled.cli
from unscaled.progressive import Progressive
from unscaled.training import Training

from .conftest import Result, classes_csv, complaint, ended, good, numbers_csv, program, run, shell, start, write

INTERRUPTED, TERMINATED, BROKEN_PIPE = 130, 143, 141
CODES = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}

ROWS = 2000
SMALL_BLOCKS = [
    sys.executable,
    "-c",
    "import unscaled.sources.blocks as b, unscaled.cli as c; b.BLOCK_BYTES = 1 << 14; c.main()",
]
Untouched = Callable[[str], Path]


@pytest.fixture
def strike(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Callable[[str], Result]]:
    """Lets a signal come while row `at` is learned, or right before."""

    def prepare(number: signal.Signals, at: int, learning: bool = True) -> Callable[[str], Result]:
        learn = Training._learn
        struck = False

        def hit(self: Training, stream: Any, batch: Any, begin: int, rows: int, first_pass: bool) -> None:
            nonlocal struck
            is_now = not struck and self.rows + rows > at
            if is_now and not learning:
                self.is_learning = False
            if is_now:
                struck = True
                os.kill(os.getpid(), number)
            learn(self, stream, batch, begin, rows, first_pass)

        def go(line: str) -> Result:
            with monkeypatch.context() as patch:
                patch.setattr(Training, "_learn", hit)
                if number == signal.SIGTERM:
                    return run(line)
                handler = signal.signal(signal.SIGINT, signal.default_int_handler)
                try:
                    return run(line)
                finally:
                    signal.signal(signal.SIGINT, handler)

        return go

    return prepare


DATA = {
    "numbers": "a.csv --target y",
    "classes": "c.csv --target k",
    "products": "a.csv --target y --interactions 2 --hash-bits 6 --l1 0.001",
    "rates": "a.csv --target y --learning-rate 0.1,0.5 --rule snag",
}
RESUMED = re.compile(r"go on with --resume new\.model --skip (\d+)\n")


def make(data: str) -> str:
    numbers_csv(ROWS)
    classes_csv(ROWS, classes="low middle high")
    return DATA[data]


@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize("learning", [True, False])
@pytest.mark.parametrize("data", DATA)
def test_resuming_gives_the_model_of_an_uninterrupted_run(
    data: str, learning: bool, number: signal.Signals, strike: Any
) -> None:
    line = make(data)
    whole = good(f"train {line} --model whole.model --json").json
    stopped = strike(number, 777, learning)(f"train {line} --model new.model --checkpoint-every 100")
    assert (stopped.code, stopped.out) == (CODES[number], "")
    found = RESUMED.search(stopped.err)
    assert found, stopped.err
    skip = int(found[1])
    assert skip == (800 if learning else 700)
    assert good("inspect new.model --json").json["examples"] == skip
    files = line.split()[0]
    resumed = good(f"train {files} --resume new.model --skip {skip} --model new.model --json").json
    assert Path("new.model").read_bytes() == Path("whole.model").read_bytes()
    names = ("examples", "features", "metrics", "progressive_loss", "rows", "classes", "options")
    assert {name: resumed[name] for name in names} == {name: whole[name] for name in names}


def test_interrupted_twice(strike: Any) -> None:
    line = make("numbers")
    good(f"train {line} --model whole.model")
    strike(signal.SIGINT, 500)(f"train {line} --model new.model --checkpoint-every 100")
    again = "train a.csv --resume new.model --skip 600 --model new.model --checkpoint-every 100"
    stopped = strike(signal.SIGINT, 1234)(again)
    found = RESUMED.search(stopped.err)
    assert found, stopped.err
    good(f"train a.csv --resume new.model --skip {found[1]} --model new.model")
    assert Path("new.model").read_bytes() == Path("whole.model").read_bytes()


def test_interrupted_in_the_second_pass(strike: Any) -> None:
    line = make("numbers")
    good(f"train {line} --passes 3 --model whole.model")
    stopped = strike(signal.SIGTERM, ROWS + 300)(f"train {line} --passes 3 --model new.model --checkpoint-every 100")
    found = RESUMED.search(stopped.err)
    assert found, stopped.err
    assert int(found[1]) > ROWS
    good(f"train a.csv --passes 3 --resume new.model --skip {found[1]} --model new.model")
    assert Path("new.model").read_bytes() == Path("whole.model").read_bytes()


def test_interrupted_among_bad_rows(strike: Any) -> None:
    """Rows that could not even be parsed are in no count; rows with a bad label are rows."""
    lines = "".join(f"{i % 7},{i % 5 if i % 10 else 'bad'}\n" + "1,2,3\n" * (i % 20 == 0) for i in range(ROWS))
    write("a.csv", "x,y\n" + lines)
    good("train a.csv --target y --bad-rows skip --model whole.model")
    stopped = strike(signal.SIGINT, 1000)(
        "train a.csv --target y --bad-rows skip --model new.model --checkpoint-every 100"
    )
    found = RESUMED.search(stopped.err)
    assert found, stopped.err
    good(f"train a.csv --bad-rows skip --resume new.model --skip {found[1]} --model new.model")
    assert Path("new.model").read_bytes() == Path("whole.model").read_bytes()


@pytest.mark.parametrize("number", CODES)
def test_without_checkpoints_nothing_is_touched(number: signal.Signals, strike: Any, untouched: Untouched) -> None:
    line = make("numbers")
    untouched("old.model")
    stopped = strike(number, 777)(f"train {line} --model old.model")
    assert stopped.code == CODES[number]
    assert stopped.err == "unscaled: interrupted after 2,000 rows; nothing was saved\n"


def test_checkpoints_are_saved_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a crash would leave behind: the model after the last multiple of N examples."""
    line = make("numbers")
    saved = []

    def save(self: Any, path: str) -> None:
        saved.append(self.learner.examples)

    monkeypatch.setattr("unscaled.progressive.Progressive.save", save)
    good(f"train {line} --model new.model --checkpoint-every 300")
    assert saved == [300, 600, 900, 1200, 1500, 1800, 2000]


@pytest.mark.parametrize("number", CODES)
def test_a_signal_while_a_checkpoint_is_saved(number: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is heeded when the checkpoint is whole, and once."""
    line = make("numbers")
    saved = []
    save = Progressive.save

    def struck(self: Progressive, path: str) -> None:
        if not saved:
            os.kill(os.getpid(), number)
            for _ in range(1000):  # a handler runs between two steps of Python
                pass
        save(self, path)
        saved.append(self.learner.examples)

    monkeypatch.setattr(Progressive, "save", struck)
    result = run(f"train {line} --model new.model --checkpoint-every 300")
    assert (result.code, saved) == (CODES[number], [300, 300])
    assert RESUMED.search(result.err), result.err
    assert good("inspect new.model --json").json["examples"] == 300


def test_a_run_that_fails_keeps_its_last_checkpoint(folder: Path) -> None:
    lines = "".join(f"{i % 7},{i % 5}\n" for i in range(1000))
    write("first.csv", "x,y\n" + lines)
    write("then.csv", "x,y\n1,two\n")
    write("a.csv", "x,y\n" + lines.replace("\n", "\r\n", 1))
    said = complaint("train first.csv then.csv --target y --model new.model --checkpoint-every 400", 1)
    assert said.startswith("then.csv:2: column \"y\": label 'two' is not a number")
    assert good("inspect new.model --json").json["examples"] == 800
    good("train first.csv --target y --model whole.model")
    good("train first.csv --resume new.model --skip 800 --model new.model")
    assert Path("new.model").read_bytes() == Path("whole.model").read_bytes()


@pytest.mark.parametrize("number", CODES)
def test_a_signal_while_waiting_for_a_pipe(number: signal.Signals) -> None:
    process = start(
        "train - --target y --model new.model --checkpoint-every 1000 --format csv", SMALL_BLOCKS, stdin=subprocess.PIPE
    )
    assert process.stdin is not None
    rows = numbers_csv(20_000).read_bytes()
    process.stdin.write(rows[: 1 << 17])  # more than a block, so that there is something to learn
    process.stdin.flush()
    for _ in range(600):
        if Path("new.model").exists():
            break
        time.sleep(0.05)
    time.sleep(0.1)
    process.send_signal(number)
    result = ended(process)
    assert (result.code, result.out) == (CODES[number], "")
    found = RESUMED.search(result.err)
    assert found, result.err
    assert result.err.startswith("unscaled: interrupted after ")
    good(f"train a.csv --resume new.model --skip {found[1]} --model new.model")
    good("train a.csv --target y --model whole.model")
    assert Path("new.model").read_bytes() == Path("whole.model").read_bytes()


LISTENING = """
import os, random, signal, sys, threading, time
import pyarrow as pa
import unscaled.cli
from pyarrow import csv
try:
    unscaled.cli.main()
except SystemExit as end:
    assert not end.code
heard = []
signal.signal(signal.SIGTERM, lambda *_: heard.append(1))
rows = pa.py_buffer(b"x,y\\n" + b"1,2\\n" * 20000 + b"1,two\\n")
for strikes in range(1, 61):
    striker = threading.Timer(random.random() * 0.004, os.kill, (os.getpid(), signal.SIGTERM))
    striker.start()
    try:
        csv.read_csv(rows, convert_options=csv.ConvertOptions(column_types={"y": pa.float64()}))
    except pa.ArrowException:
        pass
    striker.join()
    time.sleep(0.001)
    assert len(heard) == strikes
"""


@pytest.mark.parametrize("line", ["train a.csv --target y --model m", "predict old.model a.csv"])
def test_no_signal_is_lost_in_the_parser_of_arrow(line: str, untouched: Untouched) -> None:
    """Arrow's own handlers lose one of ten that come in the middle of a block."""
    untouched("old.model")
    numbers_csv()
    result = program(line, command=[sys.executable, "-c", LISTENING])
    assert (result.code, result.err) == (0, "")


@pytest.mark.parametrize("number", CODES)
def test_a_signal_before_the_first_row(number: signal.Signals, untouched: Untouched) -> None:
    untouched("old.model")
    process = start("train - --target y --model old.model --checkpoint-every 10", stdin=subprocess.PIPE)
    _wait_for_reading(process)
    process.send_signal(number)
    result = ended(process)
    assert (result.code, result.out) == (CODES[number], "")
    assert result.err == {signal.SIGINT: "unscaled: interrupted\n", signal.SIGTERM: "unscaled: terminated\n"}[number]


@pytest.mark.parametrize("number", CODES)
def test_a_signal_while_predicting(number: signal.Signals, untouched: Untouched) -> None:
    untouched("old.model")
    before = write("out.csv", "old").read_bytes()
    process = start("predict old.model - --output out.csv --format csv", stdin=subprocess.PIPE)
    _wait_for_reading(process)
    process.send_signal(number)
    assert ended(process).code == CODES[number]
    assert Path("out.csv").read_bytes() == before
    assert sorted(os.listdir()) == ["old.model", "out.csv"]


def _wait_for_reading(process: "subprocess.Popen[bytes]") -> None:
    """Until the program sleeps in a read of its standard input."""
    for _ in range(600):
        if Path(f"/proc/{process.pid}/syscall").exists():
            call = Path(f"/proc/{process.pid}/syscall").read_text().split()
            if call[:2] == ["0", "0x0"]:
                return
        time.sleep(0.05)
    pytest.fail("the program never read")


def test_a_closed_pipe() -> None:
    numbers_csv(20_000)
    good("train a.csv --target y --model m")
    for line, first in (("predict m a.csv", '"prediction"\n'), ("inspect m --all", "rule              auto\n")):
        result = shell(f"unscaled {line} | head -1")
        assert (result.out, result.err) == (first, "")
        assert result.code in (0, BROKEN_PIPE)
    assert shell("unscaled predict m a.csv | head -1").code == BROKEN_PIPE
    assert shell("unscaled predict m a.csv --output /dev/stdout | head -1").code == BROKEN_PIPE
    assert shell("unscaled inspect m | true").err == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "line",
    ["predict m a.csv", "inspect m", "train a.csv --target y --json", "--help", "completion bash"],
)  # fmt: skip
def test_a_full_disk_behind_standard_output(line: str) -> None:
    numbers_csv()
    good("train a.csv --target y --model m")
    with open("/dev/full", "wb") as full:
        result = program(line, stdout=full)
    assert (result.code, result.err) == (1, "unscaled: standard output: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_behind_an_output() -> None:
    numbers_csv()
    good("train a.csv --target y --model m")
    said = complaint("predict m a.csv --output /dev/full", 1)
    assert said == "cannot write /dev/full: No space left on device"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
def test_a_full_disk() -> None:
    classes_csv(20_000)
    Path("small").mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "none", "small"], check=False, capture_output=True
    ).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        good("train c.csv --target k --model small/m")
        model, room = Path("small/m").read_bytes(), Path("small/rest")
        left = os.statvfs("small")
        room.write_bytes(b"x" * max(0, left.f_bavail * left.f_frsize - 4096))
        said = complaint("train c.csv --target k --model small/m --loss hinge", 1)
        assert said == "cannot write the model small/m: No space left on device"
        for suffix in ("csv", "parquet", "arrow", "jsonl"):
            said = complaint(f"predict small/m c.csv --output small/p.{suffix}", 1)
            assert said == f"cannot write small/p.{suffix}: No space left on device"
        assert Path("small/m").read_bytes() == model
        assert sorted(os.listdir("small")) == ["m", "rest"]
    finally:
        subprocess.run(["umount", "small"], check=True)


def test_standard_input_in_every_way() -> None:
    rows = numbers_csv().read_bytes()
    good("train a.csv --target y --model whole.model")
    good("train - --target y --model in.model", stdin=rows)
    assert shell("cat a.csv | unscaled train - --target y --model pipe.model").code == 0
    assert shell("unscaled train <(cat a.csv) --target y --model bash.model").code == 0
    assert shell("gzip -c a.csv | unscaled train - --target y --model gzip.model").code == 0
    for name in ("in", "pipe", "bash", "gzip"):
        assert Path(f"{name}.model").read_bytes() == Path("whole.model").read_bytes()


def test_a_pipe_is_read_only_once() -> None:
    rows = numbers_csv().read_bytes()
    said = complaint("train - --target y --passes 2", 2, stdin=rows)
    assert said == "--passes: standard input can be read only once"
    os.mkfifo("pipe")
    feeder = threading.Thread(target=lambda: Path("pipe").write_bytes(rows))
    feeder.start()
    said = complaint("train pipe --format csv --target y --passes 2", 2)
    assert said == "--passes: a pipe can be read only once; save what it gives in a file first"
    with open("pipe", "rb") as rest:  # lets the feeder end
        rest.read()
    feeder.join()


def test_main_leaves_with_the_codes_that_shells_use() -> None:
    assert (unscaled.cli.INTERRUPTED, unscaled.cli.TERMINATED, unscaled.cli.BROKEN_PIPE) == (130, 143, 141)
