"""Lets the reference be imported without the half gigabyte of packages that it wants.

What these packages give isn't reached by its storages, its control loop, its traces, or a procedure without agents.
Whatever of them is used nevertheless is a double that does nothing. All of `tactus` is the reference's own.
"""

import sys
import warnings
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from unittest.mock import MagicMock

LEFT_OUT = {
    "antlr4",
    "biblicus",
    "dotenv",
    "dspy",
    "griffe",
    "jinja2",
    "jsonschema",
    "litellm",
    "pydantic_ai",
    "rapidfuzz",
    "yaml",
}


class LeftOut(MetaPathFinder, Loader):
    """Finds what isn't there."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Of what is left out."""
        if name.split(".")[0] not in LEFT_OUT:
            return None
        spec = ModuleSpec(name, self, is_package=True)
        spec.submodule_search_locations = []
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """A plain one."""
        return None  # noqa: RET501 -- what the protocol asks for

    def exec_module(self, module: ModuleType) -> None:
        """Whatever is asked of it is there."""
        module.__getattr__ = lambda name: MagicMock(name=name)


# Last: what is there is taken.
sys.meta_path.append(LeftOut())
warnings.filterwarnings("ignore", module="pydantic")
