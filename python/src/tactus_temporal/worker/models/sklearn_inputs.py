"""What estimators of scikit-learn are given."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from tactus_temporal.worker.fault import Fault
from tactus_temporal.worker.models.text_input import text_of

#: Types of cells, as JSON has them.
_NUMERIC = frozenset((int, float, bool, type(None)))
_NESTED = frozenset((list, dict))


def estimator_inputs(model: Any, inputs: Sequence[Any]) -> Any:
    """All inputs at once: a list of texts, or a table with a row for each.

    Raises:
        Fault: Inputs that don't fit, with what was expected and found
    """
    names = getattr(model, "feature_names_in_", None)
    first = inputs[0]
    # What begins with a vectorizer of texts has no number of features.
    if (isinstance(first, str) and not hasattr(model, "n_features_in_")) or (isinstance(first, dict) and names is None):
        return [_text(value, index, len(inputs)) for index, value in enumerate(inputs)]
    columns = None if names is None else [str(name) for name in names]
    rows = [_row(model, columns, value, _which(index, len(inputs))) for index, value in enumerate(inputs)]
    return _table(rows, columns)


def _text(value: Any, index: int, count: int) -> str:
    text = text_of(value)
    if text is None:
        raise Fault(f"expected a text{_which(index, count)}, found {_kind(value)}")
    return text


def _row(model: Any, columns: list[str] | None, value: Any, which: str) -> list[Any]:
    expected = getattr(model, "n_features_in_", None)
    if isinstance(value, dict):
        missing = [name for name in columns or [] if name not in value]
        if missing:
            found = ", ".join(map(str, value)) or "none"
            raise Fault(f"lacks the features {', '.join(missing)}{which}; found {found}")
        return [value[name] for name in columns or []]
    if isinstance(value, str):
        raise Fault(f"expected {'' if expected is None else f'{expected} '}features{which}, found a text")
    row = value if isinstance(value, list) else [value]
    if expected is not None and len(row) != expected:
        raise Fault(f"expected {expected} features{which}, found {len(row)}")
    # A look at the types of all is a tenth of a look at each cell.
    if not _NESTED.isdisjoint(map(type, row)):
        nested = next(cell for cell in row if type(cell) in _NESTED)
        raise Fault(f"expected a list of numbers{which}, found {_kind(nested)} in it")
    return row


def _table(rows: list[list[Any]], columns: list[str] | None) -> Any:
    import numpy as np

    is_numeric = _NUMERIC.issuperset(map(type, chain.from_iterable(rows)))
    if columns is not None:
        try:
            import pandas
        except ModuleNotFoundError:
            pass
        else:
            return pandas.DataFrame(rows, columns=columns, dtype=float if is_numeric else None)
    # JSON has no NaN: null stands for what is missing.
    return np.array(rows, dtype=float if is_numeric else object)


def _which(index: int, count: int) -> str:
    return "" if count == 1 else f" in input {index + 1}"


def _kind(value: Any) -> str:
    names = {dict: "a table", list: "a list", str: "a text", bool: "a boolean", type(None): "nothing"}
    return names.get(type(value), "a number")
