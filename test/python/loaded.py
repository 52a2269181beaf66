"""`loaded.py FOLDER RUN`: a record as `FileStorage` of the reference loads it, and again once it has saved it."""

import json
import sys

import reference  # noqa: F401
from tactus.adapters.file_storage import FileStorage

folder, run_id = sys.argv[1:]
storage = FileStorage(folder)
loaded = storage.load_procedure_metadata(run_id)
storage.save_procedure_metadata(run_id, loaded)
again = storage.load_procedure_metadata(run_id)
types = [type(entry.result).__name__ for entry in again.execution_log]
print(json.dumps({"metadata": loaded.model_dump(mode="json"), "same": again == loaded, "types": types}))
