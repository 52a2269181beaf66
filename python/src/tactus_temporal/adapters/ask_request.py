"""What a procedure of Tactus asks of people, as `ask.tac` asks it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tactus.protocols.models import HITLRequest

_ACTION_KEYS = ("action_key", "resource_refs", "preconditions", "expires_at", "response_schema", "ui_schema")


def to_ask(request: HITLRequest) -> dict[str, Any]:
    """The input of `ask.tac`."""
    metadata: dict[str, Any] = request.metadata or {}
    own = _FIELDS.get(request.request_type, _context)(request, metadata)
    asked = {
        "message": request.message,
        "timeout": request.timeout_seconds,
        "default": request.default_value,
        **{name: metadata.get(name) for name in _ACTION_KEYS},
        **own,
    }
    return {"kind": request.request_type, "request": {name: each for name, each in asked.items() if each is not None}}


def _context(_: HITLRequest, metadata: dict[str, Any]) -> dict[str, Any]:
    return {"context": {name: each for name, each in metadata.items() if name not in _ACTION_KEYS} or None}


def _input(_: HITLRequest, metadata: dict[str, Any]) -> dict[str, Any]:
    return {"placeholder": metadata.get("placeholder") or None}


def _select(request: HITLRequest, metadata: dict[str, Any]) -> dict[str, Any]:
    chosen = {name: metadata.get(name) for name in ("mode", "min", "max", "style")}
    return {**chosen, "options": [_option(each) for each in request.options or []]}


def _review(request: HITLRequest, metadata: dict[str, Any]) -> dict[str, Any]:
    # Of an option that a procedure named "approve", Tactus hands on the label "Approve" alone.
    options = [_option({"value": each["label"].lower(), **each}) for each in request.options or []]
    shown = {"artifact": metadata.get("artifact"), "artifact_type": metadata.get("artifact_type")}
    # Theirs is given whether there is a timeout or not; without one it has no meaning here.
    return {**shown, "options": options or None, **({} if request.timeout_seconds else {"default": None})}


def _upload(_: HITLRequest, metadata: dict[str, Any]) -> dict[str, Any]:
    return {name: metadata.get(name) for name in ("accept", "max_size", "multiple")}


def _escalation(_: HITLRequest, metadata: dict[str, Any]) -> dict[str, Any]:
    return {"severity": metadata.get("severity"), "context": metadata.get("context") or None}


def _inputs(_: HITLRequest, metadata: dict[str, Any]) -> dict[str, Any]:
    return {"items": [_question(each) for each in metadata.get("items") or []], "default": None}


def _custom(_: HITLRequest, metadata: dict[str, Any]) -> dict[str, Any]:
    return {name: metadata.get(name) or None for name in ("component_type", "data", "actions")}


def _question(item: dict[str, Any]) -> dict[str, Any]:
    question = {
        "id": item["item_id"],
        "label": item["label"],
        "type": getattr(item["request_type"], "value", item["request_type"]),
        "message": item["message"],
        "options": [_option(each) for each in item["options"]] or None,
        "default": item["default_value"],
        "required": item["required"],
        "metadata": item["metadata"] or None,
    }
    return {name: each for name, each in question.items() if each is not None}


def _option(option: dict[str, Any]) -> dict[str, Any]:
    shown = {"value": option.get("value", option["label"]), "label": option["label"]}
    return {**shown, "description": option["description"]} if option.get("description") else shown


_FIELDS: dict[str, Callable[[HITLRequest, dict[str, Any]], dict[str, Any]]] = {
    "input": _input,
    "select": _select,
    "review": _review,
    "upload": _upload,
    "escalation": _escalation,
    "inputs": _inputs,
    "custom": _custom,
}
