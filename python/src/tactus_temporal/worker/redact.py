"""Removes secrets from what leaves the worker."""

from __future__ import annotations

import re
from collections.abc import Mapping

#: Names of variables whose values never leave the worker, and the shortest such value: shorter ones are words.
_SECRET_NAME = re.compile(r"key|token|secret|password|passwd|credential|auth|dsn", re.IGNORECASE)
_SHORTEST = 6
#: Keys that aren't in this environment.
_SHAPES = (
    re.compile(r"\b(?:sk|pk|rk|xox[abp]|gh[opsu]|AIza)[-_][\w*.-]{8,}"),
    re.compile(r"\b(?:Bearer|Basic)\s+[\w.~+/=*-]{8,}", re.IGNORECASE),
)
_MARK = "[redacted]"


def redacted(text: str, env: Mapping[str, str]) -> str:
    """The text without the secrets that the environment holds, and without what looks like a key."""
    secrets = [value for name, value in env.items() if _SECRET_NAME.search(name) and len(value) >= _SHORTEST]
    # Longest first, so that a secret which contains another one goes as a whole.
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, _MARK)
    for shape in _SHAPES:
        text = shape.sub(_MARK, text)
    return text
