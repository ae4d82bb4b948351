"""The pane of comparisons: sides to compare a ruleset with, reports of `diff`, and odds shifts."""

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

from rulewright.base.files import get_resource_folder as shipped
from rulewright.base.git_tree import list_commits, read_committed_text
from rulewright.studio.command_lines import CommandResult
from rulewright.studio.files_api import ruleset_texts, unsaved_texts
from rulewright.studio.request_table import (
    FLAG,
    OPTIONAL_TEXT,
    TEXT,
    Caller,
    PaneRequest,
    RequestProblem,
    run_blocking,
)
from rulewright.studio.work_folder import OVERLAY_WORD, RULESET_WORD
from rulewright.studio.workbench import Workbench, parse_command_json

DEFAULT_PLAY_TIME_S = 30
"""Seconds of differential testing, if no work is requested."""

COMPARE_TIMEOUT_S = 180
"""Seconds until a comparison is given up."""

_ALLOWED_POLICIES = frozenset({"first", "random"})
_MAX_COMMITS = 40
_COPY_OF_PATTERN = re.compile(r"^A copy of `([^`]+)`", re.MULTILINE)
_SHORT_HASH_CHARS = 12
_HASH_PATTERN = re.compile(r"[0-9a-f]{7,64}")

_OPTION_HINTS_PATTERN = re.compile(r"(?m)^MORE .*\n?|   --[a-z]+$")
"""Hints at options in the first screen, needless beside the page."""


