"""The pane of comparisons: what can be compared with a ruleset, what `diff` says of the two, and how odds shift."""

import os
import posixpath
import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import BaseRoute

from rulewright.files.git_tree import commits
from rulewright.resources import folder as shipped
from rulewright.studio.files_api import texts_of, typed
from rulewright.studio.folder import OVERLAY, RULESET
from rulewright.studio.gate import Problem
from rulewright.studio.standby import Said
from rulewright.studio.workbench import Workbench, document, posted, text_of

PLAYED = 30
"""For how many seconds plays that differ are looked for, where no number of lines is given."""

LONGEST = 180
"""After how many seconds a comparison is given up."""

_POLICIES = frozenset({"first", "random"})
_COMMITS = 40
_NOTHING = "everything you typed is saved; compare with an earlier save, a commit or another ruleset"
_COPY = re.compile(r"^A copy of `([^`]+)`", re.MULTILINE)
_SHORT = 12
_REVISION = re.compile(r"[0-9a-f]{7,64}")
_BAD = 2
_FLAGS = re.compile(r"(?m)^MORE .*\n?|   --[a-z]+$")
"""What the first screen says of the options of the command, which show what the page holds."""


class Compare:
    """The answers of the pane."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def sides(self, given: dict[str, Any], _: Request) -> dict[str, Any]:
        """What a ruleset can be compared with: what it was before saves here, commits, other rulesets, shipped ones.

        Commits that touched its own texts come first.
        """
        place = self._workbench.place(given)
        own = await run_in_threadpool(texts_of, self._workbench, place)
        above = str(Path(place).parent)
        mine = await run_in_threadpool(commits, str(self._workbench.folder.path), own, _COMMITS)
        every = await run_in_threadpool(commits, str(self._workbench.folder.path), [above], _COMMITS)
        listed = await run_in_threadpool(self._workbench.folder.list)
        before = await run_in_threadpool(self._workbench.earlier.of, own)
        whole = [each for each in listed if each.path != place]
        return {
            "typed": list(await run_in_threadpool(typed, self._workbench, place, given.get("tab"))),
            "saves": [{"path": each.path, "at": each.at} for each in before],
            "commits": [asdict(each) for each in mine],
            "others": [asdict(each) for each in every if each not in mine],
            "rulesets": [each.path for each in whole if each.begins == RULESET],
            "overlays": [each.path for each in whole if each.begins == OVERLAY],
            "origin": await run_in_threadpool(self._origin, place),
            "shipped": [*_shipped("rulesets")],
            "starters": [*_shipped("starters")],
        }

    def _origin(self, place: str) -> str | None:
        """The shipped ruleset or starter that it is a copy of, as the page beside it says; none where it does not."""
        with suppress(Problem):
            page = self._workbench.folder.read(posixpath.join(posixpath.dirname(place), "README.md")).text
            return next((each for each in _COPY.findall(page) if each in _sources()), None)
        return None

    async def compare(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """What a ruleset, as it is typed or saved, changes for players beside another text or ruleset.

        Answers the first screen in words, the page with stories and texts side by side, a draft change log, and what
        was said beside them.
        """
        played = f"--work={text_of(given, 'work')}" if given.get("work") else f"--seconds={PLAYED}"
        options = ["--format", "plain", "--html", "{PAGE}", "--log", "{LOG}", played]
        said, remark = await self._told(request, given, options)
        if said.exit >= _BAD and "PAGE" not in said.files:
            raise Problem(422, said.err.strip() or said.out.strip())
        page, log = said.files.get("PAGE", ""), said.files.get("LOG", "")
        remarks = "\n".join(filter(None, (remark, said.err.strip())))
        return {"screen": _FLAGS.sub("", said.out), "page": page, "log": log, "remarks": remarks}

    async def odds(self, given: dict[str, Any], request: Request) -> dict[str, Any]:
        """How the odds of the plays of scenarios shift between the two sides: in words, and situation by situation."""
        policy = given.get("policy")
        options = ["--format", "json", "--work", "0", "--odds"]
        options += [f"--policy={policy}"] if policy in _POLICIES else []
        options += [f"--{each}={text_of(given, each)}" for each in ("of", "most") if given.get(each)]
        said, remark = await self._told(request, given, options)
        whole = document(said, "odds")
        found, edits = whole["odds"], [f"{each['place']}: {each['text']}" for each in whole["edits"]]
        return {**found, "edits": edits, "remarks": remark}

    async def _told(self, request: Request, given: dict[str, Any], options: Sequence[str]) -> tuple[Said, str]:
        """What `diff` says with some options of the two sides that are asked for, and what has to be said of these."""
        place = self._workbench.place(given)
        unsaved = await run_in_threadpool(typed, self._workbench, place, given.get("tab"))
        texts = unsaved if given.get("typed") else {}
        with tempfile.TemporaryDirectory(prefix="rulewright-") as aside:
            sides, remark = await run_in_threadpool(self._sides, given, place, texts, Path(aside))
            said = await self._workbench.standby.run(
                "diff", [*options, *sides], request=request, texts=texts, limit=LONGEST, asking=given.get("asking")
            )
        named = [each.replace(f"{aside}{os.sep}", "") for each in (said.out, said.err, *said.files.values())]
        return Said(said.exit, named[0], named[1], dict(zip(said.files, named[2:], strict=True))), remark

    def _sides(
        self, given: Mapping[str, Any], place: str, texts: Mapping[str, str], aside: Path
    ) -> tuple[Sequence[str], str]:
        """Both sides as `diff` is told them, and what has to be said of them; `aside` is a folder for texts."""
        name, now = text_of(given, "name"), "what is typed" if texts else "what is saved"
        match given.get("with"):
            case "saved":
                if not texts:
                    raise Problem(
                        400,
                        "everything you typed is saved; compare with an earlier save, a commit or another ruleset",
                    )
                before = {each: self._workbench.folder.read(each).text for each in texts}
                return (*self._aside(place, before, aside), "--called", "the last save", now), ""
            case "save":
                own = texts_of(self._workbench, place)
                saved = self._workbench.earlier.texts(own, _moment(name))
                before = {**{each: self._workbench.folder.read(each).text for each in texts}, **saved}
                if not saved:
                    raise Problem(400, "this save is no longer kept; choose another")
                called = (
                    "--called",
                    f"before the save of {datetime.fromtimestamp(_moment(name)).astimezone():%Y-%m-%d %H:%M}",
                    now,
                )
                return (*self._aside(place, before, aside), *called), ""
            case "commit" if _REVISION.fullmatch(name):
                return ("--git", name[:_SHORT], place, "--called", f"commit {name[:_SHORT]}", now), ""
            case "ruleset":
                other = self._workbench.folder.place(name)
                return (other, place), f"`{other}` as typed, too" if other in texts else ""
            case "shipped" if name in _sources():
                return (str(_sources()[name]), place, "--called", name, now), ""
        raise Problem(400, "choose what to compare with")

    def _aside(self, place: str, before: Mapping[str, str], aside: Path) -> Sequence[str]:
        """A ruleset as its texts were, as the old side: one text beside its file, several in a copy of the folder."""
        if len(before) == 1:
            ((file, text),) = before.items()
            (aside / "old.rules").write_text(text, encoding="utf-8")
            return (str(aside / "old.rules"), file, "--as", file)
        for each in self._workbench.folder.list():
            made = aside / each.path
            made.parent.mkdir(parents=True, exist_ok=True)
            with suppress(Problem):  # no text, so no rules
                made.write_text(before.get(each.path) or self._workbench.folder.read(each.path).text, encoding="utf-8")
        return (str(aside / place), place)


def _moment(name: str) -> float:
    """When a save was."""
    try:
        at = float(name)
        datetime.fromtimestamp(at).astimezone()
    except (ValueError, OverflowError, OSError):
        raise Problem(400, "choose what to compare with") from None
    return at


def _shipped(kind: str) -> dict[str, Path]:
    """What comes with rulewright, by name: `rulesets` or `starters`."""
    return {each.name: each for each in sorted(shipped(kind).iterdir()) if each.is_dir()}


def _sources() -> dict[str, Path]:
    """All that can be copied, by name."""
    return {**_shipped("starters"), **_shipped("rulesets")}


def routes(workbench: Workbench) -> list[BaseRoute]:
    """What the pane is answered."""
    compare = Compare(workbench)
    return [
        posted("/api/compare/sides", compare.sides),
        posted("/api/compare", compare.compare),
        posted("/api/compare/odds", compare.odds),
    ]
