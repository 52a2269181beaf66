"""`register_models.py FOLDER`: has the reference train and register models, and tells what it says of a text."""

import json
import sys
from pathlib import Path

import joblib
import reference  # noqa: F401
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from tactus.backends.sklearn_backend import SklearnModelBackend
from tactus.registry.local import LocalRegistry
from tactus.training.datasets import DatasetBundle
from tactus.training.naive_bayes import NaiveBayesTrainer
from tactus.training.types import CandidateConfig

folder = Path(sys.argv[1])
registry = LocalRegistry(str(folder / "made"))
good, bad = "a fine and pleasant tea", "a bitter and stale tea"
rows = [{"text": f"{text} {n}", "label": label} for n in range(4) for text, label in ((good, 1), (bad, 0))]
told = []
for n, version in enumerate(("1", "2")):
    data = DatasetBundle(train=rows[: 8 - 2 * n], val=None, test=None)
    candidate = CandidateConfig(name="nb", trainer="naive_bayes", hyperparameters={"alpha": 1.0 + n})
    trained = NaiveBayesTrainer().train(candidate, data, str(folder))
    registry.register(
        "mood",
        version,
        trained.backend_type,
        trained.backend_config,
        tags=["latest", "candidate/nb"],
        artifact=Path(trained.artifact_path).read_bytes(),
        artifact_filename=Path(trained.artifact_path).name,
    )
    found = registry.resolve("mood", version)
    told.append(SklearnModelBackend(found.artifact_path, **found.backend_config).predict_sync("fine tea"))
    if n == 0:
        registry.promote("mood", version, "champion")
registry.register("away", "1", "sklearn", {}, tags=["latest"], artifact_path="s3://models/away.joblib")
registry.register("far", "1", "sklearn", {}, tags=["latest"], artifact_path="/etc/hostname")
registry.register("elsewhere", "1", "http", {"endpoint": "http://localhost:1"}, tags=["latest"])
iris = load_iris()
joblib.dump(LogisticRegression(max_iter=500).fit(iris.data, iris.target), folder / "iris.joblib")
# Moved as a whole: paths that it wrote down lead nowhere any more.
(folder / "made").rename(folder / "registry")
(folder / "registry" / "mood" / "versions" / "3.json").write_text("{")
print(json.dumps(told))
