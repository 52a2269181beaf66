"""What Tactus itself takes, over runs in Temporal: a storage and a handler of people. Needs the package `tactus`."""

from tactus_temporal.adapters.hitl import TemporalHITLHandler
from tactus_temporal.adapters.storage import TemporalStorageBackend

__all__ = ["TemporalHITLHandler", "TemporalStorageBackend"]
