"""Functions of an application that procedures ask as models of the type `python`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tactus_temporal.worker.tool_functions import place_of

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class ModelFunction:
    """A function that predicts: synchronous or asynchronous, of one input, or of a list of them."""

    call: Callable[..., Any]
    #: It is given all inputs at once, as a list, and gives a list.
    batch: bool = False
    #: What runs are told of it; None: it can't be told whether it has changed.
    version: str | None = None


#: What the modules of this process have registered.
_registered: dict[str, ModelFunction] = {}


def model_function(name: str, *, batch: bool = False, version: str | None = None) -> Callable[[F], F]:
    """Registers a function as a model: `Model "name" { type = "python" }` asks it.

    It is a tool, too, which is given a table: `Tool { use = "python.name" }`.

    Inputs and outputs are JSON; NumPy's arrays and numbers are taken for outputs, too. An error that it raises is tried
    again, unless its class tells of a mistake (`ValueError`, `TypeError`, `KeyError` …). It is called anew where a
    worker dies at it: what it does beside answering should bear that.

    Args:
        name: As procedures call it
        batch: It is given a list of inputs, and gives a list of as many outputs
        version: What runs are told of it: one that goes on with another version logs a warning

    Raises:
        ValueError: The name is taken by another function
    """

    def register(function: F) -> F:
        known = _registered.get(name)
        if known is not None and place_of(known.call) != place_of(function):
            raise ValueError(
                f"There are two functions for the model {name!r}: {place_of(known.call)}, {place_of(function)}"
            )
        _registered[name] = ModelFunction(function, batch, version)
        return function

    return register


def registered_functions() -> dict[str, ModelFunction]:
    """All that there are."""
    return dict(_registered)
