"""Functions as models."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from tactus_temporal.worker.fault import Fault, fault_of
from tactus_temporal.worker.functions import ModelFunction


def call_function(
    functions: Mapping[str, ModelFunction], name: str, inputs: list[Any], loop: asyncio.AbstractEventLoop
) -> tuple[Iterable[Any], str | None]:
    """What a function gives for each input, and its version.

    One that takes inputs one by one is called for each when its output is asked for.

    Raises:
        Fault: There is no such function; whatever it raised
    """
    function = functions.get(name)
    if function is None:
        known = ", ".join(sorted(functions)) or "none"
        raise Fault(f"there is no function {name} in this worker; there are: {known}")

    def call(given: Any) -> Any:
        try:
            result = function.call(given)
            return loop.run_until_complete(result) if inspect.isawaitable(result) else result
        except Exception as error:
            raise fault_of(error) from error

    if not function.batch:
        return map(call, inputs), function.version
    outputs = call(inputs)
    try:
        listed = list(outputs)
    except TypeError:
        raise Fault(f"gave a {type(outputs).__name__} in place of a list of outputs", is_answer=True) from None
    if len(listed) != len(inputs):
        raise Fault(f"gave {len(listed)} outputs for {len(inputs)} inputs", is_answer=True)
    return listed, function.version
