"""What is said of two revisions goes as the pages in `pages` say.

A question is an edit, `OLD → NEW`, of the rules at the top of the page or of its section; several are parted by ` ; `. Rules with
slots such as `{flag}` have what stands in `slots` there, and a question says what else: `flag: OLD ⇄ NEW` gives both revisions.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from rulewright.base.files import MemoryFiles, get_resource_folder
from rulewright.base.source import Text
from rulewright.diff.comparison import RulesetComparison, compare_rulesets
from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.results import ChangedNames, ComparisonEffort
from rulewright.diff.edit_report import render_edits
from rulewright.diff.edits import IMPLIED_SECTION
from rulewright.diff.mutant_judging import explain_equivalence
from rulewright.diff.mutants import collect_ruleset_names, compute_changed_lines
from rulewright.diff.mutation_operators import make_mutants
from rulewright.documents.ruleset_loading import IncrementalLoader, LoadedRuleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.syntax.parser import parse_rules_text
from support.asked_pages import check_page
from support.language_cases import run_transcript, split_blocks

PAGES = sorted((Path(__file__).parent / "pages").glob("*.md"))
_LOADER = IncrementalLoader()
_FEW = ComparisonEffort(work=60_000, workers=1, witnesses=1, shrinks=40)


def make_revisions(rules: str, slots: Mapping[str, str], question: str) -> tuple[str, str]:
    """The old text and the new one."""
    slot, is_pair, pair = question.partition(": ") if " ⇄ " in question else ("", "", "")
    texts = [rules.replace(f"{{{slot}}}", each) for each in pair.split(" ⇄ ")] if is_pair else [rules] * 2
    for name, value in slots.items():
        texts = [each.replace(f"{{{name}}}", value) for each in texts]
    for edit in () if is_pair else question.split(" ; "):
        old, _, new = edit.partition(" → ")
        assert texts[1].count(old) == 1, f"`{old}` stands {texts[1].count(old)} times in the rules"
        texts[1] = texts[1].replace(old, new)
    return texts[0], texts[1]


@cache
def load_revision(text: str) -> LoadedRuleset:
    """A text, of which only what it has otherwise than the last one is checked."""
    files = MemoryFiles({"example.rules": text})
    return _LOADER.load_changed(locate_ruleset("example.rules", files), (), files)


def compare_texts(old: str, new: str) -> RulesetComparison:
    both = load_revision(old), load_revision(new)
    assert not any(each.errors for each in both), [each.errors for each in both]
    return compare_rulesets(*both)


def compare(old: str, new: str) -> Iterator[str]:
    """What is known without a play, or of which declarations plays have to tell."""
    found = compare_texts(old, new)
    left = dict.fromkeys(f"{each.sort} {each.name}" for each in (*found.unproved.old, *found.unproved.new))
    yield str(found.static_verdict) if found.static_verdict else f"plays tell of {', '.join(left)}"


def show(old: str, new: str) -> Iterator[str]:
    """What plays tell where nothing is proved."""
    found = compare_texts(old, new)
    assert found.static_verdict is None, "this is proved"
    changed = ChangedNames(found.unproved.old, found.unproved.new)
    effort = ComparisonEffort(work=150_000, workers=1, shrinks=0, witnesses=1)
    yield compare_plays(*found.programs, found.correspondence, changed, effort=effort).verdict.word


def play(old: str, new: str) -> Iterator[str]:
    """The verdict of plays, and what each of them shows: where both come to, from what state, by which answers."""
    comparison = compare_texts(old, new)
    changed = ChangedNames(comparison.unproved.old, comparison.unproved.new)
    found = compare_plays(*comparison.programs, comparison.correspondence, changed, effort=_FEW, seed=1)
    verdict = found.verdict
    yield " ".join(
        filter(None, (verdict.word, f"({verdict.basis})" * bool(verdict.basis), verdict.limit, *verdict.space))
    )
    for tried in found.functions:
        yield f"{tried.new}: {tried.argument_count} tried, {'equal' if tried.equal else 'not equal'}"
    for value in found.values:
        asked = value.states or value.arguments
        yield f"{value.new} of {json.dumps(asked[1])}: {value.values[0]}, then {value.values[1]}"
    for each in found.witnesses:
        yield f"{each.sort}: {each.old.outcome}, then {each.new.outcome} at {each.new.address}"
        yield f"  {each.new.procedure} {json.dumps(each.new.roles)} in {json.dumps(each.new.state)}"
        yield from (f"  {heard.at}: {json.dumps(heard.answer)}" for heard in each.new.answers)
        yield from (f"  {json.dumps(side.changes)}" for side in (each.old, each.new) if each.sort == "end")


def alike(old: str, new: str) -> Iterator[str]:
    """Why a mutant counts as equivalent, if it does."""
    yield explain_equivalence(*compare_texts(old, new).programs) or "not proved"


def report(old: str, new: str) -> Iterator[str]:
    """Each edit with its section, in the order in which edits are told."""
    comparison = compare_texts(old, new)
    for each in render_edits(comparison, comparison.word_edits()):
        if each.section != IMPLIED_SECTION:
            yield f"{each.section}: {each}"


def mutants(rules: str, operator: str, line: str) -> Iterator[str]:
    """Lines before and after each mutant of an operator, or the name of each, in a text below the head of the page."""
    head, _, rest = rules.partition("# …\n")
    below = head + (rest.replace("LINE", line.replace("\n", "\n    ")) if "LINE" in rest else f"{line}\n")
    text = Text("example.rules", below)
    parsed = parse_rules_text(text)
    assert parsed.file is not None, parsed.diagnostics
    for each in make_mutants(parsed.file, text, collect_ruleset_names(parsed.file.declarations)):
        changed = compute_changed_lines(each, text)
        if each.place.start >= len(head) and operator in {each.operator, "any"}:
            before, after = (" ⏎ ".join(map(str.strip, lines)) for lines in (changed.old, changed.new))
            yield each.name if operator == "any" else f"{before}  →  {after}"


def screen(old: Mapping[str, str], new: Mapping[str, str], folder: Path) -> Iterator[str]:
    """What the first screen says of two folders, without playing, between its first line and its last."""
    for name, texts in (("old", old), ("new", new)):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir()
        for each, content in texts.items():
            (folder / name / each).write_text(content, encoding="utf-8")
    _, _, *lines = run_transcript("$ rulewright diff old new --work 0\n", folder).splitlines()
    yield from (each for each in lines if not each.startswith((" ?", "MORE", "CHECK", "[exit")))


def read_shipped(name: str) -> dict[str, str]:
    """The rules of a shipped ruleset or starter, without overlays and scenarios."""
    (folder,) = (each / name for each in map(get_resource_folder, ("rulesets", "starters")) if (each / name).is_dir())
    files = {each.name: each.read_text(encoding="utf-8") for each in sorted(folder.iterdir()) if each.is_file()}
    return {
        each: content
        for each, content in files.items()
        if not each.endswith(".scenario.yaml") and not content.startswith("amends")
    }


ASKS: Mapping[str, Callable[[str, str], Iterable[str]]] = {
    each.__name__: each for each in (compare, show, play, alike, report)
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_revisions_are_told_as_the_page_says(page: Path, tmp_path: Path, *, accept: bool) -> None:
    text = page.read_text(encoding="utf-8")

    def find_block(kind: str, section: str) -> str:
        """The last block of a kind in a section, or else at the top of the page."""
        blocks = [*split_blocks(section, kind)] or [*split_blocks(text.partition("\n## ")[0], kind)]
        return str(blocks[-1]["content"]) if blocks else ""

    def answer(asks: str, about: str, question: str, section: str) -> Iterable[str]:
        rules = find_block("rules", section)
        if asks == "mutants":
            return mutants(rules, about, question)
        if asks == "screen":
            files = read_shipped(about) if about else {"rules.rules": rules}
            whole = "\0".join(files.values())
            _, edited = make_revisions(whole, {}, question)
            return screen(files, dict(zip(files, edited.split("\0"), strict=True)), tmp_path)
        slots = re.findall(r"^(\w+): (.*)$", find_block("slots", section), re.MULTILINE)
        return ASKS[asks](*make_revisions(rules, {name: value.replace("⏎", "\n") for name, value in slots}, question))

    check_page(page, {*ASKS, "mutants", "screen"}, answer, accept=accept)
