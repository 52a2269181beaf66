"""What a function takes, as a model is told it."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

_PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array"}


def parameters_of(function: Callable[..., Any]) -> dict[str, Any]:
    """JSON Schema of a function's arguments, by its annotations; what they don't say is left open.

    Raises:
        ValueError: It has parameters without names
    """
    hints = typing.get_type_hints(function)
    properties: dict[str, Any] = {}
    required: list[str] = []
    is_open = False
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            raise ValueError(f"The parameter {name} of {function.__qualname__} can't be given by its name")
        if parameter.kind is parameter.VAR_KEYWORD:
            is_open = True
            continue
        properties[name] = _schema_of(hints.get(name, Any))
        if parameter.default is parameter.empty:
            required.append(name)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema if is_open else {**schema, "additionalProperties": False}


def _schema_of(hint: Any) -> dict[str, Any]:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is type(None):
        return {"type": "null"}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if origin is typing.Literal:
        return {"enum": list(inner)}
    if origin is list:
        return {"type": "array", "items": _schema_of(inner[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema_of(inner[1])}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema_of(each) for each in inner]}
    return {}
