"""`answers.py RUN`: the reference's control loop answers what a run of ours asks, as it answers its own procedures."""

import asyncio
import json
import sys
import time

import reference  # noqa: F401
from tactus.adapters.control_loop import ControlLoopHandler
from tactus.protocols.control import ControlRequest, ControlResponse

from tactus_temporal import TactusError, TemporalStorageBackend
from tactus_temporal.client import connect

[run_id] = sys.argv[1:]
storage = TemporalStorageBackend()
loop = ControlLoopHandler(channels=[], storage=storage)
key = next(name for name in storage.get_state(run_id) if name.startswith(loop.PENDING_KEY_PREFIX))
request = ControlRequest.model_validate(storage.get_state(run_id)[key]["request"])


def answer(value: object) -> str:
    """The way of its own that an answer has into the state."""
    try:
        loop._store_response(request, ControlResponse(request_id=request.request_id, value=value, responder_id="ann"))
    except TactusError as error:
        return f"{error.details.get('outcome')}: {error}"
    return "taken"


before = loop.check_pending_response(run_id, request.request_id)
loop._store_pending(request, [])
outcomes = {"invalid": answer("maybe"), "first": answer(True), "again": answer(True)}
after = loop.check_pending_response(run_id, request.request_id)
outcomes["other"] = answer(False)


async def go() -> None:
    """Has the run change its state by itself."""
    await (await connect()).run(run_id).send("go")


state = storage.get_state(run_id)
following = next(name for name in state if name.startswith(loop.PENDING_KEY_PREFIX) and "request" in state[name])
asyncio.run(go())
while storage.get_state(run_id)["n"] == 1:
    time.sleep(0.05)
response = ControlResponse(request_id=following.removeprefix(loop.PENDING_KEY_PREFIX), value="this")
state[following]["response"] = response.model_dump(mode="json")
try:
    storage.set_state(run_id, dict(state))
except TactusError as error:
    outcomes["old state"] = str(error)
storage.set_state(run_id, state)
print(
    json.dumps(
        {
            "request": request.model_dump(mode="json"),
            "before": before,
            "after": after and after.model_dump(mode="json"),
            "outcomes": outcomes,
        }
    )
)
