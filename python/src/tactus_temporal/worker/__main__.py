"""`python -m tactus_temporal.worker`: has models for the runs of a task queue until it is told to end."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from tactus_temporal import names
from tactus_temporal.client import connect
from tactus_temporal.errors import TactusError
from tactus_temporal.worker.model_worker import CACHE_BYTES, GRACE, ModelWorker

_UNREACHABLE = 4


def main() -> int:
    """The command."""
    given = _arguments()
    _show_log()
    # As with `python -m`: modules of the working folder are found.
    sys.path.insert(0, str(Path.cwd()))
    try:
        asyncio.run(_work(given))
    except TactusError as error:
        sys.stderr.write(f"{error}\n")
        return _UNREACHABLE if error.code == "server_unreachable" else 2
    except KeyboardInterrupt:
        return 130
    return 0


def _show_log() -> None:
    log = logging.getLogger("tactus_temporal")
    log.addHandler(logging.StreamHandler())
    log.setLevel(logging.INFO)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tactus-temporal-python-worker",
        description="Loads and asks prediction models for Tactus runs, until it is interrupted.",
        epilog="Address, namespace, keys and TLS may come from Temporal's environment variables and profiles, too.",
    )
    parser.add_argument("--address", help="HOST:PORT of the Temporal server")
    parser.add_argument("--namespace")
    parser.add_argument(
        "--task-queue",
        default=names.MODEL_TASK_QUEUE,
        help="where runs ask: <their task queue>-python (%(default)s)",
    )
    parser.add_argument(
        "--models",
        type=_folder,
        default=Path("models").resolve(),
        metavar="DIR",
        help="folder of models, and of all that is read (models); no procedure may be able to write there",
    )
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="HASH|DIR",
        help="a file that may run code as it is read, such as a pickle, by its sha256:…, or a folder of such files in "
        "the folder of models; may be repeated",
    )
    parser.add_argument(
        "--module",
        action="append",
        default=[],
        help="module that registers functions, or has classes of PyTorch's models; may be repeated",
    )
    parser.add_argument("--processes", type=_count, default=1, help="predictions at once, each in a process (1)")
    parser.add_argument(
        "--cache-mb", type=_count, default=CACHE_BYTES // 1_000_000, help="of files of models that a process keeps"
    )
    parser.add_argument(
        "--grace", type=_count, default=int(GRACE.total_seconds()), help="seconds that predictions have to end (10)"
    )
    parser.add_argument(
        "--warm",
        action="append",
        type=_model,
        default=[],
        metavar="JSON",
        help='a model to be loaded at the start: {"type": "sklearn", "path": "iris.skops"}; may be repeated',
    )
    parser.add_argument(
        "--until-input-ends", action="store_true", help="ends with its standard input, as whoever started it does"
    )
    return parser.parse_args()


def _folder(text: str) -> Path:
    folder = Path(text).resolve()
    if not folder.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {folder}")
    return folder


def _model(text: str) -> dict[str, Any]:
    try:
        model = json.loads(text)
    except ValueError:
        model = None
    if not isinstance(model, dict) or not isinstance(model.get("type"), str):
        raise argparse.ArgumentTypeError(f"a model is a table with its type, as JSON, and not {text}")
    return model


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


async def _work(given: argparse.Namespace) -> None:
    client = (await connect(given.address, namespace=given.namespace)).client
    worker = ModelWorker(
        client,
        given.task_queue,
        models_folder=given.models,
        trusted_models=given.trust,
        modules=given.module,
        processes=given.processes,
        cache_bytes=given.cache_mb * 1_000_000,
        grace=timedelta(seconds=given.grace),
        warm_models=given.warm,
    )
    asked_to_end = asyncio.Event()
    loop = asyncio.get_running_loop()
    if sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, asked_to_end.set)
    if given.until_input_ends:
        threading.Thread(target=_at_end_of_input, args=(loop, asked_to_end.set), daemon=True).start()
    working = asyncio.create_task(worker.run())
    ending = asyncio.create_task(asked_to_end.wait())
    address = client.service_client.config.target_host
    sys.stderr.write(
        f'Models below {given.models} for "{given.task_queue}" at {address} (namespace {client.namespace}). '
        "Ctrl-C ends it.\n"
    )
    await asyncio.wait({working, ending}, return_when=asyncio.FIRST_COMPLETED)
    ending.cancel()
    if not working.done():
        await worker.shutdown()
    await working


def _at_end_of_input(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    while os.read(0, 4096):
        pass
    loop.call_soon_threadsafe(act)


if __name__ == "__main__":
    sys.exit(main())
