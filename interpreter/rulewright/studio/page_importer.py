"""How a page without a server imports its modules: from texts, each compiled once.

`zipimport` compiles each module twice, once of them to learn its file name (`zipimporter.get_filename`). This module runs
before all others of a page: it imports nothing but what Python has imported itself.
"""

import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

_PACKAGE_FILE = "/__init__.py"


class PageImporter:
    """Finder and loader of modules whose texts are held, by the names of their files."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Spec of a module; none if its text is not held."""
        del path, target
        stem = fullname.replace(".", "/")
        file = next((file for file in (f"{stem}.py", stem + _PACKAGE_FILE) if file in self._sources), None)
        if file is None:
            return None
        return ModuleSpec(fullname, self, origin=file, is_package=file.endswith(_PACKAGE_FILE))  # type: ignore[arg-type] # no `importlib.abc` here

    def create_module(self, spec: ModuleSpec) -> None:
        """Nothing: the module is an ordinary one."""
        del spec

    def exec_module(self, module: ModuleType) -> None:
        """Run the text of a module in it."""
        assert module.__spec__ is not None
        file = module.__spec__.origin
        assert file is not None
        exec(compile(self._sources[file], file, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - what `share` packed


def install_importer(sources: Mapping[str, str]) -> None:
    """Let the modules of a page be imported."""
    sys.meta_path.insert(0, PageImporter(sources))
