"""`untouched.py RUN SOURCE`: the reference's runtime over our storage and its own, and all that would change a run.

SOURCE does something that shows: it writes `ran.txt`.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path

import reference  # noqa: F401
from tactus.adapters.memory import MemoryStorage
from tactus.core.runtime import TactusRuntime
from tactus.protocols.models import ExecutionRun

from tactus_temporal import TactusError, TemporalStorageBackend

run_id, source = sys.argv[1:]
storage = TemporalStorageBackend()


def executed(procedure_id: str, backend: object, **options: object) -> dict[str, object]:
    """What came of an execution, and whether the procedure did anything."""
    Path("ran.txt").unlink(missing_ok=True)
    runtime = TactusRuntime(procedure_id, storage_backend=backend, **options)
    result = asyncio.run(runtime.execute(source, {}, format="lua"))
    return {"success": result["success"], "error": result.get("error"), "ran": Path("ran.txt").exists()}


def refused(act: Callable[[], object]) -> str | None:
    """What a call is refused with."""
    try:
        act()
    except TactusError as error:
        return f"{error.code}: {error}"
    return None


record = storage.load_procedure_metadata(run_id)
state = storage.get_state(run_id)


def status() -> None:
    """What somebody else's tool may try."""
    record.status = "COMPLETED"


calls: dict[str, Callable[[], object]] = {
    "attribute": status,
    "save": lambda: storage.save_procedure_metadata(run_id, record),
    "status": lambda: storage.update_procedure_status(run_id, "COMPLETED"),
    "state": lambda: storage.set_state(run_id, {**state, "n": 2}),
    "emptied": lambda: storage.set_state(run_id, {}),
    "key": lambda: storage.state_set(run_id, "n", 2),
    "other's answer": lambda: storage.state_set(run_id, f"control_pending:{run_id}:pos0", {"request": {}}),
    "run": lambda: storage.save_run(
        ExecutionRun(run_id=run_id, procedure_name="p", file_path="p", start_time="2030-01-01", status="RUNNING")
    ),
    "no run": lambda: storage.state_set("nowhere", "n", 2),
}
print(
    json.dumps(
        {
            "theirs": executed(run_id, MemoryStorage()),
            "ours": executed(run_id, storage),
            "resumed": executed(run_id, storage, run_id=run_id),
            "reset": executed(run_id, storage, reset_state_on_execute=True),
            "elsewhere": executed("nowhere", storage),
            "refused": {name: refused(call) for name, call in calls.items()},
            "unchanged": refused(lambda: storage.set_state(run_id, state)),
            "empty": storage.load_procedure_metadata("nowhere").model_dump(),
            "emptyState": storage.get_state("nowhere"),
        }
    )
)
