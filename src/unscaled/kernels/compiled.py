"""How kernels are compiled and where the results are kept, such that a stale one cannot be loaded.

Numba's own cache looks only at the file that holds a kernel, not at the losses and rules that it calls. Here the
cache folder is named after a hash of all the sources that can end up inside a kernel: change any, and the folder
is another one. The folder stands in `UNSCALED_CACHE_DIR` if that is set, else in the user's cache folder. Where
neither can be written to, kernels are compiled afresh in each process and nothing else changes.
"""

import functools
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache, _CacheLocator
from numba.extending import overload

PACKAGE = Path(__file__).resolve().parent.parent
COMPILED_SOURCES = ("kernels/*.py", "rules/*.py", "losses.py")

OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": False}
INNER = {**OPTIONS, "forceinline": True}


@functools.cache
def sources_hash() -> str:
    """A hash of every file whose code can be compiled into a kernel, and of Numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for pattern in COMPILED_SOURCES:
        for path in sorted(PACKAGE.glob(pattern)):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _user_cache() -> Path:
    """The folder where this system wants caches to be."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir()))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@functools.cache
def cache_folder() -> Path | None:
    """Where compiled kernels are kept, or None where nothing can be written."""
    named = os.environ.get("UNSCALED_CACHE_DIR")
    parent = Path(named) if named else _user_cache() / "unscaled"
    folder = parent / f"kernels-{sources_hash()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:  # a read-only home is common in containers and is no reason to fail
        return None


class _Locator(_CacheLocator):
    """Tells Numba to keep kernels in our folder, whose name already says which sources they are of."""

    def __init__(self, function: Callable, file: str) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"
        # Numba names this path when it warns that a kernel cannot be cached.
        self._py_file = file

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return sources_hash()

    def get_disambiguator(self) -> str:
        return hashlib.sha256(self._name.encode()).hexdigest()[:10]

    @classmethod
    def from_function(cls, function: Callable, file: str) -> "_Locator":
        return cls(function, file)


class _CacheImplementation(CompileResultCacheImpl):
    _locator_classes = (_Locator,)


class _KernelCache(FunctionCache):
    _impl_class = _CacheImplementation


def inner(function: Callable) -> Callable:
    """A function that other compiled functions call."""
    return numba.njit(**INNER)(function)


def chosen(stub: Callable) -> Callable:
    """The overload of a stub: picks, by the types of the arguments, the function to compile in its place."""
    return overload(stub, jit_options=INNER, strict=False)


def kernel(function: Callable) -> Callable:
    """A function that Python calls: compiled once for each combination of types and kept on disk."""
    dispatcher = numba.njit(**OPTIONS)(function)
    dispatcher._cache = _KernelCache(function) if cache_folder() else NullCache()
    return dispatcher


def uncached(function: Callable) -> Callable:
    """As `kernel`, for losses and rules of the user's, whose sources are not part of our hash."""
    return numba.njit(**OPTIONS)(function)
