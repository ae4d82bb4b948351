"""Requests on files: list, read, save, drafts, three-way merge, news of changes; and the pane that copies starters."""

import asyncio
import re
import shlex
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from pathlib import Path, PurePosixPath
from posixpath import dirname, join, normpath
from typing import Any

from rulewright.base.files import get_resource_folder
from rulewright.studio.language_messages import UriMapper
from rulewright.studio.request_table import OPTIONAL_TEXT, TEXT, Caller, PaneRequest, RequestProblem, run_blocking
from rulewright.studio.work_folder import RULESET_WORD, ListedFile
from rulewright.studio.workbench import Workbench, parse_command_json

MAX_MERGED_LINES = 20_000
"""Limit of the lines of a merged text."""


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """Lines that both sides changed, or adjacent changes of both sides."""

    line: int  # of the lines of `mine` in the merged text, from 1
    mine: str
    theirs: str
    base: str


@dataclass(frozen=True, slots=True)
class MergeResult:
    """A merged text; a conflict has the lines of `mine`."""

    text: str
    conflicts: tuple[MergeConflict, ...]


def merge_three_way(base: str, mine: str, theirs: str) -> MergeResult | None:
    """Three-way merge by lines; None where the texts are too long."""
    old, left, right = (item.splitlines(keepends=True) for item in (base, mine, theirs))
    if max(len(old), len(left), len(right)) > MAX_MERGED_LINES:
        return None
    lines, conflicts = list[str](), list[MergeConflict]()
    for was, own, other in _split_regions(old, left, right):
        if own == was:
            lines += other
        elif other in (was, own):
            lines += own
        else:
            conflicts.append(MergeConflict(len(lines) + 1, *map("".join, (own, other, was))))
            lines += own
    return MergeResult("".join(lines), tuple(conflicts))


_MergeRegion = tuple[list[str], list[str], list[str]]


def _split_regions(old: list[str], left: list[str], right: list[str]) -> Iterator[_MergeRegion]:
    """Regions of the three texts between lines that all share: base, mine, theirs."""
    first, second = _match_lines(old, left), _match_lines(old, right)
    was = own = other = 0
    for at in range(len(old)):
        if at in first and at in second:
            yield old[was:at], left[own : first[at]], right[other : second[at]]
            yield [old[at]], [old[at]], [old[at]]
            was, own, other = at + 1, first[at] + 1, second[at] + 1
    yield old[was:], left[own:], right[other:]


