"""`python -m tactus_temporal.worker.model_process_main`: the process that has a worker's models.

It is told what to do by its standard input, and ends with it.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from typing import Any, BinaryIO

from tactus_temporal.worker.fault import Fault, fault_of
from tactus_temporal.worker.frames import LENGTH, answer_frame, length_of, question_of
from tactus_temporal.worker.functions import registered_functions
from tactus_temporal.worker.models.model_loader import ModelLoader
from tactus_temporal.worker.tool_box import ToolBox
from tactus_temporal.worker.tool_functions import registered_tools


def main() -> None:
    """Answers one question after the other."""
    asked = os.fdopen(os.dup(0), "rb")
    told = os.fdopen(os.dup(1), "wb")
    # What models and functions print, and what they would read, is no part of the conversation.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    begun = _next(asked)
    if begun is None:
        return
    sys.path[:] = begun["path"]
    try:
        for module in begun["modules"]:
            importlib.import_module(module)
        # One loop for the life of the process: functions may keep connections that belong to it.
        loop = asyncio.new_event_loop()
        functions = registered_functions()
        loader = ModelLoader(begun["folder"], begun["cache_bytes"], functions, begun["modules"], loop, begun["trusted"])
        tools = ToolBox(registered_tools(), functions, loop)
    # Whatever a module raises as it is imported, SystemExit too, is told by the worker.
    except BaseException as error:
        _tell(told, {"fault": Fault(f"{type(error).__name__}: {error}").to_json()})
        return
    _tell(told, {"ready": True})
    while (question := _next(asked)) is not None:
        _tell(told, _answer(loader, tools, question))


def _answer(loader: ModelLoader, tools: ToolBox, question: dict[str, Any]) -> dict[str, Any]:
    try:
        about = question["about"]
        if about == "tools":
            return {"result": tools.list(question["sources"])}
        if about == "tool":
            return {"result": tools.answer(question["invocation"], question["call"], question["now_ms"])}
        return {"result": loader.predict(question["type"], question["settings"], question["inputs"])}
    # Libraries raise what they like, and a model that calls sys.exit() is no reason to end.
    except BaseException as error:
        return {"fault": fault_of(error).to_json()}


def _next(asked: BinaryIO) -> dict[str, Any] | None:
    head = asked.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    return question_of(asked.read(length_of(head)))


def _tell(told: BinaryIO, message: dict[str, Any]) -> None:
    told.write(answer_frame(message))
    told.flush()


if __name__ == "__main__":
    main()
