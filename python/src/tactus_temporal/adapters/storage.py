"""`StorageBackend` of Tactus, over runs that live in Temporal."""

from __future__ import annotations

from functools import partial
from typing import Any

from tactus.protocols.models import Breakpoint, ExecutionRun, ProcedureMetadata

from tactus_temporal.adapters.answer import answer, counted
from tactus_temporal.adapters.blocking import BlockingClient
from tactus_temporal.adapters.control_state import ControlState, answers_in, control_state
from tactus_temporal.adapters.execution_run import list_execution_runs, load_execution_run
from tactus_temporal.adapters.record import elsewhere, load_record
from tactus_temporal.client import TactusClient
from tactus_temporal.errors import TactusError


class TemporalStorageBackend:
    """Reads runs from Temporal as records of Tactus, and takes answers to what they ask people.

    Nothing else of a run can be changed here, and the runtime of Tactus can't execute over it: whatever would do so is
    refused with a `TactusError` of the code `usage`.
    """

    def __init__(self, client: TactusClient | None = None, *, most_listed: int = 100) -> None:
        """Without a client it connects when it is first used, as `tactus_temporal.client.connect` does.

        Args:
            client: A client whose connection is used
            most_listed: How many runs `list_runs` gives
        """
        self._client = BlockingClient(client)
        self._most_listed = most_listed

    def load_procedure_metadata(self, procedure_id: str) -> ProcedureMetadata:
        """A run's record, which is for reading; an empty one where there is no run."""
        return self._client.call(lambda client: load_record(client.run(procedure_id)))

    def save_procedure_metadata(self, procedure_id: str, metadata: ProcedureMetadata) -> None:
        """Refused: a run's record is its own."""
        raise elsewhere(procedure_id, "its record can't be saved")

    def update_procedure_status(self, procedure_id: str, status: str, waiting_on_message_id: str | None = None) -> None:
        """Refused: a run's status is its own."""
        raise elsewhere(procedure_id, "its status can't be set")

    def get_state(self, procedure_id: str) -> dict[str, Any]:
        """A run's state, and what the control loop of Tactus keeps there; empty where there is no run.

        Under `control_pending:<request>` stands each request that is open, and the answer to each that was answered.
        """
        return self._client.call(lambda client: _state(client, procedure_id))

    def set_state(self, procedure_id: str, state: dict[str, Any]) -> None:
        """Takes the answers in it: each `response` under `control_pending:<request>` decides that request.

        Raises:
            TactusError: `usage` where an answer doesn't count, or anything else was changed
        """
        known = state.given if isinstance(state, ControlState) else self.get_state(procedure_id)
        self._take(procedure_id, state, known)

    def state_set(self, procedure_id: str, key: str, value: Any) -> None:
        """Takes an answer: as `set_state` does with one key.

        Raises:
            TactusError: `usage` where it doesn't count, or is none
        """
        known = self.get_state(procedure_id)
        self._take(procedure_id, {**known, key: value}, known)

    def load_run(self, run_id: str) -> ExecutionRun:
        """A run for the trace tools of Tactus.

        Raises:
            FileNotFoundError: where there is none, as with files
        """
        try:
            return self._client.call(lambda client: load_execution_run(client, run_id))
        except TactusError as error:
            if error.code != "run_not_found":
                raise
            raise FileNotFoundError(f"Run {run_id} not found") from error

    def list_runs(self, procedure_name: str | None = None) -> list[ExecutionRun]:
        """Runs for the trace tools of Tactus, the newest first: all that are open and those that ended last."""
        return self._client.call(lambda client: list_execution_runs(client, procedure_name, self._most_listed))

    def save_run(self, run: ExecutionRun) -> None:
        """Refused: a run is kept by Temporal."""
        raise elsewhere(run.run_id, "it can't be saved")

    def load_breakpoints(self, procedure_name: str) -> list[Breakpoint]:
        """None: runs in Temporal don't stop at lines."""
        return []

    def save_breakpoints(self, procedure_name: str, breakpoints: list[Breakpoint]) -> None:
        """Refused, where there are any: runs in Temporal don't stop at lines."""
        if breakpoints:
            raise TactusError("usage", f"Runs of {procedure_name} in Temporal don't stop at lines")

    def _take(self, procedure_id: str, state: dict[str, Any], known: dict[str, Any]) -> None:
        for response, digest in answers_in(procedure_id, state, known):
            counted(self._client.call(partial(answer, response=response, digest=digest)))


async def _state(client: TactusClient, run_id: str) -> dict[str, Any]:
    try:
        return await control_state(client, run_id)
    except TactusError as error:
        if error.code != "run_not_found":
            raise
        return {}
