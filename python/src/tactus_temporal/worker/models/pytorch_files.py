"""Reads the files that models of PyTorch are kept in."""

from __future__ import annotations

import importlib
import io
import zipfile
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from tactus_temporal.worker.fault import Fault
from tactus_temporal.worker.model_files import FileContent
from tactus_temporal.worker.required import required
from tactus_temporal.worker.trust import Trust

Kind = Literal["weights", "export", "script", "module"]

#: Why a file of that kind is read only where it is trusted.
_WHY = {
    "export": "is a program that torch.export wrote, and PyTorch runs what stands in such a file, pickles among it",
    "script": "is a program in TorchScript, which PyTorch runs as it stands in the file",
    "module": "is a pickled model, and a pickle can run any code as it is read",
}


@dataclass(frozen=True)
class PytorchSettings:
    """What a declaration says of how a file is read."""

    #: `module:Class` of a file of weights alone.
    class_name: str | None
    device: str


def read_pytorch(
    content: FileContent, settings: PytorchSettings, modules: Collection[str], trust: Trust
) -> tuple[Kind, Any]:
    """What a file holds: an exported program, or a module.

    Raises:
        Fault: `file_failed`, `missing_package`; a class that isn't there
    """
    name = content.state.file.name
    kind = _kind_of(content, settings)
    if kind != "weights" and not trust.covers(content):
        advice = f"keep the weights alone and name their class, or, {trust.advice(content)}"
        raise Fault(f"{name} {_WHY[kind]}: {advice}", code="file_failed")
    torch = required("torch", "pytorch", "pytorch")
    buffer = io.BytesIO(content.data)
    try:
        if kind == "export":
            return kind, torch.export.load(buffer)
        if kind == "script":
            return kind, torch.jit.load(buffer, map_location=settings.device)
        read = torch.load(buffer, map_location=settings.device, weights_only=kind == "weights")
    except MemoryError:
        raise
    # Whatever the code of a pickle raises: it is the file that can't be read.
    except Exception as error:
        raise Fault(f"{name} can't be read: {type(error).__name__}: {error}", code="file_failed") from error
    if kind == "module":
        if not isinstance(read, torch.nn.Module):
            found = type(read).__name__
            raise Fault(f'{name} holds a {found}: weights need class = "module:Class"', code="file_failed")
        return kind, read
    model = _class_named(settings.class_name or "", modules)()
    try:
        model.load_state_dict(read)
    except Exception as error:
        raise Fault(f"{name} doesn't fit {settings.class_name}: {error}", code="file_failed") from error
    return kind, model


def _kind_of(content: FileContent, settings: PytorchSettings) -> Kind:
    """By names alone: nothing of the file is read as code."""
    if settings.class_name is not None:
        return "weights"
    if content.state.file.name.endswith(".pt2"):
        return "export"
    buffer = io.BytesIO(content.data)
    if zipfile.is_zipfile(buffer):
        with zipfile.ZipFile(buffer) as archive:
            if any("/code/" in name for name in archive.namelist()):
                return "script"
    return "module"


def _class_named(name: str, modules: Collection[str]) -> Any:
    """A class of a module that the worker was given: procedures don't choose what is imported."""
    torch = required("torch", "pytorch", "pytorch")
    module, _, attribute = name.partition(":")
    if module not in modules or not attribute:
        known = ", ".join(modules) or "none"
        raise Fault(f'class must be "module:Class" of a module of the worker, found {name!r}; there are: {known}')
    found = getattr(importlib.import_module(module), attribute, None)
    if not (isinstance(found, type) and issubclass(found, torch.nn.Module)):
        raise Fault(f"{name} is no class of a PyTorch module")
    return found
