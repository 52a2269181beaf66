"""Packages that not every worker needs."""

from __future__ import annotations

import importlib
from typing import Any

from tactus_temporal.worker.fault import Fault


def required(module: str, type_: str, extra: str) -> Any:
    """A module of a package that models of a type need.

    Raises:
        Fault: `missing_package`, with the command that installs it
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != module.split(".")[0]:
            raise
        raise Fault(
            f'models of the type "{type_}" need a package that isn\'t installed: '
            f"pip install 'tactus-temporal[{extra}]'",
            code="missing_package",
        ) from error
