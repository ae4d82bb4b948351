"""Prints what a key costs while a ruleset is edited: `python tests/benchmarks/editing.py [RULESET...]`.

The edits are those of the history of this repository: every commit that changed a file of rules is typed again, into
the ruleset as it was before. What a line lost goes with one key, what it gained comes letter by letter. After each key
is asked, as an editor does, what is wrong with what is written and what may stand at the cursor (`at once`); then the
ruleset is checked, and all that is wrong is told (`settled`), and the colours of the text are asked for, with what is
known by then. Printed is processor time: the median, the 95th and the 99th of a hundred keys, and the longest.

`large` is MEL written side by side until it has 5,000 lines, each copy with names of its own, edited in the same way.
"""

import gc
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from time import process_time

from rulewright.base.files import DISK, FileProvider, MemoryFiles
from rulewright.base.git_tree import GitTree, open_git_tree
from rulewright.base.node_roles import find_edited_range
from rulewright.cli.main import GC_THRESHOLD
from rulewright.documents.ruleset_loading import LoadedRuleset, load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.editor.completion import propose_completions
from rulewright.editor.editor_workspace import Workspace, find_rule_problems
from rulewright.editor.text_decorations import colour_document

ROOT = Path(__file__).parents[2]
RULESETS = sorted(each.name for each in (ROOT / "rulesets").iterdir() if each.is_dir())
KEYS = 1_000
"""How many keys of a ruleset are measured, the latest commits first."""

LINES = 5_000


@dataclass
class Costs:
    """Milliseconds of the processor, a number for each key."""

    at_once: list[float] = field(default_factory=list)
    settled: list[float] = field(default_factory=list)
    coloured: list[float] = field(default_factory=list)


def git(*arguments: str) -> str:
    """What git says."""
    return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True).stdout  # noqa: S607


def commits(folder: str) -> Iterator[tuple[str, str]]:
    """Commits that changed a file of rules of a ruleset, the latest first, each with one such file."""
    for commit in git("log", "--format=%H", "--no-merges", "--", f"rulesets/{folder}/*.rules").split():
        named = git("diff", "--name-only", "--diff-filter=M", f"{commit}^", commit, "--", f"rulesets/{folder}/*.rules")
        yield from ((commit, each) for each in named.split())


def keys(old: str, new: str) -> Iterator[tuple[str, int]]:
    """The texts on the way from one to another, a key at a time, each with the cursor."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    text, shift = old, 0
    starts = [sum(map(len, before[:at])) for at in range(len(before) + 1)]
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        lost, gained, start = "".join(before[a:b]), "".join(after[c:d]), starts[a] + shift
        edit = find_edited_range(lost, gained)
        at, end = start + edit.start, start + edit.end
        if edit.end > edit.start:
            text = text[:at] + text[end:]
            yield text, at
        for letter in gained[edit.start : edit.end + edit.shift]:
            text = text[:at] + letter + text[at:]
            at += 1
            yield text, at
        shift += len(gained) - len(lost)


def measured(desk: Workspace, place: str, typed: Iterable[tuple[str, int]], costs: Costs, most: int) -> None:
    """Types, and notes what each key costs."""
    for content, cursor in typed:
        if len(costs.at_once) >= most:
            return
        begun = process_time()
        desk.change_text(place, content)
        opened = desk.open_document(place, refresh=False)
        find_rule_problems(opened)
        propose_completions(opened, cursor)
        at_once = process_time()
        find_rule_problems(desk.open_document(place))
        settled = process_time()
        colour_document(desk.open_document(place, refresh=False))
        costs.at_once.append(1000 * (at_once - begun))
        costs.settled.append(1000 * (settled - at_once))
        costs.coloured.append(1000 * (process_time() - settled))


def of_history(folder: str) -> Costs:
    """The costs of the edits of a shipped ruleset."""
    costs = Costs()
    for commit, name in commits(folder):
        before, after = open_git_tree(f"{commit}^", DISK), open_git_tree(commit, DISK)
        place = str(ROOT / name)
        if isinstance(before, GitTree) and isinstance(after, GitTree) and _is_fine(place, before):
            old, new = _content(place, before), _content(place, after)
            desk = Workspace(before)
            desk.change_text(place, old)
            find_rule_problems(desk.open_document(place))
            measured(desk, place, keys(old, new), costs, KEYS)
        if len(costs.at_once) >= KEYS:
            break
    return costs


def _content(place: str, provider: FileProvider) -> str:
    return provider.read_file_bytes(place, -1).decode() if provider.get_file_type(place) == "file" else ""


def _is_fine(place: str, provider: FileProvider) -> bool:
    """Whether today's checker reads a ruleset of the past."""
    found = Workspace(provider)
    found.change_text(place, _content(place, provider))
    return found.open_document(place).latest.loaded.program is not None


