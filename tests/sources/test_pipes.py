"""A pipe that goes on: rows are handed out when they have come, not when a block is full."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from unscaled.sources import open_stream

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows cannot wait for a pipe")


@pytest.mark.parametrize("first", ["a,b\n1,2\n", '{"a": 1, "b": 2}\n', "1 | a:1 b:2\n"])
def test_rows_come_while_the_pipe_is_open(tmp_path: Path, first: str) -> None:
    path = tmp_path / "live"
    os.mkfifo(path)
    more = threading.Event()

    def write() -> None:
        with open(path, "w") as pipe:
            pipe.write(first)
            pipe.flush()
            assert more.wait(20)
            pipe.write(first.splitlines()[-1] + "\n")

    writer = threading.Thread(target=write)
    writer.start()
    with open_stream([path]) as stream:
        batches = iter(stream)
        assert next(batches).table.num_rows == 1  # it would wait for ever if it wanted a whole block
        more.set()
        assert sum(batch.table.num_rows for batch in batches) == 1
    writer.join()


def test_a_quick_writer_fills_blocks() -> None:
    count = "from unscaled.sources import open_stream; print([b.table.num_rows for b in open_stream(['-'])])"
    rows = "x\n" + "1\n" * 30_000
    done = subprocess.run([sys.executable, "-c", count], input=rows, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([8192, 8192, 8192, 30_000 - 3 * 8192])
