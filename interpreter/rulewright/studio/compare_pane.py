"""The pane of comparisons: what can be compared with a ruleset, and what `diff` says of the two."""

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rulewright.files.git_tree import commits
from rulewright.resources import folder as shipped
from rulewright.studio.files_api import typed
from rulewright.studio.folder import OVERLAY, RULESET
from rulewright.studio.gate import Problem
from rulewright.studio.workbench import Workbench, answer, asked, text_of

PLAYED = 30
"""For how many seconds plays that differ are looked for."""

LONGEST = 180
"""After how many seconds a comparison is given up."""

_POLICIES = frozenset({"first", "random"})
_COMMITS = 40
_WHOLE = frozenset({RULESET, OVERLAY})
_SHORT = 12
_REVISION = re.compile(r"[0-9a-f]{7,64}")
_BAD = 2
_FLAGS = re.compile(r"(?m)^MORE .*\n?|   --[a-z]+$")
"""What the first screen says of the options of the command, which show what the page holds."""


class Compare:
    """The answers of the pane."""

    def __init__(self, workbench: Workbench) -> None:
        """Asks nobody yet."""
        self._workbench = workbench

    async def sides(self, request: Request) -> Response:
        """What a ruleset can be compared with: its last commits, other rulesets of the folder, shipped ones."""
        given = await asked(request)
        place = self._workbench.folder.place(text_of(given, "path"))
        above = str(Path(place).parent)
        found = await run_in_threadpool(commits, str(self._workbench.folder.path), above, _COMMITS)
        listed = await run_in_threadpool(self._workbench.folder.list)
        return answer(
            {
                "typed": list(await run_in_threadpool(typed, self._workbench, place, given.get("tab"))),
                "commits": [asdict(each) for each in found],
                "rulesets": [each.path for each in listed if each.begins in _WHOLE and each.path != place],
                "shipped": _shipped(),
            }
        )

    async def compare(self, request: Request) -> Response:
        """What a ruleset, as it is typed or saved, changes for players beside another text or ruleset.

        Answers the first screen in words, the page with stories and texts side by side, a draft change log, and what
        was said beside them.
        """
        given = await asked(request)
        place = self._workbench.folder.place(text_of(given, "path"))
        unsaved = await run_in_threadpool(typed, self._workbench, place, given.get("tab"))
        texts = unsaved if given.get("typed") else {}
        options = ["--format", "plain", "--html", "{PAGE}", "--log", "{LOG}", "--seconds", str(PLAYED)]
        if given.get("odds"):
            policy, of = given.get("policy"), given.get("of")
            options += ["--odds", *([f"--policy={policy}"] if policy in _POLICIES else [])]
            options += [f"--of={text_of(given, 'of')}"] if of else []
        with tempfile.TemporaryDirectory(prefix="rulewright-") as aside:
            sides, remark = self._sides(given, place, texts, Path(aside))
            said = await self._workbench.standby.run(
                "diff", [*options, *sides], request=request, texts=texts, limit=LONGEST
            )
        if said.exit >= _BAD and "PAGE" not in said.files:
            raise Problem(said.err.strip() or said.out.strip(), 422)
        page, log = said.files.get("PAGE", ""), said.files.get("LOG", "")
        remarks = "\n".join(filter(None, (remark, said.err.strip())))
        return answer({"screen": _FLAGS.sub("", said.out), "page": page, "log": log, "remarks": remarks})

    def _sides(
        self, given: Mapping[str, Any], place: str, texts: Mapping[str, str], aside: Path
    ) -> tuple[Sequence[str], str]:
        """Both sides as `diff` is told them, and what has to be said of them; `aside` is a folder for texts."""
        name = text_of(dict(given), "name")
        match given.get("with"):
            case "saved":
                if not texts:
                    words = "nothing is typed that is not saved; compare with a commit or another ruleset"
                    raise Problem(words)
                file = name if name in texts else next(iter(texts))
                held = self._workbench.folder.read(file)
                (aside / "saved.rules").write_text(held.text, encoding="utf-8")
                others = [each for each in texts if each != file]
                remark = f"`{file}` is compared; {', '.join(f'`{each}`' for each in others)} as typed on both sides"
                return (str(aside / "saved.rules"), file, "--as", file), remark if others else ""
            case "commit" if _REVISION.fullmatch(name):
                return ("--git", name[:_SHORT], place), ""
            case "ruleset":
                other = self._workbench.folder.place(name)
                return (other, place), f"`{other}` as typed, too" if other in texts else ""
            case "shipped" if name in _shipped():
                return (name, place), ""
        words = "choose what to compare with"
        raise Problem(words)


def _shipped() -> list[str]:
    return sorted(each.name for each in shipped("rulesets").iterdir() if each.is_dir())


def routes(workbench: Workbench) -> list[BaseRoute]:
    """What the pane is answered."""
    compare = Compare(workbench)
    return [
        Route("/api/compare/sides", compare.sides, methods=["POST"]),
        Route("/api/compare", compare.compare, methods=["POST"]),
    ]
