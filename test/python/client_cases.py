"""`client_cases.py CASE ARGUMENT…`: what an application does with `tactus_temporal.client`, and what it is told."""

import asyncio
import json
import sys
from collections.abc import Awaitable
from datetime import timedelta
from pathlib import Path

from temporalio.client import Client

from tactus_temporal.client import TactusClient, TactusError, collect_source, connect


async def failure(awaitable: Awaitable[object]) -> dict[str, object]:
    """What something fails with."""
    try:
        return {"gave": await awaitable}
    except TactusError as error:
        return {
            "code": error.code,
            "message": error.message,
            "file": error.file,
            "line": error.line,
            "traceback": error.traceback,
        }


async def life(file: str) -> object:
    """A run from its start to its end."""
    tactus = await connect()
    run = await tactus.start(file, {"topic": "Tee ☕"}, run_id="life")
    seen = []
    requests = []
    verdicts = []
    async for view in run.follow(every=timedelta(milliseconds=50)):
        seen.append(view["status"])
        for request in view["pending"]:
            requests.append(request)
            verdicts.append(await run.decide(request, "perhaps"))
            verdicts.append(await run.decide({**request, "digest": "0" * 32}, True))
            verdicts.append(await run.decide(request, True, by="ann", comment="gern"))
            verdicts.append(await run.decide(request, True, by="ann"))
            verdicts.append(await tactus.decide(request["id"], False))
    verdicts.append(await tactus.decide("life/0", True))
    verdicts.append(await tactus.decide("life/7", True))
    verdicts.append(await tactus.decide("nowhere/0", True))
    lines, following = await run.shown()
    return {
        "seen": seen,
        "requests": requests,
        "verdicts": [verdict["outcome"] for verdict in verdicts],
        "result": await run.result(),
        "view": await run.status(),
        "log": await run.log(),
        "from": [entry["position"] async for entry in run.log_from(1)],
        "state": await run.state(),
        "shown": lines,
        "after": await run.shown(following),
        "again": (await tactus.start(file, {"topic": "Tee ☕"}, run_id="life")).run_id,
        "input": await failure(tactus.start(file, {"topic": "Kaffee"}, run_id="life")),
        "task": await failure(tactus.start(file, {"topic": "Tee ☕"}, run_id="life", task="t")),
        "source": await failure(
            tactus.start({"entry": "x.tac", "files": {"x.tac": "return 1"}}, {"topic": "Tee ☕"}, run_id="life")
        ),
    }


async def ends(folder: str) -> object:
    """The ways in which runs end, and what is refused."""
    tactus = await connect()

    def source(body: str) -> dict[str, object]:
        return {"entry": "main.tac", "files": {"main.tac": body}}

    asks = source('Procedure { function() return Human.approve("Go?") end }')
    cancelled = await tactus.start(asks)
    await cancelled.cancel()
    terminated = await tactus.start(asks)
    async for view in terminated.follow(every=timedelta(milliseconds=50)):
        if view["pending"]:
            await terminated.terminate("enough")
    child = await tactus.start(
        {
            "entry": "main.tac",
            "files": {
                "main.tac": 'Procedure { function() return Procedure.run("child.tac") end }',
                "child.tac": asks["files"]["main.tac"],
            },
        },
        run_id="parent",
    )
    requests = []
    while not requests:
        requests = await tactus.pending("parent")
        await asyncio.sleep(0.05)
    typed = source("Procedure { input = { n = field.number { required = true } }, function() return 1 end }")
    named = await tactus.start_named("greet", {"name": "Ann"}, run_id="named")
    return {
        "cancelled": await failure(cancelled.result()),
        "cancelledView": await cancelled.status(),
        "terminated": await failure(terminated.result()),
        "terminatedView": await terminated.status(),
        "lua": await failure(tactus.execute(source("Procedure {\n  function() error('it broke') end }"))),
        "broken": await failure(tactus.execute(source("Procedure {"))),
        "misfit": await failure(tactus.execute(typed, {"n": "x"})),
        "tasks": await tactus.execute(source('Task "one" { entry = function() return "did one" end }'), task="one"),
        "missing": await failure(tactus.start(Path(folder, "nowhere.tac"))),
        "huge": await failure(tactus.start(asks, {"x": "y" * 2_000_000})),
        "noObject": await failure(tactus.start(asks, [1])),
        "noJson": await failure(tactus.start(asks, {"x": float("nan")})),
        "gone": await failure(tactus.run("nowhere").status()),
        "goneSignal": await failure(tactus.run("nowhere").send("go")),
        "named": await named.result(),
        "namedAgain": (await tactus.start_named("greet", {"name": "Ann"}, run_id="named")).run_id,
        "namedOther": await failure(tactus.start_named("other", {"name": "Ann"}, run_id="named")),
        "childRequest": requests,
        "childVerdict": await tactus.decide(requests[0], True),
        "childResult": await child.result(),
    }


async def lists() -> object:
    """The server's list, as soon as it has what was started."""
    tactus = await connect()
    waiting = await tactus.start({"entry": "l.tac", "files": {"l.tac": 'return Human.approve("Go?")'}}, run_id="list-1")
    done = await tactus.start({"entry": "l.tac", "files": {"l.tac": "return 1"}}, run_id="list-2")
    await done.result()
    while True:
        runs = [run async for run in tactus.list(procedure="l")]
        if {"waiting_for_human", "completed"} <= {run["status"] for run in runs}:
            break
        await asyncio.sleep(0.1)
    found = {
        "all": runs,
        "waiting": [run["run_id"] async for run in tactus.list(status="waiting_for_human", prefix="list-")],
        "none": [run["run_id"] async for run in tactus.list(prefix="it's")],
        "labelled": [run["run_id"] async for run in tactus.list(labels={"team": "tea's", "tier": "1"})],
        "other": [run["run_id"] async for run in tactus.list(labels={"team": "tea's", "tier": "2"})],
        "forks": [run["run_id"] async for run in tactus.list(forked_from="labelled-1")],
    }
    await waiting.cancel()
    return found


async def events() -> object:
    """An event reaches the procedure that waits for it."""
    tactus = await connect()
    run = await tactus.start({"entry": "e.tac", "files": {"e.tac": 'return Event.wait("go").n'}})
    await run.send("go", {"n": 4})
    return await run.result()


async def nobody() -> object:
    """Runs that no worker looks at."""
    tactus = await connect(task_queue="nobody", patience=timedelta(seconds=0.5))
    run = await tactus.start({"entry": "n.tac", "files": {"n.tac": "return 1"}})
    answers = await asyncio.gather(failure(run.status()), failure(run.decide(f"{run.run_id}/0", True)))
    await run.terminate()
    return [*answers, await run.status()]


async def places(address: str) -> object:
    """Where a client connects to."""
    explicit = await connect(address, namespace="default", task_queue="q")
    own = TactusClient(await Client.connect(address))
    return {
        "namespace": explicit.client.namespace,
        "queue": explicit.task_queue,
        "own": own.task_queue,
        "found": (await connect()).client.service_client.config.target_host,
        "nobody": await failure(connect("localhost:1")),
    }


async def unknown() -> object:
    """Nothing says where a server is."""
    return await failure(connect())


async def sources(*files: str) -> object:
    """Sources with all that they reach."""
    return [collect_source(file) for file in files]


case, *arguments = sys.argv[1:]
print(json.dumps(asyncio.run(globals()[case](*arguments))))
