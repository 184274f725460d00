"""Files that appear whole or not at all."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from unscaled.errors import UnscaledError


@contextmanager
def open_whole(output: str) -> Iterator[BinaryIO]:
    """A file that appears whole or not at all; a pipe or a device is written to as it is."""
    special = os.path.exists(output) and not stat.S_ISREG(os.stat(output).st_mode)
    target = Path(output if special else os.path.realpath(output))
    place = target if special else target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(place, "wb") as file:
            yield file
        if not special:
            os.replace(place, target)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UnscaledError(f"cannot write {output}: {error.strerror or error}") from None
    finally:
        if not special:
            place.unlink(missing_ok=True)
