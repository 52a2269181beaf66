"""Runs of procedures, over a client of Temporal's."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from typing import Any

from temporalio.client import Client
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError

from tactus_temporal import names
from tactus_temporal.client.ask import PATIENCE
from tactus_temporal.client.run_list import has_search_attributes, list_runs
from tactus_temporal.client.sources import collect_source
from tactus_temporal.client.start_input import assert_same_start, check_start, memo_of, procedure_name, read_input
from tactus_temporal.client.start_of_run import start_of_run
from tactus_temporal.client.tactus_run import TactusRun
from tactus_temporal.errors import TactusError
from tactus_temporal.holds import HoldsReader, pause_of
from tactus_temporal.shapes import HumanRequest, ListedRun, ProcedureSource, RunStatus, Verdict


class TactusClient:
    """Starts, answers and reads runs of procedures, over a `temporalio.client.Client` of yours."""

    def __init__(
        self, client: Client, *, task_queue: str = names.DEFAULT_TASK_QUEUE, patience: timedelta = PATIENCE
    ) -> None:
        """Over a connection that is there.

        Args:
            client: Whose data converter holds
            task_queue: Where runs are started
            patience: How long a worker has for the answer to a question; it is asked twice
        """
        self.client = client
        self._patience = patience
        self.task_queue = task_queue
        self._has_attributes: bool | None = None
        self._holds = HoldsReader(client)

    async def start(
        self,
        source: str | os.PathLike[str] | ProcedureSource,
        input: Mapping[str, Any] | None = None,
        *,
        run_id: str | None = None,
        task: str | None = None,
        folder: str | None = None,
        timeout: timedelta | None = None,
        settings: Mapping[str, Any] | None = None,
        limits: Mapping[str, float] | None = None,
        mock: Mapping[str, Any] | None = None,
    ) -> TactusRun:
        """Starts a procedure; a run of the same id, source and input is attached to instead. A held one begins paused.

        Python runs no Lua, so a source or an input that doesn't fit is not refused here: the run fails with
        `source_invalid`, `no_procedure` or `input_invalid`, before it does anything.

        Args:
            source: The path of a `.tac` file, which is read with all that it reaches; or a source that was collected
            input: What the procedure is given, as JSON
            run_id: Id of the run; left out: a new one
            task: The task of the file to run; left out: what the file runs by itself
            folder: Where the file lies below the worker's directory of files, for `tactus.io`
            timeout: Time that the whole run may take; left out: no limit
            settings: What configuration says of the run: `RunSettings` of the npm package
            limits: Other limits than the defaults: `Limits` of the npm package
            mock: What the run answers itself instead of asking the outside, for tests: `MockPlan` of the npm package

        Raises:
            TactusError: `source_not_found`, `source_invalid`, `input_invalid`, `payload_too_large`; `run_conflict`
                where the id has another source, input or task
        """
        whole = source if isinstance(source, dict) else collect_source(source)
        value = read_input(input)
        check_start(whole, value)
        given = {"task": task, "folder": folder, "limits": limits, "settings": settings, "mock": mock}
        start: dict[str, Any] = {"input": value, **{name: each for name, each in given.items() if each is not None}}
        if await self._knows_attributes():
            start["searchAttributes"] = True
        name = procedure_name(whole)
        hold = await self._holds.find({"procedure": [name], "queue": [self.task_queue]}) if mock is None else None
        if hold is not None:
            start["paused"] = pause_of(hold)
        # The source stands last: pages show the beginning.
        return await self._start({**start, "source": whole}, name, run_id, timeout, memo_of(whole, task))

    async def start_named(
        self,
        procedure: str,
        input: Mapping[str, Any] | None = None,
        *,
        run_id: str | None = None,
        task: str | None = None,
        timeout: timedelta | None = None,
    ) -> TactusRun:
        """Starts a procedure that the worker has in its folder, by its name; what its configuration says holds.

        Raises:
            TactusError: `input_invalid`; `run_conflict` where the id has another procedure, input or task
        """
        start = {"procedure": procedure, "input": read_input(input), **({} if task is None else {"task": task})}
        return await self._start(start, procedure, run_id, timeout, None)

    async def execute(
        self, source: str | os.PathLike[str] | ProcedureSource, input: Mapping[str, Any] | None = None, **options: Any
    ) -> Any:
        """Starts a procedure, with the options of `start`, and waits for its output."""
        run = await self.start(source, input, **options)
        return await run.result()

    def run(self, run_id: str) -> TactusRun:
        """The run of this id, without asking whether there is one."""
        return TactusRun(self.client.get_workflow_handle(run_id), patience=self._patience)

    async def decide(self, request: str | HumanRequest, value: Any, **options: Any) -> Verdict:
        """Decides a human request of whatever run, with the options of `TactusRun.decide`: its id says of which."""
        return await self.run(run_of(request if isinstance(request, str) else request["id"])).decide(
            request, value, **options
        )

    async def pending(self, run_id: str) -> list[HumanRequest]:
        """Open requests of a run, of those that it has started, and of those that it waits for, the oldest first."""
        found: list[HumanRequest] = []
        seen: set[str] = set()
        asked = [run_id]
        while asked:
            each = asked.pop()
            # Runs may wait for each other.
            if each in seen:
                continue
            seen.add(each)
            try:
                view = await self.run(each).status()
            except TactusError as error:
                # A child that is just starting has nothing to ask yet.
                if each != run_id and error.code == "run_not_found":
                    continue
                raise
            found += view["pending"]
            asked += [*view["children"], *(run for wait in view["waits"] for run in wait.get("runs", []))]
        return sorted(found, key=lambda request: request["created_at"])

    def list(
        self,
        *,
        procedure: str | None = None,
        status: RunStatus | None = None,
        prefix: str | None = None,
        labels: Mapping[str, str] | None = None,
        forked_from: str | None = None,
    ) -> AsyncIterator[ListedRun]:
        """Runs as the server lists them, page by page as they are asked for; what is open comes first.

        Args:
            procedure: Its name; needs our search attributes in the namespace
            status: Only those that stand so
            prefix: What their ids begin with
            labels: Only those that have all of these; needs our search attributes in the namespace
            forked_from: Only those that were forked from the run of this id; needs them, too
        """
        return list_runs(
            self.client,
            procedure=procedure,
            status=status,
            prefix=prefix,
            labels=labels or {},
            forked_from=forked_from,
        )

    async def _start(
        self,
        start: dict[str, Any],
        name: str,
        run_id: str | None,
        timeout: timedelta | None,
        memo: Mapping[str, str] | None,
    ) -> TactusRun:
        workflow_id = run_id or f"{name}-{uuid.uuid4().hex[:8]}"
        try:
            await self.client.start_workflow(
                names.WORKFLOW_TYPE,
                start,
                id=workflow_id,
                task_queue=self.task_queue,
                id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                execution_timeout=timeout,
                static_summary=name,
                memo=memo,
            )
        except WorkflowAlreadyStartedError:
            assert_same_start(workflow_id, await start_of_run(self.client, workflow_id), start)
        return self.run(workflow_id)

    async def _knows_attributes(self) -> bool:
        if self._has_attributes is None:
            self._has_attributes = await has_search_attributes(self.client)
        return self._has_attributes


def run_of(request_id: str) -> str:
    """`<run>` of a request's id `<run>/<position>`."""
    return request_id.rsplit("/", 1)[0]
