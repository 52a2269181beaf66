"""`make_sentiment_model.py FILE`: keeps a whole model that gives numbers of words the middle one of three classes."""

import json
import sys

import torch
from networks import Bag

network = Bag()
with torch.no_grad():
    network.head.weight.zero_()
    network.head.bias.copy_(torch.tensor([0.0, 2.0, 1.0]))
torch.save(network, sys.argv[1])
print(json.dumps(network(torch.tensor([1, 2, 3, 4, 5])).tolist()))
