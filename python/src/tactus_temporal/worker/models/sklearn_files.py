"""Reads the files that models of scikit-learn are kept in."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from tactus_temporal.worker.fault import Fault
from tactus_temporal.worker.model_files import FileContent
from tactus_temporal.worker.required import required
from tactus_temporal.worker.trust import Trust

_PICKLES = (".joblib", ".pkl", ".pickle")


def assert_known(name: str) -> None:
    """Refuses a file of no known kind by its name alone, before anything of it is read.

    Raises:
        Fault: `file_failed`
    """
    if not name.endswith((".skops", *_PICKLES)):
        raise Fault(f"{name} is no .skops, .joblib, .pkl or .pickle", code="file_failed")


def read_sklearn(content: FileContent, trust: Trust) -> Any:
    """What a file holds: an estimator, or a table of several.

    Raises:
        Fault: `file_failed`, where the worker doesn't trust a pickle too; `missing_package`
    """
    name = content.state.file.name
    if name.endswith(_PICKLES) and not trust.covers(content):
        raise Fault(
            f"{name} is a pickle, and a pickle can run any code as it is read: keep the model as .skops, or, "
            f"{trust.advice(content)}",
            code="file_failed",
        )
    try:
        if name.endswith(".skops"):
            return _read_skops(content, trust)
        return required("joblib", "sklearn", "sklearn").load(io.BytesIO(content.data))
    except Fault:
        raise
    except MemoryError:
        raise
    # Whatever the code of a pickle raises: it is the file that can't be read.
    except Exception as error:
        raise Fault(f"{name} can't be read: {type(error).__name__}: {error}", code="file_failed") from error


def _read_skops(content: FileContent, trust: Trust) -> Any:
    skops = required("skops.io", "sklearn", "sklearn")
    name, data = content.state.file.name, content.data
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise Fault(f"{name} is damaged, or no file of skops", code="file_failed")
    unknown = skops.get_untrusted_types(data=data)
    if unknown and not trust.covers(content):
        raise Fault(
            f"{name} has types that skops can't vouch for: {', '.join(unknown)}; {trust.advice(content)}",
            code="file_failed",
        )
    return skops.loads(data, trusted=unknown)
