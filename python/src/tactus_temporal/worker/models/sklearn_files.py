"""Reads the files that models of scikit-learn are kept in."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from tactus_temporal.worker.fault import Fault
from tactus_temporal.worker.model_files import FileContent
from tactus_temporal.worker.required import required

_PICKLES = (".joblib", ".pkl", ".pickle")


def assert_readable(name: str, *, trusted: bool) -> None:
    """Refuses a file by its name alone, before anything of it is read.

    Raises:
        Fault: `file_failed`; nobody says that a pickle is to be trusted, or it is of no kind that is known
    """
    if name.endswith(".skops"):
        return
    if not name.endswith(_PICKLES):
        raise Fault(f"{name} is no .skops, .joblib, .pkl or .pickle", code="file_failed")
    if not trusted:
        raise Fault(
            f"{name} is a pickle, and a pickle can run any code as it is read: keep the model as .skops, or say "
            "trusted = true of it where you know who has made the file",
            code="file_failed",
        )


def read_sklearn(content: FileContent, *, trusted: bool) -> Any:
    """What a file holds: an estimator, or a table of several.

    Raises:
        Fault: `file_failed`, `missing_package`
    """
    name = content.state.file.name
    try:
        if name.endswith(".skops"):
            return _read_skops(name, content.data, trusted=trusted)
        return required("joblib", "sklearn", "sklearn").load(io.BytesIO(content.data))
    except Fault:
        raise
    except MemoryError:
        raise
    # Whatever the code of a pickle raises: it is the file that can't be read.
    except Exception as error:
        raise Fault(f"{name} can't be read: {type(error).__name__}: {error}", code="file_failed") from error


def _read_skops(name: str, data: bytes, *, trusted: bool) -> Any:
    skops = required("skops.io", "sklearn", "sklearn")
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise Fault(f"{name} is damaged, or no file of skops", code="file_failed")
    unknown = skops.get_untrusted_types(data=data)
    if unknown and not trusted:
        raise Fault(
            f"{name} has types that skops can't vouch for: {', '.join(unknown)}; say "
            "trusted = true of the model where you know who has made the file",
            code="file_failed",
        )
    return skops.loads(data, trusted=unknown)
