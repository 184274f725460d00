"""Fetches data sets from UCI, with pooch, into pooch's folder for caches."""

import io
import os
import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from unscaled.datasets.facts import Facts
from unscaled.datasets.files import VARIABLE, Found, fetched_folder, find
from unscaled.datasets.reading import read
from unscaled.errors import DataError, UsageError


class Progress(Protocol):
    """What pooch tells how far a download is: tqdm's way, in bytes."""

    total: float | None

    def update(self, amount: int) -> object:
        """So many bytes more."""

    def reset(self) -> object:
        """From the start."""

    def close(self) -> object:
        """All is here."""


def fetch_from_uci(facts: Facts, progress: Progress | None = None) -> Path:
    """The file of a data set, fetched and checked unless it is here already. Whatever fails leaves nothing behind."""
    here = find(facts)
    if here is not None and here.whole:
        return here.paths[0]
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix=facts.name) as place:
        archive = _download(facts, Path(place), progress)
        arrived = Path(place, facts.members[-1])
        arrived.write_bytes(_unpack(facts, archive.read_bytes()))
        archive.unlink()
        _check(facts, arrived)
        final = folder / facts.name / arrived.name
        final.parent.mkdir(exist_ok=True)
        os.replace(arrived, final)
    return final


def _folder() -> Path:
    folders = fetched_folder()
    if not folders:
        raise UsageError("fetching needs pooch: pip install 'unscaled[datasets]'")
    return folders[0]


def _download(facts: Facts, folder: Path, progress: Progress | None) -> Path:
    import pooch  # noqa: PLC0415
    from requests.exceptions import RequestException  # noqa: PLC0415

    pooch.get_logger().setLevel("WARNING")
    downloader = pooch.HTTPDownloader(progressbar=progress or False, chunk_size=1 << 16)
    try:
        # UCI packs its archives anew now and then, so the checksum is that of the file within
        path = pooch.retrieve(facts.download, None, fname="archive", path=folder, downloader=downloader)
    except RequestException as error:
        if error.response is not None:
            error.response.close()  # which pooch leaves open
        raise _failed(facts, f"cannot be fetched ({_reason(error)})") from None
    return Path(path)


def _reason(error: Any) -> str:
    """What is wrong with the network, without the objects that requests tells of."""
    if error.response is not None:
        return f"the server says {error.response.status_code} {error.response.reason}"
    return type(error).__name__


def _unpack(facts: Facts, content: bytes) -> bytes:
    """The file out of the archives that it is in."""
    for member in facts.members:
        try:
            content = _member(content, member)
        except (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError, zlib.error) as error:
            raise _failed(facts, f"is not the archive it was: {error}") from None
    return content


def _member(archive: bytes, wanted: str) -> bytes:
    """A file of a zip or tar archive, in whatever folder of it."""
    stream = io.BytesIO(archive)
    if zipfile.is_zipfile(stream):
        with zipfile.ZipFile(stream) as opened:
            names = [name for name in opened.namelist() if PurePosixPath(name).name == wanted]
            if names:
                return opened.read(names[0])
    else:
        stream.seek(0)
        with tarfile.open(fileobj=stream) as bundle:
            for each in bundle:
                if each.isfile() and PurePosixPath(each.name).name == wanted:
                    return bundle.extractfile(each).read()  # type: ignore[union-attr]
    raise EOFError(f"it lacks {wanted}")


def _check(facts: Facts, path: Path) -> None:
    try:
        read(facts, Found((path,), whole=True), facts.columns)
    except DataError as error:
        why = str(error).removeprefix(f"{path}: ").partition("; remove")[0]
        raise _failed(facts, f"gave a bad {path.name}: {why}") from None


def _failed(facts: Facts, why: str) -> DataError:
    return DataError(
        f"{facts.download} {why}; try again, or put {facts.file} from {facts.page} into a folder named {facts.name} "
        f"and set {VARIABLE} to the folder that holds it"
    )
