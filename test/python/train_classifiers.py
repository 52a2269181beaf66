"""`train_classifiers.py FOLDER`: has the reference train classifiers of texts and register them.

`told.json` is what the reference says by them. They learn from descriptions of data sets that scikit-learn ships.
"""

import json
import shutil
import sys
import zipfile
from pathlib import Path

import datasets
import reference  # noqa: F401
import transformers
from sklearn.datasets import load_breast_cancer, load_wine
from tactus.backends.hf_sequence_classifier_backend import HFSequenceClassifierBackend
from tactus.backends.sklearn_backend import SklearnModelBackend
from tactus.registry.local import LocalRegistry
from tactus.training.runner import TrainingRunner, _parse_training_config
from transformers import BertConfig, BertForSequenceClassification

sys.path.append(str(Path(__file__).parents[1] / "fixtures" / "models"))
from produce_texts import make_tokenizer

# By it dill tells what is installed from what it has to pickle as a program.
sys.real_prefix = str(Path(datasets.__file__).parents[1])
folder = Path(sys.argv[1])
LABELS = ["cancer", "wine"]
texts = [
    (line, label)
    for label, load in enumerate((load_breast_cancer, load_wine))
    for line in load().DESCR.splitlines()
    if len(line) > 30
]
data = folder / "lines.jsonl"
data.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in texts))
asked = [texts[0][0], texts[-1][0], "Alcohol and malic acid of three cultivars.", "a mean radius of a tumor"]


def base() -> Path:
    """A small BERT that knows words, and nothing else."""
    tokenizer = make_tokenizer([text for text, _ in texts], vocabulary=600, longest=32)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=32,
    )
    made = folder / "base"
    BertForSequenceClassification(config).save_pretrained(made)
    tokenizer.save_pretrained(made)
    return made


def train(name: str, trainer: str, hyperparameters: dict) -> None:
    """As the command `tactus train` does by the declaration of a model."""
    split = {"source": "local", "train": str(data), "test": str(data), "seed": 42}
    candidate = {"name": f"{name}-candidate", "trainer": trainer, "hyperparameters": hyperparameters}
    declared = {"training": {"data": split, "candidates": [candidate]}}
    TrainingRunner(registry_dir=str(folder / "registry")).run(_parse_training_config(declared, name))


train("reviews_nb", "naive_bayes", {"alpha": 1.0, "max_features": 5000, "ngram_min": 1, "ngram_max": 2})
quiet = {"use_cpu": True, "report_to": "none", "disable_tqdm": True, "logging_strategy": "no"}
transformers.utils.logging.set_verbosity_error()
train(
    "reviews_hf",
    "hf_sequence_classifier",
    {
        "model": str(base()),
        "labels": LABELS,
        "epochs": 8,
        "batch_size": 16,
        "learning_rate": 5e-3,
        "padding": "max_length",
        "training_args": quiet,
    },
)
registry = LocalRegistry(str(folder / "registry"))
bayes, classifier = (registry.resolve(name) for name in ("reviews_nb", "reviews_hf"))
# Where its registry says this one is, it is no more: only the archive is kept.
archive = Path(classifier.artifact_path)
whole = folder / "whole"
shutil.unpack_archive(archive, whole)


def register(name: str, members: dict[str, bytes]) -> None:
    """A version whose archive holds something else."""
    made = folder / f"{name}.zip"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for member, content in members.items():
            packed.writestr(member, content)
    registry.register(
        name,
        "1",
        "hf_sequence_classifier",
        {"model": "gone"},
        tags=["latest"],
        artifact=made.read_bytes(),
        artifact_filename=made.name,
    )


members = {each.name: each.read_bytes() for each in whole.iterdir() if each.is_file()}
weights = members["model.safetensors"]
no_weights = {name: content for name, content in members.items() if name != "model.safetensors"}
register("pickled", {**no_weights, "pytorch_model.bin": weights})
register("cut", {**members, "model.safetensors": weights[: len(weights) // 2]})
register("swollen", {**members, "vocab.txt": b" " * 50_000_000})
register("unknown", {"model.safetensors": weights})
register("headless", members | {"config.json": members["config.json"].replace(b'"bert"', b'"distilbert"')})
registry.register(
    "damaged",
    "1",
    "hf_sequence_classifier",
    {"model": "gone"},
    tags=["latest"],
    artifact=b"PK",
    artifact_filename="a.zip",
)
(folder / "told.json").write_text(
    json.dumps(
        {
            "asked": asked,
            "bayes": [SklearnModelBackend(bayes.artifact_path).predict_sync(each) for each in asked],
            "classifier": [HFSequenceClassifierBackend(str(whole)).predict_sync(each) for each in asked],
            "versions": [bayes.version_id, classifier.version_id],
        }
    )
)
