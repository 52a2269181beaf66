"""`reference_files.py FOLDER`: what a checkpoint costs in `FileStorage` of the reference, behind 100 and 20,000."""

import json
import sys
from datetime import datetime, timezone
from statistics import median
from time import perf_counter

import reference  # noqa: F401
from tactus.adapters.file_storage import FileStorage
from tactus.protocols.models import CheckpointEntry, ProcedureMetadata

ROUNDS = {"short": 100, "long": 7}
COUNTS = {"short": 100, "long": 20_000}


def entry(position: int) -> CheckpointEntry:
    """One of some 500 bytes, as a prediction leaves it."""
    return CheckpointEntry(
        position=position,
        type="model_predict",
        result={"text": "x" * 200},
        timestamp=datetime.fromtimestamp(position, timezone.utc),
        duration_ms=5,
        run_id="bench",
    )


storage = FileStorage(sys.argv[1])
found = {}
for name, count in COUNTS.items():
    log = [entry(i) for i in range(count)]
    times = []
    for i in range(ROUNDS[name]):
        log.append(entry(count + i))
        record = ProcedureMetadata(
            procedure_id=name, execution_log=log, replay_index=len(log), state={"topic": "ships", "count": 3}
        )
        start = perf_counter()
        storage.save_procedure_metadata(name, record)
        times.append(1000 * (perf_counter() - start))
    found[name] = median(times)
print(json.dumps(found))
