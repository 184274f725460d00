"""The peak memory of a command that learns from a stream: it must not grow with the rows.

    python benchmarks/memory.py [--rows 1000000 10000000] [-- COMMAND …]

A process of its own writes CSV with 10 numbers, a category and a target to the command's standard input.
The command is `python -m unscaled train - --target y --model PATH --json` unless another is given. Its peak
is the largest resident set that the kernel saw, which `wait4` tells when it ends (so not on Windows). It
counts what this process held when it forked, some 30 MB: no smaller peak can be seen.
"""

import argparse
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from recording import machine, print_table, significant, write_csv

COLUMNS = 10
CATEGORIES = 20
BLOCK = 20_000
"""The writer repeats a block of distinct lines: making new ones would be slower than learning from them."""


def write_rows(rows: int) -> None:
    """What the writing process does."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((BLOCK, COLUMNS)) * 10.0 ** rng.uniform(-3, 3, COLUMNS)
    kinds = rng.integers(0, CATEGORIES, BLOCK)
    y = (X / X.std(axis=0)).sum(axis=1) + kinds + rng.standard_normal(BLOCK)
    header = [*(f"x{j}" for j in range(COLUMNS)), "kind", "y"]
    lines = [
        f"{','.join(map('{:.6g}'.format, row))},k{kind},{label:.6g}\n"
        for row, kind, label in zip(X.tolist(), kinds.tolist(), y.tolist(), strict=True)
    ]
    out = sys.stdout
    out.write(",".join(header) + "\n")
    block = "".join(lines)
    for _ in range(rows // BLOCK):
        out.write(block)
    out.write("".join(lines[: rows % BLOCK]))


def measure(command: Sequence[str], rows: int) -> dict[str, str | float]:
    """Streams so many rows to the command; a command that fails is an error."""
    writer = subprocess.Popen(
        [sys.executable, __file__, "--write", str(rows)], stdout=subprocess.PIPE, env={**os.environ}
    )
    begin = time.perf_counter()
    reader = subprocess.Popen(command, stdin=writer.stdout, stdout=subprocess.DEVNULL)
    assert writer.stdout is not None
    writer.stdout.close()  # the reader alone holds the pipe, so that the writer notices when it dies
    _, status, usage = os.wait4(reader.pid, 0)
    seconds = time.perf_counter() - begin
    reader.returncode = os.waitstatus_to_exitcode(status)
    if reader.returncode or writer.wait():
        sys.exit(f"{shlex.join(command)} ended with {reader.returncode} on {rows:,} rows")
    return {
        "rows": rows,
        "peak MB": round(usage.ru_maxrss * _unit() / 1e6, 1),
        "seconds": round(seconds, 2),
        "rows/s": round(rows / seconds),
    }


def _unit() -> int:
    """ru_maxrss counts bytes on macOS and kilobytes elsewhere."""
    return 1 if platform.system() == "Darwin" else 1024


def train_command(model: Path) -> list[str]:
    """The command line of this project that is measured unless another is given."""
    return [sys.executable, "-m", "unscaled", "train", "-", "--target", "y", "--model", str(model), "--json"]


def main() -> None:
    """Measures, prints and writes the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--write", type=int, help=argparse.SUPPRESS)
    parser.add_argument("command", nargs="*", help="after --: reads CSV from its standard input")
    given = parser.parse_args()
    if given.write is not None:
        write_rows(given.write)
        return
    with tempfile.TemporaryDirectory() as folder:
        command = given.command or train_command(Path(folder, "model.parquet"))
        lines = [measure(command, rows) for rows in given.rows]
    print_table([{key: significant(float(value), 4) for key, value in line.items()} for line in lines])
    if given.command:
        print("(no record is written for another command)")
    else:
        write_csv("memory", lines, machine(["numba", "numpy", "pyarrow"]))


if __name__ == "__main__":
    main()
