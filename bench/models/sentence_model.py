"""`sentence_model.py FOLDER`: a sentence encoder of the size of all-MiniLM-L6-v2, with weights made up, as ONNX."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "fixtures" / "models"))
import produce_texts
from transformers import BertModel

produce_texts.make(
    "minilm",
    BertModel,
    ["LABEL_0", "LABEL_1"],
    produce_texts.make_tokenizer(),
    vocab_size=30_522,
    hidden_size=384,
    num_hidden_layers=6,
    num_attention_heads=12,
    intermediate_size=1_536,
)
