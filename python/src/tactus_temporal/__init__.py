"""Tactus procedures that run in Temporal workflows, from Python.

`tactus_temporal.client` starts, follows and answers runs. `TemporalStorageBackend` and `TemporalHITLHandler` are what
Tactus itself takes; they need the package `tactus`, and are loaded when they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tactus_temporal.errors import TactusError

if TYPE_CHECKING:
    from tactus_temporal.adapters import TemporalHITLHandler, TemporalStorageBackend

__all__ = ["TactusError", "TemporalHITLHandler", "TemporalStorageBackend"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tactus_temporal import adapters

    return getattr(adapters, name)
