"""A worker that has prediction models: those that Python's libraries read, and functions of an application.

`python -m tactus_temporal.worker` runs one; `ModelWorker` is the same in a program.
"""

from tactus_temporal.worker.functions import model_function
from tactus_temporal.worker.model_worker import ModelWorker
from tactus_temporal.worker.tool_functions import ToolCall, ToolFailed, tool_call, tool_function

__all__ = ["ModelWorker", "ToolCall", "ToolFailed", "model_function", "tool_call", "tool_function"]
