"""The verb `lsp`: the language server, for editors."""

from importlib.util import find_spec

from rulewright.cli.options import verb
from rulewright.cli.output import Exit, stopped
from rulewright.installing import installing

_LIBRARY = "pygls"


@verb("lsp")
def command() -> int:
    """Serves an editor by the Language Server Protocol: it speaks through its input and output until the editor ends.

    Nothing is typed here; `grammar/editors.md` says how editors are told of it.
    """
    if find_spec(_LIBRARY) is None:
        raise stopped("RW1180", "the language server is not installed", f"`{installing('lsp')}`")
    from rulewright.language_server.server import serve  # noqa: PLC0415 - an extra

    serve()
    return Exit.FINE
