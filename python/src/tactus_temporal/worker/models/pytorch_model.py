"""Models of PyTorch."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from tactus_temporal.worker.fault import Fault, fault_of
from tactus_temporal.worker.json_values import json_value
from tactus_temporal.worker.loaded_model import LoadedModel
from tactus_temporal.worker.model_files import FileContent
from tactus_temporal.worker.models.labels import class_names, labelled
from tactus_temporal.worker.models.pytorch_device import taken_to
from tactus_temporal.worker.models.pytorch_files import PytorchSettings, read_pytorch
from tactus_temporal.worker.required import required
from tactus_temporal.worker.trust import Trust


def load_pytorch(
    content: FileContent, settings: PytorchSettings, modules: Collection[str], trust: Trust
) -> LoadedModel:
    """The model of a file.

    Raises:
        Fault: `file_failed`, `missing_package`; a class or a device that isn't there
    """
    kind, read = read_pytorch(content, settings, modules, trust)
    device = settings.device
    with taken_to(device):
        if kind == "export":
            return PytorchModel(read.module().to(device), _exported_type(read), device, content.version)
        return PytorchModel(read.to(device).eval(), _module_type(read), device, content.version)


class PytorchModel:
    """A module, or an exported program: it is called with a tensor, as long as the input has lists in lists."""

    def __init__(self, model: Any, dtype: Any, device: str, version: str | None) -> None:
        self._model = model
        self._dtype = dtype
        self._device = device
        self.version = version

    def predict(self, inputs: Sequence[Any], labels: Sequence[Any] | None) -> Iterator[Any]:
        """The output tensor of each as lists, or a number; with `labels` `{label, confidence, scores}`."""
        return (self._predict(value, labels) for value in inputs)

    def _predict(self, value: Any, labels: Sequence[Any] | None) -> Any:
        torch = required("torch", "pytorch", "pytorch")
        try:
            given = torch.tensor(value, dtype=self._dtype, device=self._device)
        except (TypeError, ValueError, RuntimeError) as error:
            raise Fault(f"expected a number, or lists of numbers: {error}") from error
        try:
            with torch.no_grad():
                output = self._model(given)
        except torch.OutOfMemoryError as error:
            raise Fault(f"there is no memory for it: {error}", retryable=True) from error
        except RuntimeError as error:
            raise Fault(f"the input of the shape {list(given.shape)} doesn't fit: {error}") from error
        except Exception as error:
            raise fault_of(error) from error
        return _plain(output) if labels is None else _labelled(torch, output, labels)


def _plain(output: Any) -> Any:
    if isinstance(output, (list, tuple)):
        return [_plain(each) for each in output]
    if isinstance(output, dict):
        return {name: _plain(each) for name, each in output.items()}
    return json_value(output.item() if output.numel() == 1 else output.detach().cpu())


def _labelled(torch: Any, output: Any, labels: Sequence[Any]) -> Any:
    if not torch.is_tensor(output):
        raise Fault(f"labels are of a tensor, and the model gave a {type(output).__name__}")
    scores = output.detach().cpu().double()
    if scores.dim() > 1 and scores.shape[0] != 1:
        return [_labelled(torch, row, labels) for row in scores]
    row = scores.flatten()
    if row.numel() == 1:
        # One number is the number of a class.
        index = round(json_value(row.item()))
        if not 0 <= index < len(labels):
            raise Fault(f"gave the class {index}, and labels names {len(labels)}", is_answer=True)
        return {"label": labels[index], "confidence": None}
    names = class_names(labels, range(row.numel()))
    is_odds = bool((row >= 0).all()) and abs(float(row.sum()) - 1) < 1e-3
    return labelled(names, json_value(row if is_odds else torch.softmax(row, dim=0)))


def _exported_type(program: Any) -> Any:
    """Of the numbers that it was exported with."""
    first = next(iter(program.graph_signature.user_inputs), None)
    for node in program.graph.nodes:
        if node.op == "placeholder" and node.name == first and "val" in node.meta:
            return node.meta["val"].dtype
    return required("torch", "pytorch", "pytorch").float32


def _module_type(model: Any) -> Any:
    """Of the model's own numbers; what looks numbers up takes integers."""
    torch = required("torch", "pytorch", "pytorch")
    for module in model.modules():
        first = next(module.parameters(recurse=False), None)
        if first is not None:
            name = getattr(module, "original_name", type(module).__name__)
            return torch.int64 if name.startswith("Embedding") else first.dtype
    return torch.float32
