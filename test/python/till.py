"""Functions that a worker in Python has as tools, for its tests."""

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any, Literal

from tactus_temporal.worker import ToolFailed, model_function, tool_call, tool_function

LEDGER = Path(os.environ["MARKS"], "ledger")


def note(what: str) -> int:
    """Writes a call down, and gives how many there were of it."""
    call = tool_call()
    with LEDGER.open("a") as file:
        line = {"what": what, "key": call.idempotency_key, "attempt": call.attempt, "by": call.approved_by}
        file.write(json.dumps(line) + "\n")
    return LEDGER.read_text().count(f'"what": "{what}"')


def noted(what: str) -> bool:
    """Whether there is one with this call's key."""
    key = tool_call().idempotency_key
    lines = [json.loads(line) for line in LEDGER.read_text().splitlines()] if LEDGER.exists() else []
    return any(line["what"] == what and line["key"] == key for line in lines)


@tool_function("charge", effect="once")
async def charge(card: str, cents: int, currency: Literal["eur", "usd"] = "eur") -> Any:
    """Charges a card, once for each call.

    What follows no model reads.
    """
    await asyncio.sleep(0)
    if card == "declined":
        raise ToolFailed("the card was declined")
    if card == "cut":
        note("cut")
        raise OSError("the line is dead")
    note("charge")
    return {"charged": cents, "currency": currency}


@tool_function("look", effect="pure", parameters={"type": "object"})
def look(**names: Any) -> Any:
    """Fails the first time."""
    if note(str(names["name"])) == 1:
        raise OSError("not yet")
    return names


@tool_function("mistaken", effect="pure")
def mistaken(name: str) -> Any:
    """A mistake in a program."""
    return {"no": 1}[name]


@tool_function("nan", effect="idempotent")
def nan() -> Any:
    """No JSON."""
    return float("nan")


@tool_function("huge", effect="pure")
def huge() -> Any:
    """No answer has room for it."""
    return "x" * 1_600_000


@tool_function("wait", effect="idempotent")
def wait(name: str) -> Any:
    """Waits to be told to go on."""
    note(name)
    while not Path(LEDGER.parent, f"{name}-go").exists():
        time.sleep(0.02)
    return name


@tool_function("hang", effect="pure", timeout=0.5)
def hang() -> Any:
    """Never gives an answer."""
    time.sleep(600)


@tool_function("guarded", effect="once", needs_approval=lambda args: args["cents"] > 10)
def guarded(cents: float, rate: float = 0) -> Any:
    """Needs a yes above ten."""
    note("guarded")
    return {"by": tool_call().approved_by, "cents": cents * rate}


@tool_function("pay", effect="once", verify=lambda name: {"done": noted(name), "result": f"paid {name}"})
def pay(name: str) -> Any:
    """Pays, and dies at it where it is told so."""
    if name == "early" and note("before") == 1:
        os.abort()
    note(name)
    if name == "late":
        os.abort()
    return f"paid {name}"


@model_function("rate")
def rate(given: Any) -> Any:
    """Rates a review."""
    return {"stars": len(given["text"])}


@model_function("rate-all", batch=True)
def rate_all(given: list[Any]) -> Any:
    """The same of many."""
    return [len(each["text"]) for each in given]
