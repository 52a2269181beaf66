"""Models of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from tactus_temporal.worker.fault import Fault, fault_of
from tactus_temporal.worker.json_values import json_name, json_value
from tactus_temporal.worker.loaded_model import LoadedModel
from tactus_temporal.worker.model_files import FileContent
from tactus_temporal.worker.models.labels import class_names
from tactus_temporal.worker.models.sklearn_files import read_sklearn
from tactus_temporal.worker.models.sklearn_inputs import estimator_inputs
from tactus_temporal.worker.models.text_input import texts_of
from tactus_temporal.worker.trust import Trust


def load_sklearn(content: FileContent, trust: Trust) -> LoadedModel:
    """The model of a file.

    Raises:
        Fault: `file_failed`, `missing_package`
    """
    found = read_sklearn(content, trust)
    if isinstance(found, dict) and "vectorizer" in found and "model" in found:
        return TextModel(found["vectorizer"], found["model"], content.version)
    if hasattr(found, "predict"):
        return Estimator(found, content.version)
    name = content.state.file.name
    raise Fault(f"{name} holds a {type(found).__name__}, which has no predict", code="file_failed")


class TextModel:
    """What Tactus's trainers write: a vectorizer, and a model of its vectors."""

    def __init__(self, vectorizer: Any, model: Any, version: str | None) -> None:
        self._vectorizer = vectorizer
        self._model = model
        self.version = version

    def predict(self, inputs: Sequence[Any], labels: Sequence[Any] | None) -> list[Any]:
        """`{label, confidence}` of each text, as the reference gives them."""
        texts = texts_of(inputs)
        try:
            vectors = self._vectorizer.transform(texts)
            found = self._model.predict(vectors)
            sure = self._model.predict_proba(vectors).max(axis=1) if _tells_odds(self._model) else [None] * len(texts)
        except Exception as error:
            raise fault_of(error) from error
        return [
            {"label": _label_at(label, labels), "confidence": json_value(confidence)}
            for label, confidence in zip(found, sure, strict=True)
        ]


class Estimator:
    """An estimator or a pipeline."""

    def __init__(self, model: Any, version: str | None) -> None:
        self._model = model
        self.version = version

    def predict(self, inputs: Sequence[Any], labels: Sequence[Any] | None) -> list[Any]:
        """`{label, confidence, scores}` of what tells odds; else what it predicts."""
        given = estimator_inputs(self._model, inputs)
        try:
            with warnings.catch_warnings():
                # Where pandas isn't there, features go in the order of their names, without them.
                warnings.filterwarnings("ignore", message="X does not have valid feature names")
                found = self._model.predict(given)
                odds = self._model.predict_proba(given) if _tells_odds(self._model) else None
        except Exception as error:
            raise fault_of(error) from error
        if len(found) != len(inputs):
            raise Fault(f"gave {len(found)} outputs for {len(inputs)} inputs", is_answer=True)
        classes = getattr(self._model, "classes_", None)
        if classes is None or getattr(found, "ndim", 1) > 1:
            return [json_value(each) for each in found]
        known = json_value(classes)
        names = class_names(labels, known)
        said = [names[known.index(each)] if each in known else each for each in json_value(found)]
        if odds is None:
            return said
        keys = [json_name(name) for name in names]
        # All rows are made lists together: number by number that takes longer than a small model does.
        return [
            {"label": label, "confidence": max(row), "scores": dict(zip(keys, row, strict=True))}
            for label, row in zip(said, json_value(odds), strict=True)
        ]


def _tells_odds(model: Any) -> bool:
    return hasattr(model, "predict_proba")


def _label_at(label: Any, labels: Sequence[Any] | None) -> Any:
    """A label that is a number counts in `labels`; what is a name already stays."""
    value = json_value(label)
    if not labels:
        return value
    try:
        index = int(value)
    except (TypeError, ValueError):
        return value
    return labels[index] if 0 <= index < len(labels) else value
