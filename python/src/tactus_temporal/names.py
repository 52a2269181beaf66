"""Names by which runs are started, answered and queried: the same as in the npm package."""

from typing import Final

WORKFLOW_TYPE: Final = "tactus"
DEFAULT_TASK_QUEUE: Final = "tactus"
#: Of models that Python has, for runs on the default queue.
MODEL_TASK_QUEUE: Final = f"{DEFAULT_TASK_QUEUE}-python"

#: Signals; the first is an Update too.
DECIDE: Final = "decide"
EVENT: Final = "event"

STATUS_QUERY: Final = "status"
STATE_QUERY: Final = "state"
PENDING_QUERY: Final = "pending"
LOG_QUERY: Final = "log"
SHOWN_QUERY: Final = "printed"
#: The log as a run hands it to itself: gzipped JSON, empty where that is too large for an answer.
PACKED_CHECKPOINTS_QUERY: Final = "checkpoints_packed"

PROCEDURE_ATTRIBUTE: Final = "TactusProcedure"
STATUS_ATTRIBUTE: Final = "TactusStatus"
LABELS_ATTRIBUTE: Final = "TactusLabels"
FORKED_FROM_ATTRIBUTE: Final = "TactusForkedFrom"

#: Type of the failure by which a run turns an Update away for a moment.
BUSY: Final = "busy"

#: The workflow that keeps the holds of a namespace, its type, and the key of its memo.
HOLDS_WORKFLOW_ID: Final = "tactus-holds"
HOLDS_TYPE: Final = "tactusHolds"
HOLDS_MEMO: Final = "tactus_holds"
#: Type of the failure of a call that is held: the run begins it anew.
HELD: Final = "held"
#: The activity that calls a tool.
CALL_TOOL: Final = "callTool"