class ComparePane:
    """What the pane asks."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def list_sides(self, given: dict[str, Any], _: Caller) -> dict[str, Any]:
        """Sides to compare with: earlier saves, commits, other rulesets of the folder, shipped ones.

        Commits that touched the ruleset's own texts come first.
        """
        place = self._workbench.requested_place(given)
        own_texts = await run_blocking(ruleset_texts, self._workbench, place)
        above = str(Path(place).parent)
        mine = await run_blocking(list_commits, str(self._workbench.folder.path), own_texts, _MAX_COMMITS)
        every = await run_blocking(list_commits, str(self._workbench.folder.path), [above], _MAX_COMMITS)
        listed = await run_blocking(self._workbench.folder.scan_files)
        earlier = await run_blocking(self._workbench.earlier_saves.earlier_texts, own_texts)
        other_files = [one for one in listed if one.path != place]
        return {
            "typed": list(await run_blocking(unsaved_texts, self._workbench, place, given.get("tab"))),
            "saves": [{"path": one.path, "at": one.at} for one in earlier],
            "commits": [asdict(one) for one in mine],
            "others": [asdict(one) for one in every if one not in mine],
            "rulesets": [one.path for one in other_files if one.header_word == RULESET_WORD],
            "overlays": [one.path for one in other_files if one.header_word == OVERLAY_WORD],
            "origin": await run_blocking(self._find_copy_source, place),
            "shipped": [*_shipped_folders("rulesets")],
            "starters": [*_shipped_folders("starters")],
        }

    def _find_copy_source(self, place: str) -> str | None:
        """The shipped ruleset or starter named as source in the README beside a ruleset."""
        with suppress(RequestProblem):
            page = self._workbench.folder.read_content(posixpath.join(posixpath.dirname(place), "README.md")).text
            return next((item for item in _COPY_OF_PATTERN.findall(page) if item in _copyable_folders()), None)
        return None

    async def run_comparison(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Comparison of a ruleset, saved or as typed, with another text or ruleset, as JSON of the verb, and remarks.

        With `quick` nothing is played; else there are also the HTML page and a draft change log. With `words` there is
        the first screen as text instead.
        """
        played = f"--work={given['work']}" if given.get("work") else f"--seconds={DEFAULT_PLAY_TIME_S}"
        if given.get("words"):
            result, _ = await self._run_diff(caller, given, ["--format", "plain", played])
            if not result.out:
                raise RequestProblem(422, result.err.strip() or "there is no answer")
            return {"screen": _OPTION_HINTS_PATTERN.sub("", result.out)}
        whole = ["--scenes", "--html", "{PAGE}", "--log", "{LOG}", played]
        options = ["--format", "json", *(["--work=0"] if given.get("quick") else whole)]
        result, remark = await self._run_diff(caller, given, options)
        document = parse_command_json(result, "screen")
        page, log = result.files.get("PAGE", ""), result.files.get("LOG", "")
        remarks = "\n".join(filter(None, (remark, result.err.strip())))
        return {"compared": document, "page": page, "log": log, "remarks": remarks}

    async def read_earlier_text(self, given: dict[str, Any], _: Caller) -> dict[str, Any]:
        """What a file of a ruleset held before a save, and what it holds now."""
        place, at = self._workbench.requested_place(given), _parse_save_time(given["at"])
        found = await run_blocking(self._workbench.earlier_saves.earlier_texts, {place})
        earlier = next((one for one in found if one.at == at), None)
        if earlier is None:
            raise RequestProblem(400, "this save is no longer kept; choose another")
        now = await run_blocking(self._workbench.folder.read_content, place)
        return {"before": earlier.text, "now": now.text, "version": now.version}

    async def read_old_text(self, given: dict[str, Any], _: Caller) -> dict[str, Any]:
        """What a file held on the old side of a comparison: `file` as this folder calls it, `old` as that side does."""
        text = await run_blocking(self._read_old_side, given)
        if text is None:
            raise RequestProblem(400, "what this text was before is no longer known here")
        return {"text": text}

    def _read_old_side(self, given: Mapping[str, Any]) -> str | None:
        folder, file, name = self._workbench.folder, self._workbench.requested_place(given, "file"), given["name"]
        match given["with"]:
            case "saved":
                return folder.read_content(file).text
            case "save":
                earlier = self._workbench.earlier_saves.texts_before([file], _parse_save_time(name))
                return earlier.get(file) or folder.read_content(file).text
            case "commit" if _HASH_PATTERN.fullmatch(name):
                return read_committed_text(str(folder.path / file), name)
            case "ruleset":
                return folder.read_content(folder.normalize_place(name)).text
            case "shipped" if name in _copyable_folders():
                old = _copyable_folders()[name] / posixpath.basename(given["old"].replace("\\", "/"))
                return old.read_text(encoding="utf-8") if old.is_file() else None
        return None

    async def run_odds_comparison(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Odds shifts of the scenarios between both sides, as text and by situation."""
        policy = given.get("policy")
        options = ["--format", "json", "--work", "0", "--odds"]
        options += [f"--policy={policy}"] if policy in _ALLOWED_POLICIES else []
        options += [f"--{item}={given[item]}" for item in ("of", "most") if given.get(item)]
        said, remark = await self._run_diff(caller, given, options)
        document = parse_command_json(said, "odds")
        result, edits = document["odds"], [f"{item['place']}: {item['text']}" for item in document["edits"]]
        return {**result, "edits": edits, "remarks": remark}

    async def _run_diff(
        self, caller: Caller, given: dict[str, Any], options: Sequence[str]
    ) -> tuple[CommandResult, str]:
        """Result of `diff` for the requested sides, and remarks on them."""
        place = self._workbench.requested_place(given)
        unsaved = await run_blocking(unsaved_texts, self._workbench, place, given.get("tab"))
        texts = unsaved if given.get("typed") else {}
        with tempfile.TemporaryDirectory(prefix="rulewright-") as aside:
            sides, remark = await run_blocking(self._make_side_arguments, given, place, texts, Path(aside))
            result = await self._workbench.runner.run_command(
                "diff",
                [*options, *sides],
                caller=caller,
                texts=texts,
                limit=COMPARE_TIMEOUT_S,
                asking=given.get("asking"),
            )
        named = [item.replace(f"{aside}{os.sep}", "") for item in (result.out, result.err, *result.files.values())]
        return CommandResult(result.exit, named[0], named[1], dict(zip(result.files, named[2:], strict=True))), remark

    def _make_side_arguments(
        self, given: Mapping[str, Any], place: str, texts: Mapping[str, str], aside: Path
    ) -> tuple[Sequence[str], str]:
        """Arguments of `diff` for both sides, and remarks; `aside` is a temporary folder."""
        name, now = given["name"], "what is typed" if texts else "what is saved"
        match given.get("with"):
            case "saved":
                if not texts:
                    raise RequestProblem(
                        400,
                        "everything you typed is saved; compare with an earlier save, a commit or another ruleset",
                    )
                saved_texts = {text: self._workbench.folder.read_content(text).text for text in texts}
                return (*self._write_old_side(place, saved_texts, aside), "--called", "the last save", now), ""
            case "save":
                own_texts = ruleset_texts(self._workbench, place)
                saved = self._workbench.earlier_saves.texts_before(own_texts, _parse_save_time(name))
                saved_texts = {**{text: self._workbench.folder.read_content(text).text for text in texts}, **saved}
                if not saved:
                    raise RequestProblem(400, "this save is no longer kept; choose another")
                called = (
                    "--called",
                    f"before the save of {datetime.fromtimestamp(_parse_save_time(name)).astimezone():%Y-%m-%d %H:%M}",
                    now,
                )
                return (*self._write_old_side(place, saved_texts, aside), *called), ""
            case "commit" if _HASH_PATTERN.fullmatch(name):
                return (
                    "--git",
                    name[:_SHORT_HASH_CHARS],
                    place,
                    "--called",
                    f"commit {name[:_SHORT_HASH_CHARS]}",
                    now,
                ), ""
            case "ruleset":
                other_place = self._workbench.folder.normalize_place(name)
                return (other_place, place), f"`{other_place}` as typed, too" if other_place in texts else ""
            case "shipped" if name in _copyable_folders():
                return (str(_copyable_folders()[name]), place, "--called", name, now), ""
        raise RequestProblem(400, "choose what to compare with")

    def _write_old_side(self, place: str, old_texts: Mapping[str, str], aside: Path) -> Sequence[str]:
        """Old side with earlier texts: a single text beside its file, several in a copy of the folder."""
        if len(old_texts) == 1:
            ((file, text),) = old_texts.items()
            (aside / "old.rules").write_text(text, encoding="utf-8")
            return (str(aside / "old.rules"), file, "--as", file)
        for scan_file in self._workbench.folder.scan_files():
            made = aside / scan_file.path
            made.parent.mkdir(parents=True, exist_ok=True)
            with suppress(RequestProblem):  # no text, so no rules
                made.write_text(
                    old_texts.get(scan_file.path) or self._workbench.folder.read_content(scan_file.path).text,
                    encoding="utf-8",
                )
        return (str(aside / place), place)


def _parse_save_time(name: str) -> float:
    try:
        at = float(name)
        datetime.fromtimestamp(at).astimezone()
    except (ValueError, OverflowError, OSError):
        raise RequestProblem(400, "choose what to compare with") from None
    return at


def _shipped_folders(kind: str) -> dict[str, Path]:
    return {path.name: path for path in sorted(shipped(kind).iterdir()) if path.is_dir()}


def _copyable_folders() -> dict[str, Path]:
    return {**_shipped_folders("starters"), **_shipped_folders("rulesets")}


_SIDE_FIELDS = {"path": TEXT, "with": TEXT, "name": TEXT}
_SIDE_OPTIONS = {"tab": TEXT, "typed": FLAG, "asking": TEXT}


def list_requests(workbench: Workbench) -> list[PaneRequest]:
    """Requests of the pane."""
    compare = ComparePane(workbench)
    words, shifts = {"quick": FLAG, "words": FLAG, "work": TEXT}, dict.fromkeys(("policy", "of", "most"), OPTIONAL_TEXT)
    return [
        PaneRequest("compare/sides", compare.list_sides, {"path": TEXT}, {"tab": TEXT}),
        PaneRequest("compare", compare.run_comparison, _SIDE_FIELDS, {**_SIDE_OPTIONS, **words}),
        PaneRequest("compare/earlier", compare.read_earlier_text, {"path": TEXT, "at": TEXT}),
        PaneRequest(
            "compare/before", compare.read_old_text, {**_SIDE_FIELDS, "file": TEXT, "old": TEXT}, _SIDE_OPTIONS
        ),
        PaneRequest("compare/odds", compare.run_odds_comparison, _SIDE_FIELDS, {**_SIDE_OPTIONS, **shifts}),
    ]
