"""`tactus control` of the reference: `tactus-control.py PACKAGES control …`.

The file of its command line imports all of the reference, which wants half a gigabyte of packages. What `control`
doesn't use of it is left out here; what it does use is the reference's own.
"""

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

packages, *arguments = sys.argv[1:]
sys.path.insert(0, packages)

USED = {"tactus.cli.app", "tactus.cli.control", "tactus.cli.dotenv_loader", "tactus.broker.protocol"}
PACKAGES_OF_THEM = {"tactus", "tactus.cli", "tactus.broker"}


class LeftOut(MetaPathFinder, Loader):
    def find_spec(self, name, path=None, target=None):
        if name in USED or name.split(".")[0] != "tactus":
            return None
        spec = ModuleSpec(name, self, is_package=True)
        spec.submodule_search_locations = [str(Path(packages, *name.split(".")))]
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        if module.__name__ == "tactus.cli.commands":
            import typer

            module.models = SimpleNamespace(app=typer.Typer())
        elif module.__name__ not in PACKAGES_OF_THEM:
            module.__getattr__ = lambda name: MagicMock()


sys.meta_path.insert(0, LeftOut())

from tactus.cli.app import main  # noqa: E402

sys.argv = ["tactus", *arguments]
main()
