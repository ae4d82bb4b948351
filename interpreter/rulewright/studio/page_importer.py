"""How a page without a server imports its modules: from what is held of them, compiled by the build of the package or as texts.

`zipimport` compiles each text twice, once of them to learn its file name (`zipimporter.get_filename`). This module runs
before all others of a page: it imports nothing but what Python has imported itself.
"""

import marshal
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

_PACKAGE_FILE = "/__init__.py"


class PageImporter:
    """Finder and loader of modules that are held by the names of their files; what is loaded is held no longer."""

    def __init__(self, modules: dict[str, str | bytes], folder: str) -> None:
        """`folder` is where modules find the files beside them; empty if there are none."""
        self._waiting: dict[str, str | bytes | CodeType] = {**modules}
        self._folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Spec of a module; none if it is not held."""
        del path, target
        stem = fullname.replace(".", "/")
        file = next((file for file in (f"{stem}.py", stem + _PACKAGE_FILE) if file in self._waiting), None)
        if file is None:
            return None
        is_package = file.endswith(_PACKAGE_FILE)
        spec = ModuleSpec(fullname, self, origin=self._folder + file, is_package=is_package)  # type: ignore[arg-type] # no `importlib.abc` here
        spec.has_location = bool(self._folder)
        if is_package:
            spec.submodule_search_locations = [self._folder + stem]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """Nothing: the module is an ordinary one."""
        del spec

    def exec_module(self, module: ModuleType) -> None:
        """Run a module."""
        assert module.__spec__ is not None
        assert module.__spec__.origin is not None
        file = module.__spec__.origin.removeprefix(self._folder)
        exec(self._load_code(file), module.__dict__)  # noqa: S102 - what `share` or the build of the package packed
        del self._waiting[file]

    def compile_next(self) -> bool:
        """Load or compile one of the modules that wait to be imported; false if none is left."""
        file = next((file for file, content in self._waiting.items() if not isinstance(content, CodeType)), None)
        if file is not None:
            self._load_code(file)
        return file is not None

    def _load_code(self, file: str) -> CodeType:
        code = self._waiting[file]
        if isinstance(code, bytes):
            code = marshal.loads(code)  # noqa: S302 - as above
        elif isinstance(code, str):
            code = compile(code, file, "exec", dont_inherit=True)
        self._waiting[file] = code
        return code


def install_importer(modules: dict[str, str | bytes], folder: str = "") -> PageImporter:
    """Let the modules of a page be imported."""
    importer = PageImporter(modules, folder)
    sys.meta_path.insert(0, importer)
    return importer
