"""What a model is, once it is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol


class LoadedModel(Protocol):
    """A model in memory."""

    version: str | None

    def predict(self, inputs: Sequence[Any], labels: Sequence[Any] | None) -> Iterable[Any]:
        """An output for each input, in order; values that `json_values` takes.

        A list, or what makes each when it is asked for: then no more are made than an answer has room for.

        Args:
            inputs: JSON; one or more
            labels: Names of the classes, in the order of the model's outputs

        Raises:
            Fault: What is wrong with the inputs, or with the model
        """
        ...
