"""A model that writes down each time that it is loaded, and a worker's tests with it."""

import os
from pathlib import Path
from typing import Any


class Counted:
    """Adds, and tells of it when it is read from a file."""

    def predict(self, rows: Any) -> list[float]:
        """The sum of each row."""
        return [float(sum(row)) for row in rows]

    def __reduce__(self) -> Any:
        """It is made anew by a call."""
        return (load, ())


def load() -> Counted:
    """One more."""
    with Path(os.environ["MARKS"], "loads").open("a") as file:
        file.write("x")
    return Counted()
