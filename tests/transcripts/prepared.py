"""What every section needs, imported once: the process that imports this splits off one for each section."""

from contextlib import suppress
from importlib import import_module

import transcripts.sections  # noqa: F401 - to have it
from rulewright.cli.standby_process import preload_modules

preload_modules()
for library in ("matplotlib.figure", "matplotlib.backends.backend_svg"):
    with suppress(ImportError):
        import_module(library)
