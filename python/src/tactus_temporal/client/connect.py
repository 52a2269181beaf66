"""The way to a Temporal server."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from temporalio.client import Client
from temporalio.envconfig import ClientConfig

from tactus_temporal import names
from tactus_temporal.client.ask import PATIENCE
from tactus_temporal.client.tactus_client import TactusClient
from tactus_temporal.errors import TactusError

#: Where the npm package's embedded server says how it is reached, seen from the working folder.
_EMBEDDED = Path(".tactus-temporal", "server.json")


async def connect(
    address: str | None = None,
    *,
    namespace: str | None = None,
    task_queue: str = names.DEFAULT_TASK_QUEUE,
    profile: str | None = None,
    patience: timedelta = PATIENCE,
    **options: Any,
) -> TactusClient:
    """Connects to a Temporal server.

    What is left out comes from Temporal's environment variables and profiles (`TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`,
    `TEMPORAL_API_KEY`, TLS …), as on the command line of the npm package; where they name no address either, it is
    that of the embedded server of the working folder.

    Args:
        address: `HOST:PORT`
        namespace: Temporal's namespace; `default` where nothing else is said
        task_queue: Where runs are started
        profile: A profile of Temporal's configuration file
        patience: How long a worker has for the answer to a question; it is asked twice
        options: Whatever else `temporalio.client.Client.connect` takes, such as a `data_converter`

    Raises:
        TactusError: `server_unreachable`; `config_invalid` where the configuration can't be read
    """
    try:
        config: dict[str, Any] = {**ClientConfig.load_client_connect_config(profile)}
    except RuntimeError as error:
        raise TactusError("config_invalid", f"Temporal's configuration can't be read: {error}") from error
    target = address or config.pop("target_host", None) or _embedded_address()
    config.pop("target_host", None)
    if target is None:
        raise TactusError(
            "server_unreachable",
            "No address is known: pass one, set TEMPORAL_ADDRESS, or start `tactus-temporal dev` in this folder",
        )
    if namespace is not None:
        config["namespace"] = namespace
    try:
        client = await Client.connect(target, **{**config, **options})
    except RuntimeError as error:
        raise TactusError("server_unreachable", f"No Temporal server answers at {target}: {error}") from error
    return TactusClient(client, task_queue=task_queue, patience=patience)


def _embedded_address() -> str | None:
    try:
        address = json.loads(_EMBEDDED.read_text("utf-8"))["address"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return address if isinstance(address, str) else None
