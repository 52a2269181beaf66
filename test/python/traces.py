"""`traces.py FOLDER`: our command writes runs, and the reference's commands show them."""

import contextlib
import io
import json
import sys

import reference  # noqa: F401
from tactus.cli.app import app
from tactus.tracing import TraceManager
from typer.testing import CliRunner

from tactus_temporal import TemporalStorageBackend
from tactus_temporal.adapters import traces

[folder] = sys.argv[1:]


def ours(*arguments: str) -> str:
    """What our command says."""
    sys.argv = ["traces", folder, *arguments]
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = traces.main()
    return f"{code} {said.getvalue()}"


def theirs(*arguments: str) -> str:
    """What a command of the reference says."""
    return CliRunner().invoke(app, [*arguments, "--storage-path", folder]).output


storage = TemporalStorageBackend()
manager = TraceManager(storage)
print(
    json.dumps(
        {
            "written": ours("trace-1", "trace-1/1", "trace-2"),
            "list": theirs("trace-list"),
            "show": theirs("trace-show", "trace-1"),
            "export": theirs("trace-export", "trace-1", f"{folder}/trace.json"),
            "listed": ours("--procedure", "tea"),
            "missing": ours("nowhere"),
            "managed": [run.run_id for run in manager.list_runs("tea", limit=1)],
            "checkpoint": manager.get_checkpoint("trace-1", 0).result,
            "terminated": storage.load_procedure_metadata("trace-3").status,
            "breakpoints": storage.load_breakpoints("tea"),
        }
    )
)
