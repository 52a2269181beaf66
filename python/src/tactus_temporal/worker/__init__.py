"""A worker that has prediction models: those that Python's libraries read, and functions of an application.

`python -m tactus_temporal.worker` runs one; `ModelWorker` is the same in a program.
"""

from tactus_temporal.worker.functions import model_function
from tactus_temporal.worker.model_worker import ModelWorker

__all__ = ["ModelWorker", "model_function"]
