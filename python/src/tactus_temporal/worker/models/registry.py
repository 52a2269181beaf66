"""Folders of registered models, as Tactus's `LocalRegistry` and its trainers write them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from tactus_temporal.worker.fault import Fault
from tactus_temporal.worker.model_files import FileState, ModelFiles


@dataclass(frozen=True)
class RegisteredVersion:
    """A version of a model."""

    name: str
    version: str
    type: str
    #: What its backend is given.
    config: dict[str, Any]
    #: Where its trainer said the artifact is.
    artifact: str | None


class Registry:
    """`NAME/versions/VERSION.json`, `NAME/tags/TAG.json` and `artifacts/NAME/VERSION/FILE` below a folder."""

    def __init__(self, files: ModelFiles, folder: str) -> None:
        """Below the worker's folder of models."""
        self._files = files
        self._folder = folder

    def resolve(self, name: str, version: str) -> RegisteredVersion | None:
        """A version, by its name or by a tag; None where there is none.

        Raises:
            Fault: `file_failed`, where what is there can't be read
        """
        tag = self._json(f"{name}/tags/{version}.json")
        found = version if tag is None else str(tag.get("version_id"))
        entry = self._json(f"{name}/versions/{found}.json")
        if entry is None:
            return None
        config = entry.get("backend_config") or {}
        artifact = config.get("path") or entry.get("artifact_path")
        return RegisteredVersion(name, found, str(entry.get("backend_type")), config, artifact)

    def artifact(self, found: RegisteredVersion) -> FileState:
        """The file of a version: where the registry keeps it, wherever it was made.

        Raises:
            Fault: `file_failed`
        """
        path = found.artifact
        which = f"version {found.version} of the model {found.name}"
        if not isinstance(path, str) or not path:
            raise Fault(f"{which} has no file", code="file_failed")
        if "://" in path:
            raise Fault(f"{which} is kept at {path}: only files are read", code="file_failed")
        kept = self._files.look(f"{self._folder}/artifacts/{found.name}/{found.version}/{PurePath(path).name}")
        return kept or self._files.find_stored(path)

    def _json(self, path: str) -> dict[str, Any] | None:
        state = self._files.look(f"{self._folder}/{path}")
        if state is None:
            return None
        try:
            entry = json.loads(self._files.read(state).data)
        except ValueError as error:
            raise Fault(f"{path} of the registry can't be read: {error}", code="file_failed") from error
        if not isinstance(entry, dict):
            raise Fault(f"{path} of the registry is no table", code="file_failed")
        return entry
