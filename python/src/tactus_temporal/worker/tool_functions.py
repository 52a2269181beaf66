"""Functions of an application that procedures and agents call as tools."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from tactus_temporal.worker.tool_parameters import parameters_of

F = TypeVar("F", bound=Callable[..., Any])

Effect = Literal["pure", "idempotent", "once"]
_EFFECTS = ("pure", "idempotent", "once")
_NAME = re.compile(r"[A-Za-z_][\w-]{0,63}")


class ToolFailed(Exception):
    """Raised by a tool that has done nothing, and would do nothing if it were called again in the same way.

    Its message is for the model, or whoever called. Nothing is tried again, and a `once` call is settled by it.
    """


@dataclass(frozen=True)
class ToolCall:
    """What a tool may know of its call."""

    #: The same at every attempt, and when `verify` is asked; no other call has it. Hand it on to who does the work.
    idempotency_key: str
    #: 1 for the first.
    attempt: int
    run_id: str
    #: Who said yes, where an approval was wanted; a claim, as all names of people are.
    approved_by: str | None


_call: ContextVar[ToolCall] = ContextVar("tactus_temporal_tool_call")


def tool_call() -> ToolCall:
    """The call that a tool, or its `verify`, is at.

    Raises:
        RuntimeError: None is under way here
    """
    try:
        return _call.get()
    except LookupError:
        raise RuntimeError("tool_call() is for tools that a run has called") from None


def at_call(call: ToolCall) -> None:
    """Says which call is made from here on."""
    _call.set(call)


@dataclass(frozen=True)
class ToolFunction:
    """A function that is called with the arguments by their names, or with all of them as one table."""

    call: Callable[..., Any]
    description: str
    #: JSON Schema of the arguments, an object.
    parameters: dict[str, Any]
    effect: Effect
    #: It is given one table.
    takes_table: bool = False
    #: Of one attempt; None: as runs have it.
    timeout_seconds: float | None = None
    needs_approval: bool | Callable[[dict[str, Any]], bool] = False
    #: Whether a call was done of which nobody knows that: true, false, `{"done": True, "result": …}`, or None.
    verify: Callable[..., Any] | None = None


#: What the modules of this process have registered.
_registered: dict[str, ToolFunction] = {}


def tool_function(
    name: str,
    *,
    effect: Effect,
    description: str | None = None,
    parameters: dict[str, Any] | None = None,
    timeout: float | None = None,
    needs_approval: bool | Callable[[dict[str, Any]], bool] = False,
    verify: Callable[..., Any] | None = None,
) -> Callable[[F], F]:
    """Registers a function as a tool: `Tool { use = "python.name" }`, or `tools = { "python.name" }` of an agent.

    It is called with the arguments by their names, and gives JSON; it may be asynchronous. `ToolFailed` says that
    nothing was done. Any other error is tried again, unless its class tells of a mistake; where `effect` is `once` it
    leaves open what was done. `tool_call()` tells it the idempotency key.

    Args:
        name: Letters, digits, `_` and `-`
        effect: What a second call does: nothing at all (`pure`), nothing more (`idempotent`), the same again (`once`)
        description: What a model reads of it; without it the docstring's first paragraph
        parameters: JSON Schema of the arguments; without it by the function's annotations
        timeout: Seconds of one attempt; 60 without it
        needs_approval: Whether a person must say yes first; a function is given the arguments as one table
        verify: Called with the same arguments, it finds out whether a `once` call was done: true, false,
            `{"done": True, "result": …}`, or None where it can't tell

    Raises:
        ValueError: The name can't be one, or another function has it; effect is none of the three
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} can't be the name of a tool")
    if effect not in _EFFECTS:
        raise ValueError(f"The effect of the tool {name!r} must be one of {', '.join(_EFFECTS)}, got {effect!r}")

    def register(function: F) -> F:
        known = _registered.get(name)
        if known is not None and place_of(known.call) != place_of(function):
            raise ValueError(
                f"There are two functions for the tool {name!r}: {place_of(known.call)}, {place_of(function)}"
            )
        _registered[name] = ToolFunction(
            call=function,
            description=first_paragraph(function) if description is None else description,
            parameters=parameters_of(function) if parameters is None else parameters,
            effect=effect,
            timeout_seconds=timeout,
            needs_approval=needs_approval,
            verify=verify,
        )
        return function

    return register


def registered_tools() -> dict[str, ToolFunction]:
    """All that there are."""
    return dict(_registered)


def first_paragraph(function: Callable[..., Any]) -> str:
    """Of what a function says of itself."""
    return " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())


def place_of(function: Callable[..., Any]) -> str:
    """Where a function is, to tell whether it is another one."""
    return f"{function.__module__}.{function.__qualname__}"
