"""One run."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from typing import Any, Literal

from temporalio.client import WorkflowExecutionDescription, WorkflowFailureError, WorkflowHandle
from temporalio.service import RPCError, RPCStatusCode

from tactus_temporal import names
from tactus_temporal.client.ask import PATIENCE, ask
from tactus_temporal.client.closed import closed_verdict, closed_view
from tactus_temporal.client.decide import send_decision
from tactus_temporal.client.failures import run_failure, server_failure
from tactus_temporal.client.run_list import end_of
from tactus_temporal.errors import TactusError
from tactus_temporal.shapes import HumanRequest, LogEntry, LogPage, RunView, Verdict

#: Of the form in which a log travels.
_NEWEST_LOG = 2


class TactusRun:
    """One run, which need not have been started here. What is read of it is answered by a worker."""

    def __init__(self, handle: WorkflowHandle[Any, Any], *, patience: timedelta = PATIENCE) -> None:
        self.handle = handle
        self._patience = patience

    @property
    def run_id(self) -> str:
        """Its id: that of its workflow."""
        return self.handle.id

    async def result(self) -> Any:
        """The procedure's output, when it has ended.

        Raises:
            TactusError: what it failed with; `cancelled`; `run_not_found`
        """
        try:
            return await self.handle.result()
        except WorkflowFailureError as error:
            raise run_failure(error, self.run_id) from error
        except RPCError as error:
            raise server_failure(error, self.run_id) from error

    async def describe(self) -> WorkflowExecutionDescription:
        """What the server knows of it, without asking a worker.

        Raises:
            TactusError: `run_not_found`, for workflows of others too
        """
        try:
            description = await self.handle.describe()
        except RPCError as error:
            raise server_failure(error, self.run_id) from error
        if description.workflow_type != names.WORKFLOW_TYPE:
            raise TactusError("run_not_found", f"{self.run_id} is a workflow, but no run of a procedure")
        return description

    async def status(self) -> RunView:
        """How it stands: status, output, error, what people are asked, tokens.

        Of a run that has closed, the server says how; a run that was terminated would else still wait for its person.

        Raises:
            TactusError: `run_not_found`; of an open run `no_worker`, `run_stuck`
        """
        description = await self.describe()
        end = end_of(description.status)
        if end is None:
            view = await self.told()
            if view.get("pending_whole") is False:
                view["pending"] = await self.pending()
            # It may have ended since.
            if view["closed_at"] is None:
                return view
            description = await self.describe()
            end = end_of(description.status) or view["status"]
        return await closed_view(self, description, end)

    async def told(self) -> RunView:
        """How it stands by its own account alone: one that was terminated doesn't know of it."""
        view: RunView = await self._ask(names.STATUS_QUERY)
        return view

    async def follow(self, *, every: timedelta = timedelta(seconds=1)) -> AsyncIterator[RunView]:
        """How it stands, each time that this has changed, and at last how it ended.

        Args:
            every: How often it is asked
        """
        shown: object = None
        while True:
            view = await self.status()
            seen = (view["status"], view["checkpoints"], [each["id"] for each in view["pending"]], view["waits"])
            if seen != shown:
                shown = seen
                yield view
            if view["closed_at"] is not None:
                return
            await asyncio.sleep(every.total_seconds())

    async def state(self) -> dict[str, Any]:
        """Its working data, whole."""
        state: dict[str, Any] = await self._ask(names.STATE_QUERY)
        return state

    async def pending(self) -> list[HumanRequest]:
        """Its own open requests, each whole. Those of runs that it has started: `TactusClient.pending`."""
        found: list[HumanRequest] = []
        at: int | None = 0
        while at is not None:
            page = await self._ask(names.PENDING_QUERY, at)
            found += page["pending"]
            at = page.get("next")
        return found

    async def log(self) -> list[LogEntry]:
        """The whole execution log."""
        return [entry async for entry in self.log_from(0)]

    async def log_from(self, number: int) -> AsyncIterator[LogEntry]:
        """Entries of the execution log from a number on, page by page as they are asked for."""
        at: int | None = number
        while at is not None:
            page = await self.log_page(at)
            for entry in page["execution_log"]:
                yield entry
            at = page["next"]

    async def log_page(self, number: int = 0) -> LogPage:
        """Entries of the execution log from a number on, as many as an answer holds."""
        page: LogPage = await self._ask(names.LOG_QUERY, number)
        return page

    async def shown(self, number: int = 0) -> tuple[list[dict[str, Any]], int]:
        """Lines that it printed and logged from a number on, and the number to go on from."""
        page = await self._ask(names.SHOWN_QUERY, number)
        return page["shown"], page["next"]

    async def checkpoints(self) -> list[dict[str, Any]] | None:
        """The checkpoints as the run keeps them, with their digests; None where they are too large for an answer.

        Raises:
            TactusError: `internal` where the run writes a newer form than is known here
        """
        packed = bytes(await self._ask(names.PACKED_CHECKPOINTS_QUERY))
        if not packed:
            return None
        log = json.loads(gzip.decompress(packed))
        if isinstance(log, list):
            return log
        if log["version"] > _NEWEST_LOG:
            raise TactusError("internal", f"The log has the form {log['version']}; {_NEWEST_LOG} is known here")
        entries: list[dict[str, Any]] = log["entries"]
        return entries

    async def decide(
        self,
        request: str | HumanRequest,
        value: Any,
        *,
        by: str | None = None,
        comment: str | None = None,
        action: Literal["delegate", "withdraw"] | None = None,
        to: str | None = None,
        digest: str | None = None,
        decision_id: str | None = None,
        token: str | None = None,
        early: bool = False,
    ) -> Verdict:
        """Decides a human request, and tells at once what became of that. A refused decision leaves no trace.

        Args:
            request: Its id; or the request, so that the decision is bound to what was shown
            value: The answer, of the request's kind; None with an action
            by: Who decides. No proof: whoever reaches the namespace can write any name
            comment: What is said beside it
            action: `delegate` hands it to somebody else, `withdraw` takes it back
            to: To whom it is handed
            digest: That of what was shown
            decision_id: Names the decision: sent twice it is one
            token: Proof of all that, for runs that take signed decisions alone
            early: Keeps it where the request isn't open yet, though nobody has seen what it asks

        Raises:
            TactusError: `no_worker`, `run_stuck` where nobody takes it
        """
        given = request if isinstance(request, str) else request["id"]
        shown = digest if isinstance(request, str) or digest is not None else request["digest"]
        told = {"by": by, "comment": comment, "action": action, "to": to, "digest": shown, "id": decision_id}
        decision = {"request": given, "value": value, **_said({**told, "token": token, "early": early or None})}
        try:
            return await send_decision(self.handle, decision, 3 * self._patience)
        except RPCError as error:
            if error.status == RPCStatusCode.NOT_FOUND:
                return await closed_verdict(self, decision)
            raise server_failure(error, self.run_id) from error

    async def send(self, name: str, value: Any = None) -> None:
        """Sends an event, for which the procedure waits with `Event.wait`. It is kept until then."""
        try:
            await self.handle.signal(names.EVENT, args=[name, value])
        except RPCError as error:
            raise server_failure(error, self.run_id) from error

    async def cancel(self) -> None:
        """Asks it to end, cleaning up."""
        try:
            await self.handle.cancel()
        except RPCError as error:
            raise server_failure(error, self.run_id) from error

    async def terminate(self, reason: str | None = None) -> None:
        """Ends it at once, without a word to it."""
        try:
            await self.handle.terminate(reason=reason)
        except RPCError as error:
            raise server_failure(error, self.run_id) from error

    async def _ask(self, query: str, *args: Any) -> Any:
        return await ask(self.handle, query, *args, patience=self._patience)


def _said(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}
