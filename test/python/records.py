"""`records.py FOLDER RUN…`: runs as two storages load them, field by field."""

import json
import sys

import reference  # noqa: F401
from tactus.adapters.file_storage import FileStorage
from tactus.protocols.models import HITLResponse, ProcedureMetadata

from tactus_temporal import TemporalStorageBackend

folder, *run_ids = sys.argv[1:]


def fields(record: ProcedureMetadata) -> dict[str, object]:
    """All of a record, with the types of its results."""
    types = [type(entry.result).__name__ for entry in record.execution_log]
    return {**record.model_dump(mode="json"), "types": types}


files = FileStorage(folder)
runs = TemporalStorageBackend()
found = {}
for run_id in run_ids:
    theirs, ours = files.load_procedure_metadata(run_id), runs.load_procedure_metadata(run_id)
    found[run_id] = {
        "theirs": fields(theirs),
        "ours": fields(ours),
        "equal": theirs == ours and ours == theirs,
        "isRecord": isinstance(ours, ProcedureMetadata),
        "answers": sum(isinstance(entry.result, HITLResponse) for entry in ours.execution_log),
    }
print(json.dumps(found))
