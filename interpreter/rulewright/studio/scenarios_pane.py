"""The pane `scenarios`: scenario files played, and what came out accepted, as `test` does both."""

from typing import Any

from starlette.requests import Request
from starlette.routing import BaseRoute

from rulewright.studio.gate import Problem
from rulewright.studio.workbench import Workbench, document, posted, text_of

MOST = 200
"""How many scenario files can be played at once."""

_LIMIT = 300.0


class _Scenarios:
    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def run(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """Plays the scenarios of some files, or those with a name, and tells what came of each."""
        return await self._tested(given, [], request)

    async def accept(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """Shows what failed expectations would have to say, or writes it, where `write` says so."""
        accepting = ["--accept", *(["--yes"] if given.get("write") is True else [])]
        return await self._tested(given, accepting, request)

    async def _tested(self, given: dict[str, Any], options: list[str], request: Request) -> dict[str, Any]:
        files = given.get("files")
        if not isinstance(files, list) or not files or len(files) > MOST:
            raise Problem(400, f"1 to {MOST} scenario files can be played at once")
        places = [self._workbench.folder.place(str(each)) for each in files]
        named = ["-k", text_of(given, "name")] if given.get("name") else []
        line = [*options, *named, "--format", "json", "--", *places]
        asking = given.get("asking")
        said = await self._workbench.standby.run("test", line, request=request, limit=_LIMIT, asking=asking)
        return {**document(said, "results"), "said": said.err.strip()}


def routes(workbench: Workbench) -> list[BaseRoute]:
    """What the pane is answered."""
    scenarios = _Scenarios(workbench)
    return [
        posted("/api/scenarios/run", scenarios.run),
        posted("/api/scenarios/accept", scenarios.accept),
    ]
