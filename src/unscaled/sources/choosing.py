"""Tells the format of files by their suffix or, where that says nothing, by their first bytes."""

from collections.abc import Sequence

from unscaled.errors import UsageError
from unscaled.sources.blocks import UTF8_MARK
from unscaled.sources.format import Format
from unscaled.sources.input_file import COMPRESSED_SUFFIXES, InputFile


def has_suffix_of(name: str, formats: Sequence[Format]) -> bool:
    """Tell whether a file name ends as those of one of the formats do, compressed or not."""
    return _by_suffix(name, formats) is not None


def choose_format(files: Sequence[InputFile], formats: Sequence[Format]) -> Format:
    """Return the format of the files, which must be the same for all."""
    first, *others = files
    chosen = _format_of(first, formats)
    for other in others:
        found = _format_of(other, formats)
        if found is not chosen:
            raise UsageError(
                f"{first.name} is {chosen.name} and {other.name} is {found.name}; "
                "read one format at a time, or name the format of all with --format"
            )
    return chosen


def _format_of(file: InputFile, formats: Sequence[Format]) -> Format:
    found = _by_suffix(file.path, formats) if file.path is not None else None
    return found or _by_first_bytes(file, formats)


def _by_suffix(name: str, formats: Sequence[Format]) -> Format | None:
    name = name.lower()
    for suffix in COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    return next((known for known in formats if name.endswith(known.suffixes)), None)


def _by_first_bytes(file: InputFile, formats: Sequence[Format]) -> Format:
    head = file.head().removeprefix(UTF8_MARK)
    if file.size is not None:
        file.close()  # of many files, all would stay open until their turn
    return next(known for known in formats if known.recognises(head))
