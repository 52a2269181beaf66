"""`asks.py FOLDER PROCEDURE RUN PATIENCE SOURCE`: the reference runs a procedure whose people we ask.

FOLDER may be empty: then it keeps nothing; RUN too, and PATIENCE (seconds): then it waits for ever.
"""

import asyncio
import json
import sys
from datetime import timedelta

import reference  # noqa: F401
from tactus.adapters.file_storage import FileStorage
from tactus.adapters.memory import MemoryStorage
from tactus.core.runtime import TactusRuntime

from tactus_temporal import TemporalHITLHandler

folder, procedure_id, run_id, patience, source = sys.argv[1:]
handler = TemporalHITLHandler(patience=timedelta(seconds=float(patience)) if patience else None)
runtime = TactusRuntime(
    procedure_id,
    storage_backend=FileStorage(folder) if folder else MemoryStorage(),
    hitl_handler=handler,
    run_id=run_id or None,
)
result = asyncio.run(runtime.execute(source, {}, format="lua"))
print(json.dumps({name: result.get(name) for name in ("success", "status", "error", "result", "pending_message_id")}))
