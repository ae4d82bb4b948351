"""The verb `lsp`: the language server, for editors."""

from rulewright.cli.options import verb
from rulewright.cli.output import Exit


@verb("lsp")
def command() -> int:
    """Serves an editor by the Language Server Protocol.

    Your editor starts this command and talks to it; you type nothing here. `grammar/editors.md` shows how to set up an
    editor.
    """
    from rulewright.language_server.server import serve  # noqa: PLC0415 - slow to import

    serve()
    return Exit.FINE
