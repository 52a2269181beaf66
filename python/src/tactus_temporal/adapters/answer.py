"""Answers of Tactus's control loop as decisions."""

from __future__ import annotations

from tactus.protocols.control import ControlResponse

from tactus_temporal.client import TactusClient, Verdict
from tactus_temporal.errors import TactusError


async def answer(client: TactusClient, response: ControlResponse, digest: str | None) -> Verdict:
    """Decides the request that a response is for, bound to what was shown where its digest is known.

    Raises:
        TactusError: `usage` where the response says that nobody answered: of time that is over, the run knows by itself
    """
    if response.timed_out:
        raise TactusError("usage", f"Nobody answered {response.request_id} in time, which its run finds out by itself")
    by = response.responder_id or response.responder_name
    return await client.decide(response.request_id, response.value, by=by, digest=digest)


def counted(verdict: Verdict) -> None:
    """Makes an error of a decision that doesn't count, for those who have no way to be told of it."""
    if verdict["outcome"] not in ("accepted", "duplicate"):
        raise TactusError(
            "usage",
            f"The answer to {verdict['id']} doesn't count ({verdict['outcome']}): {verdict['message']}",
            {"outcome": verdict["outcome"]},
        )
