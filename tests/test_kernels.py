"""The compiled kernels as such: the GIL, the cache, and bounds."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from scipy.sparse import csr_matrix

from streams import steps
from unscaled import Learner, kernels
from unscaled.kernels import compiled
from unscaled.kernels.simd import inverse_root8, load8, store8
from unscaled.rules import PAPER, RULES

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


@numba.njit
def inverse_roots(x, y):
    for j in range(0, len(x), 8):
        store8(y, j, inverse_root8(load8(x, j)))


def inverse_root(x):
    x = np.resize(np.asarray(x, np.float64), -(-len(x) // 8) * 8)
    y = np.empty_like(x)
    inverse_roots(x, y)
    return y


def test_the_inverse_root_is_one():
    random = np.random.default_rng(1)
    x = np.concatenate([random.uniform(1.0, 4.0, 10_000), 2.0 ** random.uniform(-1000.0, 1000.0, 10_000)])
    exact = 1.0 / np.sqrt(x.astype(np.longdouble))
    assert np.abs(inverse_root(x) / exact - 1.0).max() < 1e-15
    assert (inverse_root(x[:10_000] * 2.0**-400) == inverse_root(x[:10_000]) * 2.0**200).all()


def test_the_inverse_root_is_finite_everywhere():
    least, most = inverse_root([2.0**-1000])[0], inverse_root([2.0**1000])[0]
    assert inverse_root([0.0, 5e-324, 1e-310, 1e-302]).tolist() == [least] * 8
    assert inverse_root([1e302, 1.7976931348623157e308, np.inf]).tolist() == [most] * 8


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("lanes", [1, 9])
def test_rows_of_both_kinds_may_take_turns(rule, lanes, dtype):
    """The numbers are laid out anew for the other kind of rows; predicting leaves them as they are."""
    random = np.random.default_rng(4)
    X = random.standard_normal((60, 11)) * (random.random((60, 11)) < 0.4)
    y = X.sum(axis=1) if lanes == 1 else np.tile(X.sum(axis=1)[:, None], (1, lanes))
    dense, mixed = (Learner(rule=rule, dtype=dtype, **steps(rule, learning_rate=0.1)) for _ in range(2))
    tolerance = {"rel": 1e-4, "abs": 1e-5} if dtype == "float32" else {"rel": 1e-11, "abs": 1e-13}
    for begin in range(0, 60, 10):
        here = slice(begin, begin + 10)
        form, other = (csr_matrix, np.asarray) if begin % 20 else (np.asarray, csr_matrix)
        expected = dense.learn(X[here], y[here])
        assert mixed.learn(form(X[here]), y[here]) == pytest.approx(expected, **tolerance)
        assert mixed._numbers.interleaved == (rule in PAPER and bool(begin % 20))
        for rows in (form(X), other(X)):
            assert mixed.predict(rows) == pytest.approx(dense.predict(X), **tolerance)
    assert mixed._numbers.count[:12].tolist() == dense._numbers.count[:12].tolist()
