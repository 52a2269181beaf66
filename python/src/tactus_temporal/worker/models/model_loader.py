"""Predictions by models of any type that this worker has, in the process that loads them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from tactus_temporal.worker.fault import Fault
from tactus_temporal.worker.functions import ModelFunction
from tactus_temporal.worker.json_values import fitting, json_value
from tactus_temporal.worker.loaded_model import LoadedModel
from tactus_temporal.worker.model_cache import ModelCache
from tactus_temporal.worker.model_files import FileState, ModelFiles
from tactus_temporal.worker.models.function_model import call_function
from tactus_temporal.worker.models.labels import read_labels
from tactus_temporal.worker.models.pytorch_files import PytorchSettings
from tactus_temporal.worker.models.pytorch_model import load_pytorch
from tactus_temporal.worker.models.registry import Registry
from tactus_temporal.worker.models.sequence_classifier import load_sequence_classifier
from tactus_temporal.worker.models.sklearn_files import assert_known
from tactus_temporal.worker.models.sklearn_model import TextModel, load_sklearn
from tactus_temporal.worker.trust import Trust

Settings = dict[str, Any]
#: For each input, in order, all at once or one by one; and what was asked.
Outputs = tuple[Iterable[Any], str | None]


class ModelLoader:
    """Answers questions, with the models that it has or loads."""

    def __init__(
        self,
        folder: str,
        cache_bytes: int,
        functions: Mapping[str, ModelFunction],
        modules: Collection[str],
        loop: asyncio.AbstractEventLoop,
        trusted: Sequence[str] = (),
    ) -> None:
        """With the files below a folder, and the functions and modules of an application.

        Args:
            folder: Of models
            cache_bytes: Of their files
            functions: That are models
            modules: That have classes of models
            loop: For what waits
            trusted: Hashes and folders of files that may run code as they are read

        Raises:
            TactusError: `config_invalid`, where `trusted` has something else in it
        """
        self._files = ModelFiles(folder)
        self._trust = Trust(trusted, self._files.folder)
        self._cache = ModelCache(cache_bytes)
        self._functions = functions
        self._modules = modules
        self._loop = loop

    def predict(self, type_: str, settings: Settings, inputs: list[Any]) -> dict[str, Any]:
        """What the activity answers with: at least one output for one input or more.

        Args:
            type_: Of the model
            settings: What its declaration says
            inputs: One or more; none: the model is loaded alone

        Raises:
            Fault: What is wrong
        """
        outputs, version = self._ask(type_, settings, inputs)
        plain = map(json_value, outputs)
        fit = fitting(list(plain) if isinstance(outputs, list) else plain)
        return {"outputs": fit, "cost": None, "version": version}

    def _ask(self, type_: str, settings: Settings, inputs: list[Any]) -> Outputs:
        if type_ == "python":
            return call_function(self._functions, _text(settings, "name"), inputs, self._loop)
        if type_ == "registry":
            return self._ask_registered(settings, inputs)
        if type_ == "naive_bayes" and settings.get("path") is None:
            return self._ask_registered(settings, inputs, only=TextModel)
        if type_ not in ("sklearn", "pytorch", "naive_bayes"):
            raise Fault(f'a model of the type "{type_}" needs another worker than this one, which is in Python')
        only = TextModel if type_ == "naive_bayes" else None
        model = self._load(type_, self._files.find(_text(settings, "path")), settings, only)
        return _predicted(model, inputs, settings), model.version

    def _ask_registered(self, settings: Settings, inputs: list[Any], only: type | None = None) -> Outputs:
        name = _text(settings, "name")
        said = settings.get("version")
        version = "latest" if said is None else str(said)
        registry = Registry(self._files, settings.get("registry_dir") or ".")
        found = registry.resolve(name, version)
        fallback = settings.get("fallback")
        if found is None and isinstance(fallback, dict):
            if fallback.get("type") == "mock":
                return [fallback.get("value")] * len(inputs), None
            return self._ask(_text(fallback, "type"), fallback, inputs)
        if found is None:
            raise Fault(f"the registry has no version {version} of a model {name}", code="file_failed")
        if found.type not in ("sklearn", "pytorch", "hf_sequence_classifier"):
            raise Fault(f'version {found.version} of {name} is of the type "{found.type}", which no registry has here')
        own = {**found.config, **settings}
        model = self._load(found.type, registry.artifact(found), own, only)
        return _predicted(model, inputs, own), found.version

    def _load(self, type_: str, state: FileState, settings: Settings, only: type | None) -> LoadedModel:
        device = str(settings.get("device") or "cpu")
        if type_ == "hf_sequence_classifier":
            key = (state.file, device)
            return self._cache.get(key, state, lambda: load_sequence_classifier(self._files.read(state), device))
        if type_ == "pytorch":
            how = PytorchSettings(settings.get("class"), device)

            def load() -> LoadedModel:
                return load_pytorch(self._files.read(state), how, self._modules, self._trust)

            return self._cache.get((state.file, how), state, load)
        assert_known(state.file.name)
        model = self._cache.get(state.file, state, lambda: load_sklearn(self._files.read(state), self._trust))
        if only is not None and not isinstance(model, only):
            raise Fault(f"{state.file.name} is no model of texts, as the trainer naive_bayes writes them")
        return model


def _predicted(model: LoadedModel, inputs: list[Any], settings: Settings) -> Iterable[Any]:
    return model.predict(inputs, read_labels(settings)) if inputs else []


def _text(settings: Settings, name: str) -> str:
    value = settings.get(name)
    if isinstance(value, str) and value:
        return value
    raise Fault(f"{name} must be a text that isn't empty")
