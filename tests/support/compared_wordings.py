"""The comparison of the two shipped wordings of one procedure, made once for all tests that read how it is told."""

import json
from contextlib import redirect_stdout
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from rulewright.cli import diff as diff_verb
from rulewright.cli.diff_result import DiffResult
from rulewright.cli.main import run_command_line
from rulewright.cli.output import Output, make_output

OLD, NEW = "melee-phase-2025-10", "melee-phase"


class Screen(NamedTuple):
    """What one comparison is told as: on the screen, as data, as a log of changes, and as a page."""

    text: str
    data: dict[str, Any]
    log: str
    page: str


@cache
def compare_wordings() -> Screen:
    """The comparison of the two wordings, with few plays: the rows rest on none."""
    told: list[str] = []

    def tell_each(diff: DiffResult, out: Output, *more: Any, **others: Any) -> None:
        for form in ("plain", "json", "markdown"):
            with redirect_stdout(StringIO()) as printed:
                output_diff(diff, replace(make_output(form), width=out.width), *more, **others)
            told.append(printed.getvalue())

    output_diff = diff_verb._output_diff  # noqa: SLF001 - one comparison is enough for its forms
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        page = Path(folder, "diff.html")
        patched.setattr(diff_verb, "_output_diff", tell_each)
        assert run_command_line(["diff", OLD, NEW, "--work", "1000", "--workers", "1", "--html", str(page)]) == 1
        return Screen(told[0], json.loads(told[1]), told[2], page.read_text(encoding="utf-8"))
