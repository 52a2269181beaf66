"""Classes of models of PyTorch, for tests of a worker in Python."""

import os
from pathlib import Path

import torch
from torch import nn


class Classifier(nn.Module):
    """Three classes by four numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))

    def forward(self, row: torch.Tensor) -> torch.Tensor:
        """Logits."""
        return self.layers(row)


class Lookup(nn.Module):
    """What numbers stand for."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(5, 2)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """A vector for each."""
        return self.embedding(ids)


class Counter(nn.Module):
    """How many numbers there are, as the number of a class."""

    def forward(self, row: torch.Tensor) -> torch.Tensor:
        """One number."""
        return torch.tensor([row.numel()])


class Bag(nn.Module):
    """Three classes by the numbers of words, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, 4)
        self.head = nn.Linear(4, 3)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Logits."""
        return self.head(self.embedding(ids).mean(dim=0, keepdim=True))


class Wide(nn.Module):
    """Many kilobytes of JSON for a number; a file has a byte for each time that it is asked."""

    def forward(self, row: torch.Tensor) -> torch.Tensor:
        """Five thousand numbers, of many digits each."""
        with Path(os.environ["MARKS"], "asked").open("a") as file:
            file.write("x")
        return row.repeat(5_000) / 3


NO_CLASS = 1
