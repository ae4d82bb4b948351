"""The verb `lsp`: the language server, for editors."""

from rulewright.cli.options import verb
from rulewright.cli.output import Exit


@verb("lsp")
def command() -> int:
    """Serves an editor by the Language Server Protocol: it speaks through its input and output until the editor ends.

    Nothing is typed here; `grammar/editors.md` says how editors are told of it.
    """
    from rulewright.language_server.server import serve  # noqa: PLC0415 - slow to import

    serve()
    return Exit.FINE
