"""The pane to start from: the starters and shipped rulesets, and copies of them in the folder."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rulewright.resources import folder as shipped
from rulewright.studio.workbench import Workbench, answer, document, posted, text_of

_PLAY = re.compile(r"^rulewright play (.+)$", re.MULTILINE)


class Start:
    """The answers of the pane."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def gallery(self, request: Request) -> Response:
        """All that can be copied: name, title, what it is about, a starter or a ruleset, a starter's board as SVG."""
        found = await self._told(request, "sources", "new", "--list")
        drawn = await run_in_threadpool(_boards)
        return answer({"sources": [{**each, "board": drawn.get(each["name"])} for each in found["sources"]]})

    async def make(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """A new folder with a copy, or with a small ruleset where nothing is named to copy; answers its files."""
        name = text_of(given, "name").strip()
        self._workbench.folder.place(f"{name}/README.md")
        source = text_of(given, "source")
        made = await self._told(request, "files", "new", name, *(["--from", source] if source else []))
        files = [each.replace("\\", "/") for each in made["files"]]
        found = await self._told(request, "scenarios", "play", name, "--list")
        rules = [each for each in files if each.endswith(f"/{found['ruleset']}.rules")]
        readme = await run_in_threadpool(self._workbench.folder.read, f"{name}/README.md")
        ruleset = next(iter(rules), None)
        play = _first_play(readme.text, found["scenarios"], ruleset, files)
        return {"files": files, "ruleset": ruleset, "play": play}

    async def _told(self, request: Request, needed: str, verb: str, *arguments: str) -> dict[str, Any]:
        said = await self._workbench.standby.run(verb, ["--format", "json", *arguments], request=request)
        return document(said, needed)


def _boards() -> dict[str, str]:
    """The boards of starters as they begin, by name."""
    return {each.name: (each / "board.svg").read_text(encoding="utf-8") for each in shipped("starters").iterdir()}


def _first_play(
    readme: str, scenarios: Sequence[Mapping[str, Any]], ruleset: str | None, files: Sequence[str]
) -> dict[str, Any] | None:
    """What a README says is to be played, as the pane Play begins it: a scenario, or a procedure with its state."""
    told = _PLAY.search(readme)
    if told is None:
        return None
    place, part, *options = [*shlex.split(told[1]), ""]
    if place.endswith(".scenario.yaml"):
        cases = [case for each in scenarios if each["file"].replace("\\", "/") == place for case in each["cases"]]
        name = next((each for each in cases if part.lower() in each.lower()), None)
        return None if name is None else {"path": place, "name": name}
    given = [*zip(options[::2], options[1::2], strict=False)]
    overlays = [f"/{value}.rules" for option, value in given if option == "--overlay"]
    return {
        "path": ruleset,
        "name": part,
        "state": next((value for option, value in given if option == "--state"), None),
        "roles": dict(value.partition("=")[::2] for option, value in given if option == "--with"),
        "overlays": [each for each in files if each.endswith(tuple(overlays))],
    }


def routes(workbench: Workbench) -> list[BaseRoute]:
    """What the pane is answered."""
    start = Start(workbench)
    return [
        Route("/api/start/gallery", start.gallery, methods=["GET"]),
        posted("/api/start/make", start.make),
    ]
