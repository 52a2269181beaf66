"""Classifiers of texts that transformers reads, as Tactus's trainer of that name registers them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tactus_temporal.worker.fault import Fault, fault_of
from tactus_temporal.worker.json_values import json_value
from tactus_temporal.worker.loaded_model import LoadedModel
from tactus_temporal.worker.model_files import FileContent
from tactus_temporal.worker.models.labels import class_names, labelled
from tactus_temporal.worker.models.packed_folder import unpacked
from tactus_temporal.worker.models.pytorch_device import taken_to
from tactus_temporal.worker.models.text_input import texts_of
from tactus_temporal.worker.required import required

_TYPE = "hf_sequence_classifier"
#: Texts that are asked about together: more take memory, and hardly less time.
_TOGETHER = 16


def load_sequence_classifier(content: FileContent, device: str) -> LoadedModel:
    """The classifier of an archive: its weights as safetensors, nothing of it run as code.

    Raises:
        Fault: `file_failed`, `missing_package`; a device that isn't there
    """
    transformers = required("transformers", _TYPE, "transformers")
    required("torch", _TYPE, "transformers")
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    name = content.state.file.name
    with unpacked(content) as folder:
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model, told = transformers.AutoModelForSequenceClassification.from_pretrained(
                folder, local_files_only=True, use_safetensors=True, output_loading_info=True
            )
        except MemoryError:
            raise
        # Whatever it makes of a folder that isn't right.
        except Exception as error:
            said = f"{type(error).__name__}: {error}".replace(folder, name)
            raise Fault(f"{name} can't be read: {said}", code="file_failed") from error
    # What isn't there it would make up, with a warning alone.
    missing = sorted(told["missing_keys"])
    if missing:
        raise Fault(f"{name} is no whole classifier: it lacks {', '.join(missing[:3])}", code="file_failed")
    with taken_to(device):
        return SequenceClassifier(tokenizer, model.to(device).eval(), device, content.version)


class SequenceClassifier:
    """A tokenizer, and a model with a head for classes."""

    def __init__(self, tokenizer: Any, model: Any, device: str, version: str | None) -> None:
        self._tokenizer = tokenizer
        self._model = model
        self._device = device
        # Without something to fill the shorter ones up with, each goes by itself.
        self._together = 1 if tokenizer.pad_token is None else _TOGETHER
        self.version = version

    def predict(self, inputs: Sequence[Any], labels: Sequence[Any] | None) -> Iterator[Any]:
        """`{label, confidence, scores}` of each text; what is too long for the model is cut."""
        texts = texts_of(inputs)
        own = self._model.config.id2label
        names = class_names(labels, [own[index] for index in range(self._model.config.num_labels)])
        for start in range(0, len(texts), self._together):
            for row in self._odds(texts[start : start + self._together]):
                yield labelled(names, row)

    def _odds(self, texts: list[str]) -> list[list[float]]:
        torch = required("torch", _TYPE, "transformers")
        try:
            given = self._tokenizer(texts, return_tensors="pt", padding=len(texts) > 1, truncation=True)
            with torch.no_grad():
                logits = self._model(**given.to(self._device)).logits
        except Exception as error:
            raise fault_of(error) from error
        rows: list[list[float]] = json_value(torch.softmax(logits, dim=-1).cpu())
        return rows
