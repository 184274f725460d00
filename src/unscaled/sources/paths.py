"""Finds the files that are meant by the paths of a command line: files, folders, globs and `-`."""

import difflib
import glob
import os
from collections.abc import Callable, Iterable, Sequence

from unscaled.errors import DataError, UsageError
from unscaled.sources.input_file import InputFile

STANDARD_INPUT = "-"


def find_files(paths: Sequence[str | os.PathLike[str]], is_known: Callable[[str], bool], kinds: str) -> list[InputFile]:
    """Return the files of all paths in order; of a folder those whose name `is_known`, which are `kinds`."""
    names = [os.fspath(path) for path in paths]
    if not names:
        raise UsageError("no file is given; name one or more, or - for standard input")
    if names.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input (-) is given more than once; it can be read only once")
    files = [file for name in names for file in _expand(name, is_known, kinds)]
    for file in files:
        _check(file)
    return files


def _expand(name: str, is_known: Callable[[str], bool], kinds: str) -> list[InputFile]:
    if name == STANDARD_INPUT:
        return [InputFile("standard input", None)]
    if os.path.isdir(name):
        return _in_folder(name, is_known, kinds)
    if os.path.exists(name):
        return [InputFile(name, name)]
    if not glob.has_magic(name):
        raise DataError(f"no such file: {name}{_similar(name)}")
    matches = sorted(glob.glob(name, recursive=True))
    files = [path for path in matches if not os.path.isdir(path)]
    if not matches:
        raise DataError(f"no file matches {name}")
    if files:
        return [InputFile(path, path) for path in files]
    return [file for folder in matches for file in _in_folder(folder, is_known, kinds)]


def _in_folder(folder: str, is_known: Callable[[str], bool], kinds: str) -> list[InputFile]:
    def refuse(error: OSError) -> None:
        raise DataError(f"{error.filename}: cannot be opened ({error.strerror})") from error

    found = []
    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = _visible(folders)
        found += [os.path.join(parent, name) for name in _visible(names) if is_known(name)]
    if not found:
        raise DataError(f"{folder}: this folder holds no {kinds} file")
    return [InputFile(path, path) for path in sorted(found)]


def _visible(names: Iterable[str]) -> list[str]:
    """Leave out what writers of data sets put beside them, such as _SUCCESS and .part-0.crc."""
    return [name for name in names if not name.startswith((".", "_"))]


def _similar(name: str) -> str:
    folder, missing = os.path.split(name)
    if not os.path.isdir(folder or "."):
        return f" (there is no folder {folder})"
    nearest = difflib.get_close_matches(missing, os.listdir(folder or "."))
    return f"; did you mean {' or '.join(os.path.join(folder, match) for match in nearest)}?" if nearest else ""


def _check(file: InputFile) -> None:
    """Tell at once what would otherwise end the run when the file's turn comes."""
    if file.path is not None and not os.access(file.path, os.R_OK):
        raise DataError(f"{file.name}: cannot be opened (Permission denied)")
    if file.size == 0:
        raise DataError(f"{file.name} is empty")
