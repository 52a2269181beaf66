"""Where models of PyTorch compute."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tactus_temporal.worker.fault import Fault


@contextmanager
def taken_to(device: str) -> Iterator[None]:
    """Around what moves a model to a device.

    Raises:
        Fault: There is no such device, or the model can't be had there
    """
    try:
        yield
    except (RuntimeError, AssertionError) as error:
        raise Fault(f"can't be had on the device {device}: {error}") from error
