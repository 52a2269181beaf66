"""What a run is started with."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tactus_temporal.canonical_json import canonical_json, digest_of
from tactus_temporal.errors import TactusError
from tactus_temporal.shapes import ProcedureSource

#: Source and input travel in one request, which the server refuses over 2 MiB.
_MOST_BYTES = 1_500_000


def procedure_name(source: ProcedureSource) -> str:
    """`review-triage` for `examples/review-triage.tac`."""
    return re.sub(r"\.(tac|tactus\.lua|lua)$", "", source["entry"].rsplit("/", 1)[-1])


def memo_of(source: ProcedureSource, task: str | None) -> dict[str, str]:
    """A run's memo: what lists of workflows show without asking a worker."""
    memo = {"procedure": procedure_name(source), "source": f"sha256:{digest_of(source)}"}
    return memo if task is None else {**memo, "task": task}


def read_input(given: Any) -> dict[str, Any]:
    """An input as it is sent; an empty one where none is given.

    Raises:
        TactusError: `input_invalid` where it is no object of JSON
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TactusError("input_invalid", "The input must be a JSON object")
    try:
        _json(dict(given))
    except (TypeError, ValueError) as error:
        raise TactusError("input_invalid", f"The input is no JSON: {error}") from error
    return dict(given)


def check_start(source: ProcedureSource, value: dict[str, Any]) -> None:
    """Refuses what can be told to be wrong without running Lua.

    Raises:
        TactusError: `source_invalid`, `payload_too_large`
    """
    if source["entry"] not in source["files"]:
        raise TactusError("source_invalid", f"The source has no file {source['entry']}, which is its entry")
    size = len(_json([value, source["files"]]).encode("utf-8", "surrogatepass"))
    if size > _MOST_BYTES:
        raise TactusError(
            "payload_too_large", f"Source and input have {size} bytes together; {_MOST_BYTES} can be sent"
        )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def assert_same_start(run_id: str, started: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Refuses to take a run for another one that has its id.

    Raises:
        TactusError: `run_conflict` saying what differs
    """
    same = {
        "another source": _is_same_source(started, wanted),
        "another input": canonical_json(started.get("input") or {}) == canonical_json(wanted.get("input") or {}),
        "another task": started.get("task", "") == wanted.get("task", ""),
    }
    for what, is_same in same.items():
        if not is_same:
            raise TactusError(
                "run_conflict", f"There is a run {run_id} already, with {what}. Choose another id", {"run_id": run_id}
            )


def _is_same_source(started: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    if "source" in started and "source" in wanted:
        return canonical_json(started["source"]) == canonical_json(wanted["source"])
    return _named(started) == _named(wanted)


def _named(start: Mapping[str, Any]) -> str:
    return str(start["procedure"]) if "procedure" in start else procedure_name(start["source"])
