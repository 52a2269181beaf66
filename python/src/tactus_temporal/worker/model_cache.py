"""Models that a process has loaded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from tactus_temporal.worker.loaded_model import LoadedModel
from tactus_temporal.worker.model_files import FileState


@dataclass(frozen=True)
class _Kept:
    model: LoadedModel
    state: FileState


class ModelCache:
    """The models that were asked last, up to a bound. A model whose file has changed is loaded anew."""

    def __init__(self, most_bytes: int) -> None:
        """Bounded by the size of their files; the one that was asked last is always kept."""
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()

    def get(self, key: Hashable, state: FileState, load: Callable[[], LoadedModel]) -> LoadedModel:
        """The model of a file as it is now."""
        kept = self._kept.pop(key, None)
        if kept is None or kept.state != state:
            kept = None  # The old one goes before the new one comes: there may be no room for both.
            kept = _Kept(load(), state)
        self._kept[key] = kept
        while len(self._kept) > 1 and sum(each.state.size for each in self._kept.values()) > self._most_bytes:
            self._kept.popitem(last=False)
        return kept.model
