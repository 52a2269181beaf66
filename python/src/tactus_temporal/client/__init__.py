"""Starts, follows and answers runs, with `temporalio`."""

from tactus_temporal.client.at_exit import end_in_peace
from tactus_temporal.client.connect import connect
from tactus_temporal.client.sources import collect_source
from tactus_temporal.client.tactus_client import TactusClient
from tactus_temporal.client.tactus_run import TactusRun
from tactus_temporal.errors import TactusError
from tactus_temporal.shapes import HumanRequest, ListedRun, LogEntry, ProcedureSource, RunView, Verdict

__all__ = [
    "HumanRequest",
    "ListedRun",
    "LogEntry",
    "ProcedureSource",
    "RunView",
    "TactusClient",
    "TactusError",
    "TactusRun",
    "Verdict",
    "collect_source",
    "connect",
]

end_in_peace()