def large() -> tuple[dict[str, str], str]:
    """MEL side by side until it has so many lines, as files by place; and the main one."""
    desk, place = Workspace(), str(ROOT / "rulesets" / "mel" / "mel.rules")
    desk.change_text(place, Path(place).read_text(encoding="utf-8"))
    known = desk.open_document(place).latest
    files: dict[str, str] = {}
    texts = [each for each in known.loaded.texts.values() if each.name.endswith(".rules")]
    lines = sum(each.content.count("\n") for each in texts)
    for copy in range(LINES // lines + 1):
        for text in texts:
            content = text.content
            for each in reversed(known.index.find_in_text(text.name)):
                if each.target.sort not in _OWN:
                    content = f"{content[: each.span.end]}_{copy}{content[each.span.end :]}"
            body = "".join(line for line in content.splitlines(keepends=True) if not line.startswith(_HEADERS))
            files[f"large/{copy}_{Path(text.name).name}"] = body
    documents = "".join(
        line for text in texts for line in text.content.splitlines(keepends=True) if "document " in line[:9]
    )
    uses = "".join(f'use "{Path(each).name}"\n' for each in files)
    files["large/large.rules"] = f'ruleset large "Large" revision "1"\n{documents}{uses}'
    return files, "large/0_mel.rules"


_OWN = frozenset({"clause", "ruleset", "attribute", "name", "step", "row", "line", "option", "result", "prefix"})
"""What has its name inside of a declaration, or in no text of rules."""

_HEADERS = ("ruleset ", "document ", "use ")


def of_large() -> Costs:
    """The costs of typing a line into each of its procedures, and a declaration."""
    files, place = large()
    provider, costs = MemoryFiles(files), Costs()
    loaded: LoadedRuleset = load_ruleset(locate_ruleset("large/large.rules", provider), (), provider)
    assert loaded.program is not None, loaded.errors[0]
    desk = Workspace(provider)
    desk.change_text(place, files[place])
    find_rule_problems(desk.open_document(place))
    anchor = "    set testing to yes\n"
    line = "    if attacker.morale > 1:\n      take 1 from attacker.morale\n"
    declared = '\nterm steady_0(u: Unit_0) gives flag means u.morale > 1 "steady"\n'
    for new in (files[place].replace(anchor, line + anchor), files[place] + declared):
        measured(desk, place, keys(files[place], new), costs, KEYS)
        desk.change_text(place, files[place])
        find_rule_problems(desk.open_document(place))
    return costs


def main(names: list[str]) -> None:
    """Prints the table."""
    gc.set_threshold(GC_THRESHOLD)  # as every verb does
    print(f"{'':<26}{'keys':>6}  {'at once (ms)':<28}{'settled (ms)':<28}{'colours (ms)':<28}")
    print(f"{'':<34}{3 * '50%   95%   99%   most    '}")
    every = Costs()
    for name in names:
        costs = of_large() if name == "large" else of_history(name)
        if costs.at_once:
            _print(name, costs)
        if name != "large":
            for row in ("at_once", "settled", "coloured"):
                getattr(every, row).extend(getattr(costs, row))
    if every.at_once:
        _print("all shipped", every)


def _print(name: str, costs: Costs) -> None:
    columns = "".join(f"{_told(each):<28}" for each in (costs.at_once, costs.settled, costs.coloured))
    print(f"{name:<26}{len(costs.at_once):>6}  {columns}", flush=True)


def _told(found: list[float]) -> str:
    ordered = sorted(found)
    return "".join(f"{ordered[int(len(ordered) * part)]:<6.0f}" for part in (0.5, 0.95, 0.99)) + f"{ordered[-1]:.0f}"


if __name__ == "__main__":
    main(sys.argv[1:] or [*RULESETS, "large"])
