"""`make_torch_models.py FOLDER`: keeps networks in all forms of PyTorch, and tells what the library says of a row."""

import json
import sys
from pathlib import Path

import torch
from networks import Classifier, Counter, Lookup

folder = Path(sys.argv[1])
torch.manual_seed(1)
network = Classifier().eval()
row = torch.tensor([[5.1, 3.5, 1.4, 0.2]])
torch.save(network.state_dict(), folder / "weights.pt")
torch.save(network, folder / "whole.pt")
torch.export.save(torch.export.export(network, (row,)), folder / "exported.pt2")
torch.jit.script(network).save(str(folder / "script.pt"))
lookup = Lookup().eval()
torch.save(lookup.state_dict(), folder / "lookup.pt")
torch.export.save(torch.export.export(lookup, (torch.tensor([1, 2]),)), folder / "lookup.pt2")
torch.save(Counter().state_dict(), folder / "counter.pt")
(folder / "cut.pt2").write_bytes((folder / "exported.pt2").read_bytes()[:500])
(folder / "cut.pt").write_bytes((folder / "weights.pt").read_bytes()[:500])


class Hostile:
    """Leaves a mark where it is read."""

    def __reduce__(self) -> tuple:
        return (open, (str(folder / "mark"), "w"))


torch.save({"weight": Hostile()}, folder / "hostile.pt")
with torch.no_grad():
    logits = network(row)[0]
    odds = torch.softmax(logits.double(), dim=0).tolist()
    print(
        json.dumps(
            {
                "row": row.tolist(),
                "logits": [logits.tolist()],
                "label": {
                    "label": "abc"[odds.index(max(odds))],
                    "confidence": max(odds),
                    "scores": dict(zip("abc", odds, strict=True)),
                },
                "lookup": lookup(torch.tensor([1, 2])).tolist(),
            }
        )
    )
