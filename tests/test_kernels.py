"""The compiled kernels as such: the GIL, the cache, and bounds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from unscaled import kernels
from unscaled.kernels import compiled

ONE_RUN = """
import numpy as np
from scipy.sparse import csr_matrix
import unscaled
X = np.arange(60.0).reshape(20, 3) % 7
y = X @ [1.0, -2.0, 0.5]
for rows in (X, csr_matrix(X)):
    for options in ({}, {"interactions": 2}, {"rule": "snag"}):
        print(unscaled.Learner(**options).learn(rows, y).tolist())
    print(unscaled.Learner(learning_rate=[0.1] * 9).learn(rows, y)[:, 8].tolist())
"""


def run(**environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", ONE_RUN], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout


def test_the_loops_release_the_gil():
    for kernel in (kernels.learn, kernels.predict, kernels.learn_foreign, kernels.predict_foreign):
        assert kernel.targetoptions["nogil"]


def test_bounds_checked_code_gives_the_same(tmp_path):
    assert run(NUMBA_BOUNDSCHECK="1", UNSCALED_CACHE_DIR=str(tmp_path)) == run()


def test_a_cache_that_cannot_be_written_is_done_without():
    one = "import unscaled; print(unscaled.Learner().learn([[1.0], [2.0]], [1.0, 2.0]).tolist())"
    results = {
        subprocess.run(
            [sys.executable, "-c", one],
            env={**os.environ, "UNSCALED_CACHE_DIR": folder},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for folder in ("/dev/null/nowhere", str(compiled.cache_folder().parent))
    }
    assert len(results) == 1


def test_a_changed_source_gets_another_cache(tmp_path, monkeypatch):
    before = compiled.sources_hash()
    for pattern in compiled.COMPILED_SOURCES:
        for path in compiled.PACKAGE.glob(pattern):
            copied = tmp_path / path.relative_to(compiled.PACKAGE)
            copied.parent.mkdir(exist_ok=True)
            copied.write_bytes(path.read_bytes())
    monkeypatch.setattr(compiled, "PACKAGE", tmp_path)
    assert compiled.sources_hash.__wrapped__() == before
    for changed in sorted(tmp_path.rglob("*.py")):
        whole = changed.read_bytes()
        changed.write_bytes(whole + b"\n")
        assert compiled.sources_hash.__wrapped__() != before, changed
        changed.write_bytes(whole)


@pytest.mark.skipif(sys.platform != "linux", reason="the folder is another one elsewhere")
def test_the_cache_is_the_users(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert compiled._user_cache() == Path("/somewhere")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert compiled._user_cache() == Path.home() / ".cache"
