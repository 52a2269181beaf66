"""What Tactus's control loop keeps in the state of a procedure: requests, and the answers to them."""

from __future__ import annotations

import copy
from typing import Any

from tactus.protocols.control import ControlRequest, ControlResponse

from tactus_temporal.adapters.control_request import read_time, to_control_request
from tactus_temporal.adapters.record import elsewhere, to_response
from tactus_temporal.client import TactusClient, TactusRun

#: `ControlLoopHandler.PENDING_KEY_PREFIX`.
PREFIX = "control_pending:"


class ControlState(dict[str, Any]):
    """A run's state with what people were asked, and what it was when it was given out.

    The control loop changes it and hands it back: what it changed is told by that, whatever the run has done since.
    """

    def __init__(self, state: dict[str, Any]) -> None:
        super().__init__(state)
        self.given = copy.deepcopy(state)


async def control_state(client: TactusClient, run_id: str) -> ControlState:
    """The state of a run, with a key `control_pending:<request>` for each request that is open or was answered."""
    run = client.run(run_id)
    requests = {PREFIX + each.request_id: _pending(each) for each in await control_requests(client, run)}
    answers = {PREFIX + each.request_id: _answered(each) for each in await _responses(run)}
    return ControlState({**await run.state(), **requests, **answers})


async def control_requests(client: TactusClient, run: TactusRun) -> list[ControlRequest]:
    """What a run asks of people, the oldest first."""
    view = await run.status()
    return [
        to_control_request(each, procedure=view["procedure"], namespace=client.client.namespace)
        for each in view["pending"]
    ]


def answers_in(run_id: str, given: dict[str, Any], known: dict[str, Any]) -> list[tuple[ControlResponse, str | None]]:
    """The answers that a state has and the known one hasn't, each with the digest of what was shown.

    Raises:
        TactusError: `usage` where anything else was changed
    """
    answers: list[tuple[ControlResponse, str | None]] = []
    for key, value in given.items():
        if key in known and known[key] == value:
            continue
        answer = _answer_in(value) if key.startswith(PREFIX) else None
        if answer is None:
            # A request of this run that is put down as pending is so already.
            if key.startswith(f"{PREFIX}{run_id}/") and key in known:
                continue
            raise elsewhere(run_id, f"`{key}` of its state can't be set")
        answers.append(answer)
    missing = [key for key in known if key not in given]
    if missing and not answers:
        raise elsewhere(run_id, f"`{missing[0]}` of its state can't be removed")
    return answers


def _answer_in(value: Any) -> tuple[ControlResponse, str | None] | None:
    if not isinstance(value, dict) or not value.get("response"):
        return None
    request = value.get("request") or {}
    own = (request.get("metadata") or {}).get("tactus_temporal") or {}
    return ControlResponse.model_validate(value["response"]), own.get("digest")


def _pending(request: ControlRequest) -> dict[str, Any]:
    return {
        "request": request.model_dump(mode="json"),
        "deliveries": [],
        "created_at": request.started_at.isoformat(),
    }


def _answered(response: ControlResponse) -> dict[str, Any]:
    return {"response": response.model_dump(mode="json"), "responded_at": response.responded_at.isoformat()}


async def _responses(run: TactusRun) -> list[ControlResponse]:
    found: list[ControlResponse] = []
    async for entry in run.log_from(0):
        if not entry["type"].startswith("hitl_") or entry["error"] is not None:
            continue
        response = to_response(entry["result"], read_time(entry["timestamp"]))
        by = entry["result"].get("by") if isinstance(entry["result"], dict) else None
        found.append(
            ControlResponse(
                request_id=f"{run.run_id}/{entry['position']}",
                value=response.value,
                responded_at=response.responded_at,
                timed_out=response.timed_out,
                responder_id=by,
            )
        )
    return found
