"""Files of models, below the one folder that a worker has of them."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from tactus_temporal.worker.fault import Fault


@dataclass(frozen=True)
class FileState:
    """By which a change of a file is noticed without reading it."""

    file: Path
    size: int
    changed_ns: int
    inode: int


@dataclass(frozen=True)
class FileContent:
    """A file as it was read, once: what is looked at is what is loaded."""

    state: FileState
    data: bytes
    version: str


class ModelFiles:
    """The files below a folder. Nothing leaves it, neither by `..` nor over symbolic links."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Over a folder, which needn't be there yet."""
        self.folder = Path(folder).resolve()

    def find(self, path: str) -> FileState:
        """Where a file is, and how it looks.

        Args:
            path: As it was given, relative to the folder

        Raises:
            Fault: `file_failed`
        """
        if not path or "\0" in path or os.path.isabs(path) or ".." in Path(path).parts:
            raise _refused(f"path {path!r} must lead to a file below the worker's folder of models")
        return self._state(self.folder / path, path)

    def find_stored(self, path: str) -> FileState:
        """The same of a path that a registry wrote down, which may be absolute, and below the folder all the same."""
        return self._state(Path(path), path) if os.path.isabs(path) else self.find(path)

    def look(self, path: str) -> FileState | None:
        """The same of a file that needn't be there."""
        return self.find(path) if (self.folder / path).exists() else None

    def read(self, state: FileState) -> FileContent:
        """The content of a file.

        Raises:
            Fault: `file_failed`
        """
        try:
            data = state.file.read_bytes()
        except OSError as error:
            raise _refused(f"{state.file.name} can't be read: {error.strerror}") from error
        return FileContent(state, data, f"sha256:{hashlib.sha256(data).hexdigest()}")

    def _state(self, file: Path, path: str) -> FileState:
        try:
            real = file.resolve(strict=True)
        except FileNotFoundError:
            raise _refused(f"{path} doesn't exist (folder of models: {self.folder})") from None
        except (OSError, RuntimeError) as error:
            raise _refused(f"{path} can't be read: {error}") from error
        if not real.is_relative_to(self.folder):
            raise _refused(f"{path} leads out of the worker's folder of models")
        if not real.is_file():
            raise _refused(f"{path} isn't a file")
        found = real.stat()
        return FileState(real, found.st_size, found.st_mtime_ns, found.st_ino)


def _refused(message: str) -> Fault:
    return Fault(message, code="file_failed")
