"""The pane to start from: the starters and shipped rulesets, and copies of them in the folder."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rulewright.base.resources import get_resource_folder as shipped
from rulewright.studio.workbench import Workbench, json_response, parse_command_json, post_route, require_text

_PLAY_COMMAND_PATTERN = re.compile(r"^rulewright play (.+)$", re.MULTILINE)


class StartPane:
    """The answers of the pane."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def list_gallery(self, request: Request) -> Response:
        """All that can be copied: name, title, what it is about, a starter or a ruleset, a starter's board as SVG."""
        mapping = await self._run_verb_json(request, "sources", "new", "--list")
        drawn = await run_in_threadpool(_starter_boards)
        return json_response({"sources": [{**item, "board": drawn.get(item["name"])} for item in mapping["sources"]]})

    async def make_copy(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """A new folder with a copy, or with a small ruleset where nothing is named to copy; answers its files."""
        name = require_text(given, "name").strip()
        self._workbench.folder.normalize_place(f"{name}/README.md")
        source = require_text(given, "source")
        made = await self._run_verb_json(request, "files", "new", name, *(["--from", source] if source else []))
        files = [item.replace("\\", "/") for item in made["files"]]
        mapping = await self._run_verb_json(request, "scenarios", "play", name, "--list")
        rules = [file for file in files if file.endswith(f"/{mapping['ruleset']}.rules")]
        readme = await run_in_threadpool(self._workbench.folder.read_content, f"{name}/README.md")
        ruleset = next(iter(rules), None)
        play = _find_first_play(readme.text, mapping["scenarios"], ruleset, files)
        return {"files": files, "ruleset": ruleset, "play": play}

    async def _run_verb_json(self, request: Request, needed: str, verb: str, *arguments: str) -> dict[str, Any]:
        said = await self._workbench.runner.run_command(verb, ["--format", "json", *arguments], request=request)
        return parse_command_json(said, needed)


def _starter_boards() -> dict[str, str]:
    """The boards of starters as they begin, by name."""
    return {path.name: (path / "board.svg").read_text(encoding="utf-8") for path in shipped("starters").iterdir()}


def _find_first_play(
    readme: str, scenarios: Sequence[Mapping[str, Any]], ruleset: str | None, files: Sequence[str]
) -> dict[str, Any] | None:
    """What a README says is to be played, as the pane Play begins it: a scenario, or a procedure with its state."""
    told = _PLAY_COMMAND_PATTERN.search(readme)
    if told is None:
        return None
    place, part, *options = [*shlex.split(told[1]), ""]
    if place.endswith(".scenario.yaml"):
        cases = [
            case for scenario in scenarios if scenario["file"].replace("\\", "/") == place for case in scenario["cases"]
        ]
        name = next((case_ for case_ in cases if part.lower() in case_.lower()), None)
        return None if name is None else {"path": place, "name": name}
    given = [*zip(options[::2], options[1::2], strict=False)]
    overlays = [f"/{value}.rules" for option, value in given if option == "--overlay"]
    return {
        "path": ruleset,
        "name": part,
        "state": next((value for option, value in given if option == "--state"), None),
        "roles": dict(value.partition("=")[::2] for option, value in given if option == "--with"),
        "overlays": [file for file in files if file.endswith(tuple(overlays))],
    }


def routes(workbench: Workbench) -> list[BaseRoute]:
    """What the pane is answered."""
    start = StartPane(workbench)
    return [
        Route("/api/start/gallery", start.list_gallery, methods=["GET"]),
        post_route("/api/start/make", start.make_copy),
    ]
