"""What runs answer with, as they write it. Times are ISO 8601 in UTC."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

RunStatus = Literal[
    "running",
    "waiting_for_human",
    "waiting_for_time",
    "waiting_for_children",
    "paused",
    "cancelling",
    "completed",
    "failed",
    "cancelled",
    "terminated",
    "timed_out",
]

DecisionOutcome = Literal["accepted", "duplicate", "late", "early", "verifying", "not_allowed", "invalid", "unknown"]

DECISION_OUTCOMES: tuple[DecisionOutcome, ...] = (
    "accepted",
    "duplicate",
    "late",
    "early",
    "verifying",
    "not_allowed",
    "invalid",
    "unknown",
)


class ProcedureSource(TypedDict):
    """A procedure's source: the entry file and all that it reaches, by file name with `/` between."""

    entry: str
    files: dict[str, str]


class RunError(TypedDict):
    """What a run failed with, and where."""

    code: str
    message: str
    file: str | None
    line: int | None
    traceback: str | None


class _HumanRequest(TypedDict):
    id: str
    run_id: str
    kind: Literal["approval", "input", "review", "select", "multiple", "upload", "escalation"]
    message: str
    context: Any
    options: list[str | int | float]
    default: Any
    deadline: str | None
    created_at: str
    position: str
    approvers: list[str]
    digest: str


class HumanRequest(_HumanRequest, total=False):
    """An open human request. What is left out there isn't. `id` is `<run>/<position>`."""

    form: dict[str, Any]
    metadata: dict[str, Any]
    hints: dict[str, Any]
    preconditions_before: Any
    origin: dict[str, Any]
    by_host: bool
    quorum: int
    votes: list[dict[str, Any]]
    requester: str
    on_timeout: Literal["error"]
    escalation: list[dict[str, Any]]
    delegated: list[dict[str, Any]]
    expires_at: str
    authority: Literal["signed"]
    channels: list[str]
    callback_url: str
    reminder: dict[str, Any]
    on_undelivered: Literal["escalate"]
    deliveries: list[dict[str, Any]]


class Verdict(TypedDict):
    """What became of a decision. `id` is that of the request."""

    id: str
    outcome: DecisionOutcome
    message: str


class _RunView(TypedDict):
    run_id: str
    procedure: str
    status: RunStatus
    output: Any
    state: dict[str, Any]
    error: RunError | None
    pending: list[HumanRequest]
    waits: list[dict[str, Any]]
    children: list[str]
    checkpoints: int
    usage: dict[str, Any]
    printed: list[str]
    logs: list[dict[str, Any]]
    warnings: list[dict[str, Any]]
    shown_from: int
    started_at: str
    closed_at: str | None


#: Of a run that began again with Procedure.continue_as_new: its pass, and how much those before have recorded.
_Pass = TypedDict("_Pass", {"pass": dict[str, Any]}, total=False)


class RunView(_RunView, _Pass, total=False):
    """A run as it stands. A state of more than 300 kB has a note in its place: ask for it alone."""

    authority: Literal["trusted-namespace", "signed"]
    #: Whether all requests are there, whole.
    pending_whole: bool
    #: The version that it was started with, where its procedure is published.
    published: dict[str, Any]
    #: How many of its requests were decided, and approved.
    decisions: dict[str, int]
    #: By which it is found.
    labels: dict[str, str]
    #: Its variant in each experiment.
    variants: dict[str, str]
    #: The newest scores that its procedure has given.
    scores: dict[str, Any]
    budgets: list[dict[str, Any]]
    #: The plan of its session.
    plan: dict[str, Any]
    #: How it was changed, the newest last.
    changes: list[dict[str, Any]]
    #: The run that it was forked from, and where: `run_id`, `at`.
    forked_from: dict[str, Any]
    #: By whom, since when and why it is paused.
    paused: dict[str, Any]
    #: By which holds calls of it wait, each with how many.
    held: list[dict[str, Any]]
    #: Since when it is cancelling, until when, and what is left to do.
    cancelling: dict[str, Any]
    unheard: list[dict[str, Any]]
    version: dict[str, Any]
    #: What can't be had of a closed run, and why.
    incomplete: str


class _LogEntry(TypedDict):
    position: str
    name: str
    type: str
    status: Literal["completed", "failed"]
    request: Any
    input: Any
    result: Any
    error: str | None
    timestamp: str
    duration_ms: float
    source: dict[str, Any] | None


class LogEntry(_LogEntry, total=False):
    """One checkpoint of the execution log."""

    by_verified: bool
    early: bool


class LogPage(TypedDict):
    """Entries of the log; `next` is where the next page begins, None at the end."""

    execution_log: list[LogEntry]
    next: int | None


class ListedRun(TypedDict):
    """A run as the server's list has it. `procedure` is empty where the namespace lacks our search attributes."""

    run_id: str
    procedure: str
    status: RunStatus
    started_at: str
    closed_at: str | None
