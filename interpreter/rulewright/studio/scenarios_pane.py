"""The pane `scenarios`: scenario files played, and what came out accepted, as `test` does both."""

from typing import Any

from starlette.requests import Request
from starlette.routing import BaseRoute

from rulewright.studio.request_gate import RequestProblem
from rulewright.studio.workbench import Workbench, parse_command_json, post_route, require_text

MAX_SCENARIO_FILES = 200
"""How many scenario files can be played at once."""

_TEST_TIMEOUT_S = 300.0


class _ScenariosPane:
    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def run_scenarios(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """Plays the scenarios of some files, or those with a name, and tells what came of each."""
        return await self._run_test_verb(given, [], request)

    async def accept_results(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """Shows what failed expectations would have to say, or writes it, where `write` says so."""
        accepting = ["--accept", *(["--yes"] if given.get("write") is True else [])]
        return await self._run_test_verb(given, accepting, request)

    async def _run_test_verb(self, given: dict[str, Any], options: list[str], request: Request) -> dict[str, Any]:
        files = given.get("files")
        if not isinstance(files, list) or not files or len(files) > MAX_SCENARIO_FILES:
            raise RequestProblem(400, f"1 to {MAX_SCENARIO_FILES} scenario files can be played at once")
        places = [self._workbench.folder.normalize_place(str(file)) for file in files]
        named = ["-k", require_text(given, "name")] if given.get("name") else []
        line = [*options, *named, "--format", "json", "--", *places]
        asking = given.get("asking")
        said = await self._workbench.runner.run_command(
            "test", line, request=request, limit=_TEST_TIMEOUT_S, asking=asking
        )
        return {**parse_command_json(said, "results"), "said": said.err.strip()}


def routes(workbench: Workbench) -> list[BaseRoute]:
    """What the pane is answered."""
    scenarios = _ScenariosPane(workbench)
    return [
        post_route("/api/scenarios/run", scenarios.run_scenarios),
        post_route("/api/scenarios/accept", scenarios.accept_results),
    ]