def _match_lines(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Line numbers of unchanged lines: old to new."""
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return {block.a + item: block.b + item for block in blocks for item in range(block.size)}


WATCH_INTERVAL_S = 1.0
"""Seconds between checks for changed files."""

MAX_UNREAD_NEWS = 100
"""Limit of queued messages of a tab."""

MAX_TAB_NAME_CHARS = 100
_HTTP_MISSING = 404


class TabNews:
    """What a tab is told: items in their order, and whether it left too many of them unread."""

    def __init__(self, tab: str) -> None:
        self.tab = tab
        self.is_overrun = asyncio.Event()
        self._items = asyncio.Queue[Mapping[str, Any]](MAX_UNREAD_NEWS)

    def put_item(self, item: Mapping[str, Any]) -> None:
        try:
            self._items.put_nowait(item)
        except asyncio.QueueFull:
            self.is_overrun.set()

    async def take_item(self) -> Mapping[str, Any]:
        """The next item, once there is one."""
        return await self._items.get()


class FilesApi:
    """Requests on files, and the tabs that watch changes."""

    def __init__(self, workbench: Workbench) -> None:
        self._folder = workbench.folder
        self._runner = workbench.runner
        self._drafts = workbench.drafts
        self._earlier_saves = workbench.earlier_saves
        self._tabs = set[TabNews]()
        self._seen_versions: Mapping[str, str] = {}  # version by path
        self._watching: asyncio.Task[None] | None = None

    async def describe_folder(self, _: dict[str, Any], __: Caller) -> dict[str, Any]:
        """Display name of the folder, and its URI for the language server."""
        return {"name": self._folder.name, "root": UriMapper(self._folder).root}

    async def list_files(self, _: dict[str, Any], __: Caller) -> dict[str, Any]:
        """Files with sort, owning ruleset, and whether they have drafts."""
        listed = await run_blocking(self._folder.scan_files)
        drafted = await run_blocking(self._drafts.drafted_paths)
        rulesets = find_owners(listed)
        return {
            "files": [
                {
                    "path": one.path,
                    "sort": one.sort,
                    "ruleset": rulesets.get(one.path),
                    "version": one.version,
                    "draft": one.path in drafted,
                }
                for one in listed
            ],
            "lost": sorted(drafted - {one.path for one in listed}),
        }

    async def read_file(self, given: dict[str, Any], _: Caller) -> dict[str, Any]:
        """Content of a file, and its drafts."""
        place = self._folder.normalize_place(given["path"])
        drafts = await run_blocking(self._drafts.drafts_of, place)
        try:
            held = await run_blocking(self._folder.read_content, place)
        except RequestProblem as problem:
            if problem.status != _HTTP_MISSING or not drafts:
                raise
            text, version = "", None
        else:
            text, version = held.text, held.version
        open_ = {each.tab for each in self._tabs}
        shown = [{**asdict(item), "open": item.tab in open_} for item in drafts if item.text != text]
        draft = next((item for item in shown if not item["open"]), None)
        return {"path": place, "text": text, "version": version, "draft": draft, "drafts": shown}

    async def save_file(self, given: dict[str, Any], _: Caller) -> dict[str, Any]:
        """Save a text, unless the file has another version."""
        place = self._folder.normalize_place(given["path"])
        version = await run_blocking(self._save_keeping_earlier, place, given["text"], given.get("version"))
        await run_blocking(self._drafts.drop_draft, place, _given_tab(given))
        await self._announce_changes()
        return {"version": version}

    def _save_keeping_earlier(self, place: str, text: str, version: str | None) -> str:
        try:
            earlier = self._folder.read_content(place)
        except RequestProblem:  # no file, or no text
            return self._folder.save_text(place, text, version)
        new_version = self._folder.save_text(place, text, version)
        if new_version != earlier.version:
            self._earlier_saves.keep_earlier(place, earlier.text)
        return new_version

    async def remove_file(self, given: dict[str, Any], _: Caller) -> dict[str, Any]:
        """Remove a file of a given version."""
        await run_blocking(self._folder.remove_unchanged, given["path"], given["version"])
        await self._announce_changes()
        return {}

    async def store_draft(self, given: dict[str, Any], _: Caller) -> dict[str, Any]:
        """Store a draft, or drop it if there is no text; notifies other tabs."""
        place, tab = self._folder.normalize_place(given["path"]), _given_tab(given)
        if given.get("text") is None:
            await run_blocking(self._drafts.drop_draft, place, tab)
        else:
            await run_blocking(self._drafts.keep_draft, place, tab, given["text"], given.get("version"))
        self._notify_tabs({"typing": {"path": place, "tab": tab}}, but=tab)
        return {}

    async def merge_texts(self, given: dict[str, Any], _: Caller) -> dict[str, Any]:
        """Merge a typed text with the file on disk."""
        texts = [given[item] for item in ("base", "mine", "theirs")]
        merged = await run_blocking(merge_three_way, *texts)
        if merged is None:
            raise RequestProblem(413, "the texts are too long to be merged; copy what you want to keep")
        return {"text": merged.text, "conflicts": [asdict(conflict) for conflict in merged.conflicts]}

    async def report_progress(self, given: dict[str, Any], _: Caller) -> dict[str, Any]:
        """Progress of a long question, in words."""
        return {"says": self._runner.read_progress(given["asking"])}

    @asynccontextmanager
    async def watch_changes(self, tab: str) -> AsyncIterator[TabNews]:
        """What a tab is told while it watches."""
        if self._watching is None:
            seen = await run_blocking(self._file_versions)
            if self._watching is None:
                self._seen_versions, self._watching = seen, asyncio.get_running_loop().create_task(self._watch_disk())
        news = TabNews(tab[:MAX_TAB_NAME_CHARS])
        self._tabs.add(news)
        try:
            yield news
        finally:
            self._tabs.discard(news)
            if not self._tabs and self._watching is not None:
                self._watching.cancel()
                self._watching = None

    async def _watch_disk(self) -> None:
        while True:
            await asyncio.sleep(WATCH_INTERVAL_S)
            await self._announce_changes()

    async def _announce_changes(self) -> None:
        if self._watching is None:
            return
        now = await run_blocking(self._file_versions)
        old_versions, self._seen_versions = self._seen_versions, now
        changed = [
            {"path": path, "version": now.get(path)}
            for path in sorted(old_versions.keys() | now.keys())
            if old_versions.get(path) != now.get(path)
        ]
        if changed:
            self._notify_tabs({"changed": changed})

    def _file_versions(self) -> Mapping[str, str]:
        return {one.path: one.version for one in self._folder.scan_files()}

    def _notify_tabs(self, news_item: Mapping[str, Any], but: str | None = None) -> None:
        for news in self._tabs:
            if news.tab != but:
                news.put_item(news_item)


def _given_tab(given: Mapping[str, Any]) -> str:
    tab: str = given.get("tab") or ""
    return tab[:MAX_TAB_NAME_CHARS]


def ruleset_texts(workbench: Workbench, place: str) -> list[str]:
    """Texts of the ruleset that a file belongs to."""
    listed = workbench.folder.scan_files()
    mine = find_owners(listed)
    ruleset = mine.get(place, place)
    return [one.path for one in listed if one.sort == "rules" and mine.get(one.path, one.path) == ruleset]


def unsaved_texts(workbench: Workbench, place: str, tab: object) -> dict[str, str]:
    """Drafts of a tab for the texts of a ruleset, by file; `place` is one of its texts."""
    files = ruleset_texts(workbench, place)
    return {file: draft.text for file in files for draft in workbench.drafts.drafts_of(file) if draft.tab == tab}


def find_owners(listed: tuple[ListedFile, ...]) -> dict[str, str]:
    """Owning ruleset of each file, by path.

    It is the ruleset that the file names or that uses it, else the only one of the nearest ancestor folder with any.
    """
    rulesets = {item.path for item in listed if item.header_word == RULESET_WORD}
    alone = dict[str, str | None]()
    for path in sorted(rulesets):
        alone[dirname(path)] = None if dirname(path) in alone else path
    named = {item.path: [normpath(join(dirname(item.path), name)) for name in item.names] for item in listed}
    used = dict[str, str]()
    for ruleset in sorted(rulesets):
        waiting = [ruleset]
        while waiting:
            path = waiting.pop()
            if used.setdefault(path, ruleset) == ruleset:
                waiting += [item for item in named.get(path, ()) if item not in used]
    result = dict[str, str]()
    for listed_file in listed:
        mine = next(
            (name for name in named[listed_file.path] if listed_file.sort != "rules" and name in rulesets), None
        )
        owner = mine or used.get(listed_file.path) or _nearest_ruleset_above(listed_file.path, alone)
        if owner is not None:
            result[listed_file.path] = owner
    return result


def _nearest_ruleset_above(path: str, alone: Mapping[str, str | None]) -> str | None:
    """The only ruleset of the nearest ancestor folder with any; None where it has several."""
    folder = path
    while folder:
        folder = dirname(folder)
        if folder in alone:
            return alone[folder]
    return None


_PLAY_COMMAND_PATTERN = re.compile(r"^rulewright play (.+)$", re.MULTILINE)
_LESSON_PATTERN = re.compile(r"^You learn (.+?)\.$", re.MULTILINE | re.DOTALL)


class StartPane:
    """What the start pane asks."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def list_gallery(self, _: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Starters and shipped rulesets: name, title, description, sort; of a starter its board as SVG, what it teaches."""
        mapping = await self._run_verb_json(caller, "sources", "new", "--list")
        boards, lessons = await run_blocking(_starter_boards), await run_blocking(_starter_lessons)
        return {
            "sources": [
                {**item, "board": boards.get(item["name"]), "learn": lessons.get(item["name"], "")}
                for item in mapping["sources"]
            ]
        }

    async def make_copy(self, given: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Make a folder with a copy, or with a small ruleset without source; the reply has its files."""
        name = given["name"].strip()
        self._workbench.folder.normalize_place(f"{name}/README.md")
        source = given["source"]
        created = await self._run_verb_json(caller, "files", "new", name, *(["--from", source] if source else []))
        files = [item.replace("\\", "/") for item in created["files"]]
        mapping = await self._run_verb_json(caller, "scenarios", "play", name, "--list")
        rules = [file for file in files if file.endswith(f"/{mapping['ruleset']}.rules")]
        readme = await run_blocking(self._workbench.folder.read_content, f"{name}/README.md")
        ruleset = next(iter(rules), None)
        play = _find_first_play(readme.text, mapping["scenarios"], ruleset, files)
        return {"files": files, "ruleset": ruleset, "play": play}

    async def _run_verb_json(self, caller: Caller, needed: str, verb: str, *arguments: str) -> dict[str, Any]:
        result = await self._workbench.runner.run_command(verb, ["--format", "json", *arguments], caller=caller)
        return parse_command_json(result, needed)


def _starter_boards() -> dict[str, str]:
    """SVG of the initial boards of starters, by name."""
    return {path.name: (path / "board.svg").read_text(encoding="utf-8") for path in find_starters()}


def _starter_lessons() -> dict[str, str]:
    """What one learns from each starter, as its README says, by name."""
    readmes = {path.name: (path / "README.md").read_text(encoding="utf-8") for path in find_starters()}
    found = {name: _LESSON_PATTERN.search(readme) for name, readme in readmes.items()}
    return {name: lesson[1].replace("\n", " ") for name, lesson in found.items() if lesson is not None}


def find_starters() -> list[Path]:
    """The folders of the starters."""
    return sorted(path for path in get_resource_folder("starters").iterdir() if (path / "README.md").is_file())


def find_starter_play(name: str) -> tuple[str, str]:
    """The scenario file of a starter, and the scenario in it that its README plays first.

    Raises:
        RequestProblem: there is no such starter.
    """
    folder = next((path for path in find_starters() if path.name == name), None)
    command = None if folder is None else _PLAY_COMMAND_PATTERN.search((folder / "README.md").read_text("utf-8"))
    if folder is None or command is None:
        raise RequestProblem(404, "there is no starter of this name")
    place, part = shlex.split(command[1])[:2]
    return str(folder / PurePosixPath(place).name), part


def _find_first_play(
    readme: str, scenarios: Sequence[Mapping[str, Any]], ruleset: str | None, files: Sequence[str]
) -> dict[str, Any] | None:
    """The first `rulewright play` command of a README as a request of the pane `play`."""
    command = _PLAY_COMMAND_PATTERN.search(readme)
    if command is None:
        return None
    place, part, *options = [*shlex.split(command[1]), ""]
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


def list_requests(files: FilesApi, workbench: Workbench) -> list[PaneRequest]:
    """Requests on files, and those of the start pane."""
    start, path, tab = StartPane(workbench), {"path": TEXT}, {"tab": OPTIONAL_TEXT}
    return [
        PaneRequest("folder", files.describe_folder, is_read=True),
        PaneRequest("files", files.list_files, is_read=True),
        PaneRequest("file", files.read_file, path, is_read=True),
        PaneRequest("file/save", files.save_file, {**path, "text": TEXT, "version": OPTIONAL_TEXT}, tab),
        PaneRequest("file/remove", files.remove_file, {**path, "version": TEXT}),
        PaneRequest(
            "file/draft", files.store_draft, {**path, "text": OPTIONAL_TEXT}, {**tab, "version": OPTIONAL_TEXT}
        ),
        PaneRequest("file/merge", files.merge_texts, dict.fromkeys(("base", "mine", "theirs"), TEXT)),
        PaneRequest("progress", files.report_progress, {"asking": TEXT}, is_read=True),
        PaneRequest("start/gallery", start.list_gallery, is_read=True),
        PaneRequest("start/make", start.make_copy, {"name": TEXT, "source": TEXT}),
    ]
