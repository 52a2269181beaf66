"""What goes wrong outside, sorted by whether another attempt may go better."""

from __future__ import annotations

from typing import Any


class Fault(Exception):
    """Something went wrong that whoever tries again is to know of.

    Attributes:
        message: Without the model's name, which stands before it
        code: One of the error codes: `predict_failed`, `file_failed`, `missing_package`, `payload_too_large`;
            `tool_failed` of a tool that has done nothing, `outcome_unknown` of one that may have
        retryable: Whether another attempt may go better
        is_answer: The model answered, and the answer can't be used
    """

    def __init__(
        self, message: str, *, code: str = "predict_failed", retryable: bool = False, is_answer: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.retryable = retryable
        self.is_answer = is_answer

    def to_json(self) -> dict[str, Any]:
        """As the process that has the models tells it."""
        return {
            "message": self.message,
            "code": self.code,
            "retryable": self.retryable,
            "is_answer": self.is_answer,
        }


#: Mistakes in a program, which repeat themselves; all else (a socket, memory) may not.
_MISTAKES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    NotImplementedError,
    SyntaxError,
    TypeError,
    ValueError,
)


def fault_of(error: BaseException) -> Fault:
    """Sorts what the code of others has raised."""
    if isinstance(error, Fault):
        return error
    said = str(error)
    name = type(error).__name__
    return Fault(f"{name}: {said}" if said else name, retryable=not isinstance(error, _MISTAKES))
