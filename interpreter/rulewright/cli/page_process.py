"""The workbench in a page, with the command line: what the workers of the browser import."""

import gc
from typing import Any

from rulewright.cli.main import GC_THRESHOLD, run_command_line
from rulewright.cli.output import report_progress_to
from rulewright.cli.play_server import carry_lines_by
from rulewright.studio.page_desk import CommandAccess, PageProgram, Tell


def _make_language_server() -> Any:  # of pygls, which has no types
    from rulewright.editor.language_server.server import make_language_server  # noqa: PLC0415 - slow to import

    return make_language_server()


class PageProcess(PageProgram):
    """One of the two programs of a page, as the worker that runs it is told."""

    def __init__(self, tell: Tell) -> None:
        gc.set_threshold(GC_THRESHOLD)
        super().__init__(
            CommandAccess(run_command_line, report_progress_to, carry_lines_by, _make_language_server), tell
        )
