"""Which files a worker reads though reading them can run code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tactus_temporal.errors import TactusError
from tactus_temporal.worker.model_files import FileContent

_HASH = re.compile(r"sha256:[0-9a-f]{64}")


class Trust:
    """What whoever runs the worker trusts: hashes of files, and folders of models.

    A procedure has no say in it: it may have written the file that it names.
    """

    def __init__(self, trusted: Sequence[str], models_folder: Path) -> None:
        """Over hashes (`sha256:` and 64 digits of hex), and folders relative to the folder of models.

        Raises:
            TactusError: `config_invalid`
        """
        self._hashes = frozenset(each for each in trusted if _HASH.fullmatch(each))
        self._folders = tuple(_folder(each, models_folder) for each in trusted if each not in self._hashes)

    def covers(self, content: FileContent) -> bool:
        """Whether a file that was read may be loaded as a program."""
        if content.version in self._hashes:
            return True
        return any(content.state.file.is_relative_to(folder) for folder in self._folders)

    def advice(self, content: FileContent) -> str:
        """What whoever runs the worker says of a file to have it read."""
        return (
            f"if you know who has made the file, start the worker with --trust {content.version}, "
            "or list that hash in trusted_models"
        )


def _folder(path: str, models_folder: Path) -> Path:
    folder = (models_folder / path).resolve()
    if not path or path.startswith("sha256:") or not folder.is_relative_to(models_folder):
        raise TactusError(
            "config_invalid",
            f"{path!r} is nothing to trust: a hash (sha256: and 64 digits of hex), or a folder in {models_folder}, is",
        )
    return folder
