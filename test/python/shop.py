"""Functions that a worker in Python has as models, for its tests."""

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from tactus_temporal.worker import model_function

MARKS = Path(os.environ["MARKS"])


@model_function("double", version="7")
async def double(value: Any) -> Any:
    """Twice a number."""
    await asyncio.sleep(0)
    return {"doubled": np.float64(value["n"]) * 2}


@model_function("all", batch=True)
def every(values: list[Any]) -> Any:
    """All at once."""
    return np.array(values) * 10


@model_function("short", batch=True)
def short(values: list[Any]) -> Any:
    """One too few."""
    return values[1:]


@model_function("nan")
def nan(_: Any) -> Any:
    """No JSON."""
    return float("nan")


@model_function("object")
def thing(_: Any) -> Any:
    """No JSON either."""
    return object()


@model_function("broken")
def broken(_: Any) -> Any:
    """A mistake."""
    raise KeyError("price")


@model_function("key")
def key(_: Any) -> Any:
    """An error with a secret in it."""
    raise ValueError("no answer for " + os.environ["SHOP_TOKEN"])


@model_function("exits")
def exits(_: Any) -> Any:
    """What no function should do."""
    sys.exit(3)


@model_function("large", batch=True)
def large(values: list[Any]) -> Any:
    """Three of them fit into an answer."""
    return ["x" * 400_000 for _ in values]


@model_function("huge")
def huge(_: Any) -> Any:
    """No answer has room for it."""
    return "x" * 1_600_000


@model_function("huge-text")
def huge_text(_: Any) -> Any:
    """Nor for this, as it is written."""
    return "ж" * 300_000


@model_function("flaky")
def flaky(name: Any) -> Any:
    """Fails the first time."""
    marks = Path(MARKS, name)
    with marks.open("a") as file:
        file.write("x")
    if len(marks.read_text()) == 1:
        raise OSError("no answer yet")
    return len(marks.read_text())


@model_function("crash")
def crash(name: Any) -> Any:
    """Takes its process along, the first time."""
    if not Path(MARKS, name).exists():
        Path(MARKS, name).touch()
        os.abort()
    return "lived"


@model_function("slow")
def slow(name: Any) -> Any:
    """Waits to be told to go on."""
    with Path(MARKS, name).open("a") as file:
        file.write("x")
    while not Path(MARKS, f"{name}-go").exists():
        time.sleep(0.02)
    return Path(MARKS, name).read_text()


@model_function("price", version="1")
def price(numbers: Any) -> Any:
    """Twice their sum."""
    return 2 * sum(numbers)
