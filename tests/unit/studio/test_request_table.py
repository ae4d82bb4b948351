"""Each request of the workbench says what may be given, and refuses all else in words."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from rulewright.studio.command_runner import ProcessCommandRunner
from rulewright.studio.files_api import FilesApi
from rulewright.studio.pane_requests import make_request_table
from rulewright.studio.request_table import PaneRequest, RequestProblem, RequestTable
from rulewright.studio.work_folder import WorkFolder
from rulewright.studio.workbench import Workbench
from support.workbench_client import WAITING

NOT_UNDERSTOOD = "the workbench did not understand what the browser sent; load the page again"


class Waits:
    async def is_gone(self) -> bool:
        return False


def make_table(folder: Path, kept: Path) -> RequestTable:
    opened = WorkFolder(folder)
    workbench = Workbench.for_folder(opened, ProcessCommandRunner(WAITING, opened.path), kept)
    return make_request_table(FilesApi(workbench), workbench)


@pytest.fixture
def table(tmp_path: Path) -> RequestTable:
    (tmp_path / "rules").mkdir()
    return make_table(tmp_path / "rules", tmp_path / "kept")


def ask(table: RequestTable, name: str, given: Any) -> dict[str, Any]:
    return asyncio.run(table.answer(name, given, Waits()))


def refusal(table: RequestTable, name: str, given: Any) -> tuple[int, str]:
    with pytest.raises(RequestProblem) as refused:
        ask(table, name, given)
    return refused.value.status, refused.value.message


def wrong_value(schema: Any) -> Any:
    """A value that a schema refuses."""
    validator = Draft202012Validator(schema)
    return next(each for each in (7.5, [7.5], {"x": 7.5}, ["x"] * 100) if not validator.is_valid(each))


def wrong_givens(request: PaneRequest) -> list[Any]:
    whole = {name: right_value(schema) for name, schema in request.required.items()}
    parts = {**request.required, **request.optional}
    return [
        *([] if request.is_open else [{**whole, "nobody-asks-this": 1}]),
        *({name: value for name, value in whole.items() if name != left_out} for left_out in whole),
        *({**whole, name: wrong_value(schema)} for name, schema in parts.items()),
        *({**whole, name: "\ud800"} for name in parts if Draft202012Validator(parts[name]).is_valid("x")),
        None, [], "x",
    ]  # fmt: skip


def right_value(schema: Any) -> Any:
    validator = Draft202012Validator(schema)
    return next(each for each in ("x", ["x"], 1, True, None, [], {}) if validator.is_valid(each))


def test_each_request_has_a_schema_and_refuses_what_is_not_of_it(table: RequestTable) -> None:
    for request in table.list_requests():
        Draft202012Validator.check_schema(request.schema)
        for given in wrong_givens(request):
            assert refusal(table, request.name, given) == (400, NOT_UNDERSTOOD), (request.name, given)


def test_a_request_that_is_none_is_refused(table: RequestTable) -> None:
    for name in ("", "none", "file/", "../file", "FILE"):
        assert refusal(table, name, {}) == (404, "there is no such page of the workbench")


def test_a_request_is_answered_whoever_carries_it(table: RequestTable) -> None:
    assert ask(table, "files", {}) == {"files": [], "lost": []}
    saved = ask(table, "file/save", {"path": "a.rules", "text": "ruleset a\n", "version": None})
    assert ask(table, "file", {"path": "a.rules"})["version"] == saved["version"]
    assert refusal(table, "file", {"path": "../a.rules"}) == (400, "`../a.rules` cannot be the name of a file here")
