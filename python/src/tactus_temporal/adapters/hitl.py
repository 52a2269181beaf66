"""`HITLHandler` of Tactus, over the inbox of runs in Temporal."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from importlib.resources import files
from typing import Any

from tactus.core.exceptions import ProcedureWaitingForHuman
from tactus.protocols.control import ControlRequest, ControlResponse
from tactus.protocols.models import HITLRequest, HITLResponse

from tactus_temporal.adapters.answer import answer
from tactus_temporal.adapters.ask_request import to_ask
from tactus_temporal.adapters.blocking import BlockingClient
from tactus_temporal.adapters.control_request import read_time
from tactus_temporal.adapters.control_state import control_requests
from tactus_temporal.adapters.record import to_response
from tactus_temporal.client import ProcedureSource, TactusClient, TactusRun, Verdict
from tactus_temporal.errors import TactusError

_ENTRY = "ask.tac"


class TemporalHITLHandler:
    """Lets procedures that Tactus itself runs ask people through Temporal, and answers what runs in Temporal ask.

    Each question is a small run of its own, so it outlives the process that asks, is seen wherever requests of runs are
    seen (`pending`, the page, channels), and its timeout is kept.
    """

    def __init__(self, client: TactusClient | None = None, *, patience: timedelta | None = None) -> None:
        """Without a client it connects when it is first used, as `tactus_temporal.client.connect` does.

        Args:
            client: A client whose connection is used
            patience: How long a question is waited for before the procedure is suspended; left out: for ever
        """
        self._client = BlockingClient(client)
        self._patience = patience

    def request_interaction(
        self, procedure_id: str, request: HITLRequest, execution_context: Any = None
    ) -> HITLResponse:
        """Asks people, and waits for their answer.

        Asked again at the same checkpoint of the same run (`run_id` of `TactusRuntime`) it is the same question.

        Raises:
            ProcedureWaitingForHuman: where patience is over; the question stays open
            TactusError: `run_conflict` where something else was asked there; what the question failed with; `cancelled`
        """
        run_id = _run_id(procedure_id, execution_context)
        response = self._client.call(lambda client: _asked(client, run_id, to_ask(request), self._patience))
        if response is None:
            raise ProcedureWaitingForHuman(procedure_id, run_id)
        return response

    def check_pending_response(self, procedure_id: str, message_id: str) -> HITLResponse | None:
        """The answer to a request; None where there is none yet.

        Args:
            procedure_id: Not looked at: the message's id says all
            message_id: Of a question that was asked here, or of a request of whatever run (`<run>/<position>`)

        Raises:
            TactusError: `run_not_found`
        """
        return self._client.call(lambda client: _response(client, message_id))

    def cancel_pending_request(self, procedure_id: str, message_id: str) -> None:
        """Takes a question back that was asked here.

        Raises:
            TactusError: `usage` for a request of another run, whose own business it is; `run_not_found`
        """
        if "/" in message_id:
            raise TactusError("usage", f"{message_id} is asked by a run in Temporal, which alone takes it back")
        self._client.call(lambda client: client.run(message_id).cancel())

    def pending(self, run_id: str) -> list[ControlRequest]:
        """What a run in Temporal asks of people, the oldest first.

        Raises:
            TactusError: `run_not_found`, `no_worker`
        """
        return self._client.call(lambda client: control_requests(client, client.run(run_id)))

    def respond(self, response: ControlResponse, request: ControlRequest | None = None) -> Verdict:
        """Answers what a run in Temporal asks, and tells at once what became of that.

        Args:
            response: Its `request_id` says what it answers
            request: What the person was shown: the answer is bound to it

        Raises:
            TactusError: `usage` where the response says that nobody answered
        """
        digest = None if request is None else request.metadata.get("tactus_temporal", {}).get("digest")
        return self._client.call(lambda client: answer(client, response, digest))


def _run_id(procedure_id: str, execution_context: Any) -> str:
    """The same for the same checkpoint of the same run, as request ids of Tactus's control loop are."""
    # Without an id of the run, an answer must not be found again by another run of the procedure.
    run = getattr(execution_context, "current_run_id", None) or getattr(execution_context, "invocation_id", None)
    position = execution_context.next_position() if run is not None else None
    if position is None:
        raise TactusError("usage", "The question has no place: give the execution context that asks it")
    # A slash is what ids of requests have between run and position.
    return f"{procedure_id}:{run}:pos{position}".replace("/", "%2F")


def _source() -> ProcedureSource:
    return {"entry": _ENTRY, "files": {_ENTRY: files("tactus_temporal.adapters").joinpath(_ENTRY).read_text("utf-8")}}


async def _asked(
    client: TactusClient, run_id: str, value: dict[str, Any], patience: timedelta | None
) -> HITLResponse | None:
    run = await client.start(_source(), value, run_id=run_id)
    try:
        await asyncio.wait_for(run.result(), None if patience is None else patience.total_seconds())
    except asyncio.TimeoutError:
        return None
    return await _answer_of(run, "0")


async def _response(client: TactusClient, message_id: str) -> HITLResponse | None:
    run_id, _, position = message_id.rpartition("/")
    return await _answer_of(client.run(run_id), position) if run_id else await _answer_of(client.run(message_id), "0")


async def _answer_of(run: TactusRun, position: str) -> HITLResponse | None:
    async for entry in run.log_from(0):
        if entry["position"] == position and entry["error"] is None:
            return to_response(entry["result"], read_time(entry["timestamp"]))
    return None
