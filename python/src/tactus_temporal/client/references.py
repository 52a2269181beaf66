"""The files that a source may need, found by a scan for literals as the npm package does."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TEXT = r"""(?:"([^"\n]+)"|'([^'\n]+)'|\[\[([^\]\n]+)\]\])"""
_TAC = r"""(?:"([^"\n]+\.tac)"|'([^'\n]+\.tac)'|\[\[([^\[\]\n]+\.tac)\]\])"""
_TEXTS = re.compile(_TEXT, re.ASCII)
#: `require("a.b")`, `require 'a.b'`, `pcall(require, "a.b")`.
_REQUIRES = re.compile(rf"\brequire\s*(?:[(,]\s*)?{_TEXT}", re.ASCII)
#: `Procedure.run("x.tac", …)`, `procedure.spawn "x.tac"`, `pcall(Procedure.run, "x")`.
_RUNS = re.compile(rf"\bprocedure\s*\.\s*(?:run|spawn)\s*(?:[(,]\s*)?{_TEXT}", re.ASCII | re.IGNORECASE)
_RUNS_ANY = re.compile(r"\bprocedure\s{0,9}\.\s{0,9}(?:run|spawn)\b", re.ASCII | re.IGNORECASE)
#: `local files = {"x.tac", "y.tac"}`, from which `Procedure.run(files[i])` chooses.
_NAMED = re.compile(_TAC, re.ASCII)
#: `Toolset "math" {use = "./helpers/math.tac"}`.
_USES = re.compile(rf"\buse\s*=\s*{_TAC}", re.ASCII)
#: `IncludeTasks("tasks.tac")`, `IncludeTasks {path = "tasks.tac"}`.
_INCLUDES = re.compile(rf"\bIncludeTasks\s*(?:\(\s*)?(?:\{{[^{{}}]*?\bpath\s*=\s*)?{_TEXT}", re.ASCII)
#: `skills = "./skills"`, `skills = {"./skills/refunds", "./more"}`.
_SKILLS = re.compile(r"""\bskills\s*=\s*(?:\{([^{}]*)\}|("[^"\n]+"|'[^'\n]+'|\[\[[^\]\n]+\]\]))""", re.ASCII)
#: No other names are looked for: nothing leads out of the folder.
_MODULE_NAME = re.compile(r"[\w-]+([./][\w-]+)*", re.ASCII)
_FILE_NAME = re.compile(r"(\./)?[\w@ -][\w.@ -]*(/[\w@ -][\w.@ -]*)*", re.ASCII)


@dataclass(frozen=True)
class References:
    """What a source names. Paths are relative to the folder of the entry file."""

    #: What `require` loads, and what toolsets use, each as the names that it looks for, in order.
    modules: list[list[str]]
    #: What runs as a procedure of its own, each as the names that it may have.
    procedures: list[list[str]]
    #: Files whose tasks are included, relative to the file itself.
    tasks: list[str]
    #: Folders and files of skills.
    skills: list[str]


def referenced_files(source: str, folder: str) -> References:
    """The files that a source may need; `folder` is that of its procedure: empty, or a path that ends with `/`.

    A comment may bring in a file too many, which does no harm.
    """
    modules = [name for name in _literals(source, _REQUIRES) if _MODULE_NAME.fullmatch(name)]
    toolsets = [name for name in _literals(source, _USES) if _FILE_NAME.fullmatch(name)]
    return References(
        modules=[
            *([folder + name.replace(".", "/") + end for end in (".tac", "/init.tac", ".lua")] for name in modules),
            *([folder + name.removeprefix("./")] for name in toolsets),
        ],
        procedures=[_names_of(name, folder) for name in _runnable(source) if _FILE_NAME.fullmatch(name)],
        tasks=[name.removeprefix("./") for name in _literals(source, _INCLUDES) if _FILE_NAME.fullmatch(name)],
        skills=[folder + name.removeprefix("./") for name in _skills(source) if _FILE_NAME.fullmatch(name)],
    )


def _names_of(name: str, folder: str) -> list[str]:
    path = name.removeprefix("./")
    return list(dict.fromkeys([path, f"{path}.tac", folder + path, f"{folder}{path}.tac"]))


def _skills(source: str) -> list[str]:
    lists = [(match[1] or "") + (match[2] or "") for match in _SKILLS.finditer(source)]
    return [name.rstrip("/") for each in lists for name in _literals(each, _TEXTS)]


def _runnable(source: str) -> list[str]:
    """What a call names, and every `.tac` file that a source with such calls names elsewhere."""
    if not _RUNS_ANY.search(source):
        return []
    return list(dict.fromkeys([*_literals(source, _RUNS), *_literals(source, _NAMED)]))


def _literals(source: str, pattern: re.Pattern[str]) -> list[str]:
    return list(dict.fromkeys(match[1] or match[2] or match[3] or "" for match in pattern.finditer(source)))
