"""`train_models.py FOLDER`: trains models on data of scikit-learn's, keeps them, and tells what the library says."""

import json
import pickle
import sys
from pathlib import Path

import joblib
import numpy as np
import skops.io
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

folder = Path(sys.argv[1])
iris, diabetes = load_iris(), load_diabetes()
rows = iris.data[::15].tolist()

plain = LogisticRegression(max_iter=500).fit(iris.data, iris.target)
skops.io.dump(plain, folder / "iris.skops")
joblib.dump(plain, folder / "iris.joblib")
# Trees are of a type that skops doesn't vouch for.
forest = RandomForestClassifier(n_estimators=5, max_depth=2, random_state=1).fit(iris.data, iris.target)
skops.io.dump(forest, folder / "forest.skops")
ridge = make_pipeline(StandardScaler(), Ridge()).fit(diabetes.data, diabetes.target)
skops.io.dump(ridge, folder / "ridge.skops")
margin = LinearSVC().fit(iris.data, iris.target_names[iris.target])
with open(folder / "margin.pkl", "wb") as file:
    pickle.dump(margin, file)

# Lines of the descriptions of three data sets.
texts = {
    name: load().DESCR for name, load in {"wine": load_wine, "iris": load_iris, "cancer": load_breast_cancer}.items()
}
lines = [(line, name) for name, text in texts.items() for line in text.splitlines() if len(line) > 30]
said = [line for line, _ in lines]
vectorizer = TfidfVectorizer().fit(said)
bayes = MultinomialNB().fit(vectorizer.transform(said), [name for _, name in lines])
joblib.dump({"vectorizer": vectorizer, "model": bayes}, folder / "bayes.joblib")
reader = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(said, [name for _, name in lines])
skops.io.dump(reader, folder / "reader.skops")

named = make_pipeline(StandardScaler(), LogisticRegression()).fit(iris.data, iris.target)
named.steps[0][1].feature_names_in_ = np.array(["a", "b", "c", "d"], dtype=object)
skops.io.dump(named, folder / "named.skops")
by_column = make_pipeline(ColumnTransformer([("all", "passthrough", [0, 1, 2, 3])]), LogisticRegression(max_iter=500))
skops.io.dump(by_column.fit(iris.data, iris.target), folder / "columns.skops")
skops.io.dump({"a": 1}, folder / "table.skops")
(folder / "cut.skops").write_bytes((folder / "iris.skops").read_bytes()[:400])
(folder / "cut.joblib").write_bytes((folder / "iris.joblib").read_bytes()[:400])


class Hostile:
    """Leaves a mark where it is read."""

    def __reduce__(self) -> tuple:
        return (open, (str(folder / "mark"), "w"))


for name in ("hostile.pkl", "hostile.skops"):
    with open(folder / name, "wb") as file:
        pickle.dump(Hostile(), file)


def told(model: object, given: object, names: list) -> list:
    """What the library says by itself."""
    odds = model.predict_proba(given)
    return [
        {"label": label, "confidence": max(row), "scores": dict(zip(names, row, strict=True))}
        for label, row in zip(model.predict(given).tolist(), odds.tolist(), strict=True)
    ]


classes = [str(name) for name in iris.target_names]
asked = ["Ronald Fisher measured petals", "Alcohol and malic acid of cultivars", "a mean radius of a tumor"]
vectors = vectorizer.transform(asked)
plain_says = told(plain, rows, ["0", "1", "2"])
print(
    json.dumps(
        {
            "rows": rows,
            "classes": classes,
            "iris": plain_says,
            "forest": told(forest, rows, ["0", "1", "2"]),
            "iris_named": [
                {
                    **each,
                    "label": classes[each["label"]],
                    "scores": dict(zip(classes, each["scores"].values(), strict=True)),
                }
                for each in plain_says
            ],
            "patient": diabetes.data[3].tolist(),
            "ridge": float(ridge.predict(diabetes.data[3:4])[0]),
            "margin": margin.predict(rows).tolist(),
            "asked": asked,
            "bayes": [
                {"label": str(label), "confidence": float(max(odds))}
                for label, odds in zip(bayes.predict(vectors), bayes.predict_proba(vectors), strict=True)
            ],
            "reader": told(reader, asked, reader.classes_.tolist()),
            "named": told(named, rows[:1], ["0", "1", "2"])[0],
            "columns": by_column.predict(rows).tolist(),
        }
    )
)
