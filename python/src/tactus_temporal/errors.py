"""The one error class of this package."""

from __future__ import annotations

from typing import Any


class TactusError(Exception):
    """What went wrong.

    Attributes:
        code: What kind of error it is, from the closed list of the npm package: `run_not_found`, `no_worker` …
        message: In words, with what to do.
        details: What else is known of it: of a failed run `file`, `line` and `traceback`.
    """

    def __init__(self, code: str, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details or {}

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.code, self.message, self.details))

    @property
    def file(self) -> str | None:
        """The `.tac` file that it happened in."""
        return self._text("file")

    @property
    def line(self) -> int | None:
        """The line of that file."""
        line = self.details.get("line")
        return int(line) if isinstance(line, (int, float)) else None

    @property
    def traceback(self) -> str | None:
        """The Lua frames, innermost first, one a line."""
        return self._text("traceback")

    def _text(self, name: str) -> str | None:
        value = self.details.get(name)
        return value if isinstance(value, str) else None
