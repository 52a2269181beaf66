"""`python -m tactus_temporal.adapters.traces FOLDER`: writes runs to where `tactus trace-list` finds them."""

from __future__ import annotations

import argparse
import sys

from tactus.adapters.file_storage import FileStorage

from tactus_temporal.adapters.storage import TemporalStorageBackend
from tactus_temporal.errors import TactusError


def write_traces(
    folder: str, storage: TemporalStorageBackend, *, procedure: str | None = None, run_ids: list[str] | None = None
) -> int:
    """Writes runs into a folder, for `tactus trace-list --storage-path FOLDER`, `trace-show` and `trace-export`.

    Args:
        folder: Where; what is there of other runs stays. A run `a/0` is called `a:0` there
        storage: Where they are read
        procedure: Only runs of this procedure
        run_ids: Just these

    Returns:
        How many
    """
    runs = storage.list_runs(procedure) if run_ids is None else [storage.load_run(each) for each in run_ids]
    files = FileStorage(folder)
    for run in runs:
        # A file each: the slash in the id of a run that another one has started would be a folder.
        files.save_run(run.model_copy(update={"run_id": run.run_id.replace("/", ":")}))
    return len(runs)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m tactus_temporal.adapters.traces",
        description="Writes runs in Temporal to where `tactus trace-list`, `trace-show` and `trace-export` find them.",
    )
    parser.add_argument("folder", help="what these commands are given as --storage-path")
    parser.add_argument("run", nargs="*", help="ids of runs; without any: those that are open or ended last")
    parser.add_argument("--procedure", help="only runs of this procedure")
    parser.add_argument("--most", type=int, default=100, help="how many runs at most (100)")
    given = parser.parse_args()
    storage = TemporalStorageBackend(most_listed=given.most)
    try:
        count = write_traces(given.folder, storage, procedure=given.procedure, run_ids=given.run or None)
    except (TactusError, FileNotFoundError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{count} runs written to {given.folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
