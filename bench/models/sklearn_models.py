"""`sklearn_models.py FOLDER ROUNDS`: models of scikit-learn in a process of the worker's, beside the library alone."""

import asyncio
import json
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import skops.io
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from tactus_temporal.worker.model_process import ModelProcess, ModelProcessOptions

folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
MANY = 1_000
TIMEOUT_MS = 60_000
MODELS = 20
TURNS = 5
#: Of 64 numbers each: 17 MB.
ROWS = 33_000


async def times(process: ModelProcess, question: dict, model: Any, rows: list, rounds: int) -> dict:
    """In ms, in turns: the library alone, told as lists; and the same through the process."""
    found: dict[str, list[float]] = {"alone": [], "here": []}
    question = {**question, "inputs": rows}
    for _ in range(rounds + 2):
        start = perf_counter()
        model.predict(np.array(rows)).tolist()
        model.predict_proba(np.array(rows)).tolist()
        found["alone"].append(1_000 * (perf_counter() - start))
        start = perf_counter()
        said = await process.ask(question, TIMEOUT_MS)
        found["here"].append(1_000 * (perf_counter() - start))
        assert len(said["outputs"]) == len(rows)
    return {name: each[2:] for name, each in found.items()}


async def beside(name: str, model: Any, data: Any) -> dict:
    """One model, asked about one row and about many."""
    skops.io.dump(model.fit(data.data, data.target), folder / "asked.skops")
    process = ModelProcess(ModelProcessOptions(str(folder), (), 2_000_000_000))
    question = {"about": "model", "type": "sklearn", "settings": {"path": "asked.skops", "trusted": True}}
    rows = [data.data[i % len(data.data)].tolist() for i in range(MANY)]
    one = await times(process, question, model, rows[:1], rounds)
    thousand = await times(process, question, model, rows, max(5, rounds // 10))
    await process.end()
    return {"name": name, "one": one, "thousand": thousand}


def resident(process: ModelProcess) -> float:
    """Of what the process has in memory, in MB."""
    pid = process._process.pid
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


async def memory() -> dict:
    """Models in turn, with room for three of them."""
    rng = np.random.default_rng(1)
    for i in range(MODELS):
        model = KNeighborsClassifier(1, algorithm="brute").fit(rng.random((ROWS, 64)), np.arange(ROWS) % 3)
        skops.io.dump(model, folder / f"turn-{i}.skops")
    size = (folder / "turn-0.skops").stat().st_size
    process = ModelProcess(ModelProcessOptions(str(folder), (), int(3.5 * size)))
    seen = []
    for _ in range(TURNS):
        for i in range(MODELS):
            settings = {"path": f"turn-{i}.skops", "trusted": True}
            question = {"about": "model", "type": "sklearn", "settings": settings, "inputs": [[0.5] * 64]}
            await process.ask(question, TIMEOUT_MS)
            seen.append(resident(process))
    await process.end()
    return {"first": seen[0], "firstRound": max(seen[:MODELS]), "lastRound": max(seen[-MODELS:])}


async def main() -> None:
    """Prints all."""
    forest = RandomForestClassifier(100, random_state=1)
    models = [
        await beside("sklearn, tiny", LogisticRegression(max_iter=500), load_iris()),
        await beside("sklearn, a forest of 100 trees", forest, load_breast_cancer()),
    ]
    print(json.dumps({"models": models, "memory": await memory()}))


asyncio.run(main())
