"""Makes `from-wink.txt` with WINK itself, and restores `ours.txt` by it.

    python3.13 -m venv /tmp/wink && /tmp/wink/bin/pip install weakincentives==0.14.0
    /tmp/wink/bin/python make_snapshot.py

The wheel needs Python 3.12 or later; with 3.12.1 its planning tools fail with "super(type, obj)", with 3.13.0 they don't.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import make_snapshot as own
from weakincentives.contrib.tools.planning import (
    AddStep,
    Plan,
    PlanningToolsSection,
    SetupPlan,
    UpdateStep,
)
from weakincentives.runtime.events import InProcessEventBus
from weakincentives.runtime.session import Session, append
from weakincentives.runtime.session.snapshots import Snapshot

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Finding:
    id: int
    text: str
    score: float
    sure: bool | None = None


def session() -> Session:
    made = Session(
        bus=InProcessEventBus(),
        session_id=UUID("00000000-0000-4000-8000-000000000001"),
        created_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        tags={"loop": "guide"},
    )
    PlanningToolsSection(session=made)
    made.mutate(own.Finding).register(own.Finding, append)
    return made


def write() -> None:
    made = session()
    plan = made.mutate(Plan)
    plan.dispatch(SetupPlan(objective="Publish the guide — “now”", initial_steps=("Draft", "Review")))
    plan.dispatch(AddStep(steps=("Ship",)))
    plan.dispatch(UpdateStep(step_id=1, status="done"))
    plan.dispatch(UpdateStep(step_id=2, title="Proof-read", status="in_progress"))
    made.mutate(own.Finding).append(own.Finding(id=1, text="a fault", score=0.5, sure=True))
    made.mutate(own.Finding).append(own.Finding(id=2, text="a question", score=1.0))
    (HERE / "from-wink.txt").write_text(made.snapshot().to_json() + "\n")


def read() -> None:
    snapshot = Snapshot.from_json((HERE / "ours.txt").read_text())
    into = session()
    into.mutate().rollback(snapshot)
    lines = [f"tags: {sorted(snapshot.tags)}", f"created_at: {snapshot.created_at.isoformat()}"]
    lines += [into.query(Plan).latest().render()]
    lines += [repr(each) for each in into.query(own.Finding).all()]
    (HERE / "ours-in-wink.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    write()
    if (HERE / "ours.txt").exists():
        read()
