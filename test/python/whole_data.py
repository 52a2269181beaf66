"""`whole_data.py FOLDER`: what scikit-learn says of two of its data sets, by the models of a folder."""

import json
import sys
from pathlib import Path

import skops.io
from sklearn.datasets import load_iris, load_wine

folder = Path(sys.argv[1])
DATA = {"iris-logistic": load_iris, "wine-forest": load_wine}


def told(name: str, load: object) -> dict:
    """The rows of one, and the library's own answers."""
    data = load()
    file = folder / f"{name}.skops"
    model = skops.io.load(file, trusted=skops.io.get_untrusted_types(file=file))
    return {
        "name": name,
        "rows": data.data.tolist(),
        "classes": [str(each) for each in data.target_names],
        "predict": model.predict(data.data).tolist(),
        "predict_proba": model.predict_proba(data.data).tolist(),
    }


print(json.dumps([told(name, load) for name, load in DATA.items()]))
