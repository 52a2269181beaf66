"""What a run asks of people, as Tactus's control loop has it."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

from tactus.protocols.control import (
    ContextLink,
    ControlOption,
    ControlRequest,
    ControlRequestItem,
    ControlRequestType,
    RuntimeContext,
)

from tactus_temporal.shapes import HumanRequest

_KINDS = {"multiple": "inputs"}
#: What has a field of its own in a ControlRequest.
_ACTION_KEYS = ("action_key", "resource_refs", "preconditions", "expires_at", "response_schema", "ui_schema")
#: What has none: it stands under `tactus_temporal` of the metadata.
_OWN_KEYS = ("kind", "context", "form", "approvers", "deadline", "digest", "position", "quorum", "requester")


def to_control_request(request: HumanRequest, *, procedure: str, namespace: str) -> ControlRequest:
    """A human request whose answer, a `ControlResponse` of the same `request_id`, decides it."""
    now = datetime.now(timezone.utc)
    asked_at = read_time(request["created_at"])
    elapsed = max(0.0, (now - asked_at).total_seconds())
    metadata = request.get("metadata") or {}
    return ControlRequest(
        request_id=request["id"],
        procedure_id=request["run_id"],
        procedure_name=procedure,
        invocation_id=request["run_id"],
        namespace=namespace,
        started_at=asked_at,
        elapsed_seconds=int(elapsed),
        request_type=_type_of(request["kind"]),
        message=request["message"],
        label=(request.get("hints") or {}).get("label"),
        options=_options(request["options"], request.get("form")),
        timeout_seconds=_seconds_left(request["deadline"], now),
        default_value=request["default"],
        **{name: metadata[name] for name in _ACTION_KEYS if metadata.get(name) is not None},
        items=[_item(each) for each in (request.get("form") or {}).get("items", [])],
        runtime_context=RuntimeContext(
            checkpoint_position=int(request["position"].split(".")[0]),
            procedure_name=procedure,
            invocation_id=request["run_id"],
            started_at=asked_at,
            elapsed_seconds=elapsed,
        ),
        application_context=_links(request["context"]),
        metadata={**metadata, "tactus_temporal": {name: request.get(name) for name in _OWN_KEYS}},
    )


def read_time(text: str) -> datetime:
    """A time as runs write it; Python 3.10 reads no `Z`."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _type_of(kind: str) -> ControlRequestType:
    return ControlRequestType(_KINDS.get(kind, kind))


def _options(values: list[Any], form: dict[str, Any] | None) -> list[ControlOption]:
    shown = {each["value"]: each for each in (form or {}).get("choices", [])}
    return [
        ControlOption(
            label=shown.get(value, {}).get("label", str(value)),
            value=value,
            description=shown.get(value, {}).get("description"),
        )
        for value in values
    ]


def _item(item: dict[str, Any]) -> ControlRequestItem:
    return ControlRequestItem(
        item_id=item["id"],
        label=item["label"],
        request_type=_type_of(item["kind"]),
        message=item["message"],
        options=_options(item["options"], item.get("form")),
        default_value=item["default"],
        required=item["required"],
        metadata=item.get("metadata") or {},
    )


def _links(context: Any) -> list[ContextLink]:
    fields = context if isinstance(context, dict) else {} if context is None else {"context": context}
    return [
        ContextLink(name=name, value=value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in fields.items()
    ]


def _seconds_left(deadline: str | None, now: datetime) -> int | None:
    return None if deadline is None else max(0, round((read_time(deadline) - now).total_seconds()))
