"""A procedure's source with all that it reaches, as the npm package collects it."""

from __future__ import annotations

import os
from pathlib import Path

from tactus_temporal.client.references import referenced_files
from tactus_temporal.client.skills import skills_below
from tactus_temporal.errors import TactusError
from tactus_temporal.shapes import ProcedureSource

_MOST_FILE_BYTES = 512 * 1024
_MOST_BYTES = 1_500_000
#: Folders above that of a procedure in which a file is looked for that it runs.
_MOST_ABOVE = 5


def collect_source(file: str | os.PathLike[str]) -> ProcedureSource:
    """Reads a `.tac` file with all that it requires, runs, uses and includes.

    What is named but isn't there is left out: the run says so when it gets there.

    Raises:
        TactusError: `source_not_found`; `source_invalid` where files are too large or no text
    """
    path = Path(file)
    collector = _Collector(path.parent, path.name)
    if not collector.visit([path.name], None, [path.parent]):
        raise TactusError("source_not_found", f"There is no file {path}", {"file": str(path)})
    return {"entry": path.name, "files": collector.files}


class _Collector:
    def __init__(self, folder: Path, entry: str) -> None:
        self.files: dict[str, str] = {}
        self._entry = entry
        self._bytes = 0
        self._everywhere = [folder, *list(Path(os.path.abspath(folder)).parents)[:_MOST_ABOVE]]
        # A file can belong to several procedures, which look for its modules in folders of their own.
        self._seen: set[tuple[str, str]] = set()

    def visit(self, names: list[str], procedure: str | None, roots: list[Path]) -> bool:
        """Takes in the first of the names that is there, with all that it reaches."""
        for root in roots:
            for name in names:
                text = self.files.get(name)
                text = self._load(root, name) if text is None else text
                if text is not None:
                    self._follow(root, name, text, procedure)
                    return True
        return False

    def _follow(self, root: Path, name: str, text: str, procedure: str | None) -> None:
        home = _folder_of(procedure or name)
        if (home, name) in self._seen:
            return
        self._seen.add((home, name))
        found = referenced_files(text, home)
        for place in found.skills:
            for file in skills_below(root, place):
                if file not in self.files:
                    self._load(root, file)
        for each in found.modules:
            self.visit(each, procedure or name, [root])
        for task in found.tasks:
            self.visit([_folder_of(name) + task], procedure or name, [root])
        for each in found.procedures:
            # First what no procedure can have written: `x` may be data that lies beside `x.tac`.
            sources = [one for one in each if one.endswith(".tac")]
            others = [one for one in each if not one.endswith(".tac")]
            if not self.visit(sources, None, self._everywhere):
                self.visit(others, None, self._everywhere)

    def _load(self, root: Path, name: str) -> str | None:
        text = _read(root / name, name)
        if text is None:
            return None
        self._bytes += len(text.encode())
        if self._bytes > _MOST_BYTES:
            raise TactusError(
                "source_invalid", f"{self._entry} and its files are larger than {_MOST_BYTES} bytes in all"
            )
        self.files[name] = text
        return text


def _folder_of(name: str) -> str:
    return name[: name.rfind("/") + 1]


def _read(path: Path, name: str) -> str | None:
    """The text of a file; None where there is no such file."""
    try:
        if not path.is_file():
            return None
        if path.stat().st_size > _MOST_FILE_BYTES:
            raise TactusError("source_invalid", f"{name} is larger than {_MOST_FILE_BYTES} bytes", {"file": name})
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise TactusError("source_invalid", f"{name} is not UTF-8 text", {"file": name}) from None
    except OSError as error:
        raise TactusError("source_not_found", f"{name} can't be read: {error.strerror}", {"file": name}) from error
