"""How a page without a server imports its modules: from texts, each compiled once.

`zipimport` compiles each module twice, once of them to learn its file name (`zipimporter.get_filename`). This module runs
before all others of a page: it imports nothing but what Python has imported itself.
"""

import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

_PACKAGE_FILE = "/__init__.py"


class PageImporter:
    """Finder and loader of modules whose texts are held, by the names of their files."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._codes: dict[str, CodeType] = {}
        self._waiting = iter(sources)

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
        self._compile_file(file)
        exec(self._codes[file], module.__dict__)  # noqa: S102 - what `share` packed

    def compile_next(self) -> bool:
        """Compile one of the modules that wait to be imported; false if none is left."""
        file = next((file for file in self._waiting if file not in self._codes), None)
        if file is not None:
            self._compile_file(file)
        return file is not None

    def _compile_file(self, file: str) -> None:
        if file not in self._codes:
            self._codes[file] = compile(self._sources[file], file, "exec", dont_inherit=True)


def install_importer(sources: Mapping[str, str]) -> PageImporter:
    """Let the modules of a page be imported."""
    importer = PageImporter(sources)
    sys.meta_path.insert(0, importer)
    return importer
