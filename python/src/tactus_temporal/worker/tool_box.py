"""Calls of tools, in the process that has them."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Mapping
from typing import Any

from tactus_temporal.canonical_json import digest_of
from tactus_temporal.worker.fault import Fault, fault_of
from tactus_temporal.worker.functions import ModelFunction
from tactus_temporal.worker.json_values import LARGEST, json_value
from tactus_temporal.worker.tool_functions import ToolCall, ToolFailed, ToolFunction, at_call, first_paragraph

#: What the sources of tools begin with.
PREFIX = "python."

#: Of a model that is called as a tool: whatever it takes.
_ANYTHING: dict[str, Any] = {"type": "object"}


class ToolBox:
    """The tools of an application: functions that are registered as such, and its models that are functions."""

    def __init__(
        self,
        tools: Mapping[str, ToolFunction],
        models: Mapping[str, ModelFunction],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Where a tool and a model have the same name, the tool is meant."""
        self._tools = {**{name: _of_model(each) for name, each in models.items()}, **tools}
        self._loop = loop

    def list(self, sources: list[str]) -> dict[str, Any]:
        """What there is under each of these names, or why there is nothing."""
        return {source: self._listed(source) for source in sources}

    def answer(self, invocation: dict[str, Any], call: dict[str, Any], now_ms: float) -> dict[str, Any]:
        """What comes of a call, or of the question whether it was done.

        Args:
            invocation: `ToolInvocation` of the npm package
            call: The fields of `ToolCall`
            now_ms: When this attempt was put on the server's list, in ms since 1970

        Raises:
            Fault: `tool_failed` where it is certain that nothing was done; whatever else leaves that open
        """
        source, args = invocation["source"], invocation["args"]
        tool = self._tools.get(_name_of(source))
        if tool is None:
            raise Fault(f"no worker in Python has a tool called {source}", code="tool_failed")
        arguments = _fitting(tool, tool.call, args)
        at_call(ToolCall(**call))
        if invocation["operation"] == "verify":
            return self._verified(source, tool, args)
        refusal = _refusal(tool, invocation, now_ms)
        if refusal is not None:
            return refusal
        result = self._run(tool.call, arguments)
        try:
            value = json_value(result)
        except Fault as fault:
            raise Fault(f"{source} was done, and {fault.message}", code="tool_failed") from None
        return _that_fits({"kind": "done", "value": value}, f"The result of {source}")

    def _listed(self, source: str) -> dict[str, Any]:
        name = _name_of(source)
        tool = self._tools.get(name)
        if tool is None:
            known = ", ".join(sorted(self._tools)) or "none"
            return {"problem": f"no function {name} in this worker; there are: {known}"}
        listed: dict[str, Any] = {
            "source": source,
            "description": tool.description,
            "parameters": tool.parameters,
            "effect": tool.effect,
        }
        if tool.timeout_seconds is not None:
            listed["timeoutMs"] = tool.timeout_seconds * 1_000
        if tool.verify is not None:
            listed["canVerify"] = True
        return {"tools": [listed]}

    def _verified(self, source: str, tool: ToolFunction, args: dict[str, Any]) -> dict[str, Any]:
        if tool.verify is None:
            return {"kind": "unknown"}
        found = json_value(self._run(tool.verify, _fitting(tool, tool.verify, args)))
        if isinstance(found, bool):
            found = {"done": found}
        if not isinstance(found, dict) or not isinstance(found.get("done"), bool):
            return {"kind": "unknown"}
        if not found["done"]:
            return {"kind": "not_done"}
        return _that_fits({"kind": "done", "value": found.get("result")}, f"What {source} found")

    def _run(self, function: Any, arguments: inspect.BoundArguments) -> Any:
        try:
            result = function(*arguments.args, **arguments.kwargs)
            return self._loop.run_until_complete(result) if inspect.isawaitable(result) else result
        except ToolFailed as error:
            raise Fault(str(error), code="tool_failed") from error
        except Exception as error:
            raise fault_of(error) from error


def _of_model(model: ModelFunction) -> ToolFunction:
    call = model.call
    if model.batch:

        def one(given: Any) -> Any:
            # It gives a list of one for a list of one.
            (output,) = model.call([given])
            return output

        call = one
    # It is called anew where a worker dies at it, as models are.
    return ToolFunction(call, first_paragraph(model.call), _ANYTHING, "idempotent", takes_table=True)


def _name_of(source: str) -> str:
    return source[len(PREFIX) :] if source.startswith(PREFIX) else source


def _fitting(tool: ToolFunction, function: Any, args: dict[str, Any]) -> inspect.BoundArguments:
    signature = inspect.signature(function)
    try:
        return signature.bind(args) if tool.takes_table else signature.bind(**args)
    except TypeError as error:
        raise Fault(f"the arguments don't fit: {error}", code="tool_failed") from None


def _refusal(tool: ToolFunction, invocation: dict[str, Any], now_ms: float) -> dict[str, Any] | None:
    """Why a person has to be asked first; None where the call may be made."""
    needs, approval = tool.needs_approval, invocation.get("approval")
    try:
        is_wanted = needs if isinstance(needs, bool) else bool(needs(dict(invocation["args"])))
    except Exception as error:
        raise Fault(
            f"whether it needs an approval can't be told: {fault_of(error).message}", code="tool_failed"
        ) from error
    if not is_wanted and approval is None:
        return None
    problem = _problem_of(approval, invocation, now_ms)
    if problem is None:
        return None
    reason = f"the approval of {invocation['source']} {problem}"
    return {"kind": "refused", "action": "approve", "reason": reason, "rule": None}


def _problem_of(approval: dict[str, Any] | None, invocation: dict[str, Any], now_ms: float) -> str | None:
    if approval is None:
        return "is missing"
    expires_at = approval["expiresAt"]
    if expires_at is not None and now_ms > expires_at:
        return "has expired"
    is_same = approval["digest"] == digest_of([invocation["source"], invocation["args"]])
    return None if is_same or approval.get("remembered") == "tool" else "is of another call"


def _that_fits(answer: dict[str, Any], what: str) -> dict[str, Any]:
    # As the SDK writes it: what isn't ASCII takes six bytes or twelve.
    size = len(json.dumps(answer, allow_nan=False, separators=(",", ":")))
    if size > LARGEST:
        raise Fault(
            f"{what} is {size / 1e6:.1f} MB; at most {LARGEST / 1e6:.1f} MB can be recorded", code="payload_too_large"
        )
    return answer
