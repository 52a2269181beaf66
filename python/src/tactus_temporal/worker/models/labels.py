"""Names of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tactus_temporal.worker.fault import Fault


def class_names(labels: Sequence[Any] | None, classes: Sequence[Any]) -> list[Any]:
    """What the classes of a model are called: as its procedure says, else as the model does.

    Raises:
        Fault: There are not as many names as classes
    """
    if labels is None:
        return list(classes)
    if len(labels) != len(classes):
        raise Fault(f"has {len(classes)} classes, and labels names {len(labels)}")
    return list(labels)


def labelled(names: Sequence[Any], odds: Sequence[float]) -> dict[str, Any]:
    """The class that is likeliest, and how likely each is."""
    best = max(range(len(odds)), key=odds.__getitem__)
    return {
        "label": names[best],
        "confidence": odds[best],
        "scores": {str(name): each for name, each in zip(names, odds, strict=True)},
    }


def read_labels(settings: dict[str, Any]) -> list[Any] | None:
    """`labels` of a declaration.

    Raises:
        Fault: It isn't a list
    """
    labels = settings.get("labels")
    if labels is None or isinstance(labels, list):
        return labels or None
    raise Fault("labels must be a list of names, in the order of the model's outputs")
