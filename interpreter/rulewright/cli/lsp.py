"""The verb `lsp`: the language server, for editors."""

from rulewright.cli.options import verb_command
from rulewright.cli.output import ExitCode


@verb_command("lsp")
def command() -> int:
    """Serves an editor by the Language Server Protocol.

    Your editor starts this command and talks to it; you type nothing here. `grammar/editors.md` shows how to set up an
    editor.
    """
    from rulewright.editor.language_server.server import serve_language  # noqa: PLC0415 - slow to import

    serve_language()
    return ExitCode.SUCCESS
