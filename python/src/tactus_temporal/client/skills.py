"""The files of skills."""

from __future__ import annotations

import os
import re
from pathlib import Path

_SKILL_FILE = re.compile(r"(^|/)skill\.md$", re.IGNORECASE)
_DEEPEST = 5
_MOST = 100


def skills_below(root: Path, place: str) -> list[str]:
    """The files of skills at a place: itself, or those below it, by their paths from `root`.

    Names that begin with a dot are left out.
    """
    path = root / place
    if path.is_file():
        return [place] if _SKILL_FILE.search(place) else []
    return sorted(_below(root, place, _DEEPEST), key=lambda each: each.encode("utf-16-be"))[:_MOST]


def _below(root: Path, folder: str, levels: int) -> list[str]:
    try:
        entries = list(os.scandir(root / folder))
    except OSError:
        return []
    found: list[str] = []
    for entry in entries:
        path = f"{folder}/{entry.name}"
        if entry.name.startswith("."):
            continue
        if entry.is_file(follow_symlinks=False):
            found += [path] if _SKILL_FILE.search(path) else []
        elif entry.is_dir(follow_symlinks=False) and levels > 0:
            found += _below(root, path, levels - 1)
    return found
