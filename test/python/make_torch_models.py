"""`make_torch_models.py FOLDER`: trains a network on data of scikit-learn's, and tells what the library says.

It and others are kept in all forms of PyTorch.
"""

import json
import sys
from pathlib import Path

import torch
from networks import Classifier, Counter, Lookup, Wide
from sklearn.datasets import load_iris
from torch.nn.functional import cross_entropy

folder = Path(sys.argv[1])
torch.manual_seed(1)
iris = load_iris()
rows, classes = torch.tensor(iris.data, dtype=torch.float32), torch.tensor(iris.target)
network = Classifier()
steps = torch.optim.Adam(network.parameters(), lr=0.05)
for _ in range(200):
    steps.zero_grad()
    cross_entropy(network(rows), classes).backward()
    steps.step()
network.eval()
row = rows[:1]
torch.save(network.state_dict(), folder / "weights.pt")
torch.save(network, folder / "whole.pt")
torch.export.save(torch.export.export(network, (row,)), folder / "exported.pt2")
torch.jit.script(network).save(str(folder / "script.pt"))
# With any number of rows.
torch.onnx.export(
    network,
    (rows[:2],),
    folder / "iris.onnx",
    input_names=["sizes"],
    output_names=["logits"],
    dynamic_shapes=({0: torch.export.Dim("rows")},),
    external_data=False,
    verbose=False,
)
lookup = Lookup().eval()
torch.save(lookup.state_dict(), folder / "lookup.pt")
torch.export.save(torch.export.export(lookup, (torch.tensor([1, 2]),)), folder / "lookup.pt2")
torch.save(Counter().state_dict(), folder / "counter.pt")
torch.save(Wide().state_dict(), folder / "wide.pt")
(folder / "cut.pt2").write_bytes((folder / "exported.pt2").read_bytes()[:500])
(folder / "cut.pt").write_bytes((folder / "weights.pt").read_bytes()[:500])


class Hostile:
    """Leaves a mark where it is read."""

    def __reduce__(self) -> tuple:
        return (open, (str(folder / "mark"), "w"))


torch.save({"weight": Hostile()}, folder / "hostile.pt")


def labelled(logits: torch.Tensor, names: list) -> dict:
    """The class of a row, and how sure the network is."""
    odds = torch.softmax(logits.double(), dim=0).tolist()
    return {
        "label": names[odds.index(max(odds))],
        "confidence": max(odds),
        "scores": dict(zip(names, odds, strict=True)),
    }


names = [str(name) for name in iris.target_names]
with torch.no_grad():
    each = [network(one.unsqueeze(0))[0] for one in rows]
    print(
        json.dumps(
            {
                "row": row.tolist(),
                "logits": [each[0].tolist()],
                "label": labelled(each[0], ["a", "b", "c"]),
                "lookup": lookup(torch.tensor([1, 2])).tolist(),
                "rows": rows.tolist(),
                "species": names,
                "right": [names[label] for label in iris.target],
                "said": [labelled(logits, names) for logits in each],
            }
        )
    )
