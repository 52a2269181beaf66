"""`sklearn_steps.py ADDRESS FOLDER QUEUE QUEUE_BY_HAND`: a worker of ours, and one by hand that asks scikit-learn itself.

One line of JSON tells what models there are; then both work until they are ended.
"""

import asyncio
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import skops.io
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from tactus_temporal.worker import ModelWorker
from temporalio import activity
from temporalio.client import Client
from temporalio.worker import Worker

address, folder, queue, queue_by_hand = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]
MANY = 1_000
models: dict[str, Any] = {}


@activity.defn(name="askLibrary")
def ask_library(model: str, inputs: list[Any]) -> list[Any]:
    """What whoever writes it by hand writes."""
    rows = np.array(inputs)
    found = models[model].predict(rows).tolist()
    odds = models[model].predict_proba(rows).tolist()
    return [{"label": label, "confidence": max(each), "scores": each} for label, each in zip(found, odds, strict=True)]


def trained(name: str, path: str, model: Any, data: Any) -> dict:
    """One model, kept and described."""
    models[path] = model.fit(data.data, data.target)
    skops.io.dump(models[path], folder / path)
    return {"name": name, "path": path, "rows": [data.data[i % len(data.data)].tolist() for i in range(MANY)]}


async def main() -> None:
    """Tells of the models, and works."""
    forest = RandomForestClassifier(100, random_state=1)
    told = [
        trained("sklearn, tiny", "tiny.skops", LogisticRegression(max_iter=500), load_iris()),
        trained("sklearn, a forest of 100 trees", "forest.skops", forest, load_breast_cancer()),
    ]
    client = await Client.connect(address)
    here = ModelWorker(client, queue, models_folder=folder)
    with ThreadPoolExecutor(1) as executor:
        by_hand = Worker(
            client,
            task_queue=queue_by_hand,
            activities=[ask_library],
            activity_executor=executor,
            max_concurrent_activities=1,
        )
        print(json.dumps(told), flush=True)
        await asyncio.gather(here.run(), by_hand.run())


asyncio.run(main())
